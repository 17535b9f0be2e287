"""Public cases of a1_rnn: the worked examples of the README, small enough to follow by hand."""

from collections.abc import Iterator

import numpy as np

from autograder.course.spec import Call, call, case
from autograder.judge.checks import close, close_as_ids, untouched

HELLO_VOCAB = {"e": 0, "h": 1, "l": 2, "o": 3}
HI_VOCAB = {" ": 0, ",": 1, "H": 2, "a": 3, "c": 4, "i": 5, "l": 6, "s": 7}

# The model of the README: four tokens, three hidden units, trained on "hello" and rounded to halves.
W_X = np.array([[-0.5, 1.0, -0.5, 0.5], [1.0, 0.0, 0.0, -0.5], [0.5, -2.0, 1.0, 0.0]])
W_H = np.array([[1.0, 0.5, -1.5], [0.0, 1.0, -0.5], [1.0, 2.0, 0.0]])
B = np.array([0.5, 0.5, -0.5])
W_Y = np.array([[1.0, 0.0, -1.0], [-1.0, -0.5, 0.5], [0.5, 1.0, 1.0], [-1.0, 0.0, 1.5]])
B_Y = np.array([0.0, -1.5, -0.5, -0.5])
HELLO = {"W_x": W_X, "W_h": W_H, "b": B, "W_y": W_Y, "b_y": B_Y}

# What it reads, "hell" as one-hot vectors, with the states and logits it computes, and what it has to predict, "ello".
HELL = np.eye(4)[[1, 0, 2, 2]]
STATES = np.array(
    [[0.9051, 0.4621, -0.9866], [0.9894, 0.9854, 0.9498], [0.0574, 0.7660, 0.9980], [-0.7844, 0.6452, 0.9698]]
)
LOGITS = np.array(
    [
        [1.8918, -3.1295, -0.5719, -2.8851],
        [0.0396, -2.5072, 1.9298, -0.0647],
        [-0.9407, -1.4413, 1.2927, 0.9397],
        [-1.7542, -0.5533, 0.7228, 1.7391],
    ]
)
ELLO = np.array([0, 2, 2, 3])

# Two sequences of three steps and two features, for a network of three units that predicts one of four.
X = np.array([[[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]], [[-1.0, 0.5], [2.0, 2.0], [0.0, 1.0]]])
H0 = np.array([[0.5, -0.5, 0.0], [0.0, 1.0, -1.0]])
SMALL = {
    "W_x": np.array([[0.5, -1.0], [0.0, 0.5], [1.0, -0.5]]),
    "W_h": np.array([[0.5, -0.5, 0.0], [1.0, 0.0, -1.0], [0.0, 0.5, -0.5]]),
    "b": np.array([0.5, -0.5, 0.0]),
    "W_y": np.array([[1.0, 0.0, -1.0], [2.0, 1.0, 0.0], [0.0, -1.0, 0.5], [-1.0, 0.5, 1.0]]),
    "b_y": np.array([0.5, -0.5, 0.0, 1.0]),
}

# Two sequences of three steps over four tokens; what the second has at its last step is filler.
BATCH_LOGITS = np.array(
    [
        [[2.0, 0.0, -1.0, 0.5], [0.0, 1.0, 3.0, -1.0], [0.5, 0.0, 0.0, 1.0]],
        [[1.0, 1.0, -2.0, 0.0], [0.0, -0.5, 1.5, 2.0], [2.0, 0.0, 0.0, -1.0]],
    ]
)
BATCH_IDS = np.array([[0, 1, 3], [1, 2, 3]])


@case("build_vocab", check=close())
def hello_has_four_tokens(rng: np.random.Generator) -> Iterator[Call]:
    """The five characters of "hello" are four kinds: e, h, l, o, in this order."""
    yield call("hello")


@case("build_vocab", check=close())
def hi_class_has_eight_tokens(rng: np.random.Generator) -> Iterator[Call]:
    """The nine characters of "Hi, class" are eight kinds; space, comma and the capital are characters, too."""
    yield call("Hi, class")


@case("build_vocab", check=close())
def often_or_seldom_is_all_the_same(rng: np.random.Generator) -> Iterator[Call]:
    """In "Zoom, zoom" the ids follow the characters, capitals first, however often they occur; a line end has an id, too."""
    yield call("Zoom, zoom")
    yield call("Zoom,\nzoom \n")


