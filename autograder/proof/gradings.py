"""Grade files whose verdict is known beforehand, a few at a time.

A proof must not rest on the machine's bad moment: a file whose run was cut short, by a limit of time or memory, a dead child
or a fault of the grader's own, is graded again, alone: at once, and after a pause. Where it cannot be graded then either, its
result says only that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from autograder.course.spec import Status, Training
from autograder.judge.grade import grade
from autograder.judge.result import ExerciseResult, Result
from autograder.oracle.carried_mistakes import Carried
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.job import Ending, Isolation, Job, JobResult, Outcome, Sandbox, Source

T = TypeVar("T")
R = TypeVar("R")
File = tuple[Source, Oracle, Sandbox]
Lesson = tuple[Trainer, Source, Sequence[str]]  # a file, who trains it, and its exercises that are known to be wrong
_BROKEN = (Ending.TIMEOUT, Ending.MEMORY, Ending.DIED)  # how a call ends that takes its child down
CUT_SHORT = frozenset({*_BROKEN, Ending.NOT_RUN, Ending.FAULT})
_STOPPED = (Status.TIMEOUT, Status.MEMORY)
_AGAIN = 2  # attempts more
_PAUSE = 5.0  # seconds before the last of them


@dataclass(frozen=True)
class Ungraded(Result):
    """The result of a file that could not be graded: nothing follows from its cases, and `problem` says why."""


@dataclass(frozen=True)
class Watched:
    """A sandbox for one file, with what its runs came to."""

    sandbox: Sandbox
    runs: list[JobResult] = field(default_factory=list)

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self.sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run a job and keep what came of it."""
        self.runs.append(self.sandbox.run(job))
        return self.runs[-1]

    def close(self) -> None:
        """End everything in the sandbox."""
        self.sandbox.close()

    @property
    def cut_short(self) -> bool:
        """Whether any run ended before its work was done."""
        return any(outcome.ending in CUT_SHORT for ran in self.runs for outcome in (ran.loading, *ran.outcomes))


def again_alone(
    attempt: Callable[[T], R],
    items: Sequence[T],
    jobs: int,
    by_chance: Callable[[T, R], bool],
    again: int = _AGAIN,
) -> list[R]:
    """Attempt something with all items, a few at a time; `again` with nothing beside it what may have ended `by_chance`."""
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(attempt, items))
    for number, item in enumerate(items):
        for before in range(again):
            if by_chance(item, results[number]):
                time.sleep(_PAUSE * before)
                results[number] = attempt(item)
    return results


def grade_all(files: Sequence[File], jobs: int, *, own_work: bool = True) -> list[Result]:
    """Grade files in their order; one that could not be graded in any attempt has an `Ungraded` result.

    Unless they are the course's own work, their text is read in the sandbox.
    """

    def attempt(file: File) -> tuple[Result, Watched]:
        source, oracle, sandbox = file
        watched = Watched(sandbox)
        return grade(source, oracle, watched, own_work=own_work), watched

    found = again_alone(attempt, files, jobs, lambda _, graded: graded[1].cut_short)
    return [_settled(result, watched.runs[0]) for result, watched in found]


def train_all(
    training: Training, lessons: Mapping[str, Lesson], sandbox: Sandbox, jobs: int
) -> dict[str, ExerciseResult]:
    """Train files, by name; one that is known to be too slow is not tried again when it was stopped."""

    def attempt(name: str) -> ExerciseResult:
        trainer, source, wrong = lessons[name]
        return trainer.train(training, source, sandbox, Carried(tuple(wrong)))

    def by_chance(name: str, result: ExerciseResult) -> bool:
        return name not in training.too_slow and any(
            case.status in (*_STOPPED, Status.GRADER_ERROR) for case in result.cases
        )

    return dict(zip(lessons, again_alone(attempt, list(lessons), jobs, by_chance, again=1), strict=True))


def _settled(result: Result, ran: JobResult) -> Result:
    """Return a result, as one that says nothing where the run of its cases did not get through them."""
    why = _unmade(ran)
    if not why:
        return result
    stopped = [f"{e.name}.{c.name} {c.status}" for e in result.exercises for c in e.cases if c.status in _STOPPED]
    after = f", after {stopped[0]}" if stopped and not result.problem else ""
    return Ungraded(result.assignment, result.exercises, f"could not be graded in {1 + _AGAIN} attempts: {why}{after}")


def _unmade(ran: JobResult) -> str:
    """Say why calls were not made that no broken call before them stood in the way of, if there are any."""
    if ran.loading.ending in CUT_SHORT:
        return f"while it was imported, {_why(ran.loading)}"
    broken = [outcome.trouble for outcome in ran.outcomes if outcome.ending in _BROKEN]
    for outcome in ran.outcomes:
        not_made = outcome.ending is Ending.NOT_RUN and outcome.trouble not in broken
        if not_made or outcome.ending is Ending.FAULT:
            return _why(outcome)
    return ""


def _why(outcome: Outcome) -> str:
    said = outcome.trouble.text if outcome.trouble else ""
    return said or {Ending.TIMEOUT: "its time was used up"}.get(outcome.ending, f"it came to {outcome.ending}")


def failures(result: Result) -> Iterator[str]:
    """Yield what keeps a file from full marks, a line each."""
    if result.problem:
        yield result.problem.replace("\n", " | ")
        return
    yield from (note.replace("\n", " | ") for note in result.no_python)
    for exercise in result.exercises:
        yield from exercise_failures(exercise)


def training_failures(training: Training, name: str, result: ExerciseResult) -> Iterator[str]:
    """Yield what keeps a correct solution from full marks in a training; one that is known to be too slow may be stopped."""
    stopped = (Status.TIMEOUT, Status.SKIPPED) if name in training.too_slow else ()
    yield from (f"{name}: {line}" for line in exercise_failures(result, stopped))


def exercise_failures(exercise: ExerciseResult, excused: Collection[Status] = ()) -> Iterator[str]:
    """Yield the cases that did not pass, and why, a line each."""
    for case in exercise.cases:
        if case.status not in (Status.PASSED, *excused):
            said, note = case.told.headline, case.grader_note[:200].replace("\n", " | ")
            yield f"{exercise.name}.{case.name} {case.status}: {said} {note}".rstrip()
