"""Write files that are never half there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

SPREADSHEET = (
    "utf-8-sig"  # what Excel takes for UTF-8; for tables that people open, not for those that platforms import
)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Give the path to write a file to; what is finished there is renamed into its place, and what is not is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield draft
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Write a text file."""
    write_parts(path, [text], encoding)


def write_parts(path: Path, parts: Iterable[str], encoding: str = "utf-8") -> None:
    """Write a text file whose parts come one after another, so that a long one is never in memory."""
    with draft_of(path) as draft, draft.open("w", encoding=encoding, errors="replace", newline="") as file:
        file.writelines(parts)


def is_draft(path: Path) -> bool:
    """Whether a file was being written when its writer was killed."""
    return path.name.startswith(".")
