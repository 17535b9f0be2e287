"""Formulas as MathML, which browsers draw by themselves; called by mkdocs for each page."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)


def on_page_content(content: str, **_: Any) -> str:
    """Return a page with MathML in place of LaTeX. Raises what latex2mathml raises where a formula is none."""
    return _FORMULA.sub(lambda found: _drawn(found[2], block=found[1] == "div"), content)


def _drawn(latex: str, *, block: bool) -> str:
    return convert(html.unescape(latex), display="block" if block else "inline")
