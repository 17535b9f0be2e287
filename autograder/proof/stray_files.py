"""Files and folders of an assignment that nothing reads."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.course.catalog import CORRECT, FORMER_FOLDERS, MISTAKEN, UNUSUAL
from autograder.course.places import public_folder, secret_folder
from autograder.course.spec import Assignment
from autograder.course.variants import FILE as VARIANTS

_ANYTHING = "*"
_MORE_CODE = "[!_]*.py"


def stray_files(course: Path, assignment: Assignment) -> Iterator[str]:
    """Yield the files and folders of an assignment that nothing reads, with what they may have been meant for."""
    shared = dict.fromkeys(assignment.files or (assignment.file,), "") | {
        "cases.py": "",
        "training.py": "",
        "data": _ANYTHING,
    }
    public = shared | {"README.md": "", "assignment.toml": "", "experiment.py": "", "play.py": "", "figures": _ANYTHING}
    secret = shared | {
        "misconceptions.py": "",
        "mutants.toml": "",
        VARIANTS: "",
        CORRECT: _MORE_CODE,
        MISTAKEN: _MORE_CODE,
    }
    secret |= {f"{q.exercise}.toml": "" for q in assignment.questions}
    secret |= {f"{q.exercise}.json": "" for q in assignment.questions if q.shows}
    yield from _strays(public_folder(course, assignment.slug), f"assignments/{assignment.slug}", public)
    home, name = secret_folder(course, assignment.slug), f"solutions/{assignment.slug}"
    renamed = {former: now for now, former in FORMER_FOLDERS.items() if (home / former).is_dir()}
    yield from (f"{name}: rename {former}/ to {now}/" for former, now in renamed.items())
    yield from _strays(home, name, secret, frozenset(renamed))


def _strays(folder: Path, name: str, known: Mapping[str, str], read: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield what is in a folder and not known there; a known folder says what its files are called, a file nothing.

    Entries called as in `read` are read all the same.
    """
    for path in _visible(folder):
        if path.name in read:
            continue
        if path.name not in known or path.is_dir() != bool(known[path.name]):
            near = difflib.get_close_matches(path.name, known.keys() - {p.name for p in folder.iterdir()}, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            kind = "folder" if path.is_dir() else "file"
            allowed = ", ".join(f"{entry}/" if known[entry] else entry for entry in sorted(known))
            yield f"{name}/{path.name} is a {kind} that nothing reads.{meant} Allowed there: {allowed}"
        elif known[path.name] == _MORE_CODE:
            yield from _not_graded(
                path, f"{name}/{path.name}", frozenset({Path(UNUSUAL).name} if path.name == CORRECT else ())
            )


def _not_graded(folder: Path, name: str, kinds: frozenset[str]) -> Iterator[str]:
    """Yield what is in a folder of code and no code; `kinds` are the folders of code in it."""
    for path in _visible(folder):
        if path.is_dir() and path.name in kinds:
            yield from _not_graded(path, f"{name}/{path.name}", frozenset())
        elif path.is_dir() or not path.match(_MORE_CODE):
            yield f"{name}/{path.name} is not read; what is graded there are .py files that begin with no _"


def _visible(folder: Path) -> list[Path]:
    """Return what people put into a folder; hidden files and caches are their tools' own."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in found if not path.name.startswith(".") and path.name != "__pycache__")
