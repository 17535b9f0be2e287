"""Measure verdicts on code that the cases were not written for.

Correct code that looks strange (`solutions/SLUG/strange/`, and the reference in every dress of `restyled.py`) has to get
full marks, and no diagnosis, and has to learn where something is trained. No smaller call, as a failing student may be shown
one, may fail on it, nor on an alternative.

Known mistakes in other clothes (`solutions/SLUG/disguised/`), written in another style than the reference by someone who did
not look at the bank's edits, have to get their own name. Both hold definitions that replace the reference's; a disguise is
called as its misconception is, with `+` between two at once, and whatever follows a `-` tells it from others.

Pairs of known mistakes may score no more than either alone (`monotone.py`).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.course.catalog import CourseError, alternatives_in
from autograder.course.spec import Assignment, Status
from autograder.judge.grade import grade
from autograder.judge.result import Result
from autograder.judge.smallest_failure import judge_smaller
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.proof.lost_points import failures, training_failures
from autograder.proof.monotone import Pairs, draw_pairs, try_pairs
from autograder.proof.restyled import DRESSES
from autograder.sandbox.job import Chunk, Sandbox, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.pool import WarmSandbox
from autograder.sandbox.process import ProcessSandbox
from autograder.sandbox.slot import Profile
from autograder.submission.source import make_source

NAMED, MISNAMED = 0.90, 0.01  # of the disguises: at least, at most
LADDER = (Profile(), Profile(landlock=False), Profile(namespaces=False), Profile(namespaces=False, other_uid=False))


@dataclass(frozen=True)
class Fairness:
    """What came of an assignment's strange and disguised code."""

    strange: int = 0
    gradings: Mapping[str, int] = field(default_factory=dict)  # of correct code, by isolation level
    unfair: tuple[str, ...] = ()  # correct code that lost a point or got a diagnosis
    disguised: int = 0  # one known mistake each
    named: int = 0  # of these, those that got their own name and no other
    unnamed: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    pairs: int = 0  # two known mistakes each
    half: tuple[str, ...] = ()  # pairs of which not both were named; the student is told that there may be more
    unnoticed: tuple[str, ...] = ()  # mistakes that cost nothing
    added: Pairs = field(default_factory=Pairs)  # known mistakes added to others


def broken(measured: Mapping[str, Fairness]) -> tuple[str, ...]:
    """Return what does not hold of some assignments, by slug; the shares of names are those of all of them together."""
    together = sum(found.disguised for found in measured.values())
    lines = []
    for slug, found in measured.items():
        lines += [f"{slug}: correct, but: {line}" for line in found.unfair]
        lines += [f"{slug}: passes: {line}" for line in found.unnoticed]
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
    """Grade an assignment's strange code at all seeds, with `weaker` on every lower level too; and its disguises.

    With `training` strange code is trained as well, at the first seed on the strongest level. With `every` only one file in
    so many is graded, and one case's smaller calls in so many tried. So many `pairs` of known mistakes are drawn by the first
    seed; all there are where it is None.
    """
    oracles = [Oracle(assignment, seed) for seed in seeds]
    strange = dict(list(_strange(course, assignment))[::every])
    with ExitStack() as stack:
        levels = {sandbox.isolation.level: sandbox for sandbox in _sandboxes(assignment, jobs, weaker, stack)}
        strongest = next(iter(levels.values()))
        with ThreadPoolExecutor(jobs) as pool:
            runs = list(itertools.product(strange, levels, oracles))
            results = pool.map(lambda run: grade(strange[run[0]], run[2], levels[run[1]]), runs)
            unfair = [
                f"{name} (level {level}, seed {oracle.seed}): {line}"
                for (name, level, oracle), result in zip(runs, results, strict=True)
                for line in failures(result)
            ]
            alternatives = {a.name: _appended(assignment, a.source) for a in assignment.alternatives[::every]}
            unfair += _misled(strange | alternatives, oracles[0], oracles[0].trials[::every], strongest, pool)
            if training:
                unfair += _unlearned(assignment, strange, Trainer(oracles[0]), strongest, pool)
            disguises = alternatives_in(course, assignment.slug, "disguised")[::every]
            sources = [_appended(assignment, d.source) for d in disguises]
            verdicts = pool.map(lambda source: grade(source, oracles[0], strongest), sources)
            named = dict(zip([d.name for d in disguises], verdicts, strict=True))
            drawn = draw_pairs(assignment, pairs, seeds[0])
            added = try_pairs(
                oracles[0],
                drawn,
                lambda texts: list(
                    pool.map(lambda text: grade(_source(assignment, text), oracles[0], strongest), texts)
                ),
            )
    gradings = {level: sum(run[1] == level for run in runs) for level in levels}
    return _told(assignment, Fairness(len(strange), gradings, tuple(unfair), added=added), named)


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
    right: Mapping[str, Source], oracle: Oracle, trials: Sequence[Trial], sandbox: Sandbox, pool: Executor
) -> Iterator[str]:
    """Ask correct files for every smaller call of trials, and yield those that one of them fails."""
    smalls = [small for trial in trials for small in oracle.smaller(trial)]
    limits = oracle.assignment.limits
    limits = replace(limits, total_seconds=limits.case_seconds * max(1, len(smalls)))
    judged = pool.map(lambda source: judge_smaller(source, oracle, sandbox, smalls, limits), right.values())
    for name, answers in zip(right, judged, strict=True):
        for trial, answer in answers.items():
            if answer.status is not Status.PASSED:
                said = answer.finding.headline if answer.finding else answer.note
                yield f"{name}: {trial.case.exercise}.{trial.case.name} {answer.status}: {said}"


