import numpy as np


def build_vocab(text: str) -> dict[str, int]:
    return {ch: i for i, ch in enumerate(sorted(set(text)))}


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    return np.array([vocab[ch] for ch in text], dtype=int)


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    id_to_char = {i: ch for ch, i in vocab.items()}
    return "".join(id_to_char[int(i)] for i in ids)


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    shifted = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(shifted)
    return e / e.sum(axis=axis, keepdims=True)


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.tanh(x_t @ W_x.T + h_prev @ W_h.T + b)


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    states = []
    h = h0
    for t in range(x.shape[1]):
        h = rnn_step(x[:, t], h, W_x, W_h, b)
        states.append(h)
    return np.stack(states, axis=1)


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    return softmax(h @ W_y.T + b_y)


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    m = logits.max(axis=-1, keepdims=True)
    log_z = np.log(np.exp(logits - m).sum(axis=-1)) + m[..., 0]
    right = np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    nll = log_z - right
    return float(nll[mask].mean())


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    m = logits.max(axis=-1, keepdims=True)
    log_p = logits - m - np.log(np.exp(logits - m).sum(axis=-1, keepdims=True))
    picked = np.take_along_axis(log_p, ids[..., None], axis=-1)[..., 0]
    return picked.sum(axis=-1)


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    return float(np.exp(np.sum(nll) / np.sum(n)))


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    return float(np.sum(nll) / (np.sum(n) * np.log(2)))


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    last = h[np.arange(len(h)), lengths - 1]
    return output_probs(last, params["W_y"], params["b_y"])


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    W_x, W_h, b = params["W_x"], params["W_h"], params["b"]
    h = h0[None, :]
    token = first_id
    out = []
    for t in range(n):
        x = np.zeros((1, W_x.shape[1]))
        x[0, token] = 1.0
        h = rnn_step(x, h, W_x, W_h, b)
        p = output_probs(h, params["W_y"], params["b_y"])[0]
        token = int(np.argmax(np.cumsum(p) > uniforms[t]))
        out.append(token)
    return np.array(out, dtype=int)


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
