# %% BPTT with einsum. Inside, everything is time first.
import numpy as np

VERBOSE = False


def one_hot(ids, size):
    return (np.asarray(ids)[..., None] == np.arange(size)).astype(float)


def log_probs(logits):
    top = logits.max(-1, keepdims=True)
    return logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True))


def loss_backward(logits, targets, mask):
    wrong = np.exp(log_probs(logits)) - one_hot(targets, logits.shape[-1])
    grad = np.einsum("btv,bt->btv", wrong, mask.astype(float)) / np.count_nonzero(mask)
    if VERBOSE:
        print("row sums", grad.sum(-1))
    return grad


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = np.einsum("bh,bh->bh", dh, 1 - np.square(h_t))
    return (
        np.einsum("bh,hf->bf", dz, W_x),
        np.einsum("bh,hk->bk", dz, W_h),
        np.einsum("bh,bf->hf", dz, x_t),
        np.einsum("bh,bk->hk", dz, h_prev),
        np.einsum("bh->h", dz),
    )


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    dh_t, x_t, h_t = (a.transpose(1, 0, 2) for a in (dh, x, h))
    before = np.concatenate([h0[None], h_t[:-1]])  # the state before each step
    slope = 1 - h_t**2
    dz = np.zeros(h_t.shape)
    carry = np.zeros(h0.shape)
    for t in range(len(dz))[::-1]:
        dz[t] = (dh_t[t] + carry) * slope[t]
        carry = np.einsum("bh,hk->bk", dz[t], W_h)
    # now all steps at once
    dx = np.einsum("tbh,hf->btf", dz, W_x)
    dW_x = np.einsum("tbh,tbf->hf", dz, x_t)
    dW_h = np.einsum("tbh,tbk->hk", dz, before)
    db = np.einsum("tbh->h", dz)
    return dx, carry, dW_x, dW_h, db


def embedding_backward(d_out, ids, vocab_size):
    return np.einsum("btv,btd->vd", one_hot(ids, vocab_size), d_out)


def grad_check(f, x, grad, eps):
    point = np.asarray(x, dtype=np.float64)
    numeric = np.empty(point.shape)
    for index in np.ndindex(*point.shape):
        e = np.zeros_like(point)
        e[index] = eps
        numeric[index] = (f(point + e) - f(point - e)) / (2 * eps)
    analytic = np.asarray(grad, dtype=np.float64)
    error = np.abs(analytic - numeric) / np.maximum(np.abs(analytic) + np.abs(numeric), 1e-8)
    return float(error.max())


def run(x, h0, params):
    states = []
    h = h0
    for x_t in x.transpose(1, 0, 2):
        h = np.tanh(
            np.einsum("hf,bf->bh", params["W_x"], x_t)
            + np.einsum("hk,bk->bh", params["W_h"], h)
            + params["b"]
        )
        states.append(h)
    return np.stack(states, 1)


def truncated_bptt(x, targets, h0, params, k):
    total_targets = targets.size
    losses, all_grads = [], []
    state = h0
    for xs, ys in windows(x, targets, k):
        h = run(xs, state, params)
        logits = np.einsum("bth,vh->btv", h, params["W_y"]) + params["b_y"]
        hot = one_hot(ys, logits.shape[-1])
        losses.append(-(hot * log_probs(logits)).sum())
        d = (np.exp(log_probs(logits)) - hot) / total_targets
        back = rnn_backward(np.einsum("btv,vh->bth", d, params["W_y"]), (xs, state, h, params["W_x"], params["W_h"]))
        all_grads.append(
            {
                "W_x": back[2],
                "W_h": back[3],
                "b": back[4],
                "W_y": np.einsum("btv,bth->vh", d, h),
                "b_y": np.einsum("btv->v", d),
            }
        )
        state = h[:, -1].copy()
    if VERBOSE:
        print(len(losses), "windows")
    grads = {name: sum(g[name] for g in all_grads) for name in params}
    return sum(losses) / total_targets, grads


def windows(x, targets, k):
    for start in range(0, x.shape[1], k):
        yield x[:, start : start + k], targets[:, start : start + k]


def clip_grad_norm(grads, max_norm):
    everything = np.concatenate([g.ravel() for g in grads.values()])
    norm = np.linalg.norm(everything)
    factor = min(1.0, max_norm / norm) if norm > 0 else 1.0
    return {k: factor * v for k, v in grads.items()}, norm


def gradient_norms(dh_last, cache):
    _, _, h, _, W_h = cache
    norms = []
    g = dh_last.copy()
    for t in range(h.shape[1] - 1, -1, -1):
        norms.append(np.sqrt(np.einsum("bh,bh->", g, g)))
        g = np.einsum("bh,bh,hk->bk", g, 1 - h[:, t] ** 2, W_h)
    return np.array(norms[::-1])


def debugging_lab():
    return dict(run_1="c", run_2="a", run_3="b", run_4="d", run_5="b")


def quiz():
    return dict(
        two_readers="c",
        orthogonal_weights="a",
        what_clipping_cannot="b",
        what_is_cut="d",
        what_is_left="b",
        shared_weight="c",
        clipped_array="c",
        central_difference="c",
    )


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 5, 3))
    p = {"W_x": rng.normal(size=(4, 3)), "W_h": rng.normal(size=(4, 4)), "b": rng.normal(size=4)}
    print(gradient_norms(rng.normal(size=(2, 4)), (x, np.zeros((2, 4)), run(x, np.zeros((2, 4)), p), p["W_x"], p["W_h"])))
