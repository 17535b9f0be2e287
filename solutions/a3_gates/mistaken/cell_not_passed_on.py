"""The state goes from step to step; the cell is inside the step."""
import numpy as np


def lstm_forward(x, h0, c0, params):
    h, states, cells = h0, [], []
    for x_t in np.swapaxes(x, 0, 1):
        f, i, o, g = lstm_gates(x_t, h, params)
        cell = f * c0 + i * g
        h = o * np.tanh(cell)
        states.append(h)
        cells.append(cell)
    return np.stack(states, 1), np.stack(cells, 1)
