"""Sakai: `Download All` packs a folder for each student, and `Upload All` takes the archive back with grades in it.

`Homework 1/Lovelace, Ada(alovelace)/Submission attachment(s)/attention.py`, beside it `timestamp.txt`, what was typed in as
`Lovelace, Ada(alovelace)_submissionText.html`, and the grader's own `comments.txt`, `feedbackText.html` and `Feedback
Attachment(s)/`. Graded anonymously the folder is called by a number and `(anonymous)`; a group's is `Group A (17)` with
`members.txt`. `grades.csv` lies above. The two folders and the word `anonymous` are the language's, all else is the same in each;
the folder of attachments loses its accents in newer versions. Source: `AssignmentServiceImpl.java`, zipSubmissions and
zipGroupSubmissions, for the way back `AssignmentAction.java`, uploadAll_parseZipFile, and for the words
`assignment_de_DE.properties` and so on, stuviewsubm.submissatt and download.feedback.attachment.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime

from autograder.lms.dates import iso_moment
from autograder.lms.platform import Cells, Item, Kind, Listing, Named, Owner, Platform, Row, Understood

_NAMED = re.compile(r"(?P<name>.*,.*)\((?P<user>[^()]+)\)", re.DOTALL)
_GROUP = re.compile(r".* \([^()]+\)", re.DOTALL)
_ANONYMOUS = re.compile(r"(?P<number>(?=\S*[0-9])\S+) \(?[^\W\d_]+\)?")
_SUBMITTED = "Submission attachment(s)"
_FOLDERS = {  # of attachments that were submitted, and of the grader's, by language
    _SUBMITTED: "Feedback Attachment(s)",
    "Einreichungsanh\u00e4nge": "Feedback-Anh\u00e4nge",
    "Adjuntos de la entrega": "Adjuntos al comentario",
    "Pi\u00e8ce(s) jointe(s) de la remise": "Pi\u00e8ce(s) jointe(s) du commentaire",
    "Allegati": "Allegati con feedback",
    "Bijlage(n) bij uitwerking": "Feedback bijlage(n)",
    "Anexo(s) para submiss\u00e3o": "Anexo(s) do Feedback",
}
_TYPED = "_submissionText.html"
_ABOVE = "feedback"  # Upload All takes any folder's name for the assignment's
_LISTS = ("grades.csv", "grades.xls", "grades.xlsx")


def _plain(name: str) -> str:
    """Return a name in small letters, without accents."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()


_BACK = {_plain(submitted): graders for submitted, graders in _FOLDERS.items()}
_GRADERS = frozenset(map(_plain, _FOLDERS.values()))
_COMMON = _plain("Allegati")  # any folder in Italian may be called so


def read(listing: Listing) -> Understood:
    """Read the names of folders that hold a time stamp or the folder of attachments."""
    found = {item: named for item in listing.items if item.folder and (named := list(_handed_in(item)))}
    return found | {item: [] for item in listing.items if found and not item.folder and item.name in _LISTS}


def _handed_in(item: Item) -> Iterator[Named]:
    """Yield a student's files, and what was typed in; of a group, everyone's."""
    stamped = ("timestamp.txt",) in item.paths
    folders = dict.fromkeys(path[0] for path in item.paths if len(path) > 1)
    others = [name for name in folders if not _plain(name).startswith("feedback") and _plain(name) not in _GRADERS]
    attached = next((name for name in folders if _plain(name) in _BACK and (stamped or _plain(name) != _COMMON)), "")
    if not stamped and not attached:
        return
    attached = attached or next(iter(others), "")  # in a language that is not known
    when = _moment(item.text(("timestamp.txt",))) if stamped else None
    typed = next((path for path in item.paths if len(path) == 1 and path[0].endswith(_TYPED)), None)
    for owner in _owners(item):
        if attached or not typed:
            yield Named(owner, item.name, submitted=when, below=(attached or _SUBMITTED,))
        if typed and item.text(typed).strip():
            yield Named(owner, item.name, submitted=when, kind=Kind.TEXT, below=typed)


def _owners(item: Item) -> list[Owner]:
    if ("members.txt",) in item.paths and _GROUP.fullmatch(item.name):
        return _each(item.text(("members.txt",)))
    if several := _each(item.name):
        return several
    anonymous = _ANONYMOUS.fullmatch(item.name)
    return [Owner(anonymous["number"], number=item.name, system="sakai")] if anonymous else []


def _each(names: str) -> list[Owner]:
    """Read `Lovelace, Ada(alovelace); Noether, Emmy(enoether)`; the last brackets of a name hold the user."""
    found = [match for part in names.strip().split("; ") if (match := _NAMED.fullmatch(part))]
    return [
        Owner(match["user"], match["name"].rstrip(","), match["user"], match["user"], system="sakai") for match in found
    ]


def _moment(text: str) -> datetime | None:
    """Read `2026-03-01T10:22:33.456Z`, as today's Sakai writes it, or `20260301102233456`, as earlier ones do."""
    digits = re.fullmatch(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d*", text.strip())
    if digits:
        return iso_moment("{}-{}-{} {}:{}:{}".format(*digits.groups()))
    return iso_moment(text)


def sheet(rows: Sequence[Row]) -> Iterator[Cells]:
    """Yield `grades.csv` as it lies in the archive that `Upload All` takes: put it there in the place of the one it has."""
    title = rows[0].title if rows else "Score"
    yield title, "Points"
    yield ()
    yield "Display ID", "ID", "Last Name", "First Name", "grade", "Submission date", "Late submission"
    for row in rows:
        user = row.number if row.system == "sakai" else row.login or row.id
        if user:
            yield user, user, row.name, "", row.score, "", ""


def feedback_path(row: Row, name: str) -> str:
    """Return where `Upload All` looks for the feedback of the student, or the group, whose folder it is, in the export's language."""
    folder, _, attachments = row.place.partition("/")
    return f"{_ABOVE}/{folder}/{_BACK.get(_plain(attachments), _FOLDERS[_SUBMITTED])}/{name}"


PLATFORM = Platform("sakai", "Sakai", read, sheet, feedback_path, marks=3)
