"""The pages in a real browser: only the report's own script runs, no page asks for anything, and all of them can be read."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from browser import dom_of, look_at, site, tab
from class_records import (
    CRASH,
    SCALE,
    absentee,
    alike,
    decided,
    handed_in,
    large_class,
    make_result,
    on_roster,
    report_html,
    small_class,
    spoiled,
    summary,
)

from autograder.classroom.course_grades import Sheet, course_grades
from autograder.classroom.course_rules import LateRule, Rules
from autograder.classroom.record import Record
from autograder.course.spec import Status
from autograder.pages.course_pages import course_html, student_html
from autograder.pages.feedback import feedback_html
from autograder.pages.review_queue import Place
from autograder.pages.staff import staff_html
from autograder.sandbox.job import Chunk, Source

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
    found |= {f"/{number}.html": feedback_html(result) for number, result in enumerate(results[:3])}
    return found | {"/staff.html": staff(results[0], "def attention(Q):\n    return Q\n" * 40)}


def staff(result: Record, code: str) -> str:
    """Return a student's page for graders."""
    source = Source("attention", (Chunk("attention.py", code),))
    return staff_html(result, source, Path("graded"), Place(result.student, "s002"))


def test_nothing_in_a_page_runs_or_asks_for_anything(tmp_path: Path) -> None:
    """Hostile names, code, prints and reasons: no script of theirs runs, no request leaves; in a page of theirs both would."""
    with site() as served:
        text = ATTACKS.format(address=served.address)
        results = [hostile(everything(), text), hostile(make_result("x", "not_importable", "x", ("x",)), text)]
        told = hostile(summary(problems=("x",), not_on_roster=("x",), title="x"), text)
        attacked = {
            "/report.html": report_html(
                [*results, *alike(text)], told, [hostile(absentee("x"), text)], code_of=lambda *_: text, out=Path(text)
            ),
            "/first.html": feedback_html(results[0]),
            "/second.html": feedback_html(results[1]),
            "/staff/third.html": staff(results[0], f"def attention(Q):\n{text}\n"),
            "/staff/fourth.html": staff(results[1], text),
        }
        measured = look_at(served, attacked, tmp_path, width=800)
        assert set(served.asked) == {*attacked, "/look"}
        assert [(page["ran"], page["scripts"]) for page in measured] == [(False, 1), *[(False, 0)] * 4]
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
            assert page["silent"] == []
            assert page["text"] > 1000


def test_german_pages_fit_a_phone(tmp_path: Path) -> None:
    """Their words are longer: what a person decided stands below an exercise's name, and its points below that."""
    german = {
        f"/{number}.html": feedback_html(replace(result, language="de"))
        for number, result in enumerate([everything(), *large_class(60)[:12]])
    }
    with site() as served:
        for width in (400, 360, 320):
            assert all(page["wider"] <= 0 for page in look_at(served, german, tmp_path, width=width))


def test_wide_tables_of_a_course_scroll_and_show_it(tmp_path: Path) -> None:
    """On a phone the class's table is wider than its box, and the page is no wider than the screen; no other table is."""
    graded = tuple(on_roster(result, "Mon") for result in large_class(60))
    rules = Rules(late=LateRule(10, 50, 15, 3))
    standings = course_grades(
        [Sheet(slug, f"Assignment {slug}", "", graded) for slug in ("a1", "a2", "a3", "a4")], rules
    )
    told = {"/course.html": course_html(standings, rules), "/student.html": student_html(standings[0], rules)}
    with site() as served:
        for page in look_at(served, told, tmp_path, width=400):
            assert (page["wider"] <= 0, page["stuck"], page["silent"]) == (True, [], [])
        served.pages |= told
        with tab(tmp_path / "phone") as shown:
            shown.size(390)
            for name, wider in (("/course.html", [False, True]), ("/student.html", [False])):
                shown.open(served.address + name)
                widths = "[...document.querySelectorAll('.scroll')].map(box => box.scrollWidth > box.clientWidth)"
                assert shown.run(widths) == wider
            label = "getComputedStyle(document.querySelector('[data-label=Counts]'), '::before').content"
            assert "Counts" in shown.run(label)  # the heads of columns are no longer above them


# Use the report as a person does, one thing after another, and tell what is seen.
USE = """
onload = () => {
  const page = document.querySelector("iframe").contentDocument, rows = () => [...page.querySelectorAll("#class tbody tr")];
  const seen = () => rows().filter(row => !row.hidden).map(row => row.querySelector("a").textContent);
  const told = {before: seen()}, filter = page.getElementById("filter");
  const list = page.querySelector('#cases ~ details details[data-who]');
  list.open = true;
  const click = () => page.querySelectorAll("#class th button")[1].click();
  const type = (kind, text) => { const e = filter.querySelector(kind); e.value = text;
    e.dispatchEvent(new Event("input", {bubbles: true})); };
  click(); told.up = seen(); click(); told.down = seen();
  type("input", "S00"); told.found = seen();
  type("select", "not importable"); told.only = [seen(), filter.querySelector("output").value];
  setTimeout(() => { told.unfolded = [...list.querySelectorAll("li a")].map(a => a.getAttribute("href"));
    document.title = JSON.stringify(told); }, 500);
};
"""


def test_the_report_sorts_filters_and_unfolds(tmp_path: Path) -> None:
    """By the page's own script, which its policy allows: points up and down, a text and a status, the students of a case."""
    with site() as served:
        frame = f'<title></title><script>{USE}</script><iframe src="/report.html"></iframe>'
        served.pages |= {"/report.html": report_html(small_class(), summary()), "/use": f"<!DOCTYPE html>{frame}"}
        (title,) = re.findall("<title>(.*?)</title>", dom_of(f"{served.address}/use", tmp_path), re.DOTALL)[:1]
    told = json.loads(unescape(title))
    names = ["s001", "s002", "s003", "s004", "s005", "s006"]
    assert told["before"] == told["found"] == names
    assert told["up"] == ["s005", "s006", "s004", "s003", "s002", "s001"]
    assert told["down"] == ["s001", "s002", "s003", "s004", "s005", "s006"]
    assert told["only"] == [["s006"], "1 of 6"]
    assert [address.partition("/staff/")[2] for address in told["unfolded"]] == ["s004.html#code-average_context"]
