"""Public cases of a4_seq2seq: the worked examples of the README, small enough to follow by hand."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.spec import Call, Code, Module, call, call_module, case
from autograder.judge.checks import close, untouched

# Ids of the worked examples: 0 is padding, 1 is BOS, 2 is EOS.
PAD, BOS, EOS = 0, 1, 2

# One query and three keys of two features.
QUERY = [[[1.0, 2.0]]]
KEYS = [[[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]]]

# The worked example of decoding, as a table of probabilities: one row for the word before, one column for the next
# word. 0 is EOS, 1 is "yes", 2 is "ok"; 3 is BOS, which is only ever read.
YES_OK = "[[1., 0, 0], [.3, .45, .25], [.9, .04, .06], [.1, .5, .4]]"

# Saying nothing at all is likelier than any sentence: .4, against .58 * .7 * .9 = .3654 for "yes ok EOS".
SILENCE = "[[1., 0, 0], [.1, .2, .7], [.9, .06, .04], [.4, .58, .02]]"


def _float(values: Any) -> Any:
    import torch

    return torch.tensor(values, dtype=torch.float32)


def _ids(values: Any) -> Any:
    import torch

    return torch.tensor(values, dtype=torch.int64)


def _bool(values: Any) -> Any:
    import torch

    return torch.tensor(values, dtype=torch.bool)


def _filled(start: int, *shape: int) -> Any:
    """Return numbers between -1 and 1 with one decimal, no pattern in sight."""
    import torch

    values = np.sin(2.5 * np.arange(start, start + np.prod(shape)) + start).round(1).reshape(shape)
    return torch.tensor(values, dtype=torch.float32)


def _table(probabilities: str) -> Code:
    """Return a decoder that looks the next word up by the word before; its state stays as it is."""
    label = f"a decoder that looks up the next word's probabilities: after word y, row y of {probabilities}"
    return Code(f"lambda y_prev, state: (torch.tensor({probabilities})[y_prev].log(), state)", label)


# decoder_inputs


@case("decoder_inputs", check=close())
def inputs_are_shifted_by_one(rng: np.random.Generator) -> Iterator[Call]:
    """To say 5 3 7 EOS, the decoder reads BOS 5 3 7."""
    yield call(_ids([[5, 3, 7, EOS]]), BOS)


@case("decoder_inputs", check=close())
def each_row_is_shifted_by_itself(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows, one of which ends in padding; here BOS is 9."""
    yield call(_ids([[4, 6, 2, 0, 0], [8, 5, 4, 7, 2]]), 9)


@case("decoder_inputs", check=untouched())
def targets_can_be_used_again(rng: np.random.Generator) -> Iterator[Call]:
    """The inputs are right, and the targets are still there for the loss."""
    yield call(_ids([[3, 4, 5, EOS], [6, EOS, PAD, PAD]]), BOS)


# Encoder


def _encoder(cotangents: tuple[Any, ...] = (), before: tuple[Any, ...] = ()) -> Module:
    """Make an encoder with 6 words, embeddings of 2 and states of 2."""
    state = {
        "embedding.weight": _filled(0, 6, 2),
        "rnn.weight_ih_l0": _filled(12, 6, 2),
        "rnn.weight_hh_l0": _filled(24, 6, 2),
        "rnn.bias_ih_l0": _filled(36, 6),
        "rnn.bias_hh_l0": _filled(42, 6),
    }
    return Module(init=(6, 2, 2), state=state, cotangents=cotangents, before=before)


@case("Encoder", check=close(names=("states", "final")))
def a_single_sentence(rng: np.random.Generator) -> Iterator[Call]:
    """Three words and no padding: three states, of which the last is also `final`."""
    yield call_module(_ids([[3, 5, 4]]), _ids([3]), module=_encoder())


