"""Hidden cases of a10_fast_attention: random inputs in which no two sizes are equal, and what must hold of them."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autograder.course.spec import Answer, Call, Finding, call, case
from autograder.judge.by_value import ByValue
from autograder.judge.checks import close, untouched

SOFTMAX = ("m", "l", "y")
FORWARD = ("output", "logsumexp")
GRADIENTS = ("dq", "dk", "dv")
PREFILL = ("output", "K", "V")
STEP = ("weights", "scale", "good")


def _normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.normal(size=shape)


def _qkv(rng: np.random.Generator, *leading: int, T_q: int = 4, T_k: int = 7) -> tuple[np.ndarray, ...]:
    """Draw queries and keys of 3 features, and values of 5."""
    return _normal(rng, *leading, T_q, 3), _normal(rng, *leading, T_k, 3), _normal(rng, *leading, T_k, 5)


def _forward(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return what plain attention gives: its output, and the logarithm of each row's sum of exponentials."""
    T_q, T_k = q.shape[-2], k.shape[-2]
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(T_q, T_k, T_k - T_q, dtype=bool), scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):  # of a smaller call that leaves a row without any key
        raised = np.exp(scores - top)
    total = raised.sum(axis=-1, keepdims=True)
    return raised / total @ v, (top + np.log(total))[..., 0]


# online_softmax

Blocks = list[tuple[np.ndarray, np.ndarray]]


def _blocks(rng: np.random.Generator, *lengths: int, d_v: int = 3) -> Blocks:
    return [(3.0 * _normal(rng, n), _normal(rng, n, d_v)) for n in lengths]


def _with_peaks(blocks: Blocks, *peaks: float) -> Blocks:
    """Move the scores of each block, so that the largest one is its peak."""
    return [(scores + (peak - scores.max()), values) for (scores, values), peak in zip(blocks, peaks, strict=True)]


@case("online_softmax", check=close(names=SOFTMAX), weight=3)
def blocks_of_any_length(rng: np.random.Generator) -> Iterator[Call]:
    """One block or many, long and short, of values with one feature or more."""
    low, middle, high = rng.uniform((0.5, 1.5, 2.5), (1.0, 2.0, 3.0))
    yield call(_with_peaks(_blocks(rng, 6), middle))
    yield call(_with_peaks(_blocks(rng, 4, 2, 5, 1, 3), middle, low, high, middle, low))
    yield call(_with_peaks(_blocks(rng, 1, 1, 1, 1, d_v=1), low, high, low, middle))


@case("online_softmax", check=close(names=SOFTMAX), weight=2)
def the_maximum_rises_and_stays(rng: np.random.Generator) -> Iterator[Call]:
    """Scores that rise from block to block, that fall, and that have their peak in the middle."""
    blocks = _blocks(rng, 2, 3, 4, 5)
    for levels in ((-4.0, -1.0, 1.0, 4.0), (4.0, 1.0, -1.0, -4.0), (-2.0, 3.0, 1.0, -3.0)):
        yield call([(scores + level, values) for (scores, values), level in zip(blocks, levels, strict=True)])


@case("online_softmax", check=close(names=SOFTMAX))
def thousands_apart(rng: np.random.Generator) -> Iterator[Call]:
    """Blocks near 1000 and near -1000 in either order, and all of them near -1000."""
    # Eighths, which float32 holds beside 1000: exponentials would show what it rounds away.
    low, high = (
        [(level + np.round(8.0 * scores) / 8.0, values) for scores, values in _blocks(rng, 3, 2)]
        for level in (-1000.0, 1000.0)
    )
    for blocks in (low, high, low + high, high + low):
        yield call(blocks)


@case("online_softmax", check=close(names=SOFTMAX))
def hidden_keys_count_for_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """Minus infinity hides a key, or all keys of a block, wherever the block stands."""
    first, second, third = _with_peaks(_blocks(rng, 3, 4, 2), 1.0, 2.0, 3.0)
    nothing = (np.full(3, -np.inf), first[1])
    some = (np.where([True, False, True, False], second[0], -np.inf), second[1])
    yield call([nothing, some, third])
    yield call([some, nothing, third])
    yield call([nothing, nothing, third, some, nothing])


