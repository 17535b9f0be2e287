"""List untrusted folders and zip archives, and read single files from them.

Nothing is unpacked to disk, so no path in an archive can lead anywhere. Links, devices and pipes are listed and never opened.
Sizes are bounded before and while reading, because an archive may declare wrong ones.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import struct
import zipfile
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Protocol

from autograder.course.language import marked, say

MAX_ENTRIES = 10_000  # in one student's archive or folder
MAX_CLASS_ENTRIES = 200_000  # in the folder or archive of a whole class
TOO_MUCH = marked("{folder} holds more than {most:,} files. Is it the right folder?")
_BLOCK = 1 << 16
_ENCRYPTED = 0x1
_LONGEST_NAME = 200
_DEEPEST = 100  # folders, one in the other
_FEW = 5  # names that a message lists
_IGNORED = frozenset({"__MACOSX", "__pycache__", "site-packages", "Thumbs.db", "desktop.ini"})
_UNOPENED = {".7z": "7-Zip", ".rar": "RAR"}
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})  # the others take unbounded memory
_TROUBLE = (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, RuntimeError, ValueError, OverflowError)


Parts = tuple[str, ...]  # of a path


class UnreadableError(Exception):
    """One submission's file cannot be used; the message says what happened, where, and what to do next."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes."""


@dataclass(frozen=True)
class Member:
    """One file or folder, listed and not opened. `parts` is its path below where it was listed."""

    parts: tuple[str, ...]
    modified: tuple[float, ...]
    fetch: Callable[[int], bytes]  # the content, or UnreadableError where it is larger than that
    folder: bool = False
    flaw: str = ""  # why it must not be opened
    outside: bool = False  # its path leads out of the archive, so nothing of the archive is read

    @property
    def name(self) -> str:
        """The path in printable form."""
        return printable("/".join(self.parts))

    @property
    def suffix(self) -> str:
        """The ending of its name in small letters, with its dot."""
        return suffix_of(self.parts[-1])

    @property
    def junk(self) -> bool:
        """Whether a program left it there: hidden files, caches."""
        return any(part.startswith(".") or part in _IGNORED for part in self.parts)

    def read(self, limit: int) -> bytes:
        """Return the content. Raises UnreadableError where it is flawed, damaged or larger than the limit."""
        if self.flaw:
            raise UnreadableError(self.flaw)
        return self.fetch(limit)


def printable(name: str) -> str:
    """Return a name without control, direction-changing and undecodable characters, cut to a readable length."""
    if len(name) <= _LONGEST_NAME and name.isprintable():
        return name
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name[: _LONGEST_NAME + 1])
    return shown if len(shown) <= _LONGEST_NAME else shown[: _LONGEST_NAME - 1] + "…"


def several(names: Iterable[str]) -> str:
    """Return the first few names in printable form, and how many more there are."""
    shown = [printable(name) for name in names]
    listed = ("; " if any("," in name for name in shown) else ", ").join(shown[:_FEW])  # "Ross, Bob; Doe, Ann"
    return say("{names} and {n} more", names=listed, n=len(shown) - _FEW) if len(shown) > _FEW else listed


def suffix_of(name: str) -> str:
    """Return the ending of a file's name in small letters with its dot, without what browsers add."""
    return PurePosixPath(work_name(name)).suffix.lower()


def work_name(name: str) -> str:
    """Return a file's name without what browsers and mail programs add: `means.py.txt`, `means.ipynb.json`."""
    path = PurePosixPath(name)
    added = path.suffix.lower() in (".txt", ".json") and PurePosixPath(path.stem).suffix.lower() in (".py", ".ipynb")
    return str(path.with_suffix("")) if added else name


def unopened(name: str, file: str) -> str:
    """Return what to do about a 7-Zip or RAR archive, or an empty text for other files."""
    if kind := _UNOPENED.get(suffix_of(name)):
        told = say("{name} is a {kind} archive, which is not opened here.", name=printable(name), kind=kind)
        advice = say("Unpack it and hand in {file} itself, a notebook (.ipynb), or a .zip of one.", file=file)
        return f"{told} {advice}"
    return ""


