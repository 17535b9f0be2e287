"""No gradient is handed from step to step: for every pair of steps, the way from the later to the earlier is a matrix."""


def way(slopes, W_h, start, end):
    """Return, for each row, the matrix that leads a gradient at state `start` back to what enters the tanh of step `end`."""
    matrix = np.eye(len(W_h))[None] * slopes[:, start, None, :]
    for t in range(start - 1, end - 1, -1):
        matrix = matrix @ W_h * slopes[:, t, None, :]
    return matrix


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    slopes, steps = 1 - h * h, range(h.shape[1])
    dz = np.stack([sum((dh[:, s, None] @ way(slopes, W_h, s, t))[:, 0] for s in steps if s >= t) for t in steps], 1)
    before = np.concatenate((h0[:, None], h[:, :-1]), axis=1)
    dW_h = np.tensordot(dz, before, axes=((0, 1), (0, 1)))
    dW_x = np.tensordot(dz, x, axes=((0, 1), (0, 1)))
    return dz @ W_x, dz[:, 0] @ W_h, dW_x, dW_h, np.apply_over_axes(np.sum, dz, [0, 1])[0, 0]
