"""Where the files of a course are: which assignments it gives, in which order, and from which folders each comes."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.course.course_file import FILE, CourseFile, CourseFileError, Entry, read_course_file


class CourseError(Exception):
    """The course's own files are missing or wrong; the message says which and what to do."""


def find_course(start: Path) -> Path:
    """Return the nearest folder, from `start` upwards, that holds assignments/ and solutions/, or a course.toml with `from`."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / "assignments").is_dir() and (folder / "solutions").is_dir():
            return folder
        if (folder / FILE).is_file() and _course_file(folder).chosen:
            return folder
    raise CourseError(
        f"No course here: neither {start.resolve()} nor a folder above it holds assignments/ and solutions/, or a {FILE} with `from`. "
        "Name one with --course DIR."
    )


def slugs(course: Path) -> tuple[str, ...]:
    """Return the assignments of a course: those that its course.toml chooses, or all, in the order their files declare."""
    file = _course_file(course)
    for slug, entry in file.entries.items():
        _refuse_unknown_slug(entry.home, slug, f"{course / FILE}: ")
    return tuple(file.entries) if file.chosen else _slugs_in(file.home)


def chooses(course: Path) -> bool:
    """Whether a course has the assignments alone that its course.toml names."""
    return _course_file(course).chosen


def _slugs_in(home: Path) -> tuple[str, ...]:
    found = [path.parent for path in (home / "assignments").glob("*/assignment.toml")]
    return tuple(p.name for p in sorted(found, key=lambda p: (_order(p / "assignment.toml"), p.name)))


def public_folder(course: Path, slug: str) -> Path:
    """Return the folder of what students may see of an assignment."""
    return _course_file(course).entry(slug).home / "assignments" / slug


def secret_folder(course: Path, slug: str) -> Path:
    """Return the folder of what students never see of an assignment."""
    return _course_file(course).entry(slug).home / "solutions" / slug


def entry_of(course: Path, slug: str) -> Entry:
    """Return what a course changes in one of its assignments."""
    return _course_file(course).entry(slug)


def elsewhere(course: Path, slug: str) -> tuple[str, ...]:
    """Return the assignments that stand beside one where it comes from, and that its course does not give."""
    given = slugs(course)
    return tuple(other for other in _slugs_in(entry_of(course, slug).home) if other not in given)


def refuse_unlisted(course: Path, slug: str, known: Sequence[str]) -> None:
    """Refuse an assignment that a course has not, also one that its course.toml does not choose."""
    file = _course_file(course)
    if not file.chosen:
        _refuse_unknown_slug(file.home, slug)
    elif slug not in known:
        near = difflib.get_close_matches(slug, known, 1, 0.3)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise CourseError(
            f"{course / FILE} names no assignment {slug!r}.{hint} It names: {', '.join(known) or 'none yet'}."
        )


def _refuse_unknown_slug(course: Path, slug: str, where: str = "") -> None:
    known = _slugs_in(course)
    if slug in known:
        return
    near = difflib.get_close_matches(slug, known, 1, 0.3)
    hint = f" Did you mean {near[0]}?" if near else ""
    if slug in {path.name for path in (course / "assignments").glob("*")}:
        hint = f" Its folder {slug} has no assignment.toml."
    listed = ", ".join(known) or "none yet"
    raise CourseError(f"{where}There is no assignment {slug!r} in {course / 'assignments'}.{hint} It holds: {listed}.")


def _course_file(course: Path) -> CourseFile:
    try:
        return read_course_file(course)
    except CourseFileError as error:
        raise CourseError(str(error)) from None


def _order(path: Path) -> float:
    order = read_toml(path).get("order", 0)
    if not isinstance(order, int | float):
        raise CourseError(f"{path}: order = {order!r} is not a number.")
    return order


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a file. Raises CourseError."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path}: {error}") from None


def read_text(path: Path) -> str:
    """Return the text of a file. Raises CourseError."""
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors on Windows begin a file with a mark
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} cannot be read: {error}") from None
