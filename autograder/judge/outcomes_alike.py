"""Compare two sets of outcomes of one trial: a student's, and what the reference gives with a known mistake in it.

The same mistake may overflow in one implementation and not in another, and libraries word the same error differently.
So there are two comparisons: equal outcomes (`same_outcomes`), and outcomes without a contradiction (`likeness`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum, auto
from typing import Any

import numpy as np

from autograder.course.spec import Answer
from autograder.judge.compare import alike
from autograder.judge.crash_kinds import of_one_family
from autograder.judge.crash_reasons import kind_of_crash
from autograder.judge.tolerance import TOLERANCE
from autograder.judge.trials import Facts, Trial
from autograder.sandbox.child.tree import Tensor, leaves
from autograder.sandbox.job import Ending, Frame, Outcome, Trouble

# What a check raises where it meets a value that it was not written for; such a value is neither right nor alike.
UNCOMPARABLE = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
_ABOUT_SHAPES = re.compile(
    r"shape|size|dimension|broadcast|aligned|mismatch|subscripts?\b|out of bounds|out of range|axis"
)
MATRIX, PAIR = 2, 2  # axes of a matrix; operands of a product
_OVERFLOWS = frozenset({"OverflowError", "ZeroDivisionError", "FloatingPointError"})


class Likeness(Enum):
    """What a trial says about an explanation: it supports it, allows it, or contradicts it."""

    EVIDENCE = auto()
    PLACES = auto()  # supports it unless another trial is vague: no wrong number is finite, and the same ones are not
    COMPATIBLE = auto()
    VAGUE = (
        auto()
    )  # allows it, since the student's numbers are not finite where the explanation's are, or the other way round
    NONE = auto()


def answers_of(outcomes: tuple[Outcome, ...]) -> tuple[Answer, ...]:
    """Return the answers in the form that checks take."""
    return tuple(Answer(outcome.value, outcome.args) for outcome in outcomes)


def same_outcomes(trial: Trial, got: tuple[Outcome, ...], other: tuple[Outcome, ...]) -> bool:
    """Whether two sets of outcomes of one trial are alike: the same values, or the same exceptions."""
    pairs = list(zip(got, other, strict=True))
    for place, (mine, theirs) in enumerate(pairs):
        if mine.ending is not theirs.ending:
            return False
        if mine.ending is not Ending.RETURNED:
            alike = mine.trouble and theirs.trouble and _same_trouble(mine.trouble, theirs.trouble)
            return bool(alike) and not any(itertools.starmap(_differ_in_a_kind, pairs[place + 1 :]))
    try:
        return trial.case.check.alike(answers_of(got), answers_of(other))
    except UNCOMPARABLE:
        return False


def agrees(oracle: Facts, names: tuple[str, ...], trial: Trial, got: tuple[Outcome, ...]) -> bool:
    """Whether a student's outcomes of one trial are those of the reference with these misconceptions."""
    variant = oracle.answers(names, trial)
    return variant is not None and same_outcomes(trial, got, variant)


def likeness(
    trial: Trial, got: tuple[Outcome, ...], other: tuple[Outcome, ...], expected: tuple[Outcome, ...]
) -> Likeness:
    """Return how alike two sets of outcomes are, without entries that are not finite and without the wording of errors.

    Only a wrong number that both have is evidence, or an overflow told as an error, or, in want of a wrong number, the same
    places that are not finite. Where the explanation has no number, it explains none.
    """
    if same_outcomes(trial, got, other):
        if any(outcome.ending is not Ending.RETURNED for outcome in got):
            return Likeness.COMPATIBLE
        return Likeness.EVIDENCE if has_finite_wrong(trial, got, expected) else Likeness.PLACES
    pairs, same_places = [], True
    for mine, theirs in zip(got, other, strict=True):
        if _overflows(mine) and _overflows(theirs) and not mine.ending is theirs.ending is Ending.RETURNED:
            return Likeness.EVIDENCE
        if mine.ending is not theirs.ending:
            return Likeness.NONE
        if mine.ending is not Ending.RETURNED:
            alike = mine.trouble and theirs.trouble and _similar_trouble(mine.trouble, theirs.trouble)
            return Likeness.COMPATIBLE if alike else Likeness.NONE
        pairs.append(_finite_parts(mine.value, theirs.value))
        same_places &= _finite_places(mine.value) == _finite_places(theirs.value)
    mine_finite = tuple(replace(o, value=one) for o, (one, _) in zip(got, pairs, strict=True))
    theirs_finite = tuple(replace(o, value=two) for o, (_, two) in zip(other, pairs, strict=True))
    if not same_outcomes(trial, mine_finite, theirs_finite):
        return Likeness.NONE
    mine_told, right_told = _told_by(got, other), _told_by(expected, other)
    if has_finite_wrong(trial, mine_told, right_told):
        return Likeness.EVIDENCE
    return Likeness.PLACES if same_places else Likeness.VAGUE


