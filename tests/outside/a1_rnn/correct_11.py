"""Recurrent networks and next-token prediction. Everything with plain loops, so that I can follow each number."""

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
    """Look up each character."""
    ids = np.zeros(len(text), dtype=int)
    for position in range(len(text)):
        ids[position] = vocab[text[position]]
    return ids


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    """Search each id among the values of the dict."""
    text = ""
    for number in ids:
        for character in vocab:
            if vocab[character] == number:
                text = text + character
                break
    return text


def softmax_of_list(numbers):
    """Softmax of one list of numbers."""
    biggest = max(numbers)
    exponentials = []
    for number in numbers:
        exponentials.append(math.exp(number - biggest))
    total = sum(exponentials)
    return [e / total for e in exponentials]


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Go through all lines along the axis, one after another."""
    shares = np.zeros(x.shape)
    lines = np.moveaxis(x, axis, -1)
    out = np.moveaxis(shares, axis, -1)  # a view, so writing into it fills shares
    for place in np.ndindex(lines.shape[:-1]):
        out[place] = softmax_of_list(lines[place].tolist())
    return shares


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    """One step, unit by unit."""
    batch, n_in = x_t.shape
    hidden = len(b)
    rows, memory = x_t.tolist(), h_prev.tolist()
    wx, wh, bias = W_x.tolist(), W_h.tolist(), b.tolist()
    h_t = np.zeros((batch, hidden))
    for n in range(batch):
        for i in range(hidden):
            total = bias[i]
            for j in range(n_in):
                total += wx[i][j] * rows[n][j]
            for j in range(hidden):
                total += wh[i][j] * memory[n][j]
            h_t[n, i] = math.tanh(total)
    return h_t


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    """All steps, one after another."""
    batch, time, _ = x.shape
    h = np.zeros((batch, time, len(b)))
    state = h0
    for t in range(time):
        state = rnn_step(x[:, t], state, W_x, W_h, b)
        h[:, t] = state
    return h


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    """Probabilities for each single state."""
    vocab = len(b_y)
    weights, bias = W_y.tolist(), b_y.tolist()
    probs = np.zeros(h.shape[:-1] + (vocab,))
    for place in np.ndindex(h.shape[:-1]):
        state = h[place].tolist()
        scores = []
        for v in range(vocab):
            score = bias[v]
            for i in range(len(state)):
                score += weights[v][i] * state[i]
            scores.append(score)
        probs[place] = softmax_of_list(scores)
    return probs


def log_sum_exp(numbers):
    """ln of the sum of exponentials, without overflow."""
    biggest = max(numbers)
    return biggest + math.log(sum(math.exp(number - biggest) for number in numbers))


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    """Mean surprise of the targets that count."""
    batch, time = targets.shape
    total = 0.0
    count = 0
    for n in range(batch):
        for t in range(time):
            if not mask[n, t]:
                continue
            scores = logits[n, t].tolist()
            total += log_sum_exp(scores) - scores[targets[n, t]]
            count += 1
    return total / count


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Sum of the log-probabilities of each sequence."""
    result = np.zeros(ids.shape[:-1])
    for place in np.ndindex(result.shape):
        total = 0.0
        for t in range(ids.shape[-1]):
            scores = logits[place][t].tolist()
            total += scores[ids[place][t]] - log_sum_exp(scores)
        result[place] = total
    return result[()]


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    """e to the mean nll of all tokens."""
    all_nats = 0.0
    for nats in np.ravel(nll):
        all_nats += float(nats)
    all_tokens = 0
    for tokens in np.ravel(n):
        all_tokens += int(tokens)
    return math.exp(all_nats / all_tokens)


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    """Mean nll of all characters, in bits."""
    all_nats = 0.0
    for nats in np.ravel(nll):
        all_nats += float(nats)
    all_characters = 0
    for characters in np.ravel(n):
        all_characters += int(characters)
    nats_per_char = all_nats / all_characters
    return nats_per_char / math.log(2)


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    """Read all, and keep the state at each row's end."""
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    batch = x.shape[0]
    last = np.zeros((batch, h.shape[2]))
    for row in range(batch):
        last[row] = h[row, lengths[row] - 1]
    return output_probs(last, params["W_y"], params["b_y"])


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    """Read, predict, draw, repeat."""
    vocab = params["W_x"].shape[1]
    state = h0.reshape(1, -1)
    token = first_id
    ids = np.zeros(n, dtype=int)
    for step in range(n):
        one_hot = np.zeros((1, vocab))
        one_hot[0, token] = 1.0
        state = rnn_step(one_hot, state, params["W_x"], params["W_h"], params["b"])
        probs = output_probs(state, params["W_y"], params["b_y"])[0]
        cumulative = 0.0
        for candidate in range(len(probs)):
            cumulative += probs[candidate]
            if cumulative > uniforms[step]:
                token = candidate
                break
        else:
            token = int(np.flatnonzero(probs)[-1])  # rounding left the sum below u: the last piece
        ids[step] = token
    return ids


def caption(
    image: np.ndarray, W_i: np.ndarray, params: dict[str, np.ndarray], bos: int, eos: int, max_len: int
) -> np.ndarray:
    """Start from the image, write the likeliest token until the end."""
    hidden, features = W_i.shape
    vocab = params["W_x"].shape[1]
    state = np.zeros((1, hidden))
    for i in range(hidden):
        total = 0.0
        for j in range(features):
            total += W_i[i, j] * image[j]
        state[0, i] = math.tanh(total)
    written = []
    token = bos
    for _ in range(max_len):
        one_hot = np.zeros((1, vocab))
        one_hot[0, token] = 1.0
        state = rnn_step(one_hot, state, params["W_x"], params["W_h"], params["b"])
        probs = output_probs(state, params["W_y"], params["b_y"])[0]
        token = 0
        for candidate in range(len(probs)):
            if probs[candidate] > probs[token]:
                token = candidate
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
