"""Grade a class with and without hostile files in it, and compare the times, all others' points, and our own work.

Of ten honest submissions six are the reference with another comment, two another correct solution and two hold a known mistake.
The hostile ones take turns in what they do to keep a slot or the grader busy: each kind once, then again. Prints the ratio of
the two times, and for every kind how long its slot was taken and how much CPU the grader itself spent on it.

What hangs costs its limits of time whatever the grader does; how much that is beside the class depends on the assignment.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from autograder.classroom.run import grade_class, grade_one
from autograder.classroom.submissions import Submission
from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.job import Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.machine import cores

ROOT = Path(__file__).resolve().parents[1]
SEED = 0
# What the body of one function, the first, does; everything else is the reference's, so that there is much to judge.
_CHANNEL = """\
import os, struct, sys
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    channel = frame.f_locals["channel"]
"""
BODIES = {
    "raises in every call": "raise ValueError('no')",
    "an exception of its own": "raise type('E%d' % id(args), (Exception,), {})",
    "ends the process": "import os\n    os._exit(3)",
    "too deep a recursion": "def f():\n        f()\n    f()",
    "memory": "return [bytes(1 << 20) for _ in range(100_000)]",
    "prints for ever": "import os\n    while True:\n        os.write(2, b'z' * 60_000)",
    "a loop": "while True:\n        pass",
    "sleeps": "import time\n    time.sleep(3600)",
    "progress for ever": _CHANNEL + "    while True:\n        channel.report(1, 1.0)",
    "crumbs for ever": _CHANNEL
    + "    os.write(channel._fd, struct.pack('<Q', 1 << 23))\n    while True:\n        os.write(channel._fd, b' ')",
    "ten thousand values": "return [float(i) for i in range(9_900)]",
    "as much as may be returned": "import numpy as np\n    return np.ones(15 << 17)",
}
_PIPES = """
import contextlib, fcntl, os, stat
for descriptor in range(3, 64):
    with contextlib.suppress(OSError):
        held = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
        if held == os.O_RDONLY and stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            again = os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK)
            while True:
                os.write(again, b"g" * 4096)
"""
_HELPERS = "".join(f"def helper_{i}(x):\n    return [x, {i}, 'abc', x + {i} * 2]\n" for i in range(4_000))


def main() -> int:
    """Measure both classes, then each kind alone."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slug", nargs="?", default="a5_attention")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--hostile", type=int, default=20, help="how many of them are hostile")
    chosen = parser.parse_args()
    assignment = load_assignment(ROOT, chosen.slug).without_training()
    oracle, jobs = Oracle(assignment, SEED), cores()
    honest = list(itertools.islice(_honest(assignment), chosen.count - chosen.hostile))
    hostile = list(itertools.islice(_hostile(assignment), chosen.hostile))
    # Spread over the class, as in life.
    step = max(1, len(honest) // max(1, len(hostile)))
    mixed = [
        each for i, one in enumerate(honest) for each in (one, *hostile[i // step : i // step + 1][: i % step == 0])
    ]
    mixed += hostile[-(-len(honest) // step) :]
    print(f"{chosen.slug}, {jobs} cores, load {os.getloadavg()[0]:.1f} at the start")
    with open_sandbox(jobs, torch=assignment.torch, secret=ROOT / "solutions") as sandbox:
        list(grade_class(oracle, honest[:20], sandbox, jobs))  # what is worked out once is not to count for either
        times, points = [], []
        for submissions in (honest, mixed):
            began = time.monotonic()
            graded = list(grade_class(oracle, submissions, sandbox, jobs))
            times.append(time.monotonic() - began)
            points.append({each.submission.student: each.result.score for each in graded})
        same = all(points[1][student] == score for student, score in points[0].items())
        print(f"without: {times[0]:.1f} s for {len(honest)}; with: {times[1]:.1f} s for {len(mixed)}")
        print(f"ratio: {times[1] / times[0]:.2f}; all others' points are {'the same' if same else 'NOT THE SAME'}")
        for one in hostile[: len(BODIES) + 2]:
            began, worked = time.monotonic(), time.thread_time()
            grade_one(Trainer(oracle), one, sandbox)
            print(
                f"{time.monotonic() - began:6.1f} s in a slot, {time.thread_time() - worked:5.2f} s of ours: {one.origin}"
            )
    return int(not same)


def _honest(assignment: Assignment) -> Iterator[Submission]:
    """Yield honest submissions without end, each different from all others."""
    bank, others = assignment.misconceptions, assignment.correct
    for number in itertools.count():
        text = assignment.reference
        if number % 10 in (3, 7):
            text = apply_edits(text, (bank[number % len(bank)],)) or text
        elif number % 10 in (1, 5):
            text += "\n" + others[number // 4 % len(others)].source
        yield _submission(assignment, f"s{number:03}", assignment.file, f"{text}\n# submission {number}\n")


def _hostile(assignment: Assignment) -> Iterator[Submission]:
    """Yield hostile submissions without end, one kind after the other."""
    name = next(e.name for e in assignment.exercises if e.name in e.blanks)
    kinds = {kind: f"\n\ndef {name}(*args, **kwargs):\n    {body}\n" for kind, body in BODIES.items()}
    kinds |= {"fills our pipe": _PIPES, "250 KB to look through": f"\n{_HELPERS}\n" + kinds["an exception of its own"]}
    for number in itertools.count():
        kind = list(kinds)[number % len(kinds)]
        yield _submission(assignment, f"x{number:03}", kind, assignment.reference + kinds[kind])


def _submission(assignment: Assignment, student: str, file: str, text: str) -> Submission:
    return Submission(student, file, Source.of(assignment.file, text))


if __name__ == "__main__":
    sys.exit(main())
