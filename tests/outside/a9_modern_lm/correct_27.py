# a9, my solution. I like loops: one can see what happens.
import torch
from torch import nn

STD = 0.02


def rms_norm(x, gain, eps=1e-5):
    d = x.shape[-1]
    squares = torch.sum(x * x, dim=-1, keepdim=True)
    root = (squares / d + eps) ** 0.5
    return gain * (x / root)


def silu(a):
    return a * torch.sigmoid(a)


def swiglu(x, W_gate, W_up, W_down):
    return torch.matmul(silu(torch.matmul(x, W_gate.t())) * torch.matmul(x, W_up.t()), W_down.t())


def rotary(x, positions, base=10000.0):
    d_head = x.shape[-1]
    out = torch.zeros_like(x)
    p = positions.to(x.device).to(x.dtype)
    for i in range(d_head // 2):
        angle = p * base ** (-2 * i / d_head)  # (time,)
        c = torch.cos(angle)
        s = torch.sin(angle)
        first = x[:, :, :, 2 * i]
        second = x[:, :, :, 2 * i + 1]
        out[:, :, :, 2 * i] = first * c - second * s
        out[:, :, :, 2 * i + 1] = first * s + second * c
    return out


def grouped_attention(q, k, v, mask=None):
    n_heads = q.shape[1]
    group = n_heads // k.shape[1]
    outputs = []
    for h in range(n_heads):
        j = h // group
        score = torch.matmul(q[:, h], k[:, j].transpose(1, 2)) / (q.shape[3] ** 0.5)
        if mask is not None:
            score = score.masked_fill(mask == False, float("-inf"))
        weight = torch.softmax(score, dim=2)
        outputs.append(torch.matmul(weight, v[:, j]))
    return torch.stack(outputs, dim=1)


def sliding_mask(T, window):
    rows = []
    for i in range(T):
        rows.append([i - window < j and j <= i for j in range(T)])
    return torch.tensor(rows, dtype=torch.bool)


class Block(nn.Module):
    def __init__(self, d_model, n_kv_heads, d_head, d_ff):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, n_kv_heads * d_head, bias=False)
        self.W_v = nn.Linear(d_model, n_kv_heads * d_head, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.W_gate = nn.Linear(d_model, d_ff, bias=False)
        self.W_up = nn.Linear(d_model, d_ff, bias=False)
        self.W_down = nn.Linear(d_ff, d_model, bias=False)
        self.gain_1 = nn.Parameter(torch.ones(d_model))
        self.gain_2 = nn.Parameter(torch.ones(d_model))


class ModernLM(nn.Module):
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
        d_head = d_model // n_heads
        self.final_gain = nn.Parameter(torch.ones(d_model))
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(n_layers):
            self.blocks.append(Block(d_model, n_kv_heads, d_head, d_ff))

    def split_heads(self, x, n):
        d_head = self.d_model // self.n_heads
        parts = [x[:, :, h * d_head : (h + 1) * d_head] for h in range(n)]
        return torch.stack(parts, dim=1)

    def merge_heads(self, x):
        return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)

    def attention(self, block, x, past, T_past):
        T_new = x.shape[1]
        positions = torch.arange(T_new, device=x.device) + T_past
        q = self.split_heads(block.W_q(x), self.n_heads)
        k = self.split_heads(block.W_k(x), self.n_kv_heads)
        v = self.split_heads(block.W_v(x), self.n_kv_heads)
        q = rotary(q, positions, self.base)
        k = rotary(k, positions, self.base)
        if past is not None:
            k = torch.cat([past[0], k], dim=2)
            v = torch.cat([past[1], v], dim=2)
        mask = sliding_mask(T_past + T_new, self.window).to(x.device)
        mask = mask[T_past:, :]
        y = grouped_attention(q, k, v, mask)
        return block.W_o(self.merge_heads(y)), (k, v)

    def forward(self, ids, cache=None):
        T_past = 0
        if cache is not None:
            T_past = cache[0][0].shape[2]
        x = self.embedding(ids)
        new_cache = []
        for n in range(self.n_layers):
            block = self.blocks[n]
            past = None
            if cache is not None:
                past = cache[n]
            y, pair = self.attention(block, rms_norm(x, block.gain_1), past, T_past)
            new_cache.append(pair)
            x = x + y
            y = swiglu(rms_norm(x, block.gain_2), block.W_gate.weight, block.W_up.weight, block.W_down.weight)
            x = x + y
        x = rms_norm(x, self.final_gain)
        logits = torch.matmul(x, self.embedding.weight.t())
        return logits, new_cache

    def sizes(self):
        names = ("vocab", "d_model", "n_heads", "n_kv_heads", "d_ff", "n_layers", "window", "base")
        return [getattr(self, name) for name in names]

    def read(self, ids, pieces):
        cache, logits = None, []
        for piece in ids.split(list(pieces), dim=1):
            some, cache = self(piece, cache)
            logits.append(some)
        return torch.cat(logits, dim=1)

    def fork(self, prompt, endings):
        _, cache = self(prompt)
        return [self(ending, cache)[0] for ending in endings]


