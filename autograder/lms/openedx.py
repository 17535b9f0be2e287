"""Open edX: `Submission Files` of the instructor's data download packs what was handed in to all open response assessments.

`[1]Week 1, [2]Homework, [1]Means/[1] - alovelace - means.py`: a folder for each unit of the course, and in it a file for each that
a student uploaded, with the number of the assessment in the unit; it says `Removed from course` and `x` where that is gone.
Instead of the user name may stand an anonymous one. What was typed is `prompt_0.txt` and so on, and `submissions.csv` lists all of
it. Source: `openassessment/data.py` of edx-ora2, create_zip_with_attachments. Open edX takes no sheet back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.lms.platform import Item, Kind, Listing, Named, Owner, Parts, Platform, Understood

_NAMED = re.compile(r"\[(?P<number>[0-9]+|x)\] - (?P<user>\S+) - (?P<title>.+)", re.DOTALL)
_UNIT = re.compile(r"\[[0-9]+\].*, \[[0-9]+\].*, \[[0-9]+\].*|Removed from course", re.DOTALL)
_PROMPT = re.compile(r"prompt_[0-9]+\.txt")
_ANONYMOUS = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class _File:
    item: Item
    unit: str  # its folder, where that is not what was handed in
    below: Parts
    number: str  # of the assessment, in its unit
    user: str
    title: str


def read(listing: Listing) -> Understood:
    """Read units, or the files of one; of several assessments those to which the file to hand in was uploaded."""
    files = list(_files(listing))
    meant = {(file.unit, file.number) for file in files if file.title in listing.wanted}
    units = (item for item in listing.items if item.folder and _UNIT.fullmatch(item.name))
    understood: dict[Item, list[Named]] = {item: [] for item in (*units, *(file.item for file in files))}
    for file in files:
        if not meant or (file.unit, file.number) in meant:
            kind = Kind.TEXT if _PROMPT.fullmatch(file.title) else Kind.FILE
            understood[file.item].append(Named(_owner(file.user), file.title, kind=kind, below=file.below))
    return understood


def _files(listing: Listing) -> Iterator[_File]:
    for item in listing.items:
        unit = item.name if item.folder and _UNIT.fullmatch(item.name) else ""
        paths: tuple[Parts, ...] = item.paths if unit else () if item.folder else ((item.name,),)
        for path in paths:
            if len(path) == 1 and (match := _NAMED.fullmatch(path[0])):
                yield _File(item, unit, path if unit else (), match["number"], match["user"], match["title"])


def _owner(user: str) -> Owner:
    known = not _ANONYMOUS.fullmatch(user)
    return Owner(user, number=user, sid=user if known else "", system="openedx")


PLATFORM = Platform("openedx", "Open edX", read, marks=3)