@case("Encoder", check=close(names=("states", "final")))
def short_rows_end_earlier(rng: np.random.Generator) -> Iterator[Call]:
    """Three rows of 2, 1 and 4 words: the states behind their ends are zero, and `final` is that of the last word."""
    src = _ids([[3, 5, 0, 0], [5, 0, 0, 0], [4, 0, 3, 5]])
    yield call_module(src, _ids([2, 1, 4]), module=_encoder())


@case("Encoder", check=close(names=("states", "final")))
def all_rows_may_be_short(rng: np.random.Generator) -> Iterator[Call]:
    """No row fills its four positions, and yet there are four states for each."""
    yield call_module(_ids([[3, 4, 1, 1], [5, 5, 2, 0]]), _ids([2, 3]), module=_encoder())


@case("Encoder", check=close(names=("states", "final")), weight=0.5)
def each_batch_begins_anew(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows, read by an encoder that has read two others before: nothing goes on from one batch to the next."""
    before = (_ids([[5, 2, 4], [1, 3, 3]]), _ids([3, 3]))
    yield call_module(_ids([[3, 5, 4], [4, 3, 0]]), _ids([3, 2]), module=_encoder(before=before))


@case("Encoder", check=close(at=("param_grads", "rnn.weight_hh_l0"), called="gradient of the recurrent weights"))
def the_encoder_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """For a loss on the states and on `final`, the recurrent weights get their gradient: what the decoder learns reaches the
    encoder, by all that it reads of it."""
    module = _encoder((_filled(8, 1, 3, 2), _filled(3, 1, 2)))
    yield call_module(_ids([[3, 5, 4]]), _ids([3]), module=module)


@case("Encoder", check=untouched(names=("states", "final")), weight=0.33)
def ids_and_lengths_stay_as_they_are(rng: np.random.Generator) -> Iterator[Call]:
    """The same two rows: afterwards ids, those of the padding too, and lengths are what they were."""
    yield from all_rows_may_be_short.generate(rng)


# dot_score, bilinear_score, mlp_score


def _through(*args: Any, cotangent: Any) -> Call:
    """Call the exercise's function, and send a gradient back through it."""
    return call_module(*args, module=Module(init=None, cotangents=(cotangent,)))


@case("dot_score", check=close())
def dots_of_the_handout(rng: np.random.Generator) -> Iterator[Call]:
    """The query (1, 2) and the keys (1, 0), (0, 1), (2, -1): the scores are 1, 2 and 0."""
    yield call(_float(QUERY), _float(KEYS))


@case("dot_score", check=close())
def dots_of_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sentences, with two queries and three keys each; a row for each query, a column for each key."""
    yield call(_filled(3, 2, 2, 4), _filled(20, 2, 3, 4))


@case("dot_score", check=close(at=("input_grads",), called="gradients of q and k"))
def queries_and_keys_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The same query and keys: a gradient on the scores gives the query its gradient, and the keys theirs."""
    yield _through(_float(QUERY), _float(KEYS), cotangent=_float([[[1.0, -1.0, 2.0]]]))


@case("bilinear_score", check=close())
def a_matrix_between_them(rng: np.random.Generator) -> Iterator[Call]:
    """The same query and keys with W = [[0, 1], [2, -1]] between them: the scores are 4, -1 and 9."""
    yield call(_float(QUERY), _float(KEYS), _float([[0.0, 1.0], [2.0, -1.0]]))


@case("bilinear_score", check=close())
def queries_and_keys_of_different_widths(rng: np.random.Generator) -> Iterator[Call]:
    """Two sentences; queries of two features, keys of three."""
    yield call(_filled(1, 2, 4, 2), _filled(30, 2, 3, 3), _filled(50, 2, 3))


@case("bilinear_score", check=close(at=("input_grads",), called="gradients of q, k and W"))
def the_matrix_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The first example once more: a gradient on the scores gives query, keys and W their gradients."""
    W = _float([[0.0, 1.0], [2.0, -1.0]])
    yield _through(_float(QUERY), _float(KEYS), W, cotangent=_float([[[1.0, -1.0, 2.0]]]))


MLP_W = [[1.0, 0.0, 1.0, 0.0], [0.0, 0.5, 0.0, -1.0]]


@case("mlp_score", check=close())
def a_small_network(rng: np.random.Generator) -> Iterator[Call]:
    """The same query and keys, with the small network of the README: the scores are -.5592, .7616 and -.9330."""
    yield call(_float(QUERY), _float(KEYS), _float(MLP_W), _float([1.0, -2.0]))


@case("mlp_score", check=close())
def every_query_meets_every_key(rng: np.random.Generator) -> Iterator[Call]:
    """Two sentences; two queries of four features, three keys of two, and four units in the small network."""
    yield call(_filled(1, 2, 2, 4), _filled(30, 2, 3, 2), _filled(50, 4, 6), _filled(80, 4))


@case("mlp_score", check=close(at=("input_grads",), called="gradients of q, k, W and w"))
def the_small_network_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The first example once more: a gradient on the scores gives query, keys, W and w their gradients."""
    args = _float(QUERY), _float(KEYS), _float(MLP_W), _float([1.0, -2.0])
    yield _through(*args, cotangent=_float([[[1.0, -1.0, 2.0]]]))


# masked_softmax


@case("masked_softmax", check=close())
def shares_of_the_handout(rng: np.random.Generator) -> Iterator[Call]:
    """Scores 1, 2, 0: .2447, .6652 and .0900. With the third one masked, .2689, .7311 and 0."""
    scores = _float([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0]])
    yield call(scores, _bool([[True, True, True], [True, True, False]]))


