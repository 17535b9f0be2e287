"""The sums are the solution of a linear system: each mean, times its number, less the one before, is the new vector."""


def average_context(x):
    T = x.shape[-2]
    i = np.arange(1.0, T + 1)
    system = np.diag(i) - np.diag(i[:-1], -1)
    flat = x.reshape(-1, T, x.shape[-1])
    return np.array([np.linalg.solve(system, one) for one in flat]).reshape(x.shape)


def causal_mask(T_q, T_k):
    """Windows that slide over a row of truth values, the last one first."""
    belt = np.repeat([True, False], [T_k, max(T_q - 1, 0)])
    return np.lib.stride_tricks.sliding_window_view(belt, T_k)[:T_q][::-1] if T_q else np.ones((0, T_k), bool)
