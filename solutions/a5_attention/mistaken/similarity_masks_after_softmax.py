"""The student makes all shares first and cuts the upper triangle off them afterwards."""

import numpy as np


def similarity_context(x):
    gram = np.einsum("...id,...jd->...ij", x, x) * x.shape[-1] ** -0.5
    gram = np.exp(gram - gram.max(axis=-1)[..., None])
    gram = gram / gram.sum(axis=-1)[..., None]
    return np.einsum("...ij,...jd->...id", np.tril(gram), x)
