"""VPL, the Virtual Programming Lab of Moodle: `Download submissions` packs a folder for each student.

`Lovelace Ada 31 alovelace/2026-03-01-10-22-33/means.py`: name, number and user name, and a folder for each time; "all" packs
every one, of which the latest counts. Beside it `2026-03-01-10-22-33.ceg/` holds what was compiled, run and said, and
`Report.txt` or `Errors.txt` lies above. Most marks in a name are `_`. VPL takes no sheet back. Source:
`views/downloadallsubmissions.php` of the plugin moodle-mod_vpl.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.lms.dates import stamp_moment
from autograder.lms.platform import Item, Listing, Named, Owner, Platform, Understood

_NAMED = re.compile(r"(?P<name>.+) (?P<number>[0-9]+) (?P<user>\S+)")
_STAMP = re.compile(r"[0-9]{4}(?:-[0-9]{2}){5}")
_OWN = ("Report.txt", "Errors.txt")


def read(listing: Listing) -> Understood:
    """Read folders of students that hold folders named after moments."""
    found = {item: named for item in listing.items if item.folder and (named := list(_handed_in(item)))}
    return found | {item: [] for item in listing.items if found and item.name in _OWN}


def _handed_in(item: Item) -> Iterator[Named]:
    match = _NAMED.fullmatch(item.name)
    if not match:
        return
    owner = Owner(match["user"], match["name"], match["number"], match["user"], system="vpl")
    for stamp in sorted({path[0] for path in item.paths if len(path) > 1 and _STAMP.fullmatch(path[0])}):
        when = stamp_moment(stamp)
        yield Named(owner, item.name, attempt=int(stamp.replace("-", "")), submitted=when, below=(stamp,))


PLATFORM = Platform("vpl", "VPL", read, marks=3)
