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

import math
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
    batch, time, vocab = logits.shape
    count = 0
    for n in range(batch):
        for t in range(time):
            if mask[n, t]:
                count += 1
    dlogits = np.zeros((batch, time, vocab))
    for n in range(batch):
        for t in range(time):
            if not mask[n, t]:
                continue
            exponentials = np.exp(logits[n, t] - np.max(logits[n, t]))
            prediction = exponentials / np.sum(exponentials)
            prediction[targets[n, t]] -= 1
            dlogits[n, t] = prediction / count
    return dlogits


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
    batch = dh.shape[0]
    dx = np.zeros(x_t.shape)
    dh_prev = np.zeros(h_prev.shape)
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(W_h.shape[0])
    for n in range(batch):
        dz = dh[n] * (1 - h_t[n] * h_t[n])
        dx[n] = W_x.T @ dz
        dh_prev[n] = W_h.T @ dz
        dW_x += np.outer(dz, x_t[n])
        dW_h += np.outer(dz, h_prev[n])
        db += dz
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
    batch, time, features = x.shape
    hidden = W_h.shape[0]
    dx = np.zeros((batch, time, features))
    dW_x = np.zeros((hidden, features))
    dW_h = np.zeros((hidden, hidden))
    db = np.zeros(hidden)
    dh_next = np.zeros((batch, hidden))
    for t in reversed(range(time)):
        if t == 0:
            h_prev = h0
        else:
            h_prev = h[:, t - 1]
        step_cache = (x[:, t], h_prev, h[:, t], W_x, W_h)
        dx_t, dh_next, dW_x_t, dW_h_t, db_t = rnn_step_backward(dh[:, t] + dh_next, step_cache)
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
    batch, time, d = d_out.shape
    dE = np.zeros((vocab_size, d))
    for n in range(batch):
        for t in range(time):
            token = ids[n, t]
            dE[token] += d_out[n, t]
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
    point = np.array(x, dtype=np.float64)
    largest_error = 0.0
    for index in np.ndindex(point.shape):
        original = point[index]
        point[index] = original + eps
        f_plus = float(f(point))
        point[index] = original - eps
        f_minus = float(f(point))
        point[index] = original
        numerical = (f_plus - f_minus) / (2 * eps)
        analytical = float(grad[index])
        if math.isnan(analytical):
            return float("nan")
        error = abs(analytical - numerical) / max(abs(analytical) + abs(numerical), 1e-8)
        if error > largest_error:
            largest_error = error
    return largest_error


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
    batch, time, features = x.shape
    grads: dict[str, np.ndarray] = {}
    for name in params:
        grads[name] = np.zeros(params[name].shape)
    total_loss = 0.0
    state = h0
    start = 0
    while start < time:
        end = min(start + k, time)
        length = end - start
        # forward through this window
        first_state = state
        h = np.zeros((batch, length, h0.shape[1]))
        for t in range(length):
            state = np.tanh(x[:, start + t] @ params["W_x"].T + state @ params["W_h"].T + params["b"])
            h[:, t] = state
        logits = h @ params["W_y"].T + params["b_y"]
        for n in range(batch):
            for t in range(length):
                row = logits[n, t] - np.max(logits[n, t])
                total_loss += math.log(np.sum(np.exp(row))) - row[targets[n, start + t]]
        # backward through this window; loss_backward takes a mean over the window alone
        share = length / time
        all_count = np.ones((batch, length), dtype=bool)
        dlogits = share * loss_backward(logits, targets[:, start:end], all_count)
        for n in range(batch):
            for t in range(length):
                grads["W_y"] += np.outer(dlogits[n, t], h[n, t])
                grads["b_y"] += dlogits[n, t]
        dh = dlogits @ params["W_y"]
        window_cache = (x[:, start:end], first_state, h, params["W_x"], params["W_h"])
        dx, dh0, dW_x, dW_h, db = rnn_backward(dh, window_cache)
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
        start = end
    return total_loss / (batch * time), grads


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
    sum_of_squares = 0.0
    for name in grads:
        sum_of_squares += float(np.sum(np.square(grads[name])))
    norm = math.sqrt(sum_of_squares)
    clipped = {}
    for name in grads:
        if norm > max_norm:
            clipped[name] = grads[name] * max_norm / norm
        else:
            clipped[name] = grads[name].copy()
    return clipped, norm


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
    norms[time - 1] = math.sqrt(np.sum(dh_last**2))
    dh = dh_last
    for t in range(time - 1, 0, -1):
        # back through the step that made h[:, t]
        dz = dh * (1 - h[:, t] ** 2)
        dh = dz @ W_h
        norms[t - 1] = math.sqrt(np.sum(dh**2))
    return norms


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "c", "run_2": "a", "run_3": "b", "run_4": "d", "run_5": "b"}
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "two_readers": "c",
        "orthogonal_weights": "a",
        "what_clipping_cannot": "b",
        "what_is_cut": "d",
        "what_is_left": "b",
        "shared_weight": "d",
        "clipped_array": "a",
        "central_difference": "c",
    }
    return answers
