"""A submission's code as it waits to be graded: in a file, and compressed, since most of it is the stub that it began as."""

from __future__ import annotations

import json
import os
import tempfile
import weakref
import zlib
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from autograder.classroom.stored_source import as_json, from_json
from autograder.sandbox.job import Source

FAST = 1  # zlib's level: four fifths of what the best one saves, in a third of its time


class Folder:
    """Folds the sources of a class, compressed beside a text that is like them, into a file that is gone when they are."""

    def __init__(self, like: str) -> None:
        """Make the file, among the system's temporary ones."""
        self._like = json.dumps(like).encode()  # as sources are written before they are compressed
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed when this is gone)
        weakref.finalize(self, self._file.close)

    def fold(self, source: Source) -> FoldedSource:
        """Put a source at the end of the file."""
        folding = zlib.compressobj(FAST, zdict=self._like)
        code = folding.compress(as_json(replace(source, pictures=()))) + folding.flush()
        begin = self._file.tell()
        self._file.write(code)
        self._file.flush()  # it is read by its descriptor, from several threads
        return FoldedSource(self, begin, self._file.tell(), source.pictures)

    def unfold(self, begin: int, end: int) -> Source:
        """Return the source at a place in the file, without its pictures."""
        code = os.pread(self._file.fileno(), end - begin, begin)
        return from_json(zlib.decompressobj(zdict=self._like).decompress(code))


@dataclass(frozen=True, slots=True)
class FoldedSource:
    """A source of which the code is in a file, and the pictures are here."""

    folder: Folder
    begin: int
    end: int
    pictures: tuple[tuple[str, bytes], ...]

    def unfolded(self) -> Source:
        """Return the source."""
        return replace(self.folder.unfold(self.begin, self.end), pictures=self.pictures)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as the source itself: the file is here."""
        return copy, (self.unfolded(),)
