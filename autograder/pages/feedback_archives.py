"""Pack the feedback of a class as the platform takes it back, which its submissions came from."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

from autograder.lms.platform import Row
from autograder.lms.recognition import platforms


def write_feedback_archives(out: Path, rows: Sequence[Row]) -> None:
    """Write `exports/PLATFORM-feedback.zip` for each platform that submissions came from and that takes feedback."""
    for platform in platforms():
        if platform.feedback:
            pages = {row: out / "feedback" / f"{row.student}.html" for row in rows if row.system == platform.name}
            files = {
                path: page
                for row, page in pages.items()
                if row.place and page.is_file() and (path := platform.feedback(row, f"feedback-{row.student}.html"))
            }
            _pack(out / "exports" / f"{platform.name}-feedback.zip", files)


def _pack(path: Path, files: dict[str, Path]) -> None:
    """Write an archive by renaming a finished one into its place, and no empty one; nothing of an earlier class stays."""
    for draft in path.parent.glob(f".{path.name}.*"):
        draft.unlink()
    if not files:
        path.unlink(missing_ok=True)
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in sorted(files.items()):
            archive.write(page, name)
    draft.replace(path)
