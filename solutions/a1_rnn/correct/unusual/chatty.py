"""Prints a hundred kilobytes at every step, on both streams, past Python's own buffers, and bytes that are no text."""

import os, sys


def rnn_step(x_t, h_prev, W_x, W_h, b):
    print("state " * 20000)
    sys.stderr.write("\r50 %" * 1000)
    sys.stdout.buffer.write(b"\xff\xfe\x00 raw bytes\n")
    os.write(1, b"straight to the descriptor\n")
    return np.tanh(x_t @ W_x.T + h_prev @ W_h.T + b)
