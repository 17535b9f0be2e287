"""Follow a mistake through, so that it is charged once.

Some exercises call others. Where one that is called is wrong, the calling one is judged against what the reference
would give *if it called the student's version*: the reference of the calling exercise runs here, and wherever it calls
the wrong one, the question goes to the student's code through the sandbox, like any other call. No reference code
leaves this process. What comes back is used as the value of that call; a case whose outcome is the one so found is the
work of the called exercise, not of the calling one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from autograder.course.spec import Case, Status, Visibility
from autograder.judge.attribute import OWN_FAULT, Judged, diagnosis_of
from autograder.judge.compare import difference
from autograder.judge.diagnose import UNCOMPARABLE, same_outcomes
from autograder.judge.oracle import Oracle, Trial, run_requests, to_worker
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source
from autograder.sandbox.program import Program
from autograder.sandbox.wire import Tensor, WireError, decode, encode

MAX_ROUNDS = 64  # of questions and answers: a recurrence asks for its steps one after another
MAX_CALLS = 10_000  # of functions that are asked about, in one replay
MAX_TIMES = 4  # as long as importing and one case may take, for all rounds; what is open by then is not excused
MAX_GROWTH = 4  # times the reference's size an answer may have, so that hostile shapes cannot multiply here
_ROOM = 64  # entries, and whole numbers, that are always allowed

Question = tuple[str, bytes]  # a function's name and its encoded arguments


def follow(oracle: Oracle, source: Source, sandbox: Sandbox, judged: Sequence[Judged]) -> dict[Trial, tuple[str, ...]]:
    """Return the failed trials that only follow from other exercises, with the names of those."""
    wrong = {j.trial.case.exercise for j in judged if j.status in OWN_FAULT}
    open_trials = [j for j in judged if j.status in OWN_FAULT and wrong - {j.trial.case.exercise}]
    if not open_trials:
        return {}
    replay = _Replay(oracle, wrong)
    excused: dict[Trial, tuple[str, ...]] = {}
    limits = oracle.assignment.limits
    end = time.monotonic() + MAX_TIMES * (limits.import_seconds + limits.case_seconds)
    for _ in range(MAX_ROUNDS):
        waiting = []
        for j in open_trials:
            outcomes = replay.outcomes(j.trial)
            if outcomes is None:
                waiting.append(j)
            elif replay.asked and _informative(outcomes) and same_outcomes(j.trial, j.outcomes, outcomes):
                excused[j.trial] = tuple(sorted(replay.asked))
        questions = replay.take_questions()
        if not questions or time.monotonic() > end:
            break
        ran = sandbox.run(Job(source, tuple(questions.values()), limits))
        replay.learn(dict(zip(questions, ran.outcomes, strict=True)))
        open_trials = waiting
    return _with_evidence(oracle, judged, excused)


def _with_evidence(
    oracle: Oracle, judged: Sequence[Judged], excused: dict[Trial, tuple[str, ...]]
) -> dict[Trial, tuple[str, ...]]:
    """Leave out what merely crashes as it should, unless something else speaks for the exercise.

    That is a hidden case in which it returns what it should, or that the mistake which makes it crash is a known one.
    Otherwise whoever lets the first exercise crash, and all others call it, would earn the others.
    """
    returned = {j.trial for j in judged if all(outcome.ending is Ending.RETURNED for outcome in j.outcomes)}
    shown = {
        j.trial.case.exercise
        for j in judged
        if j.trial.case.visibility is Visibility.HIDDEN
        and j.trial in returned
        and (j.status is Status.PASSED or j.trial in excused)
    }
    diagnoses = {
        name: diagnosis_of(oracle, name, judged) for name in {name for names in excused.values() for name in names}
    }
    known = {name for name, diagnosis in diagnoses.items() if diagnosis and not diagnosis.tentative}
    return {
        trial: names
        for trial, names in excused.items()
        if trial in returned or trial.case.exercise in shown or known.issuperset(names)
    }


class _StopError(Exception):
    """Ends a replay that cannot go on."""


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise _StopError in what runs here for too long: with a wrong answer in it a loop of the reference may never end."""
    end, before = time.monotonic() + seconds, sys.gettrace()

    def trace(*_: object) -> Any:
        if time.monotonic() > end:
            raise _StopError
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