def _unlearned(
    assignment: Assignment, strange: Mapping[str, Source], trainer: Trainer, sandbox: Sandbox, pool: Executor
) -> Iterator[str]:
    """Train every strange file in all that the assignment trains, and yield what keeps one from full marks."""
    for training in assignment.trainings:
        results = pool.map(functools.partial(trainer.train, training, sandbox=sandbox), strange.values())
        for name, result in zip(strange, results, strict=True):
            yield from training_failures(training, name, result)


def _strange(course: Path, assignment: Assignment) -> Iterator[tuple[str, Source]]:
    for alternative in alternatives_in(course, assignment.slug, "strange"):
        yield alternative.name, _appended(assignment, alternative.source)
    stem = Path(assignment.file).stem
    for name, dress in DRESSES.items():
        suffix, data = dress(assignment.reference)
        yield f"{name} (dress)", make_source(data, stem + suffix, assignment.file)


def _appended(assignment: Assignment, text: str) -> Source:
    return _source(assignment, f"{assignment.reference}\n{text}")


def _source(assignment: Assignment, text: str) -> Source:
    return Source(Path(assignment.file).stem, (Chunk(assignment.file, text),))


def _told(assignment: Assignment, found: Fairness, verdicts: Mapping[str, Result]) -> Fairness:
    """Compare the names that were given to disguised mistakes with theirs."""
    bank = {m.name: m for m in assignment.misconceptions}
    unnamed, wrong, half, unnoticed = list[str](), list[str](), list[str](), list[str]()
    pairs = named = 0
    for disguise, result in verdicts.items():
        mistakes = disguise.partition("-")[0].split("+")
        for name in set(mistakes) - bank.keys():
            raise CourseError(f"solutions/{assignment.slug}/disguised/{disguise}.py: there is no misconception {name}.")
        given = {name for e in result.exercises for c in e.cases for name in c.mistakes}
        meant = [{name, *bank[name].twins} for name in mistakes]
        said = f"{disguise}: {' and '.join(sorted(given)) or _first_words(result)}"
        pairs += len(mistakes) > 1
        if result.all_passed:
            unnoticed.append(disguise)
        elif given - {name for names in meant for name in names}:
            wrong.append(said)
        elif not given and len(mistakes) == 1:
            unnamed.append(said)
        elif any(not given & names for names in meant):
            half.append(said)
        elif len(mistakes) == 1:
            named += 1
    return replace(
        found,
        disguised=len(verdicts) - pairs,
        named=named,
        pairs=pairs,
        unnamed=tuple(unnamed),
        wrong=tuple(wrong),
        half=tuple(half),
        unnoticed=tuple(unnoticed),
    )


def _first_words(result: Result) -> str:
    """Return why a mistake may have no name: the file's problem, or the first case's."""
    return next(failures(result), "")
