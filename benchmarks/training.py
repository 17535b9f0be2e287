"""Grade a class with its training checks, and compare the time with that of the reference's own training.

Of every twenty submissions fourteen are the reference with another comment, four another correct solution and two hold a
known mistake; no two are the same, so that each is trained. Prints the share: the time for the class over the time that as
many trainings of the reference, one after another, would take, at the pace that they had in the class itself.

Solutions in plain Python loops are left out unless asked for (`--loops`): a7's trains twenty times as long as the reference,
which would measure how many of a class write so.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path

from autograder.classroom.run import grade_class
from autograder.classroom.submissions import Submission
from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.machine import cores

ROOT = Path(__file__).resolve().parents[1]
SEED = 0


class Kind(Enum):
    """What a submission of the class is."""

    REFERENCE = "the reference with another comment"
    OTHER = "another correct solution"
    MISTAKEN = "the reference with a known mistake"


def main() -> int:
    """Measure both times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slug", nargs="?", default="a7_transformer")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--loops", action="store_true", help="with solutions in plain loops")
    chosen = parser.parse_args()
    assignment = load_assignment(ROOT, chosen.slug)
    load, jobs = os.getloadavg()[0], cores()
    submissions = list(itertools.islice(handed_in(assignment, loops=chosen.loops), chosen.count))
    with open_sandbox(jobs, torch=assignment.torch, secret=ROOT / "solutions") as sandbox:
        began = time.monotonic()
        results = [graded.result for graded in grade_class(Oracle(assignment, SEED), submissions, sandbox, jobs)]
        whole = time.monotonic() - began
    alone = sum(_usual(assignment, training.exercise, results) for training in assignment.trainings)
    right = sum(result.all_passed for result in results)
    expected = sum(_kind(number) is not Kind.MISTAKEN for number in range(chosen.count))
    print(f"{chosen.slug}, {jobs} cores, load {load:.1f} at the start")
    print(f"the reference trains for {alone:.1f} s; {len(results)} submissions take {whole:.0f} s, {right} are right")
    print(f"share: {whole / (alone * len(results)):.2f} of {len(results)} trainings one after another")
    return int(right != expected)


def _usual(assignment: Assignment, exercise: str, results: Sequence[Result]) -> float:
    """Return how many seconds a whole run of the reference's code took in the class, the median of all that were made."""
    own = [result for number, result in enumerate(results) if _kind(number) is Kind.REFERENCE]
    (place,) = (place for place, each in enumerate(assignment.exercises) if each.name == exercise)
    return statistics.median(result.exercises[place].cases[-1].seconds for result in own)


def _kind(number: int) -> Kind:
    """Return what a submission is, by its number."""
    if number % 20 in (3, 11):
        return Kind.MISTAKEN
    return Kind.OTHER if number % 5 == 0 else Kind.REFERENCE


def handed_in(assignment: Assignment, *, loops: bool) -> Iterator[Submission]:
    """Yield submissions without end, each different from all others."""
    bank = [
        m for m in assignment.misconceptions if any(m.name in training.catches for training in assignment.trainings)
    ]
    others = [a for a in assignment.correct if loops or a.name != "loops"]
    for number in itertools.count():
        text = assignment.reference
        if _kind(number) is Kind.MISTAKEN:
            text = apply_edits(text, (bank[number // 4 % len(bank)],)) or text
        elif _kind(number) is Kind.OTHER:
            text += "\n" + others[number // 5 % len(others)].source
        source = Source.of(assignment.file, f"{text}\n# submission {number}\n")
        yield Submission(f"s{number:03}", assignment.file, source)


if __name__ == "__main__":
    sys.exit(main())
