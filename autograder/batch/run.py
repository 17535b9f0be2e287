"""Grade a class: every submission once, a few at a time, each result on disk as soon as it is there."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.batch.gradebook import record, write_record
from autograder.batch.submissions import Submission
from autograder.course.spec import Status
from autograder.judge.explain import OUR_FAULT
from autograder.judge.grade import grade, without_points
from autograder.judge.oracle import Oracle
from autograder.judge.result import Result
from autograder.sandbox.job import ClosedError, Sandbox, Source

TRIES = 2
RETRY_SECONDS = 0.5


def grade_class(
    oracle: Oracle, submissions: Sequence[Submission], sandbox: Sandbox, out: Path, jobs: int
) -> Iterator[dict[str, Any]]:
    """Yield each submission's record when it is graded and written, in the order they finish."""
    stop = threading.Event()

    def one(submission: Submission) -> dict[str, Any] | None:
        try:
            return None if stop.is_set() else grade_one(oracle, submission, sandbox, out)
        except ClosedError:
            return None

    with ThreadPoolExecutor(jobs, thread_name_prefix="slot") as pool:
        waiting = {pool.submit(one, submission) for submission in submissions}
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    entry = future.result()
                    if entry is not None:
                        yield entry
        except BaseException:  # Ctrl-C, or nobody wants the rest: end what is running, begin nothing more
            stop.set()
            sandbox.close()
            raise


def grade_one(oracle: Oracle, submission: Submission, sandbox: Sandbox, out: Path) -> dict[str, Any]:
    """Grade one submission and write its record."""
    started = time.monotonic()
    if submission.source is None:
        result = without_points(oracle, Status.MISSING, submission.problem)
    else:
        result = _graded(submission.source, oracle, sandbox)
    entry = record(oracle.assignment, submission, result, sandbox.isolation, oracle.seed, time.monotonic() - started)
    write_record(out, entry)
    return entry


def _graded(source: Source, oracle: Oracle, sandbox: Sandbox) -> Result:
    """Grade, and grade again where that failed on our side; what stays is a GRADER_ERROR, never a lost class."""
    for _ in range(TRIES):
        try:
            return grade(source, oracle, sandbox)
        except ClosedError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever it is, the others must be graded)
            text = f"{OUR_FAULT} ({type(error).__name__}: {error})"
            time.sleep(RETRY_SECONDS)  # what ran out, descriptors or memory, may have come back by then
    return replace(without_points(oracle, Status.GRADER_ERROR, text), problem=text)
