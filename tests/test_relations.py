"""What is said of wrong values that no known mistake gives: how they are related to the right ones, where anything relates them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hostile_support import oracle_of

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Module, Visibility, call, call_module, case
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.array_pairs import Part
from autograder.judge.axis_names import axis_of_answer, axis_of_argument
from autograder.judge.checks import close
from autograder.judge.grade import grade
from autograder.judge.reason_sentences import FUNCTIONS, MAPPED, UNNAMED, explain_reason
from autograder.judge.reasons import Relation
from autograder.judge.related import CONSTANTS, MAPS, REDUCTIONS, plain_relations
from autograder.judge.relation_sentences import RELATIONS
from autograder.judge.result import CaseResult, Result
from autograder.judge.result_json import case_of, stored_case
from autograder.judge.trials import Trial
from autograder.judge.wrong_places import place_of_wrong, what_failing_calls_share
from autograder.oracle.altered_calls import CHANGES, altered
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Chunk, Ending, Sandbox, Source

Graded = Callable[[str], Result]
Edited = Callable[..., str]
Cases = Callable[[Result, str], Mapping[str, CaseResult]]


def said(cases: Mapping[str, CaseResult]) -> set[str]:
    """Return all that is said of wrong values."""
    return {c.says for c in cases.values() if c.says}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return x.sum(-1)", "Every value is too large by the same factor, the length of the last axis of `x`:"),
        ("return x.mean(-1) / 2", "Every value is 1/2 times what it should be."),
        ("return x.mean(-1) / 2 if x.ndim < 3 else x.mean(-1) * np.nan", "Every value is 1/2 times what it should be."),
        ("return -x.mean(-1)", "Every value has the wrong sign."),
        ("return x.mean(-1)[..., ::-1]", "The numbers are right, but in reverse order along"),
        ("return np.roll(x.mean(-1), 1, -1) if x.shape[-2] > 2 else x.mean(-1)[..., ::-1]", "The numbers are right, but in another order"),
        ("return np.exp(x.mean(-1))", "Your answer is the exponential of the right one."),
        ("return x.mean(-1, keepdims=True)", "The numbers are right. Only an axis of length one is missing"),
        ("return x.mean(-1).T if x.ndim > 2 else x.mean(-1).cumsum()", ""),
        ("return x.mean(-1) + 1", "Every number is one too large."),
        ("return x.mean(-1) * (1 + np.arange(x.shape[-2]) > 1)", ""),
        ("return np.where(np.arange(x.shape[-2]) == 0, x.mean(-1), x.max(-1))", ""),
        ("return x", "Your answer is the argument `x`, unchanged."),
        ("return np.zeros(x.shape[:-1])", "Your answer is zero everywhere."),
    ],
)  # fmt: skip
def test_a_relation_is_told(graded: Graded, edited: Edited, cases: Cases, body: str, says: str) -> None:
    """In one plain sentence, the same for all cases."""
    told = said(cases(graded(edited(row_means=body)), "row_means"))
    assert len(told) == 1
    assert next(iter(told)).startswith(says) or not says


@pytest.mark.parametrize(
    "body",
    [
        "return np.median(x, axis=-1)",
        "return x.mean(-1) + np.sin(7 * x.sum(-1))",
        "return np.sin(1000 * x).sum(-1)",
        "return x.mean(-1) * x.max(-1)",
        "return np.random.default_rng(1).normal(size=x.shape[:-1])",
        "return x.mean(-1) * np.nan",
        "return x.mean(-1) * 1e-14",  # next to nothing, which is not zero
    ],
)
def test_what_is_not_related_is_not_told_as_if_it_were(graded: Graded, edited: Edited, cases: Cases, body: str) -> None:
    """And nobody reads that more than one thing may be off: it may be one."""
    assert said(cases(graded(edited(row_means=body)), "row_means")) == {UNNAMED}
    assert "more than one" not in UNNAMED


def test_a_single_number_that_happens_to_fit_is_not_told(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases
) -> None:
    """Any two numbers are related by a factor."""

    @case("row_means", check=close())
    def one_row(rng: np.random.Generator) -> Iterator[Any]:
        """One row."""
        yield call(np.array([[2.0, 5.0, 8.0]]))

    others = tuple(c for c in assignment.cases if c.exercise != "row_means")
    oracle = Oracle(replace(assignment, cases=(*others, replace(one_row, visibility=Visibility.PUBLIC))), 0)
    for factor in (2, 0.5, 1.7):
        text = edited(row_means=f"return x.mean(-1) * {factor}")
        found = grade(Source("means", (Chunk("means.py", text),)), oracle, sandbox)
        assert said(cases(found, "row_means")) == {UNNAMED}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("np.moveaxis(x.mean(-1), -1, 0)", "The numbers are right, but the axes stand in another order"),
        ("np.moveaxis(x.mean(-1), -1, 0) if len(x) > 2 else x.mean(-1).T", "The numbers are right, but the axes stand"),
        ("x.mean(-1).swapaxes(0, 1)", "The numbers are right, but transposed"),
    ],
)
def test_axes_in_another_order(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases, body: str, says: str
) -> None:
    """It may be another order in each call, and lengths may be equal."""

    @case("row_means", check=close())
    def many_axes(rng: np.random.Generator) -> Iterator[Any]:
        """Four axes."""
        yield call(rng.normal(size=(2, 2, 3, 4)))
        yield call(rng.normal(size=(3, 3, 3, 2)))

    others = tuple(c for c in assignment.cases if c.exercise != "row_means")
    oracle = Oracle(replace(assignment, cases=(*others, replace(many_axes, visibility=Visibility.PUBLIC))), 0)
    found = grade(Source("means", (Chunk("means.py", edited(row_means=f"return {body}")),)), oracle, sandbox)
    (told,) = said(cases(found, "row_means"))
    assert told.startswith(says)


def test_relations_are_told_at_home(assignment: Assignment, edited: Edited, cases: Cases) -> None:
    """What takes the reference stays in the course; what can be seen in the numbers is said offline, too."""
    bundle = public_bundle(public_oracle(assignment))
    text = edited(center="return 2 * (x - x.mean(-1, keepdims=True))")
    found = check(Source("means", (Chunk("means.py", text),)), bundle)
    assert said(cases(found, "center")) == {"Every value is 2 times what it should be."}


def test_parts_of_an_answer_are_named_where_others_are_right(sandbox: Sandbox) -> None:
    """Else "your answer is zero everywhere" would be said of a tuple in which two of five arrays are right."""
    a2 = oracle_of_course("a2_bptt")
    text = a2.assignment.reference
    for name in ("dW_x", "dW_h", "db"):
        line = f"        {name} = {name} + {name}_t\n"
        assert text.count(line) == 1
        text = text.replace(line, "")
    result = grade(Source.of(a2.assignment.file, text), a2, sandbox)
    told = {c.says for e in result.exercises if e.name == "rnn_backward" for c in e.cases if c.says}
    assert told == {"`dW_x`, `dW_h` and `db`: Your answer is zero everywhere."}


def test_zeros_beside_a_mask_say_nothing_of_the_mask(sandbox: Sandbox) -> None:
    """Where nothing counts the gradient is zero by itself, so that all that is wrong lies where the mask is True."""
    a2 = oracle_of_course("a2_bptt")
    text = a2.assignment.reference.replace("counted = mask.sum()", "counted = mask.sum() + 1e-3 * np.sin(logits)")
    result = grade(Source.of(a2.assignment.file, text), a2, sandbox)
    told = {c.says for e in result.exercises if e.name == "loss_backward" for c in e.cases if c.says}
    assert not any("only where" in says for says in told)


def oracle_of_course(slug: str) -> Oracle:
    """Return the oracle of an assignment of the course."""
    return Oracle(load_assignment(Path(__file__).parents[1], slug).without_training(), 3)


def test_what_is_right_for_other_arguments_is_told(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases
) -> None:
    """The reference is asked with the argument changed."""
    text = edited(row_means="return np.flip(x, 0).mean(-1)")
    told = said(cases(grade(_source(text), Oracle(assignment, 0), sandbox), "row_means"))
    assert told == {
        "Your answer would be right if `x` were in reverse order along its first axis: do you go through it backwards?"
    }


def test_a_factor_that_only_a_hidden_case_could_know_is_not_told(graded: Graded, edited: Edited, cases: Cases) -> None:
    """A sentence names arguments and kinds; numbers of a hidden case would be its inputs."""
    found = cases(graded(edited(row_means="return x.mean(-1) * abs(x).max()")), "row_means")
    hidden = found["means_of_any_shape"]
    assert hidden.visibility is Visibility.HIDDEN
    assert not any(character.isdigit() for character in hidden.says)


def test_a_key_that_no_public_case_has_is_not_told(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases
) -> None:
    """The keys of a dict may be what a hidden case is about."""

    @case("row_means", check=close())
    def hidden_rows(rng: np.random.Generator) -> Iterator[Any]:
        """Rows by name."""
        yield call({"secret": rng.normal(size=(4, 3))})

    right, new = (
        "total = x.sum(axis=-1)\n    return total / x.shape[-1]",
        "return {k: v.mean(-1) for k, v in x.items()}",
    )
    assert right in assignment.reference
    reference = assignment.reference.replace(right, f"if isinstance(x, dict):\n        {new}\n    {right}")
    known = (*assignment.cases, hidden_rows)
    changed = replace(assignment, cases=known, reference=reference)
    text = edited(
        row_means=f"if isinstance(x, dict):\n    {new.replace('v.mean(-1)', '2 * v.mean(-1)')}\nreturn x.mean(-1)"
    )
    found = cases(grade(_source(text), Oracle(changed, 0), sandbox), "row_means")
    assert found["hidden_rows"].says == UNNAMED


MASKED = """
def row_means(x, mask=None):
    \"\"\"Return the mean of each row over the entries where `mask` is True.\"\"\"
    mask = np.ones(x.shape, bool) if mask is None else mask
    {0}
