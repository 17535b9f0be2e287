"""Write files that are never half there."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file by renaming a finished one into its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with draft.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
    draft.replace(path)


def is_draft(path: Path) -> bool:
    """Whether a file was being written when its writer was killed."""
    return path.name.startswith(".")
