"""One submission from zip to page: it passes the stations that CONTRIBUTING.md names, in that order, and climbs back to none."""

from __future__ import annotations

import re
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from conftest import COURSE, SLUG
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course.spec import Assignment

ROOT = Path(__file__).parents[1]
ENGINE = f"{ROOT / 'autograder'}/"
STATION = re.compile(r"^\| \d+ \| `([\w/]+\.py)`, `(\w+)` \|", re.MULTILINE)
WATCHING = "command/progress.py"  # hears of every result, and is told nothing else


def ours_above(frame: FrameType | None) -> Iterator[str]:
    """Yield the files of the engine whose functions wait for a call, the nearest first."""
    while frame := frame and frame.f_back:
        if frame.f_code.co_filename.startswith(ENGINE):
            yield frame.f_code.co_filename.removeprefix(ENGINE)


class Walk:
    """Which functions of the engine were called, in the order of their first calls, and who called back to a command."""

    def __init__(self) -> None:
        self.passed: dict[tuple[str, str], None] = {}
        self.climbed: set[tuple[str, str]] = set()

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(ENGINE):
            return
        file = code.co_filename.removeprefix(ENGINE)
        self.passed.setdefault((file, code.co_name))
        if file.startswith("command/") and file != WATCHING:
            below = [other for other in ours_above(frame) if not other.startswith(("command/", "cli.py"))]
            self.climbed.update((other, file) for other in below[:1])


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory, assignment: Assignment) -> Walk:
    """Grade a zip with one wrong submission by the command."""
    folder = tmp_path_factory.mktemp("walk")
    with zipfile.ZipFile(folder / "class.zip", "w") as archive:
        archive.writestr("ada.py", assignment.reference.replace("return x - means", "return means - x"))
    told = ["grade", SLUG, str(folder / "class.zip"), "-o", str(folder / "out"), "--course", str(COURSE)]
    found = Walk()
    threading.setprofile(found.note)
    sys.setprofile(found.note)
    try:
        done = CliRunner().invoke(app, [*told, "--accept-unsandboxed"])
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert done.exit_code == 0, done.output
    return found


def test_the_stations_are_passed_in_the_order_that_is_told(walk: Walk) -> None:
    """A newcomer who follows one submission finds it where the page says."""
    stations = STATION.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(stations) >= 12
    places = [list(walk.passed).index(station) for station in stations]
    assert places == sorted(places)


def test_nothing_climbs_back_to_a_command(walk: Walk) -> None:
    """Commands call what grades; what grades calls no command."""
    assert walk.climbed == set()
