"""Backpropagation through time: the gradients of an Elman RNN, by hand, in numpy.

The network: h_t = tanh(W_x x_t + W_h h_{t-1} + b) for t = 1 ... time, from a given h_0, and logits_t = W_y h_t + b_y.

    x       (batch, time, features)   the inputs; x[:, t] is what step t reads
    h0      (batch, hidden)           the state before the first step
    h       (batch, time, hidden)     the states; h[:, t] is the one after reading x[:, t]
    logits  (batch, time, vocab)      a score for each token that may come next
    W_x     (hidden, features)        weights are laid out (out, in), as in the formula
    W_h     (hidden, hidden)
    b       (hidden,)
    W_y     (vocab, hidden)
    b_y     (vocab,)

dA stands for the gradient of the loss L with respect to A, and has the shape of A.

A cache holds what a forward pass leaves for the backward pass; it is a tuple of arrays and is handed to you:

    of one step             (x_t, h_prev, h_t, W_x, W_h)    x_t (batch, features), h_prev and h_t (batch, hidden)
    of a whole sequence     (x, h0, h, W_x, W_h)

No function here changes the arrays it is given. Each may call any other of this file, also one further down.
"""

from collections.abc import Callable

import numpy as np

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


import math


from functools import reduce


def _softmax(row):
    e = [math.exp(v - max(row)) for v in row]
    return np.array(e) / sum(e)


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Send a gradient back through softmax and cross-entropy, to the logits.

        L = mean over the counted positions of -log softmax(logits)[target]

    Args:
        logits: (batch, time, vocab).
        targets: (batch, time) of int, the id of the token that should have been predicted, from 0 to vocab - 1.
        mask: (batch, time) of bool, True where the target counts, False where it is padding. At least one is True.

    Returns:
        dlogits: (batch, time, vocab).

    Watch: the mean is over the counted positions of the whole batch. What gradient do the others get? Logits of 1000
    and of -1000 are allowed. `targets` of padded positions mean nothing, but are ids like any other.
    Source: Jurafsky and Martin, the chapter on RNNs and LSTMs (training an RNN language model); README, section 1.
    """
    places = list(zip(*np.where(mask)))
    out = np.zeros(logits.shape)
    for n, t in places:
        out[n, t] = _softmax(logits[n, t].tolist())
        out[n, t, targets[n, t]] -= 1
        out[n, t] /= len(places)
    return out


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    """Send a gradient back through one step, h_t = tanh(W_x x_t + W_h h_prev + b).

    Args:
        dh: (batch, hidden), the gradient of the loss with respect to h_t.
        cache: (x_t, h_prev, h_t, W_x, W_h) of the step.

    Returns:
        dx (batch, features), dh_prev (batch, hidden), dW_x (hidden, features), dW_h (hidden, hidden) and db (hidden,),
        in this order.

    Watch: the derivative of tanh(z) is 1 - tanh(z)^2, and h_t already is tanh(z). All rows of the batch share the
    weights and the bias. Let each gradient have the shape of what it belongs to; W_h is square, so there the shape
    will not tell you. Leave dh and the cache as they are: `dh *= ...` would change the caller's array.
    Source: Werbos 1990; Pascanu et al. 2013, section 1.1; README, section 2.
    """
    x_t, h_prev, h_t, W_x, W_h = cache
    hidden = W_h.shape[0]
    # z = W row, with one joint matrix for the row [h_prev; x; 1]
    row = np.column_stack([h_prev, x_t, np.ones(len(x_t))])
    dz = dh - dh * h_t**2
    dW = sum(np.outer(d, r) for d, r in zip(dz, row))
    back = dz @ np.column_stack([W_h, W_x])
    return back[:, hidden:], back[:, :hidden], dW[:, hidden:-1], dW[:, :hidden], dW[:, -1]


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    """Send gradients back through a whole sequence: backpropagation through time.

    Args:
        dh: (batch, time, hidden); dh[:, t] is what reaches h[:, t] from its own output, not from later steps. A loss
            at every step makes every dh[:, t] non-zero.
        cache: (x, h0, h, W_x, W_h) of the forward pass.

    Returns:
        dx (batch, time, features), dh0 (batch, hidden), dW_x (hidden, features), dW_h (hidden, hidden) and db
        (hidden,), in this order.

    Watch: a state is read twice, by its output and by the next step. The same weights work at every step. Which state
    came before the first one? Leave `dh` as it is.
    Source: Werbos 1990, "Backpropagation through time: what it does and how to do it"; README, section 3.
    """
    x, h0, h, W_x, W_h = cache

    def back(t, handed):
        """Gradients of the steps 0 to t; handed is what step t + 1 hands back."""
        h_prev = h0 if t == 0 else h[:, t - 1]
        here = rnn_step_backward(dh[:, t] + handed, (x[:, t], h_prev, h[:, t], W_x, W_h))
        if t == 0:
            return [here[0]], here[1], here[2:]
        dxs, dh0, shared = back(t - 1, here[1])
        return [*dxs, here[0]], dh0, [a + b for a, b in zip(shared, here[2:])]

    dxs, dh0, (dW_x, dW_h, db) = back(x.shape[1] - 1, np.zeros(h0.shape))
    return np.stack(dxs, axis=1), dh0, dW_x, dW_h, db


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    """Send a gradient back through a table look-up, out = E[ids].

    Args:
        d_out: (batch, time, d), the gradient of the loss with respect to the vectors that were looked up.
        ids: (batch, time) of int, which row of the table each of them came from.
        vocab_size: number of rows of the table.

    Returns:
        dE: (vocab_size, d).

    Watch: a token that stands in the text three times has its row read three times. Rows that were not read are zero.
    No id is special here; 0 is a token like any other.
    Source: the chain rule: a look-up is a product with a one-hot vector; README, section 4.
    """
    flat = ids.ravel()
    columns = d_out.reshape(len(flat), -1).T
    return np.stack([np.bincount(flat, weights=c, minlength=vocab_size) for c in columns], axis=1)


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    """Compare a gradient with central differences: the check that knows nothing of your formulas.

        n_i = (f(x + eps e_i) - f(x - eps e_i)) / (2 eps)        e_i is 1 at entry i and 0 elsewhere
        error_i = |grad_i - n_i| / max(|grad_i| + |n_i|, 1e-8)

    Args:
        f: takes an array of the shape of x and returns a number, the loss.
        x: any shape; where the gradient is to be checked.
        grad: the shape of x; the gradient to be checked, from formulas.
        eps: how far to step, a positive number.

    Returns:
        The largest error_i, a single number between 0 and 1, or NaN if an entry of `grad` is NaN. f never returns NaN.

    Watch: move one entry at a time, in a copy of x, and put it back before the next. The copy is of float64, whatever
    the dtype of x: in single precision, or in whole numbers, a small step gets lost.
    Source: Stanford CS231n, notes on gradient checks; README, section 5.
    """
    work = np.array(x, dtype=np.float64)
    grad = np.asarray(grad, dtype=np.float64)
    errors = np.empty(work.shape)
    for index, kept in np.ndenumerate(work.copy()):
        values = []
        for moved in (kept + eps, kept - eps):
            work[index] = moved
            values.append(float(f(work.copy())))
        work[index] = kept
        n = (values[0] - values[1]) / (2 * eps)
        errors[index] = abs(grad[index] - n) / max(abs(grad[index]) + abs(n), 1e-8)
    return float(errors.max())


class _Window:
    """The forward pass of one window, for one batch, and its share of the gradients."""

    def __init__(self, x, state, p):
        self.x, self.start, self.p = x, state, p
        steps = [state]
        for t in range(x.shape[1]):
            steps.append(np.tanh(steps[-1].dot(p["W_h"].T) + x[:, t].dot(p["W_x"].T) + p["b"]))
        self.h = np.stack(steps[1:], axis=1)
        self.end = steps[-1]

    def losses(self, targets):
        s = self.h.dot(self.p["W_y"].T) + self.p["b_y"]
        s = s - s.max(axis=2, keepdims=True)
        lse = np.log(np.exp(s).sum(axis=2))
        return lse - np.take_along_axis(s, targets[:, :, None], axis=2)[:, :, 0], s

    def grads(self, targets, count):
        _, s = self.losses(targets)
        d = loss_backward(s, targets, np.ones(targets.shape, dtype=bool)) * (targets.size / count)
        cache = (self.x, self.start, self.h, self.p["W_x"], self.p["W_h"])
        _, _, dW_x, dW_h, db = rnn_backward(d.dot(self.p["W_y"]), cache)
        flat = d.reshape(-1, d.shape[2])
        dW_y = flat.T.dot(self.h.reshape(len(flat), -1))
        return {"W_x": dW_x, "W_h": dW_h, "b": db, "W_y": dW_y, "b_y": flat.sum(axis=0)}


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    """Cut a long sequence into windows of k steps: the state is carried on, the gradient is not.

    Window one is steps 0 ... k-1, window two is k ... 2k-1, and so on; the last one takes what is left and may be
    shorter. Each window starts from the state in which the one before it ended (the first from h0), taken as a
    constant: no gradient goes back across the border.

    Args:
        x: (batch, time, features).
        targets: (batch, time) of int; targets[:, t] is to be predicted from h[:, t]. All of them count.
        h0: (batch, hidden).
        params: {"W_x": (hidden, features), "W_h": (hidden, hidden), "b": (hidden,), "W_y": (vocab, hidden),
            "b_y": (vocab,)}.
        k: steps in a window, at least 1; may be larger than time.

    Returns:
        loss, a number: the mean of -log softmax(logits)[target] over all batch * time targets;
        grads, a dict with the keys of params: the gradient of that mean, cut as said, added up over the windows.

    Watch: a short last window counts for as much as it has targets. The forward pass is yours to write (or to bring
    along from the assignment before); cutting changes nothing about it, so the loss is the same for every k.
    Source: Williams and Peng 1990; Sutskever 2013, section 2.8.6; README, section 6.
    """
    loss, state = 0.0, h0
    grads = {name: np.zeros(value.shape) for name, value in params.items()}
    for begin in range(0, x.shape[1], k):
        window = _Window(x[:, begin : begin + k], state, params)
        aim = targets[:, begin : begin + k]
        loss += window.losses(aim)[0].sum() / targets.size
        for name, g in window.grads(aim, targets.size).items():
            grads[name] += g
        state = window.end
    return float(loss), grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    """Scale a gradient down to a norm, and keep its direction.

        norm = sqrt(sum of the squares of every entry of every array)
        clipped = grads * max_norm / norm    where norm > max_norm,    else grads

    Args:
        grads: the gradients by name, of any shapes.
        max_norm: the largest norm that is allowed, a positive number.

    Returns:
        clipped, a dict with the same names and shapes, and norm, a number: the norm of all gradients together, before clipping.

    Watch: there is one norm for all arrays together. Nothing is done in place: the dict and the arrays that you were given
    stay as they are, and scaled ones are new. A gradient whose norm is small enough comes back with the same numbers, also
    one of zeros; whether in copies or in the given arrays is up to you.
    Source: Pascanu et al. 2013, section 3.2, algorithm 1; README, section 8.
    """
    norm = math.sqrt(math.fsum(v * v for g in grads.values() for v in np.asarray(g).ravel().tolist()))
    if norm > max_norm:
        return {name: np.multiply(g, max_norm / norm) for name, g in grads.items()}, norm
    return {name: np.array(g) for name, g in grads.items()}, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    """Return the gradient norm at each state, when only the last state has a loss.

    Args:
        dh_last: (batch, hidden), the gradient of the loss with respect to the last state, h[:, -1].
        cache: (x, h0, h, W_x, W_h) of the forward pass.

    Returns:
        norms: (time,); norms[t] is the norm of the gradient with respect to h[:, t]: the square root of the sum of
        its squares over batch and hidden units. So norms[-1] is the norm of dh_last.

    Watch: the gradient runs from the end to the start, the result from the start to the end. Between h[:, t] and
    h[:, t - 1] lies one step, the one that made h[:, t].
    Source: Hochreiter 1991; Pascanu et al. 2013, section 2; README, section 7.
    """
    _, _, h, _, W_h = cache
    # the rows of the batch one by one, with the Jacobians written out
    squares = np.zeros(h.shape[1])
    for states, d in zip(h, dh_last):
        jacobians = [(1 - s**2)[:, None] * W_h for s in states]
        for t in range(len(states)):
            left = reduce(np.matmul, reversed(jacobians[t + 1 :]), np.eye(len(d)))
            squares[t] += np.sum((left.T @ d) ** 2)
    return squares**0.5


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "two_readers": "",
        "orthogonal_weights": "",
        "what_clipping_cannot": "",
        "what_is_cut": "",
        "what_is_left": "",
        "shared_weight": "",
        "clipped_array": "",
        "central_difference": "",
    }
    return answers
