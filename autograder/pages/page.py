"""How pages are made: templates in which everything is escaped, and how numbers, times and code read in them.

Whatever a student wrote is text in a page, and characters that do not print are shown as what they are.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.pages.svg_charts import chart


def render(template: str, **values: object) -> str:
    """Return a page."""
    return _ENVIRONMENT.get_template(template).render(values)


def visible(value: object) -> object:
    """Show characters that do not print (controls, text direction, lone surrogates) as what they are."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    text = value.replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c in "\n\t\u00a0" else f"[U+{ord(c):04X}]" for c in text)


def number(value: float) -> str:
    """Write points without needless decimals: 7.5, 10."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def moment(text: str) -> str:
    """Write a time of ISO 8601 as people read it: 2026-03-01 23:59 UTC."""
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M %Z").strip()


def hours(value: float) -> str:
    """Write hours: 0.5 h, 34 h; from two days on also days."""
    text = f"{number(round(value, 1))} h"
    return f"{text} ({value / 24:.1f} days)" if value >= 48 else text


def _percent(part: float, whole: float) -> int:
    """Return a whole percentage that is 0 or 100 only when it is exactly that."""
    share = max(0.0, min(part / whole, 1.0)) if whole else 0.0
    return int(share) * 100 if share in (0.0, 1.0) else min(max(round(share * 100), 1), 99)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    whole, minutes = divmod(minutes, 60)
    if not whole and not minutes:
        return f"{seconds:.1f} s"
    return f"{whole} h {minutes} min" if whole else f"{minutes} min {rest} s"


def _code(text: str) -> Markup:
    """Escape a sentence and set what stands between backticks as code."""
    parts = re.split(r"`([^`\n]+)`", str(visible(text)))
    return Markup("").join(Markup("<code>{}</code>").format(p) if i % 2 else escape(p) for i, p in enumerate(parts))


def _name(text: str) -> Markup:
    """Set an identifier as code that may break after its underscores."""
    return Markup("<code>{}</code>").format(Markup("_<wbr>").join(str(visible(text)).split("_")))


def _link(student: str) -> str:
    """Return the path from the report to a student's page, whatever the name holds."""
    return f"feedback/{quote(student, safe='', errors='replace')}.html"


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=visible,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= {
    "chart": chart,
    "code": _code,
    "duration": _duration,
    "hours": hours,
    "link": _link,
    "moment": moment,
    "name": _name,
    "number": number,
    "percent": _percent,
}
