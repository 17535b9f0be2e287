"""Hidden scores are masked entries (True means hidden, there), which exp and sum leave out; in the end they are filled with 0."""


def attention_weights(scores, mask=None):
    hidden = np.ma.nomask if mask is None else np.broadcast_to(np.logical_not(mask), scores.shape)
    s = np.ma.masked_array(scores, hidden, copy=True)
    top = s.max(axis=-1)
    e = np.ma.exp(s - np.asarray(top)[..., None])
    return (e / np.asarray(e.sum(axis=-1))[..., None]).filled(0.0)


def padding_mask(ids, pad):
    return ~np.ma.getmaskarray(np.ma.masked_equal(ids, pad))[..., None, :]
