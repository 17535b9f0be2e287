"""Find submissions that look alike, with copydetect, and show pairs side by side: for a person to judge, never for a grade.

Code is compared as a row of tokens in which names, strings, comments and layout do not count, by the pieces of it that two
have in common (winnowing, as MOSS does). What stands in the stub, which all students were given, does not count.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

from copydetect import CodeFingerprint, compare_files
from copydetect.utils import get_token_coverage

from autograder.pages.page import render
from autograder.sandbox.job import Source

PIECE = 25  # characters of tokenized code that are compared in one; shorter agreement says nothing
MOST_CODE = 200_000  # characters; more than any student writes, and comparing it takes long
MOST_PAIRS = 100

Spans = tuple[tuple[int, int], ...]


class Fingerprint(Protocol):
    """What copydetect, which has no types, makes of a code: its pieces, by hash and place."""

    raw_code: str
    filtered_code: Sequence[str]
    hashes: set[int]
    hash_idx: dict[int, Sequence[int]]
    token_coverage: int


@dataclass(frozen=True)
class Side:
    """One of a pair: its code, which parts of it the other has too, and their share of all that is its own."""

    student: str
    code: str
    shared: Spans
    share: float


@dataclass(frozen=True)
class Pair:
    """Two submissions that look alike; the first is the one that has less besides what they share."""

    first: Side
    second: Side


@dataclass(frozen=True)
class Comparison:
    """The pairs worth a look, the most alike first, how many there are in all, and who was not compared."""

    pairs: tuple[Pair, ...]
    found: int
    compared: int
    left_out: tuple[str, ...]


def compare(sources: Mapping[str, Source], stub: str, least: float) -> Comparison:
    """Compare every two students; `least` is the share from which on a pair is worth a look."""
    given = _fingerprint(stub).hashes
    texts = {student: "\n\n".join(chunk.text for chunk in source.chunks) for student, source in sources.items()}
    prints = {student: _own(text, given) for student, text in texts.items() if PIECE < len(text) <= MOST_CODE}
    own = {student: found for student, found in prints.items() if found.hashes}
    pairs = []
    for one, other in combinations(own, 2):
        fewer = min(len(own[one].hashes), len(own[other].hashes))
        if len(own[one].hashes & own[other].hashes) >= least * fewer / 2:  # else not worth a closer look
            pair = _pair(one, other, own)
            pairs += [pair] if pair.first.share >= least else []
    pairs.sort(key=lambda pair: (-pair.first.share, -pair.second.share, pair.first.student, pair.second.student))
    return Comparison(tuple(pairs[:MOST_PAIRS]), len(pairs), len(own), tuple(sorted(sources.keys() - own.keys())))


def _fingerprint(text: str) -> Fingerprint:
    made: Fingerprint = CodeFingerprint("", PIECE, 1, language="python", fp=io.StringIO(text))
    return made


def _own(text: str, given: Iterable[int]) -> Fingerprint:
    """Return what is a submission's own. Not by copydetect's own option, which passes over what stands there twice."""
    found = _fingerprint(text)
    for piece in found.hashes.intersection(given):
        del found.hash_idx[piece]
    found.hashes = set(found.hash_idx)
    found.token_coverage = get_token_coverage(found.hash_idx, PIECE, len(found.filtered_code))
    return found


def _pair(one: str, other: str, own: Mapping[str, Fingerprint]) -> Pair:
    _, shares, slices = compare_files(own[one], own[other])
    sides = [
        Side(student, own[student].raw_code, _spans(found, len(own[student].raw_code)), min(float(share), 1.0))
        for student, share, found in zip((one, other), shares, slices, strict=True)
    ]
    first, second = sorted(sides, key=lambda side: -side.share)
    return Pair(first, second)


def _spans(slices: Any, length: int) -> Spans:
    """Return slices as spans in order that do not overlap."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(zip(*(map(int, row) for row in slices), strict=True)) if len(slices) else ():
        begin = max(start, found[-1][1] if found else 0)
        if begin < min(end, length):
            found.append((begin, min(end, length)))
    return tuple(found)


def similarity_html(comparison: Comparison, title: str, least: float) -> str:
    """Return the page; it stands beside the report, whose pages it links."""
    pairs = [(pair, list(_pieces(pair.first)), list(_pieces(pair.second))) for pair in comparison.pairs]
    return render("similarity.html", title=title, least=least, comparison=comparison, pairs=pairs)


def _pieces(side: Side) -> Iterator[tuple[str, bool]]:
    """Cut code where what is shared begins and ends; yield each piece, and whether the other has it."""
    at = 0
    for start, end in side.shared:
        yield side.code[at:start], False
        yield side.code[start:end], True
        at = end
    yield side.code[at:], False