@case("encode", check=close())
def hi_class_is_nine_tokens(rng: np.random.Generator) -> Iterator[Call]:
    """With the vocabulary of "Hi, class", the text becomes 2 5 1 0 4 6 3 7 7."""
    yield call("Hi, class", HI_VOCAB)


@case("encode", check=close_as_ids())
def ids_come_from_the_vocabulary(rng: np.random.Generator) -> Iterator[Call]:
    """With the vocabulary of "hello", the text "hole" has the ids 1 3 2 0; with other numbers in it, others, and so has "lol". All
    are whole."""
    other = {"l": 2, "o": 0, "h": 3, "e": 1}
    yield call("hole", HELLO_VOCAB)
    yield call("hole", other)
    yield call("lol", other)


@case("encode", check=untouched(), weight=1)
def the_vocabulary_stays_as_it_is(rng: np.random.Generator) -> Iterator[Call]:
    """ "Hi, class" again: afterwards the vocabulary is what it was."""
    yield from hi_class_is_nine_tokens.generate(rng)


@case("decode", check=close())
def numbers_become_hello(rng: np.random.Generator) -> Iterator[Call]:
    """With the vocabulary of "hello", 1 0 2 2 3 is the text "hello"."""
    yield call(np.array([1, 0, 2, 2, 3]), HELLO_VOCAB)


@case("decode", check=untouched())
def a_vocabulary_in_any_order(rng: np.random.Generator) -> Iterator[Call]:
    """The entries of a dict may stand in any order; what counts is which number belongs to which character. Afterwards the
    vocabulary is what it was.
    """
    yield call(np.array([3, 1, 2, 2, 0]), {"l": 2, "o": 0, "h": 3, "e": 1})


@case("decode", check=close())
def ids_may_be_missing(rng: np.random.Generator) -> Iterator[Call]:
    """In a vocabulary with the ids 0, 2 and 7 alone, 2 0 2 is the text "bab", and 7 0 2 is "cab"."""
    for ids in ([2, 0, 2], [7, 0, 2]):
        yield call(np.array(ids), {"b": 2, "a": 0, "c": 7})


@case("decode", check=close())
def blanks_and_line_ends_are_written(rng: np.random.Generator) -> Iterator[Call]:
    """A blank and a line end are characters, too: 1 3 2 1 2 0 is " ha a", and behind it a line end."""
    yield call(np.array([1, 3, 2, 1, 2, 0]), {"\n": 0, " ": 1, "a": 2, "h": 3})


@case("softmax", check=close())
def shares_of_three(rng: np.random.Generator) -> Iterator[Call]:
    """The numbers 2, 1 and -1 become shares of .705, .259 and .035."""
    yield call(np.array([2.0, 1.0, -1.0]))


@case("softmax", check=close())
def softmax_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of three steps: unless said otherwise, the shares of the last axis sum to one."""
    yield call(BATCH_LOGITS[..., :3])


@case("softmax", check=close())
def along_the_axis_that_is_asked_for(rng: np.random.Generator) -> Iterator[Call]:
    """Three rows and three columns, once with columns that sum to one and once with rows."""
    square = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0], [2.0, -1.0, 1.0]])
    yield call(square, axis=0)
    yield call(square, axis=1)


@case("softmax", check=close())
def thousands_do_not_overflow(rng: np.random.Generator) -> Iterator[Call]:
    """A row around 1000, one around -1000, and three that span more: all give ordinary shares. So does the low row alone."""
    low = [-1000.0, -1002.0, -1001.0]
    spanning = [[-1000.0, -1000.0, 1000.0], [1000.0, -1000.0, -1000.0], [1000.0, 1000.0, -400.0]]
    yield call(np.array([[1000.0, 1001.0, 999.0], low, *spanning]))
    yield call(np.array(low))


@case("softmax", check=untouched(), weight=0.5)
def shares_leave_x_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same three rows and columns: afterwards x is what it was."""
    yield from along_the_axis_that_is_asked_for.generate(rng)


@case("rnn_step", check=close())
def the_second_step_of_hello(rng: np.random.Generator) -> Iterator[Call]:
    """Step 2 of the worked example: the network has read "h" and reads "e"; the state becomes [.989 .985 .950]."""
    yield call(HELL[1:2], STATES[:1], W_X, W_H, B)


