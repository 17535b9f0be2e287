"""Run code of the course's own as a program that nothing shares, and silently."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType

import numpy as np

from autograder.sandbox.child.program import Program


def fresh_program(name: str, file: str, text: str) -> Program:
    """Return a program of the course's own that nothing shares, from code that is compiled once."""
    program = Program(name, notebook=False)
    program.texts = {file: text}
    with quiet():
        exec(_compiled(text, file), vars(program.module))  # noqa: S102 (the course's own)
    return program


@functools.lru_cache(maxsize=256)
def _compiled(text: str, file: str) -> CodeType:
    return compile(text, file, "exec", dont_inherit=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence numpy: known-wrong variants overflow and divide by zero on purpose."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
