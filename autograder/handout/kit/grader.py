"""What the check cells of a notebook call, and what they show."""

from __future__ import annotations

import functools
import html
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from autograder.course.language import say, speaking, spoken
from autograder.handout.kit.asked import CheckError, file_and_exercise
from autograder.handout.kit.bundle import Bundle, BundleError
from autograder.handout.kit.device_at_home import device_at_home
from autograder.handout.kit.handouts import Handout, handouts_beside
from autograder.handout.kit.hints import next_hint
from autograder.handout.kit.notebook_case import case_as_program, debug_case
from autograder.handout.kit.notebook_cells_run import source_of_cells
from autograder.handout.kit.notebook_play import Played, play_cells
from autograder.handout.kit.self_check import only, some_trainings
from autograder.handout.kit.step_text import bars, learned_text, list_text
from autograder.handout.kit.steps import Step, make_step
from autograder.handout.kit.train_at_home import train_at_home, training_as_text
from autograder.handout.kit.trainings import HomeTraining, read_trainings
from autograder.handout.kit.verdicts import Examples
from autograder.judge.result import Result
from autograder.judge.terminal_text import result_as_text
from autograder.sandbox.job import Source

WIDTH = 80  # of what a cell shows as text
P = ParamSpec("P")
R = TypeVar("R")
Named = Callable[..., object]  # a function or class that students wrote


@dataclass(frozen=True)
class Shown:
    """What a check cell shows: pictures where the notebook can draw them, else text."""

    title: str
    result: Result
    language: str = field(default_factory=spoken)  # notebooks show it when the call is over

    def __repr__(self) -> str:
        """Show the text, as the last line of a cell does."""
        with speaking(self.language):
            return result_as_text(self.title, self.result)

    def _repr_html_(self) -> str | None:
        """Return the result as HTML, or None where Jinja is not installed."""
        return _as_html(self.result, self.language)


def _as_html(result: Result, language: str) -> str | None:
    try:
        from autograder.feedback.check_page import cell_of_check
    except ImportError:
        return None
    with speaking(language):
        return cell_of_check(result)


@dataclass(frozen=True)
class Trained:
    """What a training cell shows: the losses beside the reference's, and a verdict on them."""

    result: Result  # of the trainings alone
    homes: tuple[HomeTraining, ...]
    language: str = field(default_factory=spoken)

    def __repr__(self) -> str:
        """Show the text, as the last line of a cell does."""
        told = zip(self.result.exercises, self.homes, strict=True)
        with speaking(self.language):
            return "\n\n".join(training_as_text(exercise, home, WIDTH) for exercise, home in told)

    def _repr_html_(self) -> str | None:
        """Return the verdicts as HTML with charts, or None where Jinja is not installed."""
        return _as_html(self.result, self.language)


@dataclass(frozen=True)
class Text:
    """What a cell shows as text."""

    text: str

    def __repr__(self) -> str:
        """Show it as it is, without quotes."""
        return self.text


@dataclass(frozen=True)
class Next:
    """What `grader.next()` shows: what was learned, the next exercise, what fails of it, and how far the course has come."""

    step: Step
    language: str = field(default_factory=spoken)

    def __repr__(self) -> str:
        """Show the text, as the last line of a cell does."""
        middle = repr(shown) if (shown := self._shown()) else ""
        with speaking(self.language):
            return "\n\n".join(filter(None, (self._before(), middle, bars(self.step))))

    def _repr_html_(self) -> str | None:
        """Return the same as HTML, or None where Jinja is not installed."""
        shown = self._shown()
        middle = shown._repr_html_() if shown else ""
        if middle is None:
            return None
        with speaking(self.language):
            above, below = (f"<pre>{html.escape(text)}</pre>" for text in (self._before(), bars(self.step)))
        return f"{above}{middle}{below}"

    def _shown(self) -> Shown | None:
        exercise = self.step.exercise
        return Shown(exercise.name, only(self.step.result, exercise.name), self.language) if exercise else None

    def _before(self) -> str:
        """Say what was learned, and which exercise is next."""
        step, exercise = self.step, self.step.exercise
        told = say("All exercises of {slug} pass.", slug=step.handout.slug)
        if exercise and exercise.section:
            told = say('Next: {exercise}, in the section "{section}"', exercise=exercise.name, section=exercise.section)
        elif exercise:
            told = say("Next: {exercise}", exercise=exercise.name)
        return "\n".join(filter(None, (learned_text(step, WIDTH), told)))


