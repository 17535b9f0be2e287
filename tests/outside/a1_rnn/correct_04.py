"""Recurrent networks and next-token prediction, in numpy."""

import numpy as np


def build_vocab(text: str) -> dict[str, int]:
    symbols = sorted(dict.fromkeys(text))
    return {symbols[k]: k for k in range(len(symbols))}


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    return np.asarray([vocab.get(letter) for letter in text], dtype=np.int64)


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    keys, values = list(vocab.keys()), list(vocab.values())
    return "".join([keys[values.index(i)] for i in ids])


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    out = np.array(x, dtype=np.result_type(x, np.float32))  # a copy, which may be worked on in place
    out -= out.max(axis=axis, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis=axis, keepdims=True)
    return out


def rnn_step(x_t, h_prev, W_x, W_h, b):
    joint = np.concatenate((x_t, h_prev), axis=1)
    W = np.hstack((W_x, W_h))
    a = np.matmul(joint, W.T)
    a = a + b
    return np.tanh(a)


def rnn_forward(x, h0, W_x, W_h, b):
    T = x.shape[1]
    # the inputs of all steps at once, then the recurrence
    drive = x @ W_x.T + b
    h = np.zeros((x.shape[0], T, h0.shape[1]), dtype=drive.dtype)
    for t in range(T):
        before = h0 if t == 0 else h[:, t - 1]
        h[:, t] = np.tanh(drive[:, t] + before @ W_h.T)
    return h


def output_probs(h, W_y, b_y):
    return softmax(np.tensordot(h, W_y, axes=(-1, -1)) + b_y, axis=-1)


def _nll(logits, ids):
    """Negative log-likelihood of every single id, the shape of ids."""
    flat = logits.reshape(-1, logits.shape[-1])
    top = flat.max(axis=1)
    log_z = top + np.log(np.exp(flat - top[:, None]).sum(axis=1))
    picked = flat[np.arange(flat.shape[0]), ids.ravel()]
    return (log_z - picked).reshape(ids.shape)


def next_token_loss(logits, targets, mask):
    nll = _nll(logits, targets)
    counted = np.where(mask, nll, 0.0)
    return counted.sum() / mask.sum()


def sequence_log_prob(logits, ids):
    return -_nll(logits, ids).sum(axis=-1)


def perplexity(nll, n):
    return np.exp(np.atleast_1d(nll).sum() / np.atleast_1d(n).sum())


def bits_per_char(nll, n):
    nats = np.atleast_1d(nll).sum()
    bits = nats / np.log(2.0)
    return bits / np.atleast_1d(n).sum()


def classify_sequence(x, h0, lengths, params):
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    index = np.asarray(lengths).reshape(-1, 1, 1) - 1
    last = np.take_along_axis(h, index, axis=1).squeeze(1)
    return output_probs(last, params["W_y"], params["b_y"])


def generate(h0, first_id, n, params, uniforms):
    W_x, W_h, b = params["W_x"], params["W_h"], params["b"]
    W_y, b_y = params["W_y"], params["b_y"]
    state, token = h0, first_id
    result = []
    while len(result) < n:
        state = np.tanh(W_x[:, token] + W_h @ state + b)
        edges = np.cumsum(softmax(W_y @ state + b_y))
        u = uniforms[len(result)]
        token = int(np.flatnonzero(edges > u)[0])
        result.append(token)
    return np.array(result)


def quiz() -> dict[str, str]:
    answers = {
        "what_is_recurrent": "c",
        "which_data": "d",
        "weights_and_length": "a",
        "same_letter": "b",
        "shifted_targets": "a",
        "perplexity_of_four": "d",
        "untrained_loss": "c",
        "why_mask": "d",
    }
    return answers
