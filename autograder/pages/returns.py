"""Give a class its feedback back: who gets what, what of it was given before, and the files that platforms and mail take.

The gradebook notes everything that was given: where, whom, what and when. What is given again is what changed since then, in
its points or on its page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import parseaddr
from pathlib import Path

from autograder.classroom.exports import platform_row
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_view import briefs
from autograder.classroom.whole_files import write_whole
from autograder.course.language import ENGLISH, say, speaking
from autograder.judge.points import points_text
from autograder.lms.platform import Platform, Row, write_sheet
from autograder.lms.recognition import platforms
from autograder.pages.feedback_archive import pack, placed

RETURNED = "returned"  # the folder


@dataclass(frozen=True)
class Return:
    """What one student gets: the line of a sheet, and a page."""

    row: Row
    path: Path  # of the page
    digest: str  # of score and page, which tells it from what was given before
    language: str = ENGLISH

    @property
    def page(self) -> bytes:
        """The page."""
        return self.path.read_bytes()

    @property
    def name(self) -> str:
        """What the page is called where it goes; a page that changed has another name."""
        return f"feedback-{self.row.student}-{self.digest}.html"

    @property
    def comment(self) -> str:
        """What is said beside the page."""
        with speaking(self.language):
            about = say("The page that comes with this says what is right, what is not, and why.")
            if self.row.score is None:
                return f"{self.row.title}. {about}"
            score, most = points_text(self.row.score), points_text(self.row.max_score)
            told = say("{title}: {score} of {points} points.", title=self.row.title, score=score, points=most)
            return f"{told} {about}"


@dataclass(frozen=True)
class Archive:
    """What was written for a platform."""

    pages: Path | None  # the archive of pages, where the platform takes one
    sheet: Path | None  # the grades, where it takes them
    lost: tuple[str, ...]  # students whose page has no place on the platform, as they came another way


def returns(book: Gradebook) -> list[Return]:
    """Return what the class gets; who waits for a result, or could not be graded, gets nothing yet."""
    graded = (record for record in briefs(book) if record.status != "grader_error")
    pages = ((record, book.folder / "feedback" / f"{record.student}.html") for record in graded)
    return [_return(platform_row(record), page, record.language) for record, page in pages if page.is_file()]


def _return(row: Row, page: Path, language: str) -> Return:
    digest = hashlib.sha256(f"{row.score}\n".encode() + page.read_bytes()).hexdigest()[:12]
    return Return(row, page, digest, language)


def not_given(book: Gradebook, place: str, due: Iterable[Return]) -> list[Return]:
    """Return what was not given to a place yet, as it is now."""
    rows = book.db.execute("SELECT student, digest FROM given WHERE place = ? ORDER BY id", (place,))
    given = dict(rows.fetchall())
    return [one for one in due if given.get(one.row.student) != one.digest]


def note_given(book: Gradebook, place: str, given: Iterable[Return]) -> None:
    """Note what was given to a place."""
    made = datetime.now(UTC).isoformat(timespec="seconds")
    rows = [(place, one.row.student, one.row.score, one.digest, made) for one in given]
    with book.db:
        book.db.executemany("INSERT INTO given (place, student, score, digest, made) VALUES (?, ?, ?, ?, ?)", rows)


def takers() -> dict[str, Platform]:
    """Return the platforms that take pages or a sheet back, by name."""
    return {platform.name: platform for platform in platforms() if platform.feedback or platform.sheet}


def is_known(platform: Platform, one: Return) -> bool:
    """Whether a platform can tell whose a page or a line of its sheet is: the submission came from there, or the roster says it."""
    row = one.row
    on_sheet = platform.sheet and platform.by_roster and (row.id or row.login or row.email)
    return bool(on_sheet or placed(platform, [(row, one.path)]))


def write_archive(out: Path, platform: Platform, due: Sequence[Return], filled: str = "") -> Archive:
    """Write what a platform takes, beside what was written for it before; a sheet of its own that is `filled` goes back as it is."""
    folder = _next_folder(out, platform.name)
    sheet = folder / f"{platform.name}.csv" if platform.sheet else None
    if platform.sheet and sheet:
        write_whole(sheet, filled or write_sheet(platform.sheet([one.row for one in due])))
    if not platform.feedback:
        return Archive(None, sheet, ())
    pages = placed(platform, [(one.row, one.path) for one in due])
    archive = folder / f"{platform.name}-feedback.zip"
    pack(archive, pages)
    there = set(pages.values())
    return Archive(archive if pages else None, sheet, tuple(one.row.student for one in due if one.path not in there))


def write_mails(out: Path, due: Sequence[Return], sender: str) -> tuple[Path, tuple[str, ...]]:
    """Write a message for each student, as .eml files that mail programs open; return their folder, and who has no address."""
    folder = _next_folder(out, "mail")
    folder.mkdir(parents=True)
    for one in due:
        if one.row.email:
            (folder / f"{one.row.student}.eml").write_bytes(_mail(one, sender).as_bytes())
    return folder, tuple(one.row.student for one in due if not one.row.email)


def _next_folder(out: Path, name: str) -> Path:
    """Return a folder of its own for what is given this time."""
    number = 1
    while (out / RETURNED / f"{name}-{number}").exists():
        number += 1
    return out / RETURNED / f"{name}-{number}"


def _mail(one: Return, sender: str) -> EmailMessage:
    row = one.row
    addresses = (row.email, parseaddr(sender)[1])  # names in front of one are encoded, which every program reads
    mail = EmailMessage(policy=SMTP if all(map(str.isascii, addresses)) else SMTPUTF8)
    mail["Subject"] = _one_line(row.title)
    mail["From"], mail["To"] = sender, _one_line(row.email)
    mail["X-Unsent"] = "1"  # so that Outlook opens it as one to be sent
    mail.set_content(f"{one.comment}\n")
    mail.add_attachment(one.page.decode(), subtype="html", filename=f"feedback-{row.student}.html")
    return mail


def _one_line(text: str) -> str:
    """Return a text that adds no line to a header."""
    return " ".join(text.split())
