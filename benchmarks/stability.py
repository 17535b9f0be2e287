"""Grade the demo class again and again, in another order, with other hidden inputs and another number of workers each time.

Every submission has to get the same points for every exercise each time. Prints how many were graded, who got other
points, and whose mistakes got other names; exit code 1 where points differ.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from autograder.classroom.run import grade_class
from autograder.classroom.submissions import read_submissions
from autograder.command.demo import write_class
from autograder.course.catalog import load_assignment
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.sandbox.levels import open_sandbox
from autograder.submission.written_exercises import Stub

ROOT = Path(__file__).resolve().parents[1]
MOST_JOBS = 4


def main() -> int:
    """Grade the class as often as asked, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slug", nargs="?", default="a5_attention")
    parser.add_argument("--times", type=int, default=50)
    chosen = parser.parse_args()
    assignment = load_assignment(ROOT, chosen.slug)
    points: dict[tuple[str, str], set[float]] = defaultdict(set)
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        submissions = list(read_submissions(write_class(assignment, Path(folder)), Stub.of(assignment)))
        for number in range(chosen.times):
            jobs, began = random.Random(number).randint(1, MOST_JOBS), time.monotonic()
            random.Random(number).shuffle(submissions)
            with open_sandbox(jobs, torch=assignment.torch, secret=ROOT / "solutions") as sandbox:
                for graded in grade_class(Oracle(assignment, number), submissions, sandbox, jobs):
                    note(graded.submission.student, graded.result, points, names)
            differing = sum(len(scores) > 1 for scores in points.values())
            taken = time.monotonic() - began
            print(f"{number + 1}: {len(submissions)} with {jobs} jobs in {taken:.0f} s, {differing} differ", flush=True)
    for what, seen in (("points", points), ("names", names)):
        for (student, exercise), values in seen.items():
            if len(values) > 1:
                print(f"other {what}: {student}, {exercise}: {', '.join(map(str, sorted(values)))}")
    return int(any(len(scores) > 1 for scores in points.values()))


def note(
    student: str, result: Result, points: dict[tuple[str, str], set[float]], names: dict[tuple[str, str], set[str]]
) -> None:
    """Keep an exercise's points, and the names that its mistakes were given."""
    for exercise in result.exercises:
        points[student, exercise.name].add(exercise.score)
        names[student, exercise.name].add(" ".join(sorted({case.diagnosis for case in exercise.cases})))


if __name__ == "__main__":
    sys.exit(main())
