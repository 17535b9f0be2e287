"""Each logit's gradient comes from its distance to all others: no maximum is taken, overflow is a share of zero."""


def loss_backward(logits, targets, mask):
    dlogits = np.zeros_like(logits, dtype=float)
    with np.errstate(over="ignore"):
        for b, t in np.argwhere(mask):
            shares = np.reciprocal(np.exp(np.subtract.outer(logits[b, t], logits[b, t])).sum(axis=0))
            shares[targets[b, t]] -= 1
            dlogits[b, t] = np.true_divide(shares, np.sum(mask))
    return dlogits


def rnn_step_backward(dh, cache, *unused, **also_unused):
    assert not unused and not also_unused
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = np.multiply(dh, (1 + h_t) * (1 - h_t))
    back = np.hstack([W_x, W_h]).T @ dz.T
    dW = np.matmul(dz[:, :, None], np.hstack([x_t, h_prev])[:, None, :]).sum(axis=0)
    cut = x_t.shape[1]
    return back[:cut].T, back[cut:].T, dW[:, :cut], dW[:, cut:], np.ones(len(dz)) @ dz
