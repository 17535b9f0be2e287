"""Recurrent networks and next-token prediction, in numpy."""

import numpy as np


def build_vocab(text: str) -> dict[str, int]:
    return {char: i for i, char in enumerate(sorted(set(text)))}


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    return np.array([vocab[char] for char in text], dtype=int)


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    id_to_char = {i: char for char, i in vocab.items()}
    return "".join(id_to_char[int(i)] for i in ids)


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    # subtract the largest entry of each row, so the largest exponential is 1
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(z: np.ndarray) -> np.ndarray:
    """ln softmax over the last axis, without overflow."""
    z = z - np.max(z, axis=-1, keepdims=True)
    return z - np.log(np.sum(np.exp(z), axis=-1, keepdims=True))


def log_prob_of(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """The log-probability of the given ids: the shape of ids."""
    return np.take_along_axis(log_softmax(logits), ids[..., None], axis=-1)[..., 0]


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.tanh(x_t @ W_x.T + h_prev @ W_h.T + b)


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    states = []
    h = h0
    for t in range(x.shape[1]):
        h = rnn_step(x[:, t], h, W_x, W_h, b)
        states.append(h)
    return np.stack(states, axis=1)


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    return softmax(h @ W_y.T + b_y, axis=-1)


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    log_p = log_prob_of(logits, targets)
    return float(-log_p[mask].mean())


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    return log_prob_of(logits, ids).sum(axis=-1)


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    return float(np.exp(np.sum(nll) / np.sum(n)))


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    nats = np.sum(nll) / np.sum(n)
    return float(nats / np.log(2))


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    rows = np.arange(len(x))
    last = h[rows, lengths - 1]
    return output_probs(last, params["W_y"], params["b_y"])


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    h = h0[None, :]  # a batch of one
    token = first_id
    written = []
    for i in range(n):
        x = np.zeros((1, params["W_x"].shape[1]))
        x[0, token] = 1.0
        h = rnn_step(x, h, params["W_x"], params["W_h"], params["b"])
        p = output_probs(h, params["W_y"], params["b_y"])[0]
        cumulative = np.cumsum(p)
        cumulative = cumulative / cumulative[-1]
        token = int(np.argmax(cumulative > uniforms[i]))  # the first True
        written.append(token)
    return np.array(written, dtype=int)


def caption(
    image: np.ndarray, W_i: np.ndarray, params: dict[str, np.ndarray], bos: int, eos: int, max_len: int
) -> np.ndarray:
    h = np.tanh(W_i @ image)[None, :]
    token = bos
    written = []
    for _ in range(max_len):
        x = np.zeros((1, params["W_x"].shape[1]))
        x[0, token] = 1.0
        h = rnn_step(x, h, params["W_x"], params["W_h"], params["b"])
        logits = h[0] @ params["W_y"].T + params["b_y"]
        token = int(np.argmax(logits))
        written.append(token)
        if token == eos:
            break
    return np.array(written, dtype=int)


def quiz() -> dict[str, str]:
    answers = {
        "what_is_recurrent": "c",
        "same_letter": "b",
        "shifted_targets": "a",
        "why_mask": "d",
        "untrained_loss": "c",
        "perplexity_of_three": "a",
        "weights_and_length": "b",
        "two_steps": "d",
    }
    return answers
