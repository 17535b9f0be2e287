"""Measure what wrong submissions cost beside right ones, and what a second job brings.

    wrong/right   mistakes that no known one explains, against the reference in turns: wall time of grading, and CPU of the
                  grader's own process; new in a class that has as many others already, and handed in once more
    jobs          a class of which 40 % are right, 30 % have a known mistake and 30 % one that is not known, with one job and
                  with two, in turns

Mistakes that are not known are mutants of the reference (`autograder mutants`) that fail and get no name, drawn by a fixed seed.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from bench import HERE, SEED, layout, machine, prepare, short

from autograder.classroom.judges import judges_for
from autograder.classroom.run import grade_class
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment
from autograder.judge.grade import grade
from autograder.oracle.edits import apply_edits
from autograder.oracle.oracle import Oracle
from autograder.proof.mutants import mutants_of, source_of
from autograder.sandbox.job import Sandbox, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.process import ENVIRONMENT

SLUGS = ("a5_attention", "a2_bptt")
UNKNOWN = 24  # mistakes of each assignment
OF_ONE = 4  # of them at most in one exercise
CLASS, ROUNDS = 60, 2  # submissions, and how often the class is graded with each number of jobs


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


def class_of(assignment: Assignment, mistakes: list[str]) -> list[Submission]:
    """Return a class: of every ten four right, three with a known mistake and three with another."""
    known = [text for m in assignment.misconceptions if (text := apply_edits(assignment.reference, (m,)))]
    drawn = itertools.cycle(random.Random(SEED).sample(known, k=len(known)))
    other = itertools.cycle(mistakes)
    kinds: list[Callable[[], str]] = [lambda: assignment.reference] * 4 + [lambda: next(drawn), lambda: next(other)] * 3
    texts = (f"{kind()}\n# {number}\n" for number, kind in zip(range(CLASS), itertools.cycle(kinds), strict=False))
    return [Submission(f"s{i:03}", assignment.file, Source.of(assignment.file, text)) for i, text in enumerate(texts)]


def seconds_with(jobs: int, course: Path, slug: str, mistakes: list[str]) -> float:
    """Grade the class from nothing and return how long that took."""
    oracle = without_training(course, slug)
    assignment = oracle.assignment
    with open_sandbox(jobs, torch=assignment.torch, secret=course / "solutions") as sandbox:
        began = time.perf_counter()
        with judges_for(jobs, oracle, sandbox) as judges:
            graded = list(grade_class(oracle, class_of(assignment, mistakes), sandbox, jobs, judges=judges))
        took = time.perf_counter() - began
    if len(graded) != CLASS:
        raise RuntimeError(f"{len(graded)} of {CLASS} were graded")
    return took


def main() -> None:
    """Measure, and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    parser.add_argument("slugs", nargs="*", default=SLUGS, help="assignments")
    options = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    print(machine(), flush=True)
    costs = [["", "mistakes", "right, wall", "right, own CPU", "wall, median", "worst", "own CPU, median", "worst"]]
    jobs = [["", "one job", "two jobs", "one / two"]]
    for slug in options.slugs:
        rows, mistakes = ratios(HERE.parent, slug)
        costs += rows
        took = {1: float("inf"), 2: float("inf")}
        for _ in range(ROUNDS):
            took = {count: min(best, seconds_with(count, HERE.parent, slug, mistakes)) for count, best in took.items()}
        jobs.append([slug, f"{short(took[1])} s", f"{short(took[2])} s", f"{took[1] / took[2]:.2f}x"])
    print("\na mistake without a name, against a right submission\n" + layout(costs, markdown=options.markdown))
    print(f"\n{CLASS} submissions, 40 % of them right\n" + layout(jobs, markdown=options.markdown))


if __name__ == "__main__":
    main()
