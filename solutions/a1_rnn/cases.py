"""Hidden cases of a1_rnn: random inputs in which no two sizes are equal, and the properties that must hold."""

from collections.abc import Callable, Iterator

import numpy as np

from autograder.course.spec import Call, call, case
from autograder.judge.checks import agree, close, close_as_ids, permuted, same_prefix, sums_to_one, untouched

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;!?-\n"
ORDER = (3, 0, 4, 1, 2)
Params = dict[str, np.ndarray]


def _normal(rng: np.random.Generator, *shape: int, std: float = 1.0) -> np.ndarray:
    return std * rng.normal(size=shape)


def _text(rng: np.random.Generator, length: int) -> str:
    """Draw a text of few kinds of characters, so that they repeat, with capitals, digits, blanks, signs and a line end."""
    kinds = rng.permutation(list(LETTERS[:26]))[:6].tolist() + rng.permutation(list(LETTERS[26:]))[:6].tolist()
    sure = [" ", "\n", "A", "z", "é"]
    return "".join(rng.permutation([*sure, *rng.choice([*kinds, *sure], length - len(sure))]).tolist())


def _vocab(rng: np.random.Generator) -> dict[str, int]:
    """Draw a vocabulary of twelve characters, a capital among them; ids follow neither their order nor that of its entries."""
    capital = str(rng.choice(list(LETTERS[26:52])))
    characters = rng.permutation([capital, *rng.permutation(list(LETTERS.replace(capital, "")))[:11]]).tolist()
    return dict(zip(characters, rng.permutation(12).tolist(), strict=True))


