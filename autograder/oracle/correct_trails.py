"""Follow a call through the reference and the other correct solutions, in the trusted process."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.judge.value_trails import Trail, following, read_trail
from autograder.oracle.calls_here import run_requests
from autograder.oracle.fresh_program import quiet
from autograder.oracle.reference import Reference
from autograder.sandbox.child.guards import imported_in
from autograder.sandbox.child.program import Program
from autograder.sandbox.job import Request


def correct_trails(oracle: Reference, request: Request) -> Iterator[tuple[Program, Trail]]:
    """Yield the trails of a call through correct solutions, each with its program."""
    asked = (following(request, statements=False),)
    for program in _correct_programs(oracle):
        if trail := read_trail(run_requests(program, asked)[0].value):
            yield program, trail


def _correct_programs(oracle: Reference) -> tuple[Program, ...]:
    """Return the reference and the other correct solutions, loaded.

    Those that bring torch into an assignment without it are left out: importing it takes about a second and 90 MB.
    """

    def loaded(name: str, text: str) -> Program:
        program = Program(f"correct_{oracle.assignment.slug}_{name}", notebook=False)
        with quiet():
            program.load([(f"correct/{name}.py", text)])
        return program

    def made() -> tuple[Program, ...]:
        assignment = oracle.assignment
        others = (one for one in assignment.correct if assignment.torch or "torch" not in imported_in([one.source]))
        return (
            oracle.own_reference(),  # another one may have seen hidden cases, and keep what it saw
            *(loaded(one.name, assignment.with_replaced(one.source)) for one in others),
        )

    return oracle.kept(("correct programs",), made)
