"""Recursive in the leading axes, down to a single matrix; whether there is a mask is found out by an exception."""

from math import exp, sqrt


def attention(Q, K, V, mask=None):
    if Q.ndim > 2:
        try:
            masks = np.broadcast_to(mask.astype(bool), (*Q.shape[:-1], K.shape[-2]))
        except AttributeError:
            masks = [None] * len(Q)
        return np.stack([attention(*parts) for parts in zip(Q, K, V, masks)])
    while mask is not None and mask.ndim > 2:
        mask = mask[0]
    may = np.ones((len(Q), len(K)), bool) if mask is None else np.broadcast_to(mask, (len(Q), len(K)))
    out = []
    for q, row in zip(Q, may):
        scores = {j: float(q @ K[j]) / sqrt(K.shape[1]) for j in row.nonzero()[0]}
        top = max(scores.values())
        e = {j: exp(s - top) for j, s in scores.items()}
        out.append(sum(e[j] * V[j] for j in e) / sum(e.values()))
    return np.array(out, dtype=">f8")
