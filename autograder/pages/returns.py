"""Give a class its feedback back: who is to get what, by what way, and what was given before.

`returned.jsonl` in the graded folder has a line for everything that was given: to where, whom, what and when. It is only
ever added to. What is given again is what changed since, in points or in its page.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

from autograder.classroom.exports import platform_row
from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.gradebook_view import records
from autograder.classroom.whole_files import draft_of, write_whole
from autograder.lms.platform import Platform, Row
from autograder.lms.recognition import platforms

RETURNED = "returned"
MAIL, CANVAS = "mail", "canvas"


@dataclass(frozen=True)
class Return:
    """What one student gets: the line of a sheet, and a page."""

    row: Row
    page: bytes

    @property
    def digest(self) -> str:
        """What tells it from what was given before."""
        return hashlib.sha256(f"{self.row.score}\n".encode() + self.page).hexdigest()[:12]

    @property
    def name(self) -> str:
        """What the page is called where it goes; another page has another name."""
        return f"feedback-{self.row.student}-{self.digest}.html"

    @property
    def comment(self) -> str:
        """What is said beside the page."""
        points = "" if self.row.score is None else f": {self.row.score:g} of {self.row.max_score:g} points"
        return f"{self.row.title}{points}. The attached page says what was right, what was not, and why."


class Ledger:
    """What was given back to one place, in the folder of a graded class."""

    def __init__(self, out: Path, to: str) -> None:
        self._path, self._to = out / f"{RETURNED}.jsonl", to
        self._given = {entry["student"]: entry["digest"] for entry in self._entries() if entry["to"] == to}

    def _entries(self) -> list[dict[str, str]]:
        """Return all lines; the last one may be cut off where a run was killed, and was then not noted."""
        text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        lines = text.split("\n")[:-1]
        try:
            return [json.loads(line) for line in lines]
        except ValueError:
            raise GradebookError(f"{self._path} holds a line that is not JSON. Mend or remove that line.") from None

    def is_given(self, one: Return) -> bool:
        """Whether a student has exactly this already."""
        return self._given.get(one.row.student) == one.digest

    def note(self, given: Iterable[Return]) -> None:
        """Note what was given; it stands on the disk when this returns."""
        when = datetime.now(UTC).isoformat(timespec="seconds")
        with self._path.open("a+", encoding="utf-8") as file:
            self._finish_last_line(file.tell() and self._path.read_bytes()[-1:] != b"\n", file.write)
            for one in given:
                entry = {"to": self._to, "student": one.row.student, "digest": one.digest, "when": when}
                file.write(f"{json.dumps(entry, ensure_ascii=False)}\n")
                self._given[one.row.student] = one.digest
            file.flush()
            os.fsync(file.fileno())
