"""Elman RNN language model, short version."""

import numpy as np


def build_vocab(text):
    return {ch: i for i, ch in enumerate(sorted(set(text)))}


def encode(text, vocab):
    return np.array([vocab[ch] for ch in text], dtype=int)


def decode(ids, vocab):
    inv = {i: ch for ch, i in vocab.items()}
    return "".join(inv[int(i)] for i in ids)


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return np.tanh(x_t @ W_x.T + h_prev @ W_h.T + b)


def rnn_forward(x, h0, W_x, W_h, b):
    h, out = h0, []
    for t in range(x.shape[1]):
        h = rnn_step(x[:, t], h, W_x, W_h, b)
        out.append(h)
    return np.stack(out, axis=1)


def output_probs(h, W_y, b_y):
    return softmax(h @ W_y.T + b_y)


def log_softmax(z):
    z = z - z.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def next_token_loss(logits, targets, mask):
    lp = np.take_along_axis(log_softmax(logits), targets[..., None], -1)[..., 0]
    return float(-lp[mask].mean())


def sequence_log_prob(logits, ids):
    lp = np.take_along_axis(log_softmax(logits), ids[..., None], -1)[..., 0]
    return lp.sum(-1)


def perplexity(nll, n):
    return float(np.exp(np.sum(nll) / np.sum(n)))


def bits_per_char(nll, n):
    return float(np.sum(nll) / np.sum(n) / np.log(2))


def classify_sequence(x, h0, lengths, params):
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    last = h[np.arange(len(lengths)), lengths - 1]
    return output_probs(last, params["W_y"], params["b_y"])


def generate(h0, first_id, n, params, uniforms):
    h, tok, ids = h0[None, :], first_id, []
    eye = np.eye(params["W_x"].shape[1])
    for u in uniforms[:n]:
        h = rnn_step(eye[tok][None, :], h, params["W_x"], params["W_h"], params["b"])
        p = output_probs(h, params["W_y"], params["b_y"])[0]
        tok = int(np.argmax(np.cumsum(p) > u))
        ids.append(tok)
    return np.array(ids)


def quiz():
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
