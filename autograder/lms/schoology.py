"""Schoology: a download of all submissions packs a folder for each student, and in it one for each revision.

`Homework 1/Lovelace, Ada - s486002/Revision 2 - On time/means.py`: last name, first name, and the school's own number; `Late`
stands behind the revision that was. The highest revision counts. Forms: public tools that read the folders. Schoology takes no
sheet back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.lms.platform import Item, Listing, Named, Owner, Platform, Understood

_NAMED = re.compile(r"(?P<last>[^,]+), (?P<first>.+) - (?P<number>\S+)")
_REVISION = re.compile(r"Revision (?P<number>[0-9]{1,6}) - (?P<when>.+)")


def read(listing: Listing) -> Understood:
    """Read folders of students that hold revisions."""
    return {item: named for item in listing.items if item.folder and (named := list(_revisions(item)))}


def _revisions(item: Item) -> Iterator[Named]:
    match = _NAMED.fullmatch(item.name)
    if not match:
        return
    number = match["number"]
    owner = Owner(number, f"{match['first']} {match['last']}", number, number, system="schoology")
    for revision in filter(None, map(_REVISION.fullmatch, sorted({path[0] for path in item.paths if len(path) > 1}))):
        late, attempt = revision["when"] == "Late", int(revision["number"])
        yield Named(owner, item.name, late=late, attempt=attempt, below=(revision[0],))


PLATFORM = Platform("schoology", "Schoology", read, marks=3)
