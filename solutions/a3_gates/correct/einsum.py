"""Every sum is an einsum, with the axes named; state and input each meet their own columns of the weights."""

import numpy as np


def _sum(gate, h, x, params):
    W, H = params[f"W_{gate}"], h.shape[-1]
    return np.einsum("bh,oh->bo", h, W[:, :H]) + np.einsum("bf,of->bo", x, W[:, H:]) + params[f"b_{gate}"]


def _gate(a):
    return np.where(a >= 0, 1 / (1 + np.exp(-np.abs(a))), np.exp(-np.abs(a)) / (1 + np.exp(-np.abs(a))))


def lstm_gates(x_t, h_prev, params):
    f, i, o = (_gate(_sum(gate, h_prev, x_t, params)) for gate in "fio")
    return f, i, o, np.tanh(_sum("c", h_prev, x_t, params))


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = np.einsum("sbh,sbh->bh", np.stack([f, i]), np.stack([c_prev, c_tilde]))
    return o * np.tanh(c_t), c_t


def _backward(d_sums, h, x, params):
    H = h.shape[-1]
    dh = sum(np.einsum("bo,oh->bh", da, params[f"W_{gate}"][:, :H]) for gate, da in d_sums.items())
    dx = sum(np.einsum("bo,of->bf", da, params[f"W_{gate}"][:, H:]) for gate, da in d_sums.items())
    grads = {}
    for gate, da in d_sums.items():
        left, right = np.einsum("bo,bh->oh", da, h), np.einsum("bo,bf->of", da, x)
        grads[f"W_{gate}"] = np.concatenate([left, right], axis=1)
        grads[f"b_{gate}"] = np.einsum("bo->o", da)
    return dx, dh, grads


def lstm_step_backward(dh, dc, cache):
    f, i, o, g = (cache[name] for name in ("f", "i", "o", "c_tilde"))
    t = np.tanh(cache["c_t"])
    dc = dc + np.einsum("bh,bh,bh->bh", dh, o, 1 - t**2)
    d_sums = {
        "f": np.einsum("bh,bh,bh,bh->bh", dc, cache["c_prev"], f, 1 - f),
        "i": np.einsum("bh,bh,bh,bh->bh", dc, g, i, 1 - i),
        "o": np.einsum("bh,bh,bh,bh->bh", dh, t, o, 1 - o),
        "c": np.einsum("bh,bh,bh->bh", dc, i, 1 - g**2),
    }
    dx, dh_prev, grads = _backward(d_sums, cache["h_prev"], cache["x_t"], cache["params"])
    return dx, dh_prev, dc * f, grads


def lstm_backward(dh, dc, cache):
    """Keeps the gradients of the sums, and makes those of the params of all steps at once."""
    params = cache["params"]
    H, T = dh.shape[2], dh.shape[1]
    h_prev = np.concatenate([cache["h0"][:, None], cache["h"][:, :-1]], axis=1)
    c_prev = np.concatenate([cache["c0"][:, None], cache["c"][:, :-1]], axis=1)
    d_sums = {gate: np.zeros(dh.shape) for gate in "fioc"}
    dh_next, dc_next = 0.0, 0.0
    for t in range(T - 1, -1, -1):
        f, i, o, g = (cache[name][:, t] for name in ("f", "i", "o", "c_tilde"))
        tanh_c = np.tanh(cache["c"][:, t])
        dh_t = dh[:, t] + dh_next
        dc_t = dc[:, t] + dc_next + dh_t * o * (1 - tanh_c**2)
        d_sums["f"][:, t] = dc_t * c_prev[:, t] * f * (1 - f)
        d_sums["i"][:, t] = dc_t * g * i * (1 - i)
        d_sums["o"][:, t] = dh_t * tanh_c * o * (1 - o)
        d_sums["c"][:, t] = dc_t * i * (1 - g**2)
        dh_next = sum(d_sums[gate][:, t] @ params[f"W_{gate}"][:, :H] for gate in "fioc")
        dc_next = dc_t * f
    rows = np.concatenate([h_prev, cache["x"]], axis=2)
    grads = {f"W_{gate}": np.einsum("bto,btr->or", da, rows) for gate, da in d_sums.items()}
    grads |= {f"b_{gate}": np.einsum("bto->o", da) for gate, da in d_sums.items()}
    dx = sum(np.einsum("bto,of->btf", da, params[f"W_{gate}"][:, H:]) for gate, da in d_sums.items())
    return dx, dh_next, dc_next, grads


def gru_step(x_t, h_prev, params):
    z, r = (_gate(_sum(gate, h_prev, x_t, params)) for gate in "zr")
    return (1 - z) * h_prev + z * np.tanh(_sum("h", r * h_prev, x_t, params))


def gru_step_keep(x_t, h_prev, params):
    z, r = (_gate(_sum(gate, h_prev, x_t, params)) for gate in "zr")
    return z * h_prev + (1 - z) * np.tanh(_sum("h", r * h_prev, x_t, params))


def gru_step_backward(dh, cache):
    x, h, z, r, g = (cache[name] for name in ("x_t", "h_prev", "z", "r", "h_tilde"))
    da_h = dh * z * (1 - g**2)
    dx_h, dreset, grads_h = _backward({"h": da_h}, r * h, x, cache["params"])
    d_sums = {"z": dh * (g - h) * z * (1 - z), "r": dreset * h * r * (1 - r)}
    dx, dh_prev, grads = _backward(d_sums, h, x, cache["params"])
    return dx + dx_h, dh_prev + dreset * r + dh * (1 - z), {**grads, **grads_h}


def stacked_forward(x, layers):
    for layer in layers:
        h, states = layer["h0"], []
        for t in range(x.shape[1]):
            h = np.einsum("bh,oh->bo", h, layer["W_h"]) + np.einsum("bf,of->bo", x[:, t], layer["W_x"]) + layer["b"]
            h = np.tanh(h)
            states.append(h)
        x = np.einsum("tbh->bth", np.array(states))
    return x