def read_file(path: Path | str, limit: int) -> bytes:
    """Return a regular file's content without following a link or waiting for a pipe. Raises UnreadableError."""
    name = printable(os.path.basename(path))
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UnreadableError(kind_flaw(name))
            return read_bounded(file, limit, name)
    except OSError as error:
        why = error.strerror or error
        told = say("{name} cannot be read: {reason}. Check it and hand it in again.", name=name, reason=why)
        raise UnreadableError(told) from None


def folder_members(root: Path, *, deep: bool = True) -> tuple[Member, ...]:
    """List a folder, with its subfolders if `deep`; links are not followed. Raises UnreadableError where it holds too much."""
    found, whole = listed(root, MAX_CLASS_ENTRIES, deep=deep)
    if not whole:
        raise UnreadableError(say(TOO_MUCH, folder=root, most=MAX_CLASS_ENTRIES))
    return found


def listed(root: Path, most: int, above: Parts = (), *, deep: bool = True) -> tuple[tuple[Member, ...], bool]:
    """List a folder level by level, `most` entries at most, and say whether that is all of it.

    A subfolder that cannot be listed becomes a flaw. Raises UnreadableError where the folder itself cannot, and none is above it.
    """
    found: list[Member] = []
    waiting = deque([(root, above)])
    while waiting:
        folder, parts = waiting.popleft()
        try:
            if len(parts) > _DEEPEST:
                raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
            with os.scandir(folder) as entries:
                first = sorted(islice(entries, most + 1 - len(found)), key=lambda entry: entry.name)
            for entry in first:
                found.append(_listed(entry, (*parts, entry.name)))
                if deep and found[-1].folder and not found[-1].junk:
                    waiting.append((Path(entry.path), found[-1].parts))
        except OSError as error:
            if folder == root and not above:
                raise UnreadableError(_unlisted(str(root), error)) from None
            flaw = _unlisted(printable(folder.name), error)
            found.append(Member((*parts, "?"), (0.0,), partial(read_file, folder), flaw=flaw, outside=True))
        if len(found) > most:
            return tuple(found[:most]), False
    return tuple(found), True


def _unlisted(name: str, error: OSError) -> str:
    if error.errno == errno.ENAMETOOLONG:
        return say("{folder} lies too deep in other folders to be listed. Hand in only what is asked for.", folder=name)
    why = error.strerror or error
    return say("{folder} cannot be listed: {reason}. Check its permissions.", folder=name, reason=why)


def _listed(entry: os.DirEntry[str], parts: Parts) -> Member:
    status = entry.stat(follow_symlinks=False)
    flaw = ""
    if stat.S_ISLNK(status.st_mode):
        flaw = link_flaw("/".join(parts))
    elif not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        flaw = kind_flaw("/".join(parts))
    folder = stat.S_ISDIR(status.st_mode)
    # As text: of ten thousand files paths would take 5 MB.
    return Member(parts, (status.st_mtime,), partial(read_file, entry.path), folder, flaw)


@contextmanager
def open_zip(file: Path | bytes, name: str, most: int = MAX_ENTRIES) -> Iterator[zipfile.ZipFile]:
    """Open an archive for reading. Raises UnreadableError where it is damaged or has too many entries."""
    too_many = say("{name} holds more than {most:,} files. Pack only what is to be graded.", name=name, most=most)
    if isinstance(file, bytes) and file.count(b"PK\x01\x02") > most:  # checked before zipfile lists them all in memory
        raise UnreadableError(too_many)
    try:
        archive = zipfile.ZipFile(BytesIO(file) if isinstance(file, bytes) else file)
    except _TROUBLE:
        told = say("{name} cannot be opened: it is damaged or not a zip archive. Pack it again as .zip.", name=name)
        raise UnreadableError(told) from None
    with archive:
        if len(archive.infolist()) > most:
            raise UnreadableError(too_many)
        yield archive


