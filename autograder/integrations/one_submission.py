"""Judge one submission for another system: inside Gradescope's container, or beside `otter run`.

A *desk* is a folder with one assignment, including its hidden cases and reference, and the settings to grade it with. It
reads a submission, runs it in the sandbox, and returns a record as `grade` writes it. No student code runs in the calling
process.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from autograder.classroom.record import Record, record
from autograder.classroom.record_json import told_record
from autograder.classroom.run import grade_one
from autograder.classroom.submissions import Submission, SubmissionsError, read_submissions
from autograder.course import torch_needed
from autograder.course.catalog import CORRECT, FORMER_FOLDERS, MISTAKEN, PROGRAMS, load_assignment
from autograder.course.course_file import FILE, written
from autograder.course.language import marked, say, speaking
from autograder.course.places import entry_of
from autograder.course.spec import Assignment, Status
from autograder.judge.points import without_points
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.job import Isolation
from autograder.sandbox.levels import open_sandbox
from autograder.submission.archives import UnreadableError, folder_members, printable
from autograder.submission.which_file import source_in
from autograder.submission.written_exercises import Stub

SETTINGS = "desk.json"
NEEDS = ("numpy>=2.0", "pyseccomp>=0.1.2; sys_platform == 'linux'")
TORCH = (torch_needed.INDEX, torch_needed.TORCH)
# What students read and what `doctor` proves with; grading needs none of it.
_LEFT_AT_HOME = frozenset(
    {
        *("__pycache__", "README.md", *PROGRAMS),
        *(CORRECT, MISTAKEN, *FORMER_FOLDERS.values(), "mutants.toml", "debugging_lab.toml", "debugging_lab.json"),
    }
)
_PICTURES = frozenset({".svg", ".png", ".jpg", ".jpeg", ".gif"})


@dataclass(frozen=True)
class Settings:
    """How the submissions of one assignment are graded."""

    slug: str
    seed: int  # the same for all students and all attempts
    hidden: str = "hidden"  # what Gradescope shows of hidden cases
    training: bool = False  # whether trainings are graded

    @property
    def seconds(self) -> int:
        """The time for one submission. Gradescope stops after 10 minutes, or after 40 where the assignment is set so."""
        return 2370 if self.training else 570


def desk_files(course: Path, settings: Settings) -> dict[str, bytes]:
    """Return the files of a desk by path: all that grading reads, and of pictures those that are data."""
    files = {SETTINGS: json.dumps(asdict(settings), indent=1).encode() + b"\n"}
    entry = entry_of(course, settings.slug)
    entry = replace(entry, without=tuple(name for name in entry.without if name not in PROGRAMS))
    if entry.is_told:
        files[FILE] = written(settings.slug, entry).encode()
    for side in ("assignments", "solutions"):
        home = entry.home / side / settings.slug
        for path in sorted(home.rglob("*")):
            inside = path.relative_to(home)
            picture = path.suffix.lower() in _PICTURES and inside.parts[0] != "data"
            if path.is_file() and not picture and not _LEFT_AT_HOME & set(inside.parts):
                files[f"{side}/{settings.slug}/{inside.as_posix()}"] = path.read_bytes()
    return files


def requirements(assignment: Assignment) -> str:
    """Return the requirements.txt of a desk."""
    return "\n".join([*(TORCH if assignment.torch else ()), *NEEDS, *assignment.requires]) + "\n"


@dataclass(frozen=True)
class Desk:
    """An open desk."""

    folder: Path
    settings: Settings
    assignment: Assignment

    def weights(self) -> Mapping[tuple[str, str], float]:
        """Return each case's weight within its exercise; `first_steps` of a training is left out and weighs 1."""
        weights = {(case.exercise, case.name): case.weight for case in self.assignment.cases}
        metrics = {(t.exercise, m.name): m.weight for t in self.assignment.trainings for m in t.metrics}
        return weights | metrics

    def judge(self, submission: Submission) -> Record:
        """Return the record of one submission. It is not graded where student code cannot be isolated."""
        oracle = Oracle(self.assignment, self.settings.seed)
        with open_sandbox(1, torch=self.assignment.torch, secret=self.folder) as sandbox:
            if sandbox.isolation.level == "C":
                return self._refused(submission, oracle, sandbox.isolation)
            graded = grade_one(Trainer(oracle), submission, sandbox)
            return record(
                self.assignment, submission, graded.result, graded.isolation, self.settings.seed, graded.seconds
            )

    def _refused(self, submission: Submission, oracle: Oracle, isolation: Isolation) -> Record:
        reasons = "; ".join(isolation.missing)
        with speaking(self.assignment.language):
            told = marked(
                "This machine cannot isolate student code ({reasons}), so nothing was run. Tell your instructor."
            )
            text = say(told, reasons=reasons)
            result = without_points(oracle, Status.GRADER_ERROR, text)
        result = Trainer(oracle).without_run(result, Status.GRADER_ERROR, text)
        return record(
            self.assignment, submission, replace(result, problem=text), isolation, self.settings.seed, seconds=0.0
        )


def read_settings(folder: Path) -> Settings:
    """Read a desk's settings."""
    return Settings(**json.loads((folder / SETTINGS).read_text(encoding="utf-8")))


def open_desk(folder: Path) -> Desk:
    """Read a desk's settings and its assignment."""
    settings = read_settings(folder)
    assignment = load_assignment(folder, settings.slug)
    return Desk(folder, settings, assignment if settings.training else assignment.without_training())


def handed_in(path: Path, stub: Stub) -> Submission:
    """Return the submission in a folder, a zip, a .py file or a notebook."""
    with speaking(stub.language):
        return _handed_in(path, stub)


def _handed_in(path: Path, stub: Stub) -> Submission:
    try:
        if path.is_dir():
            found = source_in(folder_members(path), say("what you handed in"), stub)
            return Submission("student", printable(found.inside), found.source, notes=found.notes, doubts=found.doubts)
        (submission,) = read_submissions(path, stub)
    except (UnreadableError, SubmissionsError, ValueError) as error:
        return Submission("student", printable(path.name), None, problem=str(error))
    return replace(submission, student="student")


def main() -> None:
    """Judge a submission at a desk and write its record: `python -m autograder.integrations.one_submission DESK SUBMISSION RECORD`."""
    folder, submission, answer = map(Path, sys.argv[1:])
    desk = open_desk(folder)
    found = desk.judge(handed_in(submission, Stub.of(desk.assignment)))
    answer.write_text(json.dumps(told_record(found), ensure_ascii=False), encoding="utf-8", errors="replace")


if __name__ == "__main__":
    main()
