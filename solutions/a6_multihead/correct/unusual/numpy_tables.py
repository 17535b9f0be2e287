"""Tables are made by numpy and handed over, without a copy; the result is not contiguous."""

import numpy


def sinusoidal_encoding(T, d_model, base=10000):
    table = numpy.zeros((d_model, T), dtype=numpy.float32)
    for i, pair in enumerate(table.reshape(-1, 2, T)):
        numpy.sin(numpy.arange(T) / numpy.float_power(base, 2 * i / d_model), out=pair[0], casting="unsafe")
        numpy.cos(numpy.arange(T) / numpy.float_power(base, 2 * i / d_model), out=pair[1], casting="unsafe")
    return torch.from_numpy(table).T


def timing_signal(T, d_model):
    angle = numpy.multiply.outer(numpy.arange(T), numpy.geomspace(1, 1e-4, d_model // 2))
    return torch.from_numpy(numpy.hstack((numpy.sin(angle), numpy.cos(angle))))


def shift_matrix(k, d_model):
    z = numpy.exp(1j * k * 10000.0 ** (-numpy.arange(0, d_model, 2) / d_model))
    M = numpy.zeros((d_model, d_model))
    for i, turn in enumerate(z):
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[turn.real, turn.imag], [-turn.imag, turn.real]]
    return torch.as_tensor(M, dtype=torch.float)
