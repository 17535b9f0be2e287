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

from collections.abc import Callable, Iterator

import numpy as np
import torch
import torch.nn.functional as F

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class _Tape:
    """A whole sequence, time first, with one joint matrix for input, state and bias: z = J [x, h, 1]."""

    def __init__(self, x: np.ndarray, h0: np.ndarray, h: np.ndarray, W_x: np.ndarray, W_h: np.ndarray) -> None:
        self.cut = W_x.shape[1]
        self.joint = np.hstack([W_x, W_h])
        self.states = np.concatenate([h0[None], np.swapaxes(h, 0, 1)])  # (time + 1, batch, hidden)
        self.inputs = np.swapaxes(x, 0, 1)

    def back(self, dh: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield t, the gradient at z_t, and the gradient at [x_t, h_{t-1}], last step first; dh is (time, batch, hidden)."""
        handed = np.zeros(self.states.shape[1:])
        for t in range(len(dh) - 1, -1, -1):
            dz = (dh[t] + handed) * (1 + self.states[t + 1]) * (1 - self.states[t + 1])
            both = np.einsum("bo,oi->bi", dz, self.joint)
            handed = both[:, self.cut :]
            yield t, dz, both


def _log_probs(logits: np.ndarray) -> np.ndarray:
    return F.log_softmax(torch.from_numpy(np.array(logits, dtype=np.float64)), dim=-1).numpy()


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
    counted = np.nonzero(mask)
    d = np.zeros(logits.shape)
    chosen = np.eye(logits.shape[-1])[np.asarray(targets)[counted]]
    d[counted] = (np.exp(_log_probs(np.asarray(logits)[counted])) - chosen) / len(counted[0])
    return d


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
    # one step is a sequence of length one
    x_t, h_prev, h_t, W_x, W_h = cache
    dx, *rest = rnn_backward(dh[:, None, :], (x_t[:, None, :], h_prev, h_t[:, None, :], W_x, W_h))
    return dx[:, 0], *rest


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
    tape = _Tape(x, h0, h, W_x, W_h)
    steps = sorted(tape.back(np.swapaxes(dh, 0, 1)), key=lambda step: step[0])
    dz = np.array([step[1] for step in steps])  # (time, batch, hidden)
    both = np.array([step[2] for step in steps])  # (time, batch, features + hidden)
    read = np.concatenate([tape.inputs, tape.states[:-1]], axis=2)
    joint = np.tensordot(dz, read, axes=([0, 1], [0, 1]))
    cut = tape.cut
    return np.swapaxes(both[:, :, :cut], 0, 1), both[0][:, cut:], joint[:, :cut], joint[:, cut:], np.einsum("tbo->o", dz)


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
    order = np.argsort(ids, axis=None, kind="stable")
    flat = d_out.reshape(-1, d_out.shape[-1])[order]
    seen, starts = np.unique(ids.ravel()[order], return_index=True)
    dE = np.zeros((vocab_size, flat.shape[1]))
    dE[seen] = np.add.reduceat(flat, starts, axis=0)
    return dE


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
    base = np.asarray(x, dtype=np.float64)
    g = np.asarray(grad, dtype=np.float64).ravel()
    numeric = np.empty(base.size)
    for i in range(base.size):
        e = np.zeros(base.size)
        e[i] = eps
        e = e.reshape(base.shape)
        numeric[i] = (f(base + e) - f(base - e)) / (2.0 * eps)
    return float(np.max(np.abs(g - numeric) / np.maximum(np.abs(g) + np.abs(numeric), 1e-8)))


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
    W_x, W_h, b, W_y, b_y = (params[name] for name in ("W_x", "W_h", "b", "W_y", "b_y"))
    batch, time = targets.shape
    states = [h0]
    for x_t in np.swapaxes(x, 0, 1):
        states.append(np.tanh(np.einsum("hf,bf->bh", W_x, x_t) + np.einsum("hk,bk->bh", W_h, states[-1]) + b))
    loss, grads = 0.0, dict.fromkeys(params, 0.0)
    handed = np.zeros(h0.shape)
    for t in range(time - 1, -1, -1):
        log_p = _log_probs(np.einsum("vh,bh->bv", W_y, states[t + 1]) + b_y)
        loss -= log_p[np.arange(batch), targets[:, t]].sum() / (batch * time)
        ds = (np.exp(log_p) - np.eye(len(b_y))[targets[:, t]]) / (batch * time)
        last_of_window = t % k == k - 1
        dz = (ds @ W_y + (0.0 if last_of_window else handed)) * (1 - states[t + 1] ** 2)
        parts = {"W_x": dz.T @ x[:, t], "W_h": dz.T @ states[t], "b": dz.sum(0), "W_y": ds.T @ states[t + 1], "b_y": ds.sum(0)}
        grads = {name: grads[name] + parts[name] for name in params}
        handed = dz @ W_h
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
    one = np.concatenate([np.ravel(g) for g in grads.values()]).astype(np.float64)
    norm = float(np.linalg.norm(one))
    if norm <= max_norm:
        return {**grads}, norm
    return {name: np.multiply(g, max_norm / norm) for name, g in grads.items()}, norm


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
    # the gradient at h[:, t] is dh0 of the sequence that starts behind it
    x, h0, h, W_x, W_h = cache
    time = h.shape[1]
    norms = [float(np.linalg.norm(dh_last))]
    for t in range(time - 2, -1, -1):
        dh = np.zeros((h.shape[0], time - 1 - t, h.shape[2]))
        dh[:, -1] = dh_last
        norms.insert(0, float(np.linalg.norm(rnn_backward(dh, (x[:, t + 1 :], h[:, t], h[:, t + 1 :], W_x, W_h))[1])))
    return np.array(norms)


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
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
    raise NotImplementedError("quiz is not written yet")
    return answers
