"""Every gradient is a difference: all numbers are moved by an imaginary amount, each in a copy of its own."""

TINY = 1e-40


def sigma(a):
    decay = np.exp(np.where(a.real < 0, a, -a))
    return np.where(a.real < 0, decay / (1 + decay), 1 / (1 + decay))


def join(h, x):
    copies = np.broadcast_shapes(h.shape[:-1], x.shape[:-1])
    return np.concatenate([np.broadcast_to(part, (*copies, part.shape[-1])) for part in (h, x)], axis=-1)


def linear(row, p, gate):
    return row @ p[f"W_{gate}"].swapaxes(-1, -2) + p[f"b_{gate}"]


def lstm(x, h, c, p):
    f, i, o, g = (linear(join(h, x), p, gate) for gate in "fioc")
    c = sigma(f) * c + sigma(i) * np.tanh(g)
    return sigma(o) * np.tanh(c), c


def gru(x, h, p):
    z, r = (sigma(linear(join(h, x), p, gate)) for gate in "zr")
    return (h + z * (np.tanh(linear(join(r * h, x), p, "h")) - h),)


def backward(forward, arguments, params, *flows):
    def derivative(name, array):
        eye = np.eye(array.size).reshape(array.size, *((1,) * (array.ndim == 1)), *array.shape)
        moved = {**arguments, **params, name: array + 1j * TINY * eye}
        said = forward(*(moved[key] for key in arguments), {key: moved[key] for key in params})
        return sum((d * out).sum((-1, -2)) for d, out in zip(flows, said)).imag.reshape(array.shape) / TINY

    grads = {name: derivative(name, array) for name, array in params.items()}
    return *(derivative(name, array) for name, array in arguments.items()), grads


def lstm_step_backward(dh, dc, cache):
    return backward(lstm, {name: cache[name] for name in ("x_t", "h_prev", "c_prev")}, cache["params"], dh, dc)


def gru_step_backward(dh, cache):
    return backward(gru, {name: cache[name] for name in ("x_t", "h_prev")}, cache["params"], dh)
