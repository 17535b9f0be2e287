"""Brightspace (D2L): a download of submissions names files or folders, the grades import takes a CSV.

`39786-640693 - Ada Lovelace - Oct 10, 2025 1022 AM - attention.py`, or a folder without the last part; a site may put the
student's number before the name. The date is written as the site's language and region have it, without the colon.
Forms: names in public tools that read them, and in D2L's help; the day is read where no two readings are possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from autograder.lms.dates import worded_moment
from autograder.lms.platform import Cells, Item, Listing, Named, Owner, Platform, Row, Understood

_IDS = re.compile(r"(?P<user>[0-9]+)-[0-9]+")
_TIME = re.compile(r"(?=.*\b(?:19|20)[0-9]{2}(?![0-9])).*[0-9]{1,2}[ .:_]?[0-9]{2}(?: ?[ap]\.?m\.?)?", re.IGNORECASE)
_NUMBER = re.compile(r"(?=.*[0-9])[A-Za-z0-9]+")


def read(listing: Listing) -> Understood:
    """Read the names of files and folders; the page that lists them belongs to no student."""
    found = {item: [named] for item in listing.items if (named := _named(item))}
    return found | {item: [] for item in listing.items if found and item.name == "index.html" and not item.folder}


def _named(item: Item) -> Named | None:
    first, *parts = item.name.split(" - ")
    ids = _IDS.fullmatch(first)
    at = next((i for i, part in enumerate(parts) if i and _TIME.fullmatch(part)), 0)
    if not ids or not at or not (item.folder or parts[at + 1 :]):
        return None
    numbered = at > 1 and bool(_NUMBER.fullmatch(parts[0]))
    who = " - ".join(parts[numbered:at])
    owner = Owner(f"{who}_{ids['user']}", who, ids["user"], parts[0] if numbered else "", system="brightspace")
    return Named(owner, " - ".join(parts[at + 1 :]) or item.name, submitted=worded_moment(parts[at]))


def sheet(rows: Sequence[Row]) -> Iterator[Cells]:
    """Yield what Brightspace's grades import: students by OrgDefinedId, the roster's id; rows without one are left out."""
    title = rows[0].title if rows else "Score"
    most = max((row.max_score for row in rows), default=0)
    yield "OrgDefinedId", f"{title} Points Grade <Numeric MaxPoints:{most:g}>", "End-of-Line Indicator"
    yield from ((f"#{row.id}", row.score, "#") for row in rows if row.id)


def feedback_path(row: Row, name: str) -> str:
    """Return what `Add Feedback Files` takes for a student's: the name of the submission, as it was downloaded."""
    parts = row.place.split(" - ")
    at = next((i for i, part in enumerate(parts) if i > 1 and _TIME.fullmatch(part)), 0)
    return f"{row.place}/{name}" if at == len(parts) - 1 else " - ".join([*parts[: at + 1], name])


PLATFORM = Platform("brightspace", "Brightspace", read, sheet, feedback_path, marks=2)
