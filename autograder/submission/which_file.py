"""Choose which of a student's files is graded, by one rule for `grade`, `check`, Gradescope and otter.

Of the file and the notebook with the assignment's names, the one that differs from the stub counts. Where both differ, the
one with more exercises written counts, and the file where both have as many; whether they are right does not matter. Of
several files with one name the one nearest the top counts. Files with other names count only where nothing is written in
those two. A copy such as `means (1).py` in which something else is written is a doubt, and so is any file in which more is
written. What zips beside the files hold is chosen from in the same way. A single file counts without any comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from autograder.course.language import marked, say, say_many
from autograder.sandbox.job import Source
from autograder.submission.archives import (
    MAX_ENTRIES,
    Member,
    UnreadableError,
    folder_members,
    open_zip,
    printable,
    several,
    zip_members,
)
from autograder.submission.candidates import Candidate, Found, is_helper
from autograder.submission.inner_archives import MAX_ARCHIVE, MOST_ARCHIVES, TOO_DEEP, with_inner_files
from autograder.submission.pictures import picture_in, with_pictures
from autograder.submission.several_files import choose_files
from autograder.submission.source import SUFFIXES, source_of
from autograder.submission.written_exercises import Stub, Work, written

MOST_READ = 10  # files of the right name, and as many of other names, that are read: those nearest the top
MAX_TOGETHER = 40 << 20  # bytes of these
TOO_MANY = marked("{where} holds more than {most:,} files. Hand in only {file}.")


@dataclass(frozen=True)
class _Read:
    """A candidate after reading."""

    candidate: Candidate
    source: Source | None
    notes: tuple[str, ...] = ()
    work: Work = field(default_factory=Work)
    problem: str = ""  # why it cannot be read

    @property
    def count(self) -> int:
        """The number of exercises that are written in it."""
        return len(self.work.exercises)

    @property
    def differs(self) -> bool:
        """Whether it may hold work; an unreadable file may."""
        return bool(self.work.exercises or self.problem)


def worked_in(folder: Path, stub: Stub, *, deep: bool) -> tuple[Path, tuple[str, ...]]:
    """Return the file in a folder that would be graded, and doubts about the choice. Raises UnreadableError."""
    members = [m for m in folder_members(folder, deep=deep) if not m.folder and not m.junk and m.suffix in SUFFIXES]
    own = [one for one in map(_in_folder, members) if not is_helper(one, stub)]
    if not own:
        return folder / stub.file, ()
    found = choose(own, folder.resolve().name, stub)
    return folder.joinpath(*found.parts), found.doubts


def _in_folder(member: Member) -> Candidate:
    return Candidate(member, member.parts[-1], member.name, len(member.parts))


def source_in_zip(archive: Member, where: str, stub: Stub, around: tuple[int, ...] = ()) -> Found:
    """Return the code in an archive; `around` are the sizes of the archives around it. Raises UnreadableError."""
    if len(around) == MOST_ARCHIVES:
        raise UnreadableError(say(TOO_DEEP, where=where, most=MOST_ARCHIVES, file=stub.wanted))
    data = archive.read(MAX_ARCHIVE - sum(around))
    with open_zip(data, where) as opened:
        return source_in(zip_members(opened), where, stub, (*around, len(data)))


def source_in(members: tuple[Member, ...], where: str, stub: Stub, around: tuple[int, ...] = ()) -> Found:
    """Return the code that is graded in a student's folder or archive. Raises UnreadableError."""
    if len(members) > MAX_ENTRIES:
        raise UnreadableError(say(TOO_MANY, where=where, most=MAX_ENTRIES, file=stub.wanted))
    for member in members:
        if member.outside:
            raise UnreadableError(member.flaw)
    files = [member for member in members if not member.folder and not member.junk]
    if not files:
        raise UnreadableError(say("{where} is empty. Hand in {file}.", where=where, file=stub.wanted))
    zips = [member for member in files if member.suffix == ".zip"]
    if len(zips) == 1 and not any(member.suffix in SUFFIXES for member in files):
        found = source_in_zip(zips[0], zips[0].name, stub, around)
        return replace(found, inside=f"{zips[0].name}: {found.inside}")
    return choose_opened([*map(_in_folder, files)], where, stub, around)


def choose_opened(own: Sequence[Candidate], where: str, stub: Stub, around: tuple[int, ...] = ()) -> Found:
    """Return the code that is graded of files of all kinds, also of those in archives among them. Raises UnreadableError."""
    with ExitStack() as opened:
        contents = with_inner_files(own, stub, around, opened)
        python = [one for one in contents.files if one.suffix in SUFFIXES]
        if not python:
            names = several(one.shown for one in own)
            told = say("{where} holds no Python file or notebook, only {names}.", where=where, names=names)
            raise UnreadableError(f"{told} {next(iter(contents.problems), hand_in(stub))}")
        found = choose(python, where, stub)
        pictures = {one.member.parts: one.member for one in contents.files if one.suffix == ".png"}
        source = with_pictures(found.source, lambda name: _picture(found, name, pictures))
    told = marked("{file} is graded, since another file cannot be read: {problem}")
    doubts = tuple(say(told, file=found.inside, problem=problem) for problem in contents.problems[:1])
    return replace(found, source=source, notes=(*doubts, *found.notes), doubts=(*doubts, *found.doubts))


