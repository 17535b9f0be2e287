"""Ask a submission's code one thing after another, in one child while that lives.

The next question may depend on the answers so far, as in a recurrence. A child for each would import the submission again for
every step. So who asks works in a thread of its own, and waits there for the answers.
"""

from __future__ import annotations

import itertools
import queue
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from autograder.course.spec import Assignment
from autograder.oracle.scrambled import as_called, scrambled
from autograder.oracle.student_calls import StudentCall
from autograder.sandbox.job import Job, Outcome, Request, Sandbox, Source

T = TypeVar("T")
Ask = Callable[[Sequence[StudentCall]], tuple[Outcome, ...]]


def converse(
    assignment: Assignment, source: Source, sandbox: Sandbox, names: Collection[str], work: Callable[[Ask], T]
) -> T:
    """Return what `work` does, which gets a function that has the student's code answer calls; what `names` answer is scrambled.

    Where a child ends at a call, the next ones go to another child. Raises what `work` or the sandbox raises.
    """
    questions = queue.SimpleQueue[tuple[Request, ...]]()  # nothing at the end
    answers = queue.SimpleQueue[tuple[Outcome, ...] | BaseException]()  # all of a job's
    numbers = itertools.count()
    asked: tuple[Request, ...] = ()

    def ask(calls: Sequence[StudentCall]) -> tuple[Outcome, ...]:
        requests = [call.request(next(numbers)) for call in calls]
        questions.put(tuple(scrambled(request, names) for request in requests))
        got = answers.get()
        if isinstance(got, BaseException):
            answers.put(got)  # for the next call: code that asks may catch it, as the reference's own would be
            raise got
        return tuple(map(as_called, got[len(got) - len(calls) :], requests))

    def more(outcomes: tuple[Outcome, ...]) -> tuple[Request, ...]:
        nonlocal asked
        answers.put(outcomes)
        asked = questions.get()
        return asked

    limits, shortcuts, torch = assignment.limits, assignment.shortcuts, assignment.torch
    with ThreadPoolExecutor(1, thread_name_prefix="conversation") as thread:
        working = thread.submit(work, ask)
        working.add_done_callback(lambda _: questions.put(()))
        try:
            asked = questions.get()
            while asked:
                ran = sandbox.run(Job(source, asked, limits, shortcuts, torch, more=more))
                if asked:  # else that was all
                    answers.put(ran.outcomes)
                    asked = questions.get()
        except BaseException as error:
            answers.put(error)  # who asks must not wait for ever
            raise
        return working.result()
