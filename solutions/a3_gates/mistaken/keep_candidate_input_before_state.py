class Sigmoid:
    """A sigma that knows its derivative."""

    @staticmethod
    def of(a):
        return 0.5 + 0.5 * np.tanh(0.5 * np.asarray(a))

    @staticmethod
    def slope(s):
        return s - s * s


def gru_step_keep(x_t, h_prev, params):
    def gate(name, row):
        return row @ params["W_" + name].T + params["b_" + name]

    both = np.concatenate((h_prev, x_t), axis=1)
    keep = Sigmoid.of(gate("z", both))
    reset = Sigmoid.of(gate("r", both))
    h_new = np.tanh(gate("h", np.concatenate((x_t, reset * h_prev), axis=1)))
    return keep * h_prev + (1.0 - keep) * h_new
