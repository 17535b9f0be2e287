"""Measure what wrong submissions cost beside right ones, and what a second job brings.

    wrong/right   mistakes that no known one explains, against the reference in turns: wall time of grading, and CPU of the
                  grader's own process; new in a class that has as many others already, and handed in once more
    jobs          `autograder grade` on a class, from the start of the command to its last page, with one job and with two in
                  turns: 40 % of the class are right, 30 % have a known mistake, and of the other 30 % half have a mistake that is
                  not known and the others crash or are unfinished
    a wrong one   what a wrong submission of that class takes on average with one job, beside a right one: what the class takes
                  beyond its right ones, of which one takes what each takes in a class of the same size that is right throughout;
                  the start is told by a class of one

Mistakes that are not known are mutants of the reference (`autograder mutants`) that fail and get no name, drawn by a fixed seed.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench import HERE, SEED, layout, machine, prepare, short

from autograder.command.demo import half_finished
from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.proof.mutants import mutants_of, source_of
from autograder.sandbox.job import Sandbox, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.process import ENVIRONMENT

SLUGS = ("a5_attention", "a2_bptt")
UNKNOWN = 24  # mistakes of each assignment
OF_ONE = 4  # of them at most in one exercise
CLASSES, ROUNDS = (100, 300), 2  # submissions, and how often each class is graded with each number of jobs
RIGHT = ("right",)
TEN = ("right", "known", "other", "right", "known", "right", "other", "known", "right", "other")  # of each ten of them
CRASH = """

def {name}(*args, **kwargs):
    return len(args) + {{}}
"""


def unknown_mistakes(oracle: Oracle, sandbox: Sandbox) -> list[str]:
    """Return sources that fail with wrong values and get no name."""
    assignment, found = oracle.assignment, defaultdict[str, list[str]](list)
    mutants = [mutant for mutant in mutants_of(assignment) if mutant.exercise]
    for mutant in random.Random(SEED).sample(mutants, k=len(mutants)):
        if sum(map(len, found.values())) == UNKNOWN:
            break
        if len(found[mutant.exercise]) == OF_ONE:
            continue
        text = source_of(assignment, mutant)
        result = grade(Source.of(assignment.file, text), oracle, sandbox)
        failing = [case for e in result.exercises for case in e.cases if case.told.headline and not case.follows]
        if not result.problem and not result.all_passed and not any(case.suspected for case in failing):
            found[mutant.exercise].append(text)
    return list(itertools.chain(*found.values()))


def ratios(course: Path, slug: str) -> tuple[list[list[str]], list[str]]:
    """Return rows on the wrong against the right, and the mistakes. Every other one is graded before, as a class would."""
    oracle = without_training(course, slug)
    file, right = oracle.assignment.file, oracle.assignment.reference
    with open_sandbox(1, torch=oracle.assignment.torch, secret=course / "solutions") as sandbox:

        def measured(text: str) -> tuple[float, float]:
            began, cpu = time.perf_counter(), time.process_time()
            grade(Source.of(file, text), oracle, sandbox)
            return time.perf_counter() - began, time.process_time() - cpu

        mistakes = unknown_mistakes(without_training(course, slug), sandbox)
        for text in mistakes[::2]:
            measured(text)
        times = [(measured(right), measured(text), measured(f"{text}\n# a copy")) for text in mistakes[1::2]]
    floor = [statistics.median(seconds) for seconds in zip(*(one[0] for one in times), strict=True)]
    rows = []
    for number, what in ((1, "new"), (2, "the same again")):
        row = [f"{slug}, {what}", str(len(times)), *(f"{short(1e3 * seconds)} ms" for seconds in floor)]
        for kind, least in enumerate(floor):
            times_as_much = [one[number][kind] / least for one in times]
            row += [f"{short(statistics.median(times_as_much))}x", f"{short(max(times_as_much))}x"]
        rows.append(row)
    return rows, mistakes


def without_training(course: Path, slug: str) -> Oracle:
    """Return an assignment's oracle, for the cases alone."""
    oracle = Oracle(prepare(course, slug).assignment.without_training(), SEED)
    for trial in oracle.trials:
        oracle.expected(trial)
    return oracle


