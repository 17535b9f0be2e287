"""Prove what an assignment promises of its training runs: the reference learns, however it is written, and what cannot fails.

Slow, so `doctor` does it only when asked: each proof trains the reference, or a variant of it, in the sandbox.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from autograder.course.spec import Assignment, Misconception, Status
from autograder.judge.reasons import Diagnosis
from autograder.judge.result import ExerciseResult
from autograder.oracle.oracle import Oracle
from autograder.oracle.reference import apply_edits
from autograder.oracle.training import Trainer
from autograder.proof.lost_points import exercise_failures, training_failures
from autograder.proof.soundness import Proof
from autograder.sandbox.job import Chunk, Sandbox, Source


def examine_trainings(assignment: Assignment, sandbox: Sandbox, jobs: int, seeds: Sequence[int]) -> Iterator[Proof]:
    """Yield proofs that the reference learns at every seed, that alternatives do at the first, and that known mistakes do not."""
    for training in assignment.trainings:
        trainers = [Trainer(Oracle(replace(assignment, trainings=(training,)), seed)) for seed in seeds]
        with ThreadPoolExecutor(jobs) as pool:
            results = pool.map(lambda trainer: _train(trainer, assignment.reference, sandbox), trainers)
            broken = [f"seed {s}: {line}" for s, r in zip(seeds, results, strict=True) for line in exercise_failures(r)]
            yield Proof(f"{training.exercise}: the reference learns at every seed ({len(seeds)})", tuple(broken))
            texts = [f"{assignment.reference}\n{a.source}" for a in assignment.alternatives]
            results = pool.map(_train, itertools.repeat(trainers[0]), texts, itertools.repeat(sandbox))
            named = zip(assignment.alternatives, results, strict=True)
            lost = [line for a, result in named for line in training_failures(training, a.name, result)]
            yield Proof(f"{training.exercise}: every alternative learns ({len(texts)})", tuple(lost))
            bank = [m for m in assignment.misconceptions if m.name in training.catches]
            verdicts = pool.map(_mistaken, bank, itertools.repeat(trainers[0]), itertools.repeat(sandbox))
            fooled = [] if bank else ["catches names no known mistake"]
            fooled += [line for m, result in zip(bank, verdicts, strict=True) for line in _fooled(m, result)]
            yield Proof(
                f"{training.exercise}: no known mistake learns or gets another name ({len(bank)})", tuple(fooled)
            )


def _mistaken(misconception: Misconception, trainer: Trainer, sandbox: Sandbox) -> ExerciseResult:
    text = apply_edits(trainer.assignment.reference, (misconception,)) or ""
    return _train(trainer, text, sandbox, (misconception.exercise,))


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


def _train(trainer: Trainer, text: str, sandbox: Sandbox, wrong: Sequence[str] = ()) -> ExerciseResult:
    assignment = trainer.assignment
    source = Source(Path(assignment.file).stem, (Chunk(assignment.file, text),))
    (training,) = assignment.trainings
    return trainer.train(training, source, sandbox, wrong)
