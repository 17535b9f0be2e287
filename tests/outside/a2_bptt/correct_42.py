"""My solution of a2_bptt."""

import numpy as np


def loss_backward(logits, targets, mask):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    e = np.exp(shifted)
    grad = e / e.sum(axis=-1, keepdims=True)
    B, T = targets.shape
    for i in range(B):
        for t in range(T):
            grad[i, t, targets[i, t]] -= 1.0
    count = mask.sum()
    grad = grad * mask[:, :, None]
    return grad / count


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh * (1 - h_t**2)
    dx = dz @ W_x
    dh_prev = dz @ W_h
    dW_x = dz.T @ x_t
    dW_h = dz.T @ h_prev
    db = dz.sum(axis=0)
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    B, T, H = h.shape
    dx = np.zeros(x.shape)
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(H)
    dh_next = np.zeros((B, H))
    for t in range(T - 1, -1, -1):
        h_prev = h[:, t - 1] if t > 0 else h0
        total = dh[:, t] + dh_next
        dz = total * (1 - h[:, t] ** 2)
        dx[:, t] = dz @ W_x
        dW_x += dz.T @ x[:, t]
        dW_h += dz.T @ h_prev
        db += dz.sum(axis=0)
        dh_next = dz @ W_h
    return dx, dh_next, dW_x, dW_h, db


def embedding_backward(d_out, ids, vocab_size):
    B, T, d = d_out.shape
    dE = np.zeros((vocab_size, d))
    for i in range(B):
        for t in range(T):
            dE[ids[i, t]] += d_out[i, t]
    return dE


def grad_check(f, x, grad, eps):
    point = np.array(x, dtype=np.float64)
    g = np.asarray(grad, dtype=np.float64)
    errors = []
    for idx in np.ndindex(point.shape):
        old = point[idx]
        point[idx] = old + eps
        plus = float(f(point.copy()))
        point[idx] = old - eps
        minus = float(f(point.copy()))
        point[idx] = old
        n = (plus - minus) / (2 * eps)
        errors.append(abs(g[idx] - n) / max(abs(g[idx]) + abs(n), 1e-8))
    return float(np.max(errors))


def truncated_bptt(x, targets, h0, params, k):
    W_x, W_h, b, W_y, b_y = (params[n] for n in ("W_x", "W_h", "b", "W_y", "b_y"))
    B, T, _ = x.shape
    N = B * T
    grads = {name: np.zeros(np.shape(p)) for name, p in params.items()}
    loss = 0.0
    state = h0
    rows = np.arange(B)
    for start in range(0, T, k):
        end = min(start + k, T)
        states = [state]
        dlogits = []
        for t in range(start, end):
            h_t = np.tanh(x[:, t] @ W_x.T + states[-1] @ W_h.T + b)
            states.append(h_t)
            s = h_t @ W_y.T + b_y
            s = s - s.max(axis=1, keepdims=True)
            logZ = np.log(np.exp(s).sum(axis=1))
            loss += (logZ - s[rows, targets[:, t]]).sum() / N
            d = np.exp(s - logZ[:, None])
            d[rows, targets[:, t]] -= 1
            dlogits.append(d / N)
        dh_next = np.zeros_like(states[0], dtype=float)
        for j in range(end - start - 1, -1, -1):
            h_t, h_before = states[j + 1], states[j]
            ds = dlogits[j]
            grads["W_y"] += ds.T @ h_t
            grads["b_y"] += ds.sum(axis=0)
            dz = (ds @ W_y + dh_next) * (1 - h_t * h_t)
            grads["W_x"] += dz.T @ x[:, start + j]
            grads["W_h"] += dz.T @ h_before
            grads["b"] += dz.sum(axis=0)
            dh_next = dz @ W_h
        state = states[-1]
    return float(loss), grads


def clip_grad_norm(grads, max_norm):
    total = 0.0
    for g in grads.values():
        total += np.sum(np.asarray(g) ** 2)
    norm = float(np.sqrt(total))
    clipped = {}
    for name, g in grads.items():
        if norm > max_norm:
            clipped[name] = g * (max_norm / norm)
        else:
            clipped[name] = g.copy()
    return clipped, norm


def gradient_norms(dh_last, cache):
    x, h0, h, W_x, W_h = cache
    T = h.shape[1]
    norms = np.zeros(T)
    g = dh_last
    norms[T - 1] = np.sqrt((g**2).sum())
    for t in range(T - 1, 0, -1):
        g = (g * (1 - h[:, t] ** 2)) @ W_h
        norms[t - 1] = np.sqrt((g**2).sum())
    return norms


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
