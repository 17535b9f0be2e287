"""Brings back a name that numpy 1 had."""

np.bool = bool


def causal_mask(T_q, T_k):
    return np.tri(T_q, T_k, T_k - T_q, dtype=np.bool)
