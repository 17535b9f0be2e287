"""Find submissions that look alike: with each other, with last year's, with what is public. For a person, never for a grade.

What stands in the stub does not count, and what many of the class have counts little: the weight of a fingerprint falls from
1, where two students have it, to almost 0, where all have. So a natural solution of a short exercise weighs nothing, and a whole
submission that twenty students hand in still does. An inverted index finds who shares anything, so the time grows with the
code and not with the number of pairs; in a long list of an index each student is compared with the next `NEAR` only, which
finds groups of any size, since those who share much stand beside each other in many lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.classroom.code_fingerprints import Fingerprints, Places, fingerprints
from autograder.sandbox.job import Source

NEAR = 30
EVIDENCE = 6.0  # weight that two must share: as much as 6 fingerprints, of some 40 tokens, that no others have
MOST_CODE = 200_000  # characters; more than any student writes


@dataclass(frozen=True)
class Side:
    """One of a pair: its code, which parts of it the other has too, and the share of its weight that these have."""

    name: str
    code: str
    shared: Places
    share: float


@dataclass(frozen=True)
class Pair:
    """Two that look alike; the first has less besides what they share. `weight` is how much that is."""

    first: Side
    second: Side
    weight: float


@dataclass(frozen=True)
class Group:
    """Submissions of which each looks like another one, and for each the pair that ties it in, the most alike first."""

    names: tuple[str, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Comparison:
    """The groups worth a look, those that share most first, how many submissions were compared, and which were not."""

    groups: tuple[Group, ...]
    compared: int
    left_out: tuple[str, ...]
    outside: frozenset[str] = frozenset()  # names that are not of this class


def text_of(source: Source) -> str:
    """Return all code of a submission."""
    return "\n\n".join(chunk.text for chunk in source.chunks)


def compare(
    texts: Mapping[str, str],
    stub: str,
    least: float,
    against: Mapping[str, str] | None = None,
    watch: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> Comparison:
    """Compare a class with each other and `against` others; `least` is the share from which on a pair is worth a look.

    `watch` is given the names to go through, and may show how far that is.
    """
    given = fingerprints(stub).hashes
    everyone = {**texts, **(against or {})}
    found = {
        name: fingerprints(everyone[name]).without(given)
        for name in watch(everyone)
        if len(everyone[name]) <= MOST_CODE
    }
    own = {name: prints for name, prints in found.items() if len(prints.hashes)}
    names = list(own)
    index = _Index([np.unique(own[name].hashes) for name in names], sum(name in texts for name in names))
    pairs = {}
    for one, other in index.candidates(least):
        if names[one] in texts or names[other] in texts:
            weight, shares = index.compared(one, other)
            if weight >= EVIDENCE and max(shares) >= least:
                pairs[one, other] = weight, shares
    groups = [_group(members, tied, names, own, index) for members, tied in _tied(pairs)]
    groups.sort(key=lambda group: (-group.pairs[0].weight, group.names))
    left_out = tuple(sorted(texts.keys() - own.keys()))
    outside = frozenset(against or ()) - texts.keys()
    return Comparison(tuple(groups), sum(name in texts for name in names), left_out, outside)


class _Index:
    """Who has which fingerprint, and how much each weighs."""

    def __init__(self, hashes: Sequence[np.ndarray], in_class: int) -> None:
        self._hashes = hashes
        values, inverse = np.unique(np.concatenate(hashes) if hashes else np.empty(0, np.uint64), return_inverse=True)
        owners = np.repeat(np.arange(len(hashes)), [len(one) for one in hashes])
        counts = np.bincount(inverse[owners < in_class], minlength=len(values))
        most = max(in_class, 2)
        self._values = values
        self._weights = np.clip(1 - np.log(np.maximum(counts - 1, 1)) / np.log(most), 0.0, 1.0)
        order = np.lexsort((owners, inverse))
        self._value_of, self._owner_of = inverse[order], owners[order]
        self.own = np.bincount(owners, weights=self._weights[inverse], minlength=len(hashes))

    def candidates(self, least: float) -> Iterator[tuple[int, int]]:
        """Yield the pairs that may share enough, by number."""
        count = len(self._hashes)
        codes: np.ndarray = np.empty(0, np.int64)
        sums: np.ndarray = np.empty(0)
        for step in range(1, NEAR + 1):
            alike = self._value_of[step:] == self._value_of[:-step]
            first, second = self._owner_of[:-step][alike], self._owner_of[step:][alike]
            weights = self._weights[self._value_of[step:][alike]]
            codes, places = np.unique(np.concatenate([codes, first * count + second]), return_inverse=True)
            sums = np.bincount(places, weights=np.concatenate([sums, weights]), minlength=len(codes))
        for code, weight in zip(codes.tolist(), sums.tolist(), strict=True):
            one, other = divmod(code, count)
            if weight >= max(least * min(self.own[one], self.own[other]), EVIDENCE) / 2:
                yield one, other

    def shared(self, one: int, other: int) -> np.ndarray:
        """Return the hashes that two have both."""
        both: np.ndarray = np.intersect1d(self._hashes[one], self._hashes[other], assume_unique=True)
        return both

    def compared(self, one: int, other: int) -> tuple[float, tuple[float, float]]:
        """Return how much two share, and which part of each that is."""
        at = np.searchsorted(self._values, self.shared(one, other))
        weight = float(self._weights[at].sum())
        return weight, (weight / max(self.own[one], 1e-9), weight / max(self.own[other], 1e-9))


_Pairs = Mapping[tuple[int, int], tuple[float, tuple[float, float]]]


def _tied(pairs: _Pairs) -> Iterator[tuple[list[int], _Pairs]]:
    """Yield the members of each group, and the pairs that tie it together, the most alike first."""
    leads: dict[int, int] = {}

    def lead(one: int) -> int:
        while leads.setdefault(one, one) != one:
            leads[one] = leads[leads[one]]
            one = leads[one]
        return one

    ties = {}
    for (one, other), found in sorted(pairs.items(), key=lambda pair: (-pair[1][0], pair[0])):
        if lead(one) != lead(other):
            leads[lead(one)] = lead(other)
            ties[one, other] = found
    groups: dict[int, list[int]] = {}
    for one in leads:
        groups.setdefault(lead(one), []).append(one)
    for members in groups.values():
        here = set(members)
        yield members, {pair: found for pair, found in ties.items() if pair[0] in here}


def _group(
    members: Iterable[int], ties: _Pairs, names: Sequence[str], own: Mapping[str, Fingerprints], index: _Index
) -> Group:
    pairs = []
    for numbers, (weight, shares) in ties.items():
        shared = index.shared(*numbers)
        sides = [
            Side(names[number], own[names[number]].text, own[names[number]].where(shared), min(float(share), 1.0))
            for number, share in zip(numbers, shares, strict=True)
        ]
        first, second = sorted(sides, key=lambda side: -side.share)
        pairs.append(Pair(first, second, weight))
    return Group(tuple(sorted(names[number] for number in members)), tuple(pairs))