@case("masked_softmax", check=close())
def nothing_to_look_at(rng: np.random.Generator) -> Iterator[Call]:
    """A row in which all is masked is a row of zeros; the row below it is not disturbed."""
    yield call(_float([[1.0, 2.0, 0.0], [3.0, 1.0, -1.0]]), _bool([[False, False, False], [False, True, True]]))


@case("masked_softmax", check=close())
def one_mask_for_all_queries(rng: np.random.Generator) -> Iterator[Call]:
    """Two sentences, three queries and four positions each: one mask for all queries of a sentence, then one for each; then both again
    for all sentences alike."""
    yield call(_filled(5, 2, 3, 4), _bool([[[True, True, True, False]], [[True, True, False, False]]]))
    yield call(_filled(5, 2, 3, 4), _bool(np.stack([np.tri(3, 4, 1), np.tri(3, 4, 0)[::-1]])))
    yield call(_filled(5, 2, 3, 4), _bool([True, True, False, True]))
    yield call(_filled(5, 2, 3, 4), _bool(np.tri(3, 4, 1)))


@case("masked_softmax", check=close())
def thousands_are_only_numbers(rng: np.random.Generator) -> Iterator[Call]:
    """Scores of 1000 and of -1000 still give shares, also where the largest score is a forbidden one."""
    scores = _float([[1000.0, 1001.0, 999.0], [-1000.0, -1002.0, -1001.0], [1000.0, -1000.0, -1001.0]])
    yield call(scores, _bool([[True, True, False], [True, False, True], [False, True, True]]))


@case("masked_softmax", check=close(at=("input_grads", 0), called="gradient of the scores"))
def gradients_of_an_empty_row(rng: np.random.Generator) -> Iterator[Call]:
    """A gradient is sent back through two rows; that of the fully masked one is zero, not NaN."""
    module = Module(init=None, cotangents=(_float([[1.0, -1.0, 2.0], [1.0, -1.0, 2.0]]),))
    scores, mask = _float([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0]]), _bool([[True, True, False], [False, False, False]])
    yield call_module(scores, mask, module=module)