def hand_in(stub: Stub) -> str:
    """Say what can be handed in."""
    if stub.files:
        return say("Hand in {files}, or a .zip of them.", files=stub.wanted)
    return say("Hand in {file}, a notebook (.ipynb), or a .zip of one.", file=stub.file)


def _picture(found: Found, name: str, pictures: Mapping[tuple[str, ...], Member]) -> bytes | None:
    """Return the bytes of a picture beside the chosen file, or None where it cannot be used."""
    return picture_in(pictures.get((*found.parts[:-1], name)))


def choose(candidates: Sequence[Candidate], where: str, stub: Stub) -> Found:
    """Return the code of the file that is graded. Raises UnreadableError where none can be read or chosen."""
    own = _bounded([candidate for candidate in candidates if not is_helper(candidate, stub)], stub)
    if not own:
        names = several(candidate.shown for candidate in candidates)
        told = marked("{where} holds only helper files and none is named {file}: {names}. Rename yours to {file}.")
        raise UnreadableError(say(told, where=where, file=stub.wanted, names=names))
    if stub.files:
        return choose_files(own, where, stub)
    if len(own) == 1:
        return _found(_Read(own[0], *source_of(own[0].member, own[0].title, stub.file)), own, stub)
    named = [candidate for candidate in own if candidate.named in _names(stub)]
    read = [_read(candidate, stub) for candidate in _nearest_the_top(named)]
    rivals = [one for suffix in SUFFIXES if (one := _nearest(read, suffix, where, stub))]
    if any(one.differs for one in rivals):
        return _found_among([one for one in rivals if one.differs], own, stub)
    others = [_read(candidate, stub) for candidate in _nearest_the_top([c for c in own if c not in named])]
    if working := [one for one in others if one.count]:
        return _of_other_names(working, own, where, stub)
    if rivals:
        return _found(rivals[0], own, stub)
    raise _none_is_named(own, where, stub)


def _bounded(candidates: Sequence[Candidate], stub: Stub) -> list[Candidate]:
    """Return the files so that no more than so much of all of them together is read."""
    left = MAX_TOGETHER

    def within(fetch: Callable[[int], bytes]) -> Callable[[int], bytes]:
        def read(limit: int) -> bytes:
            nonlocal left
            if left <= 0:
                told = marked("More than {mb} MB of files are handed in. Hand in {file} alone.")
                raise UnreadableError(say(told, mb=MAX_TOGETHER >> 20, file=stub.any_wanted))
            data = fetch(limit)
            left -= len(data)
            return data

        return read

    return [replace(c, member=replace(c.member, fetch=within(c.member.fetch))) for c in candidates]


def _nearest_the_top(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: candidate.depth)[:MOST_READ]


def _names(stub: Stub) -> tuple[str, str]:
    return stub.file.casefold(), stub.notebook.casefold()


def _read(candidate: Candidate, stub: Stub) -> _Read:
    try:
        source, notes = source_of(candidate.member, candidate.title, stub.file)
    except UnreadableError as error:
        return _Read(candidate, None, problem=str(error))
    return _Read(candidate, source, notes, written(source, stub))


def _nearest(read: Sequence[_Read], suffix: str, where: str, stub: Stub) -> _Read | None:
    """Return the .py file or notebook to consider: one that differs from the stub, nearest the top, with the exact name."""
    wanted = {".py": stub.file, ".ipynb": stub.notebook}[suffix]
    mine = [one for one in read if one.candidate.suffix == suffix]
    mine = [one for one in mine if one.differs] or mine
    best = min((_place(one, wanted) for one in mine), default=None)
    nearest = [*{one.candidate.member.parts: one for one in mine if _place(one, wanted) == best}.values()]
    if any(one.problem or one.work != nearest[0].work for one in nearest[1:]):
        names = several(one.candidate.shown for one in nearest)
        told = marked("{where} holds several files named {file}: {names}. Hand in one.")
        raise UnreadableError(say(told, where=where, file=wanted, names=names))
    return nearest[0] if nearest else None


def _place(one: _Read, wanted: str) -> tuple[int, bool]:
    return one.candidate.depth, one.candidate.title != wanted


