"""What the check cells of a notebook call, and what they show."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.handout.kit.asked import CheckError, file_and_exercise
from autograder.handout.kit.notebook_cells_run import source_of_cells
from autograder.handout.kit.self_check import harness_in, only
from autograder.handout.kit.train_at_home import train_at_home
from autograder.handout.kit.verdicts import Examples
from autograder.judge.picture import Lines
from autograder.judge.result import Result
from autograder.judge.terminal_text import result_as_text


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
        try:
            from autograder.feedback.check_page import cell_of_check
        except ImportError:
            return None
        return cell_of_check(self.result)


@dataclass(frozen=True)
class Trained:
    """What a training cell shows below what the training prints: the curve of its losses."""

    losses: Lines

    def __repr__(self) -> str:
        """Show where each curve begins and ends."""
        return "\n".join(
            f"{name}: {c[0][1]:.4g} at first, {c[-1][1]:.4g} at last" for name, c in self.losses.curves if c
        )

    def _repr_html_(self) -> str | None:
        """Return the curves as HTML, or None where Jinja is not installed."""
        try:
            from autograder.feedback.check_page import cell_of_training
        except ImportError:
            return None
        return cell_of_training(self.losses)


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

    def train(self, device: str = "auto") -> Trained | None:
        """Train what the cells of this notebook define with the handout's training.py."""
        file = self.examples.bundle.assignment.file
        source = source_of_cells(vars(sys.modules["__main__"]), file)
        losses = train_at_home(source, Path(file).stem, harness_in(self.examples.folder), device)
        return Trained(losses) if losses and losses.curves else None

    def _result(self) -> Result:
        return self.examples.of_notebook(vars(sys.modules["__main__"]))
