"""Works with long floats, and returns big-endian ones, single ones and ones that nobody may change."""


def loss_backward(logits, targets, mask):
    z = logits.astype(np.longdouble)
    p = np.exp(z - z.max(-1)[..., None])
    p /= p.sum(-1)[..., None]
    np.subtract.at(p, (*np.indices(targets.shape), targets), 1)
    p *= mask[..., None]
    return p / np.count_nonzero(mask)


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = (part.astype(np.longdouble) for part in cache)
    dz = dh - dh * h_t * h_t
    parts = dz @ W_x, dz @ W_h, sum(map(np.outer, dz, x_t)), sum(map(np.outer, dz, h_prev)), np.add.reduce(dz)
    for part in parts:
        part.setflags(write=False)
    return parts[0].astype(">f8"), parts[1].astype("<f4"), *parts[2:]


def gradient_norms(dh_last, cache):
    x, h0, h, W_x, W_h = cache
    norms, d = [], dh_last.astype(np.longdouble)
    for t in range(h.shape[1])[::-1]:
        norms.append(np.sqrt(np.sum(d * d)))
        d = rnn_step_backward(d, (x[:, t], h0, h[:, t], W_x, W_h))[1]
    return np.array(norms)[::-1]
