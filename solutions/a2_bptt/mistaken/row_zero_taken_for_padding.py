"""0 is what short texts are filled up with."""
import numpy as np


def embedding_backward(d_out, ids, vocab_size):
    hot = (ids[:, :, None] == np.arange(vocab_size)) & (ids != 0)[:, :, None]
    return np.einsum("ntv,ntd->vd", hot.astype(float), d_out)
