"""Measure verdicts on code that the cases were not written for.

Correct code that looks unusual (`solutions/SLUG/correct/unusual/`, and the reference in every dress of `restyled.py`) has to get
full marks, and no diagnosis, and has to learn where something is trained. No smaller call, as a failing student may be shown
one, may fail on it, nor on the other correct solutions.

Known mistakes rewritten (`solutions/SLUG/mistaken/`), written in another style than the reference by someone who did
not look at the bank's edits, have to get their own name. Both hold definitions that replace the reference's; a mistaken file is
called as its misconception is, with `+` between two at once, and whatever follows a `-` tells it from others.

Pairs of known mistakes may score no more than either alone (`monotone.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.course.catalog import MISTAKEN, UNUSUAL, replacements_in
from autograder.course.places import CourseError
from autograder.course.spec import Assignment, Status, Visibility
from autograder.judge.result import Result
from autograder.judge.smallest_failure import judge_smaller
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.proof.changed_cases import ChangedCases
from autograder.proof.gradings import (
    CUT_SHORT,
    Lesson,
    Ungraded,
    again_alone,
    failures,
    grade_all,
    train_all,
    training_failures,
)
from autograder.proof.monotone import Pairs, draw_pairs, try_pairs
from autograder.proof.restyled import DRESSES
from autograder.sandbox.job import Sandbox, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.pool import WarmSandbox
from autograder.sandbox.process import ProcessSandbox
from autograder.sandbox.slot import Profile
from autograder.submission.source import make_source

NAMED, MISNAMED = 0.90, 0.01  # of the mistaken files: at least, at most
LADDER = (Profile(), Profile(landlock=False), Profile(namespaces=False), Profile(namespaces=False, other_uid=False))


@dataclass(frozen=True)
class Fairness:
    """What came of an assignment's unusual and mistaken code."""

    unusual: int = 0
    gradings: Mapping[str, int] = field(default_factory=dict)  # of correct code, by isolation level
    unfair: tuple[str, ...] = ()  # correct code that lost a point or got a diagnosis
    mistaken: int = 0  # one known mistake each
    named: int = 0  # of these, those that got their own name and no other
    public: int = 0  # of these, those that a public case catches, so that students see them at home
    unseen: tuple[str, ...] = ()  # of all rewritten mistakes, those that hidden cases alone catch
    unnamed: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    pairs: int = 0  # two known mistakes each
    half: tuple[str, ...] = ()  # pairs of which not both were named; the student is told that there may be more
    unnoticed: tuple[str, ...] = ()  # mistakes that cost nothing
    ungraded: tuple[str, ...] = ()  # mistakes of which nothing is known
    added: Pairs = field(default_factory=Pairs)  # known mistakes added to others
    missing: tuple[str, ...] = ()  # what there has to be for anything to be proved


def broken(measured: Mapping[str, Fairness]) -> tuple[str, ...]:
    """Return what does not hold of some assignments, by slug; the shares of names are those of all of them together."""
    together = sum(found.mistaken for found in measured.values())
    lines = []
    for slug, found in measured.items():
        lines += [f"{slug}: correct, but: {line}" for line in found.unfair]
        lines += [f"{slug}: passes: {line}" for line in found.unnoticed]
        lines += [
            f"{slug}: {line}" for line in found.missing + found.added.missing + found.ungraded + found.added.ungraded
        ]
        lines += [f"{slug}: one more mistake raises the score: {line}" for line in found.added.rising]
        if sum(each.named for each in measured.values()) < NAMED * together:
            lines += [f"{slug}: no name: {line}" for line in found.unnamed]
        if sum(len(each.wrong) for each in measured.values()) > MISNAMED * together:
            lines += [f"{slug}: wrong name: {line}" for line in found.wrong]
    return tuple(lines)


