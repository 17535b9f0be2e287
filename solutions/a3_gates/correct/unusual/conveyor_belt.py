"""Layers are generators, one behind the other: a step goes up through all of them before the next one is read."""


def layer_of(below, W_h, W_x, b, h0):
    state = h0
    for x_t in below:
        state = np.tanh(np.einsum("ij,bj->bi", W_h, state) + np.einsum("if,bf->bi", W_x, x_t) + b)
        yield state


def stacked_forward(x, layers):
    belt = (x[:, t, :] for t in range(x.shape[1]))
    for layer in layers:
        belt = layer_of(belt, **layer)
    return np.ascontiguousarray(np.array([*belt]).transpose(1, 0, 2))


def bidirectional_forward(x, lengths, forward, backward):
    out = np.zeros(x.shape[:2] + (len(forward["b"]) + len(backward["b"]),))
    for n, (row, length) in enumerate(zip(x, lengths)):
        mine = [{**layer, "h0": layer["h0"][n : n + 1]} for layer in (forward, backward)]
        text = row[:length, None]
        there, back = layer_of(iter(text), **mine[0]), layer_of(reversed(text), **mine[1])
        out[n, :length] = np.hstack([np.vstack(list(there)), np.vstack(list(back))[::-1]])
    return out