@case("online_softmax", check=untouched(names=SOFTMAX))
def scores_and_values_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and scores and values of every block are as before."""
    yield call(_with_peaks(_blocks(rng, 3, 2, 4), 1.0, 3.0, 2.0))


# tiled_attention


@case("tiled_attention", check=close(names=FORWARD), weight=3)
def tiles_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Tiles that divide the number of keys, that do not, of a single key, and larger than all keys."""
    q, k, v = (2.0 * array for array in _qkv(rng))
    for block in (1, 2, 3, 7, 10):
        yield call(q, k, v, block)


@case("tiled_attention", check=close(names=FORWARD), weight=3)
def causal_tiles_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Causal, with as many queries as keys and with fewer, for tiles of every size."""
    for block in (1, 2, 3, 7, 10):
        yield call(*_qkv(rng), block, True)
        yield call(*_qkv(rng, T_q=7), block, True)


@case("tiled_attention", check=close(names=FORWARD), weight=2)
def leading_axes_come_along(rng: np.random.Generator) -> Iterator[Call]:
    """A batch, and a batch with heads, causal and not."""
    for leading in ((2,), (2, 3)):
        yield call(*_qkv(rng, *leading), 3, False)
        yield call(*_qkv(rng, *leading), 3, True)


@case("tiled_attention", check=close(names=FORWARD))
def every_row_has_its_own_maximum(rng: np.random.Generator) -> Iterator[Call]:
    """Some rows find their largest score early and others late, with scores near 1000 and near -1000; one has small scores
    only, and is asked alone as well. Causal, a later key lies far above those that may be read."""
    q = np.array([[30.0, 1.0], [-30.0, 0.5], [1.0, 30.0], [0.5, -1.0], [0.01, 0.02]])
    k = np.array([[-1.0, 0.1], [1.0, 0.2], [-0.5, 1.0], [0.2, 0.1], [0.9, -1.0]])
    k *= 45.0 * rng.uniform(0.95, 1.05, size=k.shape)
    for keys in (k, k[::-1]):
        yield call(q, keys, _normal(rng, 5, 3), 2)
    yield call(q[-1:], k, _normal(rng, 5, 3), 2)
    rising = np.array([[0.1], [0.2], [40.0], [100.0]]) * rng.uniform(0.95, 1.05, size=(4, 1))
    yield call(
        np.full((4, 1), 30.0), rising, _normal(rng, 4, 3), 2, True
    )  # a later key, far above those that may be read


@case("tiled_attention", check=untouched(names=FORWARD))
def tiles_are_copies(rng: np.random.Generator) -> Iterator[Call]:
    """The output is right, and q, k and v are as before."""
    yield call(*_qkv(rng, 2), 3, True)


@case(
    "tiled_attention",
    check=close(names=FORWARD),
    keeps="it is about memory: plain attention has the right numbers and ends here with MEMORY",
)
def long_sequences_fit_into_memory(rng: np.random.Generator) -> Iterator[Call]:
    """7168 queries and keys in single precision, in tiles of 128: the full matrix takes 196 MiB, and there is no room for one."""
    q, k, v = (_normal(rng, 7168, 2).astype(np.float32) for _ in range(3))
    yield call(q, k, v, 128)


# tiled_backward


def _backward(rng: np.random.Generator, *leading: int, block: int, causal: bool, T_q: int = 4) -> Call:
    """Draw a forward pass and a gradient of its output."""
    q, k, v = _qkv(rng, *leading, T_q=T_q)
    return call(_normal(rng, *leading, T_q, 5), q, k, v, *_forward(q, k, v, causal), block, causal)


@case("tiled_backward", check=close(names=GRADIENTS, only="dv"))
def values_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dv is right, for tiles of several sizes, causal and not."""
    for block in (1, 3, 10):
        yield _backward(rng, block=block, causal=False)
        yield _backward(rng, 2, block=block, causal=True)


