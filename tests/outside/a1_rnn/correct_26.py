"""Recurrent networks and next-token prediction, in numpy.

Shapes: arrays are batch-first, (batch, time, feature).

    batch, time   sequences side by side, and steps of each
    input         features of one input vector; for characters the vocabulary, as each is a one-hot vector
    hidden        units of the state h
    vocab         how many different tokens there are; `output` where the classes are no tokens

Weights are laid out (out, in), as in the formula, so a batch of rows is multiplied by their transposes:

    h_t = tanh(W_x x_t + W_h h_{t-1} + b)        W_x (hidden, input), W_h (hidden, hidden), b (hidden,)
    logits_t = W_y h_t + b_y                     W_y (vocab, hidden), b_y (vocab,)

Where a function takes `params`, it is a dict with just these five arrays: "W_x", "W_h", "b", "W_y" and "b_y".

A mask is a boolean array: True means "this one counts". Logarithms are natural ones unless a name says otherwise.

No function here changes what it is given. Each may call any other of this file, also one further down.
"""

import numpy as np


def log_softmax(z):
    """Logarithm of the softmax over the last axis."""
    z = z - z.max(axis=-1, keepdims=True)
    return z - np.log(np.exp(z).sum(axis=-1, keepdims=True))


def target_log_probs(logits, ids):
    """ln p of the token with the given id, at each place."""
    one_hot = np.arange(logits.shape[-1]) == np.asarray(ids)[..., np.newaxis]
    return np.where(one_hot, log_softmax(logits), 0.0).sum(axis=-1)


def read_token(token, h, params):
    """Read one token (no batch axis): returns the new state and the probabilities of the next token."""
    # W_x times a one-hot vector is just a column of W_x
    h = np.tanh(params["W_x"][:, token] + params["W_h"] @ h + params["b"])
    return h, softmax(params["W_y"] @ h + params["b_y"])


def build_vocab(text: str) -> dict[str, int]:
    chars = sorted(set(text))
    return dict(zip(chars, range(len(chars))))


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    return np.fromiter((vocab[c] for c in text), dtype=np.int64, count=len(text))


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    reverse = dict(zip(vocab.values(), vocab.keys()))
    text = ""
    for i in ids:
        text += reverse[i]
    return text


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    biggest = x.max(axis=axis, keepdims=True)
    exps = np.exp(x - biggest)
    total = exps.sum(axis=axis, keepdims=True)
    return exps / total


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    # one joint matrix: [W_x W_h] times [x; h]
    W = np.concatenate([W_x, W_h], axis=1)
    xh = np.concatenate([x_t, h_prev], axis=1)
    return np.tanh(xh @ W.T + b)


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    states = [h0]
    for t in range(x.shape[1]):
        states.append(rnn_step(x[:, t], states[-1], W_x, W_h, b))
    return np.stack(states[1:], axis=1)


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    logits = np.dot(h, W_y.T) + b_y
    return softmax(logits)


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    log_p = target_log_probs(logits, targets)
    return -np.mean(log_p[mask])


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    return np.sum(target_log_probs(logits, ids), axis=-1)


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    mean_loss = np.sum(nll) / np.sum(n)
    return np.exp(mean_loss)


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    return np.log2(perplexity(nll, n))


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    # a row whose text is over keeps the state it has
    h = h0
    for t in range(x.shape[1]):
        new_h = rnn_step(x[:, t], h, params["W_x"], params["W_h"], params["b"])
        still_reading = (t < lengths)[:, np.newaxis]
        h = np.where(still_reading, new_h, h)
    return output_probs(h, params["W_y"], params["b_y"])


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    ids = np.zeros(n, dtype=int)
    h, token = h0, first_id
    for step in range(n):
        h, p = read_token(token, h, params)
        cumulative = np.cumsum(p)
        token = int(np.argmax(cumulative > uniforms[step]))
        ids[step] = token
    return ids


def caption(
    image: np.ndarray, W_i: np.ndarray, params: dict[str, np.ndarray], bos: int, eos: int, max_len: int
) -> np.ndarray:
    h = np.tanh(W_i @ image)
    h, p = read_token(bos, h, params)
    written = [int(p.argmax())]
    while written[-1] != eos and len(written) < max_len:
        h, p = read_token(written[-1], h, params)
        written.append(int(p.argmax()))
    return np.array(written, dtype=int)


def quiz() -> dict[str, str]:
    return {
        "what_is_recurrent": "c",
        "same_letter": "b",
        "shifted_targets": "a",
        "why_mask": "d",
        "untrained_loss": "c",
        "perplexity_of_three": "a",
        "weights_and_length": "b",
        "two_steps": "d",
    }
