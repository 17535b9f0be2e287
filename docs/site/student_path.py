"""Write docs/student-path.md: one student's whole way through a5_attention, recorded in a terminal of 80 columns and 24 lines.

    python docs/site/student_path.py

Each command runs for real: the handout is made, unzipped and set up in an environment of its own, which takes a package index.
Paths become those of an invented home, and what is right is not shown.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment
from autograder.handout.handout import handout_files, handout_zip
from autograder.handout.kit.reset import with_stub
from autograder.handout.public_data import public_oracle

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "student-path.md"
SLUG = "a5_attention"
PROMPT, KEYS, PDB = "<prompt>", "q quit", "(Pdb) "
ROWS, COLUMNS, PATIENCE = 24, 80, 180.0
HOME = "/home/you"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")
WHOLE_MEAN = """def average_context(x: np.ndarray) -> np.ndarray:
    means = x.mean(axis=-2, keepdims=True)
    return means + np.zeros_like(x)
"""
NO_MASK_IS_NONE = """def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    scores = np.where(~mask, -np.inf, scores)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True)
"""


def main() -> None:
    """Walk the way once and write it down."""
    assignment = load_assignment(ROOT, SLUG)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name).resolve()
        (home / f"{SLUG}.zip").write_bytes(handout_zip(handout_files(ROOT, public_oracle(assignment)), SLUG))
        with Terminal(home) as terminal:
            told = "\n\n".join(walk(terminal, assignment, home / SLUG / assignment.file))
    PAGE.write_text(f"{told.replace(str(home), HOME)}\n", encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written.")


def walk(terminal: Terminal, assignment: Assignment, file: Path) -> Iterator[str]:
    """Yield the parts of the page, in Markdown."""
    names = [exercise.name for exercise in assignment.exercises]

    def save(right: int, *, also: str = "", mistake: str = "") -> None:
        """Save a file whose first exercises are right, and one more as given, or with a known mistake."""
        made = tuple(m for m in assignment.misconceptions if m.name == mistake)
        text = apply_edits(assignment.reference, made) or ""
        for exercise in assignment.exercises[right:]:
            text = with_stub(text, assignment.stub, exercise)
        if also:
            text = with_stub(text, also, next(e for e in assignment.exercises if f"def {e.name}(" in also))
        file.write_text(text, encoding="utf-8")

    yield INTRODUCTION
    yield "## Setting up"
    yield block(
        terminal.run(f"unzip -q {SLUG}.zip && cd {SLUG} && ls", "python3 -m venv .venv && source .venv/bin/activate")
    )
    yield block(terminal.run("python -m pip install -q -r requirements.txt", "python check.py"))
    yield "## One exercise after another"
    yield "`next` shows the text, waits for a save, and takes single keys."
    yield block(terminal.run("python check.py next", until=KEYS))
    yield "You write a first version of `average_context`, and save. The check runs by itself."
    save(0, also=WHOLE_MEAN)
    yield block(terminal.more(KEYS))
    yield "You press `h`, for a hint."
    yield block(terminal.press("h", KEYS))
    yield "You put a `breakpoint()` in the first line, save, and press `d`. pdb stops there: you look at what came in, and go on."
    save(0, also=WHOLE_MEAN.replace("    means", "    breakpoint()\n    means", 1))
    terminal.more(KEYS)
    yield block(terminal.press("d", PDB) + terminal.press("p x.shape\n", PDB) + terminal.press("c\n", KEYS))
    yield "You mend it, and save. It says what was learned and shows the next one. Later you press `q`."
    save(1)
    yield block(terminal.more(KEYS) + terminal.press("q", PROMPT))
    yield "## A mistake that has a name"
    yield "The next day the first exercises are right, and `attention_scores` does not divide by the square root of `d_k`."
    save(names.index("attention_scores") + 1, mistake="no_scale")
    yield block(terminal.run("python check.py"))
    yield "A hint, and the same call as a program to try things out in:"
    yield block(terminal.run("python check.py --hint", "python check.py --repro attention_scores"))
    yield "## A crash"
    save(names.index("attention_weights"), also=NO_MASK_IS_NONE)
    yield block(terminal.run("python check.py attention_weights"))
    yield "## The quiz"
    save(names.index("quiz"))
    yield block(terminal.run("python check.py"))
    save(len(names))
    yield "## The page, and handing in"
    yield "With the quiz answered, all is done. `--html` also writes a page with heat maps of your numbers beside the expected ones."
    yield block(terminal.run("python check.py --html"))
    yield f"Now you upload `{assignment.file}` where your course collects it."


INTRODUCTION = f"""# One student's way through an assignment

This is what a student sees of `{SLUG}`, from the zip to handing in, in a terminal of {COLUMNS} columns and {ROWS} lines. The right
versions of the functions are not shown. `python docs/site/student_path.py` records this page."""


def block(text: str) -> str:
    """Return what a terminal showed as a block of Markdown."""
    lines = (line.rstrip() for line in ESCAPES.sub("", text).replace(PROMPT, "$ ").expandtabs().splitlines())
    kept = "\n".join(lines).strip("\n")
    kept = re.sub(r"\n{3,}", "\n\n", kept).removesuffix("\n$").strip("\n")
    return f"````text\n{kept}\n````"


class Terminal:
    """A shell in a terminal of its own; a context manager."""

    def __init__(self, home: Path) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        kept = {
            name: os.environ[name]
            for name in ("PATH", "LANG", "PIP_INDEX_URL", "PIP_CONFIG_FILE")
            if name in os.environ
        }
        settings = {
            "PS1": PROMPT,
            "HOME": str(home),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "TERM": "xterm",
            "VIRTUAL_ENV_DISABLE_PROMPT": "1",
        }
        python = Path(sys.base_prefix) / "bin"
        self._shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "--noediting"],
            cwd=home,
            env={**kept, **settings, "PATH": f"{python}:{kept['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._read = ""

    def __enter__(self) -> Self:
        self.more(PROMPT)
        return self

    def __exit__(self, *exception: object) -> None:
        self._shell.kill()
        self._shell.wait()
        os.close(self._ours)

    def run(self, *commands: str, until: str = PROMPT) -> str:
        """Return what commands show, with the commands, up to the last one's prompt or another text."""
        shown = ""
        for command in commands:
            shown += PROMPT + self.press(f"{command}\n", until).removesuffix(PROMPT)
        return shown

    def press(self, keys: str, until: str) -> str:
        """Press keys, and return what comes of it."""
        os.write(self._ours, keys.encode())
        return self.more(until)

    def more(self, until: str) -> str:
        """Return what it shows up to and with a text. Raises TimeoutError where the text does not come."""
        end = time.monotonic() + PATIENCE
        while until not in self._read:
            if not select.select([self._ours], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError(f"{until!r} did not come; it shows {self._read}")
            self._read += os.read(self._ours, 1 << 16).decode().replace("\r\n", "\n")
        shown, found, self._read = self._read.partition(until)
        return shown + found


if __name__ == "__main__":
    main()
