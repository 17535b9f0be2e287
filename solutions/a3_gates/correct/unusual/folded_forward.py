"""Folds over the steps with accumulate; the step itself is a partial function with its parameters inside."""

from functools import partial, reduce
from itertools import accumulate
from operator import itemgetter


def lstm_step(x_t, h_prev, c_prev, params, *, sigma=lambda a: np.reciprocal(1 + np.exp(-np.clip(a, -700, 700)))):
    row = np.r_["1", h_prev, x_t]
    f, i, o = (sigma(np.dot(row, params[f"W_{k}"].T) + params[f"b_{k}"]) for k in "fio")
    c = f * c_prev + i * np.tanh(np.dot(row, params["W_c"].T) + params["b_c"])
    return [o * np.tanh(c), c]


def lstm_forward(x, h0, c0, params):
    step = partial(lambda params, hc, x_t: lstm_step(x_t, *hc, params), params)
    pairs = list(accumulate(np.swapaxes(x, 0, 1), step, initial=(h0, c0)))[1:]
    return tuple(np.stack([*map(itemgetter(k), pairs)], axis=1) for k in (0, 1))


def stacked_forward(x, layers):
    return reduce(lambda below, layer: np.stack(list(states(below, layer)), 1), layers, x)


def states(x, layer):
    h = layer["h0"]
    for t in range(x.shape[1]):
        yield (h := np.tanh(np.hstack([h, x[:, t]]) @ np.hstack([layer["W_h"], layer["W_x"]]).T + layer["b"]))
