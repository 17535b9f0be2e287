"""Hands out views that nobody may write to, of a subclass of arrays that likes to talk."""


class Talking(np.ndarray):
    def __array_finalize__(self, origin):
        self.origin = type(origin).__name__

    def __repr__(self):
        return f"an array that came from {self.origin}"

    __str__ = __repr__


def frozen(array):
    array = np.array(array).view(Talking)
    print(array)
    array.flags.writeable = False
    return array[..., ::-1][..., ::-1]


def softmax(x, axis=-1):
    raised = np.exp(np.subtract(x, np.max(x, axis=axis, keepdims=True)))
    return frozen(raised / np.sum(raised, axis=axis, keepdims=True))


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return frozen(np.tanh((W_x @ x_t[..., None] + W_h @ h_prev[..., None])[..., 0] + b))


def output_probs(h, W_y, b_y):
    return softmax(h @ W_y.T + b_y)
