"""Find out whether a student's answers to questions can be trusted: whether they are a function of the arguments.

Hostile code may give answers that make its caller look right. So all questions are asked once more in another process, each
twice, in random order, and among *twins*: the same calls with other arguments, drawn like those of the cases. Nothing tells a
question from a twin. A trial whose answers change from one time to the other is not *steady* and never excused. One whose
answers stay the same although the arguments change is not *clear* and needs further evidence.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.judge.compare import alike
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.trials import Trial
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay
from autograder.oracle.scrambled import run_scrambled
from autograder.oracle.student_calls import Question, StudentCall, arrays_by_path, asked_by, digest_of, with_leaf
from autograder.sandbox.child.tree import Code, array_of, as_arrays, leaves
from autograder.sandbox.job import Ending, Outcome, Sandbox, Source

MAX_AGAIN = 300  # questions of a submission that are asked again
PROBED = 2  # questions of a trial to each exercise that get twins
MAX_TWINS = 6  # of one question, beside the one in which every array is changed
MOST_TWINS = 200  # questions whose twins are kept for a class; those of a module hold its parameters
NOISE, CHANGE = 1e-6, 1e-2  # the most by which a repeated answer may differ, the least by which a twin's has to
MASK = 0.5  # the weight of an argument of truth values; other arguments weigh 1


@dataclass(frozen=True)
class Twin:
    """A question with one array or all of them changed, so that the reference's own answer changes."""

    asked: StudentCall
    counts: float  # the weight of the changed argument; 0 where all are changed


@dataclass(frozen=True)
class Evidence:
    """The trials that can be excused by the student's answers."""

    steady: frozenset[Trial]  # every answer is the same whenever it is asked for
    clear: frozenset[Trial]  # and the answers depend on what is asked


def weigh_answers(
    oracle: Reference, replay: Replay, used: Mapping[Trial, Sequence[Question]], source: Source, sandbox: Sandbox
) -> Evidence:
    """Ask the questions of trials again, among twins, and return which trials have answers to trust."""
    rng = np.random.default_rng(zlib.crc32(f"{oracle.seed}.twins".encode()))
    twins: dict[Question, tuple[Twin, ...]] = {}
    for trial, questions in used.items():
        twins = dict.fromkeys(questions, ()) | twins
        for name in dict.fromkeys(name for name, _ in questions):
            mine = [q for q in questions if q[0] == name]
            for i in rng.permutation(len(mine))[:PROBED]:
                twins[mine[i]] = twins[mine[i]] or _kept_twins(oracle, replay, trial, mine[i])
    if replay.spent:  # else answers without twins would be trusted
        return Evidence(frozenset(), frozenset())
    chosen = list(twins)
    if len(chosen) > MAX_AGAIN:
        chosen = [chosen[i] for i in rng.permutation(len(chosen))[:MAX_AGAIN]]
    chosen += [q for q, found in twins.items() if found and q not in chosen]
    asked = [(q, None) for q in chosen] * 2 + [(q, twin) for q in chosen for twin in twins[q]]
    asked = [asked[i] for i in rng.permutation(len(asked))]
    requests = [(twin.asked if twin else asked_by(q)).request(i) for i, (q, twin) in enumerate(asked)]
    outcomes = run_scrambled(oracle.assignment, source, sandbox, [(request, replay.scrambled) for request in requests])
    answers = list(zip(asked, outcomes, strict=True))
    wavering = {q for (q, twin), got in answers if not twin and not _as_before(got, replay.known(q))}
    vague = {
        q for q in chosen if twins[q] and _ignores(replay.known(q), [(t, o) for (p, t), o in answers if t and p == q])
    }
    steady = {trial for trial, questions in used.items() if not wavering & set(questions)}
    clear = {t for t in steady if not vague & set(used[t]) and not _says_nothing(replay, used[t])}
    return Evidence(frozenset(steady), frozenset(clear))


def steady_answers(
    oracle: Reference, replay: Replay, questions: Sequence[Question], source: Source, sandbox: Sandbox
) -> bool:
    """Whether the answers of a replay are the same when they are asked for in another process and in random order."""
    rng = np.random.default_rng(zlib.crc32(f"{oracle.seed}.steady".encode()))
    chosen = [questions[i] for i in rng.permutation(len(questions))[:MAX_AGAIN]]
    requests = [asked_by(question).request(i) for i, question in enumerate(chosen)]
    outcomes = run_scrambled(oracle.assignment, source, sandbox, [(request, replay.scrambled) for request in requests])
    return all(_as_before(got, replay.known(q)) for q, got in zip(chosen, outcomes, strict=True))


def _kept_twins(oracle: Reference, replay: Replay, trial: Trial, question: Question) -> tuple[Twin, ...]:
    """Return twins of a question in a trial, the same for all submissions that come to it."""
    name, digest = digest_of(question)

    def drawn() -> tuple[Twin, ...]:
        again = [call for call in replay.calls(oracle.again(trial)) if call.name == name]
        rng = np.random.default_rng([zlib.crc32(f"{oracle.seed}.twins".encode()), *digest])
        return draw_twins(replay, question, again, rng)

    return replay.kept(("twins", trial, replay.wrong_in(trial), name, digest), drawn, (), MOST_TWINS)


