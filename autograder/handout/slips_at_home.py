"""Compute what slips give on an assignment's public cases, as the fingerprints that a handout holds."""

from __future__ import annotations

from functools import partial

import numpy as np

from autograder.handout.kit.one_slip import SLIPS, SlipsOfExercise, slips_to_bytes
from autograder.handout.on_all_cores import Tracked, on_all_cores
from autograder.handout.public_data import with_secret_answers
from autograder.judge.answer_fingerprints import SUMS, fingerprint_of
from autograder.oracle.oracle import Oracle
from autograder.oracle.slips_tried import Slips

TRIALS = 4  # of an exercise, those that take the least time


def slips_file(oracle: Oracle, tracked: Tracked = iter) -> dict[str, bytes]:
    """Return the file of an assignment's slips, by its name in a handout. The oracle is of public cases."""
    secret = with_secret_answers(oracle)
    names = [e.name for e in oracle.assignment.exercises if e.blanks and not e.manual and e.name not in secret]
    found = {name: slips for name, slips in on_all_cores(partial(_of, oracle), names, tracked) if slips.keys}
    return {f"engine/{SLIPS}": slips_to_bytes(found)}


def _of(oracle: Oracle, exercise: str) -> SlipsOfExercise:
    """Return what the slips of an exercise give: those of which the cheapest trial tells something; of such as give the same, the first."""
    asked = [trial for trial in oracle.trials_of(exercise) if not trial.is_large]
    right = {t: each for t in asked if (each := fingerprint_of(t, oracle.expected(t), whole=True))}
    trials = sorted(right, key=lambda trial: trial.cost)[:TRIALS]
    if not trials:
        return SlipsOfExercise([], [], np.zeros((0, 0), np.uint32), np.zeros((0, 0, SUMS), np.float32))
    slips = Slips(oracle, exercise)
    shown = np.flatnonzero(np.isfinite(slips.prints(trials[0]).sums).all(axis=1)).tolist()
    prints = [slips.prints(trial, shown) for trial in trials]
    forms, sums = (np.stack([getattr(each, part) for each in prints], axis=1) for part in ("forms", "sums"))
    seen = {np.stack([right[trial].sums for trial in trials]).tobytes()}
    kept = []
    for place, row in enumerate(sums):
        if row.tobytes() not in seen:
            seen.add(row.tobytes())
            kept.append(place)
    keys = [list(slips.key(shown[place])) for place in kept]
    return SlipsOfExercise(keys, [trial.name for trial in trials], forms[kept], sums[kept])
