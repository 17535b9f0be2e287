"""What lies at the top of a class: what students handed in, and whose it is, as the platform that exported it writes it.

An export is often packed once more: in a folder, in another archive, several in one. What merely wraps a class is stepped into.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath

from autograder.lms.platform import Item, Listing, Named, Parts, Platform
from autograder.lms.recognition import Reading, is_list, recognise
from autograder.submission.archives import (
    MAX_CLASS_ENTRIES,
    Member,
    UnreadableError,
    open_zip,
    printable,
    several,
    suffix_of,
    zip_members,
)

MAX_INNER = 512 << 20  # bytes of an archive in the class's archive
_MAX_DEPTH = 4
_MOST_EXPORTS = 50  # that lie together
_MAX_TEXT = 64 << 20  # Gradescope's list holds all earlier results

_FEW = 3  # files that are told one by one

Groups = Mapping[Item, tuple[Member, ...]]


@dataclass(frozen=True)
class Part:
    """One thing that a student handed in: what the export says of it, and what it holds."""

    top: str  # the name of the file or folder at the top
    name: str  # the same, and where in it this lies
    said: Named
    members: tuple[Member, ...]
    folder: bool


@dataclass(frozen=True)
class Contents:
    """Everything handed in, the platforms it comes from, and what a grader should know about the names."""

    parts: tuple[Part, ...]
    platforms: tuple[Platform, ...] = ()
    remarks: tuple[str, ...] = ()


def contents_of(
    members: Iterable[Member],
    around: str,
    file: str,
    opened: ExitStack,
    depth: int = 0,
    beside: Collection[Platform] = (),
) -> Contents:
    """Split what an export holds, given the platforms of exports `beside` it. Archives that wrap it stay open as long as `opened` does.

    Raises UnreadableError where an archive that has to be the class cannot be read.
    """
    remarks: list[str] = []
    groups = _grouped(members, remarks)
    reading = recognise(Listing(tuple(groups), around, file))
    if not reading.platform.name and depth < _MAX_DEPTH:
        inner = _in_folder(groups, file, opened, depth, beside) or _in_several(groups, file, opened, depth)
        if inner:
            return inner
    return _split(groups, reading, remarks)


def _grouped(members: Iterable[Member], remarks: list[str]) -> Groups:
    """Return the files and folders at the top, without what computers leave behind, and what each holds."""
    found: dict[tuple[str, bool], list[Member]] = defaultdict(list)
    for member in members:
        found[member.parts[0], member.folder or len(member.parts) > 1].append(member)
    return {
        Item(
            name,
            folder,
            tuple(member.parts[1:] for member in group if len(member.parts) > 1),
            partial(_text, {member.parts[1:]: member for member in group}, remarks),
        ): tuple(group)
        for (name, folder), group in found.items()
        if any(member.outside or not member.junk for member in group)
    }


def _text(files: Mapping[Parts, Member], remarks: list[str], path: Parts) -> str:
    try:
        return files[path].read(_MAX_TEXT).decode("utf-8", "replace") if path in files else ""
    except UnreadableError as error:
        remarks.append(str(error))
        return ""


def _in_folder(
    groups: Groups, file: str, opened: ExitStack, depth: int, beside: Collection[Platform]
) -> Contents | None:
    """Step into the only folder, where that holds a class: by a platform's names, or folders and archives of students."""
    folders = [item for item in groups if not is_list(item)]
    if len(folders) != 1 or not folders[0].folder:
        return None
    members = inside(groups[folders[0]])
    inner = contents_of(members, folders[0].name, file, opened, depth + 1, beside)
    top = _grouped(members, [])
    is_class = len(top) > 1 and all(
        i.folder or suffix_of(i.name) == ".zip" or is_list(i) or _is_of(i, file) for i in top
    )
    return inner if _is_export(inner, beside) or (is_class and depth == 0 and len(groups) == 1) else None


def _is_of(item: Item, file: str) -> bool:
    """Whether a student's name stands before that of the file to hand in, or of its notebook: `Ada Lovelace - attention.py`."""
    return any(
        item.name.endswith(f"{mark}{each}") for each in (file, f"{PurePosixPath(file).stem}.ipynb") for mark in " _-"
    )


