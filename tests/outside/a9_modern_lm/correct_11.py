"""modern_lm, my solution. I keep to simple loops where the sizes allow it."""

import math

import torch
from torch import nn

STD = 0.02  # the standard deviation of GPT-2's first weights


def rms_norm(x, gain, eps=1e-5):
    d_model = x.shape[-1]
    total = torch.zeros_like(x[..., 0])
    for feature in range(d_model):
        total = total + x[..., feature] * x[..., feature]
    root = torch.sqrt(total / d_model + eps)
    columns = []
    for feature in range(d_model):
        columns.append(x[..., feature] / root * gain[feature])
    return torch.stack(columns, dim=-1)


def swiglu(x, W_gate, W_up, W_down):
    d_ff = W_gate.shape[0]
    out = None
    for unit in range(d_ff):
        a = x @ W_gate[unit]
        b = x @ W_up[unit]
        hidden = a * torch.sigmoid(a) * b
        part = hidden.unsqueeze(-1) * W_down[:, unit]
        if out is None:
            out = part
        else:
            out = out + part
    return out


def rotary(x, positions, base=10000.0):
    d_head = x.shape[-1]
    columns = []
    for i in range(d_head // 2):
        speed = base ** (-2 * i / d_head)
        angle = positions.to(x.dtype) * speed  # (time,)
        c = torch.cos(angle)
        s = torch.sin(angle)
        first = x[..., 2 * i]  # (batch, heads, time)
        second = x[..., 2 * i + 1]
        columns.append(first * c - second * s)
        columns.append(first * s + second * c)
    return torch.stack(columns, dim=-1)


def grouped_attention(q, k, v, mask=None):
    n_heads = q.shape[1]
    n_kv_heads = k.shape[1]
    d_head = q.shape[3]
    group = n_heads // n_kv_heads
    heads = []
    for h in range(n_heads):
        j = h // group
        scores = q[:, h] @ k[:, j].transpose(1, 2) / math.sqrt(d_head)
        if mask is not None:
            scores = scores.masked_fill(mask == False, float("-inf"))  # noqa: E712
        heads.append(torch.softmax(scores, dim=2) @ v[:, j])
    return torch.stack(heads, dim=1)


def sliding_mask(T, window):
    mask = torch.zeros(T, T, dtype=torch.bool)
    for i in range(T):
        for j in range(T):
            if i - window < j and j <= i:
                mask[i, j] = True
    return mask


class Block(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, d_ff):
        super().__init__()
        d_head = d_model // n_heads
        self.gain_1 = nn.Parameter(torch.ones(d_model))
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, n_kv_heads * d_head, bias=False)
        self.W_v = nn.Linear(d_model, n_kv_heads * d_head, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.gain_2 = nn.Parameter(torch.ones(d_model))
        self.W_gate = nn.Linear(d_model, d_ff, bias=False)
        self.W_up = nn.Linear(d_model, d_ff, bias=False)
        self.W_down = nn.Linear(d_ff, d_model, bias=False)


class ModernLM(nn.Module):
    """A decoder-only model with RMS norms, rotations, grouped heads, a sliding window, SwiGLU and tied embeddings."""

    def __init__(self, vocab, d_model, n_heads, n_kv_heads, d_ff, n_layers, window, base=10000.0):
        super().__init__()
        self.vocab = vocab
        self.d_model = d_model
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_ff = d_ff
        self.n_layers = n_layers
        self.window = window
        self.base = base
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(n_layers):
            self.blocks.append(Block(d_model, n_heads, n_kv_heads, d_ff))
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids, cache=None):
        batch, T_new = ids.shape
        d_head = self.d_model // self.n_heads
        if cache is None:
            T_past = 0
        else:
            T_past = cache[0][0].shape[2]
        T_all = T_past + T_new
        positions = torch.arange(T_past, T_all, device=ids.device)
        mask = sliding_mask(T_all, self.window)[T_past:T_all].to(ids.device)
        new_cache = []
        x = self.embedding(ids)
        for number in range(self.n_layers):
            block = self.blocks[number]
            h = rms_norm(x, block.gain_1)
            q = block.W_q(h).reshape(batch, T_new, self.n_heads, d_head).transpose(1, 2)
            k = block.W_k(h).reshape(batch, T_new, self.n_kv_heads, d_head).transpose(1, 2)
            v = block.W_v(h).reshape(batch, T_new, self.n_kv_heads, d_head).transpose(1, 2)
            q = rotary(q, positions, self.base)
            k = rotary(k, positions, self.base)
            if cache is not None:
                old_k, old_v = cache[number]
                k = torch.cat([old_k, k], dim=2)
                v = torch.cat([old_v, v], dim=2)
            new_cache.append((k, v))
            y = grouped_attention(q, k, v, mask)
            y = y.transpose(1, 2).reshape(batch, T_new, self.d_model)
            x = x + block.W_o(y)
            h = rms_norm(x, block.gain_2)
            x = x + swiglu(h, block.W_gate.weight, block.W_up.weight, block.W_down.weight)
        x = rms_norm(x, self.final_gain)
        logits = x @ self.embedding.weight.T
        return logits, new_cache

    def sizes(self):
        """Return what the constructor has kept, given."""
        names = ("vocab", "d_model", "n_heads", "n_kv_heads", "d_ff", "n_layers", "window", "base")
        return [getattr(self, name) for name in names]

    def read(self, ids, pieces):
        """Read ids in pieces of these lengths with a cache, given: the logits of all positions."""
        cache, logits = None, []
        for piece in ids.split(list(pieces), dim=1):
            some, cache = self(piece, cache)
            logits.append(some)
        return torch.cat(logits, dim=1)

    def fork(self, prompt, endings):
        """Read a prompt once and go on from it with each of several endings, given: the logits of each ending."""
        _, cache = self(prompt)
        return [self(ending, cache)[0] for ending in endings]


