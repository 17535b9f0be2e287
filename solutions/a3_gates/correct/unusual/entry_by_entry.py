"""Python functions of single numbers, made into functions of arrays by frompyfunc and vectorize."""

import math

gated_update = np.vectorize(lambda h, new, z: (1.0 - z) * h + z * new, otypes=[float], doc="one decision for each entry")


def logistic(a):
    try:
        return 1 / (1 + math.exp(-a))
    except OverflowError:
        return 0.0


sigma = np.frompyfunc(logistic, 1, 1)
tanh = np.frompyfunc(math.tanh, 1, 1)


def lstm_gates(x_t, h_prev, params):
    sums = {}
    for gate in ("f", "i", "o", "c"):
        W, b = params["W_" + gate].tolist(), params["b_" + gate].tolist()
        rows = [[*h, *x] for h, x in zip(h_prev.tolist(), x_t.tolist())]
        sums[gate] = np.array([[math.fsum(w * r for w, r in zip(ws, row)) + c for ws, c in zip(W, b)] for row in rows])
    return tuple(sigma(sums[gate]).astype(float) for gate in "fio") + (tanh(sums["c"]).astype(np.float32),)
