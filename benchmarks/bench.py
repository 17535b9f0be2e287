"""Measure what it costs to grade one submission, in CPU and in wall time, beside three other ways to run it.

    bare fork     a warm process forks, the child runs the source and makes the calls (floor.py): the floor
    ours          at each level of isolation this machine offers
    right only    ours at the strongest of them, on correct submissions alone
    published     the same, with what the gradebook notes and the four files of each student
    cold process  the same jobs and judgement, each in a new process
    pytest        a test file with the same calls and checks, once per submission

All of them take turns, a block of submissions each and many rounds, so that whatever else the machine does falls on
all alike. Wall time is the median over submissions. CPU is the median over blocks: it is that of the whole process
tree, read from /proc, so that preloaders that still run count, and there it is kept in hundredths of a
second. Every process uses one thread.

Expected answers are computed once per run, and not counted; what known mistakes answer is computed when the first
failure asks for it, and counted. Submissions are correct for the most part: of every twenty, fourteen are the reference
with another comment, four another correct solution, and two hold a known mistake. Every verdict has to be the known
one, or there is no table.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import platform
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from contestants import BLOCK, Contestant, Fork, HandedIn, Ours, Published, Pytest, RightOnly

from autograder.classroom.gradebook_lock import open_gradebook
from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.guards import imported_in
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.process import ENVIRONMENT, ProcessSandbox
from autograder.sandbox.slot import Profile

HERE = Path(__file__).resolve().parent
QUESTIONS = ((HERE.parent, "a5_attention"), (HERE / "course", "b1_masked_softmax"))
ROUNDS = 10
SEED = 0


@dataclass
class Record:
    """What one contestant was measured at: seconds, of wall time by submission and of CPU by round."""

    name: str
    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)

    def add(self, cpu: float, wall: float) -> None:
        """Add a measurement."""
        self.cpus.append(cpu)
        self.walls.append(wall)

    @property
    def wall(self) -> float:
        """Wall seconds per submission."""
        return statistics.median(self.walls)

    @property
    def cpu(self) -> float:
        """CPU seconds per submission."""
        return statistics.median(self.cpus)

    def times(self, other: Record) -> float:
        """Return how many times the CPU of another this one takes."""
        return self.cpu / other.cpu


def cpu_of_children() -> float:
    """Return the CPU seconds of all processes this one started, directly or not, gone or living."""
    gone = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks = sum(_living(os.getpid(), _processes())) if Path("/proc/self/stat").exists() else 0
    return gone.ru_utime + gone.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def _processes() -> dict[int, list[tuple[int, int]]]:
    """Return every process's children as (id, ticks of it and of the children it has waited for)."""
    children: dict[int, list[tuple[int, int]]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append((int(path.parent.name), sum(map(int, fields[11:15]))))
    return children


def _living(pid: int, processes: dict[int, list[tuple[int, int]]]) -> Iterator[int]:
    for child, ticks in processes.get(pid, ()):
        yield ticks
        yield from _living(child, processes)


def measure(contestant: Contestant, record: Record, block: Sequence[HandedIn]) -> None:
    """Run a block of submissions and add what they took to a record."""
    children, own = cpu_of_children(), time.process_time()
    for handed_in in block:
        started = time.perf_counter()
        contestant.run(handed_in)
        record.walls.append(time.perf_counter() - started)
    own = time.process_time() - own
    record.cpus.append((own + cpu_of_children() - children) / len(block))


def submissions(assignment: Assignment, count: int) -> list[HandedIn]:
    """Return a class: of every twenty, two with a known mistake, four solved otherwise, fourteen like the reference.

    A solution that imports torch where the question has none would cost a second more, in every row.
    """
    draw = random.Random(SEED)
    reference = assignment.reference
    others = [a.source for a in assignment.correct if assignment.torch or "torch" not in imported_in([a.source])]
    other = itertools.cycle(HandedIn(f"{reference}\n{source}", right=True) for source in others)
    wrong = itertools.cycle(
        HandedIn(apply_edits(reference, (m,)) or "", right=False)
        for m in draw.sample(assignment.misconceptions, k=len(assignment.misconceptions))
    )
    found: list[HandedIn] = []
    while len(found) < count:
        block = [*itertools.islice(wrong, 2), *itertools.islice(other, 4), *[HandedIn(reference, right=True)] * 14]
        found += draw.sample(block, k=BLOCK)
    return [replace(one, text=f"{one.text}\n# number {number}\n") for number, one in enumerate(found[:count])]


def contest(contestants: Sequence[Contestant], handed_in: Sequence[HandedIn]) -> list[Record]:
    """Let contestants take turns, round after round; each has run one submission unmeasured before."""
    records = [Record(contestant.name) for contestant in contestants]
    for contestant in contestants:
        contestant.run(handed_in[0])
    for start in range(0, len(handed_in), BLOCK):
        block = handed_in[start : start + BLOCK]
        for contestant, record in zip(contestants, records, strict=True):
            measure(contestant, record, block[: contestant.block])
    return records


@contextlib.contextmanager
def warm(course: Path, slug: str) -> Iterator[tuple[Fork, list[Ours]]]:
    """Open the floor and our own sandboxes, one for each level this machine has, each with an oracle to itself."""
    found: dict[str, Ours] = {}
    with contextlib.ExitStack() as opened:
        floor = Fork(prepare(course, slug))
        opened.callback(floor.close)
        for profile in (Profile(), Profile(namespaces=False)):
            oracle = prepare(course, slug)
            sandbox = open_sandbox(1, torch=oracle.assignment.torch, profile=profile)
            opened.enter_context(sandbox)
            level = sandbox.isolation.level
            if level != "C":
                found.setdefault(level, Ours(f"ours, level {level}", oracle, sandbox, BLOCK))
        yield floor, list(found.values())


def prepare(course: Path, slug: str) -> Oracle:
    """Load a question and compute what to expect."""
    oracle = Oracle(load_assignment(course, slug), SEED)
    for trial in oracle.trials:
        oracle.expected(trial)
    return oracle


def bench(course: Path, slug: str, rounds: int) -> list[Record]:
    """Measure one question."""
    oracle = prepare(course, slug)
    handed_in = submissions(oracle.assignment, rounds * BLOCK)
    with contextlib.ExitStack() as opened:
        floor, ours = opened.enter_context(warm(course, slug))
        tests, out = (Path(opened.enter_context(tempfile.TemporaryDirectory())) for _ in range(2))
        book = opened.enter_context(open_gradebook(out, oracle.assignment))
        right: list[Contestant] = [RightOnly(ours[0]), Published(ours[0], book)] if ours else []
        cold = Ours("cold process", oracle, opened.enter_context(ProcessSandbox()), 2)
        return contest([floor, *ours, *right, cold, Pytest(oracle, tests)], handed_in)


def table(records: Sequence[Record], *, markdown: bool) -> str:
    """Lay out records, each against the first."""
    rows = [["", "submissions", "CPU, ms", "wall, ms", "CPU / floor", "wall / floor"]]
    floor = records[0]
    rows += [
        [
            record.name,
            str(len(record.walls)),
            short(record.cpu * 1e3),
            short(record.wall * 1e3),
            f"{short(record.times(floor))}x",
            f"{short(record.wall / floor.wall)}x",
        ]
        for record in records
    ]
    return layout(rows, markdown=markdown)


def layout(rows: list[list[str]], *, markdown: bool) -> str:
    """Align a table whose first row is its head: names left, numbers right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if markdown:
        rows = [rows[0], ["---", *["---:"] * (len(widths) - 1)], *rows[1:]]
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    )


def short(number: float) -> str:
    """Return a number with as many digits as can be believed."""
    return f"{number:.1f}" if number < 100 else f"{number:.0f}"


def machine() -> str:
    """Say where this was measured."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return f"{cores} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}{load}"


def arguments(description: str | None, rounds: int) -> argparse.ArgumentParser:
    """Return the options both benchmarks share."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    parser.add_argument("--rounds", type=int, default=rounds, help=f"rounds of {BLOCK} submissions [{rounds}]")
    return parser


def main() -> None:
    """Measure every question and print a table each."""
    options = arguments(__doc__, ROUNDS).parse_args()
    os.environ.update(ENVIRONMENT)  # before torch is imported, here and in every process started here
    print(machine(), flush=True)
    for course, slug in QUESTIONS:
        records = bench(course, slug, options.rounds)
        print(f"\n{slug}\n" + table(records, markdown=options.markdown), flush=True)


if __name__ == "__main__":
    main()