@case("tiled_backward", check=close(names=GRADIENTS, only="dq"), weight=2)
def queries_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dq is right, for tiles of several sizes, causal and not."""
    for block in (1, 3, 10):
        yield _backward(rng, block=block, causal=False)
        yield _backward(rng, 2, block=block, causal=True)


@case("tiled_backward", check=close(names=GRADIENTS, only="dk"), weight=2)
def keys_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dk is right, for tiles of several sizes, causal and not."""
    for block in (1, 3, 10):
        yield _backward(rng, block=block, causal=False)
        yield _backward(rng, 2, block=block, causal=True)


@case("tiled_backward", check=close(names=GRADIENTS), weight=3)
def gradients_with_heads(rng: np.random.Generator) -> Iterator[Call]:
    """All three gradients, with a batch and heads, and with as many queries as keys."""
    yield _backward(rng, 2, 3, block=2, causal=False)
    yield _backward(rng, 2, 3, block=2, causal=True)
    yield _backward(rng, 2, block=3, causal=True, T_q=7)


@case("tiled_backward", check=close(names=GRADIENTS))
def equal_sizes_hide_no_wrong_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """With all sizes equal, when no shape can warn of a slip, each gradient still is the right one."""
    q, k, v, dout = (_normal(rng, 2, 4, 4) for _ in range(4))
    yield call(dout, q, k, v, *_forward(q, k, v, False), 2)
    yield call(dout, q, k, v, *_forward(q, k, v, True), 4, True)


@case("tiled_backward", check=untouched(names=GRADIENTS))
def the_forward_pass_is_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The gradients are right, and all arguments are as before."""
    yield _backward(rng, 2, block=3, causal=True)


@case(
    "tiled_backward",
    check=close(names=GRADIENTS),
    keeps="it is about memory: a backward pass with whole matrices has the right numbers and ends here with MEMORY",
)
def long_sequences_fit_going_back(rng: np.random.Generator) -> Iterator[Call]:
    """5120 queries and keys in single precision, in tiles of 80: a matrix takes 100 MiB, and there is no room for two."""
    few, times = 256, 20  # the same keys again and again, so that the forward pass is that of a few
    q, k, v = (_normal(rng, few, 2) for _ in range(3))
    output, logsumexp = _forward(q, k, v, False)
    long = [np.tile(array, (times, 1)).astype(np.float32) for array in (q, k, v, output)]
    dout = _normal(rng, few * times, 2).astype(np.float32)
    yield call(dout, *long, np.tile(logsumexp + np.log(times), times).astype(np.float32), 80)


# cache_bytes


@case("cache_bytes", check=close(), weight=2)
def caches_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """One sequence or several of different lengths, without pages; every factor counts once."""
    for sequences in (1, 2, 4):
        lengths = (5 + rng.permutation(895)[:sequences]).tolist()
        layers, heads, width = (int(rng.integers(low, 2 * low)) for low in (3, 9, 50))
        yield call(lengths, layers, heads, width)
        yield call(lengths, layers, heads, width, 4)


@case("cache_bytes", check=close(), weight=2)
def whole_pages_for_each_sequence(rng: np.random.Generator) -> Iterator[Call]:
    """Sequences that end inside of a page, exactly at the end of one, and one token behind it."""
    page = int(rng.integers(5, 20))
    for lengths in ([3 * page], [3 * page + 1], [page - 1, 2 * page, 2 * page + 1], [1, 1, 1, 4 * page + 2]):
        yield call(lengths, 3, 5, 7, 2, page)


# arithmetic_intensity


@case("arithmetic_intensity", check=close(), weight=2)
def intensities_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Long and short, few queries and many, in numbers of 1, 2 and 4 bytes, fused and not."""
    for bytes_each in (1, 2, 4):
        T_q, T_k, d = (int(rng.integers(low, 2 * low)) for low in (40, 300, 16))
        for fused in (False, True):
            yield call(T_q, T_k, d, bytes_each, fused)
            yield call(T_q, 3 * T_q, 4 * d, bytes_each, fused)


