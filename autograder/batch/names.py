"""Whose is it, and when did it come? What learning management systems write into names, and Gradescope into a list.

| system | name of a file or folder |
|---|---|
| Canvas | `lovelaceada_late_12345_67890_attention-1.py`: student, late mark, user, upload, the file's own name, version |
| Moodle | `Ada Lovelace_12345_assignsubmission_file_attention.py`, or a folder with an empty last part |
| Brightspace | `39786-640693 - Ada Lovelace - Oct 10, 2025 1022 AM - attention.py`, or a folder without the last part |
| Gradescope | `submission_123/`, and `submission_metadata.yml` beside the folders |

A student chooses the file's own name. So where a name could be of two systems, the mark that stands first decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

_CANVAS = re.compile(
    r"(?P<who>.+?)(?P<late>_late)?(?P<mark>_)(?P<user>[0-9]+)_(?P<upload>[0-9]{1,18})_(?P<title>.+)",
    re.IGNORECASE | re.DOTALL,
)
_MOODLE = re.compile(
    r"(?P<who>.+?)(?P<mark>_)(?P<user>[0-9]+)_assignsubmission_(?P<kind>[a-z]+)_(?P<title>.*)", re.DOTALL
)
_BRIGHTSPACE = re.compile(
    r"(?P<user>[0-9]+)-[0-9]+ - (?P<who>.+?)(?P<mark> - )(?P<when>[A-Z][a-z]+ [0-9]{1,2}, [0-9]{4} [0-9]{1,4} [AP]M)"
    r"(?: - (?P<title>.+))?",
    re.DOTALL,
)
_AGAIN = re.compile(r"(?P<stem>.*\S)-(?P<version>[0-9]{1,3})", re.DOTALL)
_METADATA_KEY = re.compile(r"(?P<indent> *)(?P<item>- )?:?(?P<key>\w+):(?: (?P<value>.*))?")


@dataclass(frozen=True)
class Owner:
    """Whose a submission is, in the export's own words. `key` is the same in every export of one system."""

    key: str
    name: str = ""
    number: str = ""  # of the user, in the system it comes from
    sid: str = ""  # the student number, where the export knows it
    email: str = ""
    system: str = ""


@dataclass(frozen=True)
class Named:
    """What an export's name says: whose, what the student called it, and when it came."""

    owner: Owner
    title: str
    late: bool = False
    version: int = 0  # of a resubmission
    upload: int = 0  # a number that grows
    submitted: datetime | None = None
    typed: bool = False  # into a text box, so that it is no file of the student's


def parse_name(name: str, *, folder: bool) -> Named | None:
    """Return what a name says, if it is one of a known system's."""
    found = [
        (match.start("mark"), read(name, match))
        for pattern, read in ((_MOODLE, _moodle), (_BRIGHTSPACE, _brightspace), (_CANVAS, _canvas))
        if (match := pattern.fullmatch(name)) and not (folder and pattern is _CANVAS)
    ]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _canvas(_: str, match: re.Match[str]) -> Named:
    stem, dot, ending = match["title"].rpartition(".")
    again = _AGAIN.fullmatch(stem)
    title, version = (f"{again['stem']}{dot}{ending}", int(again["version"])) if again else (match["title"], 0)
    owner = Owner(f"{match['who']}_{match['user']}", match["who"], match["user"], system="canvas")
    return Named(owner, title, bool(match["late"]), version, int(match["upload"]))


def _moodle(name: str, match: re.Match[str]) -> Named:
    owner = Owner(f"{match['who']}_{match['user']}", match["who"], match["user"], system="moodle")
    return Named(owner, match["title"] or name, typed=match["kind"] != "file")


def _brightspace(name: str, match: re.Match[str]) -> Named:
    owner = Owner(f"{match['who']}_{match['user']}", match["who"], match["user"], system="brightspace")
    return Named(owner, match["title"] or name, submitted=_english_time(match["when"]))


