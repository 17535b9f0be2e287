import numpy as np
from numpy import einsum


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / einsum("...v->...", e)[..., None]


def loss_backward(logits, targets, mask):
    one_hot = np.eye(logits.shape[-1])[targets]
    return einsum("btv,bt->btv", softmax(logits) - one_hot, mask / mask.sum())


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh * (1 - h_t**2)
    dx = einsum("bh,hf->bf", dz, W_x)
    dh_prev = einsum("bh,hk->bk", dz, W_h)
    dW_x = einsum("bh,bf->hf", dz, x_t)
    dW_h = einsum("bh,bk->hk", dz, h_prev)
    db = einsum("bh->h", dz)
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    dz = np.zeros(h.shape)
    back = np.zeros(h0.shape)
    for t in range(h.shape[1] - 1, -1, -1):
        dz[:, t] = (dh[:, t] + back) * (1 - h[:, t] ** 2)
        back = einsum("bh,hk->bk", dz[:, t], W_h)
    dx = einsum("bth,hf->btf", dz, W_x)
    dW_x = einsum("bth,btf->hf", dz, x)
    dW_h = einsum("bth,btk->hk", dz, before)
    db = einsum("bth->h", dz)
    return dx, back, dW_x, dW_h, db


def embedding_backward(d_out, ids, vocab_size):
    one_hot = np.eye(vocab_size)[ids]
    return einsum("btv,btd->vd", one_hot, d_out)


def grad_check(f, x, grad, eps):
    x = np.array(x, dtype=np.float64)
    n = np.empty(x.shape)
    for i in np.ndindex(*x.shape):
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        n[i] = (f(up) - f(down)) / (2 * eps)
    grad = np.asarray(grad, dtype=np.float64)
    return float(np.max(np.abs(grad - n) / np.maximum(np.abs(grad) + np.abs(n), 1e-8)))


def truncated_bptt(x, targets, h0, params, k):
    W_x, W_h, b, W_y, b_y = (params[name] for name in ("W_x", "W_h", "b", "W_y", "b_y"))
    state, states = h0, []
    for t in range(x.shape[1]):
        state = np.tanh(einsum("bf,hf->bh", x[:, t], W_x) + einsum("bk,hk->bh", state, W_h) + b)
        states.append(state)
    h = np.stack(states, axis=1)
    logits = einsum("bth,vh->btv", h, W_y) + b_y
    top = logits.max(axis=-1)
    log_sum = top + np.log(np.exp(logits - top[..., None]).sum(axis=-1))
    right = einsum("btv,btv->bt", logits, np.eye(logits.shape[-1])[targets])
    loss = np.mean(log_sum - right)

    dlogits = loss_backward(logits, targets, np.ones(targets.shape, dtype=bool))
    dh = einsum("btv,vh->bth", dlogits, W_y)
    grads = {name: np.zeros(params[name].shape) for name in params}
    grads["W_y"] = einsum("btv,bth->vh", dlogits, h)
    grads["b_y"] = einsum("btv->v", dlogits)
    for start in range(0, x.shape[1], k):
        window = slice(start, start + k)
        first = h[:, start - 1] if start else h0
        _, _, dW_x, dW_h, db = rnn_backward(dh[:, window], (x[:, window], first, h[:, window], W_x, W_h))
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
    return loss, grads


def clip_grad_norm(grads, max_norm):
    norm = np.sqrt(sum(np.vdot(g, g) for g in grads.values()))
    scale = max_norm / norm if norm > max_norm else 1.0
    return {name: g * scale for name, g in grads.items()}, float(norm)


def gradient_norms(dh_last, cache):
    _, _, h, _, W_h = cache
    g, norms = dh_last, []
    for t in range(h.shape[1] - 1, -1, -1):
        norms.append(np.sqrt(einsum("bh,bh->", g, g)))
        g = einsum("bh,bh,hk->bk", g, 1 - h[:, t] ** 2, W_h)
    return np.array(norms[::-1])


def debugging_lab():
    return {"run_1": "c", "run_2": "a", "run_3": "b", "run_4": "d", "run_5": "b"}


def quiz():
    return {
        "two_readers": "c",
        "orthogonal_weights": "a",
        "what_clipping_cannot": "b",
        "what_is_cut": "d",
        "what_is_left": "b",
        "shared_weight": "d",
        "clipped_array": "a",
        "central_difference": "c",
    }
