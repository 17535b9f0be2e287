"""The network is one object that remembers everything and walks back along its own memory."""


class Memory(list):
    def push(self, **facts):
        self.append(facts)
        return facts["h"], facts["c"]


def lstm_forward(x, h0, c0, params):
    memory, hc = Memory(), (h0, c0)
    for x_t in np.rollaxis(x, axis=1):
        hc = memory.push(**dict(zip("hc", lstm_step(x_t, *hc, params=params))))
    h, c = (np.concatenate([facts[k][:, None] for facts in memory], axis=1) for k in "hc")
    h.flags.writeable = c.flags.writeable = False
    return h, c


def lstm_backward(dh, dc, cache):
    p, T, H = cache["params"], dh.shape[1], dh.shape[2]
    W = np.vstack([p[f"W_{g}"] for g in "fioc"])
    rows = np.dstack([np.hstack([cache["h0"][:, None], cache["h"][:, :-1]]), cache["x"]])
    cells = np.hstack([cache["c0"][:, None], cache["c"]])
    f, i, o, g = (cache[k] for k in ("f", "i", "o", "c_tilde"))
    flow, leak, da = np.zeros_like(rows[:, 0]), np.zeros(dh[:, 0].shape), np.empty((T, len(dh), 4 * H))
    drows = np.zeros(rows.shape)
    while T:
        T -= 1
        tanh_c = np.tanh(cells[:, T + 1])
        total = dh[:, T] + flow[:, :H]
        leak = leak + dc[:, T] + total * o[:, T] * (1 - tanh_c**2)
        parts = leak * cells[:, T], leak * g[:, T], total * tanh_c, leak * i[:, T]
        slopes = *((s - s**2)[:, T] for s in (f, i, o)), 1 - g[:, T] ** 2
        da[T] = np.concatenate([part * s for part, s in zip(parts, slopes)], axis=1)
        flow = drows[:, T] = da[T] @ W
        leak = leak * f[:, T]
    dW = np.einsum("tbo,btr->or", da, rows).reshape(4, H, -1)
    grads = {f"W_{k}": w for k, w in zip("fioc", dW)} | {f"b_{k}": b for k, b in zip("fioc", da.sum((0, 1)).reshape(4, H))}
    return drows[..., H:], flow[:, :H], leak, grads
