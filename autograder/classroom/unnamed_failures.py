"""Group failures that have no name by what they have in common: the same wrong answers, or the same exception, at one seed.

A group is a known mistake that the bank does not know yet. Pure functions from records.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.classroom.record import ExerciseRecord, Record
from autograder.course.spec import Status
from autograder.judge.reasons import Advice, Hint
from autograder.judge.result import CaseResult, easiest_first

_OWN = (Status.FAILED, Status.CRASHED)
Likeness = tuple[tuple[str, str], ...]  # the failing cases, and the fingerprint of each


@dataclass(frozen=True)
class Group:
    """Students whose code fails the same cases of an exercise in the same way, and one of them as an example."""

    exercise: str
    likeness: Likeness
    students: tuple[str, ...]
    example: str  # the student with the most points, in whose code least else is wrong
    shown: CaseResult  # the example's case to read first

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases that all of them fail."""
        return tuple(name for name, _ in self.likeness)

    @property
    def raises(self) -> bool:
        """Whether what they have in common is an exception."""
        return self.shown.status is Status.CRASHED


def groups(results: Iterable[Record]) -> tuple[Group, ...]:
    """Return the groups of a class, the largest first; a student may be in one of each exercise."""
    found: dict[tuple[int, str, Likeness], list[tuple[Record, ExerciseRecord]]] = defaultdict(list)
    for result in results:
        for exercise in result.exercises if result.status == "graded" else ():
            if alike := likeness(exercise.cases):
                found[result.seed, exercise.name, alike].append((result, exercise))
    made = [_group(name, alike, members) for (_, name, alike), members in found.items()]
    return tuple(sorted(made, key=lambda group: (-len(group.students), group.exercise, group.example)))


def have_fingerprints(results: Iterable[Record]) -> bool:
    """Whether failures can be grouped, or there are none; earlier versions kept no fingerprints."""
    whole = (result for result in results if result.status == "graded")
    failing = [c for r in whole for e in r.exercises for c in e.cases if c.status in _OWN]
    return not failing or any(case.fingerprint for case in failing)


def likeness(cases: Iterable[CaseResult]) -> Likeness:
    """Return the failures of an exercise that no known mistake explains and that do not only follow from another exercise."""
    return tuple((case.name, case.fingerprint) for case in cases if _is_unnamed(case))


def _is_unnamed(case: CaseResult) -> bool:
    said = isinstance(case.reason, Advice) and case.reason.hint in (Hint.MEND_FIRST, Hint.FORBIDDEN)
    return case.status in _OWN and bool(case.fingerprint) and not case.mistakes and not said


def _group(name: str, alike: Likeness, members: Sequence[tuple[Record, ExerciseRecord]]) -> Group:
    example, exercise = min(members, key=lambda member: (-member[0].points, member[0].student))
    shown = easiest_first([case for case in exercise.cases if _is_unnamed(case)])[0]
    return Group(name, alike, tuple(sorted(result.student for result, _ in members)), example.student, shown)
