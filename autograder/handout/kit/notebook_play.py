"""Run an assignment's play.py on the cells of a running notebook, and show its page under the cell that asked."""

from __future__ import annotations

import html
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.language import say, speaking, spoken
from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.play import CELLS
from autograder.sandbox.job import Source

PAGE_HEIGHT = 720  # pixels of the page in the notebook; it scrolls


@dataclass(frozen=True)
class Played:
    """The page of a play, which a notebook shows."""

    page: str
    language: str = field(default_factory=spoken)

    def __repr__(self) -> str:
        """Say where a notebook cannot show pages that there is one."""
        with speaking(self.language):
            return say("The page is shown where the notebook can show HTML.")

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its styles stay there."""
        style = f"width: 100%; height: {PAGE_HEIGHT}px; border: 0"
        return f'<iframe title="play" style="{style}" srcdoc="{html.escape(self.page)}"></iframe>'


def play_cells(source: Source, folder: Path, words: tuple[str, ...]) -> Played | None:
    """Run play.py of a folder with words, on the code of cells; what it prints appears at once. Nothing where it ends early.

    Raises CheckError where the folder has no play.py.
    """
    program = folder / "play.py"
    if not program.is_file():
        raise CheckError(say("There is no play.py here."))
    with tempfile.TemporaryDirectory() as place:
        cells, page = Path(place) / "cells.ipynb", Path(place) / "play.html"
        cells.write_text(_notebook(source), encoding="utf-8")
        command = [sys.executable, "-u", str(program), *words, "--page", str(page)]
        env = {**os.environ, CELLS: str(cells), "PYTHONIOENCODING": "utf-8"}
        with subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
        ) as run:
            for line in run.stdout or ():
                if str(page) not in line:  # it is shown here, and removed
                    print(line, end="", flush=True)
        return Played(page.read_text(encoding="utf-8")) if run.returncode == 0 else None


def _notebook(source: Source) -> str:
    """Return the cells as a notebook, so that they are read as those of one that is handed in."""
    cells = [{"cell_type": "code", "source": chunk.text, "metadata": {}, "outputs": []} for chunk in source.chunks]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
