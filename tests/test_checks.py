"""Each check: what is right passes, and each way of being wrong has its own word."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.course.spec import Answer, Call, Check, Finding, Visibility, call
from autograder.judge import checks
from autograder.judge.messages import KINDS, explain_finding
from autograder.sandbox.child.tree import Opaque, Tensor

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0], [0.5, 8.0, 9.0], [2.0, 1.0, 6.0]])
WEIGHTS = X / X.sum(axis=-1, keepdims=True)
NAN = np.full_like(X, math.nan)


def finding(check: Check, got: list[Any], expected: list[Any], calls: list[Call] | None = None) -> Finding | None:
    """Judge some returned values against the reference's."""
    calls = calls or [call() for _ in got]
    return check.judge(tuple(calls), tuple(map(Answer, got)), tuple(map(Answer, expected)))


def kind(check: Check, got: list[Any], expected: list[Any], calls: list[Call] | None = None) -> str:
    """Return the kind of a check's finding, or nothing where all is right."""
    found = finding(check, got, expected, calls)
    assert found is None or found.kind in KINDS
    return found.kind if found else ""


def alike(check: Check, got: list[Any], other: list[Any]) -> bool:
    """Whether diagnosis takes two submissions' values for the same."""
    return check.alike(tuple(map(Answer, got)), tuple(map(Answer, other)))


PROPERTIES = [
    checks.same_prefix(axis=0, upto=2),
    checks.agree(),
    checks.permuted(axis=0, order=(1, 0, 3, 2)),
    checks.stacked(),
    checks.sums_to_one(),
]
RIGHT = {
    checks.same_prefix: [X, np.concatenate([X[:2], X[2:] + 1])],
    checks.agree: [X, X, X],
    checks.permuted: [X, X[[1, 0, 3, 2]]],
    checks.stacked: [X, *X],
    checks.sums_to_one: [WEIGHTS],
}


# Value checks


def test_close_passes_the_references_values() -> None:
    """All calls right, also in single precision."""
    assert kind(checks.close(), [X, X + 1], [X, (X + 1).astype(np.float32)]) == ""


def test_close_names_the_call_at_fault() -> None:
    """The finding points at the first call that is wrong."""
    found = finding(checks.close(), [X, X + 1], [X, X])
    assert found is not None
    assert (found.kind, found.call, found.index) == ("values", 1, (0, 0))


@pytest.mark.parametrize(
    ("got", "said", "where"),
    [
        ((X, X, X), "", ""),
        ([X, X, X], "", ""),
        ((X, X + 1, X + 1), "values", "dK"),
        ((X, X, X.T), "shape", "dV"),
        ((X, X), "length", ""),
        (X, "container", ""),
        (None, "container", ""),
        ((X, None, X), "container", "dK"),
    ],
)
def test_close_with_names_says_which_part(got: Any, said: str, where: str) -> None:
    """The parts of a tuple are called what the text calls them."""
    found = finding(checks.close(names=("dQ", "dK", "dV")), [got], [(X, X, X)])
    assert (found.kind if found else "", found.where if found else "") == (said, where)


def test_close_with_names_lists_them_where_the_tuple_is_wrong() -> None:
    """Whoever returns too few parts reads which there are."""
    found = finding(checks.close(names=("h", "c")), [X], [(X, X)])
    assert found is not None
    said = "You returned a numpy array of shape (4, 3); a tuple of 2 values was expected: h, c."
    assert found.headline == said
    for got, more in ((X + 1, " Yours is the right `c` alone."), (X + 2, "")):
        found = finding(checks.close(names=("h", "c")), [got], [(X, X + 1)])
        assert found is not None
        assert found.headline == said + more


def test_close_may_ask_for_the_dtype() -> None:
    """Only where it says so; a known mistake in the dtype is not like the right answer."""
    half, check = X.astype(np.float16), checks.close(dtype=True)
    found = finding(check, [half.astype(np.float64)], [half])
    assert found is not None
    assert (found.kind, kind(check, [half], [half])) == ("dtype", "")
    assert found.headline == "The values are right, but their dtype is float64; float16 was expected."
    assert not check.alike((Answer(half.astype(np.float64), ()),), (Answer(half, ()),))


