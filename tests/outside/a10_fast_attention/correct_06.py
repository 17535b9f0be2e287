"""Torch inside, numpy outside. Only plain tensor operations: no ready-made attention, no autograd."""
import numpy as np
import torch


def _t(x):
    return torch.from_numpy(np.array(x))


def online_softmax(blocks):
    m = torch.tensor(-torch.inf, dtype=torch.float64)
    l = torch.zeros((), dtype=torch.float64)
    a = torch.zeros(blocks[0][1].shape[1], dtype=torch.float64)
    for scores, values in blocks:
        s, v = _t(scores).double(), _t(values).double()
        m_new = torch.maximum(m, s.max()) if s.numel() else m
        if torch.isneginf(m_new):
            continue
        e = torch.exp(s - m_new)
        f = torch.exp(m - m_new)
        l = l * f + e.sum()
        a = a * f + e @ v
        m = m_new
    return m.item(), l.item(), (a / l).numpy()


def _mask(T_q, T_k, start, stop):
    queries = torch.arange(T_k - T_q, T_k).unsqueeze(1)
    return torch.arange(start, stop).unsqueeze(0) > queries


@torch.no_grad()
def tiled_attention(q, k, v, block, causal=False):
    q, k, v = _t(q), _t(k), _t(v)
    T_q, T_k, d = q.shape[-2], k.shape[-2], q.shape[-1]
    m = q.new_full(q.shape[:-1] + (1,), -torch.inf)
    l = torch.zeros_like(m)
    out = q.new_zeros(q.shape[:-1] + (v.shape[-1],))
    for start in range(0, T_k, block):
        stop = min(start + block, T_k)
        s = q @ k[..., start:stop, :].transpose(-1, -2)
        s.div_(d**0.5)
        if causal:
            s.masked_fill_(_mask(T_q, T_k, start, stop), -torch.inf)
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        s.sub_(m_new).exp_()
        f = (m - m_new).exp()
        l = l * f + s.sum(-1, keepdim=True)
        out = out * f + s @ v[..., start:stop, :]
        m = m_new
    return (out / l).numpy(), (m + l.log()).squeeze(-1).numpy()


@torch.no_grad()
def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    dout, q, k, v, output, lse = map(_t, (dout, q, k, v, output, logsumexp))
    T_q, T_k, scale = q.shape[-2], k.shape[-2], q.shape[-1] ** -0.5
    D = (dout * output).sum(dim=-1, keepdim=True)
    dq, dk, dv = torch.zeros_like(q), [], []
    for kb, vb, start in zip(k.split(block, dim=-2), v.split(block, dim=-2), range(0, T_k, block)):
        s = q @ kb.mT * scale
        if causal:
            s = s.masked_fill(_mask(T_q, T_k, start, start + kb.shape[-2]), -torch.inf)
        w = torch.exp(s - lse.unsqueeze(-1))
        ds = w * (dout @ vb.mT - D) * scale
        dq += ds @ kb
        dk.append(ds.mT @ q)
        dv.append(w.mT @ dout)
    return dq.numpy(), torch.cat(dk, -2).numpy(), torch.cat(dv, -2).numpy()


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    n = torch.tensor([int(x) for x in lengths], dtype=torch.int64)
    pages = torch.div(n + page - 1, page, rounding_mode="floor")
    return pages.sum().item() * page * 2 * layers * kv_heads * d_head * bytes_each


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    moved = 2 * T_q * d + 2 * T_k * d + (not fused) * 4 * T_q * T_k
    return 4.0 * T_q * T_k * d / moved / bytes_each


def roofline(intensity, peak, bandwidth):
    x = torch.as_tensor(np.array(intensity, dtype=np.float64))
    return torch.clamp(x * bandwidth, max=peak).numpy()


def paged_gather(pages, tables, lengths):
    pages, tables = _t(pages), _t(tables).long()
    batch, page = tables.shape[0], pages.shape[1]
    longest = int(max(lengths))
    flat = pages[tables.clamp(min=0)].flatten(1, 2)[:, :longest]
    out = torch.zeros_like(flat)
    for b in range(batch):
        out[b, : int(lengths[b])] = flat[b, : int(lengths[b])]
    return out.numpy()


@torch.no_grad()
def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    x, K, V, W_q, W_k, W_v = map(_t, (x, *cache, W_q, W_k, W_v))
    outs = []
    for piece in x.split(chunk, dim=-2):
        K = torch.cat([K, piece @ W_k], dim=-2)
        V = torch.cat([V, piece @ W_v], dim=-2)
        q = piece @ W_q
        s = q @ K.mT / q.shape[-1] ** 0.5
        s = s.masked_fill(_mask(q.shape[-2], K.shape[-2], 0, K.shape[-2]), -torch.inf)
        outs.append(torch.softmax(s, dim=-1) @ V)
    return torch.cat(outs, dim=-2).numpy(), K.numpy(), V.numpy()


def accept(draft, p, q, u):
    draft, p, q, u = _t(draft).long(), _t(p), _t(q), _t(u)
    n = len(draft)
    ratio = p[:n].gather(1, draft[:, None])[:, 0] / q.gather(1, draft[:, None])[:, 0]
    stays = (u[:n] < ratio).long().cumprod(0)
    kept = int(stays.sum())
    dist = p[n] if kept == n else (p[kept] - q[kept]).clamp(min=0)
    dist = dist / dist.sum() if kept < n else dist
    last = int(dist.nonzero().max())
    token = int(torch.searchsorted(dist.cumsum(0), u[n].to(dist.dtype).reshape(1), right=True))
    return draft[:kept].tolist() + [min(token, last)]


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    gs = [_t(g).double() for g in grads]
    if any(not torch.isfinite(g).all() for g in gs):
        return [np.array(w) for w in weights], scale / 2, 0
    gs = [g / scale for g in gs]
    norm = torch.stack([g.square().sum() for g in gs]).sum().sqrt().item()
    c = max_norm / norm if norm > max_norm else 1.0
    new = [(_t(w).double() - lr * c * g).numpy().astype(w.dtype) for w, g in zip(weights, gs)]
    good += 1
    if good >= interval:
        scale, good = scale * 2, 0
    return new, scale, good


def quiz():
    answers = {
        "what_is_slow": "c",
        "what_changes": "a",
        "one_number_per_row": "d",
        "merged_maximum": "b",
        "bytes_of_a_cache": "c",
        "pages_of_three": "d",
        "chance_to_stay": "a",
        "clip_first": "b",
    }
    return answers
