"""Run the other correct solutions of a course: right code may call other exercises than the reference does, or call them otherwise."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from autograder.course.other_ways import used_in_any_way, ways_of
from autograder.judge.trials import Trial
from autograder.oracle.calls_here import run_requests
from autograder.oracle.fresh_program import fresh_program
from autograder.oracle.reference import Reference
from autograder.oracle.step_limit import limited_steps
from autograder.oracle.student_calls import without_objects
from autograder.sandbox.child.guards import imported_in
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.replaced import place_of, put_in_place
from autograder.sandbox.child.wire_format import WireError, snapshot
from autograder.sandbox.job import Outcome, Request

_NAME = "other_way"  # of its module


class Free(NamedTuple):
    """The names of arguments that can be said otherwise with the same right answer."""

    numbers: frozenset[str]  # whole numbers that change nothing in it, such as the size of a tile
    masks: frozenset[str]  # masks that may be left out where they hide nothing


@dataclass(frozen=True)
class NotedCall:
    """A call of another exercise, of a class its `forward`, and what returns the right answer to it."""

    name: str
    is_module: bool
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    answer: Callable[[], Any]
    free: Free | None = None  # where that was tried


Noted = tuple[tuple[str, NotedCall | None], ...]  # calls by exercise; None where arguments or answer are no data


@dataclass(frozen=True)
class Way:
    """Another correct solution, which writes an exercise in its own way."""

    file: str
    text: str

    def program(self) -> Program:
        """Return it as a program that nothing shares."""
        return fresh_program(_NAME, self.file, self.text)

    def outcomes(self, requests: tuple[Request, ...]) -> tuple[Outcome, ...]:
        """Return what comes of calls that a submission is asked for."""
        return self._run(self.program(), requests)

    def calls(self, trial: Trial, names: Collection[str]) -> Noted:
        """Return the calls of some exercises in a trial, also those inside others."""
        program, noted = self.program(), list[tuple[str, NotedCall | None]]()
        module = program.module
        places = {name: place_of(module, name) for name in names if hasattr(module, name)}
        watched = {
            place: _watched(name, place[0] is not module, getattr(*place), noted)
            for name, place in places.items()
            if hasattr(*place)  # a class that is no torch module has no `forward`
        }
        with put_in_place(watched):
            self._run(program, trial.requests)
        return tuple(noted)

    def _run(self, program: Program, requests: tuple[Request, ...]) -> tuple[Outcome, ...]:
        with limited_steps():  # on answers that are not right ones a loop may never end
            return run_requests(program, requests)


def _watched(
    name: str, is_module: bool, own: Callable[..., Any], noted: list[tuple[str, NotedCall | None]]
) -> Callable[..., Any]:
    """Return a function that notes its calls."""

    def watched(*args: Any, **kwargs: Any) -> Any:
        given = _data(without_objects(args[is_module:], kwargs))
        value = own(*args, **kwargs)
        answer = _data((value,))
        call = given and answer and NotedCall(name, is_module, given[0], given[1], partial(operator.getitem, answer, 0))
        noted.append((name, call or None))
        return value

    return watched


def _data(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return copies of arguments or of an answer as data; nothing where they are none."""
    try:
        return tuple(snapshot(part) for part in parts)
    except WireError:
        return ()


def ways_written(oracle: Reference, exercise: str) -> tuple[Way, ...]:
    """Return the other correct solutions that write an exercise in their own way.

    One that imports torch in an assignment without it is left out: that would take seconds and 200 MB of the grader.
    """

    def compiled() -> tuple[Way, ...]:
        assignment = oracle.assignment
        own = next(e for e in assignment.exercises if e.name == exercise)
        texts = (assignment.with_replaced(way.source) for way in ways_of(assignment, own))
        light = (text for text in texts if assignment.torch or "torch" not in imported_in([text]))
        return tuple(way for text in light if _can_be_imported(way := Way(assignment.file, text)))

    return oracle.kept(("other ways", exercise), compiled)


def calls_in_ways(oracle: Reference, trial: Trial) -> Mapping[Way, Noted]:
    """Return the calls in a trial of all that its exercise may use, by the way in which the exercise is written.

    Of a large one no way is noted: copies of all that is handed over there could take a gigabyte.
    """
    if trial.is_large:
        return {}

    def noted() -> Mapping[Way, Noted]:
        exercise = trial.case.exercise
        return {way: way.calls(trial, may_use(oracle, exercise)) for way in ways_written(oracle, exercise)}

    return oracle.kept(("calls in other ways", trial), noted)


def _can_be_imported(way: Way) -> bool:
    """Whether a way can be imported; of others `doctor` says why not."""
    try:
        way.outcomes(())
    except Exception:  # noqa: BLE001 (the course's own code)
        return False
    return True


def may_use(oracle: Reference, exercise: str) -> frozenset[str]:
    """Return the other exercises that right code of one may build on."""
    return oracle.kept(("used in any way",), lambda: used_in_any_way(oracle.assignment))[exercise]
