"""Give verdicts to pytest and notebooks: the check of `self_check.py`, one case or exercise at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.language import marked, say, speaking
from autograder.course.spec import Call, Status
from autograder.handout.kit.bundle import Bundle, language_of, read_bundle
from autograder.handout.kit.notebook_cells_run import source_of_cells, with_cells_to_run
from autograder.handout.kit.self_check import check, verdicts
from autograder.judge.compare import difference
from autograder.judge.outcomes_alike import answers_of
from autograder.judge.result import CaseResult, Result
from autograder.judge.terminal_text import case_as_text
from autograder.judge.trials import as_data
from autograder.sandbox.child.tree import Code, Opaque, Tensor
from autograder.sandbox.child.wire_format import pack, unpack
from autograder.sandbox.job import Source
from autograder.submission.several_files import read_work
from autograder.submission.which_file import worked_in
from autograder.submission.written_exercises import Stub

CHANGED = marked("The numbers in this test are no longer those of the handout; unzip it again, or run python check.py.")


@dataclass
class Examples:
    """The public cases of a handout's folder; one run of the student's code serves them all."""

    folder: Path
    _results: dict[Source, Result] = field(default_factory=dict)
    _bundle: Bundle | None = None

    @property
    def bundle(self) -> Bundle:
        """What to judge by."""
        self._bundle = self._bundle or read_bundle(self.folder / "engine")
        return self._bundle

    @property
    def language(self) -> str:
        """The language that the handout speaks."""
        return self._bundle.assignment.language if self._bundle else language_of(self.folder / "engine")

    def verdict(self, name: str, calls: Sequence[Call], expected: Sequence[Any]) -> tuple[str, str]:
        """Return the status of a case of the file that would be graded, and what there is to read about it.

        `calls` and `expected` are what a test shows its reader; where they are not what is judged, that is said instead.
        """
        with speaking(self.language):
            if not self._shows(name, calls, expected):
                return "CHANGED", say(CHANGED)
            assignment = self.bundle.assignment
            stub = Stub.of(assignment)
            path, _ = worked_in(self.folder, stub, deep=True)
            return _status(self._result(read_work(path, stub)), name)

    def in_notebook(self, env: Mapping[str, Any], name: str) -> None:
        """Judge a case of a running notebook. Raises AssertionError with what there is to read where it fails."""
        with speaking(self.language):
            status, text = _status(self.of_notebook(env), name)
        if status != Status.PASSED:
            raise AssertionError(f"{status}\n{text}")

    def hidden_in_notebook(self, env: Mapping[str, Any], name: str) -> None:
        """Say of a case that it is hidden: it is not in this folder, and the autograder has it when it grades.

        Only a solution notebook of otter's has tests that call this.
        """
        del env
        with speaking(self.language):
            print(say("{name} is hidden: it runs when the notebook is graded.", name=name))

    def of_notebook(self, env: Mapping[str, Any]) -> Result:
        """Return the result of a running notebook."""
        source = source_of_cells(env, self.bundle.assignment.file)
        return with_cells_to_run(self._result(source), source, self.bundle.assignment)

    def _result(self, source: Source) -> Result:
        if source not in self._results:
            self._results = {source: check(source, self.bundle)}
        return self._results[source]

    def _shows(self, name: str, calls: Sequence[Call], expected: Sequence[Any]) -> bool:
        trial = next((trial for trial in self.bundle.trials if trial.name == name), None)
        if trial is None or len(calls) != len(trial.calls):
            return False
        right = [answer.value for answer in answers_of(self.bundle.expected(trial))]
        inputs = difference(_plain([_parts(c) for c in calls]), _plain([_parts(c) for c in trial.calls]))
        return inputs is None and difference(_plain(list(expected)), _plain(right)) is None


def _parts(call: Call) -> list[Any]:
    return [list(call.args), dict(call.kwargs), call.function, call.module and as_data(call.module)]


def _plain(tree: Any) -> Any:
    """Return a tree of numpy arrays and plain values, for comparing what a test shows with what is judged."""
    arrays: dict[str, np.ndarray] = {}
    return _flattened(unpack(pack(tree, arrays), arrays))


def _flattened(tree: Any) -> Any:
    if isinstance(tree, Tensor):
        return tree.array
    if isinstance(tree, Code | Opaque):  # a letter that is not shown is written as ...
        return tree.expression if isinstance(tree, Code) else "..."
    if isinstance(tree, list | tuple):
        return [_flattened(item) for item in tree]
    if isinstance(tree, dict):
        return {key: _flattened(value) for key, value in tree.items()}
    return tree


def _status(result: Result, name: str) -> tuple[str, str]:
    case: CaseResult = next(case for e, c, case in verdicts(result) if f"{e}.{c}" == name)
    if result.problem:
        return str(case.status), result.problem
    if case.status is Status.PASSED:
        return str(case.status), "\n".join(filter(None, [case.claim, case.message]))
    return str(case.status), case_as_text(case)
