"""The assignments of a course as a student has them at home: handouts that lie beside each other in one folder."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.course.slug_order import by_number
from autograder.handout.kit.bundle import SHAPES, Bundle, read_bundle
from autograder.handout.kit.progress import passed_before
from autograder.handout.kit.self_check import Place

SOLUTIONS = "SOLUTIONS.md"  # what tells a folder of solutions from a handout


@dataclass(frozen=True)
class Handout:
    """An assignment at home. `command` checks it, and takes the words of a check."""

    slug: str
    exercises: tuple[str, ...]
    place: Place
    readme: Callable[[], str]
    command: tuple[str, ...]
    load: Callable[[], Bundle]

    @property
    def folder(self) -> Path:
        """The folder that the student works in."""
        return self.place.path if self.place.path.is_dir() else self.place.path.parent

    def passed(self) -> tuple[str, ...]:
        """Return the exercises that passed when they were last checked."""
        before = passed_before(self.folder, self.slug) or ()
        return tuple(name for name in self.exercises if name in before)


def handouts_beside(folder: Path, bundle: Bundle, file: Path | None) -> tuple[Handout, ...]:
    """Return the handout of a folder and those in the folders beside it, in the order of the course.

    `bundle` is that of the folder; `file` is the student's, where one is named.
    """
    own = _handout(folder, bundle.assignment.slug, [e.name for e in bundle.assignment.exercises], lambda: bundle, file)
    found, orders = {own.slug: own}, {own.slug: bundle.assignment.order}
    for shapes in folder.resolve().parent.glob(f"*/engine/{SHAPES}"):
        try:
            document = json.loads(shapes.read_text(encoding="utf-8"))
            slug, names = str(document["slug"]), [str(exercise["name"]) for exercise in document["exercises"]]
            orders[slug] = float(document.get("order", math.inf))
        except (OSError, ValueError, LookupError, TypeError):
            continue  # no handout, or one that its own check.py says is broken
        home = shapes.parents[1]
        if (home / SOLUTIONS).exists():
            continue  # nobody's work
        found.setdefault(slug, _handout(home, slug, names, _reader(home), None))
    return tuple(found[slug] for slug in sorted(found, key=lambda slug: (orders[slug], by_number(slug))))


def _handout(folder: Path, slug: str, names: list[str], load: Callable[[], Bundle], file: Path | None) -> Handout:
    command = (sys.executable, str(folder / "check.py"))

    def readme() -> str:
        return (folder / "README.md").read_text(encoding="utf-8")

    return Handout(slug, tuple(names), Place(file or folder), readme, command, load)


def _reader(folder: Path) -> Callable[[], Bundle]:
    return lambda: read_bundle(folder / "engine")
