"""Each step has a variable, as in code that is written and looked at line by line."""

import math

import torch


def rms_norm(x, gain, eps=1e-5):
    squares = x**2
    mean_square = squares.mean(dim=-1, keepdim=True)
    rms = torch.sqrt(mean_square + eps)
    normed = x / rms
    return normed * gain


def swiglu(x, W_gate, W_up, W_down):
    asked = x @ W_gate.T
    opened = torch.sigmoid(asked)
    gate = asked * opened
    up = x @ W_up.T
    inner = gate * up
    return inner @ W_down.T


def rotary(x, positions, base=10000.0):
    rates = base ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float64, device=x.device) / x.shape[-1])
    angles = torch.outer(positions.double(), rates)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    turned_even = even * cos - odd * sin
    turned_odd = even * sin + odd * cos
    return torch.stack([turned_even, turned_odd], dim=-1).flatten(-2)


def grouped_attention(q, k, v, mask=None):
    each = q.shape[1] // k.shape[1]
    keys, values = k.repeat_interleave(each, 1), v.repeat_interleave(each, 1)
    dots = q @ keys.mT
    scores = dots / math.sqrt(q.shape[-1])
    masked = scores if mask is None else scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(masked, dim=-1)
    return weights @ values


def label_smoothed_nll(logits, targets, eps):
    log_probs = torch.log_softmax(logits, dim=-1)
    nll = -log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    of_all = -log_probs.mean(dim=-1)
    of_each = (1 - eps) * nll + eps * of_all
    return of_each.mean()


def adamw_step(w, g, state, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    m, v, t = state
    t = t + 1
    m, v = betas[0] * m + (1 - betas[0]) * g, betas[1] * v + (1 - betas[1]) * g**2
    m_hat, v_hat = m / (1 - betas[0] ** t), v / (1 - betas[1] ** t)
    root = torch.sqrt(v_hat)
    direction = m_hat / (root + eps)
    change = lr * direction
    shrunk = w * (1 - lr * decay)
    return shrunk - change, (m, v, t)


def top_p(logits, p):
    probabilities = torch.softmax(logits, dim=-1)
    ranked, order = probabilities.sort(dim=-1, descending=True)
    sums = ranked.cumsum(dim=-1)
    kept = torch.where(sums - ranked < p, ranked, 0.0)
    kept_in_place = torch.zeros_like(kept).scatter(-1, order, kept)
    return kept_in_place / kept.sum(dim=-1, keepdim=True)
