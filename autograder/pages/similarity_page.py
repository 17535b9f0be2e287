"""The page on look-alikes: pairs of submissions side by side, with what they share marked, for a person to judge."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.classroom.similarity import Comparison, Side
from autograder.pages.page import render


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
