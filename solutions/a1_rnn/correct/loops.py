"""Plain Python: one number at a time, dicts and lists instead of arrays inside."""

import math

import numpy as np


def build_vocab(text):
    vocab = {}
    for character in sorted(text):
        if character not in vocab:
            vocab[character] = len(vocab)
    return vocab


def encode(text, vocab):
    ids = np.zeros(len(text), dtype=int)
    for t, character in enumerate(text):
        ids[t] = vocab[character]
    return ids


def decode(ids, vocab):
    text = ""
    for wanted in ids:
        for character, index in vocab.items():
            if index == wanted:
                text += character
    return text


def softmax(x, axis=-1):
    out = np.empty(x.shape)
    moved, shares = np.moveaxis(x, axis, -1), np.moveaxis(out, axis, -1)
    for place in np.ndindex(moved.shape[:-1]):
        row = [float(value) for value in moved[place]]
        raised = [math.exp(value - max(row)) for value in row]
        shares[place] = [value / sum(raised) for value in raised]
    return out


def rnn_step(x_t, h_prev, W_x, W_h, b):
    batch, hidden = h_prev.shape
    h_t = np.zeros((batch, hidden))
    for n in range(batch):
        for i in range(hidden):
            total = b[i]
            for j in range(len(x_t[n])):
                total += W_x[i][j] * x_t[n][j]
            for j in range(hidden):
                total += W_h[i][j] * h_prev[n][j]
            h_t[n][i] = math.tanh(total)
    return h_t


def rnn_forward(x, h0, W_x, W_h, b):
    rows = []
    for sequence, start in zip(x, h0):
        h, states = start, []
        for x_t in sequence:
            h = rnn_step(x_t[None], h[None], W_x, W_h, b)[0]
            states.append(h)
        rows.append(states)
    return np.array(rows)


def output_probs(h, W_y, b_y):
    if h.ndim > 1:
        return np.array([output_probs(part, W_y, b_y) for part in h])
    return softmax(np.array([sum(w * unit for w, unit in zip(row, h)) + bias for row, bias in zip(W_y, b_y)]))


def _cost(row, target):
    largest = max(row)
    return math.log(sum(math.exp(z - largest) for z in row)) + largest - row[target]


def next_token_loss(logits, targets, mask):
    total = count = 0
    for n in range(len(logits)):
        for t in range(len(logits[n])):
            if mask[n][t]:
                total += _cost(logits[n][t].tolist(), targets[n][t])
                count += 1
    return total / count


def sequence_log_prob(logits, ids):
    if ids.ndim > 1:
        return np.array([sequence_log_prob(part, part_ids) for part, part_ids in zip(logits, ids)])
    return -sum(_cost(row.tolist(), i) for row, i in zip(logits, ids))


def _total(values):
    return sum(values) if np.ndim(values) else values


def perplexity(nll, n):
    return math.exp(_total(nll) / _total(n))


def bits_per_char(nll, n):
    return _total(nll) / _total(n) / math.log(2)


def classify_sequence(x, h0, lengths, params):
    answers = []
    for n in range(len(x)):
        h = h0[n : n + 1]
        for t in range(lengths[n]):
            h = rnn_step(x[n : n + 1, t], h, params["W_x"], params["W_h"], params["b"])
        answers.append(output_probs(h[0], params["W_y"], params["b_y"]))
    return np.array(answers)


def generate(h0, first_id, n, params, uniforms):
    h, token, ids = h0[None], first_id, np.zeros(n, dtype=int)
    for step in range(n):
        x = np.zeros((1, params["W_x"].shape[1]))
        x[0][token] = 1
        h = rnn_step(x, h, params["W_x"], params["W_h"], params["b"])
        total, token = 0.0, -1
        for p in output_probs(h[0], params["W_y"], params["b_y"]):
            if total > uniforms[step]:
                break
            total += p
            token += 1
        ids[step] = token
    return ids


def caption(image, W_i, params, bos, eos, max_len):
    sums = [sum(weight * feature for weight, feature in zip(row, image)) for row in W_i]
    state, words = np.array([[math.tanh(total) for total in sums]]), []
    while not words or (words[-1] != eos and len(words) < max_len):
        x = np.zeros((1, params["W_x"].shape[1]))
        x[0][words[-1] if words else bos] = 1
        state = rnn_step(x, state, params["W_x"], params["W_h"], params["b"])
        scores = list(output_probs(state[0], params["W_y"], params["b_y"]))
        words.append(scores.index(max(scores)))
    return np.array(words)
