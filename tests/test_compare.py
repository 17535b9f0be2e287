"""One value against the expected one: strict about structure, tolerant about float noise, and said in a sentence."""

from __future__ import annotations

import math
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.judge.compare import difference
from autograder.judge.messages import KINDS
from autograder.judge.tolerance import TOLERANCE, deviation
from autograder.sandbox.child.tree import Opaque, Tensor

NEWLINES = "\n" * 50
A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
NAN, INF = math.nan, math.inf

ARRAYS = hnp.arrays(
    st.sampled_from(["f4", "f8", "i8", "?"]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    elements={"allow_nan": True, "allow_infinity": True},
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**64) + 1, 2**64 - 1) | st.floats() | st.text(max_size=5)
    | ARRAYS | ARRAYS.map(Tensor) | st.builds(Opaque, st.text(max_size=5))
    | st.sampled_from([np.float32(1.5), np.int8(3), np.bool_(1)]),
    lambda inner: st.lists(inner, max_size=3)
    | st.lists(inner, max_size=3).map(tuple)
    | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def kind(got: Any, expected: Any) -> str:
    """Return the kind of the difference, or nothing where there is none."""
    finding = difference(got, expected)
    return finding.kind if finding else ""


def headline(got: Any, expected: Any) -> str:
    """Return what a student reads of the difference."""
    finding = difference(got, expected)
    assert finding is not None
    return finding.headline


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (A, A),
        (A.astype(np.float32), A),
        (A.astype(int), A),
        (A + 1e-5, A),
        (A * (1 + 1e-6), A),
        (Tensor(A), Tensor(A.astype(np.float32))),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (np.float64(3), np.array(3.0)),
        (3.0, np.array(3.0)),
        (np.array(3.0), 3.0),
        (Tensor(np.array(3.0)), 3.0),
        (np.float32(3), 3),
        (3, np.float32(3)),
        (3, np.int64(3)),
        (np.int64(3), np.int64(3)),
        (np.bool_(1), True),
        (True, np.bool_(1)),
        (np.array(True), True),
        ([A, 1], (A, 1)),
        ((), []),
        ({"a": A, 2: "x"}, {2: "x", "a": A}),
        ("text", "text"),
        (None, None),
        (np.array([NAN, INF, 1.0]), np.array([NAN, INF, 1.0])),
        (NAN, NAN),
    ],
    ids=count(),
)
def test_right_values_pass(got: Any, expected: Any) -> None:
    """Float noise, single precision, whole numbers for floats and Python for numpy numbers make no difference."""
    assert difference(got, expected) is None


@pytest.mark.parametrize(
    ("got", "expected", "said"),
    [
        (A.T, A, "shape"),
        (A[:1], A, "shape"),
        (A[None], A, "shape"),
        (np.array(1.0), A, "shape"),
        (A[:, :1], A[:, 0], "shape"),
        (np.float64(1), A, "shape"),
        (A.tolist(), A, "container"),
        (Tensor(A), A, "container"),
        (A, Tensor(A), "container"),
        (None, A, "container"),
        (3.0, A, "container"),
        (Opaque("generator"), A, "container"),
        (Opaque(""), A, "container"),
        (A, (A, A), "container"),
        ((A,), (A, A), "length"),
        ((A, A, A), (A, A), "length"),
        ((A,), A, "container"),
        (A, {"a": A}, "container"),
        ({"a": A, "b": A}, {"a": A}, "keys"),
        ({}, {"a": A}, "keys"),
        (A, 3.0, "shape"),
        (A > 2, 3.0, "container"),
        (True, 1, "container"),
        (1, True, "container"),
        ("3", 3, "container"),
        (None, "text", "container"),
        (A + 1, A, "values"),
        (A * 1.001, A, "values"),
        (3.001, 3.0, "values"),
        (False, True, "values"),
        ("texts", "text", "values"),
        ((A, A + 1), (A, A), "values"),
        ({"a": A + 1}, {"a": A}, "values"),
        (A * NAN, A, "not_finite"),
        (np.where(A == 6, INF, A), A, "not_finite"),
        (NAN, 3.0, "not_finite"),
        (INF, 3, "not_finite"),
        (A, np.where(A == 6, NAN, A), "values"),
        (np.array([-INF]), np.array([INF]), "values"),
        (A > 2, A > 3, "values"),
        ((A > 2).astype(int), A > 2, "dtype"),
        ((A > 2).astype(float), A > 2, "dtype"),
        (Tensor(A), Tensor(A.astype(int)), "dtype"),
        (Tensor(A + 1), Tensor(A.astype(int)), "values"),
    ],
    ids=count(),
)
def test_wrong_values_are_wrong_in_their_own_way(got: Any, expected: Any, said: str) -> None:
    """Each kind of difference has its own word, which is all that a hidden case may say."""
    assert kind(got, expected) == said
    assert said in KINDS


