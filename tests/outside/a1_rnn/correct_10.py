"""Assignment 1, recurrent networks. Vectorised numpy."""

import numpy as np


def build_vocab(text):
    return {char: number for number, char in enumerate(sorted(set(text)))}


def encode(text, vocab):
    return np.array([vocab[c] for c in text], dtype=int)


def decode(ids, vocab):
    id_to_char = {i: c for c, i in vocab.items()}
    return "".join(id_to_char[int(i)] for i in ids)


def softmax(x, axis=-1):
    # subtract the maximum so that exp never overflows
    shifted = x - np.max(x, axis=axis, keepdims=True)
    exps = np.exp(shifted)
    return exps / np.sum(exps, axis=axis, keepdims=True)


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return np.tanh(x_t @ W_x.T + h_prev @ W_h.T + b)


def rnn_forward(x, h0, W_x, W_h, b):
    batch, time, _ = x.shape
    h = np.zeros((batch, time, W_h.shape[0]))
    state = h0
    for t in range(time):
        state = rnn_step(x[:, t], state, W_x, W_h, b)
        h[:, t] = state
    return h


def output_probs(h, W_y, b_y):
    return softmax(h @ W_y.T + b_y, axis=-1)


def log_softmax(z):
    z = z - z.max(axis=-1, keepdims=True)
    return z - np.log(np.exp(z).sum(axis=-1, keepdims=True))


def next_token_loss(logits, targets, mask):
    logp = log_softmax(logits)
    picked = np.take_along_axis(logp, targets[..., None], axis=-1)[..., 0]
    return float(-picked[mask].sum() / mask.sum())


def sequence_log_prob(logits, ids):
    logp = log_softmax(logits)
    picked = np.take_along_axis(logp, ids[..., None], axis=-1)[..., 0]
    return picked.sum(axis=-1)


def perplexity(nll, n):
    return float(np.exp(np.sum(nll) / np.sum(n)))


def bits_per_char(nll, n):
    return float(np.sum(nll) / (np.sum(n) * np.log(2)))


def classify_sequence(x, h0, lengths, params):
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    last = h[np.arange(len(lengths)), lengths - 1]
    return output_probs(last, params["W_y"], params["b_y"])


def generate(h0, first_id, n, params, uniforms):
    vocab = params["W_x"].shape[1]
    state = h0
    token = first_id
    ids = []
    for step in range(n):
        x_t = np.eye(vocab)[token]
        state = rnn_step(x_t, state, params["W_x"], params["W_h"], params["b"])
        p = output_probs(state, params["W_y"], params["b_y"])
        token = int(np.searchsorted(np.cumsum(p), uniforms[step], side="right"))
        token = min(token, vocab - 1)
        ids.append(token)
    return np.array(ids)


def caption(image, W_i, params, bos, eos, max_len):
    vocab = params["W_x"].shape[1]
    state = np.tanh(W_i @ image)
    token = bos
    words = []
    while len(words) < max_len:
        state = rnn_step(np.eye(vocab)[token], state, params["W_x"], params["W_h"], params["b"])
        p = output_probs(state, params["W_y"], params["b_y"])
        token = int(np.argmax(p))
        words.append(token)
        if token == eos:
            break
    return np.array(words)


def quiz():
    return {
        "what_is_recurrent": "c",
        "same_letter": "b",
        "shifted_targets": "a",
        "why_mask": "d",
        "untrained_loss": "c",
        "perplexity_of_three": "a",
        "weights_and_length": "b",
        "two_steps": "c",
    }