def write_class(
    folder: Path, assignment: Assignment, mistakes: list[str], size: int, kinds: Sequence[str] = TEN
) -> None:
    """Write so many files of a class, each student's with a comment of its own."""
    draw, reference, count = random.Random(SEED), assignment.reference, len(assignment.exercises)
    known = [text for m in assignment.misconceptions if (text := apply_edits(reference, (m,)))]
    crashing = [reference + CRASH.format(name=e.name) for e in assignment.exercises]
    broken = _in_turns(draw.sample(crashing, k=count), (half_finished(assignment, n) for n in range(count)))
    texts = {
        "right": itertools.repeat(reference),
        "known": itertools.cycle(draw.sample(known, k=len(known))),
        "other": itertools.cycle(_in_turns(itertools.cycle(mistakes), broken)),
    }
    for number, kind in zip(range(size), itertools.cycle(kinds), strict=False):
        (folder / f"s{number:03}.py").write_text(f"{next(texts[kind])}\n# {number}\n", encoding="utf-8")


def _in_turns(one: Iterable[str], other: Iterable[str]) -> list[str]:
    return [text for pair in zip(one, other, strict=False) for text in pair]


def seconds_with(jobs: int, slug: str, submissions: Path) -> float:
    """Grade a class from nothing by the command and return how long that took."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "autograder", "grade", slug, str(submissions), "--out", folder]
        command += ["--course", str(HERE.parent), "--seed", str(SEED), "--jobs", str(jobs), "--no-training"]
        began = time.perf_counter()
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        took = time.perf_counter() - began
        pages = len(list(Path(folder, "feedback").glob("*.html")))
    if ran.returncode or pages != len(list(submissions.iterdir())):
        raise RuntimeError(f"{pages} were graded: {ran.stderr}")
    return took


def row_of_jobs(slug: str, mistakes: list[str], size: int) -> list[str]:
    """Return how long a class of some size takes with one job and with two, and what a wrong one takes beside a right one."""
    assignment = load_assignment(HERE.parent, slug)
    best = dict.fromkeys(((TEN, size, 1), (TEN, size, 2), (RIGHT, size, 1), (RIGHT, 1, 1)), float("inf"))
    for _ in range(ROUNDS):
        for kinds, count, jobs in best:
            with tempfile.TemporaryDirectory() as folder:
                write_class(Path(folder), assignment, mistakes, count, kinds)
                took = seconds_with(jobs, slug, Path(folder))
            best[kinds, count, jobs] = min(best[kinds, count, jobs], took)
    one, two, all_right, start = best.values()
    right = (all_right - start) / (size - 1)
    number = size * TEN.count("right") // len(TEN)
    wrong = (one - start - right * (number - 1)) / (size - number)
    told = [f"{1e3 * seconds:.0f} ms" for seconds in (right, wrong)]
    return [slug, str(size), f"{short(one)} s", f"{short(two)} s", f"{one / two:.2f}x", *told, f"{wrong / right:.1f}x"]


def main() -> None:
    """Measure, and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    parser.add_argument("slugs", nargs="*", default=SLUGS, help="assignments")
    options = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    print(machine(), flush=True)
    costs = [["", "mistakes", "right, wall", "right, own CPU", "wall, median", "worst", "own CPU, median", "worst"]]
    jobs = [["", "submissions", "one job", "two jobs", "one / two", "a right one", "a wrong one", "wrong / right"]]
    for slug in options.slugs:
        rows, mistakes = ratios(HERE.parent, slug)
        costs += rows
        jobs += [row_of_jobs(slug, mistakes, size) for size in CLASSES]
    print("\na mistake without a name, against a right submission\n" + layout(costs, markdown=options.markdown))
    print("\na class, 40 % of it right\n" + layout(jobs, markdown=options.markdown))


if __name__ == "__main__":
    main()
