"""A sequence is judged by the average of its real states."""
import numpy as np


def classify_sequence(x, h0, lengths, params):
    h, total = h0, 0
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ params["W_x"].T + h @ params["W_h"].T + params["b"])
        total = total + h * (t < lengths)[:, None]
    return softmax((total / lengths[:, None]) @ params["W_y"].T + params["b_y"])
