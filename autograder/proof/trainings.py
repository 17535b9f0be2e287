"""Prove what an assignment promises of its training runs: the reference learns, however it is written, and what cannot fails.

Slow, so `doctor` does it only when asked: each proof trains the reference, or a variant of it, in the sandbox.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment, Misconception, Status
from autograder.judge.reasons import Diagnosis
from autograder.judge.result import ExerciseResult
from autograder.oracle.gpus import Gpus
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.proof.gradings import exercise_failures, train_all, training_failures
from autograder.proof.soundness import Proof
from autograder.sandbox.job import Sandbox, Source


def examine_trainings(
    assignment: Assignment, sandbox: Sandbox, jobs: int, seeds: Sequence[int], gpus: Gpus | None = None
) -> Iterator[Proof]:
    """Yield proofs that the reference learns at every seed, that other correct solutions do at the first, and that known mistakes do not.

    On `gpus` they share devices.
    """
    for training in assignment.trainings:
        only = replace(assignment, trainings=(training,))
        trainers = [Trainer(Oracle(only, seed), gpus=gpus) for seed in seeds]
        right = {f"seed {t.oracle.seed}": (t, Source.of(assignment.file, assignment.reference), ()) for t in trainers}
        results = train_all(training, right, sandbox, jobs)
        broken = [f"{name}: {line}" for name, result in results.items() for line in exercise_failures(result)]
        yield Proof(f"{training.exercise}: the reference learns at every seed ({len(seeds)})", tuple(broken))
        texts = {a.name: assignment.with_replaced(a.source) for a in assignment.correct}
        others = {name: (trainers[0], Source.of(assignment.file, text), ()) for name, text in texts.items()}
        results = train_all(training, others, sandbox, jobs)
        lost = [line for name, result in results.items() for line in training_failures(training, name, result)]
        yield Proof(f"{training.exercise}: every correct solution learns ({len(texts)})", tuple(lost))
        bank = {m.name: m for m in assignment.misconceptions if m.name in training.catches}
        mistaken = {name: (trainers[0], _mistaken(assignment, m), (m.exercise,)) for name, m in bank.items()}
        fooled = [] if bank else ["catches names no known mistake"]
        for name, result in train_all(training, mistaken, sandbox, jobs).items():
            fooled += _fooled(bank[name], result)
        yield Proof(f"{training.exercise}: no known mistake learns or gets another name ({len(bank)})", tuple(fooled))


def _mistaken(assignment: Assignment, misconception: Misconception) -> Source:
    return Source.of(assignment.file, apply_edits(assignment.reference, (misconception,)) or "")


def _fooled(misconception: Misconception, result: ExerciseResult) -> Iterator[str]:
    """Yield what is wrong with a known mistake's verdict; one that shows in metrics only is told by its symptom."""
    first = result.cases[0]
    if result.status is Status.PASSED:
        yield f"{misconception.name} learns, too"
    elif isinstance(first.reason, Diagnosis):
        told = [mistake for mistakes in first.reason.alternatives for mistake in mistakes]
        names = {misconception.name, *misconception.twins}
        if not any(m.name in names or m.sentence == misconception.says for m in told):
            yield f"{misconception.name} is named {first.diagnosis} by its first losses"
