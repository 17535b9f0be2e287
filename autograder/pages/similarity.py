"""The page of submissions that look alike: groups, and in each the pairs that tie it together, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograder.classroom.look_alikes import Comparison, Side
from autograder.pages.page import render

MOST_GROUPS = 50
MOST_PAIRS = 5  # of a group that are shown side by side


def similarity_html(comparison: Comparison, title: str, least: float, people: Mapping[str, str]) -> str:
    """Return the page; it stands beside the report, whose pages it links. `people` are names on the roster, by student."""
    groups = [
        (group, [(pair, list(_pieces(pair.first)), list(_pieces(pair.second))) for pair in group.pairs[:MOST_PAIRS]])
        for group in comparison.groups[:MOST_GROUPS]
    ]
    return render("similarity.html", title=title, least=least, comparison=comparison, groups=groups, people=people)


def _pieces(side: Side) -> Iterator[tuple[str, bool]]:
    """Cut code where what is shared begins and ends; yield each piece, and whether the other has it."""
    at = 0
    for start, end in side.shared:
        yield side.code[at:start], False
        yield side.code[start:end], True
        at = end
    yield side.code[at:], False
