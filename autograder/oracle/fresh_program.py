"""Run code of the course's own as a program that nothing shares, and silently."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from autograder.oracle.step_limit import SAYS, counted, take_step
from autograder.sandbox.child.program import Program


def fresh_program(name: str, file: str, text: str) -> Program:
    """Return a program of the course's own that nothing shares, from code that is compiled once."""
    program = Program(name, notebook=False)
    run_code(program, file, text)
    return program


def run_code(program: Program, label: str, text: str) -> None:
    """Run code of the course's own in a program, so that its steps can be counted."""
    program.texts[label] = text
    names = vars(program.module)
    names[SAYS] = take_step
    with quiet():
        exec(counted(text, label), names)  # noqa: S102 (the course's own)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence numpy: known-wrong variants overflow and divide by zero on purpose."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
