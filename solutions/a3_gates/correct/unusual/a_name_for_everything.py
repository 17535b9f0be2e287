"""Shadows builtins and library names with helpers of its own, and calls its exercises by other exercises' names."""


def sum(*terms):
    total, *rest = terms
    return total if not rest else total + sum(*rest)


def input(h, x):
    return np.append(h, x, axis=-1)


def print(gate, params, row):
    a = np.matmul(row, np.transpose(params["W_" + gate])) + params["b_" + gate]
    return np.reciprocal(np.add(1.0, np.exp(np.negative(a)), where=a > -700, out=np.full(a.shape, np.inf)))


def lstm_step(x_t, h_prev, c_prev, params):
    input_gate, quiz, open = (print(gate, params, input(h_prev, x_t)) for gate in "ifo")
    list = np.tanh(input(h_prev, x_t) @ params["W_c"].T + params["b_c"])
    c_t = sum(quiz * c_prev, input_gate * list)
    return open * np.tanh(c_t), c_t


def gru_step(x_t, h_prev, params):
    zip, range = (print(gate, params, input(h_prev, x_t)) for gate in "zr")
    max = np.tanh(input(range * h_prev, x_t) @ params["W_h"].T + params["b_h"])
    return sum(h_prev, -zip * h_prev, zip * max)
