"""Time first inside, as in torch and in older libraries; caches are repacked into tuples, one for each step."""

import numpy as np


def _columns(params, hidden):
    return {name: (W[:, :hidden], W[:, hidden:]) for name, W in params.items() if name.startswith("W")}


def lstm_forward(x, h0, c0, params):
    xs = np.transpose(x, (1, 0, 2))
    h, c = [h0], [c0]
    for x_t in xs:
        h_t, c_t = lstm_step(x_t, h[-1], c[-1], params)
        h.append(h_t)
        c.append(c_t)
    return np.array(h[1:]).transpose(1, 0, 2), np.array(c[1:]).transpose(1, 0, 2)


def lstm_backward(dh, dc, cache):
    x, h, c, f, i, o, g = (np.moveaxis(cache[name], 1, 0) for name in ("x", "h", "c", "f", "i", "o", "c_tilde"))
    h, c = np.concatenate([cache["h0"][None], h]), np.concatenate([cache["c0"][None], c])
    dh, dc = np.moveaxis(dh, 1, 0), np.moveaxis(dc, 1, 0)
    steps = [
        dict(
            x_t=x[t],
            h_prev=h[t],
            c_prev=c[t],
            c_t=c[t + 1],
            f=f[t],
            i=i[t],
            o=o[t],
            c_tilde=g[t],
            params=cache["params"],
        )
        for t in range(len(x))
    ]
    dh_next, dc_next = np.zeros_like(h[0]), np.zeros_like(c[0])
    results = []
    while steps:
        t = len(steps) - 1
        dx_t, dh_next, dc_next, grads = lstm_step_backward(dh[t] + dh_next, dc[t] + dc_next, steps.pop())
        results.insert(0, (dx_t, grads))
    totals = {name: sum(grads[name] for _, grads in results) for name in cache["params"]}
    return np.stack([dx_t for dx_t, _ in results], axis=1), dh_next, dc_next, totals


def gru_step_backward(dh, cache):
    x, h, z, r, g, params = (cache[name] for name in ("x_t", "h_prev", "z", "r", "h_tilde", "params"))
    W = _columns(params, h.shape[1])
    (W_zh, W_zx), (W_rh, W_rx), (W_hh, W_hx) = W["W_z"], W["W_r"], W["W_h"]
    d_tilde = (dh * z) * (1 - g * g)
    d_reset = d_tilde @ W_hh
    d_r = d_reset * h * r * (1 - r)
    d_z = dh * (g - h) * z * (1 - z)
    dh_prev = dh * (1 - z)
    dh_prev += d_reset * r
    dh_prev += d_r @ W_rh
    dh_prev += d_z @ W_zh
    dx = d_tilde @ W_hx + d_r @ W_rx + d_z @ W_zx
    grads = {"b_z": d_z.sum(axis=0), "b_r": d_r.sum(axis=0), "b_h": d_tilde.sum(axis=0)}
    grads["W_z"] = np.hstack((d_z.T @ h, d_z.T @ x))
    grads["W_r"] = np.hstack((d_r.T @ h, d_r.T @ x))
    grads["W_h"] = np.hstack((d_tilde.T @ (r * h), d_tilde.T @ x))
    return dx, dh_prev, grads


def stacked_forward(x, layers):
    """Goes step by step through all layers, instead of layer by layer through all steps."""
    states = [layer["h0"] for layer in layers]
    top = []
    for x_t in x.swapaxes(0, 1):
        signal = x_t
        for n, layer in enumerate(layers):
            signal = np.tanh(states[n] @ layer["W_h"].T + signal @ layer["W_x"].T + layer["b"])
            states[n] = signal
        top.append(signal)
    return np.stack(top).swapaxes(0, 1)


def bidirectional_forward(x, lengths, forward, backward):
    """Lets the state stand still while the padding goes by."""
    xs = x.swapaxes(0, 1)
    real = np.arange(len(xs))[:, None] < lengths

    def run(layer, order):
        h, out = layer["h0"], np.zeros((len(xs), len(x), len(layer["b"])))
        for t in order:
            new = np.tanh(h @ layer["W_h"].T + xs[t] @ layer["W_x"].T + layer["b"])
            h = np.where(real[t][:, None], new, h)
            out[t] = np.where(real[t][:, None], h, 0.0)
        return out

    both = (run(forward, range(len(xs))), run(backward, range(len(xs) - 1, -1, -1)))
    return np.concatenate(both, axis=2).swapaxes(0, 1)