def _told_by(outcomes: tuple[Outcome, ...], other: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """Return outcomes with zeros wherever the numbers of an explanation are not finite: of these it says nothing."""
    return tuple(replace(o, value=_where_finite(o.value, t.value)) for o, t in zip(outcomes, other, strict=True))


def has_finite_wrong(trial: Trial, got: tuple[Outcome, ...], expected: tuple[Outcome, ...]) -> bool:
    """Whether something else than NaN and infinity is wrong: a number, a shape, a container."""
    ended = next((outcome for outcome in got if outcome.ending is not Ending.RETURNED), None)
    if ended:
        return not _overflows(ended)
    parts = [_finite_parts(mine.value, theirs.value) for mine, theirs in zip(got, expected, strict=True)]
    mine_finite = tuple(replace(o, value=one) for o, (one, _) in zip(got, parts, strict=True))
    theirs_finite = tuple(replace(o, value=two) for o, (_, two) in zip(expected, parts, strict=True))
    return not same_outcomes(trial, mine_finite, theirs_finite)


def _finite_places(value: Any) -> list[bytes]:
    return [np.isfinite(array).tobytes() for array in _fractions_in(value)]


def is_all_overflow(outcomes: Iterable[Outcome]) -> bool:
    """Whether calls returned fractions none of which is finite, so that they support no explanation."""
    fractions = False
    for array in (array for outcome in outcomes for array in _fractions_in(outcome.value) if array.size):
        if np.isfinite(array).any():  # a hostile answer may hold thousands more
            return False
        fractions = True
    return fractions


def is_mere_crash(outcome: Outcome) -> bool:
    """Whether a call ended without a value, by an exception other than an overflow."""
    return outcome.ending is not Ending.RETURNED and not _overflows(outcome)


def _same_trouble(mine: Trouble, theirs: Trouble) -> bool:
    alike = (mine.type_name, mine.text) == (theirs.type_name, theirs.text)
    return alike and of_one_family(kind_of_crash(mine), kind_of_crash(theirs)) and _same_place(mine, theirs)


def _differ_in_a_kind(mine: Outcome, theirs: Outcome) -> bool:
    """Whether two calls after a crash raise exceptions of one kind that are not the same: then other arrays met."""
    if not (mine.ending is theirs.ending is Ending.RAISED and mine.trouble and theirs.trouble):
        return False
    kind = kind_of_crash(mine.trouble)
    return bool(kind) and kind == kind_of_crash(theirs.trouble) and not _same_trouble(mine.trouble, theirs.trouble)


def _similar_trouble(mine: Trouble, theirs: Trouble) -> bool:
    alike = mine.type_name == theirs.type_name or all(_ABOUT_SHAPES.search(t.text) for t in (mine, theirs))
    return alike and of_one_family(kind_of_crash(mine), kind_of_crash(theirs)) and _same_place(mine, theirs)


def _same_place(mine: Trouble, theirs: Trouble) -> bool:
    """Whether two exceptions came out of the same parts of an object: one in its cross-attention is none in its self-attention.

    Nor are a product of other matrices, and other arrays that do not broadcast, the same, though of both is told only that 1 is not 2. Lines cannot be compared, as
    two hands write them; what is unknown of one of them does not tell them apart.
    """
    met = [arrays_that_met(trouble) for trouble in (mine, theirs)]
    if all(met) and met[0] != met[1]:
        return False
    called = [{f.function: part for f in trouble.frames if (part := part_called(f))} for trouble in (mine, theirs)]
    return all(called[0][function] == called[1][function] for function in called[0].keys() & called[1].keys())


def values_alike(one: object, other: object, tolerance: float = TOLERANCE) -> bool:
    """Whether there is no difference between two values, whatever they are."""
    try:
        return alike(one, other, tolerance)
    except UNCOMPARABLE:
        return False


def arrays_that_met(trouble: Trouble) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of two arrays that did not go together; nothing where these are not known.

    Of a product of matrices they are without axes in front, else in any order, and without axes of length one there.
    """
    arrays, kind = [part.shape for part in trouble.parts if part.is_array], kind_of_crash(trouble)
    if not len(arrays) == len(trouble.parts) == PAIR:
        return ()
    if kind == "matrices_do_not_meet":
        return tuple(shape[-MATRIX:] for shape in arrays)
    bare = (tuple(itertools.dropwhile(lambda size: size == 1, shape)) for shape in arrays)
    return tuple(sorted(bare)) if kind == "shapes_do_not_meet" else ()


def part_called(frame: Frame) -> str:
    """Return the part of the object, `self.part`, that a line called, or nothing where it called something else."""
    found = re.match(r"self\.\w+", frame.calls)
    return found[0] if found else ""


def _overflows(outcome: Outcome) -> bool:
    """Whether a call ended in a number that is not finite, or in the exception that stands for one."""
    if outcome.ending is Ending.RETURNED:
        return any(not np.isfinite(array).all() for array in _fractions_in(outcome.value))
    trouble = outcome.trouble
    return bool(trouble and trouble.type_name in _OVERFLOWS and not trouble.text.startswith("underflow"))


def _fractions_in(tree: Any) -> Iterator[np.ndarray]:
    """Yield every array and number of a tree that holds fractions."""
    yield from (array for leaf in leaves(tree) if (array := _floats(leaf)) is not None)


def _finite_parts(mine: Any, theirs: Any) -> tuple[Any, Any]:
    """Return both values with zeros wherever one of them is not finite."""
    return _where_finite(mine, mine, theirs), _where_finite(theirs, mine, theirs)


def _where_finite(value: Any, *others: Any) -> Any:
    """Return a value with zeros wherever one of others, of the same form, is not finite."""
    if isinstance(value, tuple | list) and all(isinstance(o, tuple | list) and len(o) == len(value) for o in others):
        return type(value)(_where_finite(*parts) for parts in zip(value, *others, strict=True))
    if isinstance(value, dict) and all(isinstance(o, dict) and o.keys() == value.keys() for o in others):
        return {key: _where_finite(part, *(o[key] for o in others)) for key, part in value.items()}
    arrays = [_floats(part) for part in (value, *others)]
    found = [
        array for array in arrays if array is not None and arrays[0] is not None and array.shape == arrays[0].shape
    ]
    if len(found) < len(arrays):
        return value
    return _like(value, np.where(np.all([np.isfinite(array) for array in found[1:]], axis=0), found[0], 0))


def _floats(value: Any) -> np.ndarray | None:
    array = value.array if isinstance(value, Tensor) else value
    if not isinstance(array, np.ndarray | float):
        return None
    array = np.asarray(array)
    return array if array.dtype.kind == "f" else None


def _like(value: Any, array: np.ndarray) -> Any:
    """Return an array in the same type as a value: Tensor, array or number."""
    if isinstance(value, Tensor):
        return Tensor(array.astype(value.array.dtype))
    return array if isinstance(value, np.ndarray) else float(array)
