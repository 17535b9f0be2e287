"""Which mutants the cases of an assignment notice: each runs on its exercise's cases, in a process of its own.

A mutant may loop for ever or ask for all memory. It is interrupted after some seconds; a process that even then says
nothing is ended, and another one goes on behind that mutant. What crashes, loops or differs is noticed, as with a student;
what takes its process down is tried once more, alone, since the machine may have done that.
"""

from __future__ import annotations

import itertools
import json
import resource
import select
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.places import CourseError
from autograder.course.spec import Assignment, Status, Visibility
from autograder.judge.blame import judge_trial
from autograder.judge.compare import difference
from autograder.judge.trials import Trial
from autograder.oracle.calls_here import run_requests
from autograder.oracle.oracle import Oracle
from autograder.proof.mutants import compiled, mutants_of
from autograder.sandbox.child.program import Program
from autograder.sandbox.job import Ending, Outcome

SEED, FURTHER = 0, range(1, 21)  # where mutants are tried, and where survivors are looked at again
SECONDS = 5.0  # of computing, for one case, until a mutant is interrupted; a busy machine makes no mutant slower
PATIENCE = 120  # seconds of silence until its process is ended
MEMORY = 6 << 30
READY = ["ready"]  # what a process says first
DEADLY = ["hidden"]  # what is said of a mutant that takes its process down: who grades students would notice
SAME, SAME_SINGLE = 1e-9, 1e-5  # how near outputs are that count as identical, in double and in single precision


@dataclass(frozen=True)
class Fate:
    """What became of a mutant, or of a known mistake of the bank: what noticed ("public", "hidden" or nothing).

    Of one that nothing noticed, `evidence` says how it does at further seeds: "same" outputs everywhere, "different"
    ones that all cases let pass, or "seeds" where a case fails at one of them.
    """

    exercise: str
    name: str
    bank: bool
    noticed: str
    evidence: str = ""


class BrokenTrialError(CourseError):
    """Mutants cannot be tried at all, so that nothing may be said about them."""


def fates(
    course: Path, slug: str, jobs: int, seconds: float = SECONDS, chosen: Callable[[str], bool] = lambda _: True
) -> tuple[Fate, ...]:
    """Try every mutant and known mistake with a chosen name, all if none is; a case of a mutant may take some seconds."""
    names = _Trials(load_assignment(course, slug)).names
    wanted = [index for index, (_, name, _) in enumerate(names) if chosen(name)]
    command = [sys.executable, "-m", "autograder.proof.mutant_runs", str(course), slug, str(seconds)]
    with ThreadPoolExecutor(jobs) as pool:
        parts = pool.map(lambda part: list(_supervised(command, wanted[part::jobs])), range(jobs))
        found = dict(itertools.chain(*parts))
    for index in (index for index in wanted if found[index] == DEADLY):
        found |= _supervised(command, [index])
    return tuple(Fate(*names[index], *found[index]) for index in wanted)


