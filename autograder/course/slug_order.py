"""The order of assignments by their names, where `order` in assignment.toml is not at hand: a2 comes before a10."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"(\d+)")


def by_number(slug: str) -> tuple[tuple[str, int], ...]:
    """Return what a slug is sorted by: its letters as text, its digits as numbers."""
    letters, digits = _DIGITS.split(slug)[::2], _DIGITS.findall(slug)
    return tuple(zip(letters, [*(int(number) for number in digits), 0], strict=True))
