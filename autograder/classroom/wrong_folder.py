"""What is given in the place of a class and is none: one student's files, several classes, or a class in what cannot be told."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from autograder.classroom.entries import Entry
from autograder.submission.archives import printable, several, work_name
from autograder.submission.written_exercises import Stub

_A_CLASS = 3  # folders in every folder, each with work: more than versions that students keep beside each other


def why_no_class(entries: Sequence[Entry], path: Path, stub: Stub) -> str:
    """Say why this is no class, where each file, or each whole class, would be taken for a student; else nothing."""
    if any(entry.said.owner.system for entry in entries):
        return ""
    loose = [entry.name for entry in entries if not entry.folder and work_name(entry.title) in stub.names]
    if stub.files and loose:
        return (
            f"{path} has {several(loose)} at its top, and not in a folder for each student. "
            "Put the files of each student into a folder named after the student, and give the folder around these."
        )
    inner = {entry.name: _folders_with_work(entry, stub) for entry in entries}
    if len(inner) > 1 and all(len(names) >= _A_CLASS for names in inner.values()):
        first, names = next(iter(inner.items()))
        return (
            f"{path} holds whole classes: {several(inner)}. In {printable(first)} lie folders of "
            f"{several(names)}. Give the folder of one class, such as {path / printable(first)}."
        )
    if not stub.files and len(inner) == 1 and len(names := next(iter(inner.values()))) > 1:
        first = printable(next(iter(inner)))
        return (
            f"{path} holds {first} alone, and in it lie folders with work of their own: {several(names)}. If these are "
            f"students', give the folder around them; if {first} is one student, leave one of them there."
        )
    return ""


def _folders_with_work(entry: Entry, stub: Stub) -> list[str]:
    """Return the folders in an entry, or in the only one there, that hold work; none where work lies beside them."""
    at_work = [member.parts[1:-1] for member in entry.members if work_name(member.parts[-1]) in stub.names]
    alike = [len(set(names)) == 1 for names in zip(*at_work, strict=False)] if len(set(at_work)) > 1 else []
    around = len(list(itertools.takewhile(bool, alike)))
    whole = entry.folder and all(len(folder) > around for folder in at_work)
    return sorted({folder[around] for folder in at_work}) if whole else []
