"""Grade a class with its training checks, and compare the time with that of the reference's own training.

Of every twenty submissions fourteen are the reference with another comment, four another correct solution and two hold a
known mistake; no two are the same, so that each is trained. Prints the share: the time for the class over the time that as
many trainings of the reference, one after another, would take. Solutions in plain Python loops are left out unless asked for
(`--loops`): a7's trains twenty times as long as the reference, which would measure how many of a class write so.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from autograder.batch.run import grade_class
from autograder.batch.submissions import Submission
from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment
from autograder.judge.oracle import Oracle
from autograder.judge.reference import apply_edits
from autograder.judge.training import Trainer
from autograder.sandbox.job import Chunk, Source
from autograder.sandbox.machine import cores
from autograder.sandbox.probe import open_sandbox

ROOT = Path(__file__).resolve().parents[1]
SEED = 0


def main() -> int:
    """Measure both times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slug", nargs="?", default="a7_transformer")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--loops", action="store_true", help="with solutions in plain loops")
    chosen = parser.parse_args()
    assignment = load_assignment(ROOT, chosen.slug)
    load, jobs = os.getloadavg()[0], cores()
    with open_sandbox(jobs, torch=assignment.torch, secret=ROOT / "solutions") as sandbox:
        trainer = Trainer(Oracle(assignment, SEED))
        alone = 0.0
        for training in assignment.trainings:
            began = time.monotonic()
            trainer.reference_curve(training, sandbox)
            alone += time.monotonic() - began
        submissions = list(itertools.islice(handed_in(assignment, loops=chosen.loops), chosen.count))
        began = time.monotonic()
        results = list(grade_class(Oracle(assignment, SEED), submissions, sandbox, jobs))
        whole = time.monotonic() - began
    right = sum(graded.result.all_passed for graded in results)
    expected = sum(number % 20 not in (3, 11) for number in range(chosen.count))
    print(f"{chosen.slug}, {jobs} cores, load {load:.1f} at the start")
    print(f"the reference trains for {alone:.1f} s; {len(results)} submissions take {whole:.0f} s, {right} are right")
    print(f"share: {whole / (alone * len(results)):.2f} of {len(results)} trainings one after another")
    return int(right != expected)


def handed_in(assignment: Assignment, *, loops: bool) -> Iterator[Submission]:
    """Yield submissions without end, each different from all others."""
    bank = [
        m for m in assignment.misconceptions if any(m.name in training.catches for training in assignment.trainings)
    ]
    others = [a for a in assignment.alternatives if loops or a.name != "loops"]
    for number in itertools.count():
        text = assignment.reference
        if number % 20 in (3, 11):
            text = apply_edits(text, (bank[number // 4 % len(bank)],)) or text
        elif number % 5 == 0:
            text += "\n" + others[number // 5 % len(others)].source
        source = Source(Path(assignment.file).stem, (Chunk(assignment.file, f"{text}\n# submission {number}\n"),))
        yield Submission(f"s{number:03}", assignment.file, source)


if __name__ == "__main__":
    sys.exit(main())