@dataclass
class _Replay:
    """Runs the reference with some of its functions answered by the student's code."""

    oracle: Oracle
    wrong: set[str]
    asked: set[str] = field(default_factory=set)  # in the latest replay
    _waiting: bool = False  # for an answer, in the latest replay
    _failed: Outcome | None = None  # of a called exercise that did not return, in the latest call
    _calls: int = 0  # in the latest call
    _known: dict[Question, Outcome] = field(default_factory=dict)
    _new: dict[Question, Request] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._program: Program = self.oracle.own_reference()
        self._reference = vars(self.oracle.reference().module)
        members = vars(self._program.module)
        self._originals = {name: members[name] for name in self.wrong if isinstance(members.get(name), FunctionType)}

    def outcomes(self, trial: Trial) -> tuple[Outcome, ...] | None:
        """Replay a trial; None while answers are missing."""
        self.asked, self._waiting = set(), False
        members = vars(self._program.module)
        for name, original in self._originals.items():
            members[name] = original if name == trial.case.exercise else self._question(name, trial.case)
        found: list[Outcome] = []
        for request in trial.requests:
            self._failed, self._calls = None, 0
            began, most = time.monotonic(), 2 * self.oracle.assignment.limits.case_seconds
            try:
                with _at_most(most):
                    (outcome,) = run_requests(self._program, (request,))
            except _StopError:
                outcome = Outcome(Ending.NOT_RUN)
            if time.monotonic() - began > most:
                outcome = Outcome(Ending.NOT_RUN)
            found.append(self._failed or outcome)
        return None if self._waiting else tuple(found)

    def take_questions(self) -> dict[Question, Request]:
        """Return the questions that came up, once each."""
        questions, self._new = self._new, {}
        return questions

    def learn(self, answers: dict[Question, Outcome]) -> None:
        """Keep the answers to questions."""
        self._known |= answers

    def _question(self, name: str, case: Case) -> Callable[..., Any]:
        def ask(*args: Any, **kwargs: Any) -> Any:
            self.asked.add(name)
            self._calls += 1
            if self._calls > MAX_CALLS:
                self._failed = Outcome(Ending.NOT_RUN)
                raise _StopError
            try:
                question = (name, encode((list(args), kwargs)))
                twins = {(name, encode((list(other), kwargs))): other for other in _twins(args)}
            except WireError:
                return self._reference[name](*args, **kwargs)
            group = f"{case.exercise}.{case.name}"
            asked = {question: args} | twins
            for new in asked.keys() - self._known.keys():
                self._waiting = True
                kept = new == question
                self._new[new] = Request(
                    name, asked[new], kwargs, None, group if kept else f"{group}'", name, phase=1, keep_args=kept
                )
            if self._waiting:
                raise _StopError
            outcome = self._known[question]
            expected = self._reference[name](*to_worker(list(args)), **to_worker(kwargs))
            if outcome.ending is not Ending.RETURNED or not _fits(outcome.value, expected):
                self._failed = outcome
                raise _StopError
            # What is built on zeros, or on something that ignores what it is given, is too easy to be worth points.
            if not _informative((outcome,)) or self._ignores(name, kwargs, outcome, expected, twins):
                self._failed = Outcome(Ending.NOT_RUN)
                raise _StopError
            _change_alike(args, outcome.args)
            return to_worker(outcome.value)

        return ask

    def _ignores(
        self, name: str, kwargs: dict[str, Any], outcome: Outcome, expected: Any, twins: dict[Question, tuple[Any, ...]]
    ) -> bool:
        """Whether an answer stays the same for most of the arguments on which the reference's depends."""
        depends = ignored = 0
        for twin, args in twins.items():
            try:
                right = self._reference[name](*to_worker(list(args)), **to_worker(kwargs))
            except Exception:  # noqa: BLE001, S112 (the changed argument is none that it takes)
                continue
            if not _same(right, expected):
                depends += 1
                ignored += self._known[twin].ending is Ending.RETURNED and _same(self._known[twin].value, outcome.value)
        return 2 * ignored > depends


def _twins(args: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the arguments with one array of fractions changed, for each of them."""
    for position, arg in enumerate(args):
        array = arg.detach().numpy() if hasattr(arg, "detach") else arg
        if isinstance(array, np.ndarray) and array.dtype.kind == "f" and array.size:
            changed = (np.flip(array) * -0.7 + 0.3).astype(array.dtype)
            other = changed if array is arg else Tensor(changed)
            yield (*args[:position], other, *args[position + 1 :])


def _same(one: Any, other: Any) -> bool:
    try:
        return difference(decode(encode(one)), decode(encode(other))) is None
    except UNCOMPARABLE:  # WireError is one of them
        return False


def _change_alike(args: Sequence[Any], after: Sequence[Any]) -> None:
    """Do to the arguments what the student's version did to its own."""
    for mine, theirs in zip(args, after, strict=False):
        if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray) and mine.shape == theirs.shape:
            mine[...] = theirs


def _fits(value: Any, expected: Any) -> bool:
    """Whether an answer is of a size, and counts up to one, that the reference can safely go on with."""
    return all(measure(value) <= max(MAX_GROWTH * measure(expected), _ROOM) for measure in (_entries, _count))


def _count(tree: Any) -> int:
    """Return the largest whole number in an answer, which may be how often or how many."""
    if isinstance(tree, list | tuple | dict):
        return max(map(_count, tree.values() if isinstance(tree, dict) else tree), default=0)
    array = np.asarray(tree.array if isinstance(tree, Tensor) else tree)
    return max(abs(int(array.min())), abs(int(array.max()))) if array.dtype.kind in "iu" and array.size else 0


def _entries(tree: Any) -> int:
    if isinstance(tree, list | tuple):
        return sum(map(_entries, tree))
    if isinstance(tree, dict):
        return sum(map(_entries, tree.values()))
    array = tree.array if isinstance(tree, Tensor) else tree
    return int(getattr(array, "size", 1)) if isinstance(array, np.ndarray) else 1


def _informative(outcomes: tuple[Outcome, ...]) -> bool:
    """Whether what returned says anything: a called exercise that gives zeros must not excuse whatever gives zeros."""
    arrays = [
        o.value.array if isinstance(o.value, Tensor) else o.value for o in outcomes if o.ending is Ending.RETURNED
    ]
    numbers = [a for a in arrays if isinstance(a, np.ndarray) and a.size > 1 and a.dtype != bool]
    return not numbers or any((a != a.flat[0]).any() for a in numbers)
