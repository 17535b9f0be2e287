"""Ported from how the libraries write it: flash-attn / vLLM / torch.amp names, (batch*heads, seqlen, headdim) inside, FA1 style
(the output is normalised after every tile), queries cut as well, keyword-only calls."""
import math
from typing import Optional

import numpy as np

BLOCK_M = 64  # rows of q in a tile


def _flatten(x, n_tail):
    lead = x.shape[: x.ndim - n_tail]
    return x.reshape((math.prod(lead),) + x.shape[x.ndim - n_tail :]), lead


def _fwd_inner(*, q, k, v, softmax_scale, is_causal, seqlen_offset, kBlockN, m_i, l_i, o_i):
    """q (M, D) at rows seqlen_offset.. ; k, v whole (N, D). Returns o, lse of these rows."""
    seqlen_k = k.shape[0]
    rows = seqlen_offset + np.arange(q.shape[0])
    n_end = seqlen_k if not is_causal else min(seqlen_k, int(rows[-1]) + 1)  # skip tiles above the diagonal
    for n0 in range(0, n_end, kBlockN):
        n1 = min(n0 + kBlockN, seqlen_k)
        acc_s = (q @ k[n0:n1].T) * softmax_scale
        if is_causal and n1 - 1 > rows[0]:
            cols = np.arange(n0, n1)
            acc_s = np.where(cols[None, :] > rows[:, None], -np.inf, acc_s)
        m_ij = acc_s.max(axis=1)
        m_new = np.maximum(m_i, m_ij)
        p_ij = np.exp(acc_s - m_new[:, None])
        alpha = np.exp(m_i - m_new)
        l_new = alpha * l_i + p_ij.sum(axis=1)
        o_i = (o_i * (l_i * alpha)[:, None] + p_ij @ v[n0:n1]) / l_new[:, None]
        m_i, l_i = m_new, l_new
    return o_i, m_i + np.log(l_i)


def flash_attn_forward(*, q, k, v, softmax_scale: Optional[float] = None, is_causal: bool = False, kBlockN: int = 128):
    (bh, seqlen_q, headdim), seqlen_k = q.shape, k.shape[1]
    softmax_scale = softmax_scale or 1.0 / math.sqrt(headdim)
    out = np.empty((bh, seqlen_q, v.shape[2]), dtype=np.result_type(q, k, v))
    lse = np.empty((bh, seqlen_q), dtype=out.dtype)
    for b in range(bh):
        for m0 in range(0, seqlen_q, BLOCK_M):
            qi = q[b, m0 : m0 + BLOCK_M]
            M = qi.shape[0]
            out[b, m0 : m0 + M], lse[b, m0 : m0 + M] = _fwd_inner(
                q=qi, k=k[b], v=v[b], softmax_scale=softmax_scale, is_causal=is_causal,
                seqlen_offset=seqlen_k - seqlen_q + m0, kBlockN=kBlockN,
                m_i=np.full(M, -np.inf), l_i=np.zeros(M), o_i=np.zeros((M, v.shape[2])))
    return out, lse


def online_softmax(blocks):
    m_i, l_i, o_i = -math.inf, 0.0, None
    for s, v in blocks:
        o_i = np.zeros(v.shape[1]) if o_i is None else o_i
        m_ij = np.max(s, initial=-np.inf)
        if math.isinf(m_ij) and m_ij < 0:
            continue
        m_new = max(m_i, float(m_ij))
        alpha, p_ij = math.exp(m_i - m_new), np.exp(s - m_new)
        l_new = alpha * l_i + float(p_ij.sum())
        o_i = (o_i * l_i * alpha + p_ij @ v) / l_new
        m_i, l_i = m_new, l_new
    return m_i, l_i, o_i


def tiled_attention(q, k, v, block, causal=False):
    qf, lead = _flatten(q, 2)
    kf, _ = _flatten(k, 2)
    vf, _ = _flatten(v, 2)
    out, lse = flash_attn_forward(q=qf, k=kf, v=vf, is_causal=causal, kBlockN=block)
    return out.reshape(lead + out.shape[1:]), lse.reshape(lead + lse.shape[1:])


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    (do, lead), (q, _), (k, _), (v, _), (o, _) = (_flatten(x, 2) for x in (dout, q, k, v, output))
    softmax_lse, _ = _flatten(logsumexp, 1)
    (bh, seqlen_q, headdim), seqlen_k = q.shape, k.shape[1]
    softmax_scale = headdim**-0.5
    delta = np.sum(do * o, axis=-1)
    dq, dk, dv = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
    for b in range(bh):
        for n0 in range(0, seqlen_k, block):
            kj, vj = k[b, n0 : n0 + block], v[b, n0 : n0 + block]
            # rows from which this tile can be seen
            m_start = max(0, n0 - (seqlen_k - seqlen_q)) if causal else 0
            for m0 in range(m_start, seqlen_q, BLOCK_M):
                ms = slice(m0, min(m0 + BLOCK_M, seqlen_q))
                s = softmax_scale * (q[b, ms] @ kj.T)
                p = np.exp(s - softmax_lse[b, ms, None])
                if causal:
                    rows = seqlen_k - seqlen_q + np.arange(ms.start, ms.stop)
                    cols = n0 + np.arange(kj.shape[0])
                    p = np.where(cols[None] <= rows[:, None], p, 0.0)
                dp = do[b, ms] @ vj.T
                ds = p * (dp - delta[b, ms, None])
                dv[b, n0 : n0 + block] += p.T @ do[b, ms]
                dk[b, n0 : n0 + block] += softmax_scale * (ds.T @ q[b, ms])
                dq[b, ms] += softmax_scale * (ds @ kj)
    return tuple(x.reshape(lead + x.shape[1:]) for x in (dq, dk, dv))


