"""Public cases of a5_attention: the worked examples of the README, small enough to follow by hand."""

from collections.abc import Iterator

import numpy as np

from autograder.course.spec import Call, call, case
from autograder.judge.checks import boolean, close, untouched

# "The monkey ate the banana. It was ripe, wasn't it": one vector of two features for each token.
THE, MONKEY, ATE, BANANA = [0.45, 0.23], [0.39, 0.72], [0.83, 0.61], [0.25, 0.18]
IT, WAS, RIPE, WASNT = [0.63, 0.41], [0.63, 0.41], [0.70, 0.67], [0.14, 0.61]
WORDS = ("the", "monkey", "ate", "the", "banana", "it", "was", "ripe", "wasn't", "it")
SENTENCE = np.array([THE, MONKEY, ATE, THE, BANANA, IT, WAS, RIPE, WASNT, IT])

# "I like pizza": three tokens of two features; W_q and W_k are the identity.
I_LIKE_PIZZA = ("I", "like", "pizza")
PIZZA = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
IDENTITY = np.eye(2)
PIZZA_W_V = np.array([[1.0, 1.0], [1.0, 0.0]])
PIZZA_V = np.array([[1.0, 1.0], [1.0, 0.0], [2.0, 1.0]])

# Two short sequences in one batch: three positions of two features each.
BATCH = np.array([[[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]], [[-1.0, 0.5], [2.0, 2.0], [0.0, 1.0]]])

# The same in three heads: axes (batch, head, time, features).
HEADS = np.stack([BATCH, 0.5 * BATCH[::-1], 1.0 - BATCH], axis=1)

# Projections that differ from each other and from their own transposes.
W_Q = np.array([[1.0, 2.0], [0.0, 1.0]])
W_K = np.array([[0.5, -1.0], [1.0, 1.0]])
W_V = np.array([[2.0, 0.0], [1.0, -1.0]])

LOWER = np.array([[True, False, False], [True, True, False], [True, True, True]])
# Two short vectors, then a very long one.
RISING = np.array([[1.0, 0.0], [0.0, 2.0], [3000.0, 2000.0]])


@case("average_context", check=close(), words=WORDS)
def monkey_attempt_one(rng: np.random.Generator) -> Iterator[Call]:
    """The monkey sentence: the last "it" is described by the mean of all ten tokens, [.510 .448]."""
    yield call(SENTENCE)


@case("average_context", check=close())
def averages_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """With a batch axis in front, then with one for heads as well, each sequence is averaged on its own."""
    yield call(BATCH)
    yield call(HEADS)


@case("average_context", check=untouched(), weight=0.4)
def averages_leave_the_tokens_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same batch: afterwards X is what it was."""
    yield from averages_take_a_batch.generate(rng)


@case("similarity_context", check=close(), words=WORDS)
def monkey_attempt_two(rng: np.random.Generator) -> Iterator[Call]:
    """The monkey sentence again: tokens similar to the last "it" now count for more, which gives [.531 .462]."""
    yield call(SENTENCE)


@case("similarity_context", check=close())
def similarities_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """With a batch axis in front, then with one for heads as well, each sequence is compared with itself only."""
    yield call(BATCH)
    yield call(HEADS)


@case("similarity_context", check=close(), words=I_LIKE_PIZZA, weight=0.5)
def tokens_forty_times_as_long(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza with vectors forty times as long: similarities of 1600 and 3200 still give ordinary shares."""
    yield call(40.0 * PIZZA)


@case("similarity_context", check=close(), weight=0.5)
def a_short_token_after_long_ones(rng: np.random.Generator) -> Iterator[Call]:
    """A token that is shorter than two before it: its equal scores with them are far above that with itself, and it becomes their
    mean, [60 60]. Then a batch: the same, the two turned round, and nothing but zeros."""
    tokens = np.array([[0.0, 0.0], [90.0, 30.0], [30.0, 90.0], [30.0, 30.0]])
    yield call(tokens)
    yield call(np.stack([tokens, tokens * np.array([[1.0], [-1.0], [-1.0], [1.0]]), 0.0 * tokens]))


@case("similarity_context", check=close(), weight=0.5)
def a_long_token_comes_later(rng: np.random.Generator) -> Iterator[Call]:
    """Two short tokens, then a very long one: however similar it is, the tokens before it become [1 0] and [.056 1.888]."""
    yield call(RISING)


