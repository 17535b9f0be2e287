"""The result of grading one submission: frozen data that the student may see, unless a field says otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.course.spec import Status, Visibility
from autograder.judge.messages import explain_reason
from autograder.judge.picture import Picture
from autograder.judge.reasons import NOTHING, Diagnosis, Message, Reason


@dataclass(frozen=True)
class CaseResult:
    """One case. The student reads `told` and `reason`; `grader_note` may hold what the code printed on hidden cases."""

    name: str
    claim: str
    visibility: Visibility
    status: Status
    told: Message = NOTHING
    reason: Reason | None = None
    seconds: float = 0.0
    follows: tuple[str, ...] = ()  # exercises whose mistakes it was judged on top of
    grader_note: str = ""
    picture: Picture | None = None  # never of a hidden case's data

    @property
    def message(self) -> str:
        """What happened, and what shows it."""
        return self.told.text

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The names of the known mistakes behind it, where values support them."""
        reason = self.reason
        return reason.names if isinstance(reason, Diagnosis) and not reason.tentative else ()

    @property
    def suspected(self) -> tuple[str, ...]:
        """The names of the known mistakes that are told, also those told with "perhaps" since only exceptions support them."""
        return self.reason.names if isinstance(self.reason, Diagnosis) else ()

    @property
    def diagnosis(self) -> str:
        """The known mistakes behind it in one word."""
        return "+".join(self.mistakes)

    @property
    def says(self) -> str:
        """The reason in words."""
        return explain_reason(self.reason) if self.reason else ""


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
        """The points that can be earned."""
        return round(sum(exercise.max_score for exercise in self.exercises), 2)

    @property
    def all_passed(self) -> bool:
        """Whether every case passed."""
        return all(exercise.status is Status.PASSED for exercise in self.exercises)