def draw_twins(
    replay: Replay, question: Question, again: Sequence[StudentCall], rng: np.random.Generator
) -> tuple[Twin, ...]:
    """Return twins of a question; `again` are calls of the same exercise in the same case, drawn again."""
    asked = asked_by(question)
    if asked.cotangents:
        return ()  # what gradients depend on is asked about going forward
    try:
        right = replay.right(asked)
    except ValueError:
        return ()
    whole = (asked.args, asked.kwargs)
    others = [(other.args, other.kwargs) for other in again if _shapes((other.args, other.kwargs)) == _shapes(whole)]
    other = others[rng.integers(len(others))] if others else whole
    every, changed = dict(arrays_by_path(whole)), dict(arrays_by_path(other))
    drawn: dict[Any, Any] = {path: _drawn(array, changed[path], rng) for path, array in every.items()}
    paths: list[Any] = [
        path for path, array in drawn.items() if not np.array_equal(array, every[path], equal_nan=False)
    ]
    # A function among the arguments stands for a constant: another one is a multiple of it.
    functions = {(0, i): arg for i, arg in enumerate(asked.args) if isinstance(arg, Code)}
    drawn |= {path: Code(f"lambda *_: 1.7 * ({code.expression})()") for path, code in functions.items()}
    paths += functions
    everything = whole
    for path in paths:
        everything = with_leaf(everything, path, drawn[path])
    made = [(everything, 0.0)] if paths else []
    for i in rng.permutation(len(paths))[:MAX_TWINS]:
        counts = MASK if paths[i] in every and every[paths[i]].dtype == bool else 1.0
        made.append((with_leaf(whole, paths[i], drawn[paths[i]]), counts))
    twins = [Twin(replace(asked, args=args, kwargs=kwargs), counts) for (args, kwargs), counts in made]
    return tuple(twin for twin in twins if _changes(replay, twin.asked, right))


def _drawn(array: np.ndarray, other: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return another draw of an array; where that is the same, its entries in another order and with noise."""
    if not np.array_equal(array, other):
        return other
    mixed = rng.permutation(array.reshape(-1)).reshape(array.shape)
    if array.dtype.kind == "f":
        finite = array[np.isfinite(array)]
        spread = float(finite.std()) if finite.size else 0.0
        mixed = (mixed + (spread or 1.0) * rng.normal(size=array.shape)).astype(array.dtype)
    return mixed


def _shapes(tree: Any) -> list[tuple[Any, ...]]:
    return [(path, array.shape, array.dtype.str) for path, array in arrays_by_path(tree)]


def _changes(replay: Replay, twin: StudentCall, right: Any) -> bool:
    """Whether the reference answers a twin otherwise than its question."""
    try:
        return not _same(replay.right(twin), right, CHANGE)
    except ValueError:
        return False


def _ignores(known: Outcome, told: Sequence[tuple[Twin, Outcome]]) -> bool:
    """Whether an answer stays the same where all arguments change, or where half of those that matter do."""
    stays = [(t.counts, o.ending is Ending.RETURNED and _same(o.value, known.value, CHANGE)) for t, o in told]
    depends, ignored = sum(c for c, _ in stays), sum(c for c, same in stays if same)
    return any(same for counts, same in stays if not counts) or 2 * ignored >= depends > 0


def _as_before(got: Outcome, known: Outcome) -> bool:
    if got.ending is not known.ending:
        return False
    if got.ending is not Ending.RETURNED:
        return got.trouble == known.trouble
    return _same(got.value, known.value, NOISE) and _same(list(got.args), list(known.args), NOISE)


def _says_nothing(replay: Replay, questions: Sequence[Question]) -> bool:
    """Whether some exercise answers every question with a single number, in all or a part of it, or most as the one before."""
    for name in dict.fromkeys(name for name, _ in questions):
        known = [replay.known(question) for question in questions if question[0] == name]
        found = [outcome for outcome in known if outcome.ending is Ending.RETURNED]
        parts = zip(*(leaves(outcome.value) for outcome in found), strict=False)
        if any(not any(informative((replace(found[0], value=leaf),)) for leaf in part) for part in parts):
            return True
        pairs = list(itertools.pairwise(found))
        if 2 * sum(_same(one.value, other.value, CHANGE) for one, other in pairs) > len(pairs):
            return True
    return False


def _same(one: Any, other: Any, tolerance: float) -> bool:
    try:
        return alike(as_arrays(one), as_arrays(other), tolerance)
    except UNCOMPARABLE:
        return False


def informative(outcomes: tuple[Outcome, ...]) -> bool:
    """Whether the returned values are not all one number: an exercise that gives zeros must not excuse others that do."""
    arrays = [array_of(outcome.value) for outcome in outcomes if outcome.ending is Ending.RETURNED]
    numbers = [a for a in arrays if a is not None and a.size > 1 and a.dtype != bool]
    return not numbers or any((a != a.flat[0]).any() for a in numbers)