@case("rnn_step", check=close())
def a_step_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of two, with two features each and three hidden units."""
    yield call(X[:, 0], H0, SMALL["W_x"], SMALL["W_h"], SMALL["b"])


@case("rnn_step", check=close())
def as_many_features_as_units(rng: np.random.Generator) -> Iterator[Call]:
    """Three features and three units, so that no shape can tell the two matrices apart."""
    x_t = np.array([[1.0, 0.0, -1.0], [0.5, 2.0, 1.0]])
    yield call(x_t, H0, np.array([[0.0, 1.0, 0.5], [-1.0, 0.5, 0.0], [1.0, 1.0, -0.5]]), SMALL["W_h"], SMALL["b"])


@case("rnn_step", check=untouched(), weight=0.6)
def a_step_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same batch: afterwards the input, the old state and the weights are what they were."""
    yield from a_step_takes_a_batch.generate(rng)


@case("rnn_forward", check=close())
def hell_is_read(rng: np.random.Generator) -> Iterator[Call]:
    """The worked example: "hell" is read from a state of zeros, which gives four states of three units."""
    yield call(HELL[None], np.zeros((1, 3)), W_X, W_H, B)


@case("rnn_forward", check=close())
def reading_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of three steps side by side, each from a state of its own."""
    yield call(X, H0, SMALL["W_x"], SMALL["W_h"], SMALL["b"])


@case("rnn_forward", check=untouched(), weight=0.29)
def reading_leaves_h0_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sequences: afterwards the inputs, h0 and the weights are what they were."""
    yield from reading_takes_a_batch.generate(rng)


@case("output_probs", check=close())
def what_follows_h(rng: np.random.Generator) -> Iterator[Call]:
    """Step 1 of the worked example: after "h", the probabilities of e, h, l, o are .909, .006, .077 and .008."""
    yield call(STATES[0], W_Y, B_Y)


@case("output_probs", check=close())
def probabilities_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of three states: six distributions over four tokens."""
    h = np.array(
        [[[0.5, -0.5, 0.0], [0.9, 0.1, -0.3], [-0.8, 0.2, 0.6]], [[0.0, 0.7, -0.9], [0.4, 0.4, 0.4], [1, 0, 0]]]
    )
    yield call(h, SMALL["W_y"], SMALL["b_y"])


@case("output_probs", check=close())
def as_many_tokens_as_units(rng: np.random.Generator) -> Iterator[Call]:
    """Three tokens and three units, so that no shape can tell rows of the matrix from columns."""
    yield call(np.array([[0.5, -0.5, 0.9], [-0.2, 0.8, 0.1]]), SMALL["W_h"] * 2.0, np.array([1.0, 0.0, -1.0]))


@case("output_probs", check=close())
def a_large_output_layer_does_not_overflow(rng: np.random.Generator) -> Iterator[Call]:
    """An output layer with weights in the thousands still gives probabilities."""
    yield call(np.array([[0.5, 0.5, -0.5], [-0.5, 1.0, 0.0]]), 2000.0 * W_Y[:, ::-1], B_Y)


@case("next_token_loss", check=close())
def hello_costs_a_third_of_a_nat(rng: np.random.Generator) -> Iterator[Call]:
    """The worked example: having read h, e, l, l, the mean negative log-likelihood of e, l, l, o is .347 nats."""
    yield call(LOGITS[None], ELLO[None], np.ones((1, 4), dtype=bool))


@case("next_token_loss", check=close())
def filler_does_not_count(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences, the second one step shorter: five targets count, each as much as the others, wherever filler stands."""
    yield call(BATCH_LOGITS, BATCH_IDS, np.array([[True, True, True], [True, True, False]]))
    yield call(BATCH_LOGITS, BATCH_IDS, np.array([[True, True, True], [False, True, True]]))


@case("next_token_loss", check=close())
def sure_and_wrong(rng: np.random.Generator) -> Iterator[Call]:
    """A target whose logit is 1000 below another one costs 1000 nats; one above all others costs next to nothing."""
    yield call(np.array([[[0.0, 1000.0], [0.0, 1000.0]]]), np.array([[0, 1]]), np.array([[True, True]]))
    yield call(np.array([[[1000.0, 1001.0], [0.0, 1.0]]]), np.array([[0, 1]]), np.array([[True, True]]))


