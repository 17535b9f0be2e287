"""Other correct ways to write a reference, by exercise: right code may build on other exercises than the reference does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from autograder.course.assignment import Assignment, Exercise, Replacement
from autograder.course.definitions import Definition, defined_in, definitions_in, reachable


def ways_of(assignment: Assignment, exercise: Exercise) -> tuple[Replacement, ...]:
    """Return the other correct solutions that write an exercise in their own way."""
    return tuple(one for one in assignment.correct if _homes(exercise) & defined_in(one.source))


def used_in_any_way(assignment: Assignment) -> Mapping[str, frozenset[str]]:
    """Return for each exercise those that it builds on, directly or through others, in the reference or in another way."""
    direct = defaultdict[str, set[str]](set, {e.name: set(e.uses) for e in assignment.exercises})
    for way in assignment.correct:
        try:
            definitions = _definitions_of(assignment.reference, way.source)
        except SyntaxError:
            continue  # of code that cannot be parsed nothing is known here; running it says why
        for exercise in assignment.exercises:
            if _homes(exercise) & defined_in(way.source):
                others = {other.name for other in assignment.exercises if other is not exercise}
                direct[exercise.name] |= others & reachable({exercise.name}, definitions, others)
    uses = {name: Definition("", used) for name, used in direct.items()}
    return {e.name: frozenset(reachable({e.name}, uses)) - {e.name} for e in assignment.exercises}


def _homes(exercise: Exercise) -> set[str]:
    return {blank.partition(".")[0] for blank in exercise.blanks or (exercise.name,)}


def _definitions_of(reference: str, source: str) -> dict[str, Definition]:
    """Return what a reference defines when the definitions of a source replace some of its own, by name."""
    found, own = dict(definitions_in(reference)[0]), definitions_in(source)[0]
    for name, definition in own.items():
        inherits = name in definition.names and name in found
        found[name] = replace(definition, names=definition.names | found[name].names) if inherits else definition
    return found
