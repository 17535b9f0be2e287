"""np.bincount adds up, feature by feature."""
import numpy as np


def embedding_backward(d_out, ids, vocab_size):
    columns = [np.bincount(ids.ravel(), weights=feature.ravel()) for feature in np.moveaxis(d_out, 2, 0)]
    return np.stack(columns, axis=1)
