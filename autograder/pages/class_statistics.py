"""What a class came to: scores and pass rates in numbers, and who is behind them. Pure functions from records."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograder.classroom.record import ExerciseRecord, Record
from autograder.course.spec import Status
from autograder.judge.crash_reasons import explain_kind
from autograder.judge.reasons import Diagnosis
from autograder.judge.result import CaseResult

BINS = 10  # bars of the distribution
HARDEST = 10  # cases shown as the hardest
SLOWEST = 10  # submissions shown as the slowest


@dataclass(frozen=True)
class Headline:
    """The numbers at the top. Mean and median are over what has points, or None if nothing has."""

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
    handed_in: int  # also what is not graded yet
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
    bonus: bool = False


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
    """Count a class, and average what has points."""
    results = list(results)
    scores = [r.points for r in scored(results)]
    return Headline(
        submissions=len(results),
        graded=len(scores),
        max_score=max((r.max_score for r in results), default=0.0),
        mean=statistics.fmean(scores) if scores else None,
        median=statistics.median(scores) if scores else None,
    )


def sections(
    results: Iterable[Record], absent: Iterable[Record], waiting: Iterable[Record] = ()
) -> tuple[Section, ...]:
    """Return the figures of each section, by name; nothing where the roster has none."""
    groups: dict[str, tuple[list[Record], list[Record], list[Record]]] = {}
    for place, records in enumerate((results, absent, waiting)):
        for record in records:
            groups.setdefault(section_of(record), ([], [], []))[place].append(record)
    if not any(groups):
        return ()
    return tuple(
        Section(name, headline(here), len(here) + len(later), len(away), sum(r.late for r in here))
        for name, (here, away, later) in sorted(groups.items())
    )


def distribution(results: Iterable[Record]) -> tuple[int, ...]:
    """Count submissions that have points by tenths of the points; full points stand in the last."""
    shares = (r.points / r.max_score if r.max_score else 0.0 for r in scored(results))
    # Rounding first: 7.000000000001 of 10 points is 0.7, and 0.7 * 10 is 7.
    counts = Counter(min(max(int(round(share * BINS, 6)), 0), BINS - 1) for share in shares)
    return tuple(counts[i] for i in range(BINS))


def exercise_rates(results: Iterable[Record]) -> tuple[Rate, ...]:
    """Return each exercise's figures, in the order of the assignment."""
    groups: dict[str, list[ExerciseRecord]] = {}
    for result in graded(results):
        for exercise in result.exercises:
            groups.setdefault(exercise.name, []).append(exercise)
    return tuple(_rate(name, group) for name, group in groups.items())


