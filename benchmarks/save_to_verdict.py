"""How long a student waits: from the save of a file to the whole answer in the terminal, for `check.py next` and `--watch`.

Each handout is made and unzipped. Its file holds the reference, but for the last exercise, which is not written, and the first
one that has known mistakes. Each save turns that one from its stub into one of five versions, again and again, in a
terminal of its own. CPU seconds of all processes of a save say what a machine with nothing else to do would need, but for the
waiting between looks. A process each is a check as it is without either.

    python benchmarks/save_to_verdict.py a5_attention a7_transformer
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pty
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment
from autograder.handout.handout import handout_files, write_files
from autograder.handout.kit.reset import with_stub
from autograder.handout.public_data import public_oracle

ROOT = Path(__file__).parents[1]
LAST_WORDS = {"next": b"q quit", "--watch": b"Ctrl-C to stop"}  # of what each shows for a save
WAIT = 120.0
REST = 0.15  # seconds between saves
AFTER = "\n\n_right = {name}\n\n\ndef {name}(*given, **named):\n    {body}\n"  # a version that wraps the right one
Seconds = tuple[float, float]  # on the wall and of CPU


def main() -> None:
    """Print a table for each assignment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slugs", nargs="*", default=["a5_attention", "a7_transformer"])
    parser.add_argument("--saves", type=int, default=10)
    chosen = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    for slug in chosen.slugs:
        print(f"\n{_table(load_assignment(ROOT, slug), chosen.saves)}", flush=True)
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")


def _table(assignment: Assignment, saves: int) -> str:
    """Return what each save takes, in Markdown."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(handout_files(ROOT, public_oracle(assignment)), folder)
        versions = _versions(assignment, 0)[1]
        (folder / assignment.file).write_text(versions["a known mistake"])
        alone = [_alone(folder) for _ in range(3)]
        took = {way: _saves(folder / assignment.file, way, assignment, saves) for way in LAST_WORDS}
    heads = " | ".join(f"`{way}`: median | worst | CPU" for way in took)
    rows = [f"| {assignment.slug}, seconds | {heads} |", f"|---{'|---' * 3 * len(took)}|"]
    for version in versions:
        cells = (
            f"{each.median:.2f} | {each.worst:.2f} | {each.cpu:.2f}" for each in (took[way][version] for way in took)
        )
        rows.append(f"| {version} | {' | '.join(cells)} |")
    wall, cpu = map(statistics.median, zip(*alone, strict=True))
    return "\n".join([*rows, f"A process each, on a known mistake: {wall:.2f} s, CPU {cpu:.2f} s."])


def _versions(assignment: Assignment, number: int) -> tuple[str, Mapping[str, str]]:
    """Return the file before a save, and the versions that are saved, by what they are; mistakes differ by number."""
    first = assignment.misconceptions[0]
    last = assignment.exercises[-1]
    exercise = next(e for e in assignment.exercises if e.name == first.exercise)

    def left_open(text: str) -> str:
        return with_stub(text, assignment.stub, last)

    right = left_open(assignment.reference)
    wrong = AFTER.format(name=first.exercise, body=f"return _right(*given, **named) * 1.37 + 0.{number}21")
    known = [m for m in assignment.misconceptions if m.exercise == first.exercise]
    mistaken = apply_edits(assignment.reference, (known[number % len(known)],)) or ""
    crashing = AFTER.format(name=first.exercise, body="return [_right(*given, **named)][1]")
    return with_stub(right, assignment.stub, exercise), {
        "right": right,
        "a known mistake": left_open(mistaken),
        "a mistake without a name": right + wrong,
        "a crash": right + crashing,
        "no Python": f"{right}\n\ndef {first.exercise}(:\n",
    }


def _alone(folder: Path) -> Seconds:
    used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "check.py"], cwd=folder, capture_output=True, check=False)
    took, now = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


@dataclass
class Took:
    """What the saves of one version took."""

    seconds: list[Seconds] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The seconds of a save on the wall."""
        return statistics.median(wall for wall, _ in self.seconds)

    @property
    def worst(self) -> float:
        """The same of the slowest."""
        return max(wall for wall, _ in self.seconds)

    @property
    def cpu(self) -> float:
        """The CPU seconds of a save; a mean, since the system counts in hundredths."""
        return statistics.mean(cpu for _, cpu in self.seconds)


def _saves(file: Path, way: str, assignment: Assignment, count: int) -> dict[str, Took]:
    """Return what the saves of each version take; the first of all are not counted."""
    ours, theirs = pty.openpty()
    before, versions = _versions(assignment, 0)
    file.write_text(before)
    process = subprocess.Popen(
        [sys.executable, "check.py", way],
        cwd=file.parent,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    took = {version: Took() for version in versions}

    def save(text: str) -> Seconds:
        time.sleep(REST)
        used, began = _cpu(process.pid), time.perf_counter()
        file.write_text(text)
        _read_until(ours, LAST_WORDS[way])
        return time.perf_counter() - began, _cpu(process.pid) - used

    try:
        _read_until(ours, LAST_WORDS[way])
        for number in range(count + 1):
            for version, text in _versions(assignment, number)[1].items():
                seconds = save(f"{text}\n# {number}\n")
                took[version].seconds += [seconds] if number else []
                save(f"{before}\n# {number} {version}\n")
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)
    return took


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
