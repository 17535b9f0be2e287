"""The data that a judge works with: trials, their outcomes, and known answers, right and wrong.

`oracle.Oracle` gets the answers by running the reference. `handout.kit.bundle.Bundle`, on a student's laptop, reads answers
that were computed when the handout was made.
"""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

from autograder.course.spec import Assignment, Call, Case, Finding, Misconception, Module, Status, Visibility
from autograder.judge.calls_as_text import numbers_in
from autograder.judge.reasons import Slipped
from autograder.judge.right_values import RightValues
from autograder.sandbox.job import Outcome, Request, Sandbox, Source

LARGE = 20_000  # numbers in a trial's arguments; all others have far fewer than those about long sequences
MOST_KEPT = 1000  # of one kind of what was found out and the next submissions may ask for
T = TypeVar("T")
Found = tuple[tuple[Hashable, ...], object, int]  # a key, what was made for it, and how many of its kind are kept


@dataclass(frozen=True, eq=False)
class Trial:
    """One case with the calls drawn for this run, as values and as requests; compared by identity."""

    case: Case
    calls: tuple[Call, ...]
    requests: tuple[Request, ...]
    drawn: bool = False  # whether what other exercises give is drawn there: known mistakes may never end on it

    @property
    def name(self) -> str:
        """Its exercise and case, which no other trial has."""
        return f"{self.case.exercise}.{self.case.name}"

    @cached_property
    def size(self) -> int:
        """How many numbers its calls get."""
        return numbers_in([[request.args, dict(request.kwargs)] for request in self.requests])

    @property
    def cost(self) -> tuple[int, int]:
        """What says, beside other trials of an exercise, how long it takes: its calls, and the numbers that they get."""
        return len(self.requests), self.size

    @property
    def is_large(self) -> bool:
        """Whether these are so many that each known mistake would take long on it."""
        return self.size > LARGE


@dataclass(frozen=True)
class Judged:
    """One trial as its own check judges it, before diagnosis."""

    trial: Trial
    outcomes: tuple[Outcome, ...]
    status: Status
    finding: Finding | None = None
    waits_for: str = ""  # an exercise that is not written yet, inside which it stopped
    smallest: Judged | None = None  # a smaller call that fails as well
    trail: tuple[tuple[str, tuple[int, ...]], ...] = ()  # names and shapes on the way through the call that is shown


@dataclass(frozen=True)
class Small:
    """A smaller call of the same kind, as a trial of its own, and what the reference gives."""

    trial: Trial
    expected: tuple[Outcome, ...]


class Kept:
    """What was found out and may be asked for again, by kind; of each kind the oldest is forgotten."""

    def __init__(self) -> None:
        self._found: dict[Hashable, OrderedDict[Hashable, Any]] = defaultdict(OrderedDict)
        self._lock = threading.Lock()  # held for a look alone: who makes something may hold other locks
        self.noted: frozenset[str] = frozenset()  # the kinds of which `news` tells
        self._news: list[Found] = []

    def get(self, key: tuple[Hashable, ...], make: Callable[[], T], most: int = MOST_KEPT) -> T:
        """Return what `make` gives, made once while it is kept; what has not been asked for longest is forgotten."""
        with self._lock:
            kind = self._found[key[0]]
            if key in kind:
                kind.move_to_end(key)
                return kind[key]  # type: ignore[no-any-return] # what was made for the same key
        made = make()
        self._put(key, made, most)
        if key[0] in self.noted:
            self._news.append((key, made, most))
        return made

    def news(self) -> list[Found]:
        """Return what was made of the noted kinds since this was last asked."""
        news, self._news = self._news, []
        return news

    def put(self, news: Iterable[Found]) -> None:
        """Keep what was made elsewhere."""
        for key, made, most in news:
            self._put(key, made, most)

    def _put(self, key: tuple[Hashable, ...], made: object, most: int) -> None:
        with self._lock:
            kind = self._found[key[0]]
            kind[key] = made
            if len(kind) > most:
                kind.popitem(last=False)