def measure(
    course: Path,
    assignment: Assignment,
    seeds: Sequence[int],
    jobs: int,
    *,
    weaker: bool = True,
    training: bool = True,
    every: int = 1,
    pairs: int | None = 0,
) -> Fairness:
    """Grade an assignment's unusual code at all seeds, with `weaker` on every lower level too; and its mistaken code.

    With `training` unusual code is trained as well, at the first seed on the strongest level. With `every` only one file in
    so many is graded, and one case's smaller calls in so many tried. So many `pairs` of known mistakes are drawn by the first
    seed; all there are where it is None.
    """
    oracles = [Oracle(assignment, seed) for seed in seeds]
    unusual = dict(list(_unusual(course, assignment))[::every])
    with ExitStack() as stack:
        levels = {sandbox.isolation.level: sandbox for sandbox in _sandboxes(assignment, jobs, weaker, stack)}
        strongest = next(iter(levels.values()))
        runs = list(itertools.product(unusual, levels, oracles))
        results = grade_all([(unusual[name], oracle, levels[level]) for name, level, oracle in runs], jobs)
        unfair = [
            f"{name} (level {level}, seed {oracle.seed}): {line}"
            for (name, level, oracle), result in zip(runs, results, strict=True)
            for line in failures(result)
        ]
        correct = {other.name: _appended(assignment, other.source) for other in assignment.correct[::every]}
        unfair += _misled(unusual | correct, oracles[0], oracles[0].trials[::every], strongest, jobs)
        if training:
            unfair += _unlearned(assignment, unusual, Trainer(oracles[0]), strongest, jobs)
        mistaken = replacements_in(course, assignment.slug, MISTAKEN)[::every]
        missing = (
            ()
            if mistaken
            else (f"there is no rewritten known mistake; write one in solutions/{assignment.slug}/mistaken/",)
        )
        verdicts = grade_all([(_appended(assignment, d.source), oracles[0], strongest) for d in mistaken], jobs)
        named = dict(zip([d.name for d in mistaken], verdicts, strict=True))
        added = _added(oracles[0], pairs, strongest, jobs) if pairs != 0 else Pairs()
    gradings = {level: sum(run[1] == level for run in runs) for level in levels}
    return _told(assignment, Fairness(len(unusual), gradings, tuple(unfair), added=added, missing=missing), named)


def _added(oracle: Oracle, pairs: int | None, sandbox: Sandbox, jobs: int) -> Pairs:
    """Try so many pairs of known mistakes, all that there are where it is None."""
    changed = ChangedCases(oracle, sandbox)
    drawn = draw_pairs(oracle.assignment, pairs, oracle.seed)
    return try_pairs(oracle, drawn, lambda sets: grade_all(changed.files(sets), jobs))


def _sandboxes(
    assignment: Assignment, jobs: int, weaker: bool, stack: ExitStack
) -> Iterator[WarmSandbox | ProcessSandbox]:
    """Yield the strongest sandbox of this machine, and one for every weaker level that it can hold."""
    seen = set()
    for profile in LADDER if weaker else LADDER[:1]:
        sandbox = open_sandbox(jobs, torch=assignment.torch, profile=profile)
        stack.callback(sandbox.close)
        if sandbox.isolation.level not in seen:
            seen.add(sandbox.isolation.level)
            yield sandbox
    if weaker and "C" not in seen:
        yield stack.enter_context(ProcessSandbox())


def _misled(
    right: Mapping[str, Source], oracle: Oracle, trials: Sequence[Trial], sandbox: Sandbox, jobs: int
) -> Iterator[str]:
    """Ask correct files for every smaller call of trials, and yield those that one of them fails."""
    smalls = [small for trial in trials for small in oracle.smaller(trial)]
    limits = oracle.assignment.limits
    limits = replace(limits, total_seconds=limits.case_seconds * max(1, len(smalls)))
    judged = again_alone(
        lambda source: judge_smaller(source, oracle, sandbox, smalls, limits),
        list(right.values()),
        jobs,
        lambda _, answers: any(o.ending in CUT_SHORT for answer in answers.values() for o in answer.outcomes),
    )
    for name, answers in zip(right, judged, strict=True):
        for trial, answer in answers.items():
            if answer.status is not Status.PASSED:
                said = answer.finding.headline if answer.finding else answer.waits_for
                yield f"{name}: {trial.name} {answer.status}: {said}"