def init_(model, generator):
    small_std = STD / (2 * len(model.blocks)) ** 0.5
    with torch.no_grad():
        for name, p in model.named_parameters():
            if len(p.shape) == 1:
                p[:] = 1.0
            else:
                numbers = torch.randn(p.shape, generator=generator)
                if name.split(".")[-2] in ("W_o", "W_down"):
                    p[:] = small_std * numbers
                else:
                    p[:] = STD * numbers
    return model.state_dict()


def count(model, context):
    n_parameters = 0
    flops = 0
    for name, p in model.named_parameters():
        n_parameters += p.numel()
        if len(p.shape) == 2:
            # also the embedding: as the output map it is a matrix like the others
            flops += 2 * p.shape[0] * p.shape[1]
    d_head = model.d_model // model.n_heads
    for layer in range(model.n_layers):
        for head in range(model.n_heads):
            flops += 2 * d_head * context  # scores
            flops += 2 * d_head * context  # weighted sum
    return n_parameters, flops


def label_smoothed_nll(logits, targets, eps):
    vocab = logits.shape[2]
    log_p = torch.log_softmax(logits, dim=2)
    # the target distribution of every position
    one_hot = torch.nn.functional.one_hot(targets, vocab).to(logits.dtype)
    wanted = (1 - eps) * one_hot + eps / vocab
    losses = -(wanted * log_p).sum(dim=2)
    return losses.mean()


def adamw_step(w, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    m_old, v_old, steps = state
    m = betas[0] * m_old + (1 - betas[0]) * g
    v = betas[1] * v_old + (1 - betas[1]) * g ** 2
    t = steps + 1
    m_corrected = m / (1 - betas[0] ** t)
    v_corrected = v / (1 - betas[1] ** t)
    step = lr * m_corrected / (torch.sqrt(v_corrected) + eps)
    shrink = lr * decay * w
    return w - shrink - step, (m, v, t)


def top_p(logits, p):
    vocab = logits.shape[-1]
    probs = torch.softmax(logits, dim=-1)
    flat = probs.reshape(-1, vocab)
    result = torch.zeros_like(flat)
    for r in range(flat.shape[0]):
        order = torch.argsort(flat[r], descending=True)
        total = 0.0
        kept = []
        for token in order.tolist():
            kept.append(token)
            total += flat[r, token].item()
            if total >= p and p < 1:
                break
        result[r, kept] = flat[r, kept] / flat[r, kept].sum()
    return result.reshape(probs.shape)


def debugging_lab():
    answers = {"run_1": "c", "run_2": "a", "run_3": "d", "run_4": "b", "run_5": "b"}
    return answers


def quiz():
    answers = {
        "what_rms_keeps": "b",
        "why_group": "d",
        "why_tie": "a",
        "decay_aside": "c",
        "cache_of_groups": "c",
        "reach_of_windows": "b",
        "first_step": "d",
        "nucleus_size": "a",
    }
    return answers
