"""The student contracts the features with tensordot and expects the batch to stay together."""

import numpy as np


def attention_scores(Q, K):
    return np.tensordot(Q, K, axes=([-1], [-1])) / np.sqrt(K.shape[-1])
