"""Look into a class that was packed as a tar: list what is there, read one file, write nothing under a name."""

from __future__ import annotations

import bz2
import gzip
import itertools
import lzma
import tarfile
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path

from autograder.submission.archives import (
    Member,
    UnreadableError,
    kind_flaw,
    link_flaw,
    outside_flaw,
    path_parts,
    printable,
    read_bounded,
    size_flaw,
    suffix_of,
    times_flaw,
)

TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
MAX_TAPE = 8 << 30  # bytes, unpacked
_BLOCK = 1 << 20
_TROUBLE = (tarfile.TarError, lzma.LZMAError, zlib.error, OSError, EOFError, RuntimeError, ValueError, OverflowError)

Tape = tuple[tarfile.TarFile, tuple[tarfile.TarInfo, ...]]


@contextmanager
def open_tar(path: Path, name: str, most: int) -> Iterator[Tape]:
    """Open a tar for reading, with what it lists. Raises UnreadableError where it is damaged or far too large.

    A packed one is unpacked as a whole, into a file without a name, since a tar can only be read from its beginning.
    """
    with tempfile.TemporaryFile() as tape:
        try:
            with _unpacking(path) as packed:
                while block := packed.read(_BLOCK):
                    tape.write(block)
                    if tape.tell() > MAX_TAPE:
                        raise UnreadableError(f"{name} holds more than {MAX_TAPE >> 30} GB. Is it the right file?")
            tape.seek(0)
            archive = tarfile.open(fileobj=tape, mode="r:", errorlevel=2)  # noqa: SIM115 (closed below)
            infos = tuple(itertools.islice(archive, most + 1))
        except _TROUBLE:
            raise UnreadableError(f"{name} cannot be opened: it is damaged or not a tar archive.") from None
        with archive:
            if len(infos) > most:
                raise UnreadableError(f"{name} holds more than {most:,} files. Pack only what is to be graded.")
            yield archive, infos


def _unpacking(path: Path) -> gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile | BufferedReader:
    match suffix_of(path.name):
        case ".gz" | ".tgz":
            return gzip.open(path)
        case ".bz2":
            return bz2.open(path)
        case ".xz":
            return lzma.open(path)
        case _:
            return path.open("rb")


def tar_members(tape: Tape) -> tuple[Member, ...]:
    """List what a tar holds, in its own order."""
    archive, infos = tape
    times = Counter(info.name for info in infos)
    return tuple(_taped(archive, info, times[info.name]) for info in infos)


def _taped(archive: tarfile.TarFile, info: tarfile.TarInfo, times: int) -> Member:
    parts, outside = path_parts(info.name)
    name = printable("/".join(parts))
    flaws = (
        (outside, outside_flaw(name)),
        (info.issym() or info.islnk(), link_flaw(name)),
        (not info.isdir() and (not info.isreg() or info.issparse()), kind_flaw(name)),
        (times > 1 and not info.isdir(), times_flaw(name, times)),
    )
    flaw = next((flaw for applies, flaw in flaws if applies), "")
    return Member(parts, (float(info.mtime),), partial(_untape, archive, info), info.isdir(), flaw, outside)


def _untape(archive: tarfile.TarFile, info: tarfile.TarInfo, limit: int) -> bytes:
    name = printable(info.name)
    if info.size > limit:
        raise UnreadableError(size_flaw(name, info.size, limit))
    try:
        file = archive.extractfile(info)
        if file is None:
            raise UnreadableError(kind_flaw(name))
        with file:
            return read_bounded(file, limit, name)
    except _TROUBLE:
        raise UnreadableError(f"{name} is damaged inside its archive. Pack it again and hand it in again.") from None
