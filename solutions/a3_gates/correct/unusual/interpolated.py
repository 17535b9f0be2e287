"""The update goes a part z of the way, by way of weighted averages and linear interpolation."""


def gated_update(h_prev, candidate, z):
    return np.average([h_prev, candidate], axis=0, weights=np.stack([np.ones_like(z) - z, z]))


def gru_step(x_t, h_prev, params):
    z, r = gru_gates(x_t, h_prev, params)
    way = candidate_of(x_t, r * h_prev, params) - h_prev
    return h_prev + z * way


def gru_gates(x_t, h_prev, params):
    row = np.hstack((h_prev, x_t))
    return [np.exp(-np.logaddexp(0, -(row @ params["W_" + k].T + params["b_" + k]))) for k in "zr"]


def candidate_of(x_t, h, params):
    return np.tanh(np.hstack((h, x_t)) @ params["W_h"].T + params["b_h"])


def gru_step_keep(x_t, h_prev, params):
    z, r = gru_gates(x_t, h_prev, params)
    new = candidate_of(x_t, r * h_prev, params)
    return new + z * (h_prev - new)
