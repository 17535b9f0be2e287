"""Open edX: `Submission Files` of the instructor's data download packs what was handed in to all open response assessments.

`[1]Week 1, [2]Homework, [1]Means/[1] - alovelace - means.py`: a folder for each unit of the course, and in it a file for each that
a student uploaded, with the number of the assessment in the unit; it says `Removed from course` and `x` where that is gone.
Instead of the user name may stand an anonymous one. What was typed is `prompt_0.txt` and so on, and `submissions.csv` lists all of
it. Source: `openassessment/data.py` of edx-ora2, create_zip_with_attachments. Open edX takes no sheet back.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import PurePath

from autograder.lms.platform import Item, Kind, Listing, Named, Owner, Parts, Platform, Understood

_NAMED = re.compile(r"\[(?P<number>[0-9]+|x)\] - (?P<user>\S+) - (?P<title>.+)", re.DOTALL)
_UNIT = re.compile(r"\[[0-9]+\].*, \[[0-9]+\].*, \[[0-9]+\].*|Removed from course", re.DOTALL)
_PROMPT = re.compile(r"prompt_[0-9]+\.txt")
_ANONYMOUS = re.compile(r"[0-9a-f]{32}")

_Assessment = tuple[str, str]  # its unit's folder and its number there


def read(listing: Listing) -> Understood:
    """Read units, or the files of one; of several assessments those to which the file to hand in was uploaded."""
    found: dict[_Assessment, list[tuple[Item, Parts, re.Match[str]]]] = defaultdict(list)
    for item in listing.items:
        unit = item.folder and _UNIT.fullmatch(item.name)
        for path in item.paths if unit else () if item.folder else ((item.name,),):
            if len(path) == 1 and (match := _NAMED.fullmatch(path[0])):
                found[item.name if unit else "", match["number"]].append((item, path if unit else (), match))
    meant = {
        assessment
        for assessment, files in found.items()
        if any(_is_meant(match, listing.file) for _, _, match in files)
    }
    understood: dict[Item, list[Named]] = {
        item: [] for item in listing.items if item.folder and _UNIT.fullmatch(item.name)
    }
    for assessment in meant or found:
        for item, below, match in found[assessment]:
            kind = Kind.TEXT if _PROMPT.fullmatch(match["title"]) else Kind.FILE
            understood.setdefault(item, []).append(Named(_owner(match["user"]), match["title"], kind=kind, below=below))
    others: dict[Item, list[Named]] = {item: [] for files in found.values() for item, below, _ in files if not below}
    return others | understood


def _is_meant(match: re.Match[str], file: str) -> bool:
    return match["title"] in (file, f"{PurePath(file).stem}.ipynb")


def _owner(user: str) -> Owner:
    known = not _ANONYMOUS.fullmatch(user)
    return Owner(user, number=user, sid=user if known else "", system="openedx")


PLATFORM = Platform("openedx", "Open edX", read, marks=3)
