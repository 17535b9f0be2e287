def attention_weights(scores, mask=None):
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / np.sum(exps, axis=1, keepdims=True)
