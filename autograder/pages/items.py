"""What each case says about the class: whom it fails, and whether it tells strong submissions from weak ones.

Discrimination is the corrected point-biserial correlation: of passing the case with the number of other cases that the
submission passes. Near 1 the case separates as the others do, near 0 it says nothing of them, and below 0 those who pass it
do worse elsewhere, which mostly means that something is wrong with the case.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autograder.classroom.record import Record
from autograder.course.spec import Status

LEAST = 5  # submissions that pass, and that do not, for a correlation to say anything
LEAST_ALIKE = 3  # submissions that fail two cases, for it to say anything that they are the same
_UNTRIED = (Status.MISSING, Status.SKIPPED)

Key = tuple[str, str]  # an exercise and a case


@dataclass(frozen=True)
class Item:
    """A case: the places in the class of those who do not pass, by status; its discrimination, and cases that fail the same."""

    failing: tuple[tuple[Status, tuple[int, ...]], ...]
    discrimination: float | None  # None where too few pass, or too few do not
    same_as: tuple[Key, ...] = ()

    @property
    def is_negative(self) -> bool:
        """Whether those who pass it do worse elsewhere than those who do not."""
        return self.discrimination is not None and self.discrimination < 0


@dataclass
class _Answers:
    """How a class did on one case, by places in the class."""

    passed: list[int] = field(default_factory=list)
    failing: dict[Status, list[int]] = field(default_factory=lambda: defaultdict(list))


def items(results: Sequence[Record]) -> Mapping[Key, Item]:
    """Return what each case says; places are those in `results`. Where the grader failed, nothing was judged."""
    found: dict[Key, _Answers] = defaultdict(_Answers)
    for place, result in enumerate(results):
        for exercise in result.exercises if result.status == "graded" else ():
            for case in exercise.cases:
                answers = found[exercise.name, case.name]
                if case.status is Status.PASSED:
                    answers.passed.append(place)
                elif case.status is not Status.GRADER_ERROR:
                    answers.failing[case.status].append(place)
    totals = [0] * len(results)
    for answers in found.values():
        for place in answers.passed:
            totals[place] += 1
    alike = _alike(found)
    return {
        key: Item(
            tuple((status, tuple(places)) for status, places in sorted(answers.failing.items(), key=_by_size)),
            _discrimination(answers, totals),
            tuple(other for other in alike.get(_tried(answers), ()) if other != key),
        )
        for key, answers in found.items()
    }


def _by_size(entry: tuple[Status, list[int]]) -> int:
    return -len(entry[1])


def _tried(answers: _Answers) -> frozenset[int]:
    """Return who fails a case with code of their own; who wrote nothing fails every case of the exercise."""
    return frozenset(p for status, places in answers.failing.items() if status not in _UNTRIED for p in places)


def _alike(found: Mapping[Key, _Answers]) -> dict[frozenset[int], list[Key]]:
    alike: dict[frozenset[int], list[Key]] = defaultdict(list)
    for key, answers in found.items():
        if len(who := _tried(answers)) >= LEAST_ALIKE:
            alike[who].append(key)
    return alike


def _discrimination(answers: _Answers, totals: Sequence[int]) -> float | None:
    """Correlate passing a case with the number of other cases passed."""
    failed = [place for places in answers.failing.values() for place in places]
    if min(len(answers.passed), len(failed)) < LEAST:
        return None
    right = [totals[place] - 1 for place in answers.passed]
    wrong = [totals[place] for place in failed]
    count, mean = len(right) + len(wrong), (sum(right) + sum(wrong)) / (len(right) + len(wrong))
    spread = math.sqrt(sum((value - mean) ** 2 for value in (*right, *wrong)) / count)
    if not spread:
        return None
    share = len(right) / count
    apart = sum(right) / len(right) - sum(wrong) / len(wrong)
    return apart / spread * math.sqrt(share * (1 - share))
