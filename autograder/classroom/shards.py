"""Parts of a class that machines grade apart from each other: who is in which, whoever else is in the class."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from autograder.classroom.fingerprint import digest
from autograder.classroom.submissions import Submission
from autograder.submission.archives import printable


class ShardError(Exception):
    """What was written is no shard; the message says how one is written."""


@dataclass(frozen=True)
class Shard:
    """One of so many parts, counted from 1. A student's name alone says in which, so a latecomer moves nobody."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def of(self, submissions: Iterable[Submission]) -> tuple[Submission, ...]:
        """Return those of a class that are in this part."""
        return tuple(s for s in submissions if int(digest(s.student), 16) % self.count == self.index - 1)


def parse_shard(text: str) -> Shard:
    """Read a shard as it is written, such as 2/8. Raises ShardError."""
    found = re.fullmatch(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*", text)
    shard = Shard(int(found[1]), int(found[2])) if found else Shard(0, 0)
    if not 1 <= shard.index <= shard.count:
        raise ShardError(f"{printable(text)!r} is no shard. Write 1/8 to 8/8 for eight machines.")
    return shard
