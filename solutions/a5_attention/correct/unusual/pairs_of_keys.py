"""What reaches a score is said by differences: a_i times the sum over j of a_j (d_i - d_j), and all arrays are read-only."""


def read_only(array):
    array.flags.writeable = False
    return array


def attention_backward(dout, cache):
    Q, K, V, weights = cache
    d = (dout[..., :, None, :] * V[..., None, :, :]).sum(-1)
    edges = weights[..., :, None] * weights[..., None, :] * (d[..., :, None] - d[..., None, :])
    ds = edges.sum(-1) / np.sqrt(Q.shape[-1])
    dQ = (ds[..., None] * K[..., None, :, :]).sum(-2)
    dK = (ds[..., None] * Q[..., :, None, :]).sum(-3)
    dV = (weights[..., None] * dout[..., :, None, :]).sum(-3)
    return tuple(map(read_only, (dQ, dK, dV)))
