"""Works in single precision throughout, and returns it."""

import numpy as np


def _single(tree):
    if isinstance(tree, dict):
        return {name: _single(value) for name, value in tree.items()}
    return np.asarray(tree, dtype=np.float32)


def _logistic(a):
    return np.float32(1) / (np.float32(1) + np.exp(-a))


def gated_update(h_prev, candidate, z):
    h_prev, candidate, z = _single(h_prev), _single(candidate), _single(z)
    return (np.float32(1) - z) * h_prev + z * candidate


def lstm_gates(x_t, h_prev, params):
    params, row = _single(params), np.concatenate([_single(h_prev), _single(x_t)], axis=1)
    sums = {gate: row @ params[f"W_{gate}"].T + params[f"b_{gate}"] for gate in "fioc"}
    return _logistic(sums["f"]), _logistic(sums["i"]), _logistic(sums["o"]), np.tanh(sums["c"])


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = f * _single(c_prev) + i * c_tilde
    return o * np.tanh(c_t), c_t


def lstm_forward(x, h0, c0, params):
    h, c, out = _single(h0), _single(c0), []
    for x_t in np.swapaxes(_single(x), 0, 1):
        h, c = lstm_step(x_t, h, c, params)
        out.append((h, c))
    return tuple(np.stack(part, axis=1) for part in zip(*out))


def lstm_step_backward(dh, dc, cache):
    dh, dc, cache = _single(dh), _single(dc), _single(cache)
    row = np.concatenate([cache["h_prev"], cache["x_t"]], axis=1)
    f, i, o, g, t = cache["f"], cache["i"], cache["o"], cache["c_tilde"], np.tanh(cache["c_t"])
    dc = dc + dh * o * (1 - t * t)
    da = {"f": dc * cache["c_prev"] * f * (1 - f), "i": dc * g * i * (1 - i)}
    da |= {"o": dh * t * o * (1 - o), "c": dc * i * (1 - g * g)}
    drow = sum(da[gate] @ cache["params"][f"W_{gate}"] for gate in da)
    grads = {f"W_{gate}": a.T @ row for gate, a in da.items()} | {f"b_{gate}": a.sum(axis=0) for gate, a in da.items()}
    hidden = f.shape[1]
    return drow[:, hidden:], drow[:, :hidden], dc * f, grads


def lstm_backward(dh, dc, cache):
    dh, dc, cache = _single(dh), _single(dc), _single(cache)
    grads = {name: np.zeros_like(value) for name, value in cache["params"].items()}
    dx = np.zeros_like(cache["x"])
    back_h, back_c = np.zeros_like(cache["h0"]), np.zeros_like(cache["c0"])
    for t in reversed(range(dh.shape[1])):
        step = {name: cache[name][:, t] for name in ("f", "i", "o", "c_tilde")}
        step |= {"x_t": cache["x"][:, t], "c_t": cache["c"][:, t], "params": cache["params"]}
        step["h_prev"], step["c_prev"] = (
            (cache["h"][:, t - 1], cache["c"][:, t - 1]) if t else (cache["h0"], cache["c0"])
        )
        dx[:, t], back_h, back_c, now = lstm_step_backward(dh[:, t] + back_h, dc[:, t] + back_c, step)
        grads = {name: total + now[name] for name, total in grads.items()}
    return dx, back_h, back_c, grads


def gru_step(x_t, h_prev, params):
    x_t, h_prev, params = _single(x_t), _single(h_prev), _single(params)
    row = np.concatenate([h_prev, x_t], axis=1)
    z, r = (_logistic(row @ params[f"W_{gate}"].T + params[f"b_{gate}"]) for gate in "zr")
    row = np.concatenate([r * h_prev, x_t], axis=1)
    return gated_update(h_prev, np.tanh(row @ params["W_h"].T + params["b_h"]), z)


def gru_step_keep(x_t, h_prev, params):
    return gru_step(x_t, h_prev, convert_gru(_single(params)))


def convert_gru(params):
    return {name: -_single(value) if name in ("W_z", "b_z") else _single(value) for name, value in params.items()}


def stacked_forward(x, layers):
    x = _single(x)
    for layer in map(_single, layers):
        h, states = layer["h0"], []
        for t in range(x.shape[1]):
            h = np.tanh(h @ layer["W_h"].T + x[:, t] @ layer["W_x"].T + layer["b"])
            states.append(h)
        x = np.stack(states, axis=1)
    return x
