import numpy as np


def _log_softmax(z):
    z = z - z.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def build_vocab(text: str) -> dict[str, int]:
    return {c: i for i, c in enumerate(sorted(set(text)))}


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    return np.array([vocab[c] for c in text], dtype=int)


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    chars = {i: c for c, i in vocab.items()}
    return "".join(chars[int(i)] for i in ids)


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.tanh(x_t @ W_x.T + h_prev @ W_h.T + b)


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    h, states = h0, []
    for t in range(x.shape[1]):
        h = rnn_step(x[:, t], h, W_x, W_h, b)
        states.append(h)
    return np.stack(states, axis=1)


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    return softmax(h @ W_y.T + b_y)


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    lp = np.take_along_axis(_log_softmax(logits), targets[..., None], axis=-1)[..., 0]
    return float(-lp[mask].mean())


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    return np.take_along_axis(_log_softmax(logits), ids[..., None], axis=-1)[..., 0].sum(-1)


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    return float(np.exp(np.sum(nll) / np.sum(n)))


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    return float(np.sum(nll) / (np.sum(n) * np.log(2)))


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    last = h[np.arange(len(h)), lengths - 1]
    return output_probs(last, params["W_y"], params["b_y"])


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    eye = np.eye(params["W_x"].shape[1])
    h, token, out = h0[None], first_id, []
    for u in uniforms[:n]:
        h = rnn_step(eye[[token]], h, params["W_x"], params["W_h"], params["b"])
        p = output_probs(h[0], params["W_y"], params["b_y"])
        token = int(np.argmax(np.cumsum(p) > u))
        out.append(token)
    return np.array(out, dtype=int)


def caption(
    image: np.ndarray, W_i: np.ndarray, params: dict[str, np.ndarray], bos: int, eos: int, max_len: int
) -> np.ndarray:
    eye = np.eye(params["W_x"].shape[1])
    h, token, out = np.tanh(W_i @ image)[None], bos, []
    while len(out) < max_len:
        h = rnn_step(eye[[token]], h, params["W_x"], params["W_h"], params["b"])
        token = int(np.argmax(h[0] @ params["W_y"].T + params["b_y"]))
        out.append(token)
        if token == eos:
            break
    return np.array(out, dtype=int)


def quiz() -> dict[str, str]:
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
