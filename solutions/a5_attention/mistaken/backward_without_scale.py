"""The student builds every row's Jacobian with care and forgets the root of the forward pass."""

import numpy as np


def attention_backward(dout, cache):
    Q, K, V, A = cache
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for b in np.ndindex(A.shape[:-2]):
        for i, row in enumerate(A[b]):
            jacobian = np.diag(row) - np.outer(row, row)
            d_row = jacobian @ (V[b] @ dout[b][i])
            dQ[b][i] = d_row @ K[b]
            dK[b] += np.outer(d_row, Q[b][i])
            dV[b] += np.outer(row, dout[b][i])
    return dQ, dK, dV