@case("masked_softmax", check=untouched(), weight=0.45)
def masking_leaves_scores_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sentences: afterwards scores and mask are what they were."""
    yield from one_mask_for_all_queries.generate(rng)


# attention_context


@case("attention_context", check=close())
def three_states_are_mixed(rng: np.random.Generator) -> Iterator[Call]:
    """Weights .2, .5, .3 on the values (1, 0), (0, 1), (2, -1): the context is (.8, .2). Weights of zero give a context of zeros."""
    yield call(_float([[[0.2, 0.5, 0.3]]]), _float(KEYS))
    yield call(_float([[[0.0, 0.0, 0.0]]]), _float(KEYS))


@case("attention_context", check=close())
def contexts_of_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sentences with two queries each; three values of four features."""
    weights = _float([[[0.2, 0.5, 0.3], [0.0, 1.0, 0.0]], [[0.1, 0.1, 0.8], [0.6, 0.4, 0.0]]])
    yield call(weights, _filled(10, 2, 3, 4))


@case("attention_context", check=close(at=("input_grads",), called="gradients of weights and values"))
def weights_and_values_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The first example once more: a gradient on the context gives the weights their gradient, and the values theirs."""
    yield _through(_float([[[0.2, 0.5, 0.3]]]), _float(KEYS), cotangent=_float([[[1.0, -2.0]]]))


# DecoderWithContext


def _context_decoder(cotangents: tuple[np.ndarray, ...] = ()) -> Module:
    """Make a decoder with 4 words, embeddings, states and context of 2."""
    state = {
        "embedding.weight": _filled(0, 4, 2),
        "bridge.weight": _filled(8, 2, 2),
        "bridge.bias": _filled(12, 2),
        "cell.weight_ih": _filled(14, 6, 4),
        "cell.weight_hh": _filled(38, 6, 2),
        "cell.bias_ih": _filled(50, 6),
        "cell.bias_hh": _filled(56, 6),
        "output.weight": _filled(62, 4, 6),
        "output.bias": _filled(86, 4),
    }
    return Module(init=(4, 2, 2, 2), state=state, method="step", cotangents=cotangents)


@case("DecoderWithContext", check=close(names=("logits", "state")))
def the_first_step(rng: np.random.Generator) -> Iterator[Call]:
    """There is no state yet, so the decoder makes one of the context; two sentences begin."""
    yield call_module(_ids([BOS, BOS]), None, _filled(4, 2, 2), module=_context_decoder())


@case("DecoderWithContext", check=close(names=("logits", "state")))
def a_later_step(rng: np.random.Generator) -> Iterator[Call]:
    """The decoder goes on from the state that it is given, with the context once more beside the word; then from a state of
    zeros, which is a state like any other."""
    yield call_module(_ids([3, 2]), _filled(9, 2, 2), _filled(4, 2, 2), module=_context_decoder())
    yield call_module(_ids([3, 2]), _float(np.zeros((2, 2))), _filled(4, 2, 2), module=_context_decoder())


@case("DecoderWithContext", check=close(at=("input_grads", 2), called="gradient of the context"))
def the_context_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """For a loss on the logits of the first step, the context gets its gradient: it is how the encoder learns."""
    module = _context_decoder((_filled(3, 1, 4), _float(np.zeros((1, 2)))))
    yield call_module(_ids([3]), None, _filled(4, 1, 2), module=module)


@case("DecoderWithContext", check=close(at=("input_grads", 1), called="gradient of the state"))
def the_state_before_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """For a loss on the logits and on the new state of a later step, the state that was handed in gets its gradient: it is how
    earlier steps learn, from this step and from those after it."""
    module = _context_decoder((_filled(3, 1, 4), _filled(6, 1, 2)))
    yield call_module(_ids([3]), _filled(9, 1, 2), _filled(4, 1, 2), module=module)


@case("DecoderWithContext", check=untouched(names=("logits", "state")), weight=0.2)
def a_step_leaves_its_state_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same step: afterwards word, state and context are what they were."""
    yield from a_later_step.generate(rng)


# AttentionDecoder


