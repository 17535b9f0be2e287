"""Every product as an einsum, one-hot targets, and the log-sum-exp of numpy itself."""

import numpy as np


def encode(text, vocab):
    return np.fromiter(map(vocab.__getitem__, text), dtype=np.int32, count=len(text))


def decode(ids, vocab):
    table = dict(zip(vocab.values(), vocab.keys()))
    return "".join(map(table.get, np.asarray(ids).tolist()))


def softmax(x, axis=-1):
    return np.exp(x - np.logaddexp.reduce(x, axis=axis, keepdims=True))


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return np.tanh(np.einsum("hi,...i->...h", W_x, x_t) + np.einsum("gh,...h->...g", W_h, h_prev) + b)


def rnn_forward(x, h0, W_x, W_h, b):
    drive = np.einsum("bti,hi->bth", x, W_x) + b
    out = np.zeros_like(drive)
    for t in range(drive.shape[1]):
        before = h0 if t == 0 else out[:, t - 1]
        out[:, t] = np.tanh(drive[:, t] + np.einsum("bh,gh->bg", before, W_h))
    return out


def output_probs(h, W_y, b_y):
    return softmax(np.einsum("...h,vh->...v", h, W_y) + b_y, axis=-1)


def next_token_loss(logits, targets, mask):
    log_probs = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    one_hot = np.eye(logits.shape[-1])[targets]
    nll = -np.einsum("btv,btv->bt", one_hot, log_probs)
    return (nll * mask).sum() / mask.sum()


def sequence_log_prob(logits, ids):
    log_probs = logits - np.logaddexp.reduce(logits, axis=-1)[..., None]
    return np.einsum("...tv,...tv->...", np.eye(logits.shape[-1])[ids], log_probs)


def perplexity(nll, n):
    return np.exp2(bits_per_char(nll, n))


def bits_per_char(nll, n):
    return np.sum(nll) * np.log2(np.e) / np.sum(n)


def classify_sequence(x, h0, lengths, params):
    states = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    is_last = np.arange(1, x.shape[1] + 1) == lengths[:, None]
    return output_probs(np.einsum("bt,bth->bh", is_last, states), params["W_y"], params["b_y"])
