"""Public cases of a10_fast_attention: the worked examples of the README, small enough to follow by hand."""

from collections.abc import Iterator

import numpy as np

from autograder.course.spec import Call, call, case
from autograder.judge.checks import close, untouched

SOFTMAX = ("m", "l", "y")
FORWARD = ("output", "logsumexp")
GRADIENTS = ("dq", "dk", "dv")
PREFILL = ("output", "K", "V")
STEP = ("weights", "scale", "good")

# Scores and values of one query; the second block raises the maximum from 3 to 6.
FIRST = (np.array([1.0, 3.0]), np.array([[1.0], [0.0]]))
SECOND = (np.array([2.0, 6.0]), np.array([[2.0], [4.0]]))

# Two queries behind three keys of two features, with values of one: the queries are the last two positions.
QUERIES = np.array([[1.0, 2.0], [0.0, -1.0]])
KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]])
VALUES = np.array([[1.0], [3.0], [-2.0]])

# The same in a batch of two, then in three heads.
BATCH = tuple(np.stack([array, 0.5 - array]) for array in (QUERIES, KEYS, VALUES))
HEADS = tuple(np.stack([array, 0.5 * array, 1.0 - array], axis=1) for array in BATCH)

# Three pages of two places, with one number in each; 90 and 91 are left behind from another text.
PAGES = np.array([[[5.0], [6.0]], [[9.0], [90.0]], [[1.0], [2.0]], [[7.0], [91.0]]])