def test_close_of_one_part_leaves_the_others_to_other_cases() -> None:
    """`only` judges a single part, so that each gradient earns its own points."""
    check = checks.close(names=("dQ", "dK"), only="dK")
    assert kind(check, [(X + 1, X)], [(X, X)]) == ""
    assert kind(check, [(X, X + 1)], [(X, X)]) == "values"


def test_the_parts_that_are_right_are_named_beside_one_that_is_not() -> None:
    """A missing key of the third part says more than wrong numbers of the first."""
    check = checks.close(names=("dx", "db", "grads"))
    right = (np.ones(2), np.ones(1), {"W": np.ones(2), "b": np.ones(1)})
    for got, where, others in (
        ((np.zeros(2), *right[1:]), "dx", ("db", "grads")),
        ((np.zeros(2), np.ones(1), {"W": np.ones(2)}), "grads", ("db",)),
        ((np.zeros(2), np.zeros(1), {}), "grads", ()),
    ):
        found = check.judge((), (Answer(got, ()),), (Answer(right, ()),))
        assert found is not None
        assert (found.where, found.right) == (where, others)
    told = explain_finding(replace(found, right=("dx", "db")), Visibility.PUBLIC, (call(1),), "f", {"f": ("x",)})
    assert told.text.endswith("Right in this call: `dx`, `db`.")


def test_close_as_ids_wants_whole_numbers_of_any_size() -> None:
    """A fraction that happens to be whole is none."""
    check, right = checks.close_as_ids(), (Answer(np.array([1, 3]), ()),)
    for dtype, kind in ((np.int32, None), (np.uint8, None), (float, "dtype")):
        got = (Answer(np.array([1, 3], dtype), ()),)
        found = check.judge((), got, right)
        assert (found and found.kind) == kind
        assert check.alike(got, right) == (kind is None)
    found = check.judge((), (Answer(np.array([1.0, 2.0]), ()),), right)
    assert found is not None
    assert found.kind == "values"


def test_close_where_real_reads_no_padded_position() -> None:
    """Positions whose id is 0 may hold anything, also NaN; another shape is judged as it is."""
    ids = np.array([[1, 0, 2]])
    right = np.arange(6.0).reshape(1, 3, 2)
    padded, wrong = right.copy(), right.copy()
    padded[0, 1], wrong[0, 2] = np.nan, 7.0
    check = checks.close_where_real(argument=0)
    judged = {
        name: check.judge((call(ids),), (Answer(value),), (Answer(right),))
        for name, value in {"padded": padded, "wrong": wrong, "shape": right[:, :2]}.items()
    }
    assert judged["padded"] is None
    assert judged["wrong"] is not None
    assert judged["wrong"].index == (0, 2, 0)
    assert judged["shape"] is not None


def test_untouched_wants_the_value_too() -> None:
    """Doing nothing leaves the arguments alone, but is not the answer."""
    assert kind(checks.untouched(), [X + 1], [X]) == "values"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ((X, 1.0, None), (X, 1.0, None), ""),
        ((X,), (X + 1,), "mutated"),
        ((X,), (X.T,), "mutated"),
        ((NAN,), (NAN,), ""),
        ((math.nan,), (math.nan,), ""),
        ((X > 2,), (X > 2,), ""),
        ((np.array([1, 2]),), (np.array([1, 2]),), ""),
        (([X, X],), ([X, X],), ""),
        (([X, X],), ([X, X + 1],), "mutated"),
        (([1, 2],), ([1, 2, 3],), "mutated"),
        (((X, X),), ((X, X),), ""),
        (({"h": X},), ({"h": X},), ""),
        (({"h": X},), ({"h": X, "new": 1},), "mutated"),
        ((X, X), (X, X + 1), "mutated"),
        ((np.float64(1.5),), (np.float64(1.5),), ""),
        (("text",), ("text",), ""),
        ((Tensor(X),), (Tensor(X),), ""),
        ((Tensor(X),), (Tensor(X + 1),), "mutated"),
        ((X,), (), "mutated"),
        (("text",), (Tensor(X),), "mutated"),
        ((1,), (X,), "mutated"),
        ((X,), ("text",), "mutated"),
    ],
    ids=count(),
)
def test_untouched_compares_arguments_before_and_after(
    before: tuple[Any, ...], after: tuple[Any, ...], said: str
) -> None:
    """Arrays, and what nests them, have to be afterwards what they were."""
    got = Answer(X, after)
    found = checks.untouched().judge((call(*before),), (got,), (Answer(X, before),))
    assert (found.kind if found else "") == said


