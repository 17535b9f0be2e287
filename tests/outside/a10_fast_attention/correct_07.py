"""No assignment to an element, no += on arrays: states are tuples, and tiles are folded with reduce.

tiled_attention folds the tiles from the last to the first, since the order does not matter.
"""
from functools import partial, reduce
from itertools import accumulate, takewhile
from typing import NamedTuple

import numpy as np


class State(NamedTuple):
    m: np.ndarray      # (..., 1)
    l: np.ndarray      # (..., 1)
    a: np.ndarray      # (..., d_v)


def summarise(scores, values):
    m = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    e = np.exp(scores - np.where(np.isfinite(m), m, 0).astype(scores.dtype))
    return State(m, np.sum(e, axis=-1, keepdims=True), np.matmul(e, values))


def merge(one, two):
    m = np.maximum(one.m, two.m)
    safe = np.where(np.isfinite(m), m, 0).astype(m.dtype)
    f1, f2 = np.exp(one.m - safe), np.exp(two.m - safe)
    return State(m, one.l * f1 + two.l * f2, one.a * f1 + two.a * f2)


def online_softmax(blocks):
    states = (summarise(np.asarray(s, float)[None, :], np.asarray(v, float)) for s, v in blocks)
    end = reduce(merge, states)
    return end.m.item(), end.l.item(), (end.a / end.l)[0]


def bounds(T_k, block):
    return [(a, min(a + block, T_k)) for a in range(0, T_k, block)]


def tile_scores(q, k, causal, bound):
    a, b = bound
    T_q, T_k = q.shape[-2], k.shape[-2]
    s = np.matmul(q, np.swapaxes(k[..., a:b, :], -2, -1)) * q.dtype.type(q.shape[-1] ** -0.5)
    places = np.arange(T_k - T_q, T_k).reshape(-1, 1)
    return np.where(places >= np.arange(a, b), s, s.dtype.type(-np.inf)) if causal else s


def tiled_attention(q, k, v, block, causal=False):
    tiles = (summarise(tile_scores(q, k, causal, (a, b)), v[..., a:b, :]) for a, b in reversed(bounds(k.shape[-2], block)))
    end = reduce(merge, tiles)
    return end.a / end.l, np.squeeze(end.m + np.log(end.l), -1)


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    D = np.sum(np.multiply(dout, output), axis=-1, keepdims=True)

    def one(bound):
        a, b = bound
        w = np.exp(tile_scores(q, k, causal, bound) - np.expand_dims(logsumexp, -1))
        dots = w * (dout @ np.swapaxes(v[..., a:b, :], -2, -1) - D) / np.sqrt(q.shape[-1])
        return dots @ k[..., a:b, :], np.swapaxes(dots, -2, -1) @ q, np.swapaxes(w, -2, -1) @ dout

    dqs, dks, dvs = zip(*map(one, bounds(k.shape[-2], block)))
    return reduce(np.add, dqs), np.concatenate(dks, axis=-2), np.concatenate(dvs, axis=-2)


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    room = sum(map(lambda n: (int(n) + page - 1) // page * page, lengths))
    return reduce(int.__mul__, map(int, (2, layers, kv_heads, d_head, bytes_each)), room)


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    outer = [(T_q, d)] * 2 + [(T_k, d)] * 2
    inner = [] if fused else [(T_q, T_k)] * 4
    return 2 * 2 * T_q * T_k * d / sum(a * b * bytes_each for a, b in outer + inner)


def roofline(intensity, peak, bandwidth):
    # time of one operation is the longer of the two
    return 1 / np.maximum(1 / peak, 1 / (np.asarray(intensity, dtype=float) * bandwidth))


def paged_gather(pages, tables, lengths):
    longest = int(max(lengths))
    page = pages.shape[1]

    def one(table, n):
        tokens = np.stack([pages[table[t // page], t % page] for t in range(int(n))])
        return np.concatenate([tokens, np.zeros((longest - int(n),) + tokens.shape[1:], tokens.dtype)])

    return np.stack([one(t, n) for t, n in zip(tables, lengths)])


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    def read(state, bound):
        outs, K, V = state
        piece = x[..., bound[0] : bound[1], :]
        K1 = np.concatenate((K, piece @ W_k), axis=-2)
        V1 = np.concatenate((V, piece @ W_v), axis=-2)
        return outs + (tiled_attention(piece @ W_q, K1, V1, K1.shape[-2], True)[0],), K1, V1

    outs, K, V = reduce(read, bounds(x.shape[-2], chunk), ((), *cache))
    return np.concatenate(outs, axis=-2), K, V


def draw(dist, number):
    below = sum(1 for _ in takewhile(lambda c: not c > number, accumulate(map(float, dist))))
    return min(below, max(i for i, x in enumerate(dist) if x > 0))


def accept(draft, p, q, u):
    n = len(draft)
    kept = sum(1 for _ in takewhile(lambda i: u[i] < p[i][draft[i]] / q[i][draft[i]], range(n)))

    def residual(i):
        gap = np.maximum(0.0, p[i] - q[i])
        return gap / np.sum(gap)

    return [*map(int, draft[:kept]), draw(p[n] if kept == n else residual(kept), u[n])]


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    if not all(map(lambda g: bool(np.all(np.isfinite(g))), grads)):
        return list(map(np.copy, weights)), scale / 2, 0
    unscale = lambda g: g.astype(np.float64) / scale
    norm = np.sqrt(sum(np.sum(np.square(unscale(g))) for g in grads))
    shrink = max_norm / norm if norm > max_norm else 1.0
    step = lambda w, g: (w - lr * shrink * unscale(g)).astype(w.dtype)
    again = good + 1 < interval
    return list(map(step, weights, grads)), scale if again else 2 * scale, good + 1 if again else 0


def quiz():
    return dict(
        what_is_slow="c",
        what_changes="a",
        one_number_per_row="d",
        merged_maximum="b",
        bytes_of_a_cache="c",
        pages_of_three="d",
        chance_to_stay="a",
        clip_first="b",
    )
