"""The output gate shows what is in the cell."""
import numpy as np


def lstm_step(x_t, h_prev, c_prev, params):
    gates = dict(zip("fiog", lstm_gates(x_t, h_prev, params)))
    cell = np.add(gates["f"] * c_prev, gates["i"] * gates["g"])
    return np.multiply(gates["o"], cell), cell