@case("next_token_loss", check=untouched(), weight=0.3)
def losses_leave_logits_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same batch: afterwards logits, targets and mask are what they were."""
    yield from filler_does_not_count.generate(rng)


@case("sequence_log_prob", check=close())
def probability_of_ello(rng: np.random.Generator) -> Iterator[Call]:
    """The worked example: .909 times .770 times .533 times .670 is .250, of which the logarithm is -1.386."""
    yield call(LOGITS, ELLO)


@case("sequence_log_prob", check=close())
def log_probs_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences, so two numbers; a batch of one has one; with one more axis in front, three times two of them."""
    yield call(BATCH_LOGITS, BATCH_IDS)
    yield call(BATCH_LOGITS[:1], BATCH_IDS[:1])
    yield call(np.stack([BATCH_LOGITS, 2.0 * BATCH_LOGITS, -BATCH_LOGITS]), np.stack([BATCH_IDS] * 3))


@case("sequence_log_prob", check=close())
def six_hundred_tokens(rng: np.random.Generator) -> Iterator[Call]:
    """Six hundred tokens of probability 1/4 each: 600 times -ln 4, although the product is zero to a computer."""
    yield call(np.zeros((600, 4)), np.arange(600) % 4)


@case("sequence_log_prob", check=close())
def an_unlikely_token(rng: np.random.Generator) -> Iterator[Call]:
    """The first token's logit is 1000 below the other one, so the sequence has -1000; logits may differ in level, too."""
    yield call(np.array([[0.0, 1000.0], [0.0, 1000.0]]), np.array([0, 1]))
    yield call(np.array([[1000.0, 1001.0], [0.0, 1.0]]), np.array([0, 1]))


@case("sequence_log_prob", check=untouched(), weight=1)
def log_probs_leave_logits_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sequences: afterwards logits and ids are what they were."""
    yield from log_probs_take_a_batch.generate(rng)


@case("perplexity", check=close())
def perplexity_of_hello(rng: np.random.Generator) -> Iterator[Call]:
    """The worked example: 1.386 nats for four tokens, as uncertain as a uniform choice among 1.414; and a page of text."""
    yield call(1.38646, 4)
    yield call(2500.0, 2000)


@case("perplexity", check=close())
def perplexity_of_two_texts(rng: np.random.Generator) -> Iterator[Call]:
    """A text of 5 tokens and 10 nats and one of 20 tokens and 30 nats: 40 nats for 25 tokens."""
    yield call(np.array([10.0, 30.0]), np.array([5, 20]))


@case("perplexity", check=untouched(), weight=0.5)
def perplexity_leaves_its_arrays_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two texts: afterwards both arrays are what they were."""
    yield call(np.array([10.0, 30.0]), np.array([5.0, 20.0]))


@case("bits_per_char", check=close())
def bits_of_hello(rng: np.random.Generator) -> Iterator[Call]:
    """The worked example: 1.386 nats for four characters, which is half a bit for each; and a page of text."""
    yield call(1.38646, 4)
    yield call(2500.0, 2000)


@case("bits_per_char", check=close())
def bits_of_two_texts(rng: np.random.Generator) -> Iterator[Call]:
    """A text of 5 characters and 10 nats and one of 20 characters and 30 nats: 40 nats for 25 characters."""
    yield call(np.array([10.0, 30.0]), np.array([5, 20]))


@case("bits_per_char", check=untouched(), weight=0.5)
def bits_leave_their_arrays_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two texts: afterwards both arrays are what they were."""
    yield call(np.array([10.0, 30.0]), np.array([5.0, 20.0]))


@case("classify_sequence", check=close())
def hell_and_he(rng: np.random.Generator) -> Iterator[Call]:
    """The model of the worked example reads "hell" and, filled up with two o, "he": each is judged by its own end. So it is
    where "he" is filled up with zeros.
    """
    for filler in (np.eye(4)[[3, 3]], np.zeros((2, 4))):
        he = np.concatenate([np.eye(4)[[1, 0]], filler])
        yield call(np.stack([HELL, he]), np.zeros((2, 3)), np.array([4, 2]), HELLO)


@case("classify_sequence", check=close())
def one_step_and_two_steps(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of one and two real steps, from states that are not zero; then three, of two, one and three."""
    yield call(X, H0, np.array([1, 2]), SMALL)
    three = np.array([[0.3, -0.6, 0.9]])
    yield call(np.concatenate([X, X[:1, ::-1]]), np.concatenate([H0, three]), np.array([2, 1, 3]), SMALL)


