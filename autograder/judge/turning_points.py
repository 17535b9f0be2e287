"""Find where a submission's failing public calls turn from right to wrong, by what correct solutions have in the same calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from autograder.course.spec import Visibility
from autograder.judge.outcomes_alike import values_alike
from autograder.judge.reasons import Turn
from autograder.judge.right_values import RightValues
from autograder.judge.tolerance import TOLERANCE
from autograder.judge.trail_slices import Slice
from autograder.judge.trials import Judged, Knowledge, Trial
from autograder.judge.value_trails import Statement, Trail, following, read_trail
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source
from autograder.sandbox.time_limits import WALL

MOST_CALLS = 4  # that are followed
MOST_LINES = 6  # statements that are told; more help no one
MOST_IN_COMMON = 15  # statements that calls may be wrong in; further calls do not bring more of them down to so few
MOST_IN_LOOP = 9  # where the pass of a loop is told, which helps by itself
MOST_PASSES, MOST_VARIABLES = 50, 50  # of loops that are looked at: a child may tell of any number
Lines = dict[tuple[str, int], Statement]  # statements by file and first line


@dataclass(frozen=True, eq=False)
class Followed:
    """A call that gave something wrong: the student's values on the way, and the right ones."""

    trail: Trail
    right: RightValues


@dataclass(frozen=True, eq=False)
class Pass:
    """A loop's variable that is right in some passes, the first ones, and wrong in the next."""

    right: int  # the step that set it last as it should be
    wrong: int
    name: str
    passes: int  # that are right


def turning_point(
    oracle: Knowledge, source: Source, sandbox: Sandbox, exercise: str, judged: Sequence[Judged]
) -> Turn | None:
    """Return where an exercise's failing public calls turn from right to wrong, as far as that is sure."""
    calls = list(_wrong_calls(oracle, [j for j in judged if j.trial.case.exercise == exercise]))[:MOST_CALLS]
    if not calls:
        return None
    assignment, limits = oracle.assignment, oracle.assignment.limits
    limits = replace(limits, total_seconds=min(limits.total_seconds, WALL * limits.case_seconds))
    requests = tuple(following(trial.requests[call], statements=True) for trial, call in calls)
    ran = sandbox.run(Job(source, requests, limits, assignment.shortcuts, assignment.torch))
    told = [read_trail(outcome.value) for outcome in ran.outcomes]
    followed = (  # the right values of a call take longest, and are not looked at where those before are enough
        Followed(trail, right)
        for trail, (trial, call) in zip(told, calls, strict=True)
        if trail and (right := oracle.right_values(trial, call))
    )
    turn = turn_of(followed, lambda function: _owner(oracle, function) not in ("", exercise))
    return turn if turn and _is_in(source, turn) else None


def _is_in(source: Source, turn: Turn) -> bool:
    """Whether a turn tells nothing but places of the submission: a child could make up others, to carry something."""
    places = all(source.has_code(turn.file, line) for line in (turn.line, *turn.lines))
    return places and turn.name.isidentifier() and source.holds(turn.name)


def _wrong_calls(oracle: Knowledge, judged: Sequence[Judged]) -> Iterator[tuple[Trial, int]]:
    """Yield the public calls that returned something wrong: a trial, and which of its calls."""
    for one in (j for j in judged if j.finding and j.trial.case.visibility is Visibility.PUBLIC):
        tolerance = float(getattr(one.trial.case.check, "tolerance", TOLERANCE))
        pairs = zip(one.trial.requests, one.outcomes, oracle.expected(one.trial), strict=True)
        for call, (request, mine, theirs) in enumerate(pairs):
            if mine.ending is Ending.RETURNED and not values_alike(
                _forward(request, mine), _forward(request, theirs), tolerance
            ):
                yield one.trial, call


def _forward(request: Request, outcome: Outcome) -> object:
    """Return what a call gave without gradients, which no statement of the call has made."""
    backward = bool(request.module and request.module["cotangents"])
    return outcome.value.get("output") if backward and isinstance(outcome.value, dict) else outcome.value


