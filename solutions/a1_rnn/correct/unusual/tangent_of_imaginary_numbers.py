"""The hyperbolic tangent is the tangent of an imaginary number, and rows are turned into columns first."""

import cmath


def tanh(z):
    return np.array([cmath.tan(complex(0, entry)).imag for entry in z.flat]).reshape(z.shape)


def rnn_step(x_t, h_prev, W_x, W_h, b):
    columns = W_x @ np.atleast_2d(x_t).T + W_h @ np.atleast_2d(h_prev).T + b[:, np.newaxis]
    return tanh(columns).T.reshape(h_prev.shape)


def rnn_forward(x, h0, W_x, W_h, b):
    out = np.empty((len(x), x.shape[1] + 1, len(W_h)), order="F")
    out[:, 0] = h0
    for t, x_t in enumerate(x.swapaxes(0, 1)):
        out[:, t + 1] = rnn_step(x_t, out[:, t], W_x, W_h, b)
    return out[:, 1:]
