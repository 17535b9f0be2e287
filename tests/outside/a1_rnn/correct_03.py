"""RNN language model. Einsum, and one small class that holds the weights."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Cell:
    W_x: np.ndarray
    W_h: np.ndarray
    b: np.ndarray

    def step(self, x_t, h_prev):
        """One step of the cell for a whole batch."""
        read = np.einsum("ni,hi->nh", x_t, self.W_x)
        remembered = np.einsum("nj,hj->nh", h_prev, self.W_h)
        return np.tanh(read + remembered + self.b)

    def run(self, x, h0):
        """Yield the states one after the other."""
        h = h0
        for x_t in np.swapaxes(x, 0, 1):
            h = self.step(x_t, h)
            yield h


def _log_norm(z, axis=-1):
    m = np.amax(z, axis=axis, keepdims=True)
    return m + np.log(np.sum(np.exp(z - m), axis=axis, keepdims=True))


def _target_log_probs(logits, ids):
    logp = logits - _log_norm(logits)
    hot = np.arange(logits.shape[-1]) == np.asarray(ids)[..., None]
    return np.where(hot, logp, 0.0).sum(axis=-1)


def build_vocab(text):
    chars = sorted(set(text))
    return dict(zip(chars, range(len(chars))))


def encode(text, vocab):
    return np.fromiter(map(vocab.__getitem__, text), dtype=np.intp, count=len(text))


def decode(ids, vocab):
    reverse = dict(zip(vocab.values(), vocab.keys()))
    return "".join(map(reverse.get, np.asarray(ids).tolist()))


def softmax(x, axis=-1):
    shifted = x - np.amax(x, axis=axis, keepdims=True)
    weights = np.exp(shifted)
    total = np.sum(weights, axis=axis, keepdims=True)
    return weights / total


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return Cell(W_x=W_x, W_h=W_h, b=b).step(x_t=x_t, h_prev=h_prev)


def rnn_forward(x, h0, W_x, W_h, b):
    cell = Cell(W_x=W_x, W_h=W_h, b=b)
    states = list(cell.run(x, h0))
    return np.swapaxes(np.array(states), 0, 1)


def output_probs(h, W_y, b_y):
    logits = np.einsum("...h,vh->...v", h, W_y) + b_y
    return softmax(logits, axis=-1)


def next_token_loss(logits, targets, mask):
    logp = _target_log_probs(logits, targets)
    mask = np.asarray(mask, dtype=bool)
    return float(-np.sum(logp, where=mask) / np.count_nonzero(mask))


def sequence_log_prob(logits, ids):
    return np.sum(_target_log_probs(logits, ids), axis=-1)


def perplexity(nll, n):
    mean = np.sum(nll) / np.sum(n)
    return float(np.exp(mean))


def bits_per_char(nll, n):
    mean = np.sum(nll) / np.sum(n)
    return float(mean * np.log2(np.e))


def classify_sequence(x, h0, lengths, params):
    cell = Cell(W_x=params["W_x"], W_h=params["W_h"], b=params["b"])
    final = h0
    for t, h in enumerate(cell.run(x, h0)):
        final = np.where((t < lengths)[:, None], h, final)
    return output_probs(h=final, W_y=params["W_y"], b_y=params["b_y"])


def generate(h0, first_id, n, params, uniforms):
    cell = Cell(W_x=params["W_x"], W_h=params["W_h"], b=params["b"])
    ids = np.empty(n, dtype=int)
    h = h0[np.newaxis]
    token = first_id
    for k in range(n):
        x_t = np.zeros((1, params["W_x"].shape[1]))
        x_t[:, token] = 1
        h = cell.step(x_t, h)
        cdf = output_probs(h, params["W_y"], params["b_y"])[0].cumsum()
        token = np.searchsorted(cdf, uniforms[k], side="right")
        ids[k] = token
    return ids


def quiz():
    return dict(
        what_is_recurrent="c",
        which_data="d",
        weights_and_length="a",
        same_letter="b",
        shifted_targets="a",
        perplexity_of_four="d",
        untrained_loss="c",
        why_mask="d",
    )
