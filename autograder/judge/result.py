"""The result of grading one submission: frozen data that the student may see, unless a field says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.course.language import speaking, spoken
from autograder.course.spec import Status, Visibility
from autograder.judge.picture import Picture
from autograder.judge.reason_sentences import explain_reason, explain_turn
from autograder.judge.reasons import NOTHING, Advice, Diagnosis, Hint, Message, Reason, Turn

NO_PYTHON = ("SyntaxError", "IndentationError", "TabError")  # what Python raises at what is none


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
    again: bool = False  # whether its own code has a mistake that is charged in one of these
    waits_for: str = ""  # an exercise to mend before this case can say anything
    ease: tuple[int, ...] = ()  # how hard its call is to follow; less is easier, and nothing is easiest
    grader_note: str = ""
    picture: Picture | None = None  # never of a hidden case's data
    smaller: bool = False  # whether what is told is of a smaller call than the picture, as at home
    crash: str = ""  # the kind of exception that it crashed with, where that is known: a name of `crash_reasons.RULES`
    fingerprint: str = ""  # for graders: of what went wrong, the same for all who fail in the same way at the same seed
    turn: Turn | None = None  # where it turns from right to wrong, of public cases that no known mistake explains
    raised_at: tuple[str, int] | None = None  # for graders: the file or cell, and the line, where it stopped
    language: str = field(default_factory=spoken)  # in which all of this is told

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
        with speaking(self.language):
            return explain_reason(self.reason) if self.reason else ""

    @property
    def where(self) -> str:
        """Where it turns from right to wrong, in words."""
        with speaking(self.language):
            return explain_turn(self.turn) if self.turn else ""

    @property
    def lead(self) -> str:
        """The sentence that helps most: the reason, or what happened where all that can be said is where to look."""
        return self.told.headline if not self.says or self.reason == Advice(Hint.UNNAMED) else self.says

    @property
    def explained(self) -> str:
        """The reason in words, where it explains the failure."""
        return self.says if self.says == self.lead else ""

    @property
    def advice(self) -> str:
        """The advice that is left where neither a known mistake nor a relation explains the failure, nor is told where it turns wrong."""
        return self.says if self.says != self.lead and not self.turn else ""


def easiest_first(failing: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
    """Return failing cases with one in front: of those that fail like the first, the public one that is the easiest to follow."""
    alike = [c for c in failing if (c.status, c.reason) == (failing[0].status, failing[0].reason)]
    front = [min(alike, key=lambda c: (c.visibility is Visibility.HIDDEN, c.ease))] if alike else []
    return (*front, *(case for case in failing if case not in front))


def told_again(status: Status, cases: Sequence[CaseResult]) -> str:
    """Return what is told of an exercise that passes only since a mistake of its own is charged in another; else nothing."""
    return next((case.message for case in cases if case.again), "") if status is Status.PASSED else ""


@dataclass(frozen=True)
class ExerciseResult:
    """One exercise and its cases, in report order."""

    name: str
    score: float
    max_score: float
    cases: tuple[CaseResult, ...]
    device: str = ""  # what it was trained on, where anything is
    answer: str | None = None  # what the student answered, where a person grades it; empty where nothing
    bonus: bool = False
    later: float = 0.0  # points that grading gives for answers of which its cases see only whether they are there

    @property
    def by_person(self) -> bool:
        """Whether a person grades it."""
        return self.answer is not None

    @property
    def times(self) -> tuple[float, ...]:
        """The seconds that each case took; of all that is found they alone differ between equal submissions."""
        return tuple(round(case.seconds, 4) for case in self.cases)

    @property
    def failing(self) -> tuple[CaseResult, ...]:
        """The cases that do not pass."""
        return tuple(case for case in self.cases if case.status is not Status.PASSED)

    @property
    def judged(self) -> bool:
        """Whether its cases give points; at home those of a quiz only see whether it is answered."""
        return self.max_score > 0

    @property
    def is_open(self) -> bool:
        """Whether it is a quiz at home of which a question has no answer yet, which is not wrong."""
        return not self.judged and self.status is Status.FAILED

    @property
    def follows(self) -> tuple[str, ...]:
        """The exercises whose mistakes it was judged on top of."""
        return tuple(dict.fromkeys(name for case in self.cases for name in case.follows))

    @property
    def again(self) -> str:
        """What is told where it has full points although its own code has a mistake, which is charged in another exercise."""
        return told_again(self.status, self.cases)

    @property
    def shown(self) -> CaseResult | None:
        """The failing case to read first."""
        return next(iter(easiest_first(self.failing)), None)

    @property
    def waits_for(self) -> str:
        """The exercise to mend before this one, where every failure of it waits for one."""
        return self.failing[0].waits_for if self.failing and all(c.waits_for for c in self.failing) else ""

    @property
    def status(self) -> Status:
        """PASSED if every case did, else the status of the first that did not; what a person grades has no cases."""
        whole = Status.PASSED if not self.by_person else Status.MANUAL if self.answer else Status.MISSING
        return next((case.status for case in self.cases if case.status is not Status.PASSED), whole)


def is_no_python(note: str) -> bool:
    """Whether a note says of a part that was left out that it is no Python."""
    return any(f"{error}: " in note.partition("\n")[0] for error in NO_PYTHON)


@dataclass(frozen=True)
class Result:
    """A graded submission. `problem` says what was wrong with the file as a whole, if anything."""

    assignment: str
    exercises: tuple[ExerciseResult, ...]
    problem: str = ""
    printed: str = ""  # while the file was imported
    notes: tuple[str, ...] = ()  # what was left out: cells of a notebook, parts of a file

    @property
    def no_python(self) -> tuple[str, ...]:
        """The notes on parts that are no Python."""
        return tuple(filter(is_no_python, self.notes))

    @property
    def score(self) -> float:
        """The points earned, without those that a person gives."""
        return round(sum(exercise.score for exercise in self.exercises), 2)

    @property
    def max_score(self) -> float:
        """The points that can be earned without a bonus, and without those that a person gives."""
        return round(sum(e.max_score for e in self.exercises if not e.by_person and not e.bonus), 2)

    @property
    def to_mend(self) -> tuple[ExerciseResult, ...]:
        """The exercises that fail by themselves, then what is not written, open quizzes, and what waits for another one."""
        open_ones = [exercise for exercise in self.exercises if exercise.failing]
        return tuple(sorted(open_ones, key=lambda e: (bool(e.waits_for), e.is_open, e.status is Status.MISSING)))

    @property
    def all_passed(self) -> bool:
        """Whether every case passed, and what a person grades is answered."""
        return all(exercise.status in (Status.PASSED, Status.MANUAL) for exercise in self.exercises)