@case("similarity_context", check=untouched(), weight=0.4)
def similarities_leave_the_tokens_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same batch: afterwards X is what it was."""
    yield from similarities_take_a_batch.generate(rng)


@case("project_qkv", check=close(names=("Q", "K", "V")), words=I_LIKE_PIZZA)
def pizza_projections(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza: Q and K are X itself, and V is [[1 1], [1 0], [2 1]]."""
    yield call(PIZZA, IDENTITY, IDENTITY, PIZZA_W_V)


@case("project_qkv", check=close(names=("Q", "K", "V")), words=I_LIKE_PIZZA)
def each_role_has_its_own_matrix(rng: np.random.Generator) -> Iterator[Call]:
    """Three different matrices give three different views of the same tokens."""
    yield call(PIZZA, W_Q, W_K, W_V)


@case("project_qkv", check=close(names=("Q", "K", "V")))
def widths_come_from_the_matrices(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of two sequences, then with three heads; three features for queries and keys, one for values."""
    W_q = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])
    W_k = np.array([[0.0, 1.0, -1.0], [1.0, 0.0, 0.5]])
    W_v = np.array([[1.0], [-2.0]])
    yield call(BATCH, W_q, W_k, W_v)
    yield call(HEADS, W_q, W_k, W_v)


@case("attention_scores", check=close())
def thinking_machines_scores(rng: np.random.Generator) -> Iterator[Call]:
    """Thinking, Machines: dot products of 112 and 96 over 64 features are scores of 14 and 12."""
    yield call(np.full((1, 64), 2.0), np.stack([np.full(64, 0.875), np.full(64, 0.75)]))


@case("attention_scores", check=close(), words=I_LIKE_PIZZA)
def pizza_scores(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza: the dot products 0, 1 and 2, divided by the square root of two."""
    yield call(PIZZA, PIZZA)


@case("attention_scores", check=close())
def two_queries_three_keys(rng: np.random.Generator) -> Iterator[Call]:
    """Two queries and three keys of four features: one row for each query, one column for each key."""
    Q = np.array([[1.0, 0.0, 2.0, 1.0], [0.0, 3.0, 1.0, -1.0]])
    yield call(Q, np.array([[2.0, 0.0, 0.0, 2.0], [0.0, 1.0, 1.0, 0.0], [-2.0, 0.0, 1.0, 2.0]]))


@case("attention_scores", check=close())
def scores_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """With a batch axis in front, then with one for heads as well, each sequence's queries meet its own keys only."""
    yield call(BATCH[:, :2], BATCH[:, ::-1] + 1.0)
    yield call(HEADS[:, :, :2], HEADS[:, :, ::-1] + 1.0)


@case("attention_scores", check=untouched(), weight=0.4)
def scores_leave_the_vectors_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same batch: afterwards Q and K are what they were."""
    yield from scores_take_a_batch.generate(rng)


@case("attention_weights", check=close())
def thinking_machines_shares(rng: np.random.Generator) -> Iterator[Call]:
    """Thinking, Machines: scores of 14 and 12 become shares of .88 and .12."""
    yield call(np.array([[14.0, 12.0]]))


@case("attention_weights", check=close(), words=I_LIKE_PIZZA)
def pizza_shares(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza: the scores of the worked example become shares, and the shares of each token sum to one."""
    yield call(PIZZA @ PIZZA.T / np.sqrt(2.0))


@case("attention_weights", check=close())
def forbidden_keys_get_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """A mask leaves the first token one key, the second two, the third all three. Then one leaves two keys of sixty: what is
    hidden gets nothing, however much of it there is."""
    yield call(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [0.5, -0.5, 0.0]]), LOWER)
    yield call(np.tile([0.0, 0.5, -0.5], 20)[None], np.arange(60) < 2)


@case("attention_weights", check=close())
def thousands_do_not_overflow(rng: np.random.Generator) -> Iterator[Call]:
    """Scores around 1000 and around -1000 still give ordinary shares, with a mask and without, and the low row alone, too. Then
    a row that spans 4000, and one whose score of 1000 is forbidden."""
    scores = np.array([[1000.0, 1001.0, 999.0], [-1000.0, -1002.0, -1001.0]])
    yield call(scores)
    yield call(scores, np.array([True, True, False]))
    yield call(scores[1:])
    yield call(np.array([[-2000.0, 2000.0, 1999.0]]))
    yield call(np.array([[1000.0, -1000.0, -1001.0]]), np.array([False, True, True]))


