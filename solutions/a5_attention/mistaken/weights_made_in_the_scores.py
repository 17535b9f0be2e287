def attention_weights(scores, mask=None):
    if mask is not None:
        np.copyto(scores, -1e9, where=np.logical_not(mask))
    scores -= scores.max(-1, keepdims=True)
    p = np.exp(scores)
    p /= p.sum(-1, keepdims=True)
    return p
