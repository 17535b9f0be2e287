"""Compute what slips give on an assignment's public cases, as the fingerprints that a handout holds."""

from __future__ import annotations

from functools import partial

import numpy as np

from autograder.handout.kit.one_slip import SLIPS, SlipsOfExercise, slips_to_bytes
from autograder.handout.on_all_cores import Tracked, on_all_cores
from autograder.handout.public_data import with_secret_answers
from autograder.judge.answer_fingerprints import SUMS, fingerprint_of
from autograder.oracle.oracle import Oracle
from autograder.oracle.slips_tried import Prints, Slips

TRIALS = 4  # of an exercise, those that take the least time


def slips_file(oracle: Oracle, tracked: Tracked = iter) -> dict[str, bytes]:
    """Return the file of an assignment's slips, by its name in a handout. The oracle is of public cases."""
    secret = with_secret_answers(oracle)
    names = [e.name for e in oracle.assignment.exercises if e.blanks and not e.manual and e.name not in secret]
    found = {name: slips for name, slips in on_all_cores(partial(_of, oracle), names, tracked) if slips.keys}
    return {f"engine/{SLIPS}": slips_to_bytes(found)}


def _of(oracle: Oracle, exercise: str) -> SlipsOfExercise:
    """Return what the slips of an exercise give; of those that give the same, the first."""
    told = [
        t for t in oracle.trials_of(exercise) if not t.is_large and fingerprint_of(t, oracle.expected(t), whole=True)
    ]
    trials = sorted(told, key=lambda trial: trial.cost)[:TRIALS]
    slips = Slips(oracle, exercise)
    prints = [slips.prints(trial) for trial in trials]
    right = [Prints.of([fingerprint_of(trial, oracle.expected(trial), whole=True)]) for trial in trials]
    forms = np.stack([each.forms for each in prints], axis=1) if prints else np.zeros((0, 0), np.uint32)
    sums = np.stack([each.sums for each in prints], axis=1) if prints else np.zeros((0, 0, SUMS), np.float32)
    seen = {b"".join(each.sums.tobytes() for each in right)}
    kept = []
    for number, row in enumerate(sums):
        if np.isfinite(row).any() and row.tobytes() not in seen:
            seen.add(row.tobytes())
            kept.append(number)
    return SlipsOfExercise([list(slips.key(n)) for n in kept], [t.name for t in trials], forms[kept], sums[kept])
