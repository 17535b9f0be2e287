"""Grammar of ufuncs: outer, reduce, accumulate and at, with `out=` and `where=`."""


def loss_backward(logits, targets, mask):
    out = np.zeros(logits.shape)
    lowered = np.subtract(logits, np.maximum.reduce(logits, axis=-1, keepdims=True))
    np.exp(lowered, out=out, where=mask[:, :, np.newaxis])
    sums = np.add.reduce(out, axis=-1, keepdims=True)
    np.divide(out, sums, out=out, where=mask[:, :, np.newaxis])
    np.add.at(out, (*np.nonzero(mask), targets[mask]), -1.0)
    return np.divide(out, np.add.reduce(mask, axis=None, dtype=int), out=out)


def embedding_backward(d_out, ids, vocab_size):
    hit = np.equal.outer(np.arange(vocab_size), ids)
    return np.add.reduce(np.multiply(hit[..., None], d_out), axis=(1, 2))


def clip_grad_norm(grads, max_norm):
    norm = np.sqrt(np.add.reduce([np.add.reduce(np.square(g), axis=None) for g in grads.values()]))
    safe = np.fmax(norm, max_norm)
    return {name: np.multiply(g, np.true_divide(max_norm, safe)) for name, g in grads.items()}, norm
