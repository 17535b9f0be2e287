"""A class in the style of frameworks: one weight dict, a forward method, a state it keeps; the functions only call it."""

import numpy as np


class Tokenizer:
    """Characters and their ids, both ways."""

    def __init__(self, stoi):
        self.stoi = stoi
        self.itos = {i: s for s, i in stoi.items()}

    def encode(self, s):
        return np.array([self.stoi[c] for c in s])

    def decode(self, ids):
        return "".join([self.itos[i] for i in np.asarray(ids).tolist()])


def encode(text, vocab):
    return Tokenizer(vocab).encode(text)


def decode(ids, vocab):
    return Tokenizer(vocab).decode(ids)


class RNN:
    """An Elman network that keeps its state from call to call."""

    def __init__(self, W_x, W_h, b, W_y=None, b_y=None):
        self.W_x, self.W_h, self.b, self.W_y, self.b_y = W_x, W_h, b, W_y, b_y
        self.h = None

    def reset(self, h):
        self.h = np.array(h)
        return self

    def step(self, x):
        self.h = np.tanh(np.dot(x, self.W_x.T) + np.dot(self.h, self.W_h.T) + self.b)
        return self.h

    def forward(self, x):
        return np.swapaxes(np.array([self.step(x[:, t]) for t in range(x.shape[1])]), 0, 1)

    def predict(self, h):
        z = np.dot(h, self.W_y.T) + self.b_y
        e = np.exp(z - z.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return RNN(W_x, W_h, b).reset(h_prev).step(x_t)


def rnn_forward(x, h0, W_x, W_h, b):
    return RNN(W_x, W_h, b).reset(h0).forward(x)


def output_probs(h, W_y, b_y):
    return RNN(None, None, None, W_y, b_y).predict(h)


def classify_sequence(x, h0, lengths, params):
    net = RNN(**params).reset(h0)
    return net.predict(net.forward(x))[range(len(x)), lengths - 1]


def generate(h0, first_id, n, params, uniforms):
    net, ids = RNN(**params).reset(h0[np.newaxis]), [first_id]
    for step in range(n):
        one_hot = np.identity(params["W_x"].shape[1])[ids[-1] : ids[-1] + 1]
        cdf = net.predict(net.step(one_hot))[0].cumsum()
        ids.append(next((i for i, c in enumerate(cdf) if c > uniforms[step]), len(cdf) - 1))
    return np.array(ids[1:])


def caption(image, W_i, params, bos, eos, max_len):
    net, ids = RNN(**params).reset(np.tanh(image[np.newaxis] @ W_i.T)), [bos]
    while len(ids) <= max_len and (len(ids) == 1 or ids[-1] != eos):
        one_hot = np.identity(params["W_x"].shape[1])[ids[-1] : ids[-1] + 1]
        ids.append(int(net.predict(net.step(one_hot))[0].argmax()))
    return np.array(ids[1:])


def quiz():
    return dict(
        what_is_recurrent="C",
        same_letter=" b",
        shifted_targets="A",
        why_mask="d",
        untrained_loss="c ",
        perplexity_of_three="A",
        weights_and_length="b",
        two_steps="D",
    )
