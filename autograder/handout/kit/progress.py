"""What a student has done of a course: the exercises that passed when they were last checked, kept beside the student's work."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

PASSED = ".progress.json"  # it may be deleted: the next check of an assignment writes it again


def read_kept(path: Path) -> dict[str, Any]:
    """Return what a small file of ours holds; nothing where it is missing or broken."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def passed_before(folder: Path, slug: str) -> frozenset[str] | None:
    """Return the exercises of an assignment that passed; None where none of its checks is known."""
    names = read_kept(folder / PASSED).get(slug)
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else None


def keep_passed(folder: Path, slug: str, names: Collection[str]) -> None:
    """Keep which exercises of an assignment pass, where the folder can be written."""
    path = folder / PASSED
    kept = {**read_kept(path), slug: sorted(names)}
    with contextlib.suppress(OSError):
        path.write_text(json.dumps(kept), encoding="utf-8")
