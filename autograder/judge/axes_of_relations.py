"""Give the axes in a relation the names that the stub's docstrings have for them: "the axis before the last (`T_q`)"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.judge.array_pairs import Part
from autograder.judge.axis_names import axis_of_answer, axis_of_argument
from autograder.judge.reasons import PARTS, Relation
from autograder.judge.relation_sentences import AXIS

_FROM_THE_END = {"the last axis": -1, "the axis before the last": -2}
_WHERE = re.compile(rf"({AXIS})(?: of `(\w+)`)?")
# Relations in which an axis is one that the answer has too many, which no docstring names.
REDUCED = frozenset({"repeated_along", "not_sum", "not_mean", "not_largest", "not_first", "not_last"})


def with_axis_names(relation: Relation, stub: str, parts: Sequence[Part]) -> Relation:
    """Return a relation in which each axis has its name too, where the docstrings give all wrong parts one and the same."""
    kind, *names = relation.key
    about = relation.part.split(PARTS) if relation.part else ()
    wrong = [part for part in parts if part.is_wrong and (not about or part.called in about)]
    if kind in REDUCED or not wrong:
        return relation
    return replace(relation, key=(kind, *(_WHERE.sub(lambda place: _with_name(place, stub, wrong), n) for n in names)))


def _with_name(place: re.Match[str], stub: str, wrong: Sequence[Part]) -> str:
    said, argument = place[1], place[2]
    axis = _FROM_THE_END.get(said)
    axis = int(said.removeprefix("axis ")) if axis is None else axis
    names = {_name(stub, part, argument, axis) for part in wrong}
    name = names.pop() if len(names) == 1 else ""
    return place[0].replace(said, f"{said} (`{name}`)", 1) if name else place[0]


def _name(stub: str, part: Part, argument: str | None, axis: int) -> str:
    path = part.trial.calls[part.call].path(part.trial.case.exercise)
    if argument is None:
        return axis_of_answer(stub, path, part.called, axis, part.expected.ndim)
    given = part.given.get(argument)
    return "" if given is None else axis_of_argument(stub, path, argument, axis, given.ndim)
