"""Truncated backpropagation without windows: one pass over the whole text, and a zero where a border lies."""


def truncated_bptt(x, targets, h0, params, k):
    W_x, W_h, b, W_y, b_y = (params[name] for name in ("W_x", "W_h", "b", "W_y", "b_y"))
    (B, T), H = targets.shape, len(b)
    h = np.zeros((B, T + 1, H))
    h[:, 0] = h0
    for t in range(T):
        h[:, t + 1] = np.tanh(x[:, t] @ W_x.T + h[:, t] @ W_h.T + b)
    before, states = h[:, :-1], h[:, 1:]
    z = states @ W_y.T + b_y
    log_p = z - np.logaddexp.reduce(z, -1, keepdims=True)
    aimed = np.arange(len(b_y)) == targets[:, :, None]
    dz = (np.exp(log_p) - aimed) / (B * T)
    crosses = (np.arange(1, T + 1) % k != 0).astype(float)  # nothing comes back over the end of a window
    da, back = np.zeros((B, T, H)), np.zeros((B, H))
    for t in range(T)[::-1]:
        da[:, t] = (dz[:, t] @ W_y + back * crosses[t]) * (1 - states[:, t] ** 2)
        back = da[:, t] @ W_h
    flat = lambda a: a.reshape(B * T, -1)
    grads = {"b_y": dz.sum((0, 1)), "W_y": flat(dz).T @ flat(states), "b": da.sum((0, 1))}
    grads.update(W_h=flat(da).T @ flat(before), W_x=flat(da).T @ flat(x))
    return -log_p[aimed].mean(), grads
