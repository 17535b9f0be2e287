"""Recurrent networks and next-token prediction, in numpy.

Shapes: arrays are batch-first, (batch, time, feature).

    batch, time   sequences side by side, and steps of each
    input         features of one input vector; for characters the vocabulary, as each is a one-hot vector
    hidden        units of the state h
    vocab         how many different tokens there are; `output` where the classes are no tokens

Weights are laid out (out, in), as in the formula, so a batch of rows is multiplied by their transposes:

    h_t = tanh(W_x x_t + W_h h_{t-1} + b)        W_x (hidden, input), W_h (hidden, hidden), b (hidden,)
    logits_t = W_y h_t + b_y                     W_y (vocab, hidden), b_y (vocab,)

Where a function takes `params`, it is a dict with just these five arrays: "W_x", "W_h", "b", "W_y" and "b_y".

A mask is a boolean array: True means "this one counts". Logarithms are natural ones unless a name says otherwise.

No function here changes what it is given. Each may call any other of this file, also one further down.
"""

import numpy as np


def one_hot(token, size):
    vec = np.zeros(size)
    vec[token] = 1.0
    return vec


def log_softmax(z):
    shifted = z - np.max(z, axis=-1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=-1, keepdims=True))


def build_vocab(text: str) -> dict[str, int]:
    """Return the vocabulary of a text: an id for every different character.

    Args:
        text: any string.

    Returns:
        vocab: a dict from character to id. Characters in sorted order (as `sorted` has them) get 0, 1, 2, ...

    Watch: the same text must give the same ids on every machine and in every run; a Python set has no fixed order.
    Source: characters as tokens are as old as Shannon 1951; the numbering is our agreement.
    """
    chars = sorted(set(text))
    return {c: i for i, c in enumerate(chars)}


def encode(text: str, vocab: dict[str, int]) -> np.ndarray:
    """Return the ids of a text's characters.

    Args:
        text: a string, all of whose characters are in the vocabulary.
        vocab: a dict from character to id.

    Returns:
        ids: (len(text),), a numpy array of int.

    Watch: the numbers are those of the vocabulary that was passed in, which may hold more than this text needs.
    Source: our agreement.
    """
    return np.array([vocab[c] for c in text], dtype=int)


def decode(ids: np.ndarray, vocab: dict[str, int]) -> str:
    """Return the text that ids stand for.

    Args:
        ids: (n,) of int.
        vocab: a dict from character to id, each id once. Its entries may stand in any order, and ids may be missing
            among them: 3, 0, 7.

    Returns:
        text: a string of n characters, such that decode(encode(text, vocab), vocab) == text.

    Watch: the dict leads from characters to numbers, and you have to go the other way.
    Source: our agreement.
    """
    id_to_char = {i: c for c, i in vocab.items()}
    return "".join(id_to_char[int(i)] for i in ids)


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the softmax: shares that are positive and sum to one along an axis.

        softmax(x)_i = exp(x_i) / sum over j of exp(x_j)

    Args:
        x: an array of floats, of any shape.
        axis: the axis along which the shares sum to one.

    Returns:
        shares: the shape of x.

    Watch: entries of 1000 and of -1000 are allowed, and exp(1000) is not a number a computer can hold. Which constant
    may you subtract without changing the result? Leave x as it was.
    Source: Goodfellow et al. 2016, section 4.1 (why and how to stabilise it).
    """
    shifted = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(shifted)
    return e / np.sum(e, axis=axis, keepdims=True)


def rnn_step(x_t: np.ndarray, h_prev: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the next state, from what is read now and the state before.

        h_t = tanh(W_x x_t + W_h h_{t-1} + b)

    Args:
        x_t: (batch, input), what each sequence of the batch reads at this step.
        h_prev: (batch, hidden), the state before it.
        W_x: (hidden, input).
        W_h: (hidden, hidden).
        b: (hidden,).

    Returns:
        h_t: (batch, hidden).

    Watch: the formula is for one column vector, your batch is rows. W_h is square, so no shape will tell you if it
    should have been transposed.
    Source: Elman 1990; Goodfellow et al. 2016, equations 10.8 and 10.9.
    """
    return np.tanh(x_t @ W_x.T + h_prev @ W_h.T + b)


