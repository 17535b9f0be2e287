def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    B, T, H = h.shape
    dx = np.zeros(x.shape)
    dW_x, dW_h, db = np.zeros(W_x.shape), np.zeros(W_h.shape), np.zeros(H)
    dh_next = np.zeros((B, H))
    for t in range(T - 1, -1, -1):
        before = h0 if t == 0 else h[:, t - 1]
        dz = dh[:, t] * (1 - h[:, t] ** 2) + dh_next
        dx[:, t] = dz @ W_x
        dW_x += dz.T @ x[:, t]
        dW_h += dz.T @ before
        db += dz.sum(axis=0)
        dh_next = dz @ W_h
    return dx, dh_next, dW_x, dW_h, db