def _unlearned(
    assignment: Assignment, unusual: Mapping[str, Source], trainer: Trainer, sandbox: Sandbox, jobs: int
) -> Iterator[str]:
    """Train every unusual file in all that the assignment trains, and yield what keeps one from full marks."""
    for training in assignment.trainings:
        lessons: dict[str, Lesson] = {name: (trainer, source, ()) for name, source in unusual.items()}
        for name, result in train_all(training, lessons, sandbox, jobs).items():
            yield from training_failures(training, name, result)


def _unusual(course: Path, assignment: Assignment) -> Iterator[tuple[str, Source]]:
    for other in replacements_in(course, assignment.slug, UNUSUAL):
        yield other.name, _appended(assignment, other.source)
    stem = Path(assignment.file).stem
    for name, dress in () if assignment.files else DRESSES.items():  # they are about reading a single file
        suffix, data = dress(assignment.reference)
        yield f"{name} (dress)", make_source(data, stem + suffix, assignment.file)


def _appended(assignment: Assignment, text: str) -> Source:
    return Source.of(assignment.file, assignment.with_replaced(text))


def _told(assignment: Assignment, found: Fairness, verdicts: Mapping[str, Result]) -> Fairness:
    """Compare the names that were given to rewritten mistakes with theirs."""
    bank = {m.name: m for m in assignment.misconceptions}
    unnamed, wrong, half, unnoticed, ungraded, unseen = (list[str]() for _ in range(6))
    pairs = named = public = 0
    for file, result in verdicts.items():
        mistakes = file.partition("-")[0].split("+")
        for name in set(mistakes) - bank.keys():
            raise CourseError(f"solutions/{assignment.slug}/mistaken/{file}.py: there is no misconception {name}.")
        given = {name for e in result.exercises for c in e.cases for name in c.mistakes}
        told = {name for e in result.exercises for c in e.cases for name in c.suspected}  # with "perhaps", too
        meant = [{name, *bank[name].twins} for name in mistakes]
        said = f"{file}: {' and '.join(sorted(given)) or _first_words(result)}"
        pairs += len(mistakes) > 1
        at_home = _caught_at_home(result)
        public += at_home and len(mistakes) == 1
        if not (at_home or isinstance(result, Ungraded) or result.all_passed):
            unseen.append(file)
        if isinstance(result, Ungraded):
            ungraded.append(f"{file}: {result.problem}")
        elif result.all_passed:
            unnoticed.append(file)
        elif given - {name for names in meant for name in names}:
            wrong.append(said)
        elif not told and len(mistakes) == 1:
            unnamed.append(said)
        elif any(not told & names for names in meant):
            half.append(said)
        elif len(mistakes) == 1:
            named += 1
    return replace(
        found,
        mistaken=len(verdicts) - pairs,
        named=named,
        public=public,
        unseen=tuple(unseen),
        pairs=pairs,
        unnamed=tuple(unnamed),
        wrong=tuple(wrong),
        half=tuple(half),
        unnoticed=tuple(unnoticed),
        ungraded=tuple(ungraded),
    )


def _caught_at_home(result: Result) -> bool:
    """Whether a public case does not pass."""
    cases = (case for exercise in result.exercises for case in exercise.cases)
    return any(case.visibility is Visibility.PUBLIC and case.status is not Status.PASSED for case in cases)


def _first_words(result: Result) -> str:
    """Return why a mistake may have no name: the file's problem, or the first case's."""
    return next(failures(result), "")
