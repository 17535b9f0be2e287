"""Which files students edit, as assignment.toml declares them, and the texts that the course has of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from autograder.course.assignment import Assignment
from autograder.course.joined_files import JoinError, homes_of, join, refuse_unjoinable
from autograder.course.places import CourseError, read_text
from autograder.course.toml_values import listed
from autograder.course.variants import Files

# Modules that a handout, the grader or this course has already.
_TAKEN = frozenset(
    {
        "autograder",
        "cases",
        "check",
        "conftest",
        "experiment",
        "misconceptions",
        "numpy",
        "play",
        "pytest",
        "torch",
        "training",
    }
)


def file_names(config: dict[str, Any]) -> tuple[str, ...]:
    """Return the names under `file` or `files`. Raises KeyError, TypeError and ValueError."""
    if "files" not in config:
        return (str(config["file"]),)
    names = tuple(map(str, listed(config, "files")))
    if "file" in config:
        raise ValueError("`file` and `files` are both there; write one of them")
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError("`files` names two files or more, each once; a single one is `file`")
    for name in names:
        stem = name.removesuffix(".py")
        if stem == name or not stem.isidentifier() or not stem.isascii():
            raise ValueError(
                f"`files` names {name!r}, which no other file could import; write a name such as layers.py"
            )
        if stem in _TAKEN | sys.stdlib_module_names:
            raise ValueError(f"`files` names {name}, and there is a module {stem} already; choose another name")
    return names


def reference_in(declared: Assignment, files: Files) -> str:
    """Return the text of the reference. Raises CourseError."""
    if not declared.files:
        return files.text(files.secret / declared.file)
    parts = {name: files.text(files.secret / name) for name in declared.files}
    try:
        refuse_unjoinable(parts)
    except JoinError as error:
        raise CourseError(f"solutions/{declared.slug}: {error}.") from None
    except SyntaxError:
        pass  # told where the reference is run, as it is of a single file
    return join(parts)


def given_names(declared: Assignment, reference: str) -> tuple[str, ...]:
    """Return the definitions that are given; a file under `given` stands for all that it defines."""
    inside = [name for name, file in homes_of(reference).items() if file in declared.given]
    return (*(name for name in declared.given if name not in declared.files), *inside)


def stub_in(declared: Assignment, files: Files) -> str:
    """Return the text of the stub as it is committed, or nothing of what is not there."""
    if not declared.files:
        return _text(files.public / declared.file)
    parts = {name: _text(files.public / name) for name in declared.files}
    return join(parts) if any(parts.values()) else ""


def _text(path: Path) -> str:
    return read_text(path) if path.exists() else ""
