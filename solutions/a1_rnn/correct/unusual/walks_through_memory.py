"""Remembers every state that it ever computed, by the bytes of what was read, in a default argument."""


def rnn_step(x_t, h_prev, W_x, W_h, b, *, memory={}):
    key = tuple(part.tobytes() + str(part.shape).encode() for part in (x_t, h_prev, W_x, W_h, b))
    if key not in memory:
        memory[key] = np.tanh(np.append(x_t, h_prev, axis=-1) @ np.block([W_x, W_h]).T + b)
    return memory[key].copy()


def rnn_forward(x, h0, W_x, W_h, b):
    """Recursive: the states of the past, and one more."""
    *past, now = range(x.shape[1])
    if not past:
        return rnn_step(x[:, 0], h0, W_x, W_h, b)[:, None]
    before = rnn_forward(x[:, :now], h0, W_x, W_h, b)
    return np.append(before, rnn_step(x[:, now], before[:, -1], W_x, W_h, b)[:, None], axis=1)
