"""Gradescope: an export holds numbered folders, and `submission_metadata.yml` says whose they are and when they came.

`assignment_5_export/submission_123/attention.py`. A group hands in once. Grades go back as results.json, one for each
student. Source: exports, and Gradescope's specification of results.json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import Any

from autograder.lms.dates import iso_moment
from autograder.lms.platform import Listing, Named, Owner, Platform, Understood

METADATA = "submission_metadata.yml"
_KEY = re.compile(r"(?P<indent> *)(?P<item>- )?:?(?P<key>\w+):(?: (?P<value>.*))?")


def read(listing: Listing) -> Understood:
    """Read the list; of a group that hands in together, everyone gets the grade."""
    lists = [item for item in listing.items if item.name == METADATA and not item.folder]
    if not lists:
        return {}
    listed = read_metadata(lists[0].text(()))
    found: dict[Any, list[Named]] = {lists[0]: []}
    for item in listing.items:
        plain = item.name if item.folder else PurePath(item.name).stem
        if export := listed.get(plain):
            owners = export.owners or (Owner(plain, system="gradescope"),)
            found[item] = [Named(owner, item.name, submitted=export.submitted) for owner in owners]
    return found


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
                found[folder] = replace(found[folder], submitted=iso_moment(_scalar(value, anchors)))
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
        match = _KEY.fullmatch(line.rstrip())
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


PLATFORM = Platform("gradescope", "Gradescope", read, marks=3)
