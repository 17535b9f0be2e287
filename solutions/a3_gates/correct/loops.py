"""Plain Python: one sequence, one unit, one number at a time; lists where others return tuples."""

import math

import numpy as np


def _dot(row, vector):
    return sum(float(a) * float(b) for a, b in zip(row, vector))


def _s(a):
    return 1 / (1 + math.exp(-a)) if a > -700 else 0.0


def gated_update(h_prev, candidate, z):
    if np.ndim(z) > 0:
        return np.array([gated_update(*rows) for rows in zip(h_prev, candidate, z)])
    return (1 - z) * h_prev + z * candidate


def lstm_gates(x_t, h_prev, params):
    batch, hidden = h_prev.shape
    out = {gate: np.zeros((batch, hidden)) for gate in "fioc"}
    for n in range(batch):
        row = list(h_prev[n]) + list(x_t[n])
        for gate in "fioc":
            for k in range(hidden):
                a = _dot(params["W_" + gate][k], row) + params["b_" + gate][k]
                out[gate][n, k] = math.tanh(a) if gate == "c" else _s(a)
    return [out[gate] for gate in "fioc"]


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, g = lstm_gates(x_t, h_prev, params)
    h, c = np.zeros(h_prev.shape), np.zeros(h_prev.shape)
    for n, k in np.ndindex(*h.shape):
        c[n, k] = f[n, k] * c_prev[n, k] + i[n, k] * g[n, k]
        h[n, k] = o[n, k] * math.tanh(c[n, k])
    return [h, c]


def lstm_forward(x, h0, c0, params):
    hs, cs = [], []
    for n in range(len(x)):
        h, c = h0[n : n + 1], c0[n : n + 1]
        hs.append([])
        cs.append([])
        for x_t in x[n]:
            h, c = lstm_step(x_t[None], h, c, params)
            hs[-1].append(h[0])
            cs[-1].append(c[0])
    return np.array(hs), np.array(cs)


def lstm_step_backward(dh, dc, cache):
    p = cache["params"]
    grads = {name: np.zeros(value.shape) for name, value in p.items()}
    dx, dh_prev, dc_prev = np.zeros(cache["x_t"].shape), np.zeros(dh.shape), np.zeros(dh.shape)
    hidden = dh.shape[1]
    for n in range(len(dh)):
        row = np.append(cache["h_prev"][n], cache["x_t"][n])
        drow = np.zeros(len(row))
        for k in range(hidden):
            f, i, o, g = (cache[name][n, k] for name in ("f", "i", "o", "c_tilde"))
            t = math.tanh(cache["c_t"][n, k])
            d = dc[n, k] + dh[n, k] * o * (1 - t * t)
            dc_prev[n, k] = d * f
            da = {
                "f": d * cache["c_prev"][n, k] * f * (1 - f),
                "i": d * g * i * (1 - i),
                "o": dh[n, k] * t * o * (1 - o),
                "c": d * i * (1 - g * g),
            }
            for gate in "fioc":
                grads["W_" + gate][k] += da[gate] * row
                grads["b_" + gate][k] += da[gate]
                drow += da[gate] * p["W_" + gate][k]
        dh_prev[n], dx[n] = drow[:hidden], drow[hidden:]
    return [dx, dh_prev, dc_prev, grads]


def gru_step(x_t, h_prev, params):
    out = np.zeros(h_prev.shape)
    for n in range(len(out)):
        row = list(h_prev[n]) + list(x_t[n])
        z = [_s(_dot(w, row) + b) for w, b in zip(params["W_z"], params["b_z"])]
        r = [_s(_dot(w, row) + b) for w, b in zip(params["W_r"], params["b_r"])]
        row = [a * b for a, b in zip(r, h_prev[n])] + list(x_t[n])
        g = [math.tanh(_dot(w, row) + b) for w, b in zip(params["W_h"], params["b_h"])]
        out[n] = [(1 - z[k]) * h_prev[n][k] + z[k] * g[k] for k in range(len(z))]
    return out


def gru_step_keep(x_t, h_prev, params):
    return gru_step(x_t, h_prev, convert_gru(params))


def convert_gru(params):
    out = {}
    for name in params:
        out[name] = params[name].copy()
        if name.endswith("_z"):
            out[name] *= -1.0
    return out


def stacked_forward(x, layers):
    if not layers:
        return x
    return stacked_forward(_read(x, layers[0]), layers[1:])


def _read(x, layer):
    out = np.zeros((*x.shape[:2], len(layer["b"])))
    for n in range(len(x)):
        h = layer["h0"][n]
        for t in range(x.shape[1]):
            h = np.tanh(layer["W_h"] @ h + layer["W_x"] @ x[n, t] + layer["b"])
            out[n, t] = h
    return out


def bidirectional_forward(x, lengths, forward, backward):
    out = np.zeros((*x.shape[:2], len(forward["b"]) + len(backward["b"])))
    for n, length in enumerate(lengths):
        text = x[n : n + 1, :length]
        right = _read(text, {**forward, "h0": forward["h0"][n : n + 1]})
        left = _read(text[:, ::-1], {**backward, "h0": backward["h0"][n : n + 1]})[:, ::-1]
        out[n, :length] = np.concatenate([right, left], axis=2)[0]
    return out
