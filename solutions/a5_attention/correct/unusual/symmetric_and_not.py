"""Splits the folded matrix into its symmetric and its skew half, and asks numpy in which order to multiply."""


def folded_scores(X, W_q, W_k):
    scale, leading = 1 / np.sqrt(len(W_q.T)), X.shape[:-2]
    flat = X.reshape(-1, *X.shape[-2:])
    M = np.linalg.multi_dot([W_q * scale, np.eye(len(W_q.T)), W_k.T])
    halves = (M + M.T) / 2, (M - M.T) / 2
    scores = [np.sum([np.linalg.multi_dot([x, half, x.T]) for half in halves], axis=0) for x in flat]
    return np.reshape(scores, leading + (X.shape[-2],) * 2)