def _rate(name: str, group: Sequence[ExerciseRecord]) -> Rate:
    """Return an exercise's figures; answers that a person has not graded yet are not among them."""
    scored = [e for e in group if not e.waits]
    return Rate(
        exercise=name,
        passed=sum(e.points >= e.max_score if e.by_person else e.status == Status.PASSED for e in scored),
        judged=len(scored),
        missing=sum(e.status == Status.MISSING for e in group),
        points=statistics.fmean(e.points for e in scored) if scored else 0.0,
        max_score=max(e.max_score for e in group),
        bonus=group[0].bonus,
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


def scored(results: Iterable[Record]) -> Iterator[Record]:
    """Yield what has points: what could be graded, and what a person decided about all the same."""
    return (r for r in results if r.status == "graded" or any(e.override for e in r.exercises))


def cases(results: Iterable[Record]) -> Iterator[tuple[str, CaseResult]]:
    """Yield every case with the name of its exercise."""
    return ((exercise.name, case) for r in results for exercise in r.exercises for case in exercise.cases)


def section_of(result: Record) -> str:
    """Return a student's section of the roster."""
    return result.person.section if result.person else ""


def _case_rate(exercise: str, case: CaseResult, counts: Counter[str]) -> CaseRate:
    judged = {status: count for status, count in counts.most_common() if status != Status.GRADER_ERROR}
    others = tuple((status, count) for status, count in judged.items() if status != Status.PASSED)
    passed = judged.get(Status.PASSED, 0)
    return CaseRate(exercise, case.name, case.claim, case.visibility, passed, sum(judged.values()), others)


@dataclass(frozen=True)
class Mistake:
    """A misconception as it turned up in a class: its sentence, where, and the students behind it."""

    name: str
    says: str
    exercises: tuple[str, ...]
    students: tuple[str, ...]


@dataclass(frozen=True)
class Slow:
    """A submission that took long to grade, and the exercise whose cases took most of it."""

    student: str
    seconds: float
    exercise: str
    longest: float


def mistakes(results: Iterable[Record]) -> tuple[Mistake, ...]:
    """Return the misconceptions that were diagnosed, the most common first; a student counts once for each."""
    return _counted(results, _named)


def crashes(results: Iterable[Record]) -> tuple[Mistake, ...]:
    """Return the kinds of crash that no known mistake explains, the most common first; a student counts once for each."""
    return _counted(results, _crashed)


def _counted(
    results: Iterable[Record], named: Callable[[CaseResult], Iterator[tuple[str, str]]]
) -> tuple[Mistake, ...]:
    """Return what cases are called, by name and sentence, with the exercises and students behind each."""
    students: dict[tuple[str, str], dict[str, None]] = {}
    places: dict[tuple[str, str], dict[str, None]] = {}
    for result in graded(results):
        for exercise, case in cases([result]):
            for key in named(case):
                students.setdefault(key, {})[result.student] = None
                places.setdefault(key, {})[exercise] = None
    found = (Mistake(*key, tuple(places[key]), tuple(who)) for key, who in students.items())
    return tuple(sorted(found, key=lambda mistake: (-len(mistake.students), mistake.name)))


def late(results: Iterable[Record]) -> tuple[Record, ...]:
    """Return who handed in late, the latest first, and then those of whom only that is known."""
    found = (result for result in results if result.late)
    return tuple(sorted(found, key=lambda result: -(result.late_hours or 0.0)))


def slowest(
    results: Iterable[Record], whole_of: Callable[[Record], Record] = lambda record: record
) -> tuple[Slow, ...]:
    """Return the submissions that took longest to grade; `whole_of` returns the whole of a record that is in brief."""
    most = sorted(results, key=lambda result: -result.seconds)[:SLOWEST]
    return tuple(_slow(whole_of(result)) for result in most)


def typical_seconds(results: Sequence[Record]) -> float:
    """Return the median of what grading a submission took."""
    return statistics.median(result.seconds for result in results) if results else 0.0


def decisions(results: Iterable[Record]) -> tuple[tuple[Record, ExerciseRecord], ...]:
    """Return every exercise for which a person gave other points, by student."""
    return tuple((result, exercise) for result in results for exercise in result.exercises if exercise.override)


def _named(case: CaseResult) -> Iterator[tuple[str, str]]:
    """Yield (name, sentence) of each mistake behind a case; a choice between explanations stays whole."""
    reason = case.reason
    if not case.diagnosis or not isinstance(reason, Diagnosis):
        return
    if reason.is_only_one:
        yield from ((mistake.name, mistake.sentence) for mistake in reason.own or reason.alternatives[0])
    else:
        yield case.diagnosis, case.says


def _crashed(case: CaseResult) -> Iterator[tuple[str, str]]:
    """Yield (kind, sentence) of a crash without the name of a mistake."""
    if case.status is Status.CRASHED and case.crash and not case.mistakes:
        yield case.crash, explain_kind(case.crash)


def _slow(result: Record) -> Slow:
    seconds: dict[str, float] = defaultdict(float)
    for exercise, case in cases([result]):
        seconds[exercise] += case.seconds
    name, longest = max(seconds.items(), key=lambda item: item[1], default=("", 0.0))
    return Slow(result.student, result.seconds, name, longest)