def _owner(oracle: Knowledge, function: str) -> str:
    """Return the exercise that a function of a submission belongs to by its name, or nothing."""
    blanks = ((e.name, blank) for e in oracle.assignment.exercises for blank in (e.name, *e.blanks))
    return next((name for name, blank in blanks if f"{function}.".startswith(f"{blank}.")), "")


def turn_of(followed: Iterable[Followed], elsewhere: Callable[[str], bool]) -> Turn | None:
    """Return the turn that explains all of some wrong calls: the statements that each of them may be wrong in."""
    found: list[tuple[Followed, Pass | None, Slice, Lines]] = []
    common: set[tuple[str, int]] = set()
    for one in followed:
        found.append((one, *_slice_of(one, elsewhere)))
        common = common.intersection(found[-1][3]) if len(found) > 1 else set(found[-1][3])
        if not 0 < len(common) <= MOST_IN_COMMON:
            return None
    if not found:
        return None
    one, turn, slice_, _ = min(found, key=lambda each: len(each[3]))
    told = sorted(common)
    anchor = _anchor(one, slice_, turn)
    most = MOST_IN_LOOP if turn else MOST_LINES
    if not anchor or not 0 < len(told) <= most or len({file for file, _ in told}) > 1:
        return None
    return Turn(told[0][0], anchor[1], anchor[0], tuple(line for _, line in told), turn.passes if turn else 0)


def _slice_of(one: Followed, elsewhere: Callable[[str], bool]) -> tuple[Pass | None, Slice, Lines]:
    """Return of a call in which pass of a loop it turns, if in one, and what its wrong value was made in."""
    turn = min(_turning_passes(one, elsewhere), key=lambda each: each.wrong, default=None)
    found = Slice(one.trail, one.right, elsewhere)
    found.from_step(turn.wrong if turn else _end(one.trail))
    if turn:  # what is forgotten may stand anywhere between two passes
        of_frame = one.trail.of_frame[one.trail.steps[turn.wrong].frame]
        found.steps.update(n for n in of_frame if turn.right < n < turn.wrong)
    return turn, found, found.statements


def _end(trail: Trail) -> int:
    """Return the last step of the call that was asked for: constructors come before it."""
    return next(n for n in reversed(range(len(trail.steps))) if trail.steps[n].frame == trail.root)


def _turning_passes(one: Followed, elsewhere: Callable[[str], bool]) -> Iterator[Pass]:
    """Yield variables that a loop sets as a correct solution's does, in the same order, up to a pass in which it is wrong."""
    for (function, name), settings in islice(_repeated(one.trail, elsewhere), MOST_VARIABLES):
        known, values = one.right, [value for _, value in settings[:MOST_PASSES]]
        if not known.is_right(function, name, values[0]):
            continue
        matches = [known.matches(value) for value in values]
        for variable, time in matches[0]:
            right = 1
            while right < len(values) and (variable, time + right) in matches[right]:
                right += 1
            theirs = known.settings[variable][time + right : time + right + 1]
            if right == len(values) or not theirs or theirs[0].shape != values[right].squeeze().shape:
                continue
            if known.says_enough(values[right]) and not matches[right]:
                yield Pass(settings[right - 1][0], settings[right][0], name, right)


def _repeated(
    trail: Trail, elsewhere: Callable[[str], bool]
) -> Iterator[tuple[tuple[str, str], list[tuple[int, np.ndarray]]]]:
    """Yield what one statement sets a variable to in each pass of a loop."""
    for (frame, name), held in trail.held.items():
        by_line = defaultdict[int, list[tuple[int, np.ndarray]]](list)
        for number, value in held:
            if statement := trail.statement(number):
                by_line[statement.first].append((number, value))
        function = trail.steps[trail.of_frame[frame][0]].function
        if not elsewhere(function):
            yield from (((function, name), settings) for settings in by_line.values() if len(settings) > 1)


def _anchor(one: Followed, found: Slice, turn: Pass | None) -> tuple[int, str] | None:
    """Return the line and the name of the last value that is right."""
    last = (turn.right, turn.name) if turn else max(found.anchors, default=None)
    statement = one.trail.statement(last[0]) if last else None
    return (statement.first, last[1]) if last and statement else None