def test_untouched_knows_a_torch_argument() -> None:
    """A tensor the case drew is compared with the array that came back."""
    import torch

    tensor = torch.ones(2)
    check = checks.untouched()
    for after, said in ((np.ones(2), None), (np.zeros(2), "mutated")):
        found = check.judge((call(tensor),), (Answer(X, (Tensor(after),)),), (Answer(X),))
        assert (found.kind if found else None) == said


def test_left_alike_wants_the_value_and_what_the_reference_leaves_behind() -> None:
    """A wrong value is told first; then the complaint, where what is to be seen of an argument is not the reference's."""
    check, right = checks.left_alike(complaint="Put it back."), Answer(X, ([X, X],))
    changed = Answer(X, ([X, X + 1],))
    assert check.judge((call(),), (right,), (right,)) is None
    assert check.judge((call(),), (Answer(X + 1, ([X, X],)),), (right,)).kind == "values"
    found = check.judge((call(),), (changed,), (right,))
    assert (found.kind, found.headline, found.where) == ("mutated", "Put it back.", "")
    assert check.alike((changed,), (changed,))
    assert not check.alike((changed,), (right,))


def test_untouched_is_alike_where_values_and_arguments_are() -> None:
    """Two submissions made the same mistake only if they changed the same arguments."""
    check = checks.untouched()
    one, other = (Answer(X, (X + 1,)),), (Answer(X, (X + 2,)),)
    assert check.alike(one, one)
    assert not check.alike(one, other)
    assert check.alike((Answer(X),), (Answer(X),))


@pytest.mark.parametrize(
    ("got", "strict", "said"),
    [
        (X > 2, False, ""),
        ((X > 2).astype(float), False, ""),
        ((X > 2).astype(int), True, "dtype"),
        (X <= 2, False, "values"),
        ((X > 2) * 2, False, "dtype"),
        (X[:1] > 2, False, "shape"),
        ((X > 2).tolist(), False, "container"),
        (NAN, False, "dtype"),
        (None, False, "container"),
    ],
)
def test_boolean_takes_truth_values_of_any_dtype(got: Any, strict: bool, said: str) -> None:
    """Ones and zeros will do unless the dtype itself is the point."""
    assert kind(checks.boolean(strict=strict), [got], [X > 2]) == said


# Properties


@pytest.mark.parametrize("check", PROPERTIES, ids=lambda check: type(check).__name__)
def test_properties_hold_for_what_has_them(check: Check) -> None:
    """The reference itself passes, as float64 and as float32."""
    right = RIGHT[type(check)]
    assert kind(check, right, right) == ""
    assert kind(check, [a.astype(np.float32) for a in right], right) == ""
    assert alike(check, right, right)


@pytest.mark.parametrize("check", PROPERTIES, ids=lambda check: type(check).__name__)
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda a: a * math.nan, {"not_finite"}),
        (np.zeros_like, {"constant", "property"}),
        (lambda a: a[..., :1], {"shape"}),
        (lambda a: a[None], {"shape"}),
        (lambda _: None, {"container"}),
        (lambda a: a.tolist(), {"container"}),
        (Tensor, {"container"}),
        (lambda _: Opaque("generator"), {"container"}),
    ],
    ids=["nan", "constant", "narrower", "one_axis_more", "nothing", "list", "tensor", "generator"],
)
def test_properties_need_more_than_their_name(check: Check, spoil: Any, said: set[str]) -> None:
    """A constant, a NaN or a wrong shape satisfies many an equation; none passes."""
    right = RIGHT[type(check)]
    assert kind(check, [spoil(a) for a in right], right) in said