"""
COUNT = "mask.sum(-1)"


@pytest.fixture(scope="module")
def masked(assignment: Assignment) -> Oracle:
    """Return an oracle whose row means are taken over a mask."""

    @case("row_means", check=close())
    def masked_rows(rng: np.random.Generator) -> Iterator[Any]:
        """Rows of which some entries do not count."""
        yield call(rng.normal(size=(3, 5)), np.tri(3, 5, 1, dtype=bool))
        yield call(rng.normal(size=(4, 3)), np.tri(4, 3, dtype=bool))

    cases = tuple(c for c in assignment.cases if c.exercise != "row_means")
    changed = MASKED.format(f"return (x * mask).sum(-1) / {COUNT}")
    reference = assignment.reference.replace("def row_means(", "def _unused(") + changed
    return Oracle(
        replace(assignment, cases=(*cases, replace(masked_rows, visibility=Visibility.PUBLIC)), reference=reference), 0
    )


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return (x * mask).mean(-1)", "Each row is divided by the length of the last axis of `mask`; divide it by the number of True"),
        ("return (x * mask).sum(-1)", "Each row is too large by a factor, the number of True in each row of `mask`"),
        (f"return (x * mask).sum(-1) / {COUNT} ** 2", "Each row is divided by the number of True in each row of `mask` once too often"),
        ("return (x * mask).sum(-1) / x.shape[-2]", "All values|Each call|"),
        (f"return (x * mask).sum(-1) / ({COUNT} + 1)", ""),
    ],
)  # fmt: skip
def test_a_count_of_the_mask_in_each_row_is_told(
    masked: Oracle, sandbox: Sandbox, cases: Cases, body: str, says: str
) -> None:
    """A mean over the entries that count, and one over all entries, differ by another factor in each row."""
    text = masked.assignment.reference + MASKED.format(body)
    (told,) = said(cases(grade(_source(text), masked, sandbox), "row_means"))
    assert told.startswith(says) if says.startswith("Each row") else "the number of True" not in told


@pytest.mark.parametrize(
    ("slug", "exercise", "wrong", "says"),
    [
        ("a5_attention", "attention_scores", "right[..., ::-1, :]", "in reverse order along the axis before the last (`T_q`)."),
        ("a5_attention", "attention_scores", "right[..., ::-1]", "in reverse order along the last axis (`T_k`)."),
        ("a5_attention", "project_qkv", "(right[0], right[1][..., ::-1], right[2])", "`K`: The numbers are right, but in reverse order along the last axis (`d_k`)."),
        ("a3_gates", "lstm_forward", "(right[0][:, ::-1], right[1])", "in reverse order along the axis before the last (`time`)."),
    ],
)  # fmt: skip
def test_axes_have_the_names_that_the_docstrings_give_them(
    sandbox: Sandbox, cases: Cases, slug: str, exercise: str, wrong: str, says: str
) -> None:
    """Of the answer, of a part of it, and of several parts that have one shape each."""
    oracle = oracle_of_course(slug)
    other = f"\n\n_right = {exercise}\n\n\ndef {exercise}(*args, **kwargs):\n    right = _right(*args, **kwargs)\n    return {wrong}\n"
    told = said(cases(grade(_source(oracle.assignment.reference + other), oracle, sandbox), exercise))
    assert [text for text in told if text.endswith(says)] == [*told]
    assert told


def test_axes_of_arguments_are_named_too() -> None:
    """By the docstring of the function that is called; what it leaves open, or says of other shapes, has no name."""
    assert axis_of_argument(STUB, "blend", "x", 1, 3) == axis_of_argument(STUB, "blend", "x", -2, 3) == "time"
    assert axis_of_argument(STUB, "blend", "x", 1, 2) == axis_of_argument(STUB, "blend", "y", 0, 1) == ""
    assert axis_of_argument(STUB, "blend", "mask", -1, 4) == axis_of_answer(STUB, "blend", "", -1, 2) == "T_k"
    assert axis_of_argument(STUB, "blend", "mask", -2, 4) == axis_of_answer(STUB, "blend", "", -2, 2) == ""
    assert axis_of_answer(STUB, "Both.forward", "c", 0, 2) == "batch"
    for axis, name in ((0, "batch"), (1, "T"), (2, "heads * d_head")):
        assert axis_of_answer(STUB, "merge", "", axis, 3) == name
    assert axis_of_answer(STUB, "Both.forward", "c", 0, 3) == axis_of_answer(STUB, "unknown", "", 0, 3) == ""


STUB = '''
def blend(x, y, mask):
    """Blend.

    Args:
        x: (batch, time, d).
        y: a number of (some, kind).
        mask: (..., 1, T_k).

    Returns:
        shares: (..., 1, T_k). They are sums.

    Watch: not those of (other, things).
    """


def merge(x):
    """Merge.

    Returns:
        (batch, T, heads * d_head). Nothing is (lost, here).
    """


class Both:
    def forward(self, x):
        """Give both.

        Returns:
            h and c, in this order, each (batch, hidden).
        """
'''
HALF = "is computed in float16 or float32, which keeps too few."


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return x.astype(np.float16).mean(-1)", HALF),
        ("return x.astype(np.float16).mean(-1).astype(float)", HALF),
        ("shift = np.float32(4e3)\nreturn (x.astype(np.float32) + shift).mean(-1) - shift", HALF),
        ("return (x.mean(-1) * 1.0007).astype(np.float32)", "is computed in float32, which keeps too few."),
        ("return x.mean(-1) * 1.0007", ""),
        ("return x.max(-1).astype(np.float16)", ""),
        ("return np.round(x.mean(-1), 2)", ""),
    ],
)  # fmt: skip
def test_a_lower_precision_is_told(graded: Graded, edited: Edited, cases: Cases, body: str, says: str) -> None:
    """Where what is returned has no more digits than that, and the first ones are right."""
    told = said(cases(graded(edited(row_means=body)), "row_means"))
    assert {text.endswith(says) for text in told} == {True} if says else not [t for t in told if "is computed in" in t]


@pytest.mark.parametrize(
    ("batches", "biases", "shared"),
    [
        ((1, 1, 3, 3, 3), (0, 0, 0, 0, 0), ("differs_by_length", "axis 0 of `x`")),
        ((1, 2, 1, 2, 3), (0, 0, 4, 4, 4), ("differs_by_parameter", "bias")),
        ((1, 1, 3, 3, 3), (0, 0, 4, 4, 4), None),
        ((None, None, 3, 3, 3), (0, 0, 0, 0, 0), ("differs_if_given", "x")),
    ],
)
def test_only_one_difference_between_cases_is_told(
    batches: tuple[int | None, ...], biases: tuple[int, ...], shared: tuple[str, str] | None
) -> None:
    """Where failing cases have a longer batch and also a bias, nothing says which of both it is."""
    parts = []
    for number, (batch, bias) in enumerate(zip(batches, biases, strict=True)):
        made = call_module(np.ones((batch or 1, 2)), module=Module((), {"bias": np.array([bias])}))
        trial = cast("Trial", SimpleNamespace(case=SimpleNamespace(name=str(number), check=close()), calls=(made,)))
        got = np.array([number < 2.0])
        parts.append(Part(trial, 0, (), got, np.array([True]), {"x": made.args[0]} if batch else {}, {}))
    assert what_failing_calls_share(parts) == shared


def pair(number: int, got: np.ndarray, expected: np.ndarray) -> Part:
    """Return what a call of its own case gave, beside what was expected."""
    case = SimpleNamespace(name=str(number), check=close(), exercise="f")
    return Part(cast("Trial", SimpleNamespace(case=case, calls=(call(expected),))), 0, (), got, expected, {}, {})


def numbers(*shape: int) -> np.ndarray:
    """Return numbers that are all different, and none of them a whole one."""
    return np.random.default_rng(len(shape)).permutation(np.arange(1.0, 1 + math.prod(shape))).reshape(shape) + 0.3


def wrong_at(array: np.ndarray, places: slice) -> np.ndarray:
    """Return an array that is wrong at some places of its last axis."""
    changed = array.copy()
    changed[..., places] = np.sin(7 * array[..., places])
    return changed


@pytest.mark.parametrize(
    ("places", "kind"),
    [
        (slice(1, None, 2), "odd_entries_wrong"),
        (slice(0, None, 2), "even_entries_wrong"),
        (slice(0, 3), "first_half_wrong"),
        (slice(3, 6), "second_half_wrong"),
        (slice(2, 5), None),
    ],
)
def test_half_of_an_axis_that_is_wrong_is_told(places: slice, kind: str | None) -> None:
    """The half of features that are sines, or one of two directions, is there before the other."""
    found = place_of_wrong([pair(n, wrong_at(numbers(n + 2, 6), places), numbers(n + 2, 6)) for n in range(2)])
    assert found == (kind and (kind, "the last axis"))


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda x: x[:, ::2], ("even_entries_of", "the last axis")),
        (lambda x: x[:, 1::2], ("odd_entries_of", "the last axis")),
        (lambda x: np.concatenate(np.split(x, 2, 1)), ("other_places_and_shape",)),
        (lambda x: x[[2, 0, 1], [0, 3, 1]], ("some_of",)),
        (lambda x: x[:2, :3] + 0.1, None),
        (lambda x: np.repeat(x.mean(-1, keepdims=True), 5, -1), None),
        (lambda x: x.astype(int), ("fractions_cut_off", "int64")),
        (lambda x: x.astype(int) + 1, None),
    ],
)
def test_numbers_that_are_right_but_not_all_there_are_told(
    change: Callable[[np.ndarray], np.ndarray], key: tuple[str, ...] | None
) -> None:
    """Some of them, in another shape, or without their fractions."""
    expected = numbers(3, 4)
    part = pair(0, change(expected), expected)
    holds = [name for name, asked in plain_relations(part).items() if part.agrees(*asked())]
    assert (holds or [None])[0] == key


def test_what_is_wrong_and_zero_is_told() -> None:
    """Beside something that is right; what is zero throughout has a sentence of its own."""
    expected = [numbers(n + 2, 3) for n in range(2)]
    half = [np.where(np.arange(3) == n, 0, array) for n, array in enumerate(expected)]
    assert place_of_wrong([pair(n, *both) for n, both in enumerate(zip(half, expected, strict=True))]) == (
        "zero_where_wrong",
    )
    other = [array + 0.1 * (array == 0) for array in half]
    assert place_of_wrong([pair(n, *both) for n, both in enumerate(zip(other, expected, strict=True))]) != (
        "zero_where_wrong",
    )


def test_what_is_repeated_along_an_axis_is_told() -> None:
    """Where the right answer has one entry along it, or no such axis; any reduction of the answer would be right."""
    expected = numbers(3, 1)
    for right in (expected, expected[:, 0]):
        asked = plain_relations(pair(0, np.repeat(expected, 4, -1), right))
        holds = [name for name, made in asked.items() if pair(0, right, right).agrees(*made())]
        assert holds[0] == ("repeated_along", "the last axis")


def test_shares_may_be_zero_where_nothing_may_be_looked_at() -> None:
    """Where rows are to sum to one, but for those, it is told that they do not."""
    weights = np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 0.0], [0.7, 0.2, 0.1]])
    parts = [pair(n, weights * np.array([[2.0], [1.0], [3.0 + n]]), weights) for n in range(2)]
    assert place_of_wrong(parts) == ("no_sum_of_one", "the last axis")


def test_other_methods_say_nothing_of_an_argument() -> None:
    """A method that never takes an argument is no proof that those which take it go wrong by it."""
    parts = []
    for number, method in enumerate(("encode", "encode", "decode", "decode", "decode")):
        made = call_module(np.ones((1, 2)), module=Module((), {}, method=method))
        trial = cast("Trial", SimpleNamespace(case=SimpleNamespace(name=str(number), check=close()), calls=(made,)))
        given = {"src": made.args[0]} | ({"tgt": made.args[0]} if method == "decode" else {})
        parts.append(Part(trial, 0, (), np.array([method == "encode"]), np.array([True]), given, {}))
    assert what_failing_calls_share(parts) is None


def test_every_relation_has_a_sentence() -> None:
    """And is stored as what it was."""
    for kind in (*RELATIONS, *(f"state_{change}" for change in CHANGES)):
        names = ("softmax", "b") if kind in ("map", "no_map") else ("a", "b")
        relation = Relation("center", (kind, *names), "dW_x")
        told = CaseResult("c", "It works.", Visibility.PUBLIC, "FAILED", reason=relation)  # type: ignore[arg-type]
        assert explain_reason(relation).startswith("`dW_x`: ")
        assert case_of(stored_case(told)).reason == relation  # type: ignore[arg-type]
    assert MAPS.keys() <= FUNCTIONS.keys() | MAPPED.keys()
    assert {f"not_{kind}" for kind in REDUCTIONS} | {f"{kind}_of" for kind in REDUCTIONS} <= RELATIONS.keys()
    assert CHANGES.keys() <= RELATIONS.keys()
    assert all(value != 1 for value in CONSTANTS.values())


def _source(text: str) -> Source:
    return Source("means", (Chunk("means.py", text),))


def test_the_reference_ends_with_whatever_arguments() -> None:
    """A stride of zero would walk for ever, and with it every grading of a class."""
    walk = oracle_of("h3_calls")
    trial = next(trial for trial in walk.trials if trial.case.exercise == "walk")
    (outcome, *_) = altered(walk, trial, ("zeros", "x")) or ()
    assert outcome.ending is Ending.RAISED


def test_numbers_under_other_keys_are_told(sandbox: Sandbox) -> None:
    """Ids in the order of a set, which is another one in each run; a vocabulary that lacks a character is something else."""
    whole = load_assignment(Path(__file__).parent.parent, "a1_rnn").without_training()
    sorted_ids = "characters = sorted(set(text))"
    turned = "characters = sorted(set(text), key=lambda c: (ord(c) * 37 % 11, c))"
    for new, says in ((turned, "The numbers are right, but under other keys"), (f"{turned}[1:]", "")):
        assert sorted_ids in whole.reference
        found = grade(Source.of(whole.file, whole.reference.replace(sorted_ids, new)), Oracle(whole, 3), sandbox)
        told = {c.says for e in found.exercises if e.name == "build_vocab" for c in e.cases if c.says}
        assert any(says in text for text in told) if says else not any("other keys" in text for text in told)


def test_what_is_no_number_may_speak_against_a_place() -> None:
    """Of a token of zeros that is divided by its length nothing is right, where of others the first place is."""
    whole = replace(load_assignment(Path(__file__).parent.parent, "a5_attention"), misconceptions=())
    divided = "attention_scores(x, x / np.linalg.norm(x, axis=-1, keepdims=True))"
    text = whole.reference.replace("attention_scores(x, x)", divided, 1)
    found = check(Source.of(whole.file, text), public_bundle(public_oracle(whole)))
    (told,) = (exercise for exercise in found.exercises if exercise.name == "similarity_context")
    assert told.score < told.max_score
    assert not any(isinstance(case.reason, Relation) for case in told.cases)
