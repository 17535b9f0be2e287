"""Helper classes: a running softmax with any leading axes, a tile walker, a pager, a sampler, a scaler."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np


class RunningSoftmax:
    """State (m, l, a) of many rows at once. shape: that of the rows; width: features of a value."""

    def __init__(self, shape, width, dtype=np.float64):
        self.m = np.full(shape, -np.inf, dtype)
        self.l = np.zeros(shape, dtype)
        self.a = np.zeros(tuple(shape) + (width,), dtype)

    def feed(self, scores, values):
        m_new = np.maximum(self.m, scores.max(axis=-1, initial=-np.inf))
        safe = np.where(np.isneginf(m_new), 0, m_new).astype(self.m.dtype)
        factor = np.exp(self.m - safe)
        e = scores - safe[..., None]
        np.exp(e, out=e)
        self.l = self.l * factor + e.sum(axis=-1)
        self.a = self.a * factor[..., None] + np.matmul(e, values)
        self.m = m_new

    @property
    def mean(self):
        return self.a / self.l[..., None]

    @property
    def logsumexp(self):
        return self.m + np.log(self.l)


class Tiles:
    """Walks over the keys and knows where each tile lies."""

    def __init__(self, q, k, block, causal):
        self.q, self.k, self.block, self.causal = q, k, block, causal
        self.T_q, self.T_k = q.shape[-2], k.shape[-2]
        self.scale = float(q.shape[-1]) ** -0.5

    def __iter__(self):
        for start in range(0, self.T_k, self.block):
            where = slice(start, min(start + self.block, self.T_k))
            yield where, self.scores(where)

    def scores(self, where):
        s = np.matmul(self.q, self.k[..., where, :].swapaxes(-1, -2))
        s *= self.scale
        if self.causal:
            key = np.arange(where.start, where.stop)
            query = np.arange(self.T_k - self.T_q, self.T_k)
            s[..., key[None, :] > query[:, None]] = -np.inf
        return s


def online_softmax(blocks):
    state = None
    for scores, values in blocks:
        if state is None:
            state = RunningSoftmax((), values.shape[1])
        state.feed(np.array(scores, dtype=np.float64), np.array(values, dtype=np.float64))
    return float(state.m), float(state.l), state.mean


def tiled_attention(q, k, v, block, causal=False):
    state = RunningSoftmax(q.shape[:-1], v.shape[-1], np.result_type(q, k, v, np.float32))
    for where, s in Tiles(q, k, block, causal):
        state.feed(s, v[..., where, :])
    return state.mean, state.logsumexp


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    tiles = Tiles(q, k, block, causal)
    dq, dk, dv = (np.zeros(x.shape, np.result_type(x, dout)) for x in (q, k, v))
    D = np.sum(dout * output, axis=-1)[..., None]
    for where, s in tiles:
        weights = np.exp(s - logsumexp[..., None])
        dweights = np.matmul(dout, v[..., where, :].swapaxes(-1, -2))
        dscores = weights * (dweights - D)
        ddots = dscores * tiles.scale
        dv[..., where, :] += np.matmul(weights.swapaxes(-1, -2), dout)
        dk[..., where, :] += np.matmul(ddots.swapaxes(-1, -2), q)
        dq += np.matmul(ddots, k[..., where, :])
    return dq, dk, dv


@dataclass(frozen=True)
class CacheShape:
    layers: int
    kv_heads: int
    d_head: int
    bytes_each: int

    @property
    def per_token(self):
        return 2 * self.layers * self.kv_heads * self.d_head * self.bytes_each


class Pager:
    def __init__(self, page):
        self.page = page

    def pages_for(self, length):
        return -(-int(length) // self.page)

    def room(self, length):
        return self.pages_for(length) * self.page

    def place(self, t):
        return divmod(t, self.page)


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    pager = Pager(page)
    return CacheShape(layers, kv_heads, d_head, bytes_each).per_token * sum(pager.room(n) for n in lengths)


class Traffic:
    def __init__(self):
        self.numbers = 0

    def move(self, rows, columns, times=1):
        self.numbers += rows * columns * times
        return self


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    traffic = Traffic().move(T_q, d, 2).move(T_k, d, 2)
    if not fused:
        traffic.move(T_q, T_k, 2).move(T_q, T_k, 2)
    return 2 * (2 * T_q * T_k * d) / (bytes_each * traffic.numbers)


class Processor:
    def __init__(self, peak, bandwidth):
        self.peak, self.bandwidth = peak, bandwidth

    @property
    def ridge(self):
        return self.peak / self.bandwidth

    def speed(self, intensity):
        intensity = np.asarray(intensity)
        return np.where(intensity < self.ridge, intensity * self.bandwidth, self.peak)


def roofline(intensity, peak, bandwidth):
    return Processor(peak, bandwidth).speed(intensity)


def paged_gather(pages, tables, lengths):
    pager = Pager(pages.shape[1])
    tokens = np.zeros((len(lengths), int(max(lengths))) + pages.shape[2:], pages.dtype)
    for row, table, length in zip(tokens, tables, lengths):
        for number in range(pager.pages_for(length)):
            first = number * pager.page
            count = min(pager.page, int(length) - first)
            row[first : first + count] = pages[table[number]][:count]
    return tokens


class KVCache:
    def __init__(self, K, V):
        self.K, self.V = K, V

    def append(self, k, v):
        self.K = np.concatenate([self.K, k], axis=-2)
        self.V = np.concatenate([self.V, v], axis=-2)


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    kept = KVCache(*cache)
    output = np.empty(x.shape[:-1] + (W_v.shape[1],))
    for start in range(0, x.shape[-2], chunk):
        where = slice(start, min(start + chunk, x.shape[-2]))
        now = x[..., where, :]
        kept.append(now @ W_k, now @ W_v)
        output[..., where, :] = tiled_attention(now @ W_q, kept.K, kept.V, chunk, causal=True)[0]
    return output, kept.K, kept.V


class Sampler:
    def __init__(self, number):
        self.number = number

    def draw(self, probabilities):
        total = 0.0
        for token, probability in enumerate(probabilities):
            total += probability
            if total > self.number:
                return token
        return int(np.max(np.nonzero(probabilities)))


def accept(draft, p, q, u):
    sampler = Sampler(u[-1])
    tokens = []
    for token, target, small, number in zip(draft.tolist(), p, q, u):
        if number < target[token] / small[token]:
            tokens.append(token)
            continue
        residual = np.maximum(0, target - small)
        return tokens + [sampler.draw(residual / residual.sum())]
    return tokens + [sampler.draw(p[-1])]


class Scaler:
    def __init__(self, scale, good, interval):
        self.scale, self.good, self.interval = scale, good, interval

    def overflow(self):
        self.scale = self.scale / 2
        self.good = 0

    def success(self):
        self.good += 1
        if self.good >= self.interval:
            self.scale = self.scale * 2
            self.good = 0


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    scaler = Scaler(scale, good, interval)
    if any(not np.isfinite(g).all() for g in grads):
        scaler.overflow()
        return [w.copy() for w in weights], scaler.scale, scaler.good
    true = [g.astype(np.float64) / scale for g in grads]
    norm = np.linalg.norm([np.linalg.norm(g) for g in true])
    if norm > max_norm:
        true = [g * (max_norm / norm) for g in true]
    scaler.success()
    return [(w - lr * g).astype(w.dtype) for w, g in zip(weights, true)], scaler.scale, scaler.good


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
