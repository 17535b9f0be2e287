"""In which order hints go on from a diagnosis: first the one that speaks of what it names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d]\w*")
STEM = 5  # letters: "divided", "divides" and "dividing" are one word
_COMMON_WORDS = """
a about after again all already also always an and any are as at be because been before both but by can cannot come does
each else even every exercise few first for from function get give given go has have here how i if in instead is it its
itself just like made make many may mean more most must need neither no none not nothing now of off on once one only or
other out over own part same see should side so some stand still such take than that the their them then there they thing
this those three through to together too two under until up use used uses very was way were what when where which while
who whole whose will with without work would write yet you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def hint_order(hints: Sequence[str], said: str) -> tuple[int, ...]:
    """Return the hints' numbers, from 0, in the order in which to show them after a diagnosis that said something.

    It begins with the hint that shares most words with the diagnosis, a word that several hints share counting for less, if
    that is more than the first hint shares by a word of its own. What came before it comes last: nothing is left out.
    """
    spoken, words = _words(said), [_words(hint) for hint in hints]
    held = Counter(word for each in words for word in each)
    scores = [sum(1 / held[word] for word in spoken & each) for each in words]
    begin = scores.index(max(scores)) if scores and max(scores) >= scores[0] + 1 else 0
    return (*range(begin, len(hints)), *range(begin))


def _words(text: str) -> frozenset[str]:
    """Return the words of a text that tell what it is about, without their endings."""
    found = (word.lower() for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in found if word not in _COMMON)


def _stem(word: str) -> str:
    """Return a word without its ending; a name of several parts stays whole."""
    return word if "_" in word else word.removesuffix("s")[:STEM]
