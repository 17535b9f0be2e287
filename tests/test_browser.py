"""The pages in a real browser: nothing in them runs or asks for anything, and everybody can read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import look_at, site
from class_records import (
    CRASH,
    SCALE,
    absentee,
    decided,
    handed_in,
    large_class,
    make_result,
    on_roster,
    spoiled,
    summary,
)

from autograder.classroom.record import Record
from autograder.course.spec import Status
from autograder.pages.feedback import feedback_html
from autograder.pages.report import report_html

pytestmark = pytest.mark.browser

# Every way that was found to make a page run or fetch something, each in a context that it breaks out of.
ATTACKS = """
<script>document.documentElement.setAttribute('data-ran',1);fetch('{address}/leak-fetch')</script>
</title></style></textarea></pre><script src="{address}/leak-script"></script>
"><img src="{address}/leak-image" onerror="document.documentElement.setAttribute('data-ran',1)">
' onmouseover='document.documentElement.setAttribute("data-ran",1)' autofocus onfocus='fetch("{address}/leak-focus")
<svg onload="document.documentElement.setAttribute('data-ran',1)"><image href="{address}/leak-svg"/></svg>
<iframe src="{address}/leak-frame"></iframe><object data="{address}/leak-object"></object>
<link rel="stylesheet" href="{address}/leak-style"><link rel="prefetch" href="{address}/leak-prefetch">
<meta http-equiv="refresh" content="0;url={address}/leak-refresh"><base href="{address}/leak-base/">
<style>@import url({address}/leak-import);body{{background:url({address}/leak-css)}}</style>
<form action="{address}/leak-form"><input autofocus></form><video src="{address}/leak-video" autoplay></video>
{{{{ 7 * 7 }}}} {{% include "/etc/passwd" %}} &#60;script&#62; javascript:alert(1)
"""


def hostile(value: Any, text: str) -> Any:
    """Return a result in which every text that a student, or a broken grader, may have a hand in is an attack."""
    return spoiled(value, text, {"status", "visibility", "made", "submitted", "due", "level"})


def everything() -> Record:
    """Return a result with all that a page can show: mistakes, pictures, a crash, a decision, lateness, notes."""
    curves = (Status.FAILED, SCALE)
    result = make_result("ada", notes=("Handed in twice.",), attention=curves, causal_mask=(Status.CRASHED,))
    return on_roster(handed_in(decided(result, "attention", 3, "Right idea."), 34), "Mon 10", "Ada Lovelace", "24h")


def pages(results: list[Record]) -> dict[str, str]:
    """Return a class's report and some pages of feedback."""
    told = summary(problems=(CRASH,), not_on_roster=("s002",), due="2026-03-01T23:59:00+00:00")
    found = {"/report.html": report_html(results, told, [absentee("x1", "Tue 14")])}
    return found | {f"/{number}.html": feedback_html(result) for number, result in enumerate(results[:3])}


def test_nothing_in_a_page_runs_or_asks_for_anything(tmp_path: Path) -> None:
    """Hostile names, sources, prints and reasons: no script runs, no request leaves; in a page of theirs both would."""
    with site() as served:
        text = ATTACKS.format(address=served.address)
        results = [hostile(everything(), text), hostile(make_result("x", "not_importable", "x", ("x",)), text)]
        told = hostile(summary(problems=("x",), not_on_roster=("x",), title="x"), text)
        attacked = {
            "/report.html": report_html(results, told, [hostile(absentee("x"), text)]),
            "/first.html": feedback_html(results[0]),
            "/second.html": feedback_html(results[1]),
        }
        measured = look_at(served, attacked, tmp_path, width=800)
        assert set(served.asked) == {*attacked, "/look"}
        assert [(page["ran"], page["scripts"]) for page in measured] == [(False, 0)] * 3
        assert all(page["text"] > 1000 for page in measured)
        (theirs,) = look_at(served, {"/theirs.html": f"<body>{text}</body>"}, tmp_path, width=800)
        assert theirs["ran"]
        assert {"/leak-fetch", "/leak-image", "/leak-style"} <= set(served.asked)


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1100, True)], ids=["phone-light", "wide-dark"])
def test_everybody_can_read_the_pages(tmp_path: Path, width: int, dark: bool) -> None:
    """Nothing is wider than the screen, text stands out from what is behind it, and what scrolls takes the focus."""
    with site() as served:
        for page in look_at(served, pages([everything(), *large_class(60)]), tmp_path, width=width, dark=dark):
            assert page["wider"] <= 0
            assert page["faint"] == []
            assert page["stuck"] == []
            assert page["text"] > 1000