def _in_its_language(method: Callable[Concatenate[Grader, P], R]) -> Callable[Concatenate[Grader, P], R]:
    """Have what a cell calls say its sentences in the language of the handout."""

    @functools.wraps(method)
    def speaks(self: Grader, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with speaking(self.examples.language):
            return method(self, *args, **kwargs)

    return speaks


@dataclass(frozen=True)
class Grader:
    """The checks of a running notebook."""

    examples: Examples

    @_in_its_language
    def check(self, exercise: str | Named = "") -> Shown:
        """Check one exercise of this notebook as it stands, by its name or the function itself; without one, every exercise."""
        exercise, result = _name_of(exercise), self._result()
        if not exercise:
            return self.check_all()
        try:
            file_and_exercise((), [each.name for each in result.exercises], exercise)
        except CheckError as error:
            result = replace(result, problem=str(error))
        return Shown(exercise, only(result, exercise))

    @_in_its_language
    def check_all(self) -> Shown:
        """Check every exercise."""
        return Shown(self._bundle.assignment.title, self._result())

    @_in_its_language
    def next(self) -> Next:
        """Show the exercise to work on now, and keep which ones pass."""
        return Next(self._step(self._course()))

    @_in_its_language
    def progress(self) -> Text:
        """Show which exercises pass, here and in the handouts beside this one."""
        course = self._course()
        return Text(list_text(self._step(course), course))

    @_in_its_language
    def hint(self, exercise: str | Named = "") -> Text:
        """Show a hint about what to mend first, or first for an exercise, and one more each time."""
        exercise, result, assignment = _name_of(exercise), self._result(), self._bundle.assignment
        if result.problem:
            return Text(result.problem)
        try:
            file_and_exercise((), [each.name for each in result.exercises], exercise)
            return Text(next_hint(self.examples.folder, result, assignment, self._source(), exercise, WIDTH))
        except CheckError as error:
            return Text(str(error))

    @_in_its_language
    def debug(self, case: str | Named = "") -> None:
        """Run a case, or what fails of an exercise, in this kernel: breakpoint() stops, and %debug looks at an exception."""
        try:
            debug_case(_cells(), self._source(), self._bundle, self._result(), _name_of(case))
        except CheckError as error:
            print(error)

    @_in_its_language
    def repro(self, case: str | Named = "") -> Text:
        """Show a case, or what fails of an exercise, as code to copy into a cell."""
        try:
            return Text(case_as_program(self._source(), self._bundle, self._result(), _name_of(case)))
        except CheckError as error:
            return Text(str(error))

    @_in_its_language
    def train(self, exercise: str = "", *, device: str = "auto", long: bool = False) -> Trained | None:
        """Train what the cells of this notebook define: the first steps of one training or of each, and with `long` all steps."""
        bundle = self._bundle
        try:
            homes = some_trainings(read_trainings(self.examples.folder / "engine"), bundle)
            file_and_exercise((), [home.training.exercise for home in homes], exercise)
            homes = tuple(home for home in homes if exercise in ("", home.training.exercise))
            result, (place, told) = self._result(), device_at_home(device, bundle.assignment.slug, homes)
            if told:
                print(told)
            exercises = tuple(train_at_home(self._source(), bundle.assignment, result, homes, place, long=long))
        except (BundleError, CheckError) as error:
            print(error)
            return None
        return Trained(replace(result, exercises=exercises), homes)

    @_in_its_language
    def play(self, *words: object) -> Played | None:
        """Run play.py on what the cells of this notebook define, with the words that it takes, and show its page."""
        try:
            return play_cells(self._source(), self.examples.folder, tuple(map(str, words)))
        except CheckError as error:
            print(error)
            return None

    @property
    def _bundle(self) -> Bundle:
        return self.examples.bundle

    def _source(self) -> Source:
        return source_of_cells(_cells(), self._bundle.assignment.file)

    def _result(self) -> Result:
        return self.examples.of_notebook(_cells())

    def _course(self) -> tuple[Handout, ...]:
        return handouts_beside(self.examples.folder, self._bundle, None)

    def _step(self, course: Sequence[Handout]) -> Step:
        """Return the step that the cells lead to, and keep which exercises pass."""
        assignment = self._bundle.assignment
        own = next(handout for handout in course if handout.slug == assignment.slug)
        notebook = Path(assignment.file).with_suffix(".ipynb")
        return make_step(own, course, assignment, notebook, self._source(), self._result())


def _name_of(asked: str | Named) -> str:
    """Return the name of what is asked for, where the function or class itself was given."""
    return asked if isinstance(asked, str) else getattr(asked, "__name__", str(asked))


def _cells() -> Mapping[str, Any]:
    """Return the names of the running notebook, of which `In` holds the cells that were run."""
    return vars(sys.modules["__main__"])