def _attention_decoder(cotangents: tuple[Any, ...] = ()) -> Module:
    """Make a decoder with 4 words; embeddings, states, encoder states and the small network all have 2 features."""
    state = {
        "embedding.weight": _filled(0, 4, 2),
        "cell.weight_ih": _filled(14, 6, 2),
        "cell.weight_hh": _filled(38, 6, 2),
        "cell.bias_ih": _filled(50, 6),
        "cell.bias_hh": _filled(56, 6),
        "W_score": 2 * _filled(62, 2, 4),
        "w_score": 3 * _filled(71, 2),
        "W_out.weight": _filled(80, 2, 4),
        "output.weight": _filled(90, 4, 2),
        "output.bias": _filled(98, 4),
    }
    return Module(init=(4, 2, 2, 2, 2), state=state, method="step", cotangents=cotangents)


ATTENTION_STEP = ("logits", "state", "weights")


@case("AttentionDecoder", check=close(names=ATTENTION_STEP))
def one_word_with_attention(rng: np.random.Generator) -> Iterator[Call]:
    """One sentence of three words, none of them padding."""
    mask = _bool([[True, True, True]])
    yield call_module(_ids([3]), _filled(9, 1, 2), _filled(4, 1, 3, 2), mask, module=_attention_decoder())


@case("AttentionDecoder", check=close(names=ATTENTION_STEP))
def padding_gets_no_attention(rng: np.random.Generator) -> Iterator[Call]:
    """Two sentences; the last two positions of the second are padding, and get no weight."""
    mask = _bool([[True, True, True], [True, False, False]])
    yield call_module(_ids([3, 1]), _filled(9, 2, 2), _filled(4, 2, 3, 2), mask, module=_attention_decoder())


@case("AttentionDecoder", check=close(names=ATTENTION_STEP))
def nothing_but_padding(rng: np.random.Generator) -> Iterator[Call]:
    """In the first of two sentences the mask allows nothing: zero weights, zero context, and finite logits."""
    mask = _bool([[False, False, False], [True, True, False]])
    yield call_module(_ids([2, 3]), _filled(5, 2, 2), _filled(7, 2, 3, 2), mask, module=_attention_decoder())


@case("AttentionDecoder", check=close(at=("input_grads", 1), called="gradient of the state"))
def yesterday_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """For a loss on the logits and on the new state, the state that was handed in gets its gradient: it is how earlier steps
    learn, from this step and from those after it."""
    module = _attention_decoder((_filled(3, 1, 4), _filled(6, 1, 2), _float(np.zeros((1, 3)))))
    mask = _bool([[True, True, True]])
    yield call_module(_ids([3]), _filled(9, 1, 2), _filled(4, 1, 3, 2), mask, module=module)


@case("AttentionDecoder", check=close(at=("input_grads", 2), called="gradient of enc"))
def the_source_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """For the same loss, the encoder states get their gradient: as keys and as values."""
    yield from yesterday_can_learn.generate(rng)


