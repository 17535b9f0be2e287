"""Open a gradebook: claim its folder, keep others out, and say in one line what cannot be used."""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from autograder.classroom.gradebook import Facts, Gradebook, GradebookError
from autograder.classroom.gradebook_versions import FILE
from autograder.classroom.roster import Roster
from autograder.course.spec import Assignment


def open_gradebook(out: Path, assignment: Assignment | None = None) -> AbstractContextManager[Gradebook]:
    """Open the gradebook of a folder, or begin one where an assignment is given. Raises GradebookError.

    No other process can open it meanwhile: two gradings at once would write the same pages.
    """
    return open_for(assignment.slug if assignment else None, out)


@contextmanager
def open_for(slug: str | None, out: Path) -> Iterator[Gradebook]:
    """Open the gradebook of a folder, or begin one where the name of an assignment is given. Raises GradebookError."""
    if slug is None:
        _demand(out)
    else:
        _claim(out)
    try:
        with _alone(out), _opened(out / FILE) as book:
            if slug is not None and book.facts.assignment not in ("", slug):
                raise GradebookError(f"{out} holds the results of {book.facts.assignment}. Name another folder.")
            if slug is None and not book.facts.assignment:
                raise GradebookError(f"{out} holds a gradebook in which nothing was graded yet.")
            yield book
    except sqlite3.Error as error:
        raise _unusable(out, error) from None


@contextmanager
def open_beside(out: Path) -> Iterator[Gradebook]:
    """Open the gradebook of a folder and keep no other process out: for short transactions. Raises GradebookError."""
    _demand(out)
    try:
        with _opened(out / FILE) as book:
            yield book
    except sqlite3.Error as error:
        raise _unusable(out, error) from None


def known_facts(out: Path) -> Facts:
    """Return what the results in a folder's gradebook share; nothing where there is none. Raises GradebookError."""
    if not (out / FILE).is_file():
        return Facts()
    try:
        with _alone(out), _opened(out / FILE) as book:
            return book.facts
    except sqlite3.Error as error:
        raise _unusable(out, error) from None


def known_roster(out: Path) -> Roster | None:
    """Return the roster that a folder's gradebook holds, if it does. Raises GradebookError."""
    facts = known_facts(out)
    return Roster(facts.roster, facts.aliases) if facts.roster else None


@contextmanager
def copied(out: Path) -> Iterator[Path]:
    """Give a folder with a copy of another one's gradebook, which is left as it is. Raises GradebookError."""
    _demand(out)
    with tempfile.TemporaryDirectory(prefix="preview-") as kept:
        place = Path(kept) / out.resolve().name
        place.mkdir()
        try:
            with (
                _alone(out),
                closing(sqlite3.connect(out / FILE)) as book,
                closing(sqlite3.connect(place / FILE)) as copy,
            ):
                book.backup(copy)  # also while a desk writes
        except sqlite3.Error as error:
            raise _unusable(out, error) from None
        yield place


def _unusable(out: Path, error: sqlite3.Error) -> GradebookError:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        told = "What was graded is in its gradebook; make room, and the same command goes on from there."
        return GradebookError(f"The disk that holds {out} is full. {told}")
    if not os.access(out, os.W_OK):
        told = "Even reading a gradebook takes that. Change it, or copy the folder to where it can be written."
        return GradebookError(f"{out} cannot be written to. {told}")
    return GradebookError(f"{out / FILE} cannot be used ({error}). Mend that, or grade into a new folder.")


def _demand(out: Path) -> None:
    if not (out / FILE).is_file():
        raise GradebookError(f"{out} holds no graded class (no {FILE}). Run autograder grade ... -o {out} first.")


def _claim(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise GradebookError(f"{out} is a file. Name a folder for the results.")
    if out.exists() and not (out / FILE).exists() and any(out.iterdir()):
        raise GradebookError(f"{out} holds files that are no results of a grading. Name an empty or a new folder.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GradebookError(f"{out} cannot be made: {error.strerror or error}. Name another folder.") from None


@contextmanager
def _opened(path: Path) -> Iterator[Gradebook]:
    book = Gradebook(path)
    try:
        yield book
    finally:
        book.close()


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Hold a lock on the folder, which ends with this process however that ends."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(out, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise GradebookError(f"Another autograder is at work on {out}. Wait until it is done.") from None
        except OSError:
            pass  # a file system without locks: SQLite's own still keep the book whole
        yield
    finally:
        os.close(descriptor)
