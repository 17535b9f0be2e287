"""How the pages about a class are made: with the templates of feedback, their own, and how hours and names read in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup

from autograder.course.language import decimal, say
from autograder.feedback.page_format import environment, visible
from autograder.pages.class_changes import why


def render(template: str, **values: object) -> str:
    """Return a page."""
    return _ENVIRONMENT.get_template(template).render(values)


def render_parts(template: str, **values: object) -> Iterator[str]:
    """Yield the parts of a page, one after another; a page on a large class has megabytes."""
    return _ENVIRONMENT.get_template(template).generate(values)


def class_environment(*folders: Path) -> Environment:
    """Return what makes pages about a class of the templates here, of those of feedback, and of those in other folders."""
    made = environment(Path(__file__).parent / "templates", *folders)
    made.filters |= {
        "beside": _beside,
        "duration": _duration,
        "hours": hours,
        "link": _link,
        "name": _name,
        "why": why,
    }
    return made


def hours(value: float) -> str:
    """Write hours: 8 min, 34 h; from two days on also days."""
    if value < 1:
        return f"{max(1, round(60 * value))} min"
    text = f"{decimal(f'{round(value, 1):g}')} h"
    return say("{hours} ({days} days)", hours=text, days=decimal(f"{value / 24:.1f}")) if value >= 48 else text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    whole, minutes = divmod(minutes, 60)
    if not whole and not minutes:
        return f"{seconds:.1f} s"
    return f"{whole} h {minutes} min" if whole else f"{minutes} min {rest} s"


def _name(text: str) -> Markup:
    """Set an identifier as code that may break after its underscores."""
    return Markup("<code>{}</code>").format(Markup("_<wbr>").join(str(visible(text)).split("_")))


def _link(student: str) -> str:
    """Return the path from the report to a student's page for graders, whatever the name holds."""
    return f"staff/{_beside(student)}"


def _beside(student: str) -> str:
    """Return the path to a student's page from one in the same folder."""
    return f"{quote(student, safe='', errors='replace')}.html"


_ENVIRONMENT = class_environment()