@pytest.mark.parametrize(
    ("check", "got", "words"),
    [
        (checks.same_prefix(axis=0, upto=2), [X, X + 1], "from position 2 on changed an output before it"),
        (checks.agree(), [X, X, X + 1], "should give the same output"),
        (checks.permuted(axis=0, order=(1, 0, 3, 2)), [X, X], "did not reorder the output"),
        (checks.stacked(), [X, *X[::-1]], "another result than its rows"),
        (checks.sums_to_one(), [X], "do not sum to 1 along axis -1"),
        (checks.sums_to_one(axis=0), [WEIGHTS], "do not sum to 1 along axis 0"),
        (checks.sums_to_one(), [np.stack([1 + X[:, 0], -X[:, 0]], -1)], "negative"),
    ],
    ids=["leak", "disagree", "not_permuted", "not_stacked", "no_distribution", "other_axis", "negative"],
)
def test_properties_name_what_does_not_hold(check: Check, got: list[np.ndarray], words: str) -> None:
    """The sentence is about the property, and the finding is of that kind."""
    found = finding(check, got, got)
    assert found is not None
    assert found.kind == "property"
    assert words in found.headline


def test_a_prefix_that_never_changes_is_suspicious() -> None:
    """Causality is shown by outputs that do react, later."""
    assert kind(checks.same_prefix(axis=0, upto=2), [X, X], [X, X]) == "constant"


def test_the_sum_that_is_shown_is_one_that_is_wrong() -> None:
    """A row that does sum to one is no example of one that does not."""
    weights = WEIGHTS.copy()
    weights[2] *= 1.5
    found = finding(checks.sums_to_one(), [weights], [WEIGHTS])
    assert found is not None
    assert "sum to 1.5" in found.headline


def test_one_distribution_alone_is_summed_too() -> None:
    """Without other axes the sum is a single number."""
    assert kind(checks.sums_to_one(), [WEIGHTS[0]], [WEIGHTS[0]]) == ""
    assert kind(checks.sums_to_one(), [X[0]], [X[0]]) == "property"


@pytest.mark.parametrize("check", [checks.agree(), checks.permuted(axis=0, order=(1, 0)), checks.stacked()])
def test_properties_of_masks(check: Check) -> None:
    """Boolean outputs can be compared, and a mask that is the same everywhere is constant."""
    mask = np.array([[True, False, True], [False, True, True]])
    got = {checks.agree: [mask, mask], checks.permuted: [mask, mask[[1, 0]]], checks.stacked: [mask, *mask]}[
        type(check)
    ]
    assert kind(check, got, got) == ""
    constant = [np.ones_like(a) for a in got]
    assert kind(check, constant, got) == "constant"


def test_minus_infinity_is_a_value_where_the_reference_has_it() -> None:
    """Masked scores hold it on purpose."""
    scores = np.array([[1.0, -math.inf], [2.0, 3.0]])
    assert kind(checks.agree(), [scores, scores], [scores, scores]) == ""


def test_a_constant_with_noise_is_a_constant() -> None:
    """Equal weights that differ in the last bit are still equal weights."""
    noisy = np.full_like(WEIGHTS, 1 / 3) + np.random.default_rng(0).normal(size=WEIGHTS.shape) * 1e-9
    assert kind(checks.sums_to_one(), [noisy], [WEIGHTS]) == "constant"


# A quiz

