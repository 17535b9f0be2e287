def truncated_bptt(x, targets, h0, params, k):
    batch, time, _ = x.shape
    grads = {key: np.zeros_like(p) for key, p in params.items()}
    loss = 0.0
    h_start = h0
    n = batch * time
    rows = np.arange(batch)
    for start in range(0, time, k):
        hs = [h_start]
        dlogits = []
        for j in range(k):
            t = start + j
            h = np.tanh(x[:, t] @ params["W_x"].T + hs[-1] @ params["W_h"].T + params["b"])
            z = h @ params["W_y"].T + params["b_y"]
            z = z - z.max(axis=1, keepdims=True)
            p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
            logp = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
            loss -= logp[rows, targets[:, t]].sum() / n
            p[rows, targets[:, t]] -= 1
            dlogits.append(p / n)
            hs.append(h)
        dh_next = np.zeros_like(h0)
        for j in reversed(range(k)):
            grads["W_y"] += dlogits[j].T @ hs[j + 1]
            grads["b_y"] += dlogits[j].sum(axis=0)
            dh = dlogits[j] @ params["W_y"] + dh_next
            _, dh_next, dW_x, dW_h, db = rnn_step_backward(
                dh, (x[:, start + j], hs[j], hs[j + 1], params["W_x"], params["W_h"])
            )
            grads["W_x"] += dW_x
            grads["W_h"] += dW_h
            grads["b"] += db
        h_start = hs[-1]
    return loss, grads