@case("AttentionDecoder", check=untouched(names=ATTENTION_STEP), weight=0.4)
def looking_leaves_the_states_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sentences: afterwards word, state, encoder states and mask are what they were."""
    yield from padding_gets_no_attention.generate(rng)


# LSTMAttentionDecoder


def _lstm_of_the_handout() -> Module:
    """Make the decoder of the README, in which everything has one feature; of two words, word 1 has the embedding .5."""
    state = {
        "embedding.weight": _float([[-1.0], [0.5]]),
        "W_score": _float([[2.0, 1.0]]),
        "w_score": _float([2.0]),
        "cell.weight_ih": _float([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
        "cell.weight_hh": _float([[0.0], [0.0], [1.0], [2.0]]),
        "cell.bias_ih": _float([0.0] * 4),
        "cell.bias_hh": _float([0.0] * 4),
        "output.weight": _float([[1.0, 0.0, 0.0], [1.0, 2.0, -1.0]]),
        "output.bias": _float([0.0, 0.0]),
    }
    return Module(init=(2, 1, 1, 1, 1), state=state, method="step")


def _lstm_decoder(cotangents: tuple[Any, ...] = ()) -> Module:
    """Make a decoder with 4 words; embeddings, states, encoder states and the small network all have 2 features."""
    state = {
        "embedding.weight": _filled(1, 4, 2),
        "W_score": 2 * _filled(9, 2, 4),
        "w_score": 3 * _filled(17, 2),
        "cell.weight_ih": _filled(19, 8, 4),
        "cell.weight_hh": _filled(51, 8, 2),
        "cell.bias_ih": _filled(67, 8),
        "cell.bias_hh": _filled(75, 8),
        "output.weight": _filled(83, 4, 6),
        "output.bias": _filled(107, 4),
    }
    return Module(init=(4, 2, 2, 2, 2), state=state, method="step", cotangents=cotangents)


@case("LSTMAttentionDecoder", check=close(names=ATTENTION_STEP))
def a_step_of_one_number_each(rng: np.random.Generator) -> Iterator[Call]:
    """The worked example: weights .1270, .8730 and 0, then c_t = -.0928, h_t = -.0677, and the logits -.0677 and .1863."""
    state = _float([[0.5]]), _float([[-1.0]])
    enc, mask = _float([[[-1.0], [1.0], [3.0]]]), _bool([[True, True, False]])
    yield call_module(_ids([1]), state, enc, mask, module=_lstm_of_the_handout())


@case("LSTMAttentionDecoder", check=close(names=ATTENTION_STEP))
def two_sentences_look_first(rng: np.random.Generator) -> Iterator[Call]:
    """Two sentences; the last two positions of the second are padding, and get no weight."""
    state = _filled(9, 2, 2), 2 * _filled(13, 2, 2)
    mask = _bool([[True, True, True], [True, False, False]])
    yield call_module(_ids([3, 1]), state, _filled(4, 2, 3, 2), mask, module=_lstm_decoder())


@case("LSTMAttentionDecoder", check=close(names=ATTENTION_STEP))
def an_lstm_with_nothing_to_see(rng: np.random.Generator) -> Iterator[Call]:
    """In the first of two sentences the mask allows nothing: zero weights, zero context, and all stays finite."""
    state = _filled(5, 2, 2), 2 * _filled(3, 2, 2)
    mask = _bool([[False, False, False], [True, True, False]])
    yield call_module(_ids([2, 3]), state, _filled(7, 2, 3, 2), mask, module=_lstm_decoder())


@case("LSTMAttentionDecoder", check=close(at=("input_grads", 1), called="gradient of (h_prev, c_prev)"))
def both_parts_of_the_state_learn(rng: np.random.Generator) -> Iterator[Call]:
    """For a loss on the logits and on the new h and c, h_prev and c_prev get their gradients: they are how earlier steps learn,
    from this step and from those after it."""
    after = _filled(6, 1, 2), _filled(7, 1, 2)
    module = _lstm_decoder((_filled(3, 1, 4), after, _float(np.zeros((1, 3)))))
    state = _filled(9, 1, 2), 2 * _filled(13, 1, 2)
    yield call_module(_ids([3]), state, _filled(4, 1, 3, 2), _bool([[True, True, True]]), module=module)


@case("LSTMAttentionDecoder", check=close(at=("input_grads", 2), called="gradient of enc"))
def the_source_of_an_lstm_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """For the same loss, the encoder states get their gradient: as keys and as values."""
    yield from both_parts_of_the_state_learn.generate(rng)


@case("LSTMAttentionDecoder", check=untouched(names=ATTENTION_STEP), weight=0.4)
def an_lstm_leaves_its_state_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sentences: afterwards word, both parts of the state, encoder states and mask are what they were."""
    yield from two_sentences_look_first.generate(rng)


# masked_nll


@case("masked_nll", check=close())
def three_words_and_a_filler(rng: np.random.Generator) -> Iterator[Call]:
    """Probabilities of .5, .25 and .5 for the right words: (.6931 + 1.3863 + .6931) / 3 = .9242; the filler is ignored."""
    probabilities = np.array([[[0.2, 0.3, 0.5], [0.25, 0.25, 0.5]], [[0.3, 0.5, 0.2], [0.6, 0.2, 0.2]]])
    yield call(_float(np.log(probabilities)), _ids([[2, 1], [1, 0]]), 0)


