"""One case of a running notebook: run in its kernel for a debugger, or written as a program for another cell.

Its cells are compiled under the names by which the kernel knows them, so that `breakpoint()`, `%debug` and a breakpoint that
is set in a cell stop in that cell.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from autograder.course.language import say
from autograder.handout.kit.asked import trial_asked
from autograder.handout.kit.bundle import Bundle
from autograder.handout.kit.debug import case_line, make_calls
from autograder.handout.kit.repro import repro
from autograder.handout.kit.self_check import verdicts
from autograder.judge.result import CaseResult, Result
from autograder.judge.smallest_failure import easiest_failure
from autograder.judge.trials import Small
from autograder.sandbox.child.program import Program
from autograder.sandbox.job import Source
from autograder.sandbox.process import ProcessSandbox


def debug_case(env: Mapping[str, Any], source: Source, bundle: Bundle, result: Result, name: str) -> bool:
    """Make the calls of a case in this kernel and print how they are judged; return whether it passes.

    An exception of the student's code is not caught. Raises CheckError where there is no such case.
    """
    small, known = _asked(source, bundle, result, name)

    def load() -> Program:
        program = Program(source.module, notebook=True)
        program.load([(_name_of_cell(env, chunk.label), chunk.text) for chunk in source.chunks])
        return program

    with _stopping():
        return make_calls(load, bundle, small, known)


@contextmanager
def _stopping() -> Iterator[None]:
    """Have `breakpoint()` stop in pdb where debugpy, which kernels load, would go on since no editor's debugger is there."""
    before, editor = sys.breakpointhook, sys.modules.get("debugpy")
    if editor and before.__module__.startswith("debugpy") and not editor.is_client_connected():
        sys.breakpointhook = sys.__breakpointhook__
    try:
        yield
    finally:
        sys.breakpointhook = before


def case_as_program(source: Source, bundle: Bundle, result: Result, name: str) -> str:
    """Return a case as code for a cell. Raises CheckError where there is no such case."""
    small, known = _asked(source, bundle, result, name)
    told = known.lead or say("It passes.")
    return repro(source, small, bundle.signatures, f"{case_line(small.trial.case.exercise, known)}\n{told}")


def _asked(source: Source, bundle: Bundle, result: Result, name: str) -> tuple[Small, CaseResult]:
    """Return the smallest call that fails as the case does that is asked for, and what a check says of the case."""
    trial = trial_asked(bundle, name, result)
    known = next(c for e, _, c in verdicts(result) if (e, c.name) == (trial.case.exercise, trial.case.name))
    with ProcessSandbox() as sandbox:
        return easiest_failure(source, bundle, sandbox, trial), known


def _name_of_cell(env: Mapping[str, Any], label: str) -> str:
    """Return the name under which a kernel keeps the text of a cell, such as "cell [3]"; the label where there is no kernel."""
    if "get_ipython" not in env:
        return label
    shell, number = env["get_ipython"](), int(label.removeprefix("cell [").removesuffix("]"))
    typed = shell.history_manager.input_hist_raw[number]
    return str(shell.compile.cache(env["In"][number], number, raw_code=typed))
