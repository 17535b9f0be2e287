import numpy as np

def log_softmax(z):
    out = np.empty(z.shape, dtype=np.float64)
    for idx in np.ndindex(z.shape[:-1]):
        row = np.asarray(z[idx], dtype=np.float64)
        top = max(row)
        out[idx] = row - top - np.log(sum(np.exp(v - top) for v in row))
    return out


class Cell:

    def __init__(self, W_x, W_h, b, W_y=None, b_y=None):
        self.W_x, self.W_h, self.b, self.W_y, self.b_y = W_x, W_h, b, W_y, b_y

    def next_state(self, x, h):
        return np.tanh(self.W_x @ x + self.W_h @ h + self.b)

    def probs(self, h):
        return softmax(self.W_y @ h + self.b_y)


def build_vocab(text: str) -> dict[str, int]:
    vocab = {}
    for ch in sorted(text):
        if ch not in vocab:
            vocab[ch] = len(vocab)
    return vocab


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    ids = np.zeros(len(text), dtype=np.int64)
    for pos, ch in enumerate(text):
        ids[pos] = vocab[ch]
    return ids


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    chars = list(vocab.keys())
    numbers = list(vocab.values())
    text = ""
    for i in ids:
        text += chars[numbers.index(i)]
    return text


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    moved = np.moveaxis(x, axis, -1).astype(np.float64)  # a copy, so in-place is fine
    moved -= moved.max(axis=-1)[..., np.newaxis]
    np.exp(moved, out=moved)
    moved /= moved.sum(axis=-1)[..., np.newaxis]
    return np.moveaxis(moved, -1, axis)


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    cell = Cell(W_x, W_h, b)
    return np.array([cell.next_state(x_row, h_row) for x_row, h_row in zip(x_t, h_prev)])


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    B, T, _ = x.shape
    h = np.zeros((T + 1, B, len(b)))
    h[0] = h0
    for t in range(1, T + 1):
        h[t] = rnn_step(x[:, t - 1], h[t - 1], W_x, W_h, b)
    return h[1:].transpose(1, 0, 2)


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    flat = h.reshape(-1, h.shape[-1])
    rows = [softmax(W_y.dot(v) + b_y) for v in flat]
    return np.array(rows).reshape(h.shape[:-1] + (len(b_y),))


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    logp = log_softmax(logits)
    total, count = 0.0, 0
    for i in range(mask.shape[0]):
        for t in range(mask.shape[1]):
            if mask[i, t]:
                total -= logp[i, t, targets[i, t]]
                count += 1
    return total / count


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    logp = log_softmax(logits)
    hot = np.eye(logits.shape[-1])[ids]
    return (logp * hot).sum(axis=(-2, -1))


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    total = np.asarray(nll, dtype=float).sum()
    tokens = np.asarray(n).sum()
    return 2.0 ** (total / tokens / np.log(2.0))


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    return np.log2(perplexity(nll, n))


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    cell = Cell(**params)
    rows = []
    for i in range(x.shape[0]):
        h = h0[i]
        for t in range(lengths[i]):
            h = cell.next_state(x[i, t], h)
        rows.append(cell.probs(h))
    return np.stack(rows)


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    cell = Cell(**params)
    h, current = h0, first_id
    ids = np.empty(n, dtype=np.int64)
    for t in range(n):
        h = cell.next_state(np.eye(cell.W_x.shape[1])[current], h)
        p = cell.probs(h)
        acc = 0.0
        for k in range(len(p)):
            acc += p[k]
            if acc > uniforms[t]:
                break
        ids[t] = current = k
    return ids


def quiz() -> dict[str, str]:
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
