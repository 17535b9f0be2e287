"""Look again at one exercise of one student, for an appeal: what failed, with all that a grader may see."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.gradebook_view import find_exercise, find_student, left, records, source_of, waiting
from autograder.classroom.record import ExerciseRecord, Record
from autograder.classroom.result_keys import exercise_keys
from autograder.classroom.still_to_grade import is_current
from autograder.course.spec import Assignment
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
    name, wanted = find_student(book, student), find_exercise(book.points, exercise)
    if name in {record.student for record in waiting(book)}:
        raise GradebookError(f"What {name} handed in is not graded yet. Run autograder grade again first.")
    if name not in {*book.students(), *left(book)}:
        raise GradebookError(f"{name} handed in nothing, so there is nothing to run.")
    (record,) = records(book, [name])
    source = source_of(book, name)
    if source is None:
        raise GradebookError(f"What {name} handed in could not be read: {record.problem}")
    if wanted not in {e.name for e in assignment.exercises}:
        raise GradebookError(f"{assignment.slug} has no exercise {wanted} any more. Grade the class again first.")
    current = is_current(book, name, wanted, exercise_keys(Oracle(assignment, record.seed))[wanted])
    return Case(record, wanted, source, record.seed, current, name in book.students())


def look_again(case: Case, assignment: Assignment, sandbox: Sandbox) -> tuple[ExerciseResult, str]:
    """Run the submission again and tell all: every case is shown as if it were public.

    Returns the exercise, and what was wrong with the file as a whole, if anything.
    """
    oracle = Oracle(assignment, case.seed, tell_all=True)
    result = grade(case.source, oracle, sandbox, smallest=True)
    result = Trainer(oracle).add_to(result, case.source, sandbox, names={case.exercise})
    exercise = next(e for e in result.exercises if e.name == case.exercise)
    return exercise, result.problem


def differences(case: Case, exercise: ExerciseResult) -> list[str]:
    """Name the cases that end otherwise than in the book, as they do where code depends on chance or on time."""
    before = {c.name: c.status for c in case.result.cases}
    return [
        f"{c.name}: {before[c.name]} in the gradebook, {c.status} now"
        for c in exercise.cases
        if c.name in before and before[c.name] != c.status
    ]
