"""Notice that a student has saved a file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from autograder.course.language import say
from autograder.handout.kit.asked import CheckError

POLL_SECONDS = 0.01  # between two looks at a file: a tenth of what an answer may take
SETTLING_LOOKS = 50  # at a file that grows or is empty: editors write it in pieces
MISSING_LOOKS = 500  # at a file that is gone: some editors remove it before they write it


class Saves:
    """The files that a student may save. Raises CheckError where one stays away."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._seen = self._look()

    def happened(self) -> bool:
        """Whether a file was saved since this began or last said so; its editor has finished writing it by then."""
        now = self._look()
        if now == self._seen:
            return False
        for _ in range(SETTLING_LOOKS):
            time.sleep(POLL_SECONDS)
            before, now = now, self._look()
            if now == before and all(size for _, size in now):
                break
        self._seen = now
        return True

    def _look(self) -> list[tuple[int, int]]:
        return [*map(_saved, self._paths)]


def _saved(path: Path) -> tuple[int, int]:
    """Return a file's time and size."""
    for _ in range(MISSING_LOOKS):
        try:
            status = path.stat()
        except OSError:
            time.sleep(POLL_SECONDS)
        else:
            return status.st_mtime_ns, status.st_size
    raise CheckError(say("{path} is gone.", path=path))
