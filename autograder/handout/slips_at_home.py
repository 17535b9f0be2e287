"""Compute what slips give on an assignment's public cases, for the file by which a handout tells them."""

from __future__ import annotations

from functools import partial

from autograder.handout.kit.one_slip import SLIPS, SlipsOfExercise, slips_to_bytes
from autograder.handout.on_all_cores import Tracked, on_all_cores
from autograder.handout.public_data import with_secret_answers
from autograder.judge.answer_fingerprints import fingerprint_of
from autograder.oracle.oracle import Oracle
from autograder.oracle.slips_tried import Slips


def slips_file(oracle: Oracle, tracked: Tracked = iter) -> dict[str, bytes]:
    """Return the file of an assignment's slips, by its name in a handout. The oracle is of public cases."""
    secret = with_secret_answers(oracle)
    names = [e.name for e in oracle.assignment.exercises if e.blanks and not e.manual and e.name not in secret]
    found = {name: slips for name, slips in on_all_cores(partial(_of, oracle), names, tracked) if slips.sealed}
    return {f"engine/{SLIPS}": slips_to_bytes(found)}


def _of(oracle: Oracle, exercise: str) -> SlipsOfExercise:
    """Return the slips of an exercise that tell something in the cheapest trial: of those that give the same, the first."""
    asked = oracle.trials_of(exercise)
    right = {t: each for t in asked if (each := fingerprint_of(t, oracle.expected(t), whole=True))}
    trials = sorted(right, key=lambda trial: trial.cost)
    if not trials:
        return SlipsOfExercise.of([], [], [])
    slips = Slips(oracle, exercise)
    cheapest = {number: each for number, each in enumerate(slips.prints(trials[0])) if each}
    shown = list(cheapest)
    rows = zip(cheapest.values(), *(slips.prints(trial, shown) for trial in trials[1:]), strict=True)
    seen = {tuple(right[trial].sums.tobytes() for trial in trials)}
    kept = []
    for number, row in zip(shown, rows, strict=True):
        gives = tuple(each.sums.tobytes() if each else b"" for each in row)
        if gives not in seen:
            seen.add(gives)
            kept.append((number, list(row)))
    return SlipsOfExercise.of(
        [slips.key(n) for n, _ in kept], [trial.name for trial in trials], [row for _, row in kept]
    )
