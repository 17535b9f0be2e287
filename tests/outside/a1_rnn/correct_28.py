import numpy as np


class Network:
    """The network with the weights of `params`, reading one sequence token by token."""

    def __init__(self, params, h0):
        self.W_x, self.W_h, self.b = params["W_x"], params["W_h"], params["b"]
        self.W_y, self.b_y = params["W_y"], params["b_y"]
        self.one_hots = np.eye(self.W_x.shape[1])
        self.h = np.atleast_2d(h0)

    def read(self, token):
        """Update the state and return the prediction, (vocab,)."""
        self.h = rnn_step(self.one_hots[[token]], self.h, self.W_x, self.W_h, self.b)
        return output_probs(self.h[0], self.W_y, self.b_y)


def _log_probs(logits, ids):
    log_z = np.logaddexp.reduce(logits, axis=-1)
    picked = np.take_along_axis(logits, np.expand_dims(ids, -1), axis=-1).squeeze(-1)
    return picked - log_z


def build_vocab(text: str) -> dict[str, int]:
    return {ch: i for i, ch in enumerate(sorted(set(text)))}


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    return np.array(list(map(vocab.get, text)), dtype=int)


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    table = {number: ch for ch, number in vocab.items()}
    return "".join(map(table.__getitem__, np.asarray(ids).tolist()))


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    log_total = np.logaddexp.reduce(x, axis=axis, keepdims=True)
    return np.exp(x - log_total)


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    z = (W_x @ x_t.T + W_h @ h_prev.T).T + b
    return np.tanh(z)


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    # what comes from the inputs can be had for all steps at once
    from_x = x @ W_x.T + b
    h = np.empty(from_x.shape)
    last = h0
    for t in range(x.shape[1]):
        last = np.tanh(from_x[:, t] + last @ W_h.T)
        h[:, t] = last
    return h


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    return softmax(h @ W_y.T + b_y)


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    # flatten to the places that count, then it is one long list
    return float(-_log_probs(logits[mask], targets[mask]).mean())


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    return _log_probs(logits, ids).sum(-1)


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    nll, n = np.asarray(nll, dtype=float), np.asarray(n)
    return float(np.exp(nll.sum() / n.sum()))


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    nll, n = np.asarray(nll, dtype=float), np.asarray(n)
    bits = nll / np.log(2)
    return float(bits.sum() / n.sum())


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    probs = output_probs(h, params["W_y"], params["b_y"])
    index = (np.asarray(lengths) - 1)[:, None, None]
    return np.take_along_axis(probs, index, axis=1)[:, 0]


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    net = Network(params, h0)
    ids = []
    token = first_id
    for u in uniforms[:n]:
        p = net.read(token)
        # how many pieces end at or before u
        token = int((np.cumsum(p) <= u).sum())
        ids.append(token)
    return np.array(ids, dtype=int)


def caption(
    image: np.ndarray, W_i: np.ndarray, params: dict[str, np.ndarray], bos: int, eos: int, max_len: int
) -> np.ndarray:
    net = Network(params, np.tanh(W_i @ image))
    ids = [int(np.argmax(net.read(bos)))]
    while len(ids) < max_len and ids[-1] != eos:
        ids.append(int(np.argmax(net.read(ids[-1]))))
    return np.array(ids)


def quiz() -> dict[str, str]:
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
