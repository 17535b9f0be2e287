"""What an export holds of a student, and which of it is work."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.classroom.export_contents import Part
from autograder.lms.platform import Kind
from autograder.submission.archives import printable, suffix_of, work_name
from autograder.submission.candidates import Candidate
from autograder.submission.source import SUFFIXES
from autograder.submission.written_exercises import Stub


@dataclass(frozen=True)
class Entry(Part):
    """One thing handed in, and how it compares with others of the same student."""

    @property
    def title(self) -> str:
        """What the student called it."""
        return self.said.title

    @property
    def rank(self) -> tuple[int, int, tuple[float, ...]]:
        """How late it came: resubmission number, upload number, time."""
        modified = max((member.modified for member in self.members), default=(0.0,))
        submitted = self.said.submitted
        return self.said.version, self.said.upload, (submitted.timestamp(),) if submitted else modified

    @property
    def usable(self) -> bool:
        """Whether it is of a kind that can be graded."""
        return self.said.kind is Kind.FILE and (self.folder or suffix_of(self.title) in (*SUFFIXES, ".zip"))

    def is_work(self, stub: Stub) -> bool:
        """Whether it is the file or the notebook by its name; where no system kept that, students name it themselves."""
        named = (not self.said.owner.system and not stub.files) or work_name(self.title) in stub.names
        return self.usable and not self.folder and suffix_of(self.title) in SUFFIXES and named

    def goes_by(self, stub: Stub) -> bool:
        """Whether a helper file of the same student must stand back behind it."""
        return self.folder or suffix_of(self.title) == ".zip" or not self.said.owner.system or self.is_work(stub)


def uploaded(entry: Entry, title: str) -> Candidate:
    """Return a file that was uploaded by itself, under the name that the assignment gives it."""
    return Candidate(entry.members[0], title, printable(entry.name), alone=True)
