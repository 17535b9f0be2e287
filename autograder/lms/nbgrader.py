"""nbgrader: `submitted/alovelace/ps1/problem1.ipynb`, with `timestamp.txt` beside the notebook.

One `submitted` folder holds every assignment of the class; of several, those count that hold the file to hand in. nbgrader
keeps grades in a database of its own and takes no sheet back. Forms: nbgrader's documentation of its directory structure.
"""

from __future__ import annotations

from autograder.lms.dates import iso_moment
from autograder.lms.platform import Item, Listing, Named, Owner, Platform, Understood, assignments_meant

_STAMP = "timestamp.txt"


def read(listing: Listing) -> Understood:
    """Read folders of students that hold folders of assignments, each with code and a time stamp."""
    found = {item: _assignments(item) for item in listing.items}
    kept = assignments_meant(listing, set[str]().union(*found.values()))
    return {
        item: [_named(item, name) for name in sorted(names & kept)] for item, names in found.items() if names & kept
    }


def _assignments(item: Item) -> set[str]:
    """Return the folders of a student that hold a time stamp and code beside it."""
    direct = [path for path in item.paths if len(path) == 2]
    code = {path[0] for path in direct if path[1].endswith((".py", ".ipynb"))}
    return code & {path[0] for path in direct if path[1] == _STAMP}


def _named(item: Item, assignment: str) -> Named:
    owner = Owner(item.name, item.name, item.name, item.name, system="nbgrader")
    when = iso_moment(item.text((assignment, _STAMP)))
    return Named(owner, item.name, submitted=when, below=(assignment,))


PLATFORM = Platform("nbgrader", "nbgrader", read)
