"""What the check cells of a notebook call, and what they show."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

from autograder.handout.kit.asked import CheckError, file_and_exercise
from autograder.handout.kit.bundle import BundleError
from autograder.handout.kit.notebook_cells_run import source_of_cells
from autograder.handout.kit.notebook_play import Played, play_cells
from autograder.handout.kit.self_check import only, some_trainings
from autograder.handout.kit.train_at_home import device_at_home, train_at_home, training_as_text
from autograder.handout.kit.trainings import HomeTraining, read_trainings
from autograder.handout.kit.verdicts import Examples
from autograder.judge.result import Result
from autograder.judge.terminal_text import result_as_text

WIDTH = 80  # of what a cell shows as text


@dataclass(frozen=True)
class Shown:
    """What a check cell shows: pictures where the notebook can draw them, else text."""

    title: str
    result: Result

    def __repr__(self) -> str:
        """Show the text, as the last line of a cell does."""
        return result_as_text(self.title, self.result)

    def _repr_html_(self) -> str | None:
        """Return the result as HTML, or None where Jinja is not installed."""
        return _as_html(self.result)


def _as_html(result: Result) -> str | None:
    try:
        from autograder.feedback.check_page import cell_of_check
    except ImportError:
        return None
    return cell_of_check(result)


@dataclass(frozen=True)
class Trained:
    """What a training cell shows: the losses beside the reference's, and a verdict on them."""

    result: Result  # of the trainings alone
    homes: tuple[HomeTraining, ...]

    def __repr__(self) -> str:
        """Show the text, as the last line of a cell does."""
        told = zip(self.result.exercises, self.homes, strict=True)
        return "\n\n".join(training_as_text(exercise, home, WIDTH) for exercise, home in told)

    def _repr_html_(self) -> str | None:
        """Return the verdicts as HTML with charts, or None where Jinja is not installed."""
        return _as_html(self.result)


@dataclass(frozen=True)
class Grader:
    """The checks of a running notebook."""

    examples: Examples

    def check(self, exercise: str) -> Shown:
        """Check one exercise of this notebook as it stands."""
        result = self._result()
        try:
            file_and_exercise((), [each.name for each in result.exercises], exercise)
        except CheckError as error:
            result = replace(result, problem=str(error))
        return Shown(exercise, only(result, exercise))

    def check_all(self) -> Shown:
        """Check every exercise."""
        return Shown(self.examples.bundle.assignment.title, self._result())

    def train(self, device: str = "auto", *, long: bool = False) -> Trained | None:
        """Train what the cells of this notebook define: the first steps of each training, and with `long` all of them."""
        bundle = self.examples.bundle
        source = source_of_cells(vars(sys.modules["__main__"]), bundle.assignment.file)
        try:
            homes = some_trainings(read_trainings(self.examples.folder / "engine"), bundle)
            result, place = self._result(), device_at_home(device)
            exercises = tuple(train_at_home(source, bundle.assignment, result, homes, place, long=long))
        except (BundleError, CheckError) as error:
            print(error)
            return None
        return Trained(replace(result, exercises=exercises), homes)

    def play(self, *words: object) -> Played | None:
        """Run play.py on what the cells of this notebook define, with the words that it takes, and show its page."""
        source = source_of_cells(vars(sys.modules["__main__"]), self.examples.bundle.assignment.file)
        try:
            return play_cells(source, self.examples.folder, tuple(map(str, words)))
        except CheckError as error:
            print(error)
            return None

    def _result(self) -> Result:
        return self.examples.of_notebook(vars(sys.modules["__main__"]))
