"""Every file of an assignment's two folders has a place in it: one that nobody reads is misspelt, or forgotten."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.course.spec import Assignment

_ANYTHING = "*"
_MORE_CODE = "[!_]*.py"


def stray_files(course: Path, assignment: Assignment) -> Iterator[str]:
    """Yield the files and folders of an assignment that nothing reads, with what they may have been meant for."""
    shared = {assignment.file: "", "cases.py": "", "training.py": "", "data": _ANYTHING}
    public = shared | {"README.md": "", "assignment.toml": "", "figures": _ANYTHING}
    kinds = dict.fromkeys(("alternatives", "strange", "disguised"), _MORE_CODE)
    secret = shared | {"misconceptions.py": "", "mutants.toml": ""} | kinds
    for tree, known in (("assignments", public), ("solutions", secret)):
        yield from _strays(course / tree / assignment.slug, f"{tree}/{assignment.slug}", known)


def _strays(folder: Path, name: str, known: Mapping[str, str]) -> Iterator[str]:
    """Yield what is in a folder and not known there; a known folder says what its files are called, a file nothing."""
    for path in _visible(folder):
        if path.name not in known or path.is_dir() != bool(known[path.name]):
            near = difflib.get_close_matches(path.name, known.keys() - {p.name for p in folder.iterdir()}, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            kind = "folder" if path.is_dir() else "file"
            allowed = ", ".join(f"{entry}/" if known[entry] else entry for entry in sorted(known))
            yield f"{name}/{path.name} is a {kind} that nothing reads.{meant} Allowed there: {allowed}"
        elif known[path.name] == _MORE_CODE:
            yield from (
                f"{name}/{path.name}/{inner.name} is not read; what is graded there are .py files that begin with no _"
                for inner in _visible(path)
                if inner.is_dir() or not inner.match(_MORE_CODE)
            )


def _visible(folder: Path) -> list[Path]:
    """Return what people put into a folder; hidden files and caches are their tools' own."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in found if not path.name.startswith(".") and path.name != "__pycache__")
