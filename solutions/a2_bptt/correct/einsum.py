"""Every sum is an einsum, with the axes named."""

import numpy as np


def loss_backward(logits, targets, mask):
    log_probs = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    gap = np.exp(log_probs) - (np.arange(logits.shape[-1]) == targets[..., None])
    return np.einsum("btv,bt->btv", gap, mask / np.count_nonzero(mask))


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh - dh * h_t * h_t
    return (
        np.einsum("bh,hf->bf", dz, W_x),
        np.einsum("bh,hk->bk", dz, W_h),
        np.einsum("bh,bf->hf", dz, x_t),
        np.einsum("bh,bk->hk", dz, h_prev),
        np.einsum("bh->h", dz),
    )


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    past = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    dz = np.zeros_like(h)
    flowing = np.zeros_like(h0)
    for t in range(h.shape[1])[::-1]:
        dz[:, t] = (dh[:, t] + flowing) * (1.0 - np.square(h[:, t]))
        flowing = np.einsum("bh,hk->bk", dz[:, t], W_h)
    return (
        np.einsum("bth,hf->btf", dz, W_x),
        flowing,
        np.einsum("bth,btf->hf", dz, x),
        np.einsum("bth,btk->hk", dz, past),
        np.einsum("bth->h", dz),
    )


def embedding_backward(d_out, ids, vocab_size):
    return np.einsum("btv,btd->vd", np.eye(vocab_size)[ids], d_out)


def truncated_bptt(x, targets, h0, params, k):
    time = x.shape[1]
    h = _run(x, h0, params)
    logits = np.einsum("bth,vh->btv", h, params["W_y"]) + params["b_y"]
    log_probs = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    one_hot = np.eye(logits.shape[-1])[targets]
    dlogits = (np.exp(log_probs) - one_hot) / targets.size
    dh = np.einsum("btv,vh->bth", dlogits, params["W_y"])
    grads = {"W_y": np.einsum("btv,bth->vh", dlogits, h), "b_y": np.einsum("btv->v", dlogits)}
    parts = []
    for start in range(0, time, k):
        now = slice(start, start + k)
        before = h[:, start - 1] if start else h0
        parts.append(rnn_backward(dh[:, now], (x[:, now], before, h[:, now], params["W_x"], params["W_h"])))
    for place, name in ((2, "W_x"), (3, "W_h"), (4, "b")):
        grads[name] = sum(part[place] for part in parts)
    return -np.einsum("btv,btv->", log_probs, one_hot) / targets.size, grads


def _run(x, h0, params):
    h = np.zeros((*x.shape[:2], h0.shape[1]))
    for t in range(x.shape[1]):
        before = h[:, t - 1] if t else h0
        inside = np.einsum("bf,hf->bh", x[:, t], params["W_x"]) + np.einsum("bk,hk->bh", before, params["W_h"])
        h[:, t] = np.tanh(inside + params["b"])
    return h


def clip_grad_norm(grads, max_norm):
    flat = np.concatenate([g.ravel() for g in grads.values()])
    norm = np.sqrt(np.einsum("i,i->", flat, flat))
    return {name: g * min(1.0, max_norm / (norm + 1e-6)) for name, g in grads.items()}, norm


def gradient_norms(dh_last, cache):
    h, W_h = cache[2], cache[4]
    norms = [np.sqrt(np.einsum("bh,bh->", dh_last, dh_last))]
    for t in range(h.shape[1] - 1, 0, -1):
        dh_last = np.einsum("bh,bh,hk->bk", dh_last, 1 - h[:, t] ** 2, W_h)
        norms.append(np.sqrt(np.einsum("bh,bh->", dh_last, dh_last)))
    return np.array(norms)[::-1]
