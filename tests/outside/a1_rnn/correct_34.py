"""a1 - my solution"""
import bisect
import itertools
import math

import numpy as np


def build_vocab(text):
    vocab = {}
    for ch in sorted(text):
        if ch not in vocab:
            vocab[ch] = len(vocab)
    return vocab


def encode(text, vocab):
    out = np.empty(len(text), dtype=np.int64)
    for k, ch in enumerate(text):
        out[k] = vocab[ch]
    return out


def decode(ids, vocab):
    inverse = dict(zip(vocab.values(), vocab.keys()))
    s = ""
    for i in ids:
        s += inverse[int(i)]
    return s


def logsumexp(a, axis):
    return np.logaddexp.reduce(a, axis=axis, keepdims=True)


def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    # log space first, exp last
    return np.exp(x - logsumexp(x, axis))


def rnn_step(x_t, h_prev, W_x, W_h, b):
    # one big matrix for [x, h, 1]
    ones = np.ones((x_t.shape[0], 1))
    row = np.hstack([x_t, h_prev, ones])
    W = np.hstack([W_x, W_h, b[:, None]])
    return np.tanh(np.inner(row, W))


def rnn_forward(x, h0, W_x, W_h, b):
    batch, time, _ = x.shape
    states = itertools.accumulate(
        range(time),
        lambda h, t: rnn_step(x[:, t], h, W_x, W_h, b),
        initial=h0,
    )
    states = list(states)[1:]
    return np.stack(states, axis=1)


def output_probs(h, W_y, b_y):
    return softmax(np.tensordot(h, W_y, axes=([-1], [1])) + b_y)


def next_token_loss(logits, targets, mask):
    total = 0.0
    n = 0
    B, T, V = logits.shape
    for i in range(B):
        for t in range(T):
            if not mask[i, t]:
                continue
            row = logits[i, t].astype(float)
            top = row.max()
            lse = top + math.log(np.exp(row - top).sum())
            total += lse - row[targets[i, t]]
            n += 1
    return float(total / n)


def sequence_log_prob(logits, ids):
    V = logits.shape[-1]
    logp = logits - logsumexp(logits, -1)
    hot = np.arange(V) == np.asarray(ids)[..., None]
    return np.where(hot, logp, 0.0).sum(axis=(-2, -1))


def perplexity(nll, n):
    return math.exp(np.sum(nll) / np.sum(n))


def bits_per_char(nll, n):
    return float(np.sum(nll) * math.log2(math.e) / np.sum(n))


def classify_sequence(x, h0, lengths, params):
    W_x, W_h, b = params["W_x"], params["W_h"], params["b"]
    h = np.array(h0, dtype=float)
    for t in range(x.shape[1]):
        alive = t < np.asarray(lengths)
        new = rnn_step(x[:, t], h, W_x, W_h, b)
        h = np.where(alive[:, None], new, h)  # a row that is over keeps its state
    return output_probs(h, params["W_y"], params["b_y"])


def one_hot(i, size):
    v = np.zeros(size)
    v[i] = 1.0
    return v


def generate(h0, first_id, n, params, uniforms):
    vocab = params["W_x"].shape[1]
    h = h0[None, :]
    token = first_id
    written = []
    for u in uniforms[:n]:
        h = rnn_step(one_hot(token, vocab)[None], h, params["W_x"], params["W_h"], params["b"])
        p = output_probs(h[0], params["W_y"], params["b_y"])
        edges = list(itertools.accumulate(p.tolist()))
        token = bisect.bisect_right(edges, float(u))
        token = min(token, vocab - 1)
        written.append(token)
    return np.array(written, dtype=int)


def caption(image, W_i, params, bos, eos, max_len):
    h = np.tanh(W_i.dot(image))
    words = []
    prev = bos
    while len(words) < max_len:
        h = np.tanh(params["W_x"][:, prev] + params["W_h"].dot(h) + params["b"])
        prev = int((params["W_y"].dot(h) + params["b_y"]).argmax())
        words.append(prev)
        if prev == eos:
            break
    return np.array(words, dtype=int)


def quiz():
    answers = {
        "what_is_recurrent": "c",
        "same_letter": "b",
        "shifted_targets": "a",
        "why_mask": "d",
        "untrained_loss": "c",
        "perplexity_of_three": "a",
        "weights_and_length": "b",
        "two_steps": "d",
    }
    return answers