@case("arithmetic_intensity", check=close())
def nothing_is_fused_unless_said(rng: np.random.Generator) -> Iterator[Call]:
    """Without further arguments numbers have two bytes, and every step reads and writes."""
    yield call(int(rng.integers(500, 900)), int(rng.integers(1000, 1500)), 48)


# roofline


@case("roofline", check=close(), weight=2)
def rooflines_of_other_processors(rng: np.random.Generator) -> Iterator[Call]:
    """Slow and fast processors, at intensities on both sides of the ridge, in an array of any shape."""
    for _ in range(3):
        peak, bandwidth = float(rng.uniform(1e12, 9e14)), float(rng.uniform(1e11, 4e12))
        yield call(peak / bandwidth * rng.permuted([[0.01, 0.2, 0.9], [1.1, 3.0, 50.0]]), peak, bandwidth)


@case("roofline", check=close())
def one_intensity(rng: np.random.Generator) -> Iterator[Call]:
    """A single number in, a single number out."""
    yield call(float(rng.uniform(1.0, 9.0)), 4e12, 1e11)
    yield call(float(rng.uniform(50.0, 90.0)), 4e12, 1e11)


# paged_gather


def _paged(rng: np.random.Generator, lengths: list[int], page: int, *axes: int) -> Call:
    """Draw pages that a batch is spread over in any order, with pages of others among them."""
    needed = [-(-n // page) for n in lengths]
    pages = _normal(rng, sum(needed) + 3, page, *axes)
    tables = np.full((len(lengths), max(needed) + 1), -1)
    while all((np.diff(tables[row, :count]) >= 0).all() for row, count in enumerate(needed)):  # the order has to matter
        order = rng.permutation(len(pages))
        for row, count in enumerate(needed):
            tables[row, :count], order = order[:count], order[count:]
    return call(pages, tables, np.array(lengths))


@case("paged_gather", check=close(), weight=3)
def batches_of_texts(rng: np.random.Generator) -> Iterator[Call]:
    """Texts of several lengths, whose pages stand in any order among those of others."""
    yield _paged(rng, [7, 12, 4], 4, 3)
    yield _paged(rng, [1, 9], 2, 5)
    yield _paged(rng, [10], 3, 2)


@case("paged_gather", check=close())
def pages_hold_what_they_hold(rng: np.random.Generator) -> Iterator[Call]:
    """One number in each place, or a vector for each of some heads."""
    yield _paged(rng, [5, 3], 4)
    yield _paged(rng, [5, 8, 2], 3, 2, 4)


@case("paged_gather", check=close())
def a_page_may_be_just_full(rng: np.random.Generator) -> Iterator[Call]:
    """Texts that end with their page, one token before and one token after."""
    yield _paged(rng, [8], 4, 2)
    yield _paged(rng, [7, 8, 9], 4, 2)


@case("paged_gather", check=close())
def what_others_have_left(rng: np.random.Generator) -> Iterator[Call]:
    """NaN and infinities stand wherever no token of these texts was written, and none of them comes along."""
    for left in (np.nan, np.inf):
        made = _paged(rng, [7, 2, 4], 4, 3)
        pages, tables, lengths = made.args
        t = np.arange(7)
        written = np.zeros(pages.shape[:2], dtype=bool)
        for row, length in enumerate(lengths):
            written[tables[row, t[:length] // 4], t[:length] % 4] = True
        yield call(np.where(written[..., None], pages, left), tables, lengths)


@case("paged_gather", check=untouched())
def pages_can_be_read_again(rng: np.random.Generator) -> Iterator[Call]:
    """The tokens are right, and pages, tables and lengths are as before."""
    yield _paged(rng, [7, 12, 4], 4, 3)


# chunked_prefill


def _prefill(rng: np.random.Generator, *leading: int, T: int, past: int, chunk: int) -> Call:
    """Draw a prompt of 4 features behind a cache of keys with 3 and values with 5; no score decides alone."""
    x, W_q, W_k, W_v = (_normal(rng, *shape) for shape in ((*leading, T, 4), (4, 3), (4, 3), (4, 5)))
    W_q *= 0.4
    return call(x, (_normal(rng, *leading, past, 3), _normal(rng, *leading, past, 5)), W_q, W_k, W_v, chunk)


@case("chunked_prefill", check=close(names=PREFILL), weight=3)
def chunks_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Chunks that divide the prompt, that do not, of one token, and larger than the prompt, behind an empty cache."""
    for chunk in (1, 2, 3, 7, 9):
        yield _prefill(rng, T=7, past=0, chunk=chunk)


@case("chunked_prefill", check=close(names=PREFILL), weight=3)
def a_cache_is_continued(rng: np.random.Generator) -> Iterator[Call]:
    """Behind caches that are shorter and longer than a chunk, and than the prompt."""
    for past, chunk in ((1, 3), (2, 4), (9, 2), (5, 7)):
        yield _prefill(rng, T=7, past=past, chunk=chunk)


@case("chunked_prefill", check=close(names=PREFILL), weight=2)
def batches_and_heads_are_read(rng: np.random.Generator) -> Iterator[Call]:
    """With one and two axes in front, every prompt is read behind its own cache."""
    yield _prefill(rng, 2, T=5, past=3, chunk=2)
    yield _prefill(rng, 2, 3, T=5, past=2, chunk=4)


@case("chunked_prefill", check=untouched(names=PREFILL))
def a_cache_may_serve_twice(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and the cache that was given can be continued in another way."""
    yield _prefill(rng, 2, T=5, past=3, chunk=2)


# accept


def _far_from_a_tie(probabilities: np.ndarray, u: float) -> bool:
    sums = np.cumsum(probabilities / probabilities.sum())
    return bool(np.abs(sums - u).min() > 0.01)


def _draft(rng: np.random.Generator, n: int, vocab: int, stays: int) -> Call:
    """Draw two models and a draft of which the first tokens stay, so many, and the next one does not."""
    while True:
        p, q = rng.dirichlet(np.ones(vocab), size=n + 1), rng.dirichlet(np.ones(vocab), size=n)
        draft, u = rng.integers(0, vocab, size=n), rng.random(n + 1)
        ratio = p[np.arange(n), draft] / q[np.arange(n), draft]
        u[:stays] = np.minimum(ratio[:stays], 1.0) * rng.uniform(0.3, 0.9, size=stays)
        last = p[n]
        if stays < n:
            if not 0.1 < ratio[stays] < 0.8:
                continue
            u[stays] = ratio[stays] + (1.0 - ratio[stays]) * rng.uniform(0.2, 0.8)
            last = np.maximum(p[stays] - q[stays], 0.0)
        if _far_from_a_tie(last, u[n]):
            return call(draft, p, q, u)


@case("accept", check=close(), weight=3)
def drafts_that_end_anywhere(rng: np.random.Generator) -> Iterator[Call]:
    """Drafts of four tokens, of which none, one, two, three and all stay; several of each."""
    for stays in (0, 1, 2, 3, 4) * 8:
        yield _draft(rng, 4, 6, stays)


@case("accept", check=close(), weight=2)
def short_drafts(rng: np.random.Generator) -> Iterator[Call]:
    """Drafts of one token that stays or does not, and of no token at all, among three and among nine words; then one of which
    a fifth and four fifths are left, in any order."""
    for vocab in (3, 9) * 6:
        yield _draft(rng, 1, vocab, 1)
        yield _draft(rng, 1, vocab, 0)
        yield _draft(rng, 0, vocab, 0)
    keep = rng.permutation(3)
    p, q = np.array([[0.5, 0.4, 0.1], [0.2, 0.3, 0.5]])[:, keep], np.array([[0.1, 0.3, 0.6]])[:, keep]
    for drawn in (0.3, 0.7):
        yield call(np.array([q[0].argmax()]), p, q, np.array([0.5, drawn]))


@case("accept", check=close())
def words_without_probability(rng: np.random.Generator) -> Iterator[Call]:
    """Words that the large model excludes never stay and are never drawn."""
    keep = rng.permutation(4)
    keep = keep if keep.argsort()[3] < keep.argsort()[1] else keep[::-1]  # more is left of the later word
    p = np.array([[0.0, 0.6, 0.0, 0.4], [0.5, 0.0, 0.5, 0.0]])[:, keep]
    q = np.array([[0.3, 0.2, 0.3, 0.2]])[:, keep]
    for token in range(4):
        for u, drawn in itertools.product((0.0, 0.3, 0.9), (0.05, 0.27, 0.45, 0.72, 0.95)):
            yield call(np.array([token]), p, q, np.array([u, drawn]))


@case("accept", check=close())
def a_number_of_zero(rng: np.random.Generator) -> Iterator[Call]:
    """A number of 0 draws the first word that has a probability, and none before it."""
    drawn = rng.uniform(0.11, 0.22)
    p, q = np.array([[0.0, 0.4 + drawn, 0.6 - drawn, 0.0], [0.0, 0.0, 0.5, 0.5]]), np.array([[0.4, 0.1, 0.3, 0.2]])
    yield call(np.array([0]), p, q, np.array([0.9, 0.0]))
    yield call(np.array([1]), p, q, np.array([0.9, 0.0]))


@dataclass(frozen=True)
class DrawsTheTarget(ByValue):
    """The first tokens of all calls, each as likely as its draft, are distributed as the large model's are.

    A call stands for one token of the draft and one cell of a grid of uniform numbers, which is fine enough to be exact.
    """

    def judge(self, calls: tuple[Call, ...], got: tuple[Answer, ...], _expected: tuple[Answer, ...]) -> Finding | None:
        """Return the first token that comes too often or too seldom."""
        p, q = calls[0].args[1][0], calls[0].args[2][0]
        found = np.zeros(len(p))
        for index, (made, answer) in enumerate(zip(calls, got, strict=True)):
            tokens = answer.value
            first = np.asarray(tokens[0] if isinstance(tokens, list | tuple) and tokens else None)
            if first.dtype.kind not in "iu" or first.ndim or not 0 <= first < len(p):
                return Finding("container", "A list of tokens was expected, with one token at least.", call=index)
            found[int(first)] += q[made.args[0][0]] * len(p) / len(calls)
        if np.abs(found - p).max() > self.tolerance:
            return Finding(
                "property", "The tokens are not distributed as those of the large model.", got=found, expected=p
            )
        return None


@case("accept", check=DrawsTheTarget())
def the_large_model_s_distribution_is_unchanged(rng: np.random.Generator) -> Iterator[Call]:
    """Over all drafts of one token and all uniform numbers, the first token comes as often as the large model alone would write it."""
    keep = rng.permutation(4)
    p, q = np.array([4.0, 2.0, 1.0, 1.0])[keep] / 8.0, np.array([1.0, 1.0, 2.0, 4.0])[keep] / 8.0
    middles = (np.arange(4) + 0.5) / 4.0
    for token in range(4):
        for stay in middles:
            for drawn in middles:
                yield call(np.array([token]), np.stack([p, q]), q[None], np.array([stay, drawn]))


@case("accept", check=untouched())
def both_models_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The tokens are right, and the draft, both models' probabilities and the numbers are as before."""
    for stays in (1, 2, 3, 4) * 8:
        yield _draft(rng, 4, 6, stays)


# loss_scaled_step


def _scaled(rng: np.random.Generator, scale: float, size: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Draw weights of three shapes, and their gradients times a scale in half precision."""
    shapes = ((3, 2), (4,), (2, 2, 2))
    grads = [(scale * size * _normal(rng, *shape)).astype(np.float16) for shape in shapes]
    return [_normal(rng, *shape) for shape in shapes], grads


@case("loss_scaled_step", check=close(names=STEP), weight=3)
def steps_that_are_clipped_and_not(rng: np.random.Generator) -> Iterator[Call]:
    """Gradients of several sizes: some are longer than the largest norm allowed, others are shorter and stay as they are."""
    for scale, size in ((512.0, 1.0), (4096.0, 0.01), (128.0, 20.0), (2.0, 0.01)):
        yield call(*_scaled(rng, scale, size), scale, 0.3, 0.5, 4)


@case("loss_scaled_step", check=close(names=STEP), weight=2)
def any_overflow_skips_the_step(rng: np.random.Generator) -> Iterator[Call]:
    """An infinity of either sign or a NaN, in the first gradient or in the last."""
    for broken in (np.inf, -np.inf, np.nan):
        for place in (0, 2):
            weights, grads = _scaled(rng, 256.0, 1.0)
            grads[place].flat[1] = broken
            yield call(weights, grads, 256.0, 0.3, 0.5, 6, 7)


@case("loss_scaled_step", check=close(names=STEP))
def good_steps_are_counted(rng: np.random.Generator) -> Iterator[Call]:
    """The scale is doubled at the end of an interval, and not before."""
    for good, interval in ((0, 2), (1, 2), (8, 9), (3, 9), (0, 1)):
        yield call(*_scaled(rng, 256.0, 1.0), 256.0, 0.3, 0.5, good, interval)


@case("loss_scaled_step", check=close(names=STEP), keeps="code that divides by the norm ends here without an answer")
def gradients_of_zero_are_good(rng: np.random.Generator) -> Iterator[Call]:
    """A step with gradients of zero counts, be it the last of an interval or not."""
    weights, grads = _scaled(rng, 256.0, 0.0)
    for good in (3, 8):
        yield call(weights, grads, 256.0, 0.3, 0.5, good, 9)


@case("loss_scaled_step", check=close(names=STEP))
def tiny_gradients_survive(rng: np.random.Generator) -> Iterator[Call]:
    """True gradients that float16 cannot hold."""
    weights, grads = _scaled(rng, 65536.0, 1e-8)
    yield call([0.01 * weight for weight in weights], grads, 65536.0, 1e6, 1.0)


@case("loss_scaled_step", check=untouched(names=STEP))
def nothing_is_changed_in_place(rng: np.random.Generator) -> Iterator[Call]:
    """The new weights are right, and old weights and gradients are as before: after a step, and after one that is skipped."""
    weights, grads = _scaled(rng, 256.0, 1.0)
    yield call(weights, grads, 256.0, 0.3, 0.5)
    broken = [grad.copy() for grad in grads]
    broken[1][0] = np.inf
    yield call(weights, broken, 256.0, 0.3, 0.5)


def _backward_anew(
    dout: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    output: np.ndarray,
    logsumexp: np.ndarray,
    block: int,
    causal: bool = False,
) -> tuple[object, ...]:
    made = (array.astype(q.dtype) for array in _forward(q, k, v, causal))
    return dout, q, k, v, *made, block, causal


def _accept_anew(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> tuple[object, ...]:
    n, vocab = min(len(draft), len(p) - 1, len(q), len(u) - 1), min(p.shape[1], q.shape[1])
    draft, u = draft[:n] % vocab, np.append(u[:n], u[-1])
    p, q = np.maximum(p[: n + 1, :vocab], 0.0), np.maximum(q[:n, :vocab], 0.0)
    p[p.sum(axis=1) == 0] = 1.0
    q[np.arange(n), draft] = np.maximum(q[np.arange(n), draft], 0.1)  # it proposes what it gives a probability to
    return draft, p / p.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True), u


def _paged_anew(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> tuple[object, ...]:
    count, page = pages.shape[:2]
    batch = min(len(tables), len(lengths))
    lengths = np.clip(lengths[:batch], 1, page * tables.shape[1])
    used = np.arange(tables.shape[1]) < -(-lengths // page)[:, None]
    return pages, np.where(used, tables[:batch] % count, -1), lengths


ANEW = {"tiled_backward": _backward_anew, "accept": _accept_anew, "paged_gather": _paged_anew}