@pytest.mark.parametrize(
    "got", [np.ones((1, 3)), np.ones((3, 1)), np.ones(3), np.ones((1, 1)), np.ones((1, 2, 3)), np.array(1.0)]
)
def test_a_shape_that_would_broadcast_is_wrong(got: np.ndarray) -> None:
    """Equal values in a shape that numpy would stretch do not pass."""
    assert kind(got, np.ones((2, 3))) == "shape"


def test_whole_numbers_are_exact() -> None:
    """Off by one is wrong, however large the number, or the largest number beside it."""
    ids = np.array([3, 50_000])
    assert kind(ids + np.array([1, 0]), ids) == "values"
    assert kind(50_001, 50_000) == "values"
    assert kind(ids.astype(np.float32), ids) == ""
    assert "50001" in headline(50_001, 50_000)


def test_small_entries_count_beside_large_ones_as_the_tolerance_says() -> None:
    """The scale is that of the whole array, as float noise is."""
    expected = np.array([1e-6, 1.0])
    assert kind(np.array([0.0, 1.0]), expected) == ""
    assert kind(np.array([0.01, 1.0]), expected) == "values"


def test_where_zeros_are_expected_the_difference_itself_counts() -> None:
    """There is no scale to divide by."""
    assert kind(np.full(3, 1e-5), np.zeros(3)) == ""
    assert kind(np.full(3, 1e-3), np.zeros(3)) == "values"


def test_the_first_difference_is_named() -> None:
    """The place is that of the first wrong entry in reading order, with both numbers."""
    got = A.copy()
    got[0, 2] = got[1, 1] = 9.0
    finding = difference((A, got), (A, A))
    assert finding is not None
    assert (finding.where, finding.index) == ("[1]", (0, 2))
    assert finding.headline == "2 of 6 values differ, the first at [0, 2]: 9 instead of 3."


def test_a_nan_that_is_expected_is_not_the_first_difference() -> None:
    """Where both are NaN they agree, and the place that is named is another."""
    finding = difference(np.array([NAN, 1.0]), np.array([NAN, 2.0]))
    assert finding is not None
    assert finding.index == (1,)


@pytest.mark.parametrize(
    ("got", "expected", "said"),
    [
        (None, A, "You returned None (is a `return` missing?); a numpy array of shape (2, 3) was expected."),
        (A.T, A, "The shape is (3, 2); (2, 3) was expected."),
        (A.tolist(), A, "You returned a list of 2; a numpy array of shape (2, 3) was expected."),
        (A, Tensor(A), "You returned a numpy array of shape (2, 3); a torch tensor of shape (2, 3) was expected."),
        (Opaque("generator"), A, "You returned a generator; a numpy array of shape (2, 3) was expected."),
        (Opaque("Iterator"), A, "You returned an Iterator; a numpy array of shape (2, 3) was expected."),
        (3, A, "You returned a whole number; a numpy array of shape (2, 3) was expected."),
        ((A, A), (A,), "You returned a tuple of 2; a tuple of 1 value was expected."),
        ([3], [3, 4], "You returned a list of 1; a list of 2 values was expected. It begins right and ends too early."),
        (
            [3, 4, 2],
            [3, 4],
            "You returned a list of 3; a list of 2 values was expected. It begins right and goes on too long.",
        ),
        (
            [1, 3, 4],
            [3, 4],
            "You returned a list of 3; a list of 2 values was expected. What was expected stands at its end, behind 1 more.",
        ),
        (
            [1, 3, 4, 2, 0],
            [3, 4],
            "You returned a list of 5; a list of 2 values was expected. What was expected stands in it, between 1 and 2 more.",
        ),
        ([3, 5, 4], [3, 4], "You returned a list of 3; a list of 2 values was expected."),
        ([4], [3, 4], "You returned a list of 1; a list of 2 values was expected."),
        ([], [3, 4], "You returned a list of 0; a list of 2 values was expected."),
        ([1, 3], [3], "You returned a list of 2; a list of 1 value was expected."),
        (A, [A, A], "You returned a numpy array of shape (2, 3); a list of 2 values was expected."),
        (A, (), "You returned a numpy array of shape (2, 3); a tuple of 0 values was expected."),
        (A, 2.0, "You returned a numpy array of shape (2, 3); a single number was expected."),
        (2.5, 2.0, "You returned 2.5; 2 was expected."),
        ("a", "b", "You returned 'a'; 'b' was expected."),
        (A > 9, A > 3, "3 of 6 values differ, the first at [1, 0]: False instead of True."),
        ((A > 9) * 1, A > 3, "The dtype is int64; a mask is boolean here (dtype bool)."),
        (
            Tensor(A),
            Tensor(A.astype(int)),
            "The values are right, but their dtype is float64; ids are whole numbers (int64).",
        ),
        (A * NAN, A, "6 of 6 values are NaN or infinite, the first at [0, 0]."),
        (np.array(NAN), np.array(1.0), "The value is NaN or infinite."),
        (np.array([2.0]), np.array([1.0]), "The only value differs: 2 instead of 1."),
        ({"b": 1}, {"a": 1}, "Your dict lacks 'a' and has 'b' too many."),
        (Opaque("dict"), {"a": 1}, "Your dict has keys that are neither strings nor whole numbers."),
        ("x" * 90 + "y", "x" * 90 + "z", "From character 90 on it is 'y'; 'z' was expected."),
        ("\n" * 60, "x", f"From character 0 on it is {NEWLINES!r} ...; 'x' was expected."),
    ],
    ids=count(),
)
def test_what_a_student_reads(got: Any, expected: Any, said: str) -> None:
    """One sentence says what was returned and what should have been."""
    assert headline(got, expected) == said


