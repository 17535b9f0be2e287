"""Finds each gate's slope by way of its odds, and sums outer products row by row."""


def slope(gate):
    """Return s (1 - s), as 1 / (1/s + 1/(1 - s)), and zero where a gate is shut or open for good."""
    with np.errstate(divide="ignore"):
        return 1 / (1 / gate + 1 / (1 - gate))


def gru_step_backward(dh, cache):
    p, h, x = cache["params"], cache["h_prev"], cache["x_t"]
    z, r, new = cache["z"], cache["r"], cache["h_tilde"]
    H, grads = h.shape[1], dict.fromkeys(p, 0.0)
    dx, dh_prev = np.zeros(x.shape), dh - dh * z

    def through(gate, da, row):
        for one, other in zip(da, row):
            grads["W_" + gate] = grads["W_" + gate] + np.outer(one, other)
            grads["b_" + gate] = grads["b_" + gate] + one
        back = np.einsum("bo,or->br", da, p["W_" + gate])
        return back[:, :H], back[:, H:]

    reset, some = through("h", dh * z * (1 - new) * (1 + new), np.concatenate([r * h, x], 1))
    dx += some
    dh_prev += reset * r
    for gate, d in {"r": reset * h * slope(r), "z": dh * (new - h) * slope(z)}.items():
        back, some = through(gate, d, np.concatenate([h, x], 1))
        dx, dh_prev = dx + some, dh_prev + back
    return dx, dh_prev, grads


def lstm_step_backward(dh, dc, cache):
    p, tanh_c = cache["params"], np.tanh(cache["c_t"])
    row = np.concatenate([cache["h_prev"], cache["x_t"]], 1)
    dc_all = np.add(dc, dh * cache["o"] / np.cosh(np.minimum(abs(cache["c_t"]), 300)) ** 2)
    pulls = {"f": cache["c_prev"] * dc_all, "i": cache["c_tilde"] * dc_all, "o": tanh_c * dh}
    sums = {gate: pull * slope(cache[gate]) for gate, pull in pulls.items()}
    sums["c"] = cache["i"] * dc_all * (1 - cache["c_tilde"]) * (1 + cache["c_tilde"])
    drow = np.add.reduce([da @ p[f"W_{gate}"] for gate, da in sums.items()])
    grads = {f"W_{gate}": np.tensordot(da, row, (0, 0)) for gate, da in sums.items()}
    grads.update({f"b_{gate}": np.ones(len(da)).dot(da) for gate, da in sums.items()})
    dh_prev, dx = np.split(drow, [cache["h_prev"].shape[1]], axis=1)
    return dx, dh_prev, cache["f"] * dc_all, grads