KEY = {"first": "b", "second": "c"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"first": "a", "second": "a"}, ""),
        ({"first": " B ", "second": "C"}, ""),
        ({"first": "", "second": "c"}, "unanswered"),
        ({"first": "b"}, "unanswered"),
        ({"first": "b", "second": "e"}, "unanswered"),
        ({"first": "b", "second": 3}, "unanswered"),
        ({"first": "b", "second": None}, "unanswered"),
        (None, "container"),
        (["b", "c"], "container"),
    ],
)
def test_answered_wants_a_letter_for_every_question(value: Any, said: str) -> None:
    """Right or wrong is not its business."""
    assert kind(checks.answered(("a", "b", "c")), [value], [KEY]) == said


def test_an_answer_that_is_no_letter_is_told_apart_from_none() -> None:
    """Whoever has answered is not told that they have not."""
    found = finding(checks.answered(("a", "b", "c")), [{"first": "e", "second": ""}], [KEY])
    assert found is not None
    assert found.headline == (
        "No answer yet to second. Write one of a, b, c for each. first: 'e' is not one of a, b, c."
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"first": "b"}, ""),
        ({"first": " B "}, ""),
        ({"first": "a"}, "wrong_choice"),
        ({"first": ""}, "unanswered"),
        ({}, "unanswered"),
        (None, "unanswered"),
        ({"first": 3}, "wrong_choice"),
        ({"first": Opaque("set")}, "wrong_choice"),
    ],
)
def test_choice_judges_one_question(value: Any, said: str) -> None:
    """Other questions do not matter."""
    assert kind(checks.choice("first"), [value], [KEY]) == said


def test_a_quiz_gives_the_answer_away_in_no_finding() -> None:
    """Neither headline nor data of a finding holds the right letter."""
    found = finding(checks.choice("first"), [{"first": "a"}], [KEY])
    assert found is not None
    assert found.expected is None
    assert "b" not in found.headline.split()


def test_quizzes_are_alike_by_their_letters() -> None:
    """A misconception of a quiz is a letter."""
    check = checks.choice("first")
    assert alike(check, [{"first": "A"}], [{"first": "a", "second": "x"}])
    assert not alike(check, [{"first": "a"}], [{"first": "b"}])
    assert alike(checks.answered(("a", "b", "c")), [{"first": "a", "second": "a"}], [KEY])
    assert not alike(checks.answered(("a", "b", "c")), [{"first": "a", "second": "a"}], [None])


# What must hold for all of them

EVERY = [
    *PROPERTIES,
    checks.close(),
    checks.close(names=("a", "b")),
    checks.untouched(),
    checks.left_alike(complaint="Put it back."),
    checks.boolean(),
    checks.boolean(strict=True),
]
ODD = (
    st.none() | st.booleans() | st.integers(-(2**64) + 1, 2**64 - 1) | st.floats() | st.text(max_size=3)
    | st.builds(Opaque, st.text(max_size=3))
    | hnp.arrays(st.sampled_from(["f4", "f8", "i8", "?"]), st.sampled_from([(), (4, 3), (3,), (0, 3), (1, 1)]))
    | hnp.arrays("f8", (4, 3)).map(Tensor)
    | st.lists(st.integers(0, 2), max_size=3)
    | st.dictionaries(st.text(max_size=1), st.integers(), max_size=2)
)  # fmt: skip


@pytest.mark.parametrize("check", EVERY, ids=lambda check: type(check).__name__)
@given(odd=ODD)
def test_whatever_comes_back_is_judged(check: Check, odd: Any) -> None:
    """No returned value makes a check fail itself; NaN passes nowhere."""
    right = RIGHT.get(type(check), [X > 2] if isinstance(check, checks.boolean) else [X])
    found = finding(check, [odd] * len(right), right)
    if isinstance(odd, np.ndarray) and odd.dtype.kind == "f" and not np.isfinite(odd).all():
        assert found is not None
    assert found is None or found.kind in KINDS


@pytest.mark.parametrize("check", EVERY, ids=lambda check: type(check).__name__)
@given(one=ODD, other=ODD)
def test_alike_never_fails(check: Check, one: Any, other: Any) -> None:
    """Any two submissions can be compared, and each is alike to itself."""
    assert isinstance(alike(check, [one], [other]), bool)
    assert alike(check, [one], [one])
