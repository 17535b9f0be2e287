"""Look again at exercises of one student, for an appeal: what failed, with all that a grader may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.classroom.code_lines import Excerpt, excerpts
from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.gradebook_view import find_exercise, find_student, left, records, source_of, waiting
from autograder.classroom.record import ExerciseRecord, Record
from autograder.classroom.result_keys import exercise_keys
from autograder.classroom.still_to_grade import is_current
from autograder.course.spec import Assignment, Status
from autograder.judge.grade import grade
from autograder.judge.result import ExerciseResult
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.job import Sandbox, Source


@dataclass(frozen=True)
class Case:
    """What an appeal is about: the result in the book, the code it is of, and whether the assignment is still as then."""

    record: Record
    exercise: str
    source: Source
    seed: int
    current: bool
    present: bool  # whether the latest submissions of the class hold anything of the student's

    @property
    def result(self) -> ExerciseRecord:
        """The exercise's part of the record."""
        return next(e for e in self.record.exercises if e.name == self.exercise)


def open_case(book: Gradebook, assignment: Assignment, student: str, exercise: str) -> Case:
    """Find what was graded. Raises GradebookError where there is nothing to look at."""
    wanted = find_exercise(book.points, exercise)
    if wanted not in {e.name for e in assignment.exercises}:
        find_student(book, student)
        raise GradebookError(f"{assignment.slug} has no exercise {wanted} any more. Grade the class again first.")
    return open_cases(book, assignment, student, [wanted])[0]


def open_cases(
    book: Gradebook, assignment: Assignment, student: str, exercises: Sequence[str] | None = None
) -> tuple[Case, ...]:
    """Find what was graded of some exercises, or of all that do not pass. Raises GradebookError where nothing was."""
    name = find_student(book, student)
    if name in {record.student for record in waiting(book)}:
        raise GradebookError(f"What {name} handed in is not graded yet. Run autograder grade again first.")
    if name not in {*book.students(), *left(book)}:
        raise GradebookError(f"{name} handed in nothing, so there is nothing to run.")
    (record,) = records(book, [name])
    source = source_of(book, name)
    if source is None:
        raise GradebookError(f"What {name} handed in could not be read: {record.problem}")
    keys = exercise_keys(Oracle(assignment, record.seed))
    failing = [e.name for e in record.exercises if e.status is not Status.PASSED and e.name in keys]
    present, here = name in book.students(), {e.name for e in record.exercises}
    return tuple(
        Case(record, wanted, source, record.seed, is_current(book, name, wanted, keys[wanted]), present)
        for wanted in (failing if exercises is None else exercises)
        if wanted in here
    )


def look_again(
    cases: Sequence[Case], assignment: Assignment, sandbox: Sandbox, *, tell_all: bool = True
) -> tuple[tuple[ExerciseResult, ...], str]:
    """Run one student's submission again and tell all: every case is shown as if it were public.

    Without `tell_all` the student may read what comes back.
    Returns the exercises, one for each case, and what was wrong with the file as a whole, if anything.
    """
    oracle, names = Oracle(assignment, cases[0].seed, tell_all=tell_all), [case.exercise for case in cases]
    result = grade(cases[0].source, oracle, sandbox, smallest=tell_all)
    result = Trainer(oracle).add_to(result, cases[0].source, sandbox, names=set(names))
    found = {exercise.name: exercise for exercise in result.exercises}
    return tuple(found[name] for name in names), result.problem


def code_of(case: Case, assignment: Assignment) -> tuple[Excerpt, ...]:
    """Return what the student wrote for the exercise; of a training nothing is written."""
    return excerpts(case.source, next(e for e in assignment.exercises if e.name == case.exercise))


def differences(case: Case, exercise: ExerciseResult) -> list[str]:
    """Name the cases that end otherwise than in the book, as they do where code depends on chance or on time."""
    before = {c.name: c.status for c in case.result.cases}
    return [
        f"{c.name}: {before[c.name]} in the gradebook, {c.status} now"
        for c in exercise.cases
        if c.name in before and before[c.name] != c.status
    ]
