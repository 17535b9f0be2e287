"""Everything with loops, so that I can see what happens."""

import math

import numpy as np


def build_vocab(text: str) -> dict[str, int]:
    chars = []
    for c in text:
        if c not in chars:
            chars.append(c)
    chars.sort()
    vocab = {}
    for i in range(len(chars)):
        vocab[chars[i]] = i
    return vocab


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    ids = np.zeros(len(text), dtype=int)
    for k, c in enumerate(text):
        ids[k] = vocab[c]
    return ids


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    text = ""
    for i in ids:
        for c in vocab:
            if vocab[c] == i:
                text += c
    return text


def _softmax_row(row):
    biggest = max(row)
    e = [math.exp(v - biggest) for v in row]
    total = sum(e)
    return [v / total for v in e]


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    moved = np.moveaxis(np.array(x, dtype=float), axis, -1)
    result = np.zeros(moved.shape)
    for place in np.ndindex(moved.shape[:-1]):
        result[place] = _softmax_row(moved[place])
    return np.moveaxis(result, -1, axis)


def rnn_step(x_t, h_prev, W_x, W_h, b):
    batch = x_t.shape[0]
    hidden = W_h.shape[0]
    h_t = np.zeros((batch, hidden))
    for n in range(batch):
        for j in range(hidden):
            z = b[j]
            for i in range(W_x.shape[1]):
                z += W_x[j, i] * x_t[n, i]
            for i in range(hidden):
                z += W_h[j, i] * h_prev[n, i]
            h_t[n, j] = math.tanh(z)
    return h_t


def rnn_forward(x, h0, W_x, W_h, b):
    states = []
    h = h0
    for t in range(x.shape[1]):
        h = rnn_step(x[:, t], h, W_x, W_h, b)
        states.append(h)
    return np.stack(states, axis=1)


def output_probs(h, W_y, b_y):
    h = np.asarray(h)
    out = np.zeros(h.shape[:-1] + (W_y.shape[0],))
    for place in np.ndindex(h.shape[:-1]):
        logits = W_y @ h[place] + b_y
        out[place] = softmax(logits)
    return out


def _log_prob(row, target):
    """ln softmax(row)[target] without overflow"""
    biggest = max(row)
    return row[target] - biggest - math.log(sum(math.exp(v - biggest) for v in row))


def next_token_loss(logits, targets, mask):
    total = 0.0
    count = 0
    for n in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if mask[n, t]:
                total -= _log_prob(logits[n, t], targets[n, t])
                count += 1
    return total / count


def sequence_log_prob(logits, ids):
    result = np.zeros(ids.shape[:-1])
    for place in np.ndindex(ids.shape[:-1]):
        s = 0.0
        for t in range(ids.shape[-1]):
            s += _log_prob(logits[place][t], ids[place][t])
        result[place] = s
    return result[()]


def perplexity(nll, n):
    total_nll = sum(np.atleast_1d(nll))
    total_n = sum(np.atleast_1d(n))
    return math.exp(total_nll / total_n)


def bits_per_char(nll, n):
    nats = sum(np.atleast_1d(nll)) / sum(np.atleast_1d(n))
    return nats / math.log(2)


def classify_sequence(x, h0, lengths, params):
    answers = []
    for n in range(len(x)):
        h = h0[n : n + 1]
        for t in range(lengths[n]):
            h = rnn_step(x[n : n + 1, t], h, params["W_x"], params["W_h"], params["b"])
        answers.append(output_probs(h[0], params["W_y"], params["b_y"]))
    return np.array(answers)


def generate(h0, first_id, n, params, uniforms):
    h = h0.reshape(1, -1)
    current = first_id
    out = np.zeros(n, dtype=int)
    for k in range(n):
        one_hot = np.zeros((1, params["W_x"].shape[1]))
        one_hot[0, current] = 1
        h = rnn_step(one_hot, h, params["W_x"], params["W_h"], params["b"])
        probs = output_probs(h[0], params["W_y"], params["b_y"])
        cumulative = 0.0
        for i in range(len(probs)):
            cumulative += probs[i]
            if cumulative > uniforms[k]:
                current = i
                break
        out[k] = current
    return out


def caption(image, W_i, params, bos, eos, max_len):
    h = np.tanh(np.dot(W_i, image)).reshape(1, -1)
    current = bos
    out = []
    for k in range(max_len):
        one_hot = np.zeros((1, params["W_x"].shape[1]))
        one_hot[0, current] = 1
        h = rnn_step(one_hot, h, params["W_x"], params["W_h"], params["b"])
        probs = output_probs(h[0], params["W_y"], params["b_y"])
        best = 0
        for i in range(len(probs)):
            if probs[i] > probs[best]:
                best = i
        current = best
        out.append(current)
        if current == eos:
            return np.array(out)
    return np.array(out)


def quiz():
    answers = {
        "what_is_recurrent": "c",
        "same_letter": "b",
        "shifted_targets": "a",
        "why_mask": "d",
        "untrained_loss": "c",
        "perplexity_of_three": "a",
        "weights_and_length": "b",
        "two_steps": "a",
    }
    return answers