@case("classify_sequence", check=untouched(), weight=0.33)
def classifying_leaves_the_padding_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same batch: afterwards the inputs, the filled-up steps among them, h0 and the parameters are what they were."""
    yield from one_step_and_two_steps.generate(rng)


@case("generate", check=close())
def ello_is_written(rng: np.random.Generator) -> Iterator[Call]:
    """The worked example: from "h" and the numbers .5 .6 .3 .8, the network writes e, l, l, o."""
    yield call(np.zeros(3), 1, 4, HELLO, np.array([0.5, 0.6, 0.3, 0.8]))


@case("generate", check=close())
def other_numbers_write_otherwise(rng: np.random.Generator) -> Iterator[Call]:
    """With other numbers, and from a state that is not zero, the same network writes something else."""
    yield call(np.array([0.5, -0.5, 0.9]), 1, 4, HELLO, np.array([0.7, 0.95, 0.2, 0.4]))


@case("generate", check=close())
def as_many_units_as_tokens(rng: np.random.Generator) -> Iterator[Call]:
    """Three tokens and three units, so that no shape can tell rows of the matrices from columns."""
    params = {
        "W_x": np.array([[0.5, -1.0, 0.5], [1.0, 0.5, -1.0], [-0.5, 0.0, 1.0]]),
        "W_h": SMALL["W_h"],
        "b": SMALL["b"],
        "W_y": np.array([[1.0, 0.0, -1.0], [0.5, 1.0, 0.0], [-1.0, 0.5, 1.0]]),
        "b_y": np.array([0.0, 0.5, 0.0]),
    }
    yield call(np.array([0.5, -0.5, 0.0]), 2, 5, params, np.array([0.15, 0.9, 0.4, 0.55, 0.75]))


@case("generate", check=close())
def zero_draws_nothing_impossible(rng: np.random.Generator) -> Iterator[Call]:
    """The first token, e, has a probability of e^-20000, which is 0: a number of 0 does not draw it either."""
    impossible = {**HELLO, "b_y": np.array([-20000.0, -1.5, -0.5, -0.5])}
    yield call(np.zeros(3), 1, 2, impossible, np.array([0.0, 0.5]))


@case("generate", check=untouched(), weight=0.43)
def writing_leaves_h0_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same text: afterwards h0, the parameters and the uniform numbers are what they were."""
    yield from other_numbers_write_otherwise.generate(rng)


# caption

# The images of the README have two features. The model of "hello" reads h first, and o ends a caption.
W_I = np.array([[1.5, -2.0], [1.5, -2.0], [1.0, 1.0]])
BEGIN, END = HELLO_VOCAB["h"], HELLO_VOCAB["o"]


@case("caption", check=close())
def three_images_of_the_handout(rng: np.random.Generator) -> Iterator[Call]:
    """The images (0, 0), (1, 0) and (0, 1) are described as "ello", "llo" and "eello", where o is the last token."""
    for image in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)):
        yield call(np.array(image), W_I, HELLO, BEGIN, END, 8)


@case("caption", check=close())
def long_captions_are_cut_off(rng: np.random.Generator) -> Iterator[Call]:
    """With room for two tokens, "ello" is cut off after "el"; with room for four, the o is just in time."""
    yield call(np.array([0.0, 0.0]), W_I, HELLO, BEGIN, END, 2)
    yield call(np.array([0.0, 0.0]), W_I, HELLO, BEGIN, END, 4)


@case("caption", check=close())
def one_token_for_both_ends(rng: np.random.Generator) -> Iterator[Call]:
    """If l is read first and also ends a caption, the first l that is written ends it."""
    yield call(np.array([0.0, 1.0]), W_I, HELLO, HELLO_VOCAB["l"], HELLO_VOCAB["l"], 6)


@case("caption", check=close())
def bos_may_be_written(rng: np.random.Generator) -> Iterator[Call]:
    """If e is read first, the image (1, 1) is described as "ello": e is written like any other token, and only o ends it."""
    yield call(np.array([1.0, 1.0]), W_I, HELLO, HELLO_VOCAB["e"], END, 8)


@case("caption", check=untouched(), weight=0.4)
def images_stay_as_they_are(rng: np.random.Generator) -> Iterator[Call]:
    """The same three images: afterwards image, W_i and parameters are what they were."""
    yield from three_images_of_the_handout.generate(rng)
