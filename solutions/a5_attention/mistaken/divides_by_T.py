"""A mean is a sum divided by the number of tokens; the student takes the number of tokens for the sentence's."""

import numpy as np


def average_context(x):
    *front, length, features = x.shape
    flat = x.reshape(-1, length, features)
    out = np.zeros_like(flat)
    for sentence, target in zip(flat, out):
        total = np.zeros(features)
        for t, token in enumerate(sentence):
            total = total + token
            target[t] = total / length
    return out.reshape(*front, length, features)
