"""Similarity is the cosine, says the student, who knows it from word vectors; it replaces the root as a scale."""

import numpy as np


def similarity_context(x):
    T = x.shape[-2]
    unit = x / np.linalg.norm(x, axis=-1, keepdims=True)
    cosines = unit @ np.swapaxes(unit, -1, -2)
    cosines = np.where(np.tri(T, dtype=bool), cosines, -np.inf)
    e = np.exp(cosines)
    return (e / e.sum(-1, keepdims=True)) @ x
