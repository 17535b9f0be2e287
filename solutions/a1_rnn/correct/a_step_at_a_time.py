"""Each step has a variable, as in code that is written and looked at line by line."""

import numpy as np


def softmax(x, axis=-1):
    largest = np.max(x, axis=axis, keepdims=True)
    lowered = x - largest
    e = np.exp(lowered)
    total = e.sum(axis=axis, keepdims=True)
    return e / total


def rnn_step(x_t, h_prev, W_x, W_h, b):
    past = h_prev @ W_h.T
    seen = x_t @ W_x.T
    both = seen + past
    a = both + b
    return np.tanh(a)


def next_token_loss(logits, targets, mask):
    lowered = logits - logits.max(axis=-1, keepdims=True)
    log_probs = lowered - np.log(np.exp(lowered).sum(axis=-1, keepdims=True))
    nll_of_all = -log_probs
    batch, time = targets.shape
    nll = nll_of_all[np.arange(batch)[:, None], np.arange(time), targets]
    masked = nll * mask
    total = masked.sum()
    loss = total / mask.sum()
    return float(loss)


def sequence_log_prob(logits, ids):
    lowered = logits - logits.max(axis=-1, keepdims=True)
    log_probs = lowered - np.log(np.exp(lowered).sum(axis=-1, keepdims=True))
    of_ids = np.take_along_axis(log_probs, ids[..., None], axis=-1)
    nll = -of_ids[..., 0]
    return -nll.sum(axis=-1)


def output_probs(h, W_y, b_y):
    scores = h @ W_y.T
    logits = scores + b_y
    raised = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def perplexity(nll, n):
    total, count = np.sum(nll), np.sum(n)
    mean = total / count
    return np.exp(mean)


def classify_sequence(x, h0, lengths, params):
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    last = h[np.arange(len(h)), lengths - 1]
    scores = last @ params["W_y"].T
    logits = scores + params["b_y"]
    return softmax(logits)
