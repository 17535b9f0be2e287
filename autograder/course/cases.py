"""A case: inputs, how to call the student's code with them, and a pure check on what comes back.

The same case grades a student, validates the reference, kills a known-wrong variant and, where public, runs on the
student's laptop.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    import numpy as np


class Status(StrEnum):
    """How a case ended, in the words that stand in results and reports."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    CRASHED = "CRASHED"
    TIMEOUT = "TIMEOUT"
    MEMORY = "MEMORY"
    OUTPUT = "OUTPUT"  # too large, or not data
    MISSING = "MISSING"  # not written yet
    SKIPPED = "SKIPPED"  # what it builds on failed
    MANUAL = "MANUAL"  # there is an answer, and a person grades it
    GRADER_ERROR = "GRADER_ERROR"  # ours, never the student's


class Visibility(StrEnum):
    """Who may see a case's inputs and outputs; decided by the directory its file lies in."""

    PUBLIC = "public"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class Module:
    """How to make the torch module whose method is called: constructor arguments and a state dict to load.

    With `cotangents`, nested as the outputs are, the call returns a dict of "output", "input_grads" (a list, None where an
    argument is no floating tensor, a list of its own where it is a tuple or list) and "param_grads" (by name) for the
    loss sum(output * cotangent). With `init=None` the exercise is a plain function, called for its gradients.

    `before` are arguments of an earlier call of the same method. Its answer is dropped; what a module keeps of it shows in the
    next one.
    """

    init: tuple[Any, ...] | None = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    method: str = "forward"
    training: bool = False
    cotangents: tuple[Any, ...] = ()
    before: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Call:
    """One call of the student's code, as data. An empty function name means the case's own exercise."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    function: str = ""
    module: Module | None = None

    def path(self, exercise: str) -> str:
        """Return the dotted name of the function or method that is called."""
        called = self.function or exercise
        return called if self.module is None or self.module.init is None else f"{called}.{self.module.method}"


def call(*args: Any, **kwargs: Any) -> Call:
    """Call the exercise's own function."""
    return Call(args, kwargs)


def call_module(*args: Any, module: Module, function: str = "", method: str = "", **kwargs: Any) -> Call:
    """Make the exercise's own class as `module` says, and call its method.

    `function` names another class than the exercise, and `method` another method than the module's: two methods of a class can
    be two exercises. Arguments of these names are handed over by position.
    """
    return Call(args, kwargs, function, replace(module, method=method) if method else module)


@dataclass(frozen=True)
class Answer:
    """What one call gave: the value it returned, and its arguments as they were afterwards."""

    value: Any
    args: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Finding:
    """Why a case failed. `kind` alone is safe to tell about a hidden case; the rest shows data.

    `kind` is one of judge.messages.KINDS; `where` names the part of the output ("dK", "[1]"), `index` the
    first differing entry of that array, `call` which of the case's calls it was, `right` the other parts that are right in it.
    """

    kind: str
    headline: str
    where: str = ""
    got: Any = None
    expected: Any = None
    index: tuple[int, ...] | None = None
    call: int = 0
    right: tuple[str, ...] = ()


class Check(Protocol):
    """A pure judgement of answers; the parent process runs it, never the student's."""

    sees_arguments: ClassVar[bool]  # whether it needs the arguments as they were after the call

    def judge(self, calls: tuple[Call, ...], got: tuple[Answer, ...], expected: tuple[Answer, ...]) -> Finding | None:
        """Return why the answers are wrong, or None if they are right."""

    def public(self, expected: tuple[Answer, ...]) -> tuple[Answer, ...]:
        """Return of the answers to a public case what students may have, the answers themselves where that is all."""

    def alike(self, got: tuple[Answer, ...], other: tuple[Answer, ...]) -> bool:
        """Whether two submissions' answers are the same, as diagnosis sees it."""


@dataclass(frozen=True)
class Plot:
    """A row of positive numbers in each call's answer, drawn over its index in the student's feedback, on a log axis.

    `row` takes it out of what a call returned; `calls` names the calls in the legend. Of a hidden case this shows what
    the row holds, so it is for configurations that the text describes anyway.
    """

    label: str
    calls: tuple[str, ...]
    row: Callable[[Any], Any] = lambda value: value


@dataclass(frozen=True)
class Case:
    """A named claim about one exercise. Its docstring (`claim`) is what a student reads.

    Where some arguments follow from others, as a cache does from inputs and weights, `anew` takes a call's arguments and
    returns them with those worked out again: smaller calls are made by cutting and rounding every argument by itself.
    `words` are the tokens of its sequence: in a heat map they name rows or columns, where there are as many.
    """

    name: str
    exercise: str
    claim: str
    check: Check
    generate: Callable[[np.random.Generator], Iterator[Call]]
    weight: float = 1.0
    keeps: str = ""  # why the case stays although no misconception fails it
    plot: Plot | None = None
    words: tuple[str, ...] = ()
    visibility: Visibility = Visibility.HIDDEN
    anew: Callable[..., tuple[Any, ...]] | None = None

    def calls(self, seed: int) -> tuple[Call, ...]:
        """Return the calls for a seed. Each case draws from its own stream, so adding one changes no other."""
        import numpy as np

        stream = zlib.crc32(f"{self.exercise}.{self.name}".encode())
        made = self.generate(np.random.default_rng([seed, stream]))
        if made is None or isinstance(made, Call):
            raise TypeError("it yields nothing; write yield call(...), not return call(...)")
        return tuple(made)


def case(
    exercise: str,
    *,
    check: Check,
    weight: float = 1.0,
    keeps: str = "",
    plot: Plot | None = None,
    words: Iterable[str] = (),
) -> Callable[[Callable[[np.random.Generator], Iterator[Call]]], Case]:
    """Turn a generator of calls into a Case: its name is the claim, its docstring what the student reads."""
    if isinstance(check, type):
        raise TypeError(f"check={check.__name__} is a class; write check={check.__name__}(...)")
    lacking = [name for name in ("sees_arguments", "judge", "public", "alike") if not hasattr(check, name)]
    if lacking:
        raise TypeError(
            f"a check of type {type(check).__name__} has no {', '.join(lacking)}; see Check in autograder/course/cases.py"
        )

    def decorate(generate: Callable[[np.random.Generator], Iterator[Call]]) -> Case:
        name = getattr(generate, "__name__", "")
        claim = " ".join((generate.__doc__ or "").split())
        return Case(name, exercise, claim, check, generate, weight, keeps, plot, tuple(words))

    return decorate
