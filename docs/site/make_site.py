"""Gather the pages of the site into build/pages as they lie in the repository, so that their links hold, and build it.

Run by `make docs`. A link that leads nowhere ends it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES, PICTURES, SITE = (ROOT / "build" / name for name in ("pages", "pictures", "site"))
TEXTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/*.md", "assignments/*.md", "assignments/*/README.md")  # fmt: skip
REFERENCE = {  # of what authors write: the modules, and what they are for
    "autograder.course.cases": "Cases",
    "autograder.judge.checks": "Checks",
    "autograder.judge.property_checks": "Checks of properties",
    "autograder.course.mistakes": "Known mistakes",
    "autograder.course.trainings": "Trainings",
}
SHOWN = {
    "report": "The report of a class",
    "feedback": "What a student reads",
    "staff": "Code beside the verdict, for graders",
    "desk": "The desk",
}
_LINK = re.compile(r"\]\(([^)#\s]+)")


def main() -> int:
    """Gather, then build."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for pattern in TEXTS:
        for path in ROOT.glob(pattern):
            for each in (path, *_linked(path)):
                _copy(each)
    (PAGES / "docs" / "reference.md").write_text("\n".join(_reference()), encoding="utf-8")
    (PAGES / "docs" / "pictures.md").write_text("\n".join(_pictures()), encoding="utf-8")
    built = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"], cwd=ROOT, check=False)
    if not built.returncode:
        print(f"{SITE / 'index.html'} is the first page.")
    return built.returncode


def _copy(path: Path) -> None:
    target = PAGES / path.relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def _linked(page: Path) -> Iterator[Path]:
    """Yield the files that a page links to or shows."""
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        target = (page.parent / link).resolve()
        if "://" not in link and target.is_file():
            yield target


def _reference() -> Iterator[str]:
    yield "# Cases and checks\n\nWhat an assignment is written with, from the docstrings of the engine.\n"
    yield from (
        f"## {title}\n\n::: {module}\n    options:\n      heading_level: 3\n" for module, title in REFERENCE.items()
    )


def _pictures() -> Iterator[str]:
    yield "# Pictures\n\nOf the class of `autograder demo`. Each build of this site takes them again.\n"
    for name, title in SHOWN.items():
        picture = PICTURES / f"{name}.png"
        if picture.exists():
            (PAGES / "docs" / "pictures").mkdir(exist_ok=True)
            shutil.copyfile(picture, PAGES / "docs" / "pictures" / picture.name)
            yield f"## {title}\n\n![{title}](pictures/{picture.name})\n"
        else:
            yield f"## {title}\n\nThere is no picture: `docs/site/take_pictures.py` found no Chromium.\n"


if __name__ == "__main__":
    sys.exit(main())
