"""What a judge works with: trials, how they went, and what is known beforehand about right and wrong answers.

Everything here is data. `oracle.Oracle` knows by running the reference; `handout.kit.bundle.Bundle`, on a student's laptop,
by reading what was found out at home.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from autograder.course.spec import Assignment, Call, Case, Finding, Misconception, Module, Status, Visibility
from autograder.sandbox.job import Outcome, Request, Sandbox, Source


@dataclass(frozen=True, eq=False)
class Trial:
    """One case with the calls drawn for this run, as values and as requests; compared by identity."""

    case: Case
    calls: tuple[Call, ...]
    requests: tuple[Request, ...]


@dataclass(frozen=True)
class Judged:
    """One trial as first judged, before diagnosis and carrying forward."""

    trial: Trial
    outcomes: tuple[Outcome, ...]
    status: Status
    finding: Finding | None = None
    note: str = ""
    smallest: Judged | None = None  # a smaller call that fails as well


@dataclass(frozen=True)
class Small:
    """A smaller call of a trial, as a trial of its own, and what the reference gives."""

    trial: Trial
    expected: tuple[Outcome, ...]


class Facts(Protocol):
    """What is known about an assignment's trials before anyone's code runs."""

    @property
    def assignment(self) -> Assignment:
        """What is graded; where the knowledge is public, without anything that is not."""

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials, in report order."""

    @property
    def signatures(self) -> Mapping[str, tuple[str, ...]]:
        """The names of parameters, by the dotted name of a function or method."""

    def trials_of(self, exercise: str) -> tuple[Trial, ...]:
        """Return an exercise's trials in report order."""

    def misconceptions_of(self, exercise: str) -> tuple[Misconception, ...]:
        """Return an exercise's misconceptions in bank order."""

    def misconception(self, name: str) -> Misconception:
        """Return a misconception by name."""

    def expected(self, trial: Trial) -> tuple[Outcome, ...]:
        """Return what the reference gives."""

    def answers(self, names: tuple[str, ...], trial: Trial) -> tuple[Outcome, ...] | None:
        """Return what the reference gives with these misconceptions in it, or None where that is not known."""

    def matters(self, name: str, trial: Trial) -> bool:
        """Whether a misconception can change what the reference gives."""


class Knowledge(Facts, Protocol):
    """Facts, and what may be worked out from them about one submission."""

    def smaller(self, trial: Trial) -> tuple[Small, ...]:
        """Return the same call with smaller inputs, the smallest first; none where it is small, or no value case."""

    def follow(
        self,
        source: Source,
        sandbox: Sandbox,
        judged: Sequence[Judged],
        excused: Collection[Trial] = (),
        named: Collection[str] = (),
    ) -> Mapping[Trial, tuple[str, ...]]:
        """Return the failed trials, but for excused ones, that only follow from other exercises, with their names.

        `named` are the exercises all of whose mistakes are known ones.
        """


def make_trial(case: Case, calls: tuple[Call, ...], seed: int) -> Trial:
    """Return a case's trial, each call with the request that makes it."""
    group = f"{case.exercise}.{case.name}"
    requests = tuple(
        Request(
            function=call.function or case.exercise,
            args=call.args,
            kwargs=dict(call.kwargs),
            module=None if call.module is None else as_data(call.module),
            group=group,
            family=case.exercise,
            phase=int(case.visibility is Visibility.HIDDEN),
            seed=zlib.crc32(f"{seed}.{group}".encode()),
            keep_args=case.check.sees_arguments,
        )
        for call in calls
    )
    return Trial(case, calls, requests)


def as_data(module: Module) -> dict[str, Any]:
    """Return how to make a module, as it travels."""
    return {
        "init": module.init,
        "state": dict(module.state),
        "method": module.method,
        "training": module.training,
        "cotangents": module.cotangents,
    }
