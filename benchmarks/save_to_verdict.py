"""How long a student waits: from the save of a file to the verdict in the terminal, for `check.py next` and `--watch`.

Each handout is made and unzipped, its file holds the reference with one known mistake, so that every case runs and one
exercise fails, and is saved again and again in a terminal of its own. Beside it stands a check in a process of its own.

    python benchmarks/save_to_verdict.py a5_attention a6_multihead
"""

from __future__ import annotations

import argparse
import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment
from autograder.handout.handout import handout_files, write_files
from autograder.handout.public_data import public_oracle
from autograder.oracle.edits import apply_edits

ROOT = Path(__file__).parents[1]
LAST_WORDS = {"next": b"q quit", "--watch": b"Ctrl-C to stop"}  # of what each shows for a save
WAIT = 120.0


def main() -> None:
    """Print a line for each assignment and each of the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("slugs", nargs="*", default=["a5_attention", "a6_multihead", "a8_language_model"])
    parser.add_argument("--saves", type=int, default=20)
    chosen = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    print("seconds              first verdict  median of saves    worst   process each")
    for slug in chosen.slugs:
        assignment = load_assignment(ROOT, slug)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_files(handout_files(ROOT, public_oracle(assignment)), folder)
            text = _with_a_mistake(assignment)
            (folder / assignment.file).write_text(text)
            alone = statistics.median(_alone(folder) for _ in range(3))
            for way, last in LAST_WORDS.items():
                first, saves = _saves(folder, assignment.file, text, way, last, chosen.saves)
                numbers = f"{first:8.2f} {statistics.median(saves):16.3f} {max(saves):8.3f} {alone:14.2f}"
                print(f"{slug:<20} {way:<8}{numbers}", flush=True)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


def _with_a_mistake(assignment: Assignment) -> str:
    """Return the reference with the first known mistake in its bank that a bundle can show."""
    return apply_edits(assignment.reference, assignment.misconceptions[:1])


def _alone(folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "check.py"], cwd=folder, capture_output=True, check=False)
    return time.perf_counter() - began


def _saves(folder: Path, file: str, text: str, way: str, last: bytes, count: int) -> tuple[float, list[float]]:
    """Return the seconds until the first verdict, and those of each save."""
    ours, theirs = pty.openpty()
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "check.py", way],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    try:
        _read_until(ours, last)
        first, saves = time.perf_counter() - began, []
        for number in range(count):
            time.sleep(0.2)
            began = time.perf_counter()
            (folder / file).write_text(f"{text}\n# {number}\n")
            _read_until(ours, last)
            saves.append(time.perf_counter() - began)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)
    return first, saves


def _read_until(terminal: int, text: bytes) -> None:
    shown = b""
    while text not in shown:
        if not select.select([terminal], [], [], WAIT)[0]:
            raise SystemExit(f"no verdict came; the terminal shows {shown.decode()}")
        shown += os.read(terminal, 1 << 16)


if __name__ == "__main__":
    main()
