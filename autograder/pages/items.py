"""What each case says about the class: whom it fails, and whether it tells strong submissions from weak ones.

Discrimination is the corrected point-biserial correlation: of passing the case with the share of other cases that the
submission passes. What is not written yet counts in neither, else the first exercises would seem to be passed by the weakest.
Near 1 the case separates as the others do, near 0 it says nothing of them, and below 0 those who pass it do worse elsewhere,
which mostly means that something is wrong with the case.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.classroom.record import Record
from autograder.course.spec import Status

LEAST = 5  # submissions that pass, and that do not, for a correlation to say anything
ERRORS = 2  # standard errors below 0 from which on a negative correlation is told as such
TINY = 1e-12  # a spread that is float noise
LEAST_ALIKE = 3  # submissions that fail two cases, for it to say anything that they are the same
_UNTRIED = (Status.MISSING, Status.SKIPPED)
_SAYS_NOTHING = (Status.PASSED, Status.GRADER_ERROR)
_NUMBERS = {status: number for number, status in enumerate(Status, 1)}  # 0 where there is no result

Key = tuple[str, str]  # an exercise and a case


@dataclass(frozen=True)
class Item:
    """A case: the places in the class of those who do not pass, by status; its discrimination, and cases that fail the same."""

    failing: tuple[tuple[Status, tuple[int, ...]], ...]
    discrimination: float | None  # None where too few pass, or too few do not
    is_negative: bool  # whether those who pass it do worse elsewhere than those who do not, by more than chance
    same_as: tuple[Key, ...] = ()


@dataclass
class _Answers:
    """How a class did on one case: a byte for each place in the class, since a large class and its cases make a million."""

    statuses: bytearray

    @property
    def passed(self) -> list[int]:
        """The places of those who pass."""
        return self._places(Status.PASSED)

    @property
    def failing(self) -> dict[Status, list[int]]:
        """The places of those who do not, by status; where the grader failed, nothing was judged."""
        found = {status: self._places(status) for status in Status if status not in _SAYS_NOTHING}
        return {status: places for status, places in found.items() if places}

    @property
    def wrong(self) -> frozenset[int]:
        """Who fails the case with code of their own; who wrote nothing fails every case of the exercise."""
        return frozenset(p for status, places in self.failing.items() if status not in _UNTRIED for p in places)

    def note(self, place: int, status: Status) -> None:
        """Note how one did."""
        self.statuses[place] = _NUMBERS[status]

    def _places(self, status: Status) -> list[int]:
        number = _NUMBERS[status]
        return [place for place, one in enumerate(self.statuses) if one == number] if number in self.statuses else []


def items(results: Sequence[Record]) -> Mapping[Key, Item]:
    """Return what each case says; places are those in `results`. Where the grader failed, nothing was judged."""
    found: dict[Key, _Answers] = defaultdict(lambda: _Answers(bytearray(len(results))))
    for place, result in enumerate(results):
        for exercise in result.exercises if result.status == "graded" else ():
            for case in exercise.cases:
                found[exercise.name, case.name].note(place, case.status)
    passed, tried = [0] * len(results), [0] * len(results)
    for answers in found.values():
        for place in answers.passed:
            passed[place] += 1
            tried[place] += 1
        for place in answers.wrong:
            tried[place] += 1
    alike = _alike(found)
    return {key: _item(key, answers, passed, tried, alike) for key, answers in found.items()}


def _item(
    key: Key,
    answers: _Answers,
    passed: Sequence[int],
    tried: Sequence[int],
    alike: Mapping[frozenset[int], Sequence[Key]],
) -> Item:
    """Put together what a case says; `passed` and `tried` count the cases of each submission."""
    right = [(passed[place] - 1) / (tried[place] - 1) for place in answers.passed if tried[place] > 1]
    wrong = [passed[place] / (tried[place] - 1) for place in answers.wrong if tried[place] > 1]
    found = _correlation(right, wrong)
    return Item(
        tuple((status, tuple(places)) for status, places in sorted(answers.failing.items(), key=_by_size)),
        found,
        found is not None and found < -ERRORS / math.sqrt(len(right) + len(wrong)),
        tuple(other for other in alike.get(answers.wrong, ()) if other != key),
    )


def _by_size(entry: tuple[Status, list[int]]) -> int:
    return -len(entry[1])


def _alike(found: Mapping[Key, _Answers]) -> dict[frozenset[int], list[Key]]:
    alike: dict[frozenset[int], list[Key]] = defaultdict(list)
    for key, answers in found.items():
        if len(who := answers.wrong) >= LEAST_ALIKE:
            alike[who].append(key)
    return alike


def _correlation(right: Sequence[float], wrong: Sequence[float]) -> float | None:
    """Correlate passing a case with what else those who pass it, and those who do not, get right."""
    if min(len(right), len(wrong)) < LEAST:
        return None
    count, mean = len(right) + len(wrong), (sum(right) + sum(wrong)) / (len(right) + len(wrong))
    spread = math.sqrt(sum((value - mean) ** 2 for value in (*right, *wrong)) / count)
    if spread < TINY:
        return None
    share = len(right) / count
    apart = sum(right) / len(right) - sum(wrong) / len(wrong)
    return apart / spread * math.sqrt(share * (1 - share))
