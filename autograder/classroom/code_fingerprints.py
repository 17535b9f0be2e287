"""What a piece of code is recognised by when names, strings, comments and layout are changed (winnowing, as MOSS does).

Code becomes a row of tokens in which every name is alike, apart from keywords and the names of methods that are called. Every
run of `RUN` tokens has a hash, and of every `WINDOW` of them the smallest is kept: what two codes share over `RUN + WINDOW - 1`
tokens, they share a hash of. Nothing is parsed: students' code may be anything.
"""

from __future__ import annotations

import keyword
import re
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

RUN = 20  # tokens; shorter agreement says nothing
WINDOW = 5
_TOKEN = re.compile(
    r"""(?P<layout> \s+ | \#[^\n]* | \\\n | \"{3}(?:[^\\]|\\.?)*?(?:\"{3}|\Z) | '{3}(?:[^\\]|\\.?)*?(?:'{3}|\Z) )
      | (?P<text> "(?:[^"\\\n]|\\.?)*"? | '(?:[^'\\\n]|\\.?)*'? )
      | (?P<called> (?<=\.)[^\W\d]\w*(?=\() ) | (?P<name> [^\W\d]\w* ) | \d[\w.]* | [=!<>:*/]= | . """,
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS = frozenset(keyword.kwlist)

Places = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Fingerprints:
    """The hashes of a code, in order, and from where to where in the text each is; a hash may be there several times."""

    text: str
    hashes: np.ndarray
    places: np.ndarray  # a row of begin and end for each

    def without(self, given: np.ndarray) -> Fingerprints:
        """Return what is not among the given hashes."""
        own = ~np.isin(self.hashes, given)
        return Fingerprints(self.text, self.hashes[own], self.places[own])

    def where(self, shared: np.ndarray) -> Places:
        """Return the parts of the text that some hashes are of, in order and apart from each other."""
        found: list[tuple[int, int]] = []
        for begin, end in self.places[np.isin(self.hashes, shared)].tolist():
            if found and begin <= found[-1][1]:
                found[-1] = found[-1][0], max(end, found[-1][1])
            else:
                found.append((begin, end))
        return tuple(found)


def fingerprints(text: str) -> Fingerprints:
    """Return what a code is recognised by."""
    codes, begins, ends = [], [], []
    for match in _TOKEN.finditer(text):
        kind, said = match.lastgroup, match[0]
        if kind == "layout":
            continue
        if kind == "text":
            said = "''"
        elif kind == "name" and said not in _KEYWORDS:
            said = "name"
        codes.append(zlib.crc32(said.encode("utf-8", "replace")))
        begins.append(match.start())
        ends.append(match.end())
    if len(codes) < RUN:
        return Fingerprints(text, np.empty(0, np.uint64), np.empty((0, 2), np.int64))
    hashes = _hashed(np.array(codes, np.uint64))
    at = _winnowed(hashes)
    places = np.stack([np.array(begins)[at], np.array(ends)[at + RUN - 1]], axis=1)
    return Fingerprints(text, hashes[at], places)


def _hashed(codes: np.ndarray) -> np.ndarray:
    """Return a hash of every run of tokens, in arithmetic modulo 2**64."""
    factors = np.array([pow(0x9E3779B97F4A7C15, power, 1 << 64) for power in range(RUN)], np.uint64)
    mixed: np.ndarray = (sliding_window_view(codes, RUN) * factors).sum(axis=1, dtype=np.uint64)
    mixed ^= mixed >> np.uint64(29)
    return mixed * np.uint64(0xBF58476D1CE4E5B9)


def _winnowed(hashes: np.ndarray) -> np.ndarray:
    """Return where the smallest hash of each window is."""
    if len(hashes) <= WINDOW:
        return np.array([int(hashes.argmin())])
    windows = sliding_window_view(hashes, WINDOW)
    return np.unique(windows.argmin(axis=1) + np.arange(len(windows)))
