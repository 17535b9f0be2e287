"""Measure memory: of the grader while it grades one submission after another, and of a slot beside Python with torch.

The grader's is its resident set at several points of a class, of which one in ten submissions is wrong. A slot's is what its
preloader and the child at work take together: the most that was seen of it, where pages that several processes hold count
once (Pss). It is compared with a Python that has imported torch and does nothing, which is over before the slot begins.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from bench import QUESTIONS, arguments, layout, machine, prepare, submissions
from contestants import BLOCK, Ours

from autograder.sandbox.job import Job, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.process import ENVIRONMENT

ROUNDS = 50
LOOK_SECONDS = 0.05
IMPORTS = [sys.executable, "-c", "import torch; print(flush=True); input()"]
SLEEPS = "import time\ntime.sleep(1)\n"  # so that the child is seen at work


def main() -> None:
    """Measure both and print a table of each."""
    options = arguments(__doc__, ROUNDS).parse_args()
    os.environ.update(ENVIRONMENT)
    print(machine(), flush=True)
    (course, slug), (torch_course, torch_slug) = QUESTIONS
    rows = [["submissions of a5_attention graded", "the grader holds"], *grader(course, slug, options.rounds)]
    print("\n" + layout(rows, markdown=options.markdown), flush=True)
    print("\n" + layout(slot(torch_course, torch_slug), markdown=options.markdown), flush=True)


def grader(course: Path, slug: str, rounds: int) -> list[list[str]]:
    """Return how much this process holds after a twentieth, a fifth and all of a class."""
    oracle = prepare(course, slug)
    handed_in = submissions(oracle.assignment, rounds * BLOCK)
    told = {len(handed_in) // part for part in (20, 5, 1)}
    rows = []
    with open_sandbox(1, torch=oracle.assignment.torch) as sandbox:
        ours = Ours("ours", oracle, sandbox, BLOCK)
        for number, one in enumerate(handed_in, 1):
            ours.run(one)
            if number in told:
                pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
                rows.append([str(number), megabytes(pages * os.sysconf("SC_PAGE_SIZE"))])
    return rows


def slot(course: Path, slug: str) -> list[list[str]]:
    """Return what a slot holds at most, beside a Python that has imported torch."""
    with subprocess.Popen(IMPORTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        if process.stdout:
            process.stdout.readline()
        alone = held(process.pid)
        process.communicate(b"\n")
    oracle = prepare(course, slug)
    assignment = oracle.assignment
    requests = tuple(request for trial in oracle.trials for request in trial.requests)
    source = Source.of(assignment.file, SLEEPS + assignment.reference)
    with open_sandbox(1, torch=True) as sandbox:
        job = Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch)
        working = threading.Thread(target=sandbox.run, args=(job,))
        working.start()
        most = 0
        while working.is_alive():
            most = max(most, sum(map(held, children(os.getpid()))))
            time.sleep(LOOK_SECONDS)
    head = ["", "holds", "times"]
    return [head, ["Python with torch", megabytes(alone), ""], ["a slot", megabytes(most), f"{most / alone:.2f}x"]]


def held(pid: int) -> int:
    """Return the bytes of a process and of all that it started; nothing of what is gone meanwhile."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    own = sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    return own + sum(map(held, children(pid)))


def children(pid: int) -> list[int]:
    """Return the processes that one has started."""
    files = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for file in files for word in file.read_text(encoding="ascii").split()]


def megabytes(number: int) -> str:
    """Return a number of bytes in words."""
    return f"{number / (1 << 20):.0f} MB"


if __name__ == "__main__":
    main()
