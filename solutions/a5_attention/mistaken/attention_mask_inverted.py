"""The student knows masked_fill, which fills where the mask is True, and hands the mask over as it is."""

import numpy as np


def attention(Q, K, V, mask=None):
    logits = np.einsum("...qd,...kd->...qk", Q, K) / K.shape[-1] ** 0.5
    if mask is not None:
        logits = np.ma.masked_array(logits, np.broadcast_to(mask, logits.shape)).filled(-1e30)
    logits = logits - logits.max(-1, keepdims=True)
    p = np.exp(logits)
    return np.einsum("...qk,...kv->...qv", p, V) / p.sum(-1, keepdims=True)
