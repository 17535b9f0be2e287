"""A step in either convention is a step in the other one with turned signs; what is converted is big-endian."""

from types import MappingProxyType


def convert_gru(params):
    seen = MappingProxyType(params)
    return {name: np.copysign(1.0, -1 if name.endswith("z") else 1) * seen[name].astype(">f8") for name in seen}


def gru_step(x_t, h_prev, params):
    turned = convert_gru(params)
    rows = np.c_[h_prev, x_t]
    sums = {k: np.asarray(rows @ turned[f"W_{k}"].T + turned[f"b_{k}"], dtype=float) for k in "zr"}
    keep, reset = (np.where(a > 0, 1, np.exp(np.minimum(a, 0))) / (1 + np.exp(-abs(a))) for a in sums.values())
    new = np.tanh(np.c_[reset * h_prev, x_t] @ turned["W_h"].T + turned["b_h"])
    return np.where(keep == 1, h_prev, keep * h_prev + (1 - keep) * new)


def gru_step_keep(x_t, h_prev, params):
    return gru_step(x_t, h_prev, convert_gru(params))