def forward(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return what plain attention gives: its output, and the logarithm of each row's sum of exponentials."""
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if causal:
        behind = k.shape[-2] - q.shape[-2]
        scores = np.where(np.tri(*scores.shape[-2:], behind, dtype=bool), scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):  # of a smaller call that leaves a row without any key
        raised = np.exp(scores - top)
    total = raised.sum(axis=-1, keepdims=True)
    return raised / total @ v, (top + np.log(total))[..., 0]


def backward(q: np.ndarray, k: np.ndarray, v: np.ndarray, dout: np.ndarray, block: int, causal: bool) -> Call:
    """Call the backward pass with what belongs to a forward pass."""
    return call(dout, q, k, v, *forward(q, k, v, causal), block, causal)


@case("online_softmax", check=close(names=SOFTMAX))
def two_blocks_of_two(rng: np.random.Generator) -> Iterator[Call]:
    """The first block alone, then both: the worked example, with m = 6, l = 1.0748 and y = 3.7618; then the first one twice."""
    yield call([FIRST])
    yield call([FIRST, SECOND])
    yield call([FIRST, FIRST])


@case("online_softmax", check=close(names=SOFTMAX))
def the_largest_score_comes_first(rng: np.random.Generator) -> Iterator[Call]:
    """The same blocks in the other order, then with three of different lengths and values of two features."""
    yield call([SECOND, FIRST])
    yield call(
        [
            (np.array([2.0]), np.array([[1.0, 0.0]])),
            (np.array([0.0, 1.0, -1.0]), np.array([[0.0, 2.0], [3.0, 1.0], [-1.0, 4.0]])),
            (np.array([4.0, 0.5]), np.array([[2.0, 2.0], [0.0, -3.0]])),
        ]
    )


@case("online_softmax", check=close(names=SOFTMAX))
def blocks_of_thousands(rng: np.random.Generator) -> Iterator[Call]:
    """Scores of 1000 behind scores of -1000: nothing overflows, and no sum becomes zero."""
    yield call([(np.array([-1000.0, -1001.0]), FIRST[1]), (np.array([1000.0, 1001.0]), SECOND[1])])
    yield call([(np.array([-1000.0, -1001.0]), FIRST[1])])


@case("online_softmax", check=close(names=SOFTMAX))
def nothing_to_read_in_the_first_block(rng: np.random.Generator) -> Iterator[Call]:
    """All scores of the first block are minus infinity, so it counts for nothing; then one of the second is, too."""
    hidden = (np.array([-np.inf, -np.inf]), FIRST[1])
    yield call([hidden, SECOND])
    yield call([hidden, (np.array([2.0, -np.inf]), SECOND[1])])


@case("online_softmax", check=untouched(names=SOFTMAX), weight=0.4)
def blocks_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Afterwards the blocks are what they were; the largest score comes in the first one."""
    yield call([SECOND, FIRST])


@case("tiled_attention", check=close(names=FORWARD))
def one_query_in_tiles_of_two(rng: np.random.Generator) -> Iterator[Call]:
    """One query whose four scores are 1, 3, 2 and 6, in tiles of two keys: the worked example as attention. Then a quarter of it."""
    keys = np.array([[1.0], [3.0], [2.0], [6.0]])
    for query in (1.0, 0.25):
        yield call(np.array([[query]]), keys, np.array([[1.0], [0.0], [2.0], [4.0]]), 2)


@case("tiled_attention", check=close(names=FORWARD))
def two_queries_three_keys(rng: np.random.Generator) -> Iterator[Call]:
    """Two queries and three keys of two features, in one tile, in tiles of one key, and in tiles of two. Then with values of three
    features."""
    for block in (3, 1, 2):
        yield call(QUERIES, KEYS, VALUES, block)
    yield call(QUERIES, KEYS, np.array([[1.0, 0.0, 2.0], [0.0, 3.0, -1.0], [2.0, 1.0, 0.0]]), 2)


@case("tiled_attention", check=close(names=FORWARD))
def causal_tiles(rng: np.random.Generator) -> Iterator[Call]:
    """The same, causal: the first query reads two keys, the second reads all three. Then with as many queries as keys: three
    in tiles of two, and four in tiles of three."""
    for block in (3, 1, 2):
        yield call(QUERIES, KEYS, VALUES, block, True)
    yield call(KEYS[::-1], KEYS, VALUES, 2, True)
    four = np.append(KEYS, [[1.0, 1.0]], axis=0)
    yield call(four, four, np.append(VALUES, [[5.0]], axis=0), 3, True)


@case("tiled_attention", check=close(names=FORWARD))
def large_scores_do_not_overflow(rng: np.random.Generator) -> Iterator[Call]:
    """Scores of 1000 in some tiles and of -1000 in another; then a hundredth of them; then -1000 everywhere, also beside a query
    with 1000 everywhere. At last, causal, scores of 1 and 2, and of 1000 with a key that the first query may not read."""
    keys = np.array([[100.0], [-100.0], [100.0], [99.9], [100.0]])
    values = np.array([[1.0], [3.0], [-2.0], [4.0], [0.5]])
    for query in (10.0, 0.1):
        yield call(np.array([[query], [-query]]), keys, values, 1)
    yield call(np.array([[-10.0]]), keys[2:], values[2:], 1)
    yield call(np.array([[10.0], [-10.0]]), keys[2:], values[2:], 1)
    yield call(np.array([[10.0], [10.0]]), np.array([[0.1], [0.2], [100.0]]), values[:3], 2, True)


@case("tiled_attention", check=close(names=FORWARD))
def tiles_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of two, then with three heads, causal."""
    yield call(*BATCH, 2, True)
    yield call(*HEADS, 2, True)


@case("tiled_attention", check=untouched(names=FORWARD), weight=0.4)
def tiles_leave_their_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Afterwards q, k and v are what they were."""
    yield call(*BATCH, 2, True)


@case("tiled_backward", check=close(names=GRADIENTS))
def backward_in_tiles_of_one(rng: np.random.Generator) -> Iterator[Call]:
    """One query with even weights on two keys, in one tile and in two: the worked example."""
    q, k = np.array([[2.0, 0.0, 1.0, 1.0]]), np.array([[1.0, 0.0, 1.0, 1.0], [1.0, 3.0, 0.0, 2.0]])
    v = np.array([[1.0, 0.0], [3.0, 4.0]])
    for block in (2, 1):
        yield backward(q, k, v, np.array([[1.0, 0.5]]), block, False)


@case("tiled_backward", check=close(names=GRADIENTS))
def backward_of_two_queries(rng: np.random.Generator) -> Iterator[Call]:
    """Two queries and three keys, in tiles of two: not causal, then causal."""
    dout = np.array([[1.0], [-2.0]])
    yield backward(QUERIES, KEYS, VALUES, dout, 2, False)
    yield backward(QUERIES, KEYS, VALUES, dout, 2, True)


@case("tiled_backward", check=close(names=GRADIENTS))
def backward_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of two, then with three heads, causal."""
    for q, k, v in (BATCH, HEADS):
        yield backward(q, k, v, q[..., :1] + 1.0, 2, True)


@case("tiled_backward", check=untouched(names=GRADIENTS), weight=0.4)
def backward_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Afterwards all arguments are what they were."""
    q, k, v = BATCH
    yield backward(q, k, v, q[..., :1] + 1.0, 2, True)


@case("cache_bytes", check=close())
def four_gib_and_one(rng: np.random.Generator) -> Iterator[Call]:
    """32 layers, 8192 tokens and heads of 128 features in bfloat16: 4 GiB with 32 heads of keys and values, 1 GiB with 8."""
    yield call([8192], 32, 32, 128)
    yield call([8192], 32, 8, 128)


@case("cache_bytes", check=close())
def three_texts_in_pages(rng: np.random.Generator) -> Iterator[Call]:
    """Texts of 5, 16 and 17 tokens without pages and in pages of 16, which are 4 pages; then numbers of 4 bytes. Three texts of
    5 tokens take a page each."""
    yield call([5, 16, 17], 2, 3, 4)
    yield call([5, 16, 17], 2, 3, 4, 2, 16)
    yield call([5, 16, 17], 2, 3, 4, 4, 16)
    yield call([5, 5, 5], 2, 3, 4, 2, 16)


@case("arithmetic_intensity", check=close())
def reading_a_prompt(rng: np.random.Generator) -> Iterator[Call]:
    """4096 queries and keys of 64 features in bfloat16: 31.5 operations for each byte, fused 2048."""
    yield call(4096, 4096, 64)
    yield call(4096, 4096, 64, 2, True)


@case("arithmetic_intensity", check=close())
def writing_a_token(rng: np.random.Generator) -> Iterator[Call]:
    """One query and 4096 keys: about one operation for each byte, fused or not; half of that in single precision. With
    four keys it is less, since the query and the output count."""
    yield call(1, 4, 64)
    yield call(1, 4096, 64)
    yield call(1, 4096, 64, 2, True)
    yield call(1, 4096, 64, 4, True)


@case("roofline", check=close())
def under_the_roof(rng: np.random.Generator) -> Iterator[Call]:
    """300 Tera-operations and 2 TB a second: intensities of 1, 31.5 and 150 wait for the memory, 2048 does not. So does a
    thousandth of an operation for each byte."""
    yield call(np.array([1.0, 31.5, 150.0, 2048.0]), 300e12, 2e12)
    yield call(31.5, 300e12, 2e12)
    yield call(0.001, 300e12, 2e12)


@case("roofline", check=untouched(), weight=0.4)
def intensities_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Afterwards the intensities are what they were."""
    yield call(np.array([1.0, 31.5, 150.0, 2048.0]), 300e12, 2e12)


@case("paged_gather", check=close())
def one_text_from_three_pages(rng: np.random.Generator) -> Iterator[Call]:
    """Five tokens in pages 2, 0 and 1: the numbers 1, 2, 5, 6 and 9, and not the 90 behind them."""
    yield call(PAGES, np.array([[2, 0, 1]]), np.array([5]))


@case("paged_gather", check=close())
def two_texts_share_the_pages(rng: np.random.Generator) -> Iterator[Call]:
    """The second text has one token, in page 3, and no further pages yet; what is missing behind it is zero, also where NaN was left."""
    yield call(PAGES, np.array([[2, 0, 1], [3, -1, -1]]), np.array([4, 1]))
    yield call(np.where(PAGES > 10.0, np.nan, PAGES), np.array([[2, 0, 1], [3, -1, -1]]), np.array([4, 1]))


@case("paged_gather", check=close())
def pages_of_heads(rng: np.random.Generator) -> Iterator[Call]:
    """Two heads of three features in each place: axes behind the page come along as they are. The second text is the longer one."""
    pages = np.arange(36.0).reshape(3, 2, 2, 3)
    yield call(pages, np.array([[0, -1], [1, 2]]), np.array([2, 3]))


@case("paged_gather", check=close(dtype=True), weight=0.4)
def tokens_are_as_wide_as_the_pages(rng: np.random.Generator) -> Iterator[Call]:
    """Pages in half precision give tokens in half precision: in another dtype they would take two or four times the memory."""
    yield call(PAGES.astype(np.float16), np.array([[2, 0, 1]]), np.array([5]))


@case("paged_gather", check=untouched(), weight=0.4)
def pages_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Afterwards pages, tables and lengths are what they were, and so is the NaN that others have left."""
    yield call(np.where(PAGES > 10.0, np.nan, PAGES), np.array([[2, 0, 1], [3, -1, -1]]), np.array([4, 1]))


PROMPT = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, -1.0], [1.0, 1.0], [-1.0, 0.5]])
W_Q, W_K = np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[0.5, -1.0], [1.0, 1.0]])
W_V = np.array([[1.0, 0.0, 2.0], [3.0, 1.0, -1.0]])
EMPTY = (np.zeros((0, 2)), np.zeros((0, 3)))


@case("chunked_prefill", check=close(names=PREFILL))
def five_tokens_in_chunks_of_two(rng: np.random.Generator) -> Iterator[Call]:
    """An empty cache and a prompt of five tokens: in one chunk, in chunks of two, and token by token."""
    for chunk in (5, 2, 1):
        yield call(PROMPT, EMPTY, W_Q, W_K, W_V, chunk)


@case("chunked_prefill", check=close(names=PREFILL))
def behind_what_was_read_before(rng: np.random.Generator) -> Iterator[Call]:
    """The cache holds two tokens already, such as a beginning that many prompts share; three more come in chunks of two.
    Then with queries and keys of one feature."""
    yield call(PROMPT[2:], (PROMPT[:2] @ W_K, PROMPT[:2] @ W_V), W_Q, W_K, W_V, 2)
    yield call(PROMPT[2:], (PROMPT[:2] @ W_K[:, :1], PROMPT[:2] @ W_V), W_Q[:, :1], W_K[:, :1], W_V, 2)


@case("chunked_prefill", check=close(names=PREFILL))
def prefill_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two prompts of three tokens behind caches of two, then the same with heads."""
    x = np.stack([PROMPT, PROMPT[::-1]])
    for texts in (x, np.stack([x, 0.5 * x, 1.0 - x], axis=1)):
        before = texts[..., :2, :]
        yield call(texts[..., 2:, :], (before @ W_K, before @ W_V), W_Q, W_K, W_V, 2)


@case("chunked_prefill", check=untouched(names=PREFILL), weight=0.4)
def the_old_cache_is_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Afterwards the prompt, the matrices and the cache that was given are what they were."""
    yield call(PROMPT[2:], (PROMPT[:2] @ W_K, PROMPT[:2] @ W_V), W_Q, W_K, W_V, 2)


# Three tokens: what a large model and a small one think of each place.
LARGE = np.array([[0.5, 0.3, 0.2], [0.1, 0.7, 0.2], [0.25, 0.25, 0.5]])
SMALL = np.array([[0.2, 0.6, 0.2], [0.4, 0.4, 0.2]])


@case("accept", check=close())
def a_draft_that_stays(rng: np.random.Generator) -> Iterator[Call]:
    """Token 0 stays for any u, since p is larger; so does token 1. All stay, so a third token is drawn from the last row of p.
    So it is where the draft is empty."""
    yield call(np.array([0, 1]), LARGE, SMALL, np.array([0.9, 0.9, 0.4]))
    yield call(np.array([0, 1]), LARGE, SMALL, np.array([0.9, 0.9, 0.6]))
    yield call(np.zeros(0, dtype=int), LARGE[2:], SMALL[:0], np.array([0.4]))


@case("accept", check=close())
def a_token_that_does_not_stay(rng: np.random.Generator) -> Iterator[Call]:
    """Token 1 has p / q = .5: with u = .4 it stays, with .6 it does not, and the token that comes in its place is 0. A token
    that the large model excludes does not stay either, also with u = 0."""
    yield call(np.array([1, 1]), LARGE, SMALL, np.array([0.4, 0.9, 0.6]))
    yield call(np.array([1, 1]), LARGE, SMALL, np.array([0.6, 0.9, 0.6]))
    yield call(np.array([0]), np.array([[0.0, 0.6, 0.4], [0.3, 0.3, 0.4]]), SMALL[:1], np.array([0.0, 0.6]))


@case("accept", check=close())
def the_second_token_does_not_stay(rng: np.random.Generator) -> Iterator[Call]:
    """Token 0 at the second place has p / q = .25; what is left of p there is token 1 alone, which a number of 0 draws as well."""
    for drawn in (0.1, 0.0):
        yield call(np.array([2, 0]), LARGE, SMALL, np.array([0.5, 0.3, drawn]))
    yield call(np.array([2, 0]), LARGE, SMALL, np.array([0.5, 0.2, 0.1]))


@case("accept", check=close(), weight=0.5)
def a_token_comes_again(rng: np.random.Generator) -> Iterator[Call]:
    """Token 0 stays at the first place for any u; when it comes again, p / q is .25, and with u = .3 it does not stay."""
    yield call(np.array([0, 0]), LARGE, SMALL, np.array([0.5, 0.3, 0.1]))


@case("accept", check=close())
def two_tokens_are_left(rng: np.random.Generator) -> Iterator[Call]:
    """Of p = .5 .2 .2 .1 and q = .2 .1 .6 .1 there is left .3 .1 0 0, three quarters of it for token 0: u = .72 draws 0, .8 draws 1.
    The last number draws, also where more tokens of the draft were to come. Of four tokens alike, u = .1 draws the first."""
    p, q = np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]]), np.array([[0.2, 0.1, 0.6, 0.1]])
    yield call(np.array([2]), p, q, np.array([0.5, 0.72]))
    yield call(np.array([2]), p, q, np.array([0.5, 0.8]))
    yield call(np.array([2, 0]), p[[0, 1, 1]], q[[0, 0]], np.array([0.5, 0.8, 0.72]))
    yield call(np.zeros(0, dtype=int), np.full((1, 4), 0.25), np.zeros((0, 4)), np.array([0.1]))


@case("accept", check=untouched(), weight=0.4)
def the_models_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Afterwards the draft, both models' probabilities and the numbers are what they were."""
    yield call(np.array([1, 1]), LARGE, SMALL, np.array([0.6, 0.9, 0.6]))


def half(*numbers: float) -> np.ndarray:
    """Return numbers in half precision."""
    return np.array(numbers, dtype=np.float16)


@case("loss_scaled_step", check=close(names=STEP))
def unscaled_then_clipped(rng: np.random.Generator) -> Iterator[Call]:
    """Gradients of 3 and 4, times 1024: they have a norm of 5 and are clipped to 1, so the weights become .7 and 1.6. Then
    with room for a norm of 10, and with a scale of 2."""
    for most in (1.0, 10.0):
        yield call([np.array([1.0]), np.array([2.0])], [half(3072.0), half(4096.0)], 1024.0, 0.5, most)
    yield call([np.array([1.0]), np.array([2.0])], [half(0.5), half(-0.25)], 2.0, 0.5, 10.0)


@case("loss_scaled_step", check=close(names=STEP))
def an_infinity_skips_the_step(rng: np.random.Generator) -> Iterator[Call]:
    """One gradient has overflowed: the weights stay, the scale is halved, and no good step counts. The same with a NaN, and with
    a scale of 1."""
    for broken in (np.inf, -np.inf, np.nan):
        yield call([np.array([1.0, 5.0]), np.array([2.0])], [half(512.0, 256.0), half(broken)], 1024.0, 0.5, 1.0, 7)
    yield call([np.array([1.0, 5.0]), np.array([2.0])], [half(512.0, 256.0), half(np.inf)], 1.0, 0.5, 1.0, 7)


@case("loss_scaled_step", check=close(names=STEP))
def the_scale_is_doubled(rng: np.random.Generator) -> Iterator[Call]:
    """The third good step of an interval of three doubles the scale; the second does not."""
    for good in (2, 1):
        yield call([np.array([1.0])], [half(512.0)], 1024.0, 0.5, 1.0, good, 3)


@case("loss_scaled_step", check=close(names=STEP), weight=0.4)
def gradients_may_all_be_zero(rng: np.random.Generator) -> Iterator[Call]:
    """Gradients of zero have a norm of zero, which needs no clipping: the weights stay, and it was a good step."""
    yield call([np.array([1.0, 5.0]), np.array([2.0])], [half(0.0, 0.0), half(0.0)], 1024.0, 0.5, 1.0, 7)


@case("loss_scaled_step", check=close(names=STEP))
def what_half_precision_cannot_hold(rng: np.random.Generator) -> Iterator[Call]:
    """Gradients below the smallest number of float16: times 65536 they are numbers, and divided in float16 they would be zero."""
    yield call([np.array([0.0, 0.0])], [half(0.001, -0.0005)], 65536.0, 1e8, 1.0)


@case("loss_scaled_step", check=close(names=STEP), weight=0.4)
def gradients_near_the_largest_number(rng: np.random.Generator) -> Iterator[Call]:
    """Each gradient is finite, and float16 cannot hold their sum, nor their squares: 65504 is its largest number."""
    yield call([np.array([1.0, 5.0]), np.array([2.0])], [half(60000.0, 50000.0), half(40000.0)], 1024.0, 0.5, 1.0, 7)


@case("loss_scaled_step", check=untouched(names=STEP), weight=0.4)
def weights_and_gradients_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Afterwards weights and gradients are what they were: after a step, and after one that is skipped."""
    for second in (4096.0, np.inf):
        yield call([np.array([1.0]), np.array([2.0])], [half(3072.0), half(second)], 1024.0, 0.5, 1.0)