@case("attention_weights", check=close())
def weights_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """One query and three keys each; the mask hides another key in each of two sequences, then in all of its heads."""
    scores, mask = np.array([[[1.0, 2.0, 0.0]], [[0.5, 0.0, -1.0]]]), np.array([[[1, 1, 0]], [[0, 1, 1]]], dtype=bool)
    yield call(scores, mask)
    yield call(HEADS @ W_Q[:, :1] - np.array([0.0, 1.0, 0.5]), mask[:, None])


@case("attention_weights", check=untouched(), weight=0.4)
def weights_leave_scores_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same batch: afterwards scores and mask are what they were. Then scores without a mask."""
    yield from weights_take_a_batch.generate(rng)
    yield call(np.array([[14.0, 12.0]]))


@case("attention", check=close(), words=I_LIKE_PIZZA)
def i_like_pizza(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza: the worked example of the README, step by step."""
    yield call(PIZZA, PIZZA, PIZZA_V)


@case("attention", check=close(), words=I_LIKE_PIZZA)
def i_like_pizza_masked(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza, when each token may read itself and what came before."""
    yield call(PIZZA, PIZZA, PIZZA_V, LOWER)


@case("attention", check=close())
def two_queries_read_three_values(rng: np.random.Generator) -> Iterator[Call]:
    """Two queries, three keys and values; queries have two features, values four."""
    values = np.array([[1.0, 0.0, 2.0, 1.0], [0.0, 3.0, 1.0, -1.0], [2.0, 1.0, 0.0, 4.0]])
    yield call(np.array([[1.0, 2.0], [-1.0, 0.5]]), np.array([[0.0, 1.0], [2.0, 0.0], [-1.0, 1.0]]), values)


@case("attention", check=close())
def attention_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """The second sequence's last token is padding that no query may read; then two queries in each of three heads."""
    mask = np.array([[[True, True, True]], [[True, True, False]]])
    yield call(BATCH + 1.0, BATCH, BATCH[:, :, :1] * 2.0, mask)
    yield call(HEADS[:, :, 1:] + 1.0, HEADS, HEADS[..., :1] * 2.0, mask[:, None])


@case("attention", check=close(), words=I_LIKE_PIZZA, weight=0.5)
def pizza_forty_times_as_long(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza with queries and keys forty times as long: scores of a thousand and more give ordinary shares. Then three
    queries all of which find the keys far from them: scores below -1000, under the causal mask. Then a key far above the others,
    which only the last query may read."""
    yield call(40.0 * PIZZA, 40.0 * PIZZA, PIZZA_V)
    yield call(np.full((3, 2), -40.0), 40.0 * PIZZA, PIZZA_V, LOWER)
    yield call(PIZZA, RISING, PIZZA_V, LOWER)


@case("attention", check=untouched(), weight=0.36)
def attention_leaves_its_roles_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same batch: afterwards Q, K, V and the mask are what they were."""
    yield from attention_takes_a_batch.generate(rng)


@case("folded_scores", check=close(), words=I_LIKE_PIZZA)
def folded_pizza(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza with two different projections, folded into one matrix."""
    yield call(PIZZA, W_Q, W_K)


@case("folded_scores", check=close())
def folded_scores_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of two, then with three heads; the input has two features, queries and keys have four."""
    W_q, W_k = np.array([[[1.0, 0.0, 2.0, 1.0], [0.0, 1.0, -1.0, 2.0]], [[0.0, 1.0, 1.0, 0.0], [2.0, 0.0, -1.0, 1.0]]])
    yield call(BATCH, W_q, W_k)
    yield call(HEADS, W_q, W_k)


@case("causal_mask", check=boolean())
def three_by_three(rng: np.random.Generator) -> Iterator[Call]:
    """Three queries, three keys: the first reads itself, the last reads all."""
    yield call(3, 3)


@case("causal_mask", check=boolean())
def last_two_of_four(rng: np.random.Generator) -> Iterator[Call]:
    """Two queries, four keys: the queries are the last two positions."""
    yield call(2, 4)


@case("causal_mask", check=boolean(strict=True), weight=0.5)
def three_by_three_of_truth_values(rng: np.random.Generator) -> Iterator[Call]:
    """The first mask once more: its entries are True and False, of dtype bool, and not numbers."""
    yield from three_by_three.generate(rng)


@case("padding_mask", check=boolean())
def padded_sentence(rng: np.random.Generator) -> Iterator[Call]:
    """One sentence of three tokens and two fillers, with 0 for the filler."""
    yield call(np.array([7, 3, 5, 0, 0]), 0)


@case("padding_mask", check=boolean())
def padded_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sentences, one of which ends in filler and one of which begins with it; here the filler is 2. Then a list of such
    batches: a further axis in front."""
    ids = np.array([[5, 0, 3, 2], [2, 2, 1, 4]])
    yield call(ids, 2)
    yield call(np.stack([ids, ids[:, ::-1], ids + 1]), 2)


@case("padding_mask", check=boolean(strict=True), weight=0.5)
def padded_sentence_of_truth_values(rng: np.random.Generator) -> Iterator[Call]:
    """The first sentence once more: the entries of its mask are True and False, of dtype bool, and not numbers."""
    yield from padded_sentence.generate(rng)


@case("self_attention", check=close(), words=I_LIKE_PIZZA)
def pizza_attends_to_itself(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza, from X and the three matrices to the output."""
    yield call(PIZZA, IDENTITY, IDENTITY, PIZZA_W_V)


@case("self_attention", check=close(), words=I_LIKE_PIZZA)
def pizza_with_three_matrices(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza once more, with projections that differ."""
    yield call(PIZZA, W_Q, W_K, W_V)


@case("self_attention", check=close(), words=I_LIKE_PIZZA)
def pizza_reads_only_the_past(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza as a language model has to read it: no token sees those still to come."""
    yield call(PIZZA, W_Q, W_K, W_V, True)


@case("self_attention", check=close())
def self_attention_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two causal sequences, each for itself; then with heads, three features in queries and keys and one in values."""
    yield call(BATCH, W_Q, W_K, W_V, True)
    W_q, W_k = np.array([[[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]], [[0.0, 1.0, -1.0], [1.0, 0.0, 0.5]]])
    yield call(HEADS, W_q, W_k, np.array([[1.0], [-2.0]]), True)


@case("attention_backward", check=close(names=("dQ", "dK", "dV")))
def backward_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """One query, two keys, even shares: the example that the README works through."""
    Q = np.array([[2.0, 0.0, 1.0, 1.0]])
    K = np.array([[1.0, 0.0, 1.0, 1.0], [1.0, 3.0, 0.0, 2.0]])
    V = np.array([[1.0, 0.0], [3.0, 4.0]])
    yield call(np.array([[1.0, 0.5]]), (Q, K, V, np.array([[0.5, 0.5]])))


@case("attention_backward", check=close(names=("dQ", "dK", "dV")))
def backward_of_a_masked_triple(rng: np.random.Generator) -> Iterator[Call]:
    """Three queries, three keys and a causal mask; its zeros are in the weights already."""
    Q = np.array([[1.0, 2.0], [0.0, 1.0], [-1.0, 1.0]])
    K = np.array([[0.5, 0.0], [1.0, -1.0], [2.0, 1.0]])
    V = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
    weights = np.array([[1.0, 0.0, 0.0], [0.75, 0.25, 0.0], [0.5, 0.2, 0.3]])
    yield call(np.array([[1.0, -1.0], [0.5, 2.0], [-2.0, 1.0]]), (Q, K, V, weights))


@case("attention_backward", check=close(names=("dQ", "dK", "dV")))
def backward_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of two, with two queries and three keys each; then the same in three heads."""
    weights = np.array([[[0.2, 0.3, 0.5], [0.6, 0.0, 0.4]], [[0.1, 0.8, 0.1], [0.25, 0.5, 0.25]]])
    yield call(BATCH[:, 1:, :1] + 1.0, (BATCH[:, :2], BATCH[:, ::-1], BATCH[:, :, 1:] + 2.0, weights))
    weights = np.stack([weights, weights[::-1], weights[..., ::-1]], axis=1)
    yield call(HEADS[:, :, 1:, :1] + 1.0, (HEADS[:, :, :2], HEADS[:, :, ::-1], HEADS[..., 1:] + 2.0, weights))


@case("attention_backward", check=untouched(names=("dQ", "dK", "dV")), weight=0.38)
def backward_leaves_dout_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same batch: afterwards dout and the cache are what they were."""
    yield from backward_takes_a_batch.generate(rng)