@given(VALUES)
def test_everything_equals_itself(value: Any) -> None:
    """No value differs from itself, whatever it is made of."""
    assert difference(value, value) is None


@given(VALUES, VALUES)
def test_any_pair_is_judged(got: Any, expected: Any) -> None:
    """Whatever came back, the answer is None or a finding of a known kind that says something."""
    finding = difference(got, expected)
    if finding is not None:
        assert finding.kind in KINDS
        assert finding.headline.endswith(".")
        assert "\n" not in finding.headline or "\n" in repr(got)


@given(VALUES, VALUES)
def test_difference_of_structure_is_symmetric(one: Any, other: Any) -> None:
    """A wrong container or shape is wrong in both directions."""
    first, second = kind(one, other), kind(other, one)
    assert (first == "shape") == (second == "shape") or "container" in (first, second)
    if not first and not isinstance(one, np.ndarray | Tensor | list | tuple | dict):
        assert second in ("", "values", "not_finite")


FINITE = hnp.arrays(
    "f8",
    hnp.array_shapes(max_dims=3, max_side=4),
    elements=st.just(0.0) | st.floats(1e-9, 1e6) | st.floats(-1e6, -1e-9),
)


@given(FINITE, st.integers(0, 2**32 - 1))
def test_noise_far_below_the_tolerance_passes(expected: np.ndarray, seed: int) -> None:
    """Rounding to single precision, and errors of its size, are no mistake."""
    noise = np.random.default_rng(seed).uniform(-1, 1, expected.shape) * 1e-6 * np.abs(expected).max()
    assert difference((expected + noise).astype(np.float32), expected) is None


@given(FINITE, st.data())
def test_one_wrong_entry_is_found(expected: np.ndarray, data: st.DataObject) -> None:
    """A single entry that is off by more than the tolerance is named with its place."""
    index = data.draw(st.tuples(*(st.integers(0, size - 1) for size in expected.shape)))
    scale = float(np.abs(expected).max()) or 1.0
    got = expected.copy()
    got[index] += 2 * TOLERANCE * scale
    assume(deviation(got, expected) > TOLERANCE)
    finding = difference(got, expected)
    assert finding is not None
    assert (finding.kind, finding.index) == ("values", index)


@given(ARRAYS, ARRAYS)
def test_nan_never_passes_unless_expected(got: np.ndarray, expected: np.ndarray) -> None:
    """If there is no difference, both are NaN or infinite in the same places."""
    if difference(got, expected) is None:
        assert np.array_equal(np.isfinite(got), np.isfinite(expected))


@pytest.mark.parametrize("huge", [1e308, np.array([1e308, 1.0])])
def test_numbers_near_the_end_of_the_range_overflow_quietly(huge: Any) -> None:
    """A difference that overflows is a difference, not a warning."""
    assert kind(-huge, huge) == "values"
    assert kind(huge, huge * 1e-300) == "values"


def test_what_holds_values_is_told_before_values_that_differ() -> None:
    """A tuple whose second part is missing is told so, and not that its first part has other numbers."""
    expected = (np.ones(2), {"W": np.ones(2), "b": np.ones(1)}, 2.0)
    found = difference((np.zeros(2), {"W": np.zeros(2)}, 2.0), expected)
    assert found is not None
    assert (found.kind, found.headline) == ("keys", "Your dict lacks 'b'.")
    found = difference((np.zeros(2), {"W": np.ones(2), "b": np.ones(1)}, 3.0), expected)
    assert found is not None
    assert (found.kind, found.where) == ("values", "[0]")


def test_a_tensor_in_place_of_a_truth_value_is_called_a_tensor() -> None:
    """A single one counts as the truth value that it holds."""
    found = difference(Tensor(np.zeros((1, 3), bool)), expected=True)
    assert found is not None
    assert found.headline == "You returned a torch tensor of shape (1, 3); True was expected."
    assert difference(Tensor(np.array(True)), expected=True) is None
