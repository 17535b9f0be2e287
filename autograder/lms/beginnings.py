"""Find what all names of an export begin with: often the assignment."""

from __future__ import annotations

from collections.abc import Iterable


def common_beginning(names: Iterable[str], mark: str) -> str:
    """Return the words, each with the `mark` behind it, that several names begin with; every name has more than that."""
    split = [name.split(mark)[:-1] for name in names]
    shared = ""
    for words in zip(*split, strict=False) if len(split) > 1 else ():
        if len(set(words)) > 1:
            break
        shared += words[0] + mark
    return shared
