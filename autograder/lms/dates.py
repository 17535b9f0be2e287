"""Read the forms in which platforms write a moment."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime

_ISO = re.compile(r"(\S+)[ T](\d\d:\d\d:\d\d)(\.\d+)? ?(Z|UTC|[+-]\d\d:?\d\d)?")
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_MONTHS = (  # by how they begin, without accents: English, German, French, Spanish, Portuguese, Italian, Dutch, Nordic
    ("jan", "ene", "gen"), ("feb", "fev"), ("mar", "mrt", "maa"), ("apr", "avr", "abr"), ("may", "mai", "mei", "maj", "mag"),
    ("jun", "juin", "giu"), ("jul", "juil", "lug"), ("aug", "aou", "ago"), ("sep", "set"), ("oct", "okt", "ott", "out"),
    ("nov",), ("dec", "dez", "dic", "des"),
)  # fmt: skip
_FILLERS = frozenset({"de", "del", "den", "a", "at", "um", "h", "uhr", "kl", "om"})


def iso_moment(text: str) -> datetime | None:
    """Read `2026-03-01 05:11:18.549541000 Z` and the like; without a zone it is this machine's."""
    match = _ISO.fullmatch(text.strip())
    if not match:
        return None
    zone = {"Z": "+00:00", "UTC": "+00:00"}.get(match[4], match[4] or "")
    return moment(f"{match[1]}T{match[2]}{zone}")


def stamp_moment(stamp: str) -> datetime | None:
    """Read `2026-03-01-10-22-00`, in this machine's time zone."""
    return moment(f"{stamp[:10]}T{stamp[11:].replace('-', ':')}")


def moment(text: str) -> datetime | None:
    """Read a moment in ISO 8601, or nothing where it is none."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def worded_moment(text: str) -> datetime | None:
    """Read `Oct 10, 2025 1022 AM`, `10 octobre 2025 10 22`, `2025-10-10 2215`: a clock is last, hours with or without a sign.

    In this machine's time zone; nothing where it is no date, or day and month could be either.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower().replace(".m", "m")
    words = _WORDS.findall(plain)
    numbers = [int(word) for word in words if word.isdigit()]
    others = [word for word in words if not word.isdigit() and word not in _FILLERS]
    half = others.pop() if others and others[-1] in ("am", "pm") else ""
    months = [number for word in others if (number := _month(word))]
    if len(months) != len(others) or len(months) > 1:
        return None
    numbers, (hour, minute) = _clock(words, numbers)
    if len(numbers) == 2 and months:
        day, year = sorted(numbers)
    elif len(numbers) == 3 and not months and numbers[0] > 999:
        year, months[:], day = numbers[0], [numbers[1]], numbers[2]
    else:
        return None
    if half:
        hour = hour % 12 + 12 * (half == "pm") if 1 <= hour <= 12 else 99
    try:
        return datetime(year, months[0], day, hour, minute).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def _clock(words: list[str], numbers: list[int]) -> tuple[list[int], tuple[int, int]]:
    """Take the clock off the end of some numbers: `1022` is one, `10 22` two."""
    last = next((word for word in reversed(words) if word.isdigit()), "")
    if len(last) in (3, 4):
        return numbers[:-1], divmod(numbers[-1], 100)
    return numbers[:-2], (numbers[-2], numbers[-1]) if len(numbers) > 1 else (99, 99)


def _month(word: str) -> int:
    return next((number for number, starts in enumerate(_MONTHS, 1) if word.startswith(starts)), 0)
