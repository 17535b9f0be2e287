import numpy as np


def _affine(v, W, b):
    """W v + b for every row v, whatever stands in front."""
    return np.dot(v, W.T) + b


def _log_softmax(z, axis=-1):
    return z - np.expand_dims(np.logaddexp.reduce(z, axis=axis), axis)


def _pick(log_p, ids):
    return np.take_along_axis(log_p, np.asarray(ids)[..., None], axis=-1)[..., 0]


class _Network:
    """The five arrays, and one joint matrix for [x; h]."""

    def __init__(self, W_x, W_h, b, W_y=None, b_y=None):
        self.W = np.hstack([W_x, W_h])
        self.b, self.W_y, self.b_y = b, W_y, b_y
        self.vocab = W_x.shape[1]

    def move(self, x_t, h):
        return np.tanh(_affine(np.concatenate([x_t, h], axis=-1), self.W, self.b))

    def read(self, token, h):
        x_t = np.zeros(self.vocab)
        x_t[token] = 1.0
        return self.move(x_t, h)

    def logits(self, h):
        return _affine(h, self.W_y, self.b_y)


def build_vocab(text):
    chars = sorted(set(text))
    return dict(zip(chars, range(len(chars))))


def encode(text, vocab):
    return np.array(list(map(vocab.__getitem__, text)), dtype=int)


def decode(ids, vocab):
    inverse = dict(zip(vocab.values(), vocab.keys()))
    return "".join(map(inverse.__getitem__, np.asarray(ids).tolist()))


def softmax(x, axis=-1):
    return np.exp(_log_softmax(np.asarray(x, dtype=float), axis))


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return _Network(W_x, W_h, b).move(x_t, h_prev)


def rnn_forward(x, h0, W_x, W_h, b):
    net = _Network(W_x, W_h, b)
    states = [h0]
    for t in range(x.shape[1]):
        states.append(net.move(x[:, t], states[-1]))
    return np.stack(states[1:], axis=1)


def output_probs(h, W_y, b_y):
    return softmax(_affine(h, W_y, b_y))


def next_token_loss(logits, targets, mask):
    return -_pick(_log_softmax(logits), targets)[mask].mean()


def sequence_log_prob(logits, ids):
    return _pick(_log_softmax(logits), ids).sum(axis=-1)


def perplexity(nll, n):
    return 2.0 ** bits_per_char(nll, n)


def bits_per_char(nll, n):
    return np.sum(nll) * np.log2(np.e) / np.sum(n)


def classify_sequence(x, h0, lengths, params):
    net = _Network(**params)
    h = h0
    for t in range(x.shape[1]):
        still_reading = (t < np.asarray(lengths))[:, None]
        h = np.where(still_reading, net.move(x[:, t], h), h)
    return softmax(net.logits(h))


def generate(h0, first_id, n, params, uniforms):
    net = _Network(**params)
    ids = np.empty(n, dtype=int)
    h, token = h0, first_id
    for t in range(n):
        h = net.read(token, h)
        cumulative = np.cumsum(softmax(net.logits(h)))
        token = np.searchsorted(cumulative / cumulative[-1], uniforms[t], side="right")
        ids[t] = token
    return ids


def caption(image, W_i, params, bos, eos, max_len):
    net = _Network(**params)
    h = np.tanh(W_i @ image)
    written = [bos]
    while len(written) <= max_len:
        h = net.read(written[-1], h)
        written.append(int(net.logits(h).argmax()))
        if written[-1] == eos:
            break
    return np.array(written[1:], dtype=int)


def quiz():
    return {
        "what_is_recurrent": "c",
        "same_letter": "b",
        "shifted_targets": "a",
        "why_mask": "d",
        "untrained_loss": "c",
        "perplexity_of_three": "a",
        "weights_and_length": "b",
        "two_steps": "d",
    }
