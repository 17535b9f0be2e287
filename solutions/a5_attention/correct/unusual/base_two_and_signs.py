"""Powers of two instead of e; a mask is a row of zeros and minus infinities that is added."""


def attention_weights(scores, mask=None):
    wall = np.log2(np.asarray(mask, dtype=float)) if mask is not None else 0.0
    bits = scores * np.log2(np.e) + wall
    bits -= np.amax(bits, axis=-1, keepdims=True)
    shares = np.exp2(bits)
    shares /= shares @ np.ones((shares.shape[-1], 1))
    return shares


def padding_mask(ids, pad):
    return np.bitwise_xor(ids, pad)[..., np.newaxis, :].astype(bool)


def causal_mask(T_q, T_k):
    return np.sign(np.subtract.outer(np.arange(T_k - T_q, T_k), np.arange(T_k))) != -1
