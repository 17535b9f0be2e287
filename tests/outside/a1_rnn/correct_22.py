import math

import numpy as np


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
    chars = dict(zip(vocab.values(), vocab.keys()))
    text = ""
    for i in ids:
        text += chars[i]
    return text


def logsumexp(z, axis):
    # np.logaddexp(a, b) = ln(e^a + e^b) and never overflows
    return np.logaddexp.reduce(z, axis=axis, keepdims=True)


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.exp(x - logsumexp(x, axis))


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    # W_x x + W_h h is one product with [W_x W_h] and [x; h]
    W = np.concatenate([W_x, W_h], axis=1)
    xh = np.concatenate([x_t, h_prev], axis=1)
    return np.tanh(xh @ W.T + b)


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    batch, time, _ = x.shape
    h = np.zeros((batch, time, W_h.shape[0]))
    from_input = x @ W_x.T + b  # what is read does not depend on the state, so all steps at once
    state = h0
    for t in range(time):
        state = np.tanh(from_input[:, t] + state @ W_h.T)
        h[:, t] = state
    return h


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    logits = np.einsum("...h,vh->...v", h, W_y) + b_y
    return softmax(logits)


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    batch, time = targets.shape
    total = 0.0
    count = 0
    for i in range(batch):
        for t in range(time):
            if mask[i, t]:
                z = logits[i, t]
                m = z.max()
                total += m + np.log(np.sum(np.exp(z - m))) - z[targets[i, t]]
                count += 1
    return float(total / count)


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    vocab = logits.shape[-1]
    log_p = logits - logsumexp(logits, -1)
    one_hot = np.arange(vocab) == np.asarray(ids)[..., np.newaxis]
    picked = np.where(one_hot, log_p, 0.0)
    return picked.sum(axis=(-2, -1))


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    total_nll = np.asarray(nll).sum()
    total_n = np.asarray(n).sum()
    return math.exp(total_nll / total_n)


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    total_bits = np.asarray(nll).sum() / math.log(2)
    return float(total_bits / np.asarray(n).sum())


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    # longest rows first: then the rows that are still being read are always the first ones
    order = np.argsort(-lengths, kind="stable")
    x_sorted = x[order]
    lengths_sorted = lengths[order]
    h = h0[order].astype(float)
    for t in range(lengths_sorted[0]):
        n = np.sum(lengths_sorted > t)
        h[:n] = rnn_step(x_sorted[:n, t], h[:n], params["W_x"], params["W_h"], params["b"])
    probs = np.zeros((len(x), len(params["b_y"])))
    probs[order] = output_probs(h, params["W_y"], params["b_y"])
    return probs


def read_token(token, h, params):
    """One step for a single sequence. W_x times a one-hot vector is a column of W_x."""
    return np.tanh(params["W_x"][:, token] + params["W_h"] @ h + params["b"])


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    ids = np.zeros(n, dtype=np.int64)
    h = h0
    token = first_id
    for step in range(n):
        h = read_token(token, h, params)
        p = output_probs(h, params["W_y"], params["b_y"])
        total = 0.0
        for i in range(len(p)):
            if p[i] == 0:
                continue
            token = i  # also if rounding keeps the total just below u at the very end
            total += p[i]
            if total > uniforms[step]:
                break
        ids[step] = token
    return ids


def caption(
    image: np.ndarray, W_i: np.ndarray, params: dict[str, np.ndarray], bos: int, eos: int, max_len: int
) -> np.ndarray:
    h = read_token(bos, np.tanh(W_i @ image), params)
    ids = [np.argmax(params["W_y"] @ h + params["b_y"])]
    while ids[-1] != eos and len(ids) < max_len:
        h = read_token(ids[-1], h, params)
        ids.append(np.argmax(params["W_y"] @ h + params["b_y"]))
    return np.array(ids)


def quiz() -> dict[str, str]:
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
