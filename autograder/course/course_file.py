"""What course.toml says of a course: whose assignments it gives, in which order, and what it changes in each.

title = "Attention in six weeks"
language = "de"                           # of the engine's sentences for students; English without it
from = "../sequence-autograder"           # the folder of assignments/ and solutions/; without it they lie beside course.toml

[assignment.a5_attention]                 # with `from`, the assignments that are named are the course, in this order
title = "Attention, without the backward pass"
without = ["attention_backward", "quiz.spread_of_scores", "experiment.py"]   # exercises, questions, programs
points = {attention = 8}
variants = ["NAME"]                       # another convention than last term's; see `course/variants.py`
bonus = ["folded_scores"]                 # its points are added to the total, and are no part of what can be reached
manual = ["padding_mask"]                 # graded by a person, who reads the code; no case runs it

How assignments count together stands in the same file; see `classroom/course_rules.py`.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autograder.course.language import ENGLISH, languages

FILE = "course.toml"
_KEYS = ("title", "language", "from", "drop_lowest", "late", "assignment", "exempt")
_BARE_MOMENT = re.compile(r"^ *(?P<key>\w+) *= *(?P<moment>\d{4}-\d\d-\d\dT\d\d:\d\d) *$", re.MULTILINE)
_ENTRY_KEYS = ("title", "from", "without", "points", "bonus", "manual", "variants", "weight", "due", "late", "dropped")


class CourseFileError(Exception):
    """A course.toml cannot be used; the message says where, and what to write."""


@dataclass(frozen=True)
class Entry:
    """What a course changes in one assignment; `home` is the folder of the course that it comes from."""

    home: Path
    title: str = ""
    without: tuple[str, ...] = ()
    points: Mapping[str, float] = field(default_factory=dict)
    bonus: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    manual: tuple[str, ...] = ()
    language: str = ENGLISH

    @property
    def changes(self) -> bool:
        """Whether the assignment is another than the one in its folders."""
        return bool(self.title or self.without or self.points or self.bonus or self.variants or self.manual)

    @property
    def is_told(self) -> bool:
        """Whether a copy of the assignment needs a course.toml, to be graded in the same way and the same words."""
        return self.changes or self.language != ENGLISH


@dataclass(frozen=True)
class CourseFile:
    """A course by its course.toml. Where it is `chosen`, the assignments that are named are all that it gives."""

    home: Path
    entries: Mapping[str, Entry] = field(default_factory=dict)
    chosen: bool = False
    language: str = ENGLISH

    def entry(self, slug: str) -> Entry:
        """Return what is changed in an assignment; nothing in one that is not named."""
        return self.entries.get(slug, Entry(self.home, language=self.language))


def read_document(path: Path) -> dict[str, Any]:
    """Return the tables of a course.toml, none of which has a key that means nothing. Raises CourseFileError."""
    text = ""
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = tomllib.loads(text)
    except OSError as error:
        raise CourseFileError(f"{path} cannot be read ({error.strerror}).") from None
    except ValueError as error:
        moment = _BARE_MOMENT.search(text)
        hint = f' Write {moment["key"]} = "{moment["moment"]}", in quotes.' if moment else ""
        raise CourseFileError(f"{path} is not TOML: {error}.{hint}") from None
    try:
        refuse_unknown(found, _KEYS, "at the top")
        assignments = found.get("assignment", {})
        if not isinstance(assignments, Mapping):
            raise TypeError("write [assignment.SLUG] above what is said of an assignment.")
        for slug, entry in assignments.items():
            refuse_unknown(entry, _ENTRY_KEYS, f"under [assignment.{slug}]")
    except (TypeError, ValueError) as error:
        raise CourseFileError(f"{path}: {error}") from None
    return found


def read_course_file(folder: Path) -> CourseFile:
    """Return what the course.toml in a folder says; without one, a course as it lies there. Raises CourseFileError."""
    path = folder / FILE
    if not path.is_file():
        return CourseFile(folder)
    found = read_document(path)
    try:
        home, told_of = _home(folder, found, folder), found.get("assignment", {})
        language = language_in(found)
        entries = {slug: replace(_entry(folder, slug, told, home), language=language) for slug, told in told_of.items()}
    except (TypeError, ValueError) as error:
        raise CourseFileError(f"{path}: {error}") from None
    return CourseFile(home, entries, "from" in found or any("from" in told for told in told_of.values()), language)


def written(slug: str, entry: Entry) -> str:
    """Return a course.toml that changes one assignment in the same way, beside its folders."""
    points = ", ".join(f"{json.dumps(name)} = {points!r}" for name, points in entry.points.items())
    lines = [f"language = {json.dumps(entry.language)}"] if entry.language != ENGLISH else []
    lines += [f"[assignment.{json.dumps(slug)}]"]
    lines += [f"title = {json.dumps(entry.title, ensure_ascii=False)}"] if entry.title else []
    lines += [f"without = {json.dumps(entry.without)}", f"points = {{{points}}}", f"bonus = {json.dumps(entry.bonus)}"]
    lines += [f"variants = {json.dumps(entry.variants)}"] if entry.variants else []
    lines += [f"manual = {json.dumps(entry.manual)}"] if entry.manual else []
    return "\n".join(lines) + "\n"


def refuse_unknown(entry: Mapping[str, Any], keys: Collection[str], where: str) -> None:
    """Raise an error about a key that means nothing, with the one that may have been meant."""
    if not isinstance(entry, Mapping):
        raise TypeError(f"what stands {where} is no table.")
    for key in entry:
        if key not in keys:
            near = difflib.get_close_matches(key, keys, 1)
            hint = f" Did you mean {near[0]}?" if near else f" It takes {', '.join(keys)}."
            raise ValueError(f"{key} {where} means nothing.{hint}")


def _entry(folder: Path, slug: str, entry: Mapping[str, Any], home: Path) -> Entry:
    points = entry.get("points", {})
    if not isinstance(points, Mapping):
        raise TypeError(f"points of {slug} is {points!r}. Write points = {{EXERCISE = 3}}.")
    for name, value in points.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 < value < math.inf:
            raise ValueError(
                f"points of {slug}: {name} = {value!r}. Write a number above zero; `without` leaves it out."
            )
    title = entry.get("title", "")
    if not isinstance(title, str):
        raise TypeError(f"title of {slug} is {title!r}. Write a text.")
    flag = isinstance(entry.get("bonus"), bool)  # the whole assignment is one, which course_rules reads
    bonus = () if flag else _names(slug, entry, "bonus")
    return Entry(
        _home(folder, entry, home),
        " ".join(title.split()),
        _names(slug, entry, "without"),
        {name: float(value) for name, value in points.items()},
        bonus,
        _names(slug, entry, "variants"),
        _names(slug, entry, "manual"),
    )


def language_in(found: Mapping[str, Any]) -> str:
    """Return the language that a course.toml names. Raises ValueError where the engine does not speak it."""
    language = found.get("language", ENGLISH)
    if language not in languages():
        raise ValueError(f"language = {language!r} is none of {', '.join(languages())}.")
    return str(language)


def _home(folder: Path, entry: Mapping[str, Any], otherwise: Path) -> Path:
    if "from" not in entry:
        return otherwise
    if not isinstance(entry["from"], str) or not entry["from"].strip():
        raise TypeError(f'from = {entry["from"]!r}. Write the folder of a course, as in from = "../course".')
    home = (folder / Path(entry["from"]).expanduser()).resolve()
    if not ((home / "assignments").is_dir() and (home / "solutions").is_dir()):
        raise ValueError(f'from = "{entry["from"]}": {home} holds no assignments/ and solutions/.')
    return home


def _names(slug: str, entry: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = entry.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError(f'{key} of {slug} is {names!r}. Write {key} = ["...", "..."].')
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise ValueError(f"{key} of {slug} names {twice} twice.")
    return tuple(names)
