"""What one student's submission came to, as types: from here to sheets and pages nothing is text that is read again.

`record_json.py` writes records as results/STUDENT.json and stores their parts. Nothing of hidden cases is in a record
that students may not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from autograder.classroom.lateness import lateness
from autograder.classroom.roster import Person
from autograder.classroom.submissions import Submission
from autograder.course.language import ENGLISH
from autograder.course.spec import Assignment, RubricItem, Status
from autograder.judge.result import CaseResult, ExerciseResult, Result, told_again
from autograder.sandbox.job import Isolation
from autograder.submission.archives import printable

NOT_SUBMITTED = "not_submitted"  # the status of a student on the roster who handed in nothing
UNCLEAR = "unclear"  # of a student on the roster who may be behind a submission of a name that several have
NOT_GRADED = "not_graded"  # the status of a student whose submission is still to be graded


@dataclass(frozen=True)
class Ticked(RubricItem):
    """An item of a rubric in its words and points at the time, and whether a person said that the answer does it."""

    ticked: bool = False


@dataclass(frozen=True)
class Override:
    """Points that a person gave for an exercise instead of the computed ones, why, and the rubric if it was graded by one."""

    points: float
    because: str
    made: str  # when, in ISO 8601
    computed: float = 0.0
    rubric: tuple[Ticked, ...] = ()
    worth: float | None = None  # what the exercise was worth then, as far as that is known
    earlier: bool = False  # whether it is about an earlier submission than the one that is graded


@dataclass(frozen=True)
class Kept:
    """Points of an earlier result that stay although grading the same code again gave less."""

    points: float
    made: str  # when, in ISO 8601
    computed: float = 0.0


@dataclass(frozen=True)
class Graded:
    """What grading one submission came to."""

    submission: Submission
    result: Result
    isolation: Isolation
    seconds: float


@dataclass(frozen=True)
class Run:
    """What all results of a grading have in common."""

    assignment: str
    title: str
    seed: int
    bonus: Mapping[str, bool] = field(default_factory=dict)  # whether each exercise is one
    language: str = ""  # in which students read; English where a gradebook does not know


@dataclass(frozen=True)
class Lms:
    """Whose a submission is in the export."""

    system: str = ""  # the platform, or nothing
    name: str = ""
    number: str = ""
    place: str = ""  # the file or folder in the export


@dataclass(frozen=True)
class Head:
    """What is known of a submission before it is graded. Times are in ISO 8601."""

    origin: str = ""
    problem: str = ""
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    readable: bool = False
    person: Person | None = None
    lms: Lms = field(default_factory=Lms)
    submitted: str | None = None
    due: str | None = None
    late: bool = False
    late_hours: float | None = None


@dataclass(frozen=True)
class Whole:
    """What grading found of a submission as a whole."""

    problem: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    isolation: Isolation | None = None  # None where nothing ran


@dataclass(frozen=True)
class ExerciseRecord:
    """An exercise of a record; the score is a person's where one decided, and None while it is not graded."""

    name: str
    score: float | None
    max_score: float
    status: Status
    cases: tuple[CaseResult, ...] = ()
    override: Override | None = None
    device: str = ""  # what it was trained on, where anything is
    kept: Kept | None = None
    answer: str | None = None  # what the student answered, where a person grades it; empty where nothing
    bonus: bool = False

    @property
    def points(self) -> float:
        """The score, or 0 while there is none."""
        return self.score or 0.0

    @property
    def by_person(self) -> bool:
        """Whether a person grades it."""
        return self.answer is not None

    @property
    def again(self) -> str:
        """What is told where it has full points although its own code has a mistake, which is charged in another exercise."""
        return told_again(self.status, self.cases)

    @property
    def waits(self) -> bool:
        """Whether it has an answer that a person has not graded yet."""
        return self.status is Status.MANUAL and self.score is None

    @property
    def decided_for_other_points(self) -> bool:
        """Whether a person decided when it was worth more, or less, than now."""
        return self.override is not None and self.override.worth not in (None, self.max_score)


@dataclass(frozen=True)
class Record(Head):
    """What a student's submission came to."""

    assignment: str = ""
    title: str = ""
    seed: int = 0
    student: str = ""
    score: float | None = None
    max_score: float = 0.0
    status: str = "graded"
    seconds: float = 0.0
    isolation: Isolation | None = None
    exercises: tuple[ExerciseRecord, ...] = ()
    times: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # of an exercise's cases, in seconds
    language: str = ENGLISH  # in which the student reads about it

    @property
    def points(self) -> float:
        """The score, or 0 while there is none."""
        return self.score or 0.0

    @property
    def waiting(self) -> float:
        """The points that a person has not graded yet; the score is without them."""
        return round(sum(exercise.max_score for exercise in self.exercises if exercise.waits), 2)


def roster_names(records: Iterable[Record]) -> dict[str, str]:
    """Return the students' names on the roster, as far as it has any, by their names in the grades."""
    return {record.student: record.person.name for record in records if record.person and record.person.name}


def _moment(submission: Submission) -> datetime | None:
    """Return when a submission came: by the export, or else by Moodle's worksheet of the same assignment."""
    person = submission.person
    if submission.submitted or not (person and person.submitted and person.participant == submission.owner.number):
        return submission.submitted
    return datetime.fromisoformat(person.submitted)


