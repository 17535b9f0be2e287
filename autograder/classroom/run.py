"""Grade a class: every submission once, a few at a time, each result written down before the next is waited for."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TypeVar

from autograder.classroom.gradebook import Gradebook
from autograder.classroom.judges import Judges, judges_for
from autograder.classroom.record import Graded, Record
from autograder.classroom.still_to_grade import Plan
from autograder.classroom.stored_result import Finished, finished
from autograder.classroom.submissions import Submission
from autograder.classroom.watch import Mark, Step, Watch
from autograder.course.language import speaking
from autograder.course.spec import Status
from autograder.judge.grade import grade
from autograder.judge.messages import our_fault
from autograder.judge.points import without_points
from autograder.judge.result import Result
from autograder.oracle.gpus import Gpus
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.job import ClosedError, Isolation, Sandbox, Source, Trouble

T = TypeVar("T")
R = TypeVar("R")
TRIES = 2
RETRY_SECONDS = 0.5
_AHEAD = 2  # submissions that wait for each slot, so that none is idle while a result is written down


def grade_class(
    oracle: Oracle,
    submissions: Iterable[Submission],
    sandbox: Sandbox,
    jobs: int,
    stale: Mapping[str, frozenset[str]] | None = None,
    progress: Callable[[Step], None] | None = None,
    gpus: Gpus | None = None,
    judges: Judges | None = None,
) -> Iterator[Graded]:
    """Yield what each submission came to, in the order they finish.

    `stale` names by student the exercises whose results are new; training exercises that are not among them are left out.
    `progress` hears of trainings from several threads. On `gpus` the trainings of all submissions share devices; with more
    `jobs` than may train at once, cases of the next submissions are graded meanwhile. With `judges` cases are graded in their
    processes, and in this one only trainings.
    """
    working = threading.local()  # each submission is graded, and trained, in one thread

    def hear(exercise: str, step: int, steps: int, loss: float, reference: bool) -> None:
        if progress:
            progress(Step(working.student, exercise, step, steps, loss, reference))

    trainer = Trainer(oracle, hear if progress else None, gpus)
    stop = threading.Event()

    def one(submission: Submission) -> Graded | None:
        working.student = submission.student
        only = None if stale is None else stale[submission.student]
        try:
            return None if stop.is_set() else grade_one(trainer, submission, sandbox, only, judges)
        except ClosedError:
            return None

    with ThreadPoolExecutor(jobs, thread_name_prefix="slot") as pool:
        try:
            yield from filter(None, _as_they_finish(pool, one, submissions, _AHEAD * jobs))
        except BaseException:  # Ctrl-C, or the rest is not wanted: end what is running, begin nothing more
            stop.set()
            if judges:
                judges.close()
            sandbox.close()
            raise


def _as_they_finish(pool: Executor, work: Callable[[T], R], items: Iterable[T], most: int) -> Iterator[R]:
    """Yield what work on items comes to, in the order in which it ends; at most so many are handed to the pool at a time."""
    coming = iter(items)
    waiting: set[Future[R]] = set()
    while True:
        waiting |= {pool.submit(work, item) for item in itertools.islice(coming, most - len(waiting))}
        if not waiting:
            return
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in done)


def grade_one(
    trainer: Trainer,
    submission: Submission,
    sandbox: Sandbox,
    stale: frozenset[str] | None = None,
    judges: Judges | None = None,
) -> Graded:
    """Grade one submission, training exercises included: all of them, or those that are stale."""
    started = time.monotonic()
    if submission.source is None:
        result = _without(trainer, Status.MISSING, submission.problem)
    else:
        result = _graded(submission.source, trainer, sandbox, stale, judges)
    return Graded(submission, result, sandbox.isolation, time.monotonic() - started)


def _without(trainer: Trainer, status: Status, message: str) -> Result:
    with speaking(trainer.assignment.language):
        return trainer.without_run(without_points(trainer.oracle, status, message), status, message)


def _graded(
    source: Source, trainer: Trainer, sandbox: Sandbox, stale: frozenset[str] | None, judges: Judges | None
) -> Result:
    """Grade, and grade again where that failed on our side; what stays is a GRADER_ERROR, never a lost class.

    The last try is made in this process: judges may be gone.
    """
    for tries_left in reversed(range(TRIES)):
        try:
            apart = judges if tries_left else None
            result = apart.grade(source) if apart else grade(source, trainer.oracle, sandbox)
            return trainer.add_to(result, source, sandbox, stale)
        except ClosedError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever it is, the others must be graded)
            with speaking(trainer.assignment.language):
                text = our_fault(Trouble("", f"{type(error).__name__}: {error}"))
            if tries_left:
                time.sleep(RETRY_SECONDS)  # what ran out, descriptors or memory, may have come back by then
    return replace(_without(trainer, Status.GRADER_ERROR, text), problem=text)


def carry_out(
    book: Gradebook,
    plan: Plan,
    sandbox: Sandbox,
    jobs: int,
    watch: Watch,
    gpus: Gpus | None = None,
    *,
    apart: bool = False,
) -> None:
    """Grade what a plan says, here; each result is in the book before the next is waited for.

    `apart` has several jobs judged in processes of their own; the sandbox must be fresh.
    """
    for trial in plan.oracle.trials:
        plan.oracle.expected(trial)  # a broken reference is to be known before anyone's code runs
    with judges_for(min(jobs, len(plan.tasks)) if apart else 1, plan.oracle, sandbox) as judges:
        coming = grade_class(plan.oracle, plan.tasks, sandbox, jobs, plan.stale, watch.training, gpus, judges)
        write_down(book, plan, ((finished(graded),) for graded in coming), watch)


def write_down(book: Gradebook, plan: Plan, coming: Iterable[Sequence[Finished]], watch: Watch) -> None:
    """Write down what a plan's submissions come to, as many at a time as come together.

    There is a run for each kind of machine that graded some of them.
    """
    began = time.monotonic()
    runs: dict[Isolation, int] = {}
    with watch:
        watch.start(len(plan.tasks), plan.kept)
        for some in coming:
            for isolation in {done.isolation for done in some} - runs.keys():
                runs[isolation] = book.begin(isolation)
            with book.writing():
                records = [_written(book, plan, done, runs[done.isolation]) for done in some]
            for record in records:
                watch.graded(Mark(record.student, record.status, record.points, record.max_score))
    for run in runs.values():
        book.end(run, time.monotonic() - began)


def _written(book: Gradebook, plan: Plan, done: Finished, run: int) -> Record:
    return book.save(done, plan.keys, plan.stale[done.submission.student], run, never_lower=plan.never_lower)