def _weights(rng: np.random.Generator, inputs: int, hidden: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw W_x, W_h and b of the size that training gives them."""
    return _normal(rng, hidden, inputs, std=0.8), _normal(rng, hidden, hidden, std=0.7), _normal(rng, hidden, std=0.7)


def _network(rng: np.random.Generator, batch: int, time: int, inputs: int, hidden: int) -> tuple[np.ndarray, ...]:
    """Draw (x, h0, W_x, W_h, b)."""
    return _normal(rng, batch, time, inputs), _normal(rng, batch, hidden, std=0.7), *_weights(rng, inputs, hidden)


def _params(rng: np.random.Generator, inputs: int, hidden: int, outputs: int) -> Params:
    W_x, W_h, b = _weights(rng, inputs, hidden)
    return {"W_x": W_x, "W_h": W_h, "b": b, "W_y": _normal(rng, outputs, hidden), "b_y": _normal(rng, outputs, std=0.5)}


def _lengths(rng: np.random.Generator, batch: int, time: int) -> np.ndarray:
    """Draw how many steps are real: another number in each row, and all of them in none."""
    return 1 + rng.permutation(time - 1)[:batch]


def _unsorted_lengths(rng: np.random.Generator, batch: int, time: int) -> np.ndarray:
    """Draw lengths from 1 to time for three rows or more, in an order that does not undo itself; the first is not the least."""
    return np.roll(np.sort(1 + rng.permutation(time)[:batch])[::-1], -1)


def _real(lengths: np.ndarray, time: int) -> np.ndarray:
    return np.arange(time) < lengths[:, None]


def _uniforms(rng: np.random.Generator, h0: np.ndarray, first_id: int, n: int, params: Params) -> np.ndarray:
    """Draw uniform numbers well inside the interval of the token they stand for, so that no rounding decides."""
    h, token, uniforms = h0, first_id, []
    for _ in range(n):
        h = np.tanh(params["W_x"][:, token] + params["W_h"] @ h + params["b"])
        logits = params["W_y"] @ h + params["b_y"]
        probs = np.exp(logits - logits.max())
        probs /= probs.sum()
        token = int(rng.choice(np.flatnonzero(probs > min(0.04, probs.max() / 2))))
        uniforms.append(probs[:token].sum() + probs[token] * rng.uniform(0.2, 0.8))
    return np.array(uniforms)


def _spaced(rng: np.random.Generator, vocab: dict[str, int]) -> dict[str, int]:
    """Rename a character of a vocabulary to a blank, if it has none yet; capitals stay."""
    if " " in vocab:
        return vocab
    renamed = str(rng.choice([character for character in vocab if not character.isupper()]))
    return {" " if character == renamed else character: index for character, index in vocab.items()}


def _drawn(h: np.ndarray, read: np.ndarray, params: Params, uniforms: np.ndarray) -> list[int]:
    """Return the tokens that uniform numbers stand for, if this is read first."""
    tokens = list[int]()
    for u in uniforms:
        h = np.tanh(params["W_x"] @ read + params["W_h"] @ h + params["b"])
        raised = np.exp(params["W_y"] @ h + params["b_y"])
        tokens.append(int((raised.cumsum() <= u * raised.sum()).sum()))
        read = np.eye(len(raised))[tokens[-1]]
    return tokens


def _writing(rng: np.random.Generator, n: int, vocab: int, hidden: int, *, last: bool = True) -> tuple:
    """Draw the arguments of `generate`, such that it shows whether first_id is read; if `last`, the last id is written."""
    while True:
        params = _params(rng, vocab, hidden, vocab)
        h0, first_id = _normal(rng, hidden, std=0.7), int(rng.integers(vocab))
        uniforms = _uniforms(rng, h0, first_id, n, params)
        tokens, unread = (_drawn(h0, read, params, uniforms) for read in (np.eye(vocab)[first_id], np.zeros(vocab)))
        if tokens != unread and (vocab - 1 in tokens or not last):
            return h0, first_id, n, params, uniforms


Reads = Callable[[int, np.ndarray], np.ndarray]  # what a network reads after a token, whose distribution this was


def _followed(
    first: np.ndarray, reads: Reads, params: Params, bos: int, n: int, *, forgets: bool = False
) -> tuple[list[int], float]:
    """Return n tokens that greedy decoding writes from a first state, and by how much the closest choice was won.

    A network that `forgets` has the first state before every step.
    """
    h, read, tokens, clear = first, np.eye(len(params["b_y"]))[bos], list[int](), 1.0
    for _ in range(n):
        h = np.tanh(params["W_x"] @ read + params["W_h"] @ (first if forgets else h) + params["b"])
        logits = params["W_y"] @ h + params["b_y"]
        tokens.append(int(logits.argmax()))
        read = reads(tokens[-1], np.exp(logits) / np.exp(logits).sum())
        clear = min(clear, float(np.diff(np.sort(logits)[-2:])[0]))
    return tokens, clear


def _written(token: int, shares: np.ndarray) -> np.ndarray:
    return np.eye(len(shares))[token]


def _slips(image: np.ndarray, W_i: np.ndarray, params: Params, bos: int, eos: int, n: int) -> Iterator[list[int]]:
    """Yield what is written where the first state is another one, or something else is read; each has to show."""
    seen = W_i @ image
    h0, vocab = np.tanh(seen), len(params["b_y"])
    step = np.tanh(params["W_h"] @ h0 + params["b"])
    for first in (0.0 * seen, seen, 1 / (1 + np.exp(-seen)), np.maximum(seen, 0.0), np.tanh(seen + params["b"]), step):
        yield _followed(first, _written, params, bos, n)[0]
    yield _followed(h0, lambda _, shares: shares, params, bos, n)[0]
    yield _followed(h0, lambda *_: np.eye(vocab)[bos], params, bos, n)[0]
    yield _followed(h0, lambda token, _: np.full(vocab, token / vocab), params, bos, n)[0]
    yield _followed(h0, _written, params | {"b": params["b"] + seen}, bos, n)[0]
    yield _followed(h0, _written, params, bos, n, forgets=True)[0]
    if eos != bos:
        yield _followed(h0, _written, params, eos, n)[0]


def _cut(tokens: list[int], eos: int) -> list[int]:
    return tokens[: tokens.index(eos) + 1] if eos in tokens else tokens


def _described(rng: np.random.Generator, n: int, features: int, vocab: int, hidden: int, end: str) -> tuple:
    """Draw the arguments of `caption` for n tokens, of which the last is EOS if `end` is "eos"; else max_len cuts it off.

    With "bos" that is EOS, too, and is written before the last token; where EOS is not written, BOS is, and with "eos" it is
    not. No choice is close. Each caption has several kinds of tokens, and no slip writes the same.
    """
    while True:
        params, W_i = _params(rng, vocab, hidden, vocab), _normal(rng, hidden, features)
        image, bos = _normal(rng, features), int(rng.integers(vocab))
        params["W_y"] *= 2
        tokens, clear = _followed(np.tanh(W_i @ image), _written, params, bos, n)
        others = np.setdiff1d(np.arange(vocab), [*tokens, bos])
        fits = {
            "eos": tokens[-1] not in tokens[:-1] and bos not in tokens,
            "bos": bos in tokens[1:-1],
            "": others.size > 0 and (n == 1 or bos in tokens[:-1]),
        }
        if clear > 0.05 and fits[end] and len(set(tokens)) >= min(n, 3):
            eos = {"eos": tokens[-1], "bos": bos}[end] if end else int(rng.choice(others))
            right = _cut(tokens, eos)
            if n == 1 or all(_cut(slip, eos) != right for slip in _slips(image, W_i, params, bos, eos, n)):
                return image, W_i, params, bos, eos, n + int(rng.integers(2, 5)) * (end == "eos")


# build_vocab


@case("build_vocab", check=close(), weight=2)
def every_character_once(rng: np.random.Generator) -> Iterator[Call]:
    """In texts with capitals, digits, signs, blanks and line ends, every kind of character gets its one id."""
    for length in (30, 80):
        yield call(_text(rng, length))


@case("build_vocab", check=close())
def short_texts(rng: np.random.Generator) -> Iterator[Call]:
    """A text of one kind of character has one token, and a text without characters has none."""
    yield call(str(rng.choice(list("abcxyz"))) * int(rng.integers(2, 5)))
    for text in (" ", "\n", ""):
        yield call(text)


# encode


@case("encode", check=close_as_ids(), weight=2)
def any_text_in_any_vocabulary(rng: np.random.Generator) -> Iterator[Call]:
    """Each character gets its own number from the vocabulary, which may hold others too, in no order."""
    for length in (9, 40):
        vocab = _spaced(rng, _vocab(rng))
        others = rng.permutation([character for character in vocab if character != " "])[2:].tolist()
        yield call("".join(rng.permutation([" ", *rng.choice([" ", *others], length - 1)]).tolist()), vocab)


@case("encode", check=untouched())
def encoding_leaves_the_vocabulary_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The ids are right, and the vocabulary has not grown."""
    vocab = _spaced(rng, _vocab(rng))
    yield call("".join(rng.permutation([*vocab, *rng.choice(list(vocab), 3)]).tolist()), vocab)


# decode


@case("decode", check=close(), weight=2)
def any_ids_in_any_vocabulary(rng: np.random.Generator) -> Iterator[Call]:
    """Each number becomes its own character, in whatever order and with whatever gaps; no numbers are no text."""
    yield call(rng.integers(1, 12, size=9), _vocab(rng))
    yield call(3 * rng.integers(1, 12, size=9), {character: 3 * index for character, index in _vocab(rng).items()})
    vocab = _spaced(rng, _vocab(rng))
    blank, ids = vocab[" "], rng.integers(12, size=36)
    yield call(np.array([blank, *ids, ids[-1], 0, blank]), vocab)
    yield call(np.array([], dtype=int), _vocab(rng))


@case("decode", check=close())
def decode_undoes_encode(rng: np.random.Generator) -> Iterator[Call]:
    """The ids of a text, with blanks, line ends and signs in it, give that text back."""
    text = "All the world's a stage, isn't it?\n" + _text(rng, 20) + "\n"
    vocab = {character: index for index, character in enumerate(sorted(set(text)))}
    yield call(np.array([vocab[character] for character in text]), vocab)


# softmax


@case("softmax", check=close(), weight=3)
def shares_along_any_axis(rng: np.random.Generator) -> Iterator[Call]:
    """With one to four axes, along each of them, counted from the front and from the end."""
    yield call(_normal(rng, 5, std=2.0))
    for axis in (0, 1, -1, -2):
        yield call(_normal(rng, 3, 4, std=2.0), axis=axis)
    for axis in (0, 1, 2, -2):
        yield call(_normal(rng, 2, 4, 3, std=2.0), axis)
    yield call(_normal(rng, 2, 3, 4, 5, std=2.0))


@case("softmax", check=close())
def square_arrays_keep_their_axes(rng: np.random.Generator) -> Iterator[Call]:
    """With all sizes equal, the largest entry and the sum still belong to the axis that was asked for."""
    yield call(_normal(rng, 4, 4, std=2.0))
    yield call(_normal(rng, 4, 4, 4, std=2.0), axis=1)


@case("softmax", check=sums_to_one(axis=1))
def shares_sum_to_one(rng: np.random.Generator) -> Iterator[Call]:
    """The shares along the axis that was asked for are positive and sum to one."""
    yield call(_normal(rng, 3, 5, 4, std=2.0), axis=1)


@case("softmax", check=agree())
def a_constant_changes_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """Adding the same number to every entry of a row leaves its shares as they were."""
    x = rng.integers(-32, 33, size=(3, 5)) / 8.0  # sums that single precision holds, too
    yield call(x)
    yield call(x + rng.integers(8, 161, size=(3, 1)) / 8.0)
    yield call(x - 900.0)


@case("softmax", check=close())
def every_slice_has_its_own_largest(rng: np.random.Generator) -> Iterator[Call]:
    """Slices near 1000 beside slices near -1000, along either axis: all give ordinary shares."""
    levels = rng.permutation([1000.0, -1000.0, 0.0, 500.0])[:, None]
    x = levels + rng.integers(-3, 4, size=(4, 6))
    yield call(x)
    yield call(x.T, axis=0)


@case("softmax", check=close())
def a_row_may_span_thousands(rng: np.random.Generator) -> Iterator[Call]:
    """Entries near 1000 beside entries near -1000, few of one kind and many of the other: nothing overflows."""
    x = -1000.0 + rng.integers(0, 4, size=(3, 7))
    x[np.arange(3), rng.permutation(7)[:3]] = 1000.0
    yield call(x)
    yield call(-x)


@case("softmax", check=untouched())
def softmax_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The shares are right, and the array that was passed in is as before."""
    yield call(_normal(rng, 3, 4))
    yield call(_normal(rng, 2, 3, 4), axis=1)


# rnn_step


@case("rnn_step", check=close(), weight=3)
def steps_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """With more features than units or fewer, and in batches of one and of several, the state is the right one."""
    for batch, inputs, hidden in ((2, 3, 4), (3, 5, 2), (1, 2, 5)):
        x, h0, *weights = _network(rng, batch, 1, inputs, hidden)
        yield call(x[:, 0], h0, *weights)


@case("rnn_step", check=close())
def equal_sizes_hide_no_slip(rng: np.random.Generator) -> Iterator[Call]:
    """With as many features as units as sequences, each matrix still plays its own role."""
    x, h0, *weights = _network(rng, 4, 1, 4, 4)
    yield call(x[:, 0], h0, *weights)


@case("rnn_step", check=permuted(axis=0, order=ORDER))
def rows_of_a_batch_do_not_mix(rng: np.random.Generator) -> Iterator[Call]:
    """Each row has a state of its own: if rows change places in the batch, their states do, and nothing else happens."""
    x, h0, *weights = _network(rng, 5, 1, 2, 3)
    yield call(x[:, 0], h0, *weights)
    yield call(x[ORDER, 0], h0[ORDER, :], *weights)


@case("rnn_step", check=untouched())
def a_step_leaves_the_old_state_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The new state is right, and the old one, the input and the weights are as before."""
    x, h0, *weights = _network(rng, 2, 1, 3, 4)
    yield call(x[:, 0], h0, *weights)


# rnn_forward


@case("rnn_forward", check=close(), weight=3)
def sequences_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """With batch, time, features and units all different, every state is the right one."""
    for sizes in ((2, 5, 3, 4), (3, 4, 2, 5), (4, 2, 5, 3)):
        yield call(*_network(rng, *sizes))


@case("rnn_forward", check=close())
def one_step_only(rng: np.random.Generator) -> Iterator[Call]:
    """A sequence of one step, and a batch of one sequence, still have all their axes."""
    yield call(*_network(rng, 2, 1, 3, 4))
    yield call(*_network(rng, 1, 3, 2, 4))


@case("rnn_forward", check=close())
def batch_and_time_of_equal_size(rng: np.random.Generator) -> Iterator[Call]:
    """With as many steps as sequences, time is still the second axis."""
    yield call(*_network(rng, 4, 4, 4, 4))


@case("rnn_forward", check=same_prefix(axis=1, upto=3))
def the_past_does_not_know_the_future(rng: np.random.Generator) -> Iterator[Call]:
    """Changing the input from step 3 on leaves the states before it as they were."""
    x, *rest = _network(rng, 2, 6, 3, 4)
    yield call(x, *rest)
    later = x.copy()
    later[:, 3:] += 1.0 + rng.random((2, 3, 3))
    yield call(later, *rest)


@case("rnn_forward", check=permuted(axis=0, order=ORDER))
def sequences_do_not_mix(rng: np.random.Generator) -> Iterator[Call]:
    """Each sequence is read on its own: if sequences change places in the batch, their states do, and that is all."""
    x, h0, *weights = _network(rng, 5, 4, 2, 3)
    yield call(x, h0, *weights)
    yield call(x[ORDER, :], h0[ORDER, :], *weights)


@case("rnn_forward", check=untouched())
def reading_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The states are right, and the inputs, h0 and the weights are as before."""
    yield call(*_network(rng, 2, 4, 3, 5))


# output_probs


@case("output_probs", check=close(), weight=3)
def probabilities_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """For one state, for a batch of states and for whole sequences, with more tokens than units and fewer."""
    for leading, hidden, vocab in (((), 3, 5), ((2,), 4, 3), ((2, 4), 3, 5), ((3, 2), 5, 4)):
        h = np.tanh(_normal(rng, *leading, hidden))
        yield call(h, _normal(rng, vocab, hidden), _normal(rng, vocab))


@case("output_probs", check=close())
def equal_sizes_hide_no_mistake(rng: np.random.Generator) -> Iterator[Call]:
    """With as many tokens as units as steps, rows and columns of the matrix still keep their roles."""
    yield call(np.tanh(_normal(rng, 4, 4, 4)), _normal(rng, 4, 4), _normal(rng, 4))


@case("output_probs", check=sums_to_one())
def each_step_has_a_distribution(rng: np.random.Generator) -> Iterator[Call]:
    """At each step of each sequence, the probabilities of all tokens are positive and sum to one."""
    yield call(np.tanh(_normal(rng, 2, 4, 3)), _normal(rng, 5, 3), _normal(rng, 5))


@case("output_probs", check=close())
def large_logits_do_not_overflow(rng: np.random.Generator) -> Iterator[Call]:
    """Logits around 1000 and around -1000 still give ordinary probabilities."""
    for level in (1000.0, -1000.0):
        # Fractions that single precision holds exactly, also beside a thousand.
        h, W_y = rng.integers(-4, 5, size=(2, 3, 4)) / 4.0, rng.integers(-8, 9, size=(5, 4)) / 8.0
        yield call(h, W_y, level + rng.integers(-2, 3, size=5))


# next_token_loss


def _targets(rng: np.random.Generator, mask: np.ndarray, vocab: int) -> np.ndarray:
    """Draw targets, the first of which that counts is 0, an id like any other."""
    targets = rng.integers(vocab, size=mask.shape)
    targets.flat[mask.argmax()] = 0
    return targets


@case("next_token_loss", check=close(), weight=2)
def losses_without_filler(rng: np.random.Generator) -> Iterator[Call]:
    """When every target counts, the loss is the mean over the whole batch."""
    for batch, time, vocab in ((2, 4, 5), (3, 2, 7), (1, 5, 3)):
        mask = np.ones((batch, time), dtype=bool)
        yield call(_normal(rng, batch, time, vocab, std=0.5), _targets(rng, mask, vocab), mask)


@case("next_token_loss", check=close(), weight=3)
def every_real_target_counts_the_same(rng: np.random.Generator) -> Iterator[Call]:
    """With sequences of different lengths, the mean is over real targets, not over rows and not over filler."""
    for batch, time, vocab in ((3, 6, 4), (2, 5, 7)):
        lengths = _lengths(rng, batch, time)
        while lengths.sum() == time:  # or it would not show which of the two the sum is divided by
            lengths = _lengths(rng, batch, time)
        mask = _real(lengths, time)
        yield call(_normal(rng, batch, time, vocab, std=0.5), _targets(rng, mask, vocab), mask)


@case("next_token_loss", check=close())
def filler_may_stand_anywhere(rng: np.random.Generator) -> Iterator[Call]:
    """The mask may have holes anywhere, and a whole row may be filler."""
    for _ in range(3):
        mask = rng.permuted(np.tile([True, True, False, False, False], (4, 1)), axis=-1)
        mask[rng.integers(4)] = False
        yield call(_normal(rng, 4, 5, 3, std=0.5), _targets(rng, mask, 3), mask)


@case("next_token_loss", check=close())
def what_stands_at_filler_is_ignored(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever logits and targets stand where the mask is False, even logits in the thousands, the loss is the same."""
    logits, targets = _normal(rng, 3, 5, 4, std=0.5), rng.integers(4, size=(3, 5))
    lengths = _lengths(rng, 3, 5)
    alone = (
        lengths.argmax(),
        lengths.max() - 1,
    )  # the only target of its step: an id like any other, and one that means feel
    targets[alone], logits[alone] = 0, (-1.5, 0.5, 0.0, 1.0)
    mask = _real(lengths, 5)
    yield call(logits, targets, mask)
    yield call(np.where(mask[..., None], logits, 5.0 * _normal(rng, 3, 5, 4)), np.where(mask, targets, 0), mask)
    yield call(np.where(mask[..., None], logits, 2000.0 * _normal(rng, 3, 5, 4)), np.where(mask, targets, 3), mask)


@case("next_token_loss", check=close())
def unlikely_targets_cost_what_they_cost(rng: np.random.Generator) -> Iterator[Call]:
    """Targets hundreds of nats below the best token still have a finite loss, and the right one."""
    logits = rng.integers(-900, 900, size=(2, 4, 5)).astype(float)
    logits[0, 0, 0] = -901.0  # so that a target is 0, an id like any other
    logits[1, 0, 0] = 900.0
    logits[0, 1] -= 2000.0  # far below the largest logit of all
    yield call(logits, logits.argmin(axis=-1), np.ones((2, 4), dtype=bool))
    for lengths in ([4, 2], [1, 3], [4, 1]):
        logits = _normal(rng, 2, 4, 5, std=3.0) + 40.0 * np.eye(5)[rng.integers(5, size=(2, 4))]
        yield call(logits, logits.argmin(axis=-1), _real(np.array(lengths), 4))


@case("next_token_loss", check=close())
def the_level_of_logits_is_free(rng: np.random.Generator) -> Iterator[Call]:
    """Logits around 1000 and around -1000 say the same as logits around zero, and cost the same."""
    # Eighths, which single precision holds also beside a thousand.
    logits = rng.integers(-16, 17, size=(2, 4, 5)) / 8.0
    logits[0, 3] = -2.0, 1.5, 0.0, -1.0, 0.0  # filler
    targets = logits.argmax(axis=-1)  # which cost little, and one of them much, so that no mean is like another
    targets[1, 3], logits[1, 3] = 0, (-1.5, 1.0, 0.5, 1.0, 1.0)
    for level in (0.0, 1000.0, -1000.0):
        yield call(level + logits, targets, _real(np.array([3, 4]), 4))


@case("next_token_loss", check=close())
def knowing_nothing_costs_the_logarithm(rng: np.random.Generator) -> Iterator[Call]:
    """If all tokens are equally likely, the loss is the logarithm of how many there are, whatever the targets."""
    for vocab in (int(rng.integers(3, 9)), 27):
        logits = np.broadcast_to(_normal(rng, 2, 3, 1), (2, 3, vocab)).copy()
        yield call(logits, rng.integers(vocab, size=(2, 3)), np.ones((2, 3), dtype=bool))


@case("next_token_loss", check=untouched())
def a_loss_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The loss is right, and logits, targets and mask are as before."""
    mask, targets, logits = _real(_lengths(rng, 3, 5), 5), rng.integers(4, size=(3, 5)), _normal(rng, 3, 5, 4, std=0.5)
    targets[0, 0], logits[0, 0, 0] = 0, -1.5  # an id like any other, and a sequence whose mean is another
    yield call(logits, targets, mask)


# sequence_log_prob


@case("sequence_log_prob", check=close(), weight=2)
def log_probs_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """For one sequence, for a batch, and with another axis in front, each sequence gets its own sum."""
    for leading, time, vocab in (((), 4, 5), ((3,), 5, 4), ((2, 3), 4, 6)):
        yield call(_normal(rng, *leading, time, vocab, std=0.8), rng.integers(vocab, size=(*leading, time)))


@case("sequence_log_prob", check=close())
def long_texts_do_not_underflow(rng: np.random.Generator) -> Iterator[Call]:
    """A text of 200 tokens has a probability below 1e-350, and a logarithm like any other."""
    for _ in range(3):
        yield call(_normal(rng, 200, 60), rng.integers(60, size=200))


@case("sequence_log_prob", check=close())
def near_impossible_tokens(rng: np.random.Generator) -> Iterator[Call]:
    """Tokens hundreds of nats below the best one make a sequence unlikely, not impossible, high as all logits may be."""
    logits = rng.integers(-900, 900, size=(2, 3, 4)).astype(float)
    logits[1, 0, 0] = 900.0
    logits[0, 1] -= 2000.0  # far below the largest logit of all
    yield call(logits, logits.argmin(axis=-1))
    yield call(1000.0 + rng.integers(-24, 25, size=(2, 3, 4)) / 8.0, rng.integers(4, size=(2, 3)))


@case("sequence_log_prob", check=untouched())
def log_probs_leave_their_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The logarithms are right, and logits and ids are as before."""
    yield call(_normal(rng, 3, 5, 4), rng.integers(4, size=(3, 5)))


# perplexity


@case("perplexity", check=close(), weight=2)
def perplexity_of_one_text(rng: np.random.Generator) -> Iterator[Call]:
    """For texts of different lengths and losses, the exponential of the mean per token."""
    for n, least in ((1, 0.3), (7, 0.3), (250, 3.0)):  # the last one's probability is too small for a float
        yield call(float(n * rng.uniform(least, 4.0)), n)


@case("perplexity", check=close())
def equally_likely_tokens(rng: np.random.Generator) -> Iterator[Call]:
    """If k tokens are equally likely at each step, the perplexity is k."""
    for k in (2, int(rng.integers(5, 60))):
        yield call(float(11 * np.log(k)), 11)


@case("perplexity", check=close())
def perplexity_of_a_collection(rng: np.random.Generator) -> Iterator[Call]:
    """Of several texts of different lengths, long ones count for more."""
    n = rng.permutation([3, 11, 40, 150])
    yield call(n * rng.uniform(0.5, 3.0, size=4), n)


@case("perplexity", check=untouched())
def perplexity_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The perplexity is right, and the two arrays are as before."""
    n = rng.permutation([3, 11, 40])
    yield call(n * rng.uniform(0.5, 3.5, size=3), n.astype(float))


# bits_per_char


@case("bits_per_char", check=close(), weight=2)
def bits_of_one_text(rng: np.random.Generator) -> Iterator[Call]:
    """For texts of different lengths and losses, the mean per character, in bits."""
    for n, least in ((1, 0.3), (7, 0.3), (250, 3.0)):  # the last one's probability is too small for a float
        yield call(float(n * rng.uniform(least, 4.0)), n)


@case("bits_per_char", check=close())
def coins_cost_a_bit(rng: np.random.Generator) -> Iterator[Call]:
    """Where two characters are equally likely, each costs one bit; where 2^k are, k bits."""
    for k in (1, int(rng.integers(2, 9))):
        yield call(float(13 * k * np.log(2)), 13)


@case("bits_per_char", check=close())
def bits_of_a_collection(rng: np.random.Generator) -> Iterator[Call]:
    """Of several texts of different lengths, long ones count for more."""
    n = rng.permutation([3, 11, 40, 150])
    yield call(n * rng.uniform(0.5, 3.0, size=4), n)


@case("bits_per_char", check=untouched())
def bits_leave_their_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The bits are right, and the two arrays are as before."""
    n = rng.permutation([3, 11, 40])
    yield call(n * rng.uniform(0.5, 3.5, size=3), n.astype(float))


# classify_sequence


@case("classify_sequence", check=close(), weight=3)
def each_row_ends_where_it_ends(rng: np.random.Generator) -> Iterator[Call]:
    """With another length in every row, each is judged by the state after its own last step."""
    for batch, time, inputs, hidden, outputs in ((3, 6, 2, 4, 5), (2, 5, 4, 3, 6), (4, 7, 3, 5, 2)):
        x, h0, *_ = _network(rng, batch, time, inputs, hidden)
        lengths = _unsorted_lengths(rng, batch, time - 1) if batch > 2 else _lengths(rng, batch, time)
        yield call(x, h0, lengths, _params(rng, inputs, hidden, outputs))


@case("classify_sequence", check=close())
def all_rows_are_full(rng: np.random.Generator) -> Iterator[Call]:
    """Where nothing is filler, the last step is the last one there is; a sequence of one step is allowed."""
    x, h0, *_ = _network(rng, 3, 5, 2, 4)
    yield call(x, h0, np.array([5, 5, 5]), _params(rng, 2, 4, 6))
    yield call(x[:, :1], h0, np.array([1, 1, 1]), _params(rng, 2, 4, 6))


@case("classify_sequence", check=close())
def as_many_classes_as_units(rng: np.random.Generator) -> Iterator[Call]:
    """With all sizes equal, each array of the parameters still plays its own role."""
    x, h0, *_ = _network(rng, 4, 4, 4, 4)
    yield call(x, h0, _unsorted_lengths(rng, 4, 4), _params(rng, 4, 4, 4))


@case("classify_sequence", check=agree())
def filler_is_ignored(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever stands after the last real step, and however much of it, the probabilities stay the same."""
    x, h0, *_ = _network(rng, 3, 6, 2, 4)
    lengths, params = _unsorted_lengths(rng, 3, 5), _params(rng, 2, 4, 5)
    real = _real(lengths, 6)[..., None]
    yield call(x, h0, lengths, params)
    yield call(np.where(real, x, 3.0 * _normal(rng, *x.shape)), h0, lengths, params)
    yield call(np.concatenate([x, _normal(rng, 3, 4, 2)], axis=1), h0, lengths, params)


@case("classify_sequence", check=untouched())
def classifying_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The probabilities are right, and the inputs, the lengths and the parameters are as before."""
    x, h0, *_ = _network(rng, 3, 5, 2, 4)
    yield call(x, h0, _unsorted_lengths(rng, 3, 4), _params(rng, 2, 4, 6))


# generate


@case("generate", check=close(), weight=3)
def every_token_is_drawn_as_agreed(rng: np.random.Generator) -> Iterator[Call]:
    """With more tokens than units and fewer, the text that the uniform numbers stand for is written."""
    for n, vocab, hidden in ((7, 6, 4), (8, 4, 7), (9, 8, 5)):
        yield call(*_writing(rng, n, vocab, hidden))


@case("generate", check=close())
def equal_sizes_hide_no_error(rng: np.random.Generator) -> Iterator[Call]:
    """With as many tokens as units, rows and columns of the matrices still keep their roles."""
    for size in (5, 6, 7, 8, 5, 6, 7, 8):
        yield call(*_writing(rng, 9, size, size))


@case("generate", check=close())
def one_token_only(rng: np.random.Generator) -> Iterator[Call]:
    """A single token, from each of many starts."""
    for number in range(30):
        yield call(*_writing(rng, 1, 5, 4, last=number == 0))


@case("generate", check=close())
def small_and_large_uniforms(rng: np.random.Generator) -> Iterator[Call]:
    """A uniform number of 0 takes the first token, and one just below 1 the last."""
    h0, first_id, n, params, _ = _writing(rng, 5, 4, 3)
    params = {**params, "W_y": params["W_y"] * 0.3, "b_y": np.array([0.0, 1.0, 0.5, 0.0])}
    yield call(h0, first_id, n, params, np.zeros(5))
    yield call(h0, first_id, n, params, np.array([0.99, 0.0, 0.99, 0.99, 0.0]))


@case("generate", check=close())
def impossible_tokens_are_never_written(rng: np.random.Generator) -> Iterator[Call]:
    """A uniform number of 0 does not take a first token whose probability is 0, as 0 does not exceed 0."""
    h0, first_id, n, params, _ = _writing(rng, 5, 4, 3)
    # exp(-20000) is zero to every float of numpy, long ones too; exp(-2000) is not.
    params = {**params, "W_y": params["W_y"] * 0.1, "b_y": np.array([-20000.0, 0.0, 1.5, 0.5])}
    yield call(h0, first_id, n, params, np.array([0.0, 0.0, 0.95, 0.0, 0.0]))


@case("generate", check=untouched())
def writing_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The text is right, and h0, the parameters and the uniform numbers are as before."""
    for _ in range(6):
        yield call(*_writing(rng, 8, 6, 4))


# caption


@case("caption", check=close(), weight=2)
def captions_end_with_eos(rng: np.random.Generator) -> Iterator[Call]:
    """Captions of several lengths, each of which ends in its own time."""
    for n, features, vocab, hidden in ((3, 2, 6, 4), (4, 5, 5, 7), (5, 3, 8, 6), (4, 6, 7, 5)):
        yield call(*_described(rng, n, features, vocab, hidden, end="eos"))


@case("caption", check=close())
def captions_without_eos_are_cut_off(rng: np.random.Generator) -> Iterator[Call]:
    """Where EOS is not written, there are max_len tokens."""
    for n, features, vocab, hidden in ((5, 2, 6, 4), (6, 5, 7, 8), (1, 4, 5, 3)):
        yield call(*_described(rng, n, features, vocab, hidden, end=""))


@case("caption", check=close())
def equal_sizes_hide_no_error_in_captions(rng: np.random.Generator) -> Iterator[Call]:
    """With as many features as units and tokens, rows and columns of the matrices still keep their roles."""
    for size in (5, 6, 7, 5, 6, 7):
        yield call(*_described(rng, 4, size, size, size, end="eos"))


@case("caption", check=close())
def eos_may_be_bos(rng: np.random.Generator) -> Iterator[Call]:
    """Where one id stands for both ends, it is read first, and writing it ends the caption."""
    for _ in range(2):
        yield call(*_described(rng, 6, 3, 5, 4, end="bos"))


@case("caption", check=untouched())
def describing_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The captions are right, and images, W_i and parameters are as before."""
    for _ in range(3):
        yield call(*_described(rng, 4, 3, 6, 4, end="eos"))
