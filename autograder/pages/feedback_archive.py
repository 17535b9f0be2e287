"""The archive of pages that a learning platform takes back: where each page lies in it, and the file itself."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.classroom.whole_files import draft_of
from autograder.lms.platform import Platform, Row


def placed(platform: Platform, pages: Iterable[tuple[Row, Path]]) -> dict[str, Path]:
    """Return students' pages by their places in a platform's archive; who came another way, or has no page, has none there."""
    if not platform.feedback:
        return {}
    came = ((row, page) for row, page in pages if row.system == platform.name and row.place and page.is_file())
    named = ((platform.feedback(row, f"feedback-{row.student}.html"), page) for row, page in came)
    return {path: page for path, page in named if path}


def pack(path: Path, files: Mapping[str, Path]) -> None:
    """Write an archive by renaming a finished one into its place; an empty one is none, and one from before goes."""
    if not files:
        path.unlink(missing_ok=True)
        return
    with draft_of(path) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in sorted(files.items()):
            archive.write(page, name)
