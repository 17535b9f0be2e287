"""How long a student waits: from the save of a file to the verdict in the terminal, for `check.py next` and `--watch`.

Each handout is made and unzipped, its file holds the reference with one known mistake, so that every case runs and one
exercise fails, and is saved again and again in a terminal of its own. Beside it stands a check in a process of its own. CPU
seconds of all processes of a save say what a machine with nothing else to do would need, but for the waiting between looks.

    python benchmarks/save_to_verdict.py a5_attention a6_multihead
"""

from __future__ import annotations

import argparse
import contextlib
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
    print("seconds                      first  median of saves   worst   CPU a save   process each")
    for slug in chosen.slugs:
        assignment = load_assignment(ROOT, slug)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_files(handout_files(ROOT, public_oracle(assignment)), folder)
            text = _with_a_mistake(assignment)
            (folder / assignment.file).write_text(text)
            alone = statistics.median(_alone(folder) for _ in range(3))
            for way, last in LAST_WORDS.items():
                first, saves, cpu = _saves(folder, assignment.file, text, way, last, chosen.saves)
                numbers = f"{first:5.2f} {statistics.median(saves):16.3f} {max(saves):7.3f} {cpu:12.3f} {alone:14.2f}"
                print(f"{slug:<20} {way:<8}{numbers}", flush=True)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


def _with_a_mistake(assignment: Assignment) -> str:
    """Return the reference with the first known mistake in its bank that a bundle can show."""
    return apply_edits(assignment.reference, assignment.misconceptions[:1])


def _alone(folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "check.py"], cwd=folder, capture_output=True, check=False)
    return time.perf_counter() - began


def _saves(folder: Path, file: str, text: str, way: str, last: bytes, count: int) -> tuple[float, list[float], float]:
    """Return the seconds until the first verdict, those of each save, and the CPU seconds of one."""
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
        first, saves, cpu = time.perf_counter() - began, [], 0.0
        for number in range(count):
            time.sleep(0.2)
            used, began = _cpu(process.pid), time.perf_counter()
            (folder / file).write_text(f"{text}\n# {number}\n")
            _read_until(ours, last)
            saves.append(time.perf_counter() - began)
            cpu += (_cpu(process.pid) - used) / count
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)
    return first, saves, cpu


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process and of those that it and its children have started and waited for."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if path.parent.name == str(pid) or fields[1] == str(pid):
                ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _read_until(terminal: int, text: bytes) -> None:
    shown = b""
    while text not in shown:
        if not select.select([terminal], [], [], WAIT)[0]:
            raise SystemExit(f"no verdict came; the terminal shows {shown.decode()}")
        shown += os.read(terminal, 1 << 16)


if __name__ == "__main__":
    main()
