"""Works in the arrays it is given, and puts every number back before it returns."""


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    kept = dh.copy()
    try:
        for t in range(h.shape[1] - 1, -1, -1):
            dh[:, t] *= 1 - h[:, t] ** 2
            if t:
                dh[:, t - 1] += dh[:, t] @ W_h
        dz = dh.copy()
    finally:
        dh[...] = kept
    before = np.concatenate([h0[:, None], h[:, :-1]], 1)
    return dz @ W_x, dz[:, 0] @ W_h, np.einsum("bth,btf->hf", dz, x), np.einsum("bth,btg->hg", dz, before), dz.sum((0, 1))


def embedding_backward(d_out, ids, vocab_size):
    """Locks what it is given, so that nobody can change it by mistake."""
    d_out.flags.writeable = ids.flags.writeable = False
    unit = np.identity(vocab_size, dtype=np.int8)
    return np.tensordot(unit[ids], d_out, axes=[[0, 1], [0, 1]])
