"""A short fingerprint of how a case failed, so that failures without a name can be grouped by what they have in common.

Two students have the same fingerprint in a case where their code returned the same wrong values, or raised the same
exception from the same operation. Both were called with the same inputs only under the same seed, so that fingerprints of
different seeds say nothing together. Float noise changes none: numbers are hashed by a few rounded sums.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.judge.array_pairs import Path, is_judged
from autograder.judge.crash_kinds import PROCESS_ENDED
from autograder.judge.crash_reasons import kind_of_crash
from autograder.judge.trials import Judged
from autograder.sandbox.child.tree import Opaque, array_of, parts_of
from autograder.sandbox.job import Ending, Outcome, Source

SIZE = 8  # bytes
MAX_LEAVES, MAX_ENTRIES = 256, 4096  # of an answer, and of each of its arrays, that are looked at
MAX_TEXT = 200  # characters of a text
_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE)
_SUMS = 4  # of an array's numbers, each with other weights
# How finely a sum is told. No simple fraction, so that no round number stands where rounding changes.
_STEPS = {4: 1 / 1009.3, 8: 1 / 1_000_003.7}  # by the bytes of a float
_COARSEST = _STEPS[4]


def fingerprint_of(judged: Judged) -> str:
    """Return the fingerprint of a failed case, or nothing where its outcome tells nothing apart, as when memory ran out."""
    if judged.finding and judged.finding.kind == "unanswered":
        return ""
    ended = next((outcome for outcome in judged.outcomes if outcome.ending is not Ending.RETURNED), None)
    parts = tuple(_ended(ended)) if ended else tuple(_returned(judged))
    if not parts:
        return ""
    return hashlib.blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=SIZE).hexdigest()


def raised_at(outcome: Outcome, source: Source) -> tuple[str, int] | None:
    """Return the file or cell, and the line, of the student's own code in which a call ended last, where there is one."""
    frames = outcome.trouble.frames if outcome.trouble else ()
    return next(((f.label, f.line) for f in reversed(frames) if source.has_code(f.label, f.line)), None)


def crash_of(outcome: Outcome) -> str:
    """Return the name of the kind of crash that a call ended in, or nothing where it is not known."""
    if outcome.ending is Ending.DIED:
        return PROCESS_ENDED
    return kind_of_crash(outcome.trouble) if outcome.trouble else ""


def _ended(outcome: Outcome) -> Iterator[str]:
    """Yield what a call that returned nothing has in common with others: the exception's words, and what was called."""
    if outcome.trouble and outcome.ending is not Ending.MEMORY:
        yield from (outcome.ending, outcome.trouble.type_name, _ADDRESS.sub("", outcome.trouble.text))
        yield outcome.trouble.calls.rpartition(".")[2]  # of what it is called, two hands have two names


def _returned(judged: Judged) -> Iterator[str]:
    """Yield what calls returned, as far as the case looks at it; changed arguments where these are what is wrong."""
    changed = judged.finding is not None and judged.finding.kind == "mutated"
    for outcome in judged.outcomes:
        for path, leaf in itertools.islice(_leaves(outcome.value, ()), MAX_LEAVES):
            if is_judged(judged.trial, path):
                yield f"{path} {_leaf(leaf)}"
        if changed:
            arguments = itertools.islice(_leaves(list(outcome.args), ()), MAX_LEAVES)
            yield from (f"argument {path} {_leaf(leaf)}" for path, leaf in arguments)


def _leaves(tree: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield what a tree holds with the keys and positions that lead there, and every container by its kind."""
    if isinstance(tree, dict | list | tuple):
        yield path, type(tree).__name__
        for key, part in parts_of(tree):
            yield from _leaves(part, (*path, key))
    else:
        yield path, tree


def _leaf(leaf: Any) -> str:
    if isinstance(leaf, float):
        return _numbers(np.asarray(leaf))
    if (array := array_of(leaf)) is not None:
        return _numbers(array)
    if isinstance(leaf, int):
        return f"{type(leaf).__name__} {leaf:x}"  # which has no limit of digits, as decimals have
    if isinstance(leaf, str):
        return leaf[:MAX_TEXT]
    return leaf.type_name if isinstance(leaf, Opaque) else type(leaf).__name__


def _numbers(array: np.ndarray) -> str:
    """Return an array in a few words: type, shape, which entries are not finite, how large it is, and some sums."""
    head = f"{array.dtype} {array.shape}"
    if array.dtype.kind != "f":
        return f"{head} {hashlib.blake2b(np.ascontiguousarray(array).tobytes(), digest_size=SIZE).hexdigest()}"
    step = _STEPS.get(array.dtype.itemsize, _COARSEST)
    flat = np.asarray(array, np.float64).ravel()[:MAX_ENTRIES]
    odd = ~np.isfinite(flat)
    places = hashlib.blake2b(np.nan_to_num(flat[odd]).tobytes() + odd.tobytes(), digest_size=SIZE).hexdigest()
    finite = np.where(odd, 0.0, flat)
    largest = float(np.abs(finite).max(initial=0.0))
    if not largest:
        return f"{head} {places} 0"
    finite /= largest * np.sqrt(flat.size)
    return f"{head} {places} {[round(value / step) for value in (np.log(largest), *(weights(flat.size) @ finite))]}"


@functools.lru_cache(maxsize=64)
def weights(size: int) -> np.ndarray:
    """Return a row of weights for each sum of an array's numbers: (sums, size)."""
    return np.cos(np.outer(1 + 0.7 * np.arange(_SUMS), np.arange(1, size + 1)))
