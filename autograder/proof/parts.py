"""An assignment as `doctor` looks at a part of it: some of its exercises, or what is written of a draft."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from autograder.course.spec import Assignment
from autograder.course.stub import blanked, functions_in


def part_of(assignment: Assignment, names: Collection[str]) -> Assignment:
    """Return an assignment with the cases, known mistakes and trainings of some exercises alone.

    The other exercises stay, as what these build on, and in the stub only these are blank. Raises StubError.
    """
    blanks = {blank for e in assignment.exercises if e.name in names for blank in e.blanks}
    return replace(
        assignment,
        stub=blanked(assignment.reference, blanks),
        cases=tuple(case for case in assignment.cases if case.exercise in names),
        misconceptions=tuple(m for m in assignment.misconceptions if m.exercise in names),
        trainings=tuple(training for training in assignment.trainings if training.exercise in names),
    )


def missing_in_reference(assignment: Assignment) -> tuple[str, ...]:
    """Return the exercises that the reference does not have yet, or not all methods of. Raises StubError."""
    there = functions_in(assignment.reference)
    return tuple(e.name for e in assignment.exercises if not there.issuperset(e.blanks))


def without_unwritten(assignment: Assignment) -> Assignment:
    """Return an assignment without exercises that its reference lacks, and without their known mistakes, which no case could catch.

    Raises StubError.
    """
    kept = {e.name for e in assignment.exercises} - set(missing_in_reference(assignment))
    declared = {e.name for e in assignment.exercises}
    exercises = (replace(e, uses=tuple(u for u in e.uses if u in kept)) for e in assignment.exercises if e.name in kept)
    cases = tuple(case for case in assignment.cases if case.exercise in kept)
    tested = {case.exercise for case in cases}
    return replace(
        assignment,
        exercises=tuple(exercises),
        cases=cases,
        misconceptions=tuple(
            m for m in assignment.misconceptions if m.exercise in tested or m.exercise not in declared
        ),
        questions=tuple(q for q in assignment.questions if q.exercise in kept),
        trainings=tuple(t for t in assignment.trainings if t.exercise in kept),
    )


def not_looked_at(assignment: Assignment, only: Collection[str], *, training: bool) -> tuple[str, ...]:
    """Return what of an assignment is not proved where only some exercises are, and without trainings; nothing where all is."""
    if not only:
        return ("the trainings themselves (--training)",) if assignment.trainings and not training else ()
    others = (exercise.name for exercise in assignment.exercises if exercise.name not in only)
    trained = any(t.exercise in only for t in assignment.trainings) and not training
    alone = ("whether a mistake costs another exercise points",) if len(only) == 1 else ()
    files = ("the handout", "the stub's file", "the rest of the README", "files that nothing reads")
    return (*others, *alone, *files, *(("the training itself (--training)",) if trained else ()))
