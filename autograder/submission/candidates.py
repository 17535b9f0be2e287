"""Files that may hold a student's work, and what was found in the one that counts."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.sandbox.job import Source
from autograder.submission.archives import Member, suffix_of, work_name
from autograder.submission.written_exercises import Stub

HELPERS = frozenset(  # files of these names are never a student's work
    {"__init__.py", "check.py", "conftest.py", "experiment.py", "numpy.py", "play.py", "setup.py", "sitecustomize.py", "torch.py",
     "training.py", "usercustomize.py"}
)  # fmt: skip
_HANDED_OUT = frozenset({"engine", "tests"})  # folders of a handout that hold no student's work


@dataclass(frozen=True)
class Candidate:
    """A file that may hold a student's work."""

    member: Member
    title: str  # what the student called it
    shown: str  # its place, for messages
    depth: int = 1
    alone: bool = False  # whether it was uploaded by itself, so that its place tells nothing

    @property
    def folder(self) -> tuple[str, ...]:
        """The folder that it is in."""
        return () if self.alone else self.member.parts[:-1]

    @property
    def suffix(self) -> str:
        """The ending of its name."""
        return suffix_of(self.title)

    @property
    def named(self) -> str:
        """Its name in the form in which it is compared with the assignment's names."""
        return work_name(self.title).casefold()


@dataclass(frozen=True)
class Found:
    """The code that is graded, its place in the submission, and notes for the reader."""

    source: Source
    inside: str = ""
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # the notes that a grader should check
    parts: tuple[str, ...] = ()  # the path of its file
    every_part: tuple[tuple[str, ...], ...] = ()  # those of all files, where several count


def is_helper(candidate: Candidate, stub: Stub) -> bool:
    """Whether a file is one of the handout's, or has a helper's name."""
    folders = candidate.member.parts[:-1]
    return work_name(candidate.title) in HELPERS | {f"test_{stub.file}"} or bool(_HANDED_OUT & set(folders))
