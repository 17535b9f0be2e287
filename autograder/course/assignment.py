"""What an assignment is made of: frozen data, no side effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from autograder.course.cases import Case, Visibility
from autograder.course.joined_files import homes_of, replaced, split
from autograder.course.language import ENGLISH
from autograder.course.questions import Question
from autograder.course.trainings import Training

AFTER_DEADLINE, AT_ONCE = "after the deadline", "at once"
TEXT, PLOT = "text", "plot"  # what a student hands in for an exercise that a person grades
CODE = "code"  # the same of one that only a course.toml has graded by a person: its definition, as it stands


@dataclass(frozen=True)
class Misconception:
    """The smallest edit of the reference that makes a known mistake.

    `old` occurs exactly once in the reference, so the bank cannot rot silently; `caught_by` names a case of the
    exercise that fails on it; `says` is the sentence a student reads. `twins` are misconceptions of the same
    exercise whose outputs cannot be told from this one's.
    """

    name: str
    exercise: str
    old: str
    new: str
    caught_by: str
    says: str
    twins: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replacement:
    """Definitions that replace those of the reference: another correct way to write it, or a known mistake rewritten."""

    name: str
    source: str


@dataclass(frozen=True)
class RubricItem:
    """One thing that an answer should do, and the points that it gives for that."""

    item: str
    points: float


@dataclass(frozen=True)
class Exercise:
    """What a student writes for points: a function or class, and the definitions blanked in the stub.

    Of a `training` exercise nothing is blanked: it asks that what the others are made of learns together. `uses` are the
    other exercises that the reference calls in it; what those use in turn is not repeated. `doctor` proves it. `hints` are
    what `check --hint` reveals one at a time: a question, an idea, the shape of the line, and never a line of the solution.
    `learned` is the sentence that `check next` shows when the exercise passes.
    `section` is the heading of the README's section in which it is taught; the notebook has its cell at the end of that.
    A `manual` exercise is graded by a person, by its `rubric` if it has one: it has no cases, nothing is blanked, and its
    `answer` is a string constant of its name, or a plot handed in with the statement that names its file. Where course.toml
    makes it one, the answer is the code that is blanked.
    The points of a `bonus` are added to the score, and are no part of what can be reached.
    """

    name: str
    points: float
    blanks: tuple[str, ...]
    difficulty: int = 1
    training: bool = False
    uses: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    learned: str = ""
    section: str = ""
    manual: bool = False
    rubric: tuple[RubricItem, ...] = ()
    answer: str = TEXT
    bonus: bool = False


@dataclass(frozen=True)
class Shortcut:
    """Library code that would do these exercises for the student: full names, whose last part may hold `*`.

    `instead` says what may be used.
    """

    names: tuple[str, ...]
    exercises: tuple[str, ...]
    instead: str


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    Seconds are CPU time, which other work on the machine does not shorten; four times as much may pass on the wall. Those
    for all cases together are on the wall.
    """

    case_seconds: float = 2.0
    total_seconds: float = 60.0  # for all cases together
    import_seconds: float = 10.0
    memory_mb: int = 1024
    output_mb: int = 16  # for one answer
    log_kb: int = 64
    home_case_seconds: float = 0.0  # for a case of a check at home; nothing where it is case_seconds

    def at_home(self) -> Limits:
        """Return the limits of a check at home, where an endless loop is told as soon as public cases allow it."""
        return replace(self, case_seconds=self.home_case_seconds or self.case_seconds, home_case_seconds=0.0)


@dataclass(frozen=True)
class Assignment:
    """Everything about one assignment, read from its two folders."""

    slug: str
    title: str
    file: str  # the file students edit; of several the last, which imports the others
    points: float  # what the exercises' points must add up to
    exercises: tuple[Exercise, ...]
    limits: Limits
    torch: bool  # whether to have torch ready before submissions run
    given: tuple[str, ...]  # definitions of the reference that ship to students as they are
    reference: str = ""  # source text; of several files the one that `joined_files` makes of them
    stub: str = ""  # source text, as committed
    cases: tuple[Case, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    correct: tuple[Replacement, ...] = ()  # other correct ways to write it
    shortcuts: tuple[Shortcut, ...] = ()
    trainings: tuple[Training, ...] = ()
    harness: str = ""  # source text of what runs the trainings, which students see
    questions: tuple[Question, ...] = ()  # of its quizzes, with their answers
    reasons: str = AFTER_DEADLINE  # when students read why options are right or wrong
    order: float = 0.0  # its place in the course
    requires: tuple[str, ...] = ()  # packages that students' code may import beside numpy and torch, as pip names them
    left_out: tuple[str, ...] = ()  # what course.toml leaves out of it: exercises, cases, questions and programs
    language: str = ENGLISH  # of the engine's sentences for students
    files: tuple[
        str, ...
    ] = ()  # where students edit several: all of them, in the order in which they import each other

    @property
    def max_score(self) -> float:
        """The points that can be reached without a bonus."""
        return sum(exercise.points for exercise in self.exercises if not exercise.bonus)

    @property
    def given_files(self) -> tuple[str, ...]:
        """Those of several files in which no exercise stands, so that students need not hand them in."""
        homes = homes_of(self.reference or self.stub)
        worked = {homes.get(name.partition(".")[0]) for e in self.exercises for name in (e.name, *e.blanks)}
        return tuple(name for name in self.files if name not in worked)

    @property
    def named_files(self) -> str:
        """The file that students write in, or all of them, for a sentence."""
        *others, last = (name for name in self.files or (self.file,) if name not in self.given_files)
        return f"{', '.join(others)} and {last}" if others else last

    def as_files(self, text: str) -> Mapping[str, str]:
        """Return the files in a text of the reference or the stub, by name."""
        return split(text) if self.files else {self.file: text}

    def uses(self, exercise: str) -> tuple[str, ...]:
        """Return the exercises that one builds on, directly or through others, in report order."""
        direct = {e.name: e.uses for e in self.exercises}
        found, waiting = set[str](), [exercise]
        while waiting:
            new = set(direct.get(waiting.pop(), ())) - found
            found |= new
            waiting += new
        return tuple(name for name in direct if name in found and name != exercise)

    @property
    def device(self) -> str:
        """What models are trained on, the same for all of a class."""
        return next((training.device for training in self.trainings if training.device != "cpu"), "cpu")

    def with_replaced(self, source: str) -> str:
        """Return the reference with definitions that replace some of its own."""
        return replaced(self.reference, source)

    def without_training(self) -> Assignment:
        """Return the assignment without its training exercises, which take a minute each."""
        kept = tuple(exercise for exercise in self.exercises if not exercise.training)
        return replace(self, exercises=kept, trainings=(), points=sum(e.points for e in kept if not e.bonus))

    def has_left_out_the_case_of(self, mistake: Misconception) -> bool:
        """Whether a course leaves out the case that catches a known mistake."""
        return f"{mistake.exercise}.{mistake.caught_by}" in self.left_out

    def cases_of(self, exercise: str, *, public_only: bool = False) -> tuple[Case, ...]:
        """Return an exercise's cases in report order: public first, then hidden, each in file order."""
        return tuple(
            c for c in self.cases if c.exercise == exercise and not (public_only and c.visibility is Visibility.HIDDEN)
        )