class Facts(Protocol):
    """What is known about an assignment's trials before a submission runs."""

    @property
    def assignment(self) -> Assignment:
        """The assignment; on a student's laptop without its secrets."""

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
        """Return what the reference gives with these misconceptions in it, or None where this is unknown."""

    def matters(self, name: str, trial: Trial) -> bool:
        """Whether a misconception can change what the reference gives."""

    def pairs_giving(
        self, got: Mapping[Trial, tuple[Outcome, ...]], failed: Collection[Trial]
    ) -> Iterable[tuple[str, str]]:
        """Return pairs of misconceptions known to give an exercise's outcomes, where `answers` has none for two at once."""

    def kept(self, key: tuple[Hashable, ...], make: Callable[[], T], most: int = MOST_KEPT) -> T:
        """Return what `make` gives, which may be kept for the next submissions and must not be changed.

        The key says all that it depends on, first of all what it is; `most` of a kind are kept.
        """


@dataclass(frozen=True)
class Origins:
    """Where failures come from: of trials the exercises that they follow from, and those that are wrong by themselves.

    A trial that follows from no exercise is charged to its own, even where known mistakes of others had excused it. One of its
    `own` was judged beside what the student's code of others gives, or without it, and is wrong there, too.
    """

    follows: Mapping[Trial, tuple[str, ...]]
    own: frozenset[Trial] = frozenset()

    def after(self, more: Origins) -> Origins:
        """Return these and what was found later, which changes nothing of these."""
        return Origins({**more.follows, **self.follows}, self.own | more.own)


class Knowledge(Facts, Protocol):
    """Facts, and what can be found out about one submission with them."""

    @property
    def replays(self) -> bool:
        """Whether `follow` tells right code from wrong where what it uses is wrong: that takes the reference."""

    def smaller(self, trial: Trial) -> tuple[Small, ...]:
        """Return smaller calls of the same kind, the smallest first; none where the call is small or its check is no `close`."""

    def right_values(self, trial: Trial, call: int) -> RightValues | None:
        """Return what correct solutions have on the way through a call of a trial, or None where that is not known."""

    def slip_giving(
        self, exercise: str, got: Mapping[Trial, tuple[Outcome, ...]], failed: Collection[Trial]
    ) -> Slipped | None:
        """Return what is told of a small change to right code that gives an exercise's outcomes, alone or beside a known mistake."""

    def alterations(self, trial: Trial) -> Sequence[tuple[str, ...]]:
        """Return how a trial's arguments can be changed for `altered`, by the kind of change and the names of arguments."""

    def altered(self, trial: Trial, change: tuple[str, ...]) -> tuple[Outcome, ...] | None:
        """Return what the reference gives for a trial with its arguments changed, or None where it cannot be changed so."""

    def follow(
        self,
        source: Source,
        sandbox: Sandbox,
        judged: Sequence[Judged],
        excused: Collection[Trial] = (),
        named: Mapping[str, tuple[str, ...]] = ...,
    ) -> Origins:
        """Return where failures come from. `named` are the known mistakes of those exercises which have no others."""

    def right_inside(self, source: Source, sandbox: Sandbox, trials: Iterable[Trial], exercise: str) -> bool:
        """Return whether an exercise gives what is right wherever the student's code calls it in some trials, as far as known."""

    def without_others(
        self, source: Source, sandbox: Sandbox, exercise: str, judged: Sequence[Judged]
    ) -> Mapping[Trial, Judged]:
        """Return an exercise's trials as they come out without the others that do not pass, as far as known."""


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
    """Return how to make a module, as plain data."""
    return {
        "init": module.init,
        "state": dict(module.state),
        "method": module.method,
        "training": module.training,
        "cotangents": module.cotangents,
        "before": module.before,
    }
