"""Recurrent networks and next-token prediction: my solution, mostly with plain loops."""

import math

import numpy as np


def build_vocab(text: str) -> dict[str, int]:
    """Number the different characters in sorted order."""
    vocab = {}
    for character in sorted(set(text)):
        vocab[character] = len(vocab)
    return vocab


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    """Look up each character."""
    ids = np.zeros(len(text), dtype=int)
    for position, character in enumerate(text):
        ids[position] = vocab[character]
    return ids


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    """Look up each id in the dict turned round."""
    characters = {}
    for character, number in vocab.items():
        characters[number] = character
    text = ""
    for number in ids:
        text += characters[int(number)]
    return text


def softmax_of_row(row: np.ndarray) -> np.ndarray:
    """Softmax of a vector."""
    largest = row.max()
    powers = np.exp(row - largest)
    return powers / powers.sum()


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Softmax along an axis, one vector after the other."""
    last = np.moveaxis(np.asarray(x, dtype=float), axis, -1)
    shares = np.zeros(last.shape)
    for place in np.ndindex(last.shape[:-1]):
        shares[place] = softmax_of_row(last[place])
    return np.moveaxis(shares, -1, axis)


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    """One step, row by row."""
    h_t = np.zeros((len(x_t), len(b)))
    for row in range(len(x_t)):
        for unit in range(len(b)):
            total = b[unit]
            for k in range(W_x.shape[1]):
                total = total + W_x[unit, k] * x_t[row, k]
            for k in range(W_h.shape[1]):
                total = total + W_h[unit, k] * h_prev[row, k]
            h_t[row, unit] = math.tanh(total)
    return h_t


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    """All steps."""
    batch, time, _ = x.shape
    h = np.zeros((batch, time, len(b)))
    state = h0
    for t in range(time):
        state = rnn_step(x[:, t], state, W_x, W_h, b)
        h[:, t] = state
    return h


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    """Softmax of W_y h + b_y for each state."""
    probs = np.zeros(h.shape[:-1] + (len(b_y),))
    for place in np.ndindex(h.shape[:-1]):
        probs[place] = softmax_of_row(W_y @ h[place] + b_y)
    return probs


def log_prob_of(logits: np.ndarray, token: int) -> float:
    """ln softmax(logits)[token] for a vector of logits."""
    largest = logits.max()
    total = 0.0
    for z in logits:
        total += math.exp(z - largest)
    return float(logits[token] - largest - math.log(total))


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    """Mean surprise over the targets that count."""
    total, count = 0.0, 0
    for n in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if mask[n, t]:
                total -= log_prob_of(logits[n, t], targets[n, t])
                count += 1
    return total / count


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Sum of the log-probabilities over time."""
    ids = np.asarray(ids)
    result = np.zeros(ids.shape[:-1])
    for place in np.ndindex(ids.shape[:-1]):
        total = 0.0
        for t in range(ids.shape[-1]):
            total += log_prob_of(logits[place][t], ids[place][t])
        result[place] = total
    return result[()]


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    """Add up first, then divide."""
    total = np.sum(nll)
    tokens = np.sum(n)
    return float(np.exp(total / tokens))


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    """Nats to bits, per character."""
    total = np.sum(nll)
    characters = np.sum(n)
    return float(total / characters / math.log(2))


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    """Read each sequence alone, up to its end."""
    probs = np.zeros((len(x), len(params["b_y"])))
    for n in range(len(x)):
        real = x[n : n + 1, : int(lengths[n])]
        h = rnn_forward(real, h0[n : n + 1], params["W_x"], params["W_h"], params["b"])
        probs[n] = output_probs(h[0, -1], params["W_y"], params["b_y"])
    return probs


def one_hot(token: int, size: int) -> np.ndarray:
    """A batch of one one-hot vector."""
    vector = np.zeros((1, size))
    vector[0, token] = 1
    return vector


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    """Sample, read, repeat."""
    vocab = params["W_x"].shape[1]
    state = h0[np.newaxis, :]
    token = first_id
    written = []
    for k in range(n):
        state = rnn_step(one_hot(token, vocab), state, params["W_x"], params["W_h"], params["b"])
        probs = output_probs(state[0], params["W_y"], params["b_y"])
        cumulative = 0.0
        for candidate, p in enumerate(probs):
            cumulative += p
            if p > 0:
                token = candidate
            if cumulative > uniforms[k]:
                break
        written.append(token)
    return np.array(written, dtype=int)


def caption(
    image: np.ndarray, W_i: np.ndarray, params: dict[str, np.ndarray], bos: int, eos: int, max_len: int
) -> np.ndarray:
    """Greedy, from the state that the image makes."""
    vocab = params["W_x"].shape[1]
    state = np.tanh(W_i @ image)[np.newaxis, :]
    token = bos
    written = []
    while len(written) < max_len:
        state = rnn_step(one_hot(token, vocab), state, params["W_x"], params["W_h"], params["b"])
        probs = output_probs(state[0], params["W_y"], params["b_y"])
        token = int(np.argmax(probs))
        written.append(token)
        if token == eos:
            break
    return np.array(written, dtype=int)


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
