"""What a class came to, in numbers: scores, sections, pass rates of exercises and cases. Pure functions from records."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.classroom.record import ExerciseRecord, Record
from autograder.course.spec import Status
from autograder.judge.result import CaseResult

BINS = 10  # bars of the distribution
HARDEST = 10  # cases shown as the hardest


@dataclass(frozen=True)
class Headline:
    """The numbers at the top. Mean and median are over what could be graded, or None if nothing could."""

    submissions: int
    graded: int
    max_score: float
    mean: float | None
    median: float | None


@dataclass(frozen=True)
class Section:
    """How a section of the class did, by the roster; "" stands for those whom it gives none."""

    name: str
    headline: Headline
    absent: int
    late: int


@dataclass(frozen=True)
class Rate:
    """How a class did on an exercise: how many of those judged passed, who wrote nothing, and the mean points."""

    exercise: str
    passed: int
    judged: int
    missing: int
    points: float
    max_score: float


@dataclass(frozen=True)
class CaseRate:
    """How a class did on a case: how many of those judged passed, and how it ended for the others, by status."""

    exercise: str
    case: str
    claim: str
    visibility: str
    passed: int
    judged: int
    others: tuple[tuple[str, int], ...]

    @property
    def share(self) -> float:
        """The share that passed."""
        return self.passed / self.judged if self.judged else 1.0


def headline(results: Iterable[Record]) -> Headline:
    """Count a class, and average what could be graded."""
    results = list(results)
    scores = [r.points for r in graded(results)]
    return Headline(
        submissions=len(results),
        graded=len(scores),
        max_score=max((r.max_score for r in results), default=0.0),
        mean=statistics.fmean(scores) if scores else None,
        median=statistics.median(scores) if scores else None,
    )


def sections(results: Iterable[Record], absent: Iterable[Record]) -> tuple[Section, ...]:
    """Return the figures of each section, by name; nothing where the roster has none."""
    groups: dict[str, tuple[list[Record], list[Record]]] = {}
    for result in results:
        groups.setdefault(section_of(result), ([], []))[0].append(result)
    for result in absent:
        groups.setdefault(section_of(result), ([], []))[1].append(result)
    if not any(groups):
        return ()
    return tuple(
        Section(name, headline(here), len(away), sum(r.late for r in here))
        for name, (here, away) in sorted(groups.items())
    )


def distribution(results: Iterable[Record]) -> tuple[int, ...]:
    """Count graded submissions by tenths of the points; full points stand in the last."""
    shares = (r.points / r.max_score if r.max_score else 0.0 for r in graded(results))
    # Rounding first: 7.000000000001 of 10 points is 0.7, and 0.7 * 10 is 7.
    counts = Counter(min(max(int(round(share * BINS, 6)), 0), BINS - 1) for share in shares)
    return tuple(counts[i] for i in range(BINS))


def exercise_rates(results: Iterable[Record]) -> tuple[Rate, ...]:
    """Return each exercise's figures, in the order of the assignment."""
    groups: dict[str, list[ExerciseRecord]] = {}
    for result in graded(results):
        for exercise in result.exercises:
            groups.setdefault(exercise.name, []).append(exercise)
    return tuple(
        Rate(
            exercise=name,
            passed=sum(e.status == Status.PASSED for e in group),
            judged=len(group),
            missing=sum(e.status == Status.MISSING for e in group),
            points=statistics.fmean(e.points for e in group),
            max_score=max(e.max_score for e in group),
        )
        for name, group in groups.items()
    )


def case_rates(results: Iterable[Record]) -> tuple[CaseRate, ...]:
    """Return every case's figures, in the order of the assignment. Where the grader failed, nothing was judged."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    first: dict[tuple[str, str], CaseResult] = {}
    for exercise, case in cases(graded(results)):
        key = exercise, case.name
        first.setdefault(key, case)
        counts.setdefault(key, Counter())[case.status] += 1
    return tuple(_case_rate(exercise, first[exercise, name], found) for (exercise, name), found in counts.items())


def hardest_cases(rates: Iterable[CaseRate]) -> tuple[CaseRate, ...]:
    """Return the cases that fewest pass, hardest first."""
    return tuple(sorted((rate for rate in rates if rate.share < 1), key=lambda rate: rate.share)[:HARDEST])


def graded(results: Iterable[Record]) -> Iterator[Record]:
    """Yield what could be graded."""
    return (result for result in results if result.status == "graded")


def cases(results: Iterable[Record]) -> Iterator[tuple[str, CaseResult]]:
    """Yield every case with the name of its exercise."""
    return ((exercise.name, case) for r in results for exercise in r.exercises for case in exercise.cases)


def section_of(result: Record) -> str:
    """Return the section that the roster gives somebody."""
    return result.person.section if result.person else ""


def _case_rate(exercise: str, case: CaseResult, counts: Counter[str]) -> CaseRate:
    judged = {status: count for status, count in counts.most_common() if status != Status.GRADER_ERROR}
    others = tuple((status, count) for status, count in judged.items() if status != Status.PASSED)
    passed = judged.get(Status.PASSED, 0)
    return CaseRate(exercise, case.name, case.claim, case.visibility, passed, sum(judged.values()), others)
