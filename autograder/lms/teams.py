"""Microsoft Teams: the class's SharePoint keeps `Student Work/Submitted files`, which is downloaded as an archive.

`Submitted files/Ada Lovelace/Homework 1/Version 2/attention.py`: the highest version counts. One such archive holds every
assignment of the class; of several, those count that hold the file to hand in. Forms: Microsoft's documentation of
assignments, and public tools that read the folders. Teams takes no sheet back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from autograder.lms.platform import Item, Listing, Named, Owner, Platform, Understood, assignments_meant

_VERSION = re.compile(r"(?:Version|Versi\u00f3n|Vers\u00e3o|Versie|Versione|Versjon|Wersja) ?(?P<number>[0-9]{1,6})")


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


PLATFORM = Platform("teams", "Microsoft Teams", read, marks=2)
