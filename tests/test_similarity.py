"""The page of look-alikes: what is shared is marked, everything is escaped, and it says what it is not."""

from __future__ import annotations

from class_records import HOSTILE

from autograder.classroom.look_alikes import Comparison, Group, Pair, Side
from autograder.pages.similarity import similarity_html


def page(student: str, code: str, shared: tuple[tuple[int, int], ...]) -> str:
    """Return the page of one pair, of which the second is from last year."""
    pair = Pair(Side(student, code, shared, 1.0), Side("2025/bob", code, (), 0.5), 40.0)
    group = Group((student, "2025/bob"), (pair,))
    return similarity_html(
        Comparison((group,), 2, ("eve",), frozenset({"2025/bob"})), "Means", 0.8, {"ann": "Ann <Lee>"}
    )


def test_what_is_shared_is_marked() -> None:
    """The rest of the code stands around it, as it was written."""
    html = page("ann", "a = 1\nb = 2\n", ((6, 11),))
    assert "a = 1\n<mark>b = 2</mark>\n" in html
    assert "1 group of look-alikes among 2 submissions" in " ".join(html.split())
    assert 'href="staff/ann.html"' in html
    assert 'href="staff/2025' not in html
    assert html.count("Ann &lt;Lee&gt;") == 3  # in the table, in the heading of the group, and beside the code
    assert "No grade depends" in html
    assert "for its size: eve." in html


def test_code_and_names_are_escaped() -> None:
    """Also where a mark begins in the middle of a tag."""
    html = page(HOSTILE, HOSTILE, ((3, 9),))
    assert "<script" not in html
    assert "<img" not in html
    assert "[U+202E]" in html
    html.encode()


def test_nobody_alike_is_a_page_too() -> None:
    """It says so, and has no table."""
    html = similarity_html(Comparison((), 9, ()), "Means", 0.8, {})
    assert "0 groups of look-alikes among 9 submissions" in " ".join(html.split())
    assert "<table" not in html
