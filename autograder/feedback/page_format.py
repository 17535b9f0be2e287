"""How pages are made: templates in which everything is escaped, and how numbers, times and code read in them.

Whatever a student wrote is text in a page, and characters that do not print are shown as what they are.
"""

from __future__ import annotations

import functools
import re
from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from jinja2.runtime import Macro
from markupsafe import Markup, escape

from autograder.course.language import marked, say, say_many, spoken
from autograder.course.spec import Status, Visibility
from autograder.feedback.svg_charts import chart
from autograder.judge.picture import Heat
from autograder.judge.points import points_text
from autograder.judge.result import CaseResult, easiest_first, is_no_python


def environment(*folders: Path) -> Environment:
    """Return what makes pages of the templates here and in other folders."""
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader(folder) for folder in (Path(__file__).parent / "templates", *folders)]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # else each page asks the disk whether a template has changed
    )
    made.filters |= {"chart": chart, "code": _code, "first_and_rest": first_and_rest, "has_heat_map": _has_heat_map}
    made.filters |= {"moment": moment, "number": points_text, "percent": _percent, "data_uri": _data_uri}
    made.filters |= {"prose_wrapped": _prose_wrapped, "one_or_more": _one_or_more, "ticks": _ticks}
    made.filters |= {"failing": _failing, "passing": _passing}
    made.tests["no_python"] = is_no_python
    made.globals |= {"marked": marked, "say": say, "say_many": say_many, "say_html": _say_html, "spoken": spoken}
    made.globals |= {"card": _card}
    return made


class _Same:
    """Stands for an object, whatever is equal to it."""

    def __init__(self, it: object) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.it is other.it


def _card(macro: Macro, exercise: object, *about: object, picture: bytes | None = None) -> str:
    """Return what a macro shows of an exercise: made once where students' exercises are one object, and for both pages of a student.

    One with a picture that was handed in is one student's alone, and may be large.
    """
    if picture:
        return macro(exercise, *about, picture=picture)
    return _made_once(macro, _Same(exercise), about, spoken())


@functools.lru_cache(maxsize=200)
def _made_once(macro: Macro, exercise: _Same, about: tuple[object, ...], _: str) -> str:
    return macro(exercise.it, *about)


def first_and_rest(failing: Sequence[CaseResult]) -> tuple[tuple[CaseResult, ...], tuple[CaseResult, ...]]:
    """Return the failing cases to read first, the easiest and one with a heat map, and the others."""
    ordered = easiest_first(failing)
    drawn = [case for case in ordered if _has_heat_map(case)]
    first = tuple(case for case in ordered if case in (*ordered[:1], *drawn[:1]))
    return first, tuple(case for case in ordered if case not in first)


def _failing(cases: Sequence[CaseResult]) -> list[CaseResult]:
    return [case for case in cases if case.status is not Status.PASSED]


def _passing(cases: Sequence[CaseResult]) -> list[CaseResult]:
    return [case for case in cases if case.status is Status.PASSED]


def _has_heat_map(case: CaseResult) -> bool:
    """Whether to draw a case's answer; of a hidden one that would show data."""
    return isinstance(case.picture, Heat) and case.visibility is Visibility.PUBLIC


def visible(value: object) -> object:
    """Show characters that do not print (controls, text direction, lone surrogates) as what they are."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    text = value.replace("\r\n", "\n")
    if text.replace("\n", "").replace("\t", "").isprintable():  # most of what students write, and much of it is long
        return text
    return "".join(c if c.isprintable() or c in "\n\t\u00a0" else f"[U+{ord(c):04X}]" for c in text)


def moment(text: str) -> str:
    """Write a time of ISO 8601 as people read it: 2026-03-01 23:59 UTC."""
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M %Z").strip()


def _data_uri(picture: bytes) -> str:
    """Return a checked PNG as a page holds it."""
    return f"data:image/png;base64,{b64encode(picture).decode()}"


def _percent(part: float, whole: float) -> int:
    """Return a whole percentage that is 0 or 100 only when it is exactly that; with a bonus it may be more."""
    share = max(0.0, part / whole) if whole else 0.0
    if share in (0.0, 1.0):
        return int(share) * 100
    return max(round(share * 100), 101) if share > 1 else min(max(round(share * 100), 1), 99)


def _say_html(sentence: str, **parts: Markup) -> Markup:
    """Say a sentence with parts of a page in the place of its braces."""
    return escape(say(sentence)).format(**parts)


def _one_or_more(points: float) -> int:
    """Return which form a sentence takes with points, which may be parts of one."""
    return 1 if points == 1 else 2


def _prose_wrapped(text: str) -> Markup:
    """Escape a message's details; lines without an indent are prose and wrap, those with one are calls and arrays."""
    lines = str(visible(text)).split("\n")
    wrapped = Markup('<span class="prose">{}</span>')
    return Markup("\n").join(escape(line) if line[:1] in ("", " ", "\t") else wrapped.format(line) for line in lines)


def _ticks(passing: Sequence[CaseResult]) -> Markup:
    """Return a line for each case that passes, with what is told beside it at its first. Most of a class has the same ones."""
    seen, lines = set[str](), list[tuple[str, str, bool]]()
    for case in passing:
        lines.append((case.claim or case.name, "" if case.message in seen else case.message, case.again))
        seen.add(case.message)
    return _ticked(spoken(), tuple(lines))


@functools.lru_cache(1000)
def _ticked(_language: str, lines: tuple[tuple[str, str, bool], ...]) -> Markup:
    sign = Markup('<span class="{}" role="img" aria-label="{}">{}</span>')
    signs = {False: sign.format("good", say("right"), "✓"), True: sign.format("warn", say("the same mistake"), "≈")}
    line, more = Markup("<li>{}{}{}</li>"), Markup(' <span class="soft">{}</span>')
    told = (
        line.format(signs[again], _code(claim), more.format(_code(message)) if message else "")
        for claim, message, again in lines
    )
    return Markup("\n").join(told)


def _code(text: str) -> Markup:
    """Escape a sentence and set what stands between backticks as code."""
    parts = re.split(r"`([^`\n]+)`", str(visible(text)))
    return Markup("").join(Markup("<code>{}</code>").format(p) if i % 2 else escape(p) for i, p in enumerate(parts))