def _english_time(text: str) -> datetime | None:
    """Read `Oct 10, 2025 1022 AM`, in this machine's time zone, or nothing where it is no date."""
    day, clock, half = text.rsplit(" ", 2)
    for form in ("%b %d, %Y %I%M %p", "%B %d, %Y %I%M %p"):
        try:
            return datetime.strptime(f"{day} {clock.zfill(4)} {half}", form).astimezone()
        except (ValueError, OverflowError, OSError):
            continue
    return None


@dataclass(frozen=True)
class Export:
    """What Gradescope's list says of one folder: its owners, since a group hands in once, and when it came."""

    owners: tuple[Owner, ...] = ()
    submitted: datetime | None = None


def read_metadata(text: str) -> Mapping[str, Export]:
    """Read the few fields that count of Gradescope's `submission_metadata.yml`.

    The file is written by one program in one form, and holds earlier results with whatever students printed in them. So
    only lines at the very depth of the wanted fields are looked at; what is nested deeper can claim nothing.
    """
    found: dict[str, Export] = {}
    folder, people, anchors = "", [dict[str, str]()], dict[str, str]()
    inside = False  # the list of submitters
    for indent, item, key, value in _fields(text):
        if indent == 0 and not item:
            folder, people, inside = key, [], False
            found[folder] = Export()
        elif indent == 2 and not item:
            inside = key == "submitters"
            if key == "created_at":
                found[folder] = replace(found[folder], submitted=_iso_time(_scalar(value, anchors)))
        elif inside and indent == (2 if item else 4) and key in ("name", "sid", "email"):
            if item or not people:
                people.append({})
            people[-1][key] = _scalar(value, anchors)
            owners = tuple(_submitter(folder, person) for person in people)
            found[folder] = replace(found[folder], owners=owners)
    return found


def _fields(text: str) -> Iterator[tuple[int, bool, str, str]]:
    """Yield the depth, whether it begins an item of a list, the key and the value of every line that has a key."""
    known = False
    for line in text.splitlines():
        match = _METADATA_KEY.fullmatch(line.rstrip())
        if match:
            indent = len(match["indent"])
            known = known or indent == 0
            if known:
                yield indent, bool(match["item"]), match["key"], match["value"] or ""


def _scalar(value: str, anchors: dict[str, str]) -> str:
    """Read a plain or quoted value; the same string may be written once and referred to by an anchor."""
    anchor, _, rest = value.partition(" ")
    if anchor.startswith("&"):
        anchors[anchor[1:]] = _scalar(rest, anchors)
        return anchors[anchor[1:]]
    if anchor.startswith("*") and not rest:
        return anchors.get(anchor[1:], "")
    if value[:1] == value[-1:] == "'" and len(value) > 1:
        return value[1:-1].replace("''", "'")
    if value[:1] == value[-1:] == '"' and len(value) > 1:
        return _unescaped(value)
    return "" if value in ("~", "null") else value


def _unescaped(value: str) -> str:
    try:
        read: Any = json.loads(re.sub(r"\\x([0-9a-fA-F]{2})", r"\\u00\1", value).replace(r"\e", r"\u001b"))
    except ValueError:
        return value[1:-1]
    return str(read)


def _submitter(folder: str, person: Mapping[str, str]) -> Owner:
    name, sid, email = (person.get(key, "") for key in ("name", "sid", "email"))
    number = folder.rpartition("_")[2]
    return Owner(f"{name or email or 'submission'}_{sid or email or number}", name, "", sid, email, "gradescope")


def _iso_time(text: str) -> datetime | None:
    """Read `2026-03-01 05:11:18.549541000 Z`."""
    match = re.fullmatch(r"(\S+)[ T](\d\d:\d\d:\d\d)(\.\d+)? ?(Z|UTC|[+-]\d\d:?\d\d)?", text)
    if not match:
        return None
    zone = {"Z": "+00:00", "UTC": "+00:00"}.get(match[4], match[4] or "")
    try:
        return datetime.fromisoformat(f"{match[1]}T{match[2]}{zone}").astimezone()
    except (ValueError, OverflowError, OSError):
        return None
