"""A weight is one over the sum of how much each rival is ahead; rivals that the mask forbids are skipped by `where`."""


def attention_weights(scores, mask=None, *, _warn=__import__("warnings").warn):
    _warn("every pair of keys of every query: this takes room")
    may = np.broadcast_to(True if mask is None else mask, scores.shape).astype(bool)
    lead = scores[..., None, :].astype(float) - scores[..., :, None]
    with np.errstate(over="ignore"):
        total = np.sum(np.exp(lead), axis=-1, where=may[..., None, :])
    return np.divide(1.0, total, where=may, out=np.zeros(scores.shape))