def init_(model, generator):
    small = STD / math.sqrt(2 * len(model.blocks))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.fill_(1.0)
            else:
                numbers = torch.randn(parameter.shape, generator=generator)
                if name.endswith("W_o.weight") or name.endswith("W_down.weight"):
                    numbers = small * numbers
                else:
                    numbers = STD * numbers
                parameter.copy_(numbers)
    return model.state_dict()


def count(model, context):
    d = model.d_model
    d_head = d // model.n_heads
    # one layer
    matrices = 0
    matrices += d * d  # W_q
    matrices += model.n_kv_heads * d_head * d  # W_k
    matrices += model.n_kv_heads * d_head * d  # W_v
    matrices += d * d  # W_o
    matrices += 3 * d * model.d_ff
    parameters = model.vocab * d + d
    flops = 2 * model.vocab * d
    for _ in range(model.n_layers):
        parameters += matrices + 2 * d
        flops += 2 * matrices
        for _ in range(model.n_heads):
            flops += 2 * d_head * context  # scores
            flops += 2 * d_head * context  # weighted sum
    return parameters, flops


def label_smoothed_nll(logits, targets, eps):
    vocab = logits.shape[-1]
    log_p = torch.log_softmax(logits, dim=-1)
    loss = 0.0
    for token in range(vocab):
        asked = (1 - eps) * (targets == token).to(logits.dtype) + eps / vocab
        loss = loss - (asked * log_p[..., token]).mean()
    return loss


def adamw_step(w, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    m, v, steps = state
    beta1, beta2 = betas
    t = steps + 1
    correction1 = 1 - beta1**t
    correction2 = 1 - beta2**t
    new_w, new_m, new_v = [], [], []
    rows = zip(w.reshape(-1).tolist(), g.reshape(-1).tolist(), m.reshape(-1).tolist(), v.reshape(-1).tolist())
    for w_i, g_i, m_i, v_i in rows:
        m_i = beta1 * m_i + (1 - beta1) * g_i
        v_i = beta2 * v_i + (1 - beta2) * g_i * g_i
        m_hat = m_i / correction1
        v_hat = v_i / correction2
        new_w.append(w_i - lr * decay * w_i - lr * m_hat / (math.sqrt(v_hat) + eps))
        new_m.append(m_i)
        new_v.append(v_i)
    new_w = torch.tensor(new_w, dtype=w.dtype, device=w.device).reshape(w.shape)
    new_m = torch.tensor(new_m, dtype=m.dtype, device=m.device).reshape(m.shape)
    new_v = torch.tensor(new_v, dtype=v.dtype, device=v.device).reshape(v.shape)
    return new_w, (new_m, new_v, t)


def top_p(logits, p):
    vocab = logits.shape[-1]
    probs = torch.softmax(logits, dim=-1)
    out = torch.zeros_like(probs).reshape(-1, vocab)
    scores = logits.reshape(-1, vocab).tolist()
    for row, values in enumerate(probs.reshape(-1, vocab).tolist()):
        order = sorted(range(vocab), key=lambda token: -scores[row][token])
        kept = []
        running = 0.0
        for token in order:
            kept.append(token)
            running += values[token]
            if running >= p and p < 1:
                break
        for token in kept:
            out[row, token] = values[token] / running
    return out.reshape(logits.shape)


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_rms_keeps": "",
        "why_group": "",
        "why_tie": "",
        "decay_aside": "",
        "cache_of_groups": "",
        "reach_of_windows": "",
        "first_step": "",
        "nucleus_size": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
