"""Two slips in two exercises: the length of the whole sentence as divisor, and the filler's rows hidden."""

import numpy as np


def average_context(x):
    T = x.shape[-2]
    return np.einsum("ij,...jd->...id", np.tri(T) / T, x)


def padding_mask(ids, pad):
    return (np.asarray(ids) != pad).reshape(*np.shape(ids), 1)
