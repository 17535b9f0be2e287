# %% exported from my notebook
import numpy as np

DEBUG = False


# %% vocabulary
def build_vocab(text):
    chars, inverse = np.unique(list(text), return_inverse=True) if text else ([], [])
    vocab = dict(zip([str(c) for c in chars], range(len(chars))))
    if DEBUG:
        print("vocab", vocab)
    return vocab


def encode(text, vocab):
    return np.fromiter(map(vocab.get, text), dtype=np.int64, count=len(text))


def decode(ids, vocab):
    back = dict(zip(vocab.values(), vocab.keys()))
    return "".join(map(back.__getitem__, np.asarray(ids).tolist()))


# %% softmax by logsumexp
def logsumexp(x, axis):
    m = np.max(x, axis=axis, keepdims=True)
    return m + np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True))


def softmax(x, axis=-1):
    out = np.exp(x - logsumexp(x, axis))
    if DEBUG:
        print("sums", out.sum(axis))
    return out


# %% the network
def rnn_step(x_t, h_prev, W_x, W_h, b):
    from_input = np.einsum("hi,bi->bh", W_x, x_t)
    from_state = np.einsum("hk,bk->bh", W_h, h_prev)
    return np.tanh(from_input + from_state + b)


def rnn_forward(x, h0, W_x, W_h, b):
    # all the input products at once, only the recurrence is sequential
    a = np.einsum("bti,hi->bth", x, W_x) + b
    h = np.empty_like(a)
    for t in range(a.shape[1]):
        before = h0 if t == 0 else h[:, t - 1]
        h[:, t] = np.tanh(a[:, t] + np.einsum("bk,hk->bh", before, W_h))
    return h


def output_probs(h, W_y, b_y):
    logits = np.einsum("...h,vh->...v", h, W_y) + b_y
    return softmax(logits)


# %% losses
def token_logp(logits, ids):
    one_hot = np.eye(logits.shape[-1])[ids]
    lp = logits - logsumexp(logits, -1)
    return np.einsum("...v,...v->...", lp, one_hot)


def next_token_loss(logits, targets, mask):
    nll = -token_logp(logits, targets)
    return np.average(nll, weights=mask)


def sequence_log_prob(logits, ids):
    return np.einsum("...t->...", token_logp(logits, ids))


def perplexity(nll, n):
    mean = np.asarray(nll).sum() / np.asarray(n).sum()
    return np.e ** mean


def bits_per_char(nll, n):
    return np.log2(perplexity(nll, n))


# %% many to one
def classify_sequence(x, h0, lengths, params):
    h = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    is_last = np.arange(x.shape[1])[None, :] == lengths[:, None] - 1
    last = np.einsum("bth,bt->bh", h, is_last.astype(h.dtype))
    return output_probs(last, params["W_y"], params["b_y"])


# %% writing
def generate(h0, first_id, n, params, uniforms):
    h, token, written = h0[None], first_id, []
    for u in uniforms[:n]:
        x = np.eye(params["W_x"].shape[1])[[token]]
        h = rnn_step(x, h, params["W_x"], params["W_h"], params["b"])
        p = output_probs(h, params["W_y"], params["b_y"])[0]
        token = int(np.argmax(np.cumsum(p) > u))
        written.append(token)
        if DEBUG:
            print(u, token, p.round(3))
    return np.array(written)


def caption(image, W_i, params, bos, eos, max_len):
    h, token, written = np.tanh(np.einsum("hf,f->h", W_i, image))[None], bos, []
    for _ in range(max_len):
        x = np.eye(params["W_x"].shape[1])[[token]]
        h = rnn_step(x, h, params["W_x"], params["W_h"], params["b"])
        token = int(output_probs(h, params["W_y"], params["b_y"])[0].argmax())
        written.append(token)
        if token == eos:
            break
    return np.array(written, dtype=int)


# %%
def quiz():
    letters = "cbadcabc"
    names = ["what_is_recurrent", "same_letter", "shifted_targets", "why_mask",
             "untrained_loss", "perplexity_of_three", "weights_and_length", "two_steps"]
    return dict(zip(names, letters))


# %% plot
if __name__ == "__main__":
    import matplotlib.pyplot as plt

    xs = np.linspace(-3, 3, 50)
    plt.plot(xs, softmax(np.stack([xs, 0 * xs], -1))[:, 0])
    plt.show()
