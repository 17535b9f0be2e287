"""Windows come out of a generator, results go into a dict that knows zero, and states hide in a closure."""

from collections import defaultdict


def windows(T, k):
    while T > 0:
        yield min(k, T)
        T -= k


def truncated_bptt(x, targets, h0, params, k):
    state, left, loss, grads = h0, 0, [], defaultdict(float)

    def read(x_t):
        nonlocal state
        state = np.tanh(params["W_h"].dot(state.T).T + params["W_x"].dot(x_t.T).T + params["b"])
        return state

    for size in windows(x.shape[1], k):
        piece, aims, start = x[:, left : left + size], targets[:, left : left + size], state
        h = np.stack([read(piece[:, t]) for t in range(size)], axis=1)
        logits = h @ params["W_y"].T + params["b_y"]
        for row, aim in zip(logits.reshape(aims.size, -1), aims.flat):
            loss.append(np.log(np.sum(np.exp(row - row[aim]))))
        d = loss_backward(logits, aims, np.full(aims.shape, True)) * (aims.size / targets.size)
        _, _, dW_x, dW_h, db = rnn_backward(d @ params["W_y"], (piece, start, h, params["W_x"], params["W_h"]))
        for name, g in dict(W_x=dW_x, W_h=dW_h, b=db, W_y=np.einsum("btv,bth->vh", d, h), b_y=d.sum((0, 1))).items():
            grads[name] = grads[name] + g
        left += size
    return sum(loss) / len(loss), grads
