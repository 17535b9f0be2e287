"""How pages are made: templates in which everything is escaped, and how numbers, times and code read in them.

Whatever a student wrote is text in a page, and characters that do not print are shown as what they are.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.course.spec import Visibility
from autograder.feedback.svg_charts import chart
from autograder.judge.picture import Heat
from autograder.judge.result import CaseResult, easiest_first


def environment(*folders: Path) -> Environment:
    """Return what makes pages of the templates here and in other folders."""
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader(folder) for folder in (Path(__file__).parent / "templates", *folders)]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"chart": chart, "code": _code, "first_and_rest": first_and_rest, "has_heat_map": _has_heat_map}
    made.filters |= {"moment": moment, "number": number, "percent": _percent, "data_uri": _data_uri}
    return made


def first_and_rest(failing: Sequence[CaseResult]) -> tuple[tuple[CaseResult, ...], tuple[CaseResult, ...]]:
    """Return the failing cases to read first, the easiest and one with a heat map, and the others."""
    ordered = easiest_first(failing)
    drawn = [case for case in ordered if _has_heat_map(case)]
    first = tuple(case for case in ordered if case in (*ordered[:1], *drawn[:1]))
    return first, tuple(case for case in ordered if case not in first)


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


def number(value: float) -> str:
    """Write points without needless decimals: 7.5, 10."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def moment(text: str) -> str:
    """Write a time of ISO 8601 as people read it: 2026-03-01 23:59 UTC."""
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M %Z").strip()


def _data_uri(picture: bytes) -> str:
    """Return a checked PNG as a page holds it."""
    return f"data:image/png;base64,{b64encode(picture).decode()}"


def _percent(part: float, whole: float) -> int:
    """Return a whole percentage that is 0 or 100 only when it is exactly that."""
    share = max(0.0, min(part / whole, 1.0)) if whole else 0.0
    return int(share) * 100 if share in (0.0, 1.0) else min(max(round(share * 100), 1), 99)


def _code(text: str) -> Markup:
    """Escape a sentence and set what stands between backticks as code."""
    parts = re.split(r"`([^`\n]+)`", str(visible(text)))
    return Markup("").join(Markup("<code>{}</code>").format(p) if i % 2 else escape(p) for i, p in enumerate(parts))
