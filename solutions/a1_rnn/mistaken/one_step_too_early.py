"""Every row on its own: go on while there is a next step."""
import numpy as np


def classify_sequence(x, h0, lengths, params):
    answers = []
    for row, h, length in zip(x, h0, lengths):
        t = 0
        while t + 1 < length:
            h = np.tanh(params["W_x"] @ row[t] + params["W_h"] @ h + params["b"])
            t += 1
        answers.append(softmax(params["W_y"] @ h + params["b_y"]))
    return np.array(answers)