def head(submission: Submission, due: datetime | None = None) -> Head:
    """Return what is known of a submission before it is graded."""
    person, owner = submission.person, submission.owner
    when = lateness(_moment(submission), due, person.extension if person else "", marked=submission.late)
    return Head(
        submission.origin,
        submission.problem,
        submission.notes,
        submission.doubts,
        submission.source is not None,
        person,
        Lms(owner.system, printable(owner.name), owner.number, submission.place),
        when.submitted.isoformat() if when.submitted else None,
        when.due.isoformat() if when.due else None,
        when.late,
        when.hours,
    )


def exercise_record(exercise: ExerciseResult) -> ExerciseRecord:
    """Return an exercise as a record holds it, without what is for graders only."""
    cases = tuple(replace(c, follows=(), grader_note="") if c.follows or c.grader_note else c for c in exercise.cases)
    score, status = None if exercise.status is Status.MANUAL else exercise.score, exercise.status
    about = (exercise.name, score, exercise.max_score, status, cases)
    return ExerciseRecord(*about, device=exercise.device, answer=exercise.answer)


def with_kept(exercise: ExerciseRecord, kept: Kept | None) -> ExerciseRecord:
    """Return an exercise with the points that were kept for it, where these are more than the computed ones."""
    points = min(kept.points, exercise.max_score) if kept else 0.0
    if kept is None or points <= exercise.points:
        return exercise
    return replace(exercise, score=points, kept=Kept(points, kept.made, exercise.points))


def compose(
    run: Run,
    student: str,
    known: Head,
    whole: Whole,
    exercises: Sequence[ExerciseRecord],
    overrides: Mapping[str, Override],
) -> Record:
    """Put a record together."""
    final = tuple(_overridden(_as_bonus(exercise, run), overrides.get(exercise.name)) for exercise in exercises)
    return Record(
        **{
            **vars(known),
            "problem": known.problem or whole.problem,
            "notes": (*known.notes, *whole.notes),
        },
        assignment=run.assignment,
        title=run.title,
        seed=run.seed,
        student=student,
        score=round(sum(exercise.points for exercise in final), 2),
        max_score=round(sum(exercise.max_score for exercise in final if not exercise.bonus), 2),
        status=_status(final, readable=known.readable, problem=whole.problem),
        seconds=round(whole.seconds, 3),
        isolation=whole.isolation,
        exercises=final,
        language=run.language or ENGLISH,
    )


def _as_bonus(exercise: ExerciseRecord, run: Run) -> ExerciseRecord:
    bonus = run.bonus.get(exercise.name, False)
    return exercise if exercise.bonus == bonus else replace(exercise, bonus=bonus)


def record(
    assignment: Assignment, submission: Submission, result: Result, isolation: Isolation, seed: int, seconds: float
) -> Record:
    """Return the record of a submission that was just graded."""
    bonus = {e.name: e.bonus for e in assignment.exercises}
    run = Run(assignment.slug, assignment.title, seed, bonus, assignment.language)
    whole = Whole(result.problem, result.notes, seconds, isolation)
    found = compose(run, submission.student, head(submission), whole, [*map(exercise_record, result.exercises)], {})
    return replace(found, times={exercise.name: exercise.times for exercise in result.exercises})


def absent(
    run: Run, student: str, person: Person, points: Mapping[str, float], overrides: Mapping[str, Override]
) -> Record:
    """Return the line of a student who handed in nothing; what a person decided counts nevertheless."""
    known = replace(head(Submission(student, "", None)), person=person)
    return replace(_without_result(run, student, known, points, overrides), status=NOT_SUBMITTED)


def ungraded(
    run: Run, student: str, known: Head, points: Mapping[str, float], overrides: Mapping[str, Override]
) -> Record:
    """Return the line of a student whose submission waits: no points, rather than none of the points."""
    found = _without_result(run, student, known, points, overrides)
    exercises = tuple(e if e.override else replace(e, score=None) for e in found.exercises)
    return replace(found, status=NOT_GRADED, score=None, exercises=exercises)


def _without_result(
    run: Run, student: str, known: Head, points: Mapping[str, float], overrides: Mapping[str, Override]
) -> Record:
    exercises = [ExerciseRecord(name, 0.0, most, Status.MISSING) for name, most in points.items()]
    return compose(run, student, known, Whole(), exercises, overrides)


def _overridden(exercise: ExerciseRecord, override: Override | None) -> ExerciseRecord:
    if override is None:
        return exercise
    points = min(override.points, exercise.max_score)  # which may have changed since
    return replace(exercise, score=points, override=replace(override, points=points, computed=exercise.points))


def _status(exercises: Sequence[ExerciseRecord], *, readable: bool, problem: str) -> str:
    """Say how the submission as a whole ended, in one word for the grade sheet."""
    if not readable:
        return "unreadable"
    statuses = {exercise.status for exercise in exercises} | {
        c.status for exercise in exercises for c in exercise.cases
    }
    if Status.GRADER_ERROR in statuses:
        return "grader_error"
    return "not_importable" if problem else "graded"
