"""What platforms' modules share: an export's listing, what a name in it says, and sheets that no spreadsheet executes."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath

Parts = tuple[str, ...]  # of a path
Cells = Sequence[object]  # of a line of a sheet
# Students choose their names, and a spreadsheet runs a cell that begins like a formula.
_FORMULA = tuple("=+-@|%" + "\uff1d\uff0b\uff0d\uff20")  # also the wide forms, which spreadsheets take for the same
_LEADING = " \t\r\n\v\f\0\u00a0\u200b\ufeff'\""  # what may stand before and is passed over


class Kind(StrEnum):
    """What a student handed in: a file, or something else that a platform takes and that holds no file."""

    FILE = "file"
    TEXT = "text"  # typed into a text box
    LINK = "link"  # the address of a web page


@dataclass(frozen=True)
class Owner:
    """Whose a submission is, in the export's own words. `key` is the same in every export of one platform."""

    key: str
    name: str = ""  # as the platform writes it; empty where it grades anonymously
    number: str = ""  # by which the platform's own sheet knows the student: a number or a user name
    sid: str = ""  # the student number or user name, where it is surely that
    email: str = ""
    system: str = ""  # the platform


@dataclass(frozen=True)
class Named:
    """One thing that a student handed in, as far as the export's names tell."""

    owner: Owner
    title: str  # what the student called it
    late: bool = False
    attempt: int = 0  # where the platform counts attempts: the files of the latest replace all earlier ones
    version: int = 0  # of a file that was handed in again
    upload: int = 0  # a number that grows
    submitted: datetime | None = None
    kind: Kind = Kind.FILE
    below: Parts = ()  # the part of a folder that this is; the rest of the folder is not the student's


@dataclass(frozen=True, eq=False)
class Item:
    """One file or folder at the top of an export."""

    name: str
    folder: bool
    paths: tuple[Parts, ...]  # what a folder holds, hidden files too
    text: Callable[[Parts], str]  # the text of a small file of it, () for the item itself; empty where it is none


@dataclass(frozen=True)
class Listing:
    """The top of an export."""

    items: tuple[Item, ...]
    around: str = ""  # the folder or archive that holds them
    file: str = ""  # what the assignment calls the file to hand in

    @property
    def wanted(self) -> frozenset[str]:
        """The names of the file to hand in, and of its notebook."""
        return frozenset({self.file, f"{PurePath(self.file).stem}.ipynb"})


Understood = Mapping[Item, Sequence[Named]]  # nothing where an item is the platform's own and no student's


@dataclass(frozen=True, slots=True)
class Row:
    """A student's line of a grade sheet."""

    student: str
    name: str
    id: str  # on the roster
    email: str
    login: str  # the user name on the roster
    section: str
    system: str  # the platform that the submission came from
    number: str  # by which that platform knows the student
    participant: str  # Moodle's number of the student, as far as the roster is its worksheet
    place: str  # the file or folder of the export that the submission lay in, with what of it where that is a part
    title: str  # of the assignment
    score: float | None  # nothing where it is not graded yet
    max_score: float
    feedback: Callable[[], str]  # as a little HTML; made when it is written, since a class has megabytes of it


@dataclass(frozen=True)
class Platform:
    """A learning platform. A module of this package is one when it has a constant `PLATFORM`."""

    name: str  # in records and file names
    label: str  # as people know it
    read: Callable[[Listing], Understood]  # of the items, those that are named as the platform names them
    sheet: Callable[[Sequence[Row]], Iterable[Cells]] | None = None  # the lines of the CSV it takes back
    feedback: Callable[[Row, str], str] | None = None  # where a file of that name lies in the archive it takes back
    by_roster: bool = True  # whether the sheet also finds students by what a roster says of them
    marks: int = 1  # how much of a name is the platform's own wording; more decides where two fit alike
    beside: Callable[[Item], bool] | None = None  # whether something lies beside a class and was not handed in


def assignments_meant(listing: Listing, every: AbstractSet[str]) -> AbstractSet[str]:
    """Return those of several assignments in students' folders that hold the file to hand in, or all if none does."""
    wanted = listing.wanted
    held = {path[0] for item in listing.items for path in item.paths if len(path) > 1 and path[-1] in wanted}
    return held if len(every) > 1 and held else every


def common_beginning(names: Iterable[str], mark: str) -> str:
    """Return the words, each with the `mark` behind it, that several names begin with; every name has more than that."""
    split = [name.split(mark)[:-1] for name in names]
    shared = ""
    for words in zip(*split, strict=False) if len(split) > 1 else ():
        if len(set(words)) > 1:
            break
        shared += words[0] + mark
    return shared


def inert(cell: object) -> object:
    """Return a cell that no spreadsheet will execute. Numbers stay numbers."""
    if not isinstance(cell, str):
        return cell
    if cell[:1] in ("\t", "\r", "\n") or cell.lstrip(_LEADING).startswith(_FORMULA):
        return f"'{cell}"
    return cell


def sheet_lines(lines: Iterable[Cells]) -> Iterator[str]:
    """Yield the lines of a CSV, with their ends."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for cells in lines:
        writer.writerow([inert(cell) for cell in cells])
        yield text.getvalue().encode("utf-8", "replace").decode()
        text.seek(0)
        text.truncate()


def write_sheet(lines: Iterable[Cells]) -> str:
    """Return lines as CSV."""
    return "".join(sheet_lines(lines))
