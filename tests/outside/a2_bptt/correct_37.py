import numpy as np


def _probs(z):
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def loss_backward(logits, targets, mask):
    vocab = logits.shape[-1]
    g = _probs(logits) - np.eye(vocab)[targets]
    return np.where(mask[:, :, np.newaxis], g, 0.0) / np.count_nonzero(mask)


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    hidden = W_h.shape[0]
    # joint matrix [W_h | W_x | b] that reads [h_prev, x_t, 1]
    row = np.concatenate([h_prev, x_t, np.ones((len(x_t), 1))], axis=1)
    W = np.concatenate([W_h, W_x], axis=1)
    dz = (1 + h_t) * (1 - h_t) * dh
    drow = dz @ W
    dW = dz.T @ row
    return drow[:, hidden:], drow[:, :hidden], dW[:, hidden:-1], dW[:, :hidden], dW[:, -1]


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    # time first; dz of every step first, then all weights at once
    steps = len(np.swapaxes(h, 0, 1))
    prev = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    slope = 1 - h * h
    dz = np.zeros(h.shape)
    carry = np.zeros(h0.shape)
    for t in reversed(range(steps)):
        dz[:, t] = (dh[:, t] + carry) * slope[:, t]
        carry = dz[:, t] @ W_h
    dx = np.einsum("bth,hf->btf", dz, W_x)
    dW_x = np.einsum("bth,btf->hf", dz, x)
    dW_h = np.einsum("bth,btg->hg", dz, prev)
    db = np.einsum("bth->h", dz)
    return dx, carry, dW_x, dW_h, db


def embedding_backward(d_out, ids, vocab_size):
    dE = np.zeros((vocab_size, d_out.shape[-1]))
    np.add.at(dE, ids, d_out)
    return dE


def grad_check(f, x, grad, eps):
    x64 = np.asarray(x, dtype=np.float64)
    numeric = np.zeros(x64.size)
    for i in range(x64.size):
        bump = np.zeros(x64.size)
        bump[i] = eps
        bump = bump.reshape(x64.shape)
        numeric[i] = (f(x64 + bump) - f(x64 - bump)) / (2 * eps)
    g = np.asarray(grad, dtype=np.float64).reshape(-1)
    err = np.abs(g - numeric) / np.clip(np.abs(g) + np.abs(numeric), 1e-8, None)
    return err.max()


class Window:
    def __init__(self, x, targets, params):
        self.x, self.targets, self.p = x, targets, params

    def run(self, state):
        self.start = state
        self.h = np.zeros((self.x.shape[0], self.x.shape[1], state.shape[1]))
        for t in range(self.x.shape[1]):
            state = np.tanh(self.x[:, t] @ self.p["W_x"].T + state @ self.p["W_h"].T + self.p["b"])
            self.h[:, t] = state
        self.logits = self.h @ self.p["W_y"].T + self.p["b_y"]
        return state

    def nll(self):
        z = self.logits - self.logits.max(axis=-1, keepdims=True)
        logsum = np.log(np.exp(z).sum(axis=-1))
        right = np.take_along_axis(z, self.targets[..., None], axis=-1)[..., 0]
        return (logsum - right).sum()

    def backward(self, total):
        d = (_probs(self.logits) - np.eye(self.logits.shape[-1])[self.targets]) / total
        g = {"W_y": np.einsum("btv,bth->vh", d, self.h), "b_y": d.sum(axis=(0, 1))}
        cache = (self.x, self.start, self.h, self.p["W_x"], self.p["W_h"])
        _, _, g["W_x"], g["W_h"], g["b"] = rnn_backward(d @ self.p["W_y"], cache)
        return g


def truncated_bptt(x, targets, h0, params, k):
    time = x.shape[1]
    state, windows = h0, []
    for start in range(0, time, k):
        w = Window(x[:, start : start + k], targets[:, start : start + k], params)
        state = w.run(state)
        windows.append(w)
    total = targets.size
    loss = sum(w.nll() for w in windows) / total
    parts = [w.backward(total) for w in windows]
    grads = {name: sum(p[name] for p in parts) for name in params}
    return loss, grads


def clip_grad_norm(grads, max_norm):
    everything = np.concatenate([np.ravel(g) for g in grads.values()])
    norm = np.linalg.norm(everything)
    if norm <= max_norm:
        return dict(grads), norm
    return {k: g * (max_norm / norm) for k, g in grads.items()}, norm


def gradient_norms(dh_last, cache):
    _, _, h, _, W_h = cache
    time = h.shape[1]
    out = np.zeros(time)
    out[-1] = np.sqrt((dh_last**2).sum())
    g = dh_last
    for t in range(time - 2, -1, -1):
        # jacobian of step t + 1 for every row: diag(1 - h^2) W_h
        J = (1 - h[:, t + 1, :, None] ** 2) * W_h
        g = np.einsum("bi,bij->bj", g, J)
        out[t] = np.sqrt((g**2).sum())
    return out


def debugging_lab():
    return dict(run_1="c", run_2="a", run_3="b", run_4="d", run_5="b")


def quiz():
    letters = "cabdbdac"
    names = (
        "two_readers orthogonal_weights what_clipping_cannot what_is_cut "
        "what_is_left shared_weight clipped_array central_difference"
    ).split()
    return dict(zip(names, letters))
