"""Uses the longest floats of the machine throughout, and gives them back."""

LONG = np.longdouble


def softmax(x, axis=-1):
    x = np.asarray(x, LONG)
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return np.tanh(x_t.astype(LONG) @ W_x.T + h_prev.astype(LONG) @ W_h.T + b)


def rnn_forward(x, h0, W_x, W_h, b):
    states = [h0]
    for t in range(x.shape[1]):
        states.append(rnn_step(x[:, t], states[-1], W_x, W_h, b))
    return np.stack(states[1:], axis=1)


def output_probs(h, W_y, b_y):
    return softmax(np.einsum("...h,vh->...v", h.astype(LONG), W_y) + b_y)


def perplexity(nll, n):
    return np.exp(np.sum(nll, dtype=LONG) / np.sum(n))


def bits_per_char(nll, n):
    return np.sum(nll, dtype=LONG) / (np.sum(n) * np.log(LONG(2)))
