"""What assignment.toml says that an exercise uses is what its reference calls."""

from __future__ import annotations

import json
from collections.abc import Iterator

from autograder.oracle.functions_run import used_in
from autograder.oracle.oracle import Oracle
from autograder.oracle.reference import BrokenReferenceError
from autograder.oracle.training_losses import KnownLosses
from autograder.proof.soundness import Proof


def uses_are_declared(oracle: Oracle) -> Proof:
    """Prove it of every exercise, in all of its cases, and of a training in its first steps."""
    return Proof("every exercise declares what it uses", tuple(_undeclared(oracle)))


def _undeclared(oracle: Oracle) -> Iterator[str]:
    assignment, losses = oracle.assignment, KnownLosses(oracle)
    for exercise in assignment.exercises:
        calls = frozenset().union(*map(oracle.calls_in, oracle.trials_of(exercise.name)))
        try:
            trained = [losses.calls_in(t) for t in assignment.trainings if t.exercise == exercise.name]
        except BrokenReferenceError as error:
            yield str(error)
            continue
        found = used_in(calls.union(*trained), exercise, assignment.exercises)
        told = [f"calls {name} as well" for name in sorted(found - set(exercise.uses))]
        told += [f"calls no {name} in its cases" for name in exercise.uses if name not in found]
        if told:
            right = json.dumps([e.name for e in assignment.exercises if e.name in found])
            yield f"assignments/{assignment.slug}/assignment.toml: {exercise.name} {' and '.join(told)}; write uses = {right}"