@case("masked_nll", check=close())
def logits_need_not_be_normalised(rng: np.random.Generator) -> Iterator[Call]:
    """Two sentences of three and one words, and any logits; here the filler is -1, which is no word at all."""
    yield call(3 * _filled(2, 2, 3, 4), _ids([[3, 0, 1], [2, -1, -1]]), -1)


@case("masked_nll", check=close())
def sure_and_right_or_sure_and_wrong(rng: np.random.Generator) -> Iterator[Call]:
    """A word whose logit is 1000 above all others costs nothing; one that is 1000 below another costs 1000 nats."""
    yield call(_float([[[0.0, 1000.0, 0.0], [0.0, 1.0, -1000.0]]]), _ids([[1, -1]]), -1)
    yield call(_float([[[0.0, 1000.0, 0.0], [0.0, 1.0, -1000.0]]]), _ids([[0, -1]]), -1)


@case("masked_nll", check=close(at=("input_grads", 0), called="gradient of the logits"), weight=0.5)
def losses_teach_the_logits(rng: np.random.Generator) -> Iterator[Call]:
    """Three words, and a filler that is 2 here, with words on both sides of it: a gradient on the loss gives the logits theirs."""
    yield _through(_filled(2, 2, 2, 4), _ids([[3, 0], [1, 2]]), 2, cotangent=_float(1.0))