def rnn_forward(x: np.ndarray, h0: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return all states of a network that reads whole sequences, with the same weights at each step.

    Args:
        x: (batch, time, input).
        h0: (batch, hidden), the state before the first step.
        W_x: (hidden, input).
        W_h: (hidden, hidden).
        b: (hidden,).

    Returns:
        h: (batch, time, hidden), the states after each step; h[:, 0] is the one after the first, and h0 is not in it.

    Watch: each step starts from the state of the step before, the first one from h0 (which need not be zero).
    Source: Elman 1990; Goodfellow et al. 2016, section 10.2.
    """
    batch, time, _ = x.shape
    hidden = h0.shape[1]
    states = np.zeros((batch, time, hidden))
    h = h0
    for t in range(time):
        h = rnn_step(x[:, t], h, W_x, W_h, b)
        states[:, t] = h
    return states


def output_probs(h: np.ndarray, W_y: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    """Return the prediction from each state: one probability for each token.

        p_t = softmax(W_y h_t + b_y)

    Args:
        h: (..., hidden), any number of states: (hidden,), (batch, hidden) or (batch, time, hidden).
        W_y: (vocab, hidden).
        b_y: (vocab,).

    Returns:
        probs: (..., vocab).

    Watch: the probabilities of one step sum to one over the vocabulary, not over the steps.
    Source: Goodfellow et al. 2016, equations 10.10 and 10.11.
    """
    logits = h @ W_y.T + b_y
    return softmax(logits, axis=-1)


def next_token_loss(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
    """Return the cross-entropy: the mean negative log-likelihood of the right tokens, in nats.

        loss = mean over the targets that count of -ln p(target),    p = softmax(logits)

    Args:
        logits: (batch, time, vocab), the scores before the softmax.
        targets: (batch, time) of int, the right token of each step. They are shifted already: targets[:, t] is what
            logits[:, t] has to predict. At filler stands an id like any other, which means nothing.
        mask: (batch, time) of bool, True where the target counts, False at filler. At least one counts.

    Returns:
        loss: one number, in nats.

    Watch: one mean over all targets that count, whichever sequence they stand in. Where the model is sure and wrong,
    the probability of the target is too small for a computer, while its logarithm is an ordinary number.
    Source: Goodfellow et al. 2016, equations 10.12 to 10.14; section 6.2.2.3 for the logarithm of a softmax.
    """
    log_p = log_softmax(logits)
    picked = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    nll = -picked
    return float(np.sum(nll[mask]) / np.sum(mask))


def sequence_log_prob(logits: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Return the logarithm of the probability that the model gives to whole sequences.

        ln p(w_1 ... w_T) = sum over t of ln p(w_t | what came before)

    Args:
        logits: (..., time, vocab), the scores before the softmax; logits[..., t, :] predicts ids[..., t].
        ids: (..., time) of int.

    Returns:
        log_prob: (...), one number for each sequence, in nats: a single number for logits (time, vocab), and an array of
            one for a batch of one.

    Watch: a product of 2000 probabilities is zero to a computer, while the sum of their logarithms is not.
    Source: the chain rule of probability; Jurafsky & Martin, the chapter on n-gram language models.
    """
    log_p = log_softmax(logits)
    picked = np.take_along_axis(log_p, ids[..., None], axis=-1)[..., 0]
    return picked.sum(axis=-1)


def perplexity(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    """Return the perplexity: the model is as uncertain as a uniform choice among that many tokens.

        perplexity = exp(total nll / total number of tokens)

    Args:
        nll: the negative log-likelihood in nats, summed over all tokens; one number, or an array (texts,) with one
            for each text.
        n: how many tokens that is; one number, or an array (texts,).

    Returns:
        perplexity: one number for all texts together.

    Watch: nll is a sum in nats, not a mean and not in bits. A long text has more tokens, so it counts for more.
    Source: Jelinek et al. 1977; Jurafsky & Martin, the chapter on n-gram language models.
    """
    total_nll = np.sum(nll)
    total_n = np.sum(n)
    return float(np.exp(total_nll / total_n))


def bits_per_char(nll: float | np.ndarray, n: int | np.ndarray) -> float:
    """Return how many bits a character costs on average, if the model compresses the text.

    Args:
        nll: the negative log-likelihood in nats, summed over all characters; one number, or an array (texts,).
        n: how many characters that is; one number, or an array (texts,).

    Returns:
        bits: one number for all texts together.

    Watch: 1 bit is ln 2 = .693 nats, so is the same loss more bits than nats, or fewer?
    Source: Shannon 1951.
    """
    total_nll = np.sum(nll)
    total_n = np.sum(n)
    return float(total_nll / (total_n * np.log(2)))


def classify_sequence(x: np.ndarray, h0: np.ndarray, lengths: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    """Return the class probabilities of sequences, each from the state at its own last step (many-to-one).

    Args:
        x: (batch, time, input), filled up at the end where a sequence is shorter than the longest.
        h0: (batch, hidden), the state before the first step.
        lengths: (batch,) of int, how many steps of each sequence are real: at least 1, at most time.
        params: the five arrays; W_y is (output, hidden), and b_y (output,).

    Returns:
        probs: (batch, output), the softmax of W_y h + b_y for the state h after the last real step of each row.

    Watch: a state goes on changing while it reads filler, and every row has another last step.
    Source: Goodfellow et al. 2016, figure 10.5.
    """
    states = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])
    rows = np.arange(x.shape[0])
    last = states[rows, lengths - 1]
    return output_probs(last, params["W_y"], params["b_y"])


def generate(h0: np.ndarray, first_id: int, n: int, params: dict[str, np.ndarray], uniforms: np.ndarray) -> np.ndarray:
    """Return n tokens that the network writes: it predicts, draws one, reads it, and so on.

    At each step the network reads one token as a one-hot vector, first `first_id` and then what it has just drawn,
    updates its state, and draws the next token by inverting the cumulative distribution: it is the smallest id whose
    cumulative probability p_0 + ... + p_id exceeds the uniform number of this step.

    Args:
        h0: (hidden,), the state before first_id is read. There is one sequence only, without a batch axis.
        first_id: the token to read first.
        n: how many tokens to write, at least 1.
        params: the five arrays; W_x is (hidden, vocab), and W_y (vocab, hidden).
        uniforms: (n,), numbers in [0, 1), one for each token to draw; none so near to a sum that rounding decides.

    Returns:
        ids: (n,), a numpy array of int: the tokens drawn, without first_id.

    Watch: the state and the token are both carried on to the next step. No random numbers but those given. One may be 0;
    a token whose probability is 0, as e^-20000 is to every float, is never drawn.
    Source: Graves 2013, section 2; inversion is in Devroye 1986, chapter III.
    """
    vocab_size = params["W_x"].shape[1]
    h = h0[None, :]
    token = first_id
    ids = []
    for t in range(n):
        h = rnn_step(one_hot(token, vocab_size)[None, :], h, params["W_x"], params["W_h"], params["b"])
        probs = output_probs(h[0], params["W_y"], params["b_y"])
        cumulative = np.cumsum(probs)
        token = int(np.argmax(cumulative > uniforms[t]))
        ids.append(token)
    return np.array(ids, dtype=int)


def caption(
    image: np.ndarray, W_i: np.ndarray, params: dict[str, np.ndarray], bos: int, eos: int, max_len: int
) -> np.ndarray:
    """Return the caption of an image (one-to-many): the image makes the first state, and the network writes from there.

        h_0 = tanh(W_i image)

    At each step the network reads one token as a one-hot vector, first `bos` and then what it has just written, updates its
    state, and writes the most probable token; there is only one. It ends when it has written `eos`, or max_len tokens.

    Args:
        image: (features,), one image as a vector. There is one image only, without a batch axis.
        W_i: (hidden, features).
        params: the five arrays; W_x is (hidden, vocab), and W_y (vocab, hidden).
        bos: the token to read first.
        eos: the token that ends a caption. It may be the same id as bos.
        max_len: how many tokens to write at most, at least 1.

    Returns:
        ids: (n,), a numpy array of int: the tokens written, without bos and with eos where it was written; n is at most
            max_len.

    Watch: the image is read once. What is needed of it later has to stay in the state.
    Source: Vinyals et al. 2015, section 3; Karpathy and Fei-Fei 2015, section 3.2.
    """
    vocab_size = params["W_x"].shape[1]
    h = np.tanh(W_i @ image)[None, :]
    token = bos
    written = []
    while len(written) < max_len:
        h = rnn_step(one_hot(token, vocab_size)[None, :], h, params["W_x"], params["W_h"], params["b"])
        probs = output_probs(h[0], params["W_y"], params["b_y"])
        token = int(np.argmax(probs))
        written.append(token)
        if token == eos:
            break
    return np.array(written, dtype=int)


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_is_recurrent": "",
        "same_letter": "",
        "shifted_targets": "",
        "why_mask": "",
        "untrained_loss": "",
        "perplexity_of_three": "",
        "weights_and_length": "",
        "two_steps": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
