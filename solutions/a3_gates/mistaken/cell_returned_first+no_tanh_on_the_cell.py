"""The cell, and the part of it that the gate lets out."""


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, g = lstm_gates(x_t, h_prev, params)
    memory = g * i
    memory += f * c_prev
    return memory, memory * o
