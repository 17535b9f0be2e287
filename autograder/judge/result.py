"""What grading one submission gives: frozen data, safe to show the student unless a field says otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.course.spec import Status, Visibility
from autograder.judge.picture import Picture


@dataclass(frozen=True)
class CaseResult:
    """One case. `message` is the student's; `grader_note` may hold what hidden cases made the code print or say."""

    name: str
    claim: str
    visibility: Visibility
    status: Status
    message: str = ""
    diagnosis: str = ""
    says: str = ""  # the diagnosis as a sentence
    seconds: float = 0.0
    follows: tuple[str, ...] = ()  # exercises whose mistakes it was judged on top of
    grader_note: str = ""
    picture: Picture | None = None  # never of a hidden case's data


@dataclass(frozen=True)
class ExerciseResult:
    """One exercise and its cases, in report order."""

    name: str
    score: float
    max_score: float
    cases: tuple[CaseResult, ...]
    device: str = ""  # what it was trained on, where anything is

    @property
    def status(self) -> Status:
        """PASSED if every case did, else the status of the first that did not."""
        return next((case.status for case in self.cases if case.status is not Status.PASSED), Status.PASSED)


@dataclass(frozen=True)
class Result:
    """A graded submission. `problem` says what was wrong with the file as a whole, if anything."""

    assignment: str
    exercises: tuple[ExerciseResult, ...]
    problem: str = ""
    printed: str = ""  # while the file was imported
    notes: tuple[str, ...] = ()  # cells of a notebook that could not be used

    @property
    def score(self) -> float:
        """The points earned."""
        return round(sum(exercise.score for exercise in self.exercises), 2)

    @property
    def max_score(self) -> float:
        """The points there are."""
        return round(sum(exercise.max_score for exercise in self.exercises), 2)

    @property
    def all_passed(self) -> bool:
        """Whether there is nothing left to mend."""
        return all(exercise.status is Status.PASSED for exercise in self.exercises)
