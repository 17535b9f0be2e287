"""Find out whether a student's helper was written to make the code that calls it look right.

A helper can be wrong on purpose: it gives answers on which everything that is built on it comes to the same. A helper that
answers as the reference does with known mistakes in it was not written for that. Nor was one whose answers are near the right ones
but for their size: code that is right on top of those does the work itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.judge.compare import alike
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.tolerance import TOLERANCE
from autograder.oracle.calls_here import RANDOM, run_request
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay
from autograder.oracle.scrambled import as_called, scrambled
from autograder.oracle.step_limit import StopError, limited_steps
from autograder.oracle.student_calls import Question, StudentCall, asked_by, digest_of
from autograder.sandbox.child.tree import Tensor, array_of, as_arrays, leaves
from autograder.sandbox.job import Ending, Outcome, Request

LEAST, MOST = 1 / 3, 3  # times the right answer, of one that is near it
FEW = 8  # questions of one trial; a helper that is called at each step reads the same at all of them
OFF = 0.3  # how far it may be from that multiple, as a share of its length


def answered_in_earnest(
    oracle: Reference, replay: Replay, questions: Sequence[Question], mistakes: Collection[str]
) -> bool:
    """Whether the student's answers to all questions are near the right ones, or all those of known mistakes, scrambled alike."""
    names, scrambling = tuple(sorted(mistakes)), tuple(sorted(replay.scrambled))
    if all(_near(replay.known(q), _answer(oracle, (), q, scrambling)) for q in questions):
        return True
    return bool(names) and all(_alike(replay.known(q), _answer(oracle, names, q, scrambling)) for q in questions)


def reads_less(oracle: Reference, questions: Sequence[Question], named: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether known mistakes, `named` by exercise, keep the answer to some question from an array that it is given and that the right answer depends on.

    What such a helper does not read, who calls it may leave out, and nothing shows. The mistake may be in what the asked one calls.
    """
    few = questions[:FEW]
    return any(_leaves_out(oracle, names, question) for question in few for names in named.values() if names)


def _leaves_out(oracle: Reference, names: tuple[str, ...], question: Question) -> bool:
    def found() -> bool:
        call = asked_by(question)
        given: list[tuple[int | str, Any]] = [*enumerate(call.args), *call.kwargs.items()]
        places = [place for place, value in given if (array := array_of(value)) is not None and array.size > 1]
        changed = [_with_other(call, place) for place in places]
        requests = [replace(each.request(0), keep_args=False) for each in (call, *changed)]
        wrong, right = ([_ran(oracle, each, request) for request in requests] for each in (names, ()))
        if wrong[0] is None or right[0] is None:
            return False
        pairs = zip(wrong[1:], right[1:], strict=True)
        return any(r is not None and _alike(wrong[0], w) and not _alike(right[0], r) for w, r in pairs)

    return oracle.kept(("reads less", names, *digest_of(question)), found)


def _with_other(call: StudentCall, place: int | str) -> StudentCall:
    """Return a call with the entries of one argument in another order, and truth values turned round."""

    def other(value: Any) -> Any:
        array = np.asarray(array_of(value))
        new = ~array if array.dtype == np.bool_ else array.reshape(-1)[::-1].reshape(array.shape).copy()
        return Tensor(new) if isinstance(value, Tensor) else new

    args = tuple(other(arg) if number == place else arg for number, arg in enumerate(call.args))
    return replace(call, args=args, kwargs={k: other(arg) if k == place else arg for k, arg in call.kwargs.items()})


def _ran(oracle: Reference, mistakes: tuple[str, ...], request: Request) -> Outcome | None:
    """Return what the reference with mistakes in it gives; nothing where they cannot be combined, or it does not end."""
    program = oracle.variant(*mistakes)
    if program is None:
        return None
    try:
        with RANDOM, limited_steps():
            return run_request(program, request, first=True)
    except StopError:
        return None


def _near(mine: Outcome, right: Outcome | None) -> bool:
    """Whether each array of an answer is near a multiple of the right one."""
    if right is None or not mine.ending is right.ending is Ending.RETURNED:
        return False
    arrays = [[np.asarray(leaf, np.float64).reshape(-1) for leaf in _arrays(outcome)] for outcome in (mine, right)]
    pairs = list(itertools.zip_longest(*arrays))
    return all(a is not None and b is not None and a.shape == b.shape and _is_multiple(a, b) for a, b in pairs)


def _arrays(outcome: Outcome) -> list[np.ndarray]:
    return [a for leaf in leaves(outcome.value) if (a := array_of(leaf)) is not None]


def _is_multiple(mine: np.ndarray, right: np.ndarray) -> bool:
    size = float(right @ right)
    if not np.isfinite(mine).all() or not size:
        return bool((mine == right).all())
    factor = float(mine @ right) / size
    return LEAST < factor < MOST and float(np.linalg.norm(mine - factor * right)) <= OFF * factor * size**0.5


def _answer(
    oracle: Reference, mistakes: tuple[str, ...], question: Question, scrambling: tuple[str, ...]
) -> Outcome | None:
    """Return what the reference with mistakes in it answers; nothing where they cannot be combined, or it does not end."""

    def made() -> Outcome | None:
        asked = asked_by(question).request(0)
        outcome = _ran(oracle, mistakes, scrambled(asked, scrambling))
        return outcome and as_called(outcome, asked)

    return oracle.kept(("answer of mistakes", mistakes, *digest_of(question), scrambling), made)


def _alike(mine: Outcome, known: Outcome | None) -> bool:
    if known is None or mine.ending is not known.ending:
        return False
    if known.ending is not Ending.RETURNED:
        return (
            mine.trouble is not None and known.trouble is not None and mine.trouble.type_name == known.trouble.type_name
        )
    return _same(mine.value, known.value) and _same(list(mine.args), list(known.args))


def _same(one: Any, other: Any) -> bool:
    try:
        return alike(as_arrays(one), as_arrays(other), TOLERANCE)
    except UNCOMPARABLE:
        return False
