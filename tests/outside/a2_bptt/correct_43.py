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
    shifted = logits - logits.max(axis=-1, keepdims=True)
    e = np.exp(shifted)
    probs = e / e.sum(axis=-1, keepdims=True)

    batch, time, _ = logits.shape
    rows = np.arange(batch)[:, None]
    cols = np.arange(time)[None, :]
    dlogits = probs.copy()
    dlogits[rows, cols, targets] -= 1.0

    dlogits = dlogits * mask[:, :, None]
    return dlogits / mask.sum()


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
    dz = dh * (1.0 - h_t**2)
    dx = dz @ W_x
    dh_prev = dz @ W_h
    dW_x = dz.T @ x_t
    dW_h = dz.T @ h_prev
    db = dz.sum(axis=0)
    return dx, dh_prev, dW_x, dW_h, db


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
    batch, time, hidden = h.shape

    dx = np.zeros(x.shape)
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(hidden)
    dh_next = np.zeros((batch, hidden))

    for t in reversed(range(time)):
        h_prev = h[:, t - 1] if t > 0 else h0
        total = dh[:, t] + dh_next
        step = (x[:, t], h_prev, h[:, t], W_x, W_h)
        dx_t, dh_next, dW_x_t, dW_h_t, db_t = rnn_step_backward(total, step)
        dx[:, t] = dx_t
        dW_x += dW_x_t
        dW_h += dW_h_t
        db += db_t

    return dx, dh_next, dW_x, dW_h, db


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
    d = d_out.shape[-1]
    dE = np.zeros((vocab_size, d))
    np.add.at(dE, ids.reshape(-1), d_out.reshape(-1, d))
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
    x = np.array(x, dtype=np.float64)
    grad = np.asarray(grad, dtype=np.float64)
    errors = np.zeros(x.shape)

    for i in np.ndindex(x.shape):
        old = x[i]
        x[i] = old + eps
        plus = float(f(x))
        x[i] = old - eps
        minus = float(f(x))
        x[i] = old
        n = (plus - minus) / (2 * eps)
        errors[i] = abs(grad[i] - n) / np.maximum(abs(grad[i]) + abs(n), 1e-8)

    return float(errors.max())


def _forward(x, h0, W_x, W_h, b):
    batch, time, _ = x.shape
    h = np.zeros((batch, time, W_h.shape[0]))
    prev = h0
    for t in range(time):
        prev = np.tanh(x[:, t] @ W_x.T + prev @ W_h.T + b)
        h[:, t] = prev
    return h


def _mean_loss(logits, targets):
    top = logits.max(axis=-1, keepdims=True)
    log_z = np.log(np.exp(logits - top).sum(axis=-1)) + top[..., 0]
    picked = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return (log_z - picked).mean()


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
    batch, time = targets.shape
    W_x, W_h, b = params["W_x"], params["W_h"], params["b"]
    W_y, b_y = params["W_y"], params["b_y"]
    count = batch * time

    loss = 0.0
    grads = {name: np.zeros(p.shape) for name, p in params.items()}
    state = h0

    for start in range(0, time, k):
        stop = min(start + k, time)
        x_w = x[:, start:stop]
        y_w = targets[:, start:stop]
        steps = stop - start
        share = batch * steps / count

        h = _forward(x_w, state, W_x, W_h, b)
        logits = h @ W_y.T + b_y
        loss += _mean_loss(logits, y_w) * share

        mask = np.ones((batch, steps), dtype=bool)
        dlogits = loss_backward(logits, y_w, mask) * share
        dh = dlogits @ W_y
        _, _, dW_x, dW_h, db = rnn_backward(dh, (x_w, state, h, W_x, W_h))

        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)
        grads["b_y"] += dlogits.sum(axis=(0, 1))

        state = h[:, -1]

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
    norm = np.sqrt(sum(np.sum(np.square(g)) for g in grads.values()))
    if norm > max_norm:
        scale = max_norm / norm
        clipped = {name: g * scale for name, g in grads.items()}
    else:
        clipped = {name: g.copy() for name, g in grads.items()}
    return clipped, float(norm)


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
    x, h0, h, W_x, W_h = cache
    time = h.shape[1]
    norms = np.zeros(time)
    d = dh_last
    norms[time - 1] = np.sqrt(np.sum(d**2))
    for t in range(time - 1, 0, -1):
        d = (d * (1.0 - h[:, t] ** 2)) @ W_h
        norms[t - 1] = np.sqrt(np.sum(d**2))
    return norms


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
