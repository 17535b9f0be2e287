"""Write a handout as a template repository, or bring a clone of one up to date.

In a clone the handout's own files are overwritten, and files that engine/ no longer has go. All others stay, and so does the file
or the notebook in which exercises are written. Git is not run: what changed is for its user to look at and to commit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course.joined_files import split
from autograder.course.language import speaking
from autograder.course.places import CourseError
from autograder.handout.handout import TEMPLATES, template, write_files
from autograder.handout.kit.bundle import SHAPES
from autograder.submission.archives import UnreadableError
from autograder.submission.source import read_source
from autograder.submission.written_exercises import Stub, written

ENGINE = "engine"  # the folder in which nothing is a student's or an instructor's
_SHAPES = f"{ENGINE}/{SHAPES}"
_WORKFLOW = ".github/workflows/check.yml"


@dataclass(frozen=True)
class Update:
    """What an update did with the files of a clone; whatever is not named stayed as it was."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()  # work of a student's, which the handout would have replaced


def write_repository(handout: Mapping[str, bytes], folder: Path) -> Update | None:
    """Write a handout as a template repository, which checks itself on every push; return what changed in one that was there.

    Raises CourseError where the folder holds something else.
    """
    document = json.loads(handout[_SHAPES])
    with speaking(document["language"]):
        readme = handout["README.md"] + template("repository.md", {}).encode()
        files = {**handout, "README.md": readme, **_repository_files()}
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        write_files(files, folder)
        return None
    before = _document_of(folder, document["slug"])
    if obstacle := next((path for name in files for path in _in_the_way(folder, name)), None):
        raise CourseError(f"{obstacle} is in the way of a file of the handout. Nothing was written to {folder}.")
    kept = tuple(name for name in _work_files(before) if name in files and _has_work(folder / name, before))
    owned = {name: data for name, data in files.items() if name not in kept}
    new = {name: data for name, data in owned.items() if not (folder / name).exists()}
    changed = {n: d for n, d in owned.items() if n not in new and (folder / n).read_bytes() != d}
    stale = tuple(name for name in _in_engine(folder) if name not in files)
    for name in stale:
        (folder / name).unlink()
    write_files({**new, **changed}, folder)
    return Update(tuple(sorted(new)), tuple(sorted(changed)), stale, kept)


def _document_of(folder: Path, slug: str) -> dict[str, Any]:
    """Return what a repository's engine knows of its assignment. Raises CourseError where it is no repository of this one."""
    try:
        document = json.loads((folder / _SHAPES).read_text(encoding="utf-8"))
        known = document["slug"], (folder / _WORKFLOW).is_file()
        _stub_of(document)
    except (OSError, ValueError, TypeError, KeyError):
        known = "", False
    if known != (slug, True):
        raise CourseError(
            f"{folder} is not empty, and no repository of {slug}'s handout that could be updated. Name another folder."
        )
    return dict(document)


def _stub_of(document: Mapping[str, Any]) -> Stub:
    names = {blank.partition(".")[0] for e in document["exercises"] for blank in (e["name"], *e["blanks"])}
    text, files = document["stub"], tuple(document.get("files", ()))
    return Stub(document["file"], "\n".join(split(text).values()) or text, frozenset(names), files=files)


def _work_files(document: Mapping[str, Any]) -> tuple[str, ...]:
    return _stub_of(document).names


def _has_work(path: Path, document: Mapping[str, Any]) -> bool:
    """Whether a file holds more than the stub of the handout that it came with; one that cannot be read might."""
    if not path.exists():
        return False
    stub = _stub_of(document)
    try:
        work = written(read_source(path, path.name if stub.files else stub.file), stub)
    except UnreadableError:
        return True
    return bool(work.exercises or work.definitions)


def _in_the_way(folder: Path, name: str) -> Iterator[Path]:
    """Yield what keeps a file from being written inside the folder: a link, which may lead elsewhere, or one of another kind."""
    path = folder / name
    inner = [parent for parent in path.parents if folder in parent.parents]
    yield from (parent for parent in inner if parent.is_symlink() or (parent.exists() and not parent.is_dir()))
    if path.is_symlink() or path.is_dir():
        yield path


def _in_engine(folder: Path) -> tuple[str, ...]:
    """Return the files in a repository's engine/, without those that Python makes there."""
    found = (path for path in (folder / ENGINE).rglob("*") if path.is_symlink() or path.is_file())
    return tuple(sorted(path.relative_to(folder).as_posix() for path in found if "__pycache__" not in path.parts))


def _repository_files() -> dict[str, bytes]:
    """Return what a repository holds besides the handout."""
    own = ".hints.json\n.progress.json\n.prediction.json\n*.bak\ncheck.html\nplay.pt\nplay.npz\nplay.html\n"
    ignored = f"__pycache__/\n.pytest_cache/\n.ipynb_checkpoints/\n{own}*.zip\n.venv/\n"
    return {
        _WORKFLOW: template("check.yml", {}).encode(),
        ".devcontainer/devcontainer.json": (TEMPLATES / "devcontainer.json").read_bytes(),
        ".gitignore": ignored.encode(),
        ".gitattributes": b"* text=auto eol=lf\n*.arrays binary\n",
    }
