"""What a student reads of a check at home, as a page or in a notebook: HTML that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from autograder.course.language import say, say_many
from autograder.course.spec import Status
from autograder.feedback.page_format import environment
from autograder.judge.result import CaseResult, Result

_FOLDED = (Status.PASSED, Status.MISSING, Status.SKIPPED)  # what a person grades stays open: it shows the answer


class Exercise(Protocol):
    """An exercise of a result or of a record; one that is not graded yet has no score."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def status(self) -> Status:
        """How it ended."""

    @property
    def score(self) -> float | None:
        """Its points."""

    @property
    def max_score(self) -> float:
        """The points that it is worth."""

    @property
    def cases(self) -> Sequence[CaseResult]:
        """Its cases."""

    @property
    def again(self) -> str:
        """What is told where it has full points although its own code has a mistake, which is charged in another exercise."""


def page_of_check(title: str, file: str, result: Result, checked: datetime) -> str:
    """Return the page of a check of a file, with the assignment's title."""
    line = _line(result) if not result.problem else say("Your file could not be run yet.")
    known = {
        "result": result,
        "unfolded": _to_read(result),
        "decided": (),
        "pictures": {e.name: None for e in result.exercises},
    }
    return (
        environment().get_template("feedback.html").render(title=title, who=file, line=line, checked=checked, **known)
    )


def cell_of_check(result: Result) -> str:
    """Return what a check shows in a notebook."""
    return environment().get_template("cell.html").render(result=result, unfolded=_to_read(result))


def unfolded(exercises: Sequence[Exercise]) -> tuple[str, ...]:
    """Return the names of the exercises of which there is something to mend."""
    return tuple(exercise.name for exercise in exercises if exercise.status not in _FOLDED)


def _to_read(result: Result) -> tuple[str, ...]:
    return unfolded([exercise for exercise in result.exercises if not exercise.waits_for])


def _line(result: Result) -> str:
    """Sum up a check: of a quiz it is known whether it is answered, and not whether that is right."""
    quizzes = [e for e in result.exercises if e.later and (e.is_open or e.status is Status.PASSED)]
    unanswered = sum(quiz.is_open for quiz in quizzes)
    judged = [e for e in result.exercises if e not in quizzes]
    return exercises_line(judged, unanswered=unanswered, answered=len(quizzes) - unanswered)


def _is_right(exercise: Exercise) -> bool:
    """Whether all of an exercise passes by its own code."""
    return exercise.status == Status.PASSED and not exercise.again


def exercises_line(exercises: Sequence[Exercise], *, unanswered: int = 0, answered: int = 0) -> str:
    """Sum up exercises in one kind sentence, and how many quizzes there are beside them that are not judged."""
    total = len(exercises) + unanswered + answered
    right = sum(map(_is_right, exercises))
    by_person = sum(e.status == Status.MANUAL for e in exercises)
    waiting = sum(e.status == Status.MANUAL and e.score is None for e in exercises)
    graded = by_person - waiting
    partly = sum(
        e.status not in (Status.MANUAL, Status.PASSED) and not _is_right(e) and (e.score or 0) > 0 for e in exercises
    )
    missing = sum(
        e.status == Status.MISSING and not e.score and not any(c.waits_for for c in e.cases) for e in exercises
    )
    if right == total:
        done = say("All {total} exercises are right. Well done!", total=total)
        return done if total > 1 else say("Everything is right. Well done!")
    if missing == total:
        return say("Nothing is written yet. Start with the first exercise; every one counts by itself.")
    wrong = len(exercises) - right - partly - missing - by_person
    parts = [say_many("{n} of {total} exercises is right", "{n} of {total} exercises are right", right, total=total)]
    others = (
        (partly, say_many("{n} is partly right", "{n} are partly right", partly)),
        (wrong, say_many("{n} is not right yet", "{n} are not right yet", wrong)),
        (unanswered, say_many("{n} is open", "{n} are open", unanswered)),
        (answered, say_many("{n} is answered", "{n} are answered", answered)),
        (missing, say_many("{n} is not written yet", "{n} are not written yet", missing)),
        (graded, say_many("{n} is graded by a person", "{n} are graded by a person", graded)),
        (waiting, say_many("{n} is still to be graded by a person", "{n} are still to be graded by a person", waiting)),
    )
    parts += [told for count, told in others if count]
    return ", ".join(parts[:-1]) + say(" and ") * (len(parts) > 1) + parts[-1] + "."
