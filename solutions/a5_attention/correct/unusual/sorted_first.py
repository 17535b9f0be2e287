"""Sorts the keys of each query, best first, and adds up from the smallest; prints its hopes and fears."""


def attention_weights(scores, mask=None):
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    order = np.argsort(scores, axis=-1)
    ranked = np.take_along_axis(scores, order, axis=-1)
    raised = np.exp(ranked - ranked[..., -1:])
    print("smallest", raised.min(), "of", raised.size)
    found = np.empty_like(raised)
    np.put_along_axis(found, order, raised / np.cumsum(raised, axis=-1)[..., -1:], axis=-1)
    return found


def similarity_context(x):
    shares = attention_weights(x @ np.swapaxes(x, -1, -2) * x.shape[-1] ** -0.5, np.tri(T := x.shape[-2], dtype=bool))
    return np.einsum("...ij,...jd->...id", shares, x)
