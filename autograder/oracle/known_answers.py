"""Find out whether a student's code answers questions as the reference does with known mistakes in it.

Whoever wants points for code that is wrong can write a helper that is wrong in the right way: it gives answers on which
everything built on it comes to the same. What has the answers of a known mistake was not written for that.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from autograder.judge.compare import alike
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.tolerance import TOLERANCE
from autograder.oracle.reference import RANDOM, Reference, run_request
from autograder.oracle.replay import Replay
from autograder.oracle.scrambled import as_called, scrambled
from autograder.oracle.step_limit import StopError, limited_steps
from autograder.oracle.student_calls import Question, asked_by, digest_of
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome


def answered_as_known(
    oracle: Reference, replay: Replay, questions: Sequence[Question], mistakes: Collection[str]
) -> bool:
    """Whether the student's answers to all questions are those of the reference with these mistakes, scrambled alike."""
    names = tuple(sorted(mistakes))
    return all(_alike(replay.known(q), _answer(oracle, names, q, tuple(sorted(replay.scrambled)))) for q in questions)


def _answer(
    oracle: Reference, mistakes: tuple[str, ...], question: Question, scrambling: tuple[str, ...]
) -> Outcome | None:
    """Return what the reference with mistakes in it answers; nothing where they cannot be combined, or it does not end."""

    def made() -> Outcome | None:
        program = oracle.variant(*mistakes)
        if program is None:
            return None
        asked = asked_by(question).request(0)
        try:
            with RANDOM, limited_steps():
                outcome = run_request(program, scrambled(asked, scrambling), first=True)
        except StopError:
            return None
        return as_called(outcome, asked)

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
