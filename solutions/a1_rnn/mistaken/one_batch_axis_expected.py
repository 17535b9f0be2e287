def sequence_log_prob(logits, ids):
    B, T = ids.shape
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    out = np.zeros(B)
    for i in range(B):
        for t in range(T):
            out[i] += logp[i, t, ids[i, t]]
    return out