@case("masked_nll", check=untouched(), weight=0.6)
def losses_leave_targets_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sentences: afterwards logits and targets are what they were, the filler among them."""
    yield from logits_need_not_be_normalised.generate(rng)


# greedy_decode


@case("greedy_decode", check=close())
def yes_forever(rng: np.random.Generator) -> Iterator[Call]:
    """The table of the README, with EOS 0, yes 1, ok 2: "yes" is the best word first, and after every "yes" again."""
    yield call(_table(YES_OK), _float([[0.0]]), 3, 0, 9, 4)


@case("greedy_decode", check=close())
def one_word_leads_to_the_next(rng: np.random.Generator) -> Iterator[Call]:
    """Another table: after BOS "yes" is best, after "yes" it is "ok", and after "ok" EOS; then padding, here 1."""
    yield call(_table(SILENCE), _float([[0.0]]), 3, 0, 1, 4)


@case("greedy_decode", check=close())
def rows_end_when_they_end(rng: np.random.Generator) -> Iterator[Call]:
    """Three rows that count down from 2, 0 and 5, and say EOS (0) when they are there; what follows is padding (7)."""
    label = "a decoder whose likeliest word is its state, which goes down by 1 at each step"
    countdown = Code("lambda y_prev, state: (-(torch.arange(6) - state).abs(), state - 1)", label)
    yield call(countdown, _float([[2.0], [0.0], [5.0]]), 6, 0, 7, 4)


@case("greedy_decode", check=close())
def no_step_after_the_last_eos(rng: np.random.Generator) -> Iterator[Call]:
    """The script has two words for each of two rows, and no third: by then both have said EOS (2), so none is asked for."""
    script = "[[4, 2], [2, 3]]"
    # A state is the step and ten times the row, so that rows that have ended may leave the batch.
    words = f"torch.tensor({script})[(state[:, 0] % 10).long(), (state[:, 0] // 10).long()]"
    label = f"a decoder that says {script}, a word to each sentence at each step, and no more"
    step = Code(f"lambda y_prev, state: (torch.eye(5)[{words}], state + 1)", label)
    yield call(step, _float([[0.0], [10.0]]), 1, 2, 0, 6)


@case("greedy_decode", check=untouched(), weight=0.57)
def the_first_state_stays_as_it_is(rng: np.random.Generator) -> Iterator[Call]:
    """The same three rows: afterwards the state before the first step is what it was."""
    yield from rows_end_when_they_end.generate(rng)


# beam_search


@case("beam_search", check=close(names=("ids", "score")))
def ok_is_better_than_yes(rng: np.random.Generator) -> Iterator[Call]:
    """With two places, "ok EOS" is found: .4 times .9 is .36, although "yes" looked better at first."""
    yield call(_table(YES_OK), _float([[0.0]]), 3, 0, 3, 2, 0.0)


@case("beam_search", check=close(names=("ids", "score")))
def one_place_is_greedy(rng: np.random.Generator) -> Iterator[Call]:
    """With one place, it is "yes yes yes": .5 times .45 times .45, cut off after three words."""
    yield call(_table(YES_OK), _float([[0.0]]), 3, 0, 3, 1, 0.0)


@case("beam_search", check=close(names=("ids", "score")))
def silence_is_golden(rng: np.random.Generator) -> Iterator[Call]:
    """Without a length penalty the best sentence is empty; with one of 1 it is "yes ok EOS"."""
    yield call(_table(SILENCE), _float([[0.0]]), 3, 0, 4, 3, 0.0)
    yield call(_table(SILENCE), _float([[0.0]]), 3, 0, 4, 3, 1.0)


@case("beam_search", check=close(names=("ids", "score")), weight=0.5)
def a_longer_one_may_still_win(rng: np.random.Generator) -> Iterator[Call]:
    """The empty sentence, .5, is finished at once; with a length penalty of 2, "yes ok EOS" with .324 has the better score."""
    table = "[[1., 0, 0], [.05, .05, .9], [.9, .05, .05], [.5, .4, .1]]"
    yield call(_table(table), _float([[0.0]]), 3, 0, 4, 2, 2.0)


@case("beam_search", check=close(names=("ids", "score")), weight=0.5)
def what_is_finished_is_safe(rng: np.random.Generator) -> Iterator[Call]:
    """The empty sentence, .11, is finished at once; another one looks better for a while, but ends up below it."""
    table = "[[1., 0, 0], [.06, .44, .5], [.1, .5, .4], [.11, .8, .09]]"
    yield call(_table(table), _float([[0.0]]), 3, 0, 4, 2, 0.0)


@case("beam_search", check=close(names=("ids", "score")), weight=0.5)
def a_finished_one_keeps_its_place(rng: np.random.Generator) -> Iterator[Call]:
    """The empty sentence takes one of two places for good. The other one leads to .8 * .5 * .5 = .2, and "yes ok EOS" is not found."""
    table = "[[1., 0, 0], [.05, .5, .45], [.9, .06, .04], [.15, .8, .05]]"
    yield call(_table(table), _float([[0.0]]), 3, 0, 3, 2, 0.0)


@case("beam_search", check=close(names=("ids", "score")), weight=0.5)
def both_places_may_go_to_one_beginning(rng: np.random.Generator) -> Iterator[Call]:
    """After "yes", .8, "yes yes" with .4 and "yes ok" with .36 are both better than "ok EOS"; then "yes ok EOS" has .324."""
    table = "[[1., 0, 0], [.05, .5, .45], [.9, .06, .04], [.05, .8, .15]]"
    yield call(_table(table), _float([[0.0]]), 3, 0, 3, 2, 0.0)


@case("beam_search", check=close(names=("ids", "score")))
def states_move_along(rng: np.random.Generator) -> Iterator[Call]:
    """What comes next depends on the state, which adds up the words so far: each hypothesis needs its own."""
    logits = "torch.stack([s - 2.2, 0.1 * s + 1.6, 1.6 - 1.6 * s], dim=-1)"
    label = "a decoder whose state s adds up the words; its logits are s - 2.2, 0.1 s + 1.6 and 1.6 - 1.6 s"
    step = Code(f"lambda y_prev, state: (lambda s: ({logits}, s[:, None]))(state[:, 0] + y_prev)", label)
    yield call(step, _float([[-3.0]]), 3, 0, 4, 2, 0.5)


@case("beam_search", check=untouched(names=("ids", "score")), weight=0.42)
def searching_leaves_the_first_state_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same search: afterwards the state before the first step is what it was."""
    yield from states_move_along.generate(rng)