def cdiv(a, b):
    return (a + b - 1) // b


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    page_size_bytes = 2 * page * kv_heads * d_head * bytes_each
    num_blocks = sum(cdiv(int(seq_len), page) for seq_len in lengths)
    return num_blocks * layers * page_size_bytes


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    flops = 2 * (2 * T_q * T_k * d)
    hbm = bytes_each * (T_q * d + T_k * d + T_k * d + T_q * d)
    if not fused:
        hbm = hbm + bytes_each * 2 * (T_q * T_k + T_q * T_k)
    return flops / hbm


def roofline(intensity, peak, bandwidth):
    attainable = bandwidth * np.asarray(intensity, dtype=np.float64)
    return np.minimum(attainable, np.float64(peak))


def slot_mapping(*, block_table, seq_len, block_size):
    pos = np.arange(seq_len)
    return block_table[pos // block_size] * block_size + pos % block_size


def paged_gather(pages, tables, lengths):
    num_blocks, block_size = pages.shape[:2]
    kv_flat = pages.reshape((num_blocks * block_size,) + pages.shape[2:])
    max_len = int(lengths.max()) if hasattr(lengths, "max") else int(max(lengths))
    out = np.zeros((len(tables), max_len) + pages.shape[2:], dtype=pages.dtype)
    for i, seq_len in enumerate(lengths):
        out[i, : int(seq_len)] = kv_flat[slot_mapping(block_table=tables[i], seq_len=int(seq_len), block_size=block_size)]
    return out


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    k_cache, v_cache = cache
    context_len, prompt_len = k_cache.shape[-2], x.shape[-2]
    key = np.concatenate((k_cache, x @ W_k), axis=-2)
    value = np.concatenate((v_cache, x @ W_v), axis=-2)
    query = x @ W_q
    out = np.zeros(x.shape[:-1] + (W_v.shape[1],), dtype=np.result_type(x, W_v))
    num_computed_tokens = 0
    while num_computed_tokens < prompt_len:
        num_new = min(chunk, prompt_len - num_computed_tokens)
        new = slice(num_computed_tokens, num_computed_tokens + num_new)
        seq_len = context_len + num_computed_tokens + num_new
        out[..., new, :], _ = tiled_attention(q=query[..., new, :], k=key[..., :seq_len, :], v=value[..., :seq_len, :],
                                              block=16, causal=True)
        num_computed_tokens += num_new
    return out, key, value


def _multinomial(*, probs, u):
    cdf = np.cumsum(probs)
    idx = int(np.searchsorted(cdf, u, side="right"))
    return idx if idx < len(probs) else int(np.nonzero(probs)[0].max())


def accept(draft, p, q, u):
    draft_token_ids, target_probs, draft_probs = [int(t) for t in draft], p, q
    output_token_ids = []
    for pos, token_id in enumerate(draft_token_ids):
        if u[pos] < target_probs[pos, token_id] / draft_probs[pos, token_id]:
            output_token_ids.append(token_id)
        else:
            recovered = np.clip(target_probs[pos] - draft_probs[pos], 0, None)
            recovered = recovered / recovered.sum()
            output_token_ids.append(_multinomial(probs=recovered, u=u[-1]))
            break
    else:
        output_token_ids.append(_multinomial(probs=target_probs[-1], u=u[-1]))  # bonus token
    return output_token_ids


class GradScaler:
    def __init__(self, *, init_scale, growth_tracker, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000):
        self._scale, self._growth_tracker = init_scale, growth_tracker
        self.growth_factor, self.backoff_factor, self.growth_interval = growth_factor, backoff_factor, growth_interval
        self.found_inf = False

    def unscale_(self, grads):
        inv_scale = 1.0 / self._scale
        self.found_inf = not all(np.isfinite(g).all() for g in grads)
        return [g.astype(np.float64) * inv_scale for g in grads]

    def update(self):
        if self.found_inf:
            self._scale, self._growth_tracker = self._scale * self.backoff_factor, 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker >= self.growth_interval:
                self._scale, self._growth_tracker = self._scale * self.growth_factor, 0
        return self._scale, self._growth_tracker


def clip_grad_norm(*, grads, max_norm):
    total_norm = math.sqrt(sum(float((g * g).sum()) for g in grads))
    clip_coef = max_norm / (total_norm + 1e-12)
    return [g * min(clip_coef, 1.0) for g in grads]


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    scaler = GradScaler(init_scale=scale, growth_tracker=good, growth_interval=interval)
    unscaled = scaler.unscale_(grads)
    if scaler.found_inf:
        params = [np.array(w, copy=True) for w in weights]
    else:
        params = [(w - lr * g).astype(w.dtype) for w, g in zip(weights, clip_grad_norm(grads=unscaled, max_norm=max_norm))]
    new_scale, growth_tracker = scaler.update()
    return params, new_scale, growth_tracker


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
