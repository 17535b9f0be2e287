import numpy as np
from numpy import einsum


def build_vocab(text):
    return {char: number for number, char in enumerate(sorted(set(text)))}


def encode(text, vocab):
    return np.fromiter((vocab[char] for char in text), dtype=np.int64, count=len(text))


def decode(ids, vocab):
    chars = {number: char for char, number in vocab.items()}
    return "".join(chars[int(i)] for i in ids)


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(z):
    z = z - z.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return np.tanh(einsum("bi,hi->bh", x_t, W_x) + einsum("bk,hk->bh", h_prev, W_h) + b)


def rnn_forward(x, h0, W_x, W_h, b):
    drive = einsum("bti,hi->tbh", x, W_x) + b
    h, states = h0, []
    for d in drive:
        h = np.tanh(d + einsum("bk,hk->bh", h, W_h))
        states.append(h)
    return einsum("tbh->bth", np.array(states))


def output_probs(h, W_y, b_y):
    return softmax(einsum("...h,vh->...v", h, W_y) + b_y)


def next_token_loss(logits, targets, mask):
    one_hot = np.eye(logits.shape[-1])[targets]
    log_p = einsum("btv,btv->bt", log_softmax(logits), one_hot)
    return -einsum("bt,bt->", log_p, mask.astype(float)) / mask.sum()


def sequence_log_prob(logits, ids):
    one_hot = np.eye(logits.shape[-1])[ids]
    return einsum("...tv,...tv->...", log_softmax(logits), one_hot)


def perplexity(nll, n):
    return np.exp(np.sum(nll) / np.sum(n))


def bits_per_char(nll, n):
    return np.sum(nll) / np.sum(n) / np.log(2)


def classify_sequence(x, h0, lengths, params):
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    is_last = np.arange(x.shape[1]) == lengths[:, None] - 1
    last = einsum("bth,bt->bh", h, is_last.astype(float))
    return output_probs(last, params["W_y"], params["b_y"])


def generate(h0, first_id, n, params, uniforms):
    eye = np.eye(params["W_x"].shape[1])
    h, token, ids = h0[None], first_id, []
    for u in uniforms[:n]:
        h = rnn_step(eye[token][None], h, params["W_x"], params["W_h"], params["b"])
        p = output_probs(h[0], params["W_y"], params["b_y"])
        token = int(np.argmax(np.cumsum(p) > u))
        ids.append(token)
    return np.array(ids, dtype=int)


def caption(image, W_i, params, bos, eos, max_len):
    eye = np.eye(params["W_x"].shape[1])
    h = np.tanh(einsum("hf,f->h", W_i, image))[None]
    token, ids = bos, []
    for _ in range(max_len):
        h = rnn_step(eye[token][None], h, params["W_x"], params["W_h"], params["b"])
        token = int(np.argmax(einsum("vh,h->v", params["W_y"], h[0]) + params["b_y"]))
        ids.append(token)
        if token == eos:
            break
    return np.array(ids, dtype=int)


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
