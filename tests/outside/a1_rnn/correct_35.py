import numpy as np


class ElmanCell:
    """Holds the weights and the current state, so that I do not have to pass everything around."""

    def __init__(self, W_x, W_h, b, h):
        self.W_x, self.W_h, self.b = W_x, W_h, b
        self.h = h

    def read(self, x_t):
        pre = np.einsum("nf,kf->nk", x_t, self.W_x)
        pre = pre + np.einsum("nj,kj->nk", self.h, self.W_h)
        self.h = np.tanh(pre + self.b)
        return self.h

    def read_id(self, i):
        # one-hot times W_x is just a column of W_x
        self.h = np.tanh(self.W_x.T[i] + self.h @ self.W_h.T + self.b)
        return self.h


def build_vocab(text: str) -> dict[str, int]:
    return {c: i for i, c in enumerate(sorted(set(text)))}


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    return np.fromiter(map(vocab.__getitem__, text), dtype=int, count=len(text))


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    back = {}
    for ch, i in vocab.items():
        back[i] = ch
    return "".join([back[i] for i in np.asarray(ids).tolist()])


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    moved = np.moveaxis(np.array(x, dtype=np.float64), axis, 0)
    moved = moved - moved.max(axis=0)
    e = np.exp(moved)
    e /= e.sum(axis=0)
    return np.moveaxis(e, 0, axis)


def log_softmax(z):
    z = z - z.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return ElmanCell(W_x, W_h, b, h_prev).read(x_t)


def rnn_forward(x, h0, W_x, W_h, b):
    # the input part of all steps in one go, only the recurrence needs the loop
    drive = x @ W_x.T + b
    out = np.zeros((x.shape[0], x.shape[1], W_h.shape[0]))
    for t in range(x.shape[1]):
        last = h0 if t == 0 else out[:, t - 1]
        out[:, t] = np.tanh(drive[:, t] + last @ W_h.T)
    return out


def output_probs(h, W_y, b_y):
    logits = h @ W_y.T + b_y
    return softmax(logits)


def next_token_loss(logits, targets, mask):
    logp = log_softmax(logits[mask])
    right = targets[mask]
    return -logp[np.arange(len(right)), right].mean()


def sequence_log_prob(logits, ids):
    logp = log_softmax(logits)
    picked = np.take_along_axis(logp, np.expand_dims(ids, -1), -1).squeeze(-1)
    return picked.sum(-1)


def perplexity(nll, n):
    mean = np.asarray(nll, dtype=float).sum() / np.asarray(n).sum()
    return 2.0 ** (mean / np.log(2))


def bits_per_char(nll, n):
    return np.log2(perplexity(nll, n))


def classify_sequence(x, h0, lengths, params):
    rows = []
    for i, length in enumerate(lengths):
        h = rnn_forward(x[i : i + 1, :length], h0[i : i + 1], params["W_x"], params["W_h"], params["b"])
        rows.append(output_probs(h[0, -1], params["W_y"], params["b_y"]))
    return np.array(rows)


def generate(h0, first_id, n, params, uniforms):
    cell = ElmanCell(params["W_x"], params["W_h"], params["b"], h0)
    ids = np.zeros(n, dtype=int)
    token = first_id
    for k in range(n):
        p = output_probs(cell.read_id(token), params["W_y"], params["b_y"])
        acc = 0.0
        token = None
        for i in range(len(p)):
            acc += p[i]
            if acc > uniforms[k]:
                token = i
                break
        if token is None:  # rounding at the very end
            token = int(np.flatnonzero(p)[-1])
        ids[k] = token
    return ids


def caption(image, W_i, params, bos, eos, max_len):
    def words():
        cell = ElmanCell(params["W_x"], params["W_h"], params["b"], np.tanh(W_i @ image))
        token = bos
        for _ in range(max_len):
            p = output_probs(cell.read_id(token), params["W_y"], params["b_y"])
            token = int(np.argmax(p))
            yield token
            if token == eos:
                return

    return np.array(list(words()))


def quiz():
    return dict(
        what_is_recurrent="c",
        same_letter="b",
        shifted_targets="a",
        why_mask="d",
        untrained_loss="c",
        perplexity_of_three="a",
        weights_and_length="b",
        two_steps="d",
    )
