"""Row by row."""

import numpy as np


def _power(score, largest):
    return np.exp(score - largest)


def weights_of(scores):
    rows = []
    for row in scores:
        powers = np.array([_power(score, max(row)) for score in row])
        rows.append(powers / sum(powers))
    return np.array(rows)


def pooled(scores, values):
    return np.array([sum(w * v for w, v in zip(row, values, strict=True)) for row in weights_of(scores)])
