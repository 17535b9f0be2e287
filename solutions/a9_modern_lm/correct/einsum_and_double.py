"""Sums are einsums over grouped heads, nothing is repeated; double precision inside; complex rotations."""

import torch


def rms_norm(x, gain, eps=1e-5):
    y = x.double()
    return (y * torch.rsqrt(torch.einsum("...d,...d->...", y, y)[..., None] / y.shape[-1] + eps) * gain).to(x.dtype)


def swiglu(x, W_gate, W_up, W_down):
    a = torch.einsum("...d,fd->...f", x, W_gate)
    return torch.einsum("...f,...f,df->...d", a * a.sigmoid(), torch.einsum("...d,fd->...f", x, W_up), W_down)


def rotary(x, positions, base=10000.0):
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    exponents = torch.arange(x.shape[-1] // 2, device=x.device).double() * (-2 / x.shape[-1])
    speeds = base**exponents
    turns = torch.exp(1j * torch.outer(positions.double(), speeds))
    return torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)


def grouped_attention(q, k, v, mask=None):
    asks = q.unflatten(1, (k.shape[1], -1))
    scores = torch.einsum("bgnqd,bgkd->bgnqk", asks, k) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -1e30))
    return torch.einsum("bgnqk,bgkd->bgnqd", scores.softmax(-1), v).flatten(1, 2)


def label_smoothed_nll(logits, targets, eps):
    log_p = logits.double().log_softmax(-1)
    wanted = torch.full_like(log_p, eps / logits.shape[-1])
    wanted.scatter_add_(-1, targets[..., None], torch.full_like(log_p, 1 - eps)[..., :1])
    return -(wanted * log_p).sum(-1).mean().to(logits.dtype)


def adamw_step(w, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    b1, b2 = betas
    m, v, n = state
    n += 1
    m, v = torch.lerp(g.double(), m.double(), b1), torch.lerp(g.double() ** 2, v.double(), b2)
    update = (m / (1 - b1**n)) / ((v / (1 - b2**n)) ** 0.5 + eps) + decay * w
    return (w - lr * update).to(w.dtype), (m.to(w.dtype), v.to(w.dtype), n)


def top_p(logits, p):
    order = logits.argsort(-1, descending=True)
    ranked = logits.softmax(-1).gather(-1, order)
    stays = torch.cat([torch.ones_like(ranked[..., :1], dtype=torch.bool), ranked.cumsum(-1)[..., :-1] < p], -1)
    stays = stays.gather(-1, order.argsort(-1))
    return logits.masked_fill(~stays, -torch.inf).softmax(-1)
