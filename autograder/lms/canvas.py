"""Canvas: `Download Submissions` names files, the gradebook imports a CSV, `Upload Submissions` takes files back.

| what | name |
|---|---|
| a file | `lovelaceada_LATE_12345_67890_attention-1.py`: student, late mark, user, upload, the file's own name, version |
| graded anonymously | `LATE_anon_aB3xY_67890_attention.py` |
| a text, a web address | `lovelaceada_12345_text.html`, `lovelaceada_12345_link.html` |

Of a name only letters, digits and `_` are left, in small letters, and no number between two `_`. So the first such number
is the user's. Source: `lib/content_zipper.rb` of canvas-lms, and for the way
back `infer_comment_context_from_filename` in `app/models/abstract_assignment.rb`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from autograder.lms.platform import Cells, Item, Kind, Listing, Named, Owner, Platform, Row, Understood

_REST = r"(?:(?P<upload>[0-9]{1,18})_(?P<title>.+)|(?P<typed>text|link)(?:-[0-9]+)?\.html)"
_NAMED = re.compile(
    r"(?P<who>(?:(?!_[0-9]+_)\w)+?)(?P<late>_late)?_(?P<user>[0-9]+)_" + _REST, re.IGNORECASE | re.DOTALL
)
_ANONYMOUS = re.compile(r"(?P<late>late_)?anon_(?P<who>[0-9a-z]+)_" + _REST, re.IGNORECASE | re.DOTALL)
_AGAIN = re.compile(r"(?P<stem>.*\S)-(?P<version>[0-9]{1,3})", re.DOTALL)
_TYPED = {None: Kind.FILE, "text": Kind.TEXT, "link": Kind.LINK}


def read(listing: Listing) -> Understood:
    """Read the names of files; there are no folders."""
    return {item: [named] for item in listing.items if not item.folder and (named := _named(item))}


def _named(item: Item) -> Named | None:
    anonymous = _ANONYMOUS.fullmatch(item.name)
    match = anonymous or _NAMED.fullmatch(item.name)
    if not match:
        return None
    kind = _TYPED[match["typed"].lower() if match["typed"] else None]
    title, version = _own_name(match["title"] or item.name)
    if anonymous:
        owner = Owner(f"anon_{match['who']}", system="canvas")
    else:
        owner = Owner(f"{match['who']}_{match['user']}", match["who"], match["user"], system="canvas")
    return Named(owner, title, bool(match["late"]), version=version, upload=int(match["upload"] or 0), kind=kind)


def _own_name(title: str) -> tuple[str, int]:
    """Take off the number that Canvas adds to a file of the same name."""
    stem, dot, ending = title.rpartition(".")
    again = _AGAIN.fullmatch(stem)
    return (f"{again['stem']}{dot}{ending}", int(again["version"])) if again else (title, 0)


def sheet(rows: Sequence[Row]) -> Iterator[Cells]:
    """Yield what Canvas's gradebook imports: students by Canvas number or SIS id, one column for the assignment."""
    title = rows[0].title if rows else "Score"
    most = max((row.max_score for row in rows), default=0)
    yield "Student", "ID", "SIS User ID", "SIS Login ID", "Section", title
    yield "    Points Possible", "", "", "", "", most
    own = any(row.id and row.id == _number(row) for row in rows)  # Canvas's sheet was the roster
    for row in rows:
        number, sis = (_number(row) or row.id, "") if own else (_number(row), row.id)
        yield row.name, number, sis, row.login or row.email, row.section, row.score


def feedback_path(row: Row, name: str) -> str:
    """Return how `Upload Submissions` knows whose a file is: by user and upload; a text has no upload, and takes none."""
    match = _ANONYMOUS.fullmatch(row.place) or _NAMED.fullmatch(row.place)
    return f"{row.place[: match.end('upload')]}_{name}" if match and match["upload"] else ""


def _number(row: Row) -> str:
    return row.number if row.system == "canvas" else ""


PLATFORM = Platform("canvas", "Canvas", read, sheet, feedback_path)
