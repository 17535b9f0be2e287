"""Say the engine's sentences in the language of a course: a sentence is written in English, and a catalogue translates it.

A catalogue is `languages/CODE.po` in gettext's format; a sentence that it lacks stays English. The language is a context
variable, set where a grading begins, so that threads which grade different courses do not change each other's.
"""

from __future__ import annotations

import gettext
import io
import json
import re
import string
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

ENGLISH = "en"
FOLDER = Path(__file__).with_name("languages")
_ENTRY = re.compile(r'^(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?) ((?:"(?:[^"\\]|\\.)*"\s*)+)', re.MULTILINE)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_WITH_COMMA = ("de",)  # languages that write 7,5
_DECIMAL = ("e", "f", "g", "%")  # formats of numbers that may have a point
_MAGIC = 0x950412DE  # the first number of gettext's compiled catalogues
T = TypeVar("T")
_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def languages() -> tuple[str, ...]:
    """Return the languages that there are, by their codes."""
    return tuple(sorted({ENGLISH, *(path.stem for path in FOLDER.glob("*.po"))}))


def spoken() -> str:
    """Return the language that sentences are said in now."""
    return _language.get()


def speak(language: str) -> None:
    """Say sentences in a language from now on, as a program of its own does."""
    _language.set(language)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Say sentences in a language for a while."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def marked(sentences: T) -> T:
    """Return sentences unchanged. It marks those that stand in constants, and are said later, for the catalogue."""
    return sentences


def say(sentence: str, *values: object, **named: object) -> str:
    """Return a sentence in the language spoken, with values in the place of its braces if there are any."""
    told = _catalogue(spoken()).gettext(sentence) if sentence else ""
    return _filled(told, *values, **named) if values or named else told


def say_many(one: str, many: str, n: int, **named: object) -> str:
    """Return the sentence that goes with a number, `{n}` in it, in the language spoken."""
    told = _catalogue(spoken()).ngettext(one, many, n)
    return _filled(told, n=n, **named)


class _WithComma(string.Formatter):
    """Fills a sentence in, and writes its numbers with a comma."""

    def format_field(self, value: Any, format_spec: str) -> str:
        told = str(super().format_field(value, format_spec))
        return decimal(told) if format_spec[-1:] in _DECIMAL else told


def _filled(told: str, /, *values: object, **named: object) -> str:
    """Return a sentence with values in the place of its braces; what has no format of a number's stays as it is."""
    if spoken() in _WITH_COMMA and ":" in told:
        return _WithComma().format(told, *values, **named)
    return told.format(*values, **named)


def decimal(number: str) -> str:
    """Return a number in digits as the language spoken writes it."""
    return number.replace(".", ",") if spoken() in _WITH_COMMA else number


def read_po(text: str) -> dict[str, str]:
    """Return a catalogue's translations by sentence; those of a plural stand in both as gettext joins them, with NULs."""
    found: dict[str, str] = {}
    sentence, told = "", list[str]()
    for keyword, strings in [*_ENTRY.findall(text), ("msgid", '""')]:
        value = "".join(json.loads(string) for string in _STRING.findall(strings))
        if keyword == "msgid":
            if all(told):  # what is not translated yet stays English
                found |= {sentence: "\0".join(told)} if told else {}
            sentence, told = value, []
        elif keyword == "msgid_plural":
            sentence += "\0" + value
        else:
            told.append(value)
    return found


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    path = FOLDER / f"{language}.po"
    if language == ENGLISH or not path.is_file():
        return gettext.NullTranslations()
    return gettext.GNUTranslations(io.BytesIO(_compiled(read_po(path.read_text(encoding="utf-8")))))


def _compiled(catalogue: dict[str, str]) -> bytes:
    """Return a catalogue in the binary format that Python's gettext reads, which knows each language's plurals."""
    pairs = sorted((key.encode(), value.encode()) for key, value in catalogue.items())
    start = 28 + 16 * len(pairs)
    texts, places = b"", list[int]()
    for column in (0, 1):
        for pair in pairs:
            places += [len(pair[column]), start + len(texts)]
            texts += pair[column] + b"\0"
    head = struct.pack("<7I", _MAGIC, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, start)
    return head + struct.pack(f"<{len(places)}I", *places) + texts