def _found_among(rivals: Sequence[_Read], own: Sequence[Candidate], stub: Stub) -> Found:
    """Return the better of a file and a notebook, with a doubt where both differ from the stub."""
    best = max(rivals, key=lambda one: (not one.problem, one.count))
    others = [one for one in rivals if one is not best]
    doubts: tuple[str, ...] = ()
    if others and others[0].problem:
        told = marked("{file} is graded, since the other file cannot be read: {problem}")
        doubts = (say(told, file=best.candidate.shown, problem=others[0].problem),)
    elif others and others[0].work != best.work:
        doubts = (_both_differ(best, others[0], stub),)
    found = _found(best, [c for c in own if c not in [one.candidate for one in others]], stub)
    return replace(found, notes=(*doubts, *found.notes), doubts=(*doubts, *found.doubts))


def _both_differ(best: _Read, other: _Read, stub: Stub) -> str:
    """Say that a file and a notebook both hold work, how much, and which counts."""
    shown = say_many(
        "{file} ({n} exercise written)", "{file} ({n} exercises written)", best.count, file=best.candidate.shown
    )
    both = say("{one} and {other} both differ from the stub.", one=shown, other=_counted(other))
    told = marked("{chosen} is graded: the one with more exercises written counts, and {file} where both have as many.")
    return f"{both} {say(told, chosen=best.candidate.shown, file=stub.file)}"


def _counted(one: _Read) -> str:
    return f"{one.candidate.shown} ({one.count})"


def _of_other_names(working: Sequence[_Read], own: Sequence[Candidate], where: str, stub: Stub) -> Found:
    """Return the file with most exercises written among those with other names. Raises UnreadableError on a tie."""
    most = max(one.count for one in working)
    best, *alike = [one for one in working if one.count == most]
    read = [one.candidate for one in working]
    if any(one.work != best.work for one in alike):
        raise _none_is_named(read, where, stub)
    found = _found(best, [candidate for candidate in own if candidate not in read], stub)
    if len(working) - len(alike) == 1:
        return found
    told = marked(
        "{names} differ from the stub and none is named {file}. {chosen} is graded, with most exercises written."
    )
    names = ", ".join(_counted(one) for one in working)
    doubt = say(told, names=names, file=stub.file, chosen=best.candidate.shown)
    return replace(found, notes=(doubt, *found.notes), doubts=(doubt,))


def _none_is_named(own: Sequence[Candidate], where: str, stub: Stub) -> UnreadableError:
    names = several(candidate.shown for candidate in own)
    told = marked("{where} holds several Python files and none is named {file}: {names}. Rename yours to {file}.")
    return UnreadableError(say(told, where=where, file=stub.file, names=names))


def _found(one: _Read, own: Iterable[Candidate], stub: Stub) -> Found:
    """Return the chosen code with its notes. Raises UnreadableError where it could not be read."""
    if one.source is None:
        raise UnreadableError(one.problem)
    chosen = one.candidate
    rivals = _rivals(one, own, stub)
    doubts = (_not_graded(one, rivals),) if rivals else ()
    read = {rival.candidate.shown for rival in rivals}
    copies = sorted({copy.shown for copy in _copies(chosen, own, stub)} - read)
    left = tuple(say(_LEFT, file=chosen.shown, names=several(copies)) for _ in copies[:1])
    notes = (*renamed_note(chosen.title, stub), *doubts, *left, *one.notes)
    return Found(one.source, chosen.shown, notes, doubts, chosen.member.parts)


_LEFT = marked("{file} counts; not read: {names}")


def _rivals(one: _Read, own: Iterable[Candidate], stub: Stub) -> list[_Read]:
    """Return the files that may be meant as well: copies in which something else is written, and others in which more is."""
    copies = _copies(one.candidate, own, stub)
    others = [c for c in own if c not in copies and c.shown != one.candidate.shown]
    found = [_read(candidate, stub) for candidate in _nearest_the_top(copies)]
    found = [rival for rival in found if rival.count and rival.work != one.work]
    return found + [r for r in (_read(c, stub) for c in _nearest_the_top(others)) if r.count > one.count]


def _not_graded(one: _Read, rivals: Sequence[_Read]) -> str:
    """Say which file counts for its name, and which do not, with how much is written in each."""
    return say_many(
        "{file} ({n} exercise written) is graded for its name and place; not graded: {names}",
        "{file} ({n} exercises written) is graded for its name and place; not graded: {names}",
        one.count,
        file=one.candidate.shown,
        names=several(_counted(rival) for rival in rivals),
    )


def _copies(chosen: Candidate, own: Iterable[Candidate], stub: Stub) -> list[Candidate]:
    """Return what has a name like the file's, such as `means (1).py`, and does not count."""
    stem = PurePosixPath(stub.file).stem.casefold()
    others = [c for c in own if c.title.casefold().startswith(stem) and c.shown != chosen.shown]
    return [c for c in others if c.named not in _names(stub) or c.suffix == chosen.suffix]


def renamed_note(name: str, stub: Stub) -> tuple[str, ...]:
    """Return a note on a file with another name than the assignment gives it, if it has one."""
    if name in (stub.file, stub.notebook):
        return ()
    return (say("the file is named {name}, not {file}", name=printable(name), file=stub.file),)
