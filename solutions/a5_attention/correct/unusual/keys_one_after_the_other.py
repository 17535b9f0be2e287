"""Never holds a row of weights: keys pass one by one, and what was summed up is scaled down when a higher score comes."""


def attention(Q, K, V, mask=None):
    shape = *np.broadcast_shapes(Q.shape[:-2], V.shape[:-2]), Q.shape[-2]
    may = np.broadcast_to(mask if mask is not None else True, (*shape, K.shape[-2]))
    top, total, mixed = np.full(shape, -np.inf), np.zeros(shape), np.zeros((*shape, V.shape[-1]))
    for j in range(K.shape[-2]):
        s = np.where(may[..., j], (Q * K[..., j, None, :]).sum(-1) / np.sqrt(Q.shape[-1]), -np.inf)
        new = np.maximum(top, s)
        with np.errstate(invalid="ignore"):
            old, now = (np.where(np.isneginf(a), 0, np.exp(a - new)) for a in (top, s))
        total = total * old + now
        mixed = mixed * old[..., None] + now[..., None] * V[..., j, None, :]
        top = new
    return mixed / total[..., None]
