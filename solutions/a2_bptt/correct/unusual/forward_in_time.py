"""Learns in real time (Williams and Zipser 1989): derivatives of the states are carried forwards, and nothing goes back."""

from typing import NamedTuple


class Backward(NamedTuple):
    dx: np.ndarray
    dh0: np.ndarray
    dW_x: np.ndarray
    dW_h: np.ndarray
    db: np.ndarray


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    (B, T, F), H = x.shape, len(W_h)
    unit = np.eye(H)
    # One column for every number there is: x, h0, W_x, W_h and b, in this order.
    sizes = [T * F, H, H * F, H * H, H]
    first, past = np.cumsum([0, *sizes]), np.zeros((B, H, sum(sizes)))
    past[:, :, first[1] : first[2]] = unit
    total = np.zeros((B, sum(sizes)))
    for t in range(T):
        state = h[:, t - 1] if t else h0
        now = W_h @ past
        now[:, :, t * F : t * F + F] += W_x
        now[:, :, first[2] : first[3]] += np.stack([np.kron(unit, row) for row in x[:, t]])
        now[:, :, first[3] : first[4]] += np.stack([np.kron(unit, row) for row in state])
        now[:, :, first[4] :] += unit
        past = now * (1 - h[:, t, :, None] ** 2)
        total += np.einsum("bh,bhp->bp", dh[:, t], past)
    dx, dh0, dW_x, dW_h, db = np.split(total, first[1:-1], axis=1)
    return Backward(dx.reshape(B, T, F), dh0, dW_x.sum(0).reshape(H, F), dW_h.sum(0).reshape(H, H), db.sum(0))
