"""Recurrent networks and next-token prediction (all with explicit loops)."""

import math

import numpy as np


def build_vocab(text: str) -> dict[str, int]:
    characters = []
    for character in text:
        if character not in characters:
            characters.append(character)
    characters.sort()
    vocab = {}
    next_id = 0
    for character in characters:
        vocab[character] = next_id
        next_id += 1
    return vocab


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    ids = np.zeros(len(text), dtype=np.int64)
    for position in range(len(text)):
        ids[position] = vocab[text[position]]
    return ids


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    text = ""
    for wanted in ids:
        for character, number in vocab.items():
            if number == wanted:
                text += character
                break
    return text


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    # bring the axis to the end, work there row by row, and bring it back
    moved = np.moveaxis(np.asarray(x, dtype=float), axis, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    shares = np.empty_like(rows)
    for r in range(rows.shape[0]):
        row = rows[r]
        exps = np.exp(row - row.max())
        shares[r] = exps / exps.sum()
    return np.moveaxis(shares.reshape(moved.shape), -1, axis)


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    batch, hidden = h_prev.shape
    h_t = np.zeros((batch, hidden))
    for n in range(batch):
        pre = W_x @ x_t[n] + W_h @ h_prev[n] + b
        h_t[n] = np.tanh(pre)
    return h_t


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    batch, time, _ = x.shape
    hidden = W_h.shape[0]
    states = np.zeros((batch, time, hidden))
    current = h0
    for t in range(time):
        current = rnn_step(x[:, t], current, W_x, W_h, b)
        states[:, t, :] = current
    return states


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    logits = np.dot(h, W_y.T) + b_y
    return softmax(logits, axis=-1)


def surprise(scores: np.ndarray, right: int) -> float:
    """-ln softmax(scores)[right] of one row of scores."""
    biggest = scores.max()
    return float(biggest + math.log(np.exp(scores - biggest).sum()) - scores[right])


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    batch, time, _ = logits.shape
    total = 0.0
    count = 0
    for n in range(batch):
        for t in range(time):
            if mask[n, t]:
                total += surprise(logits[n, t], targets[n, t])
                count += 1
    return total / count


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    time, vocab = logits.shape[-2:]
    flat_logits = logits.reshape(-1, time, vocab)
    flat_ids = ids.reshape(-1, time)
    result = np.zeros(len(flat_ids))
    for n in range(len(flat_ids)):
        for t in range(time):
            result[n] -= surprise(flat_logits[n, t], flat_ids[n, t])
    return result.reshape(ids.shape[:-1])


def perplexity(nll, n) -> float:
    total_nll = np.sum(np.asarray(nll, dtype=float))
    total_n = np.sum(np.asarray(n))
    return float(np.exp(total_nll / total_n))


def bits_per_char(nll, n) -> float:
    total_nll = np.sum(np.asarray(nll, dtype=float))
    total_n = np.sum(np.asarray(n))
    nats = total_nll / total_n
    return nats / math.log(2)


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    batch = x.shape[0]
    probs = []
    for n in range(batch):
        only_real = x[n : n + 1, : lengths[n]]
        states = rnn_forward(only_real, h0[n : n + 1], params["W_x"], params["W_h"], params["b"])
        probs.append(output_probs(states[0, -1], params["W_y"], params["b_y"]))
    return np.array(probs)


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    vocab = params["W_y"].shape[0]
    state = h0.reshape(1, -1)
    token = first_id
    written = []
    for step in range(n):
        one_hot = np.zeros((1, vocab))
        one_hot[0, token] = 1.0
        state = rnn_step(one_hot, state, params["W_x"], params["W_h"], params["b"])
        p = output_probs(state[0], params["W_y"], params["b_y"])
        drawn = 0
        cumulative = p[0]
        while cumulative <= uniforms[step] and drawn < vocab - 1:
            drawn += 1
            cumulative += p[drawn]
        written.append(drawn)
        token = drawn
    return np.array(written, dtype=np.int64)


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
