"""List the folder of a class, so that no student's folder costs the others anything.

Of a folder with far too many files (a clone with a whole data set, an unpacked environment) the beginning is listed alone, with
a flaw that its student reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from autograder.classroom.gradebook_versions import FILE as GRADEBOOK
from autograder.course.language import say, speaking
from autograder.lms.recognition import is_list_name
from autograder.submission.archives import (
    MAX_CLASS_ENTRIES,
    MAX_ENTRIES,
    TOO_MUCH,
    Member,
    Parts,
    UnreadableError,
    listed,
    printable,
    read_file,
)
from autograder.submission.which_file import TOO_MANY
from autograder.submission.written_exercises import Stub

MAX_LISTED = 2 * MAX_ENTRIES  # in one student's folder: some systems leave a file of their own beside each
_KEPT = 100  # of a folder that is too large, as far as platforms' names need it
_WRAPPINGS = 4  # folders around a class


def class_members(root: Path, stub: Stub) -> tuple[Member, ...]:
    """List a class's folder; links are not followed, and what a grading wrote is no student's.

    Raises UnreadableError where all students' together hold too much.
    """
    found: list[Member] = []
    for members in _by_student(root, (), stub):
        found += members
        if len(found) > MAX_CLASS_ENTRIES:
            raise UnreadableError(say(TOO_MUCH, folder=root, most=MAX_CLASS_ENTRIES))
    return tuple(found)


def _by_student(folder: Path, above: Parts, stub: Stub) -> Iterable[tuple[Member, ...]]:
    """List what lies at the top, then each student's folder. A folder that is alone there may be around the class."""
    top, whole = listed(folder, MAX_LISTED if above else MAX_CLASS_ENTRIES + 1, above, deep=False)
    top = tuple(m for m in top if not (m.folder and (folder / m.parts[-1] / GRADEBOOK).is_file()))
    if not whole and above:
        yield _too_large(top, folder, above, stub)
        return
    yield top
    entered = [member for member in top if member.folder and not member.junk]
    beside = [m for m in top if not m.junk and not is_list_name(m.parts[-1], folder=m.folder)]
    if len(beside) == 1 and entered and len(above) < _WRAPPINGS:
        yield from _by_student(folder / entered[0].parts[-1], entered[0].parts, stub)
        return
    for member in entered:
        inner = folder / member.parts[-1]
        members, whole = listed(inner, MAX_LISTED, member.parts)
        yield members if whole else _too_large(members, inner, member.parts, stub)


def _too_large(members: tuple[Member, ...], folder: Path, parts: Parts, stub: Stub) -> tuple[Member, ...]:
    """Return the beginning of a folder that holds too much, and the flaw for which nothing in it is read."""
    with speaking(stub.language):
        flaw = say(TOO_MANY, where=printable("/".join(parts)), most=MAX_LISTED, file=stub.wanted)
    none = Member((*parts, "?"), (0.0,), partial(read_file, folder), flaw=flaw, outside=True)
    return (*members[:_KEPT], none)