def zip_members(archive: zipfile.ZipFile) -> tuple[Member, ...]:
    """List an archive's entries in its own order."""
    times = Counter(info.filename for info in archive.infolist())
    return tuple(_packed(archive, info, times[info.filename]) for info in archive.infolist())


def path_parts(name: str) -> tuple[tuple[str, ...], bool]:
    """Return the parts of a path in an archive, and whether it leads out of the archive."""
    path = name.replace("\\", "/")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    absolute = path.startswith("/") or bool(re.match(r"[A-Za-z]:/", path))
    if not parts or parts[0] == ".." or absolute:
        return (path,), absolute or ".." in parts
    return parts, ".." in parts


def _packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo, times: int) -> Member:
    parts, outside = path_parts(info.filename)
    flaw = _flaw_of(info, printable("/".join(parts)), times, outside=outside)
    return Member(parts, info.date_time, partial(_unpack, archive, info), info.is_dir(), flaw, outside)


def _flaw_of(info: zipfile.ZipInfo, name: str, times: int, *, outside: bool) -> str:
    """Return why an archive's entry must not be opened, or an empty text."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if outside:
        return outside_flaw(name)
    if stat.S_ISLNK(kind):
        return link_flaw(name)
    if kind and not stat.S_ISREG(kind) and not info.is_dir():
        return kind_flaw(name)
    if times > 1 and not info.is_dir():
        return times_flaw(name, times)
    if info.flag_bits & _ENCRYPTED:
        return say("{name} is locked with a password. Pack it again without one.", name=name)
    if info.compress_type not in _METHODS:
        return say("{name} is packed in an unusual way. Pack it again as an ordinary .zip.", name=name)
    return ""


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    name = printable(info.filename)
    if info.file_size > limit:
        raise UnreadableError(size_flaw(name, info.file_size, limit))
    try:
        with archive.open(info) as file:
            return read_bounded(file, limit, name)
    except _TROUBLE:
        told = say("{name} is damaged inside its archive. Pack it again and hand it in again.", name=name)
        raise UnreadableError(told) from None


def read_bounded(file: _Readable, limit: int, name: str) -> bytes:
    """Return the rest of a file, read in small blocks so that memory is bounded. Raises UnreadableError past the limit."""
    blocks, total = [], 0
    while block := file.read(_BLOCK):
        blocks.append(block)
        total += len(block)
        if total > limit:
            raise UnreadableError(size_flaw(name, total, limit))
    return b"".join(blocks)


def size_flaw(name: str, size: int, limit: int) -> str:
    """Return the message that a file is too large."""
    told = marked(
        "{name} is too large: {size} or more, where {limit} are allowed. "
        "Hand in the code alone, without data written into it."
    )
    return say(told, name=name, size=_amount(size), limit=_amount(limit))


def _amount(size: int) -> str:
    return f"{size / 2**20:.1f} MB" if size >= 1 << 20 else f"{size / 2**10:.0f} KB"


def outside_flaw(name: str) -> str:
    """Return the message that a path leads out of its archive."""
    told = marked(
        "The path {name} leads out of its archive, so nothing beside it was read. "
        "Pack the files again from inside their own folder."
    )
    return say(told, name=name)


def times_flaw(name: str, times: int) -> str:
    """Return the message that an archive holds a name several times."""
    told = marked("{name} is in its archive {times} times, and no one can tell which counts. Pack it again.")
    return say(told, name=name, times=times)


def link_flaw(name: str) -> str:
    """Return the message that a file is a link."""
    told = marked("{name} is a link to another file and was not followed. Hand in the file itself.")
    return say(told, name=printable(name))


def kind_flaw(name: str) -> str:
    """Return the message that a file is a device, a pipe or the like."""
    told = marked("{name} is not an ordinary file and was not opened. Hand in the file itself.")
    return say(told, name=printable(name))
