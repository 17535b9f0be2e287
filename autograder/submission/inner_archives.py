"""Open the zips that lie beside a student's files, so that what they hold is chosen from by the same rule.

Archives inside archives are opened, too. Their number, their depth and the bytes of all of them together are bounded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from autograder.course.language import marked, say
from autograder.submission.archives import Member, UnreadableError, open_zip, unopened, zip_members
from autograder.submission.candidates import Candidate, is_helper
from autograder.submission.written_exercises import Stub

MAX_ARCHIVE = 50 << 20  # bytes, with the archives inside it
MOST_ARCHIVES = 3  # one inside the other
MOST_BESIDE = 10  # archives of one submission that are opened beside its files
TOO_DEEP = marked("{where} is packed more than {most} times. Hand in {file}.")


@dataclass(frozen=True)
class Contents:
    """All files of a submission, with those in its archives, and why some archives could not be opened."""

    files: tuple[Candidate, ...]
    problems: tuple[str, ...] = ()


def with_inner_files(own: Sequence[Candidate], stub: Stub, around: tuple[int, ...], opened: ExitStack) -> Contents:
    """Return the files with those in the archives among them, which stay open as long as `opened` does.

    `around` are the sizes of the archives around the files.
    """
    files, problems = [one for one in own if one.suffix != ".zip"], list[str]()
    waiting = deque((one, len(around)) for one in own if one.suffix == ".zip")
    left, most = MAX_ARCHIVE - sum(around), MOST_BESIDE
    while waiting:
        archive, depth = waiting.popleft()
        if is_helper(archive, stub):
            continue
        most -= 1
        try:
            if depth == MOST_ARCHIVES:
                raise UnreadableError(say(TOO_DEEP, where=archive.shown, most=MOST_ARCHIVES, file=stub.wanted))
            if most < 0:
                told = marked("More than {most} archives are handed in. Hand in {file} alone.")
                raise UnreadableError(say(told, most=MOST_BESIDE, file=stub.any_wanted))
            data = archive.member.read(left)
            left -= len(data)
            inner = _inside(archive, zip_members(opened.enter_context(open_zip(data, archive.shown))))
        except UnreadableError as error:
            problems.append(str(error))
            continue
        files += [one for one in inner if one.suffix != ".zip"]
        waiting.extend((one, depth + 1) for one in inner if one.suffix == ".zip")
    problems += filter(None, (unopened(one.title, stub.file) for one in files))
    return Contents(tuple(files), tuple(dict.fromkeys(problems)))


def _inside(archive: Candidate, members: Sequence[Member]) -> list[Candidate]:
    """Return the files of an archive, each below the archive's own path. Raises UnreadableError where a path leads out."""
    if outside := next((member for member in members if member.outside), None):
        raise UnreadableError(outside.flaw)
    return [
        Candidate(
            replace(member, parts=(*archive.member.parts, *member.parts)),
            member.parts[-1],
            f"{archive.shown}: {member.name}",
            archive.depth + len(member.parts),
        )
        for member in members
        if not member.folder and not member.junk
    ]
