"""Compute what slips give on an assignment's public cases, alone and beside known mistakes, for the file by which a handout tells them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import partial

from autograder.handout.kit.one_slip import SLIPS, SlipsOfExercise, slips_to_bytes
from autograder.handout.kit.sealed import Cell, cell_of
from autograder.handout.kit.slips_beside import Row, SlipsBeside
from autograder.handout.on_all_cores import Tracked, on_all_cores
from autograder.handout.public_data import tellable, with_secret_answers
from autograder.judge.answer_fingerprints import Fingerprint, fingerprint_of
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle
from autograder.oracle.slips_tried import Slips

MOST_BESIDE, MOST_WITH_TORCH = 20_000, 3000  # slips of an exercise that are run beside its known mistakes
Gives = tuple[Cell, ...]  # in each trial; empty where nothing can be compared
Found = tuple[SlipsOfExercise, SlipsBeside]


def slips_file(oracle: Oracle, tracked: Tracked = iter) -> dict[str, bytes]:
    """Return the file of an assignment's slips, by its name in a handout. The oracle is of public cases."""
    secret = with_secret_answers(oracle)
    names = [e.name for e in oracle.assignment.exercises if e.blanks and not e.manual and e.name not in secret]
    found = {name: slips for name, slips in on_all_cores(partial(_of, oracle), names, tracked) if slips[0].sealed}
    return {f"engine/{SLIPS}": slips_to_bytes(found)}


def _of(oracle: Oracle, exercise: str) -> Found:
    """Return the slips of an exercise that tell something in the cheapest trial: of those that give the same, the first."""
    asked = oracle.trials_of(exercise)
    right = {t: each for t in asked if (each := fingerprint_of(t, oracle.expected(t), whole=True))}
    trials = sorted(right, key=lambda trial: trial.cost)
    names = [trial.name for trial in trials]
    if not trials:
        return SlipsOfExercise.of([], [], []), SlipsBeside.of(names, [])
    slips = Slips(oracle, exercise)
    seen = {_gives([right[trial] for trial in trials])}
    kept = []
    for number, row in _prints(slips, trials, range(len(slips.slips))):
        gives = _gives(row)
        if gives not in seen:
            seen.add(gives)
            kept.append((number, row))
    alone = SlipsOfExercise.of([slips.key(n) for n, _ in kept], names, [row for _, row in kept])
    return alone, SlipsBeside.of(
        names, list(_beside(oracle, exercise, trials, seen, sum(not which for which, _ in slips.slips)))
    )


def _prints(
    slips: Slips, trials: Sequence[Trial], numbers: Collection[int]
) -> Iterator[tuple[int, list[Fingerprint | None]]]:
    """Yield slips by their numbers with what they give in each trial, of those that give something in the first."""
    cheapest = dict(zip(numbers, slips.prints(trials[0], list(numbers)), strict=True))
    shown = [number for number, each in cheapest.items() if each]
    rows = zip(*(slips.prints(trial, shown) for trial in trials[1:]), strict=True) if trials[1:] else ((),) * len(shown)
    yield from ((number, [cheapest[number], *row]) for number, row in zip(shown, rows, strict=True))


def _of_each_kind(slips: Slips) -> list[int]:
    """Return the numbers of slips, first one of each kind, then the next of each."""
    seen = Counter[str]()
    places = []
    for number in range(len(slips.slips)):
        kind = slips.key(number)[0]
        places.append((seen[kind], number))
        seen[kind] += 1
    return [number for _, number in sorted(places)]


def _gives(row: Sequence[Fingerprint | None]) -> Gives:
    return tuple(cell_of(each) if each else b"" for each in row)


def _print(oracle: Oracle, name: str, trial: Trial) -> Fingerprint | None:
    """Return the fingerprint of what a known mistake gives in a trial."""
    return fingerprint_of(trial, oracle.answers((name,), trial) or (), whole=True)


def _beside(
    oracle: Oracle, exercise: str, trials: Sequence[Trial], known: Collection[Gives], count: int
) -> Iterator[Row]:
    """Yield the slips beside known mistakes that give something else than either alone, and than those beside another mistake.

    `count` is how many slips the reference has. Where those are too many, only such are run of which more can be told.
    """
    own = [m for m in tellable(oracle) if m.exercise == exercise]
    alone = {m.name: _gives([_print(oracle, m.name, trial) for trial in trials]) for m in own}
    right = _gives([fingerprint_of(trial, oracle.expected(trial), whole=True) for trial in trials])
    mistakes = [m for m in own if alone[m.name] != right]  # a handout has none of those that no public case shows
    most = MOST_WITH_TORCH if oracle.assignment.torch else MOST_BESIDE
    found = defaultdict[Gives, list[Row]](list)
    for mistake in mistakes:
        slips = Slips(oracle, exercise, mistake, telling=count * len(mistakes) > most)
        for number, row in _prints(slips, trials, _of_each_kind(slips)[: most // len(mistakes)]):
            if all(row):
                found[_gives(row)].append((mistake.name, slips.key(number), _gives(row)))
    for gives, rows in found.items():
        if gives not in known and gives not in alone.values() and len({name for name, _, _ in rows}) == 1:
            yield rows[0]
