"""Recurrent networks: plain version, one sequence and one step at a time."""

import math

import numpy as np


def build_vocab(text: str) -> dict[str, int]:
    """Number the different characters in sorted order."""
    vocab = {}
    for character in sorted(text):
        if character not in vocab:
            vocab[character] = len(vocab)
    return vocab


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    """Look up every character."""
    ids = np.zeros(len(text), dtype=int)
    for i, character in enumerate(text):
        ids[i] = vocab[character]
    return ids


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    """Turn the dict around and look up every id."""
    character_of = {}
    for character, number in vocab.items():
        character_of[int(number)] = character
    text = ""
    for i in ids:
        text += character_of[int(i)]
    return text


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Shares along an axis."""
    largest = np.max(x, axis=axis, keepdims=True)
    e = np.exp(x - largest)
    total = np.sum(e, axis=axis, keepdims=True)
    return e / total


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    """One step; each row of the batch on its own, just as in the formula."""
    h_t = np.zeros((len(x_t), len(b)))
    for row in range(len(x_t)):
        z = W_x @ x_t[row] + W_h @ h_prev[row] + b
        h_t[row] = np.tanh(z)
    return h_t


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    """All states."""
    batch, time, _ = x.shape
    states = np.zeros((batch, time, len(b)))
    h = h0
    for t in range(time):
        h = rnn_step(x[:, t], h, W_x, W_h, b)
        states[:, t] = h
    return states


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    """Softmax of the logits over the vocabulary."""
    logits = h @ W_y.T + b_y
    return softmax(logits, axis=-1)


def minus_log_p(scores: np.ndarray, target: int) -> float:
    """Return -ln softmax(scores)[target] for one position."""
    top = scores.max()
    log_sum = top + math.log(np.exp(scores - top).sum())
    return float(log_sum - scores[target])


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    """Mean over the targets that count."""
    batch, time, _ = logits.shape
    total = 0.0
    count = 0
    for i in range(batch):
        for t in range(time):
            if mask[i, t]:
                total += minus_log_p(logits[i, t], targets[i, t])
                count += 1
    return total / count


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Sum of the log-probabilities over time."""
    if logits.ndim == 2:
        total = 0.0
        for t in range(len(ids)):
            total -= minus_log_p(logits[t], ids[t])
        return np.array(total)
    return np.array([sequence_log_prob(one, its_ids) for one, its_ids in zip(logits, ids)])


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    """Exp of the mean loss over all tokens."""
    return float(np.exp(np.sum(nll) / np.sum(n)))


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    """Mean loss in bits."""
    nats = np.sum(nll) / np.sum(n)
    return float(nats / math.log(2))


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    """Read each row only as far as it is real."""
    rows = []
    for i in range(len(x)):
        h = h0[i : i + 1]
        for t in range(lengths[i]):
            h = rnn_step(x[i : i + 1, t], h, params["W_x"], params["W_h"], params["b"])
        rows.append(output_probs(h[0], params["W_y"], params["b_y"]))
    return np.array(rows)


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    """Draw n tokens by inversion."""
    vocab = params["W_x"].shape[1]
    h = h0.reshape(1, -1)
    token = first_id
    ids = []
    for i in range(n):
        x = np.zeros((1, vocab))
        x[0, token] = 1.0
        h = rnn_step(x, h, params["W_x"], params["W_h"], params["b"])
        p = output_probs(h[0], params["W_y"], params["b_y"])
        cumulative = 0.0
        for candidate in range(len(p)):
            if p[candidate] > 0:
                token = candidate  # if rounding leaves the sum below u, the last possible one stays
            cumulative += p[candidate]
            if cumulative > uniforms[i]:
                break
        ids.append(token)
    return np.array(ids, dtype=int)


def caption(
    image: np.ndarray, W_i: np.ndarray, params: dict[str, np.ndarray], bos: int, eos: int, max_len: int
) -> np.ndarray:
    """Write greedily from the state that the image makes."""
    vocab = params["W_x"].shape[1]
    h = np.tanh(W_i @ image).reshape(1, -1)
    token = bos
    ids = []
    while len(ids) < max_len:
        x = np.zeros((1, vocab))
        x[0, token] = 1.0
        h = rnn_step(x, h, params["W_x"], params["W_h"], params["b"])
        p = output_probs(h[0], params["W_y"], params["b_y"])
        token = int(np.argmax(p))
        ids.append(token)
        if token == eos:
            break
    return np.array(ids, dtype=int)


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_is_recurrent": "",
        "same_letter": "",
        "shifted_targets": "",
        "why_mask": "",
        "untrained_loss": "",
        "perplexity_of_three": "",
        "weights_and_length": "",
        "two_steps": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