def _in_several(groups: Groups, file: str, opened: ExitStack, depth: int) -> Contents | None:
    """Step into archives and folders where each is an export; into a single archive also where each student's folder holds the file.

    One with a single student, such as who was late, is an export where others are one of the same platform.
    """
    items = [item for item in groups if not is_list(item)]
    packed = [item for item in items if not item.folder]
    if not 0 < len(items) <= _MOST_EXPORTS or any(suffix_of(item.name) != ".zip" for item in packed):
        return None
    if len(items) == 1 and not packed:
        return None  # as `_in_folder` says
    below = depth + 1 if len(items) == 1 else max(depth + 1, _MAX_DEPTH - 1)  # several may be a student's each
    room = (
        MAX_INNER if depth else MAX_INNER * _MOST_EXPORTS
    )  # what is no export may be a student's, and is held all at once
    damaged, within = list[UnreadableError](), list[tuple[str, Callable[[], Iterable[Member]]]]()
    with ExitStack() as trying:
        for item in items:
            if item.folder:
                within.append((item.name, partial(inside, groups[item])))
                continue
            try:
                data = groups[item][0].read(min(room, MAX_INNER))
                room -= len(data)
                archive = trying.enter_context(open_zip(data, printable(item.name), MAX_CLASS_ENTRIES))
            except UnreadableError as error:
                damaged.append(error)
                continue
            within.append((item.name, partial(zip_members, archive)))

        def read(beside: Collection[Platform]) -> list[Contents]:
            return [contents_of(of(), name, file, trying, below, beside) for name, of in within]

        found = read(())
        sure = {platform for inner in found if _is_export(inner) for platform in inner.platforms}
        if sure and not all(map(_is_export, found)):
            found = read(sure)
        is_class = len(packed) == len(items) == 1 and bool(found) and _is_class(found[0], file)
        if not found or not (is_class or all(_is_export(inner, sure) for inner in found)):
            return None
        if damaged:  # not a student's, where all the others are exports
            raise damaged[0]
        opened.push(trying.pop_all())
    around = [f"{name}: " if len(within) > 1 else "" for name, _ in within]  # names of students are in several of them
    return Contents(
        tuple(
            replace(part, name=which + part.name)
            for which, one in zip(around, found, strict=True)
            for part in one.parts
        ),
        tuple(dict.fromkeys(platform for one in found for platform in one.platforms)),
        tuple(remark for one in found for remark in one.remarks),
    )


def _is_export(contents: Contents, beside: Collection[Platform] = ()) -> bool:
    """Whether it is a platform's; one student's file alone may be called as one by chance, where names say little.

    Not so where exports of that platform lie `beside` it.
    """
    owners = {part.said.owner.key for part in contents.parts}
    several_say_so = any(platform.marks > 1 or len(owners) > 1 for platform in contents.platforms)
    return several_say_so or (bool(contents.platforms) and set(beside).issuperset(contents.platforms))


def _is_class(contents: Contents, file: str) -> bool:
    """Whether several folders hold the file to hand in each, or its notebook, or are archives."""
    files = {file, f"{PurePosixPath(file).stem}.ipynb"}
    return len(contents.parts) > 1 and all(
        suffix_of(part.name) == ".zip" or (part.folder and any(member.parts[-1] in files for member in part.members))
        for part in contents.parts
    )


def inside(members: Iterable[Member]) -> tuple[Member, ...]:
    """Return what a folder holds, below it."""
    return tuple(replace(member, parts=member.parts[1:]) for member in members if len(member.parts) > 1)


def _split(groups: Groups, reading: Reading, remarks: Sequence[str]) -> Contents:
    """Return each thing handed in with its own members, without what the platform added."""
    parts = []
    for item, named in reading.understood.items():
        members = tuple(member for member in groups[item] if not member.junk or member.outside)
        for said in named:
            name = "/".join((item.name, *said.below))
            below = tuple(m for m in members if m.parts[1 : len(said.below) + 1] == said.below or m.outside)
            shorter = tuple(_shorter(member, name, len(said.below) + 1) for member in below)
            folder = item.folder and not (said.below and all(len(m.parts) == len(said.below) + 1 for m in below))
            parts.append(Part(item.name, name, said, shorter if said.below else members, folder))
    platforms = (reading.platform,) if reading.platform.name else ()
    more = [f"{len(remarks) - _FEW} more files of the export cannot be read."] if len(remarks) > _FEW else []
    return Contents(tuple(parts), platforms, (*remarks[:_FEW], *more, *_remarks(reading)))


def _shorter(member: Member, name: str, depth: int) -> Member:
    """Return a member below a part of a student's folder; a flaw of what is around the part stays one."""
    return replace(member, parts=(name, *(member.parts[depth:] or (member.parts[-1:] if member.outside else ()))))


def _remarks(reading: Reading) -> list[str]:
    """Say which names were not understood."""
    names = several(reading.strange)
    if reading.likely:
        told = f"look like {reading.likely.label}'s, and most do not, so all are read as plain names: {names}."
        return [f"{len(reading.strange)} of {len(reading.understood)} names {told}"]
    if reading.strange:
        told = f"are not as {reading.platform.label} writes them, and are read as plain names: {names}."
        return [f"{len(reading.strange)} of {len(reading.understood)} names {told}"]
    return []
