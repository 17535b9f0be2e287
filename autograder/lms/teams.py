"""Microsoft Teams: the class's SharePoint keeps `Student Work/Submitted files`, which is downloaded as an archive.

`Submitted files/Ada Lovelace/Homework 1/Version 2/attention.py`: the highest version counts. One such archive holds every
assignment of the class; of several, those count that hold the file to hand in. `Working files` beside it is not handed in yet.
Forms: Microsoft's documentation of assignments, and public tools that read the folders, one of them in Japanese; the other words
for a version are those of Microsoft's other products. Teams takes no sheet back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from autograder.lms.platform import Item, Listing, Named, Owner, Platform, Understood, assignments_meant

_WORDS = (
    "Version|Versi\u00f3n|Vers\u00e3o|Versie|Versione|Versjon|Wersja|Verze|Verzia|Versio|Verzi\u00f3|Versiunea|S\u00fcr\u00fcm|"
    "\u03ad\u03ba\u03b4\u03bf\u03c3\u03b7|\u0412\u0435\u0440\u0441\u0438\u044f|\u0412\u0435\u0440\u0441\u0456\u044f|\u30d0\u30fc\u30b8\u30e7\u30f3|\ubc84\uc804|\u7248\u672c"
)
_VERSION = re.compile(rf"(?:{_WORDS}) ?(?P<number>[0-9]{{1,6}})", re.IGNORECASE)
_WORKING = "Working files"


def read(listing: Listing) -> Understood:
    """Read folders of students that hold folders of assignments that hold versions."""
    kept = assignments_meant(listing, {path[0] for item in listing.items for path in item.paths if len(path) > 1})
    return {item: named for item in listing.items if item.folder and (named := list(_versions(item, kept)))}


def _versions(item: Item, assignments: AbstractSet[str]) -> Iterator[Named]:
    owner = Owner(item.name, item.name, system="teams")
    for assignment, version in sorted({path[:2] for path in item.paths if len(path) > 2}):
        match = _VERSION.fullmatch(version)
        if match and assignment in assignments:
            yield Named(owner, item.name, attempt=int(match["number"]), below=(assignment, version))


def is_not_handed_in(item: Item) -> bool:
    """Whether a folder holds what students are still at work on."""
    return item.folder and item.name == _WORKING


PLATFORM = Platform("teams", "Microsoft Teams", read, marks=2, beside=is_not_handed_in)
