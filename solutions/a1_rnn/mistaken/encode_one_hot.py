"""The network wants one-hot vectors, so that is what a text is encoded as."""
import numpy as np


def encode(text, vocab):
    rows = np.zeros((len(text), len(vocab)), dtype=int)
    for position, ch in enumerate(text):
        rows[position, vocab[ch]] = 1
    return rows