def _supervised(command: list[str], indices: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
    """Yield what becomes of each mutant. Raises BrokenTrialError where a process does not even begin."""
    left = list(indices)
    while left:
        with _Worker(command, left) as lines:
            if next(lines, None) != READY:
                raise BrokenTrialError(f"{' '.join(command[2:])} did not begin; what it said stands above.")
            for line in lines:
                yield left.pop(0), line
        if left:  # it said nothing any more: whatever it was at hangs or took the process down
            yield left.pop(0), DEADLY


class _Worker:
    """A process that tries mutants one by one, and says a line about each."""

    def __init__(self, command: list[str], indices: Sequence[int]) -> None:
        # Without a buffer, so that no line waits where select does not look.
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self._process.stdin
        self._process.stdin.write(json.dumps(list(indices)).encode())
        self._process.stdin.close()

    def __enter__(self) -> Iterator[list[str]]:
        return self._lines()

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def _lines(self) -> Iterator[list[str]]:
        out = self._process.stdout
        while out and select.select([out], [], [], PATIENCE)[0]:
            line = out.readline()
            if not line.endswith(b"\n"):
                return
            yield json.loads(line)


class _Trials:
    """The mutants and known mistakes of an assignment, by number, and how each is tried."""

    def __init__(self, assignment: Assignment, seconds: float = SECONDS) -> None:
        self._assignment, self._seconds = assignment, seconds
        self._mutants = mutants_of(assignment)
        named = [(m.exercise, m.name, False) for m in self._mutants]
        self.names = named + [(m.exercise, m.name, True) for m in assignment.misconceptions]
        self._oracles: dict[int, Oracle] = {}
        self._compiled: tuple[int, CodeType] | None = None  # the one at hand, which meets many cases

    def warm_up(self) -> None:
        """Run the reference once; what is broken by itself is no mutant's doing."""
        for trial in self._oracle(SEED).trials:
            self._oracle(SEED).expected(trial)

    def fate(self, index: int) -> tuple[str, str]:
        """Return which cases notice it, or the evidence that it changes nothing."""
        exercise = self.names[index][0]
        for visibility in Visibility:
            if any(self._notices(trial, index) for trial in self._of(SEED, exercise, visibility)):
                return str(visibility), ""
        return "", self._evidence(index, exercise)

    def _evidence(self, index: int, exercise: str) -> str:
        same = True
        for seed in FURTHER:
            oracle = self._oracle(seed)
            for trial in oracle.trials:
                if exercise in ("", trial.case.exercise):
                    expected, mine = oracle.expected(trial), self._run(index, trial)
                    if not self._passes(oracle, trial, mine):
                        return "seeds"
                    same = same and all(map(self._same, mine, expected))
        return "same" if same else "different"

    def _of(self, seed: int, exercise: str, visibility: Visibility) -> list[Trial]:
        trials = [t for t in self._oracle(seed).trials if t.case.visibility is visibility]
        return [t for t in trials if exercise in ("", t.case.exercise)]

    def _oracle(self, seed: int) -> Oracle:
        if seed not in self._oracles:
            self._oracles[seed] = Oracle(self._assignment, seed)
        return self._oracles[seed]

    def _notices(self, trial: Trial, index: int) -> bool:
        return not self._passes(self._oracle(SEED), trial, self._run(index, trial))

    def _passes(self, oracle: Oracle, trial: Trial, mine: tuple[Outcome, ...]) -> bool:
        return judge_trial(oracle, trial, mine, oracle.expected(trial)).status is Status.PASSED

    def _run(self, index: int, trial: Trial) -> tuple[Outcome, ...]:
        """Run a mutant on a trial; what cannot be imported, or is interrupted, counts as raised."""
        signal.setitimer(signal.ITIMER_PROF, self._seconds, 1)
        try:
            return self._outcomes(index, trial)
        except (Exception, _TooLongError):  # noqa: BLE001
            return tuple(Outcome(Ending.RAISED) for _ in trial.requests)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _outcomes(self, index: int, trial: Trial) -> tuple[Outcome, ...]:
        program = Program("mutant", notebook=False)
        program.texts = {self._assignment.file: ""}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(self._code(index), vars(program.module))  # noqa: S102 (the course's own)
            return run_requests(program, trial.requests)

    def _code(self, index: int) -> CodeType:
        if self._compiled is None or self._compiled[0] != index:
            self._compiled = index, self._compile(index)
        return self._compiled[1]

    def _compile(self, index: int) -> CodeType:
        if index < len(self._mutants):
            return compiled(self._assignment, self._mutants[index])
        known = self._assignment.misconceptions[index - len(self._mutants)]
        return compile(apply_edits(self._assignment.reference, (known,)) or "", self._assignment.file, "exec")

    def _same(self, one: Outcome, other: Outcome) -> bool:
        tolerance = SAME_SINGLE if self._assignment.torch else SAME
        pair = [one.value, list(one.args)], [other.value, list(other.args)]
        return one.ending is other.ending and difference(*pair, tolerance=tolerance) is None


class _TooLongError(BaseException):
    """A mutant takes too long."""


def _interrupt(*_: Any) -> None:
    raise _TooLongError


def _work(course: str, slug: str, seconds: str, indices: Sequence[int]) -> None:
    """Try mutants, and say a line of JSON about each."""
    said, sys.stdout = sys.stdout, sys.stderr  # for what mutants print
    trials = _Trials(load_assignment(Path(course), slug), float(seconds))
    trials.warm_up()
    signal.signal(signal.SIGPROF, _interrupt)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    for line in itertools.chain([READY], map(trials.fate, indices)):
        print(json.dumps(line), file=said, flush=True)


if __name__ == "__main__":
    _course, _slug, _seconds = sys.argv[1:]
    _work(_course, _slug, _seconds, json.load(sys.stdin))
