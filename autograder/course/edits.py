"""Write known mistakes into the reference: each is an edit of its text, and several go together where they do not overlap."""

from __future__ import annotations

import ast
import difflib
import functools
import itertools
import re

from autograder.course.spec import Misconception
from autograder.sandbox.child.parse import parse

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


def apply_edits(reference: str, edits: tuple[Misconception, ...]) -> str | None:
    """Return the reference with every edit made, or None where two edits change the same text.

    Two edits of one line can be made together where the words that each changes are others.
    """
    spans = sorted(changed_span(reference, m) for m in edits)
    if _overlap(spans):
        spans = sorted(word for m in edits for word in _changed_words(reference, m))
        if _overlap(spans):
            return None
    for start, end, new in reversed(spans):
        reference = reference[:start] + new + reference[end:]
    return reference


def _overlap(spans: list[tuple[int, int, str]]) -> bool:
    """Whether two spans share text, or put something in at the same place, where the order would be a guess."""
    return any(b < end or (a, end) == (b, last) for (a, end, _), (b, last, _) in itertools.pairwise(spans))


@functools.lru_cache(maxsize=4096)  # of a bank's edits each is made in many pairs
def changed_span(reference: str, edit: Misconception) -> tuple[int, int, str]:
    """Return start and end of the text that an edit changes, without what old and new share, and its replacement."""
    start, old, new = reference.index(edit.old), edit.old, edit.new
    before = _shared(old, new)
    old, new = old[before:], new[before:]
    after = _shared(old[::-1], new[::-1])
    return start + before, start + before + len(old) - after, new[: len(new) - after]


@functools.lru_cache(maxsize=4096)
def _changed_words(reference: str, edit: Misconception) -> tuple[tuple[int, int, str], ...]:
    """Return start, end and replacement of each run of words and signs that an edit changes."""
    start = reference.index(edit.old)
    old, new = _WORDS.findall(edit.old), _WORDS.findall(edit.new)
    places = [start, *(start + end for end in itertools.accumulate(map(len, old)))]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changed = ((places[i], places[j], "".join(new[k:n])) for tag, i, j, k, n in matcher.get_opcodes() if tag != "equal")
    return tuple(changed)


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def definitions_in(source: str) -> tuple[tuple[int, int], ...]:
    """Return the spans, in characters, of the top-level functions and classes that can be replaced alone.

    Decorated definitions and base classes are left out: other objects keep the old version.
    """
    lines = [f"{line}\n" for line in source.split("\n")]  # as the parser counts them
    offsets = [0, *itertools.accumulate(map(len, lines))]
    body = [n for n in parse(source).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    bases = {ast.unparse(base) for n in body if isinstance(n, ast.ClassDef) for base in n.bases}
    nodes = (n for n in body if not n.decorator_list and n.name not in bases)
    return tuple((offsets[n.lineno - 1], offsets[n.end_lineno or n.lineno]) for n in nodes)
