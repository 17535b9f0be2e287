"""Goes back by recursion; the keys of the gradients come in the order of the alphabet, backwards."""

from collections import OrderedDict


def lstm_backward(dh, dc, cache):
    def at(t):
        step = {name: cache[name][:, t] for name in ("f", "i", "o", "c_tilde")}
        step["x_t"], step["c_t"], step["params"] = cache["x"][:, t], cache["c"][:, t], cache["params"]
        for name in ("h", "c"):
            step[f"{name}_prev"] = cache[name][:, t - 1] if t else cache[f"{name}0"]
        return step

    def down_from(t, dh_next, dc_next):
        if t < 0:
            return (), dh_next, dc_next, {name: 0.0 for name in cache["params"]}
        dx, dh_prev, dc_prev, mine = lstm_step_backward(dh[:, t] + dh_next, dc[:, t] + dc_next, at(t))
        columns, dh0, dc0, grads = down_from(t - 1, dh_prev, dc_prev)
        return (*columns, dx), dh0, dc0, {name: grads[name] + mine[name] for name in grads}

    nothing = np.zeros_like(cache["h0"], dtype=float)
    columns, dh0, dc0, grads = down_from(cache["x"].shape[1] - 1, nothing, nothing)
    return np.stack(columns, 1), dh0, dc0, OrderedDict(sorted(grads.items(), reverse=True))
