"""How light the pages about a large class are: bytes of the report and of students' pages, and the CPU that they take.

A generated class of the demo's kind is graded, with as many mutants of the reference that may have no name, and its results are
repeated under other names up to the wanted number of students.

    python benchmarks/pages.py --students 2000
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import random
import time
from dataclasses import replace
from pathlib import Path

from bench import HERE, SEED, machine

from autograder.classroom.code_lines import code_of
from autograder.classroom.record import Record, record
from autograder.classroom.run import grade_class
from autograder.classroom.submissions import Submission
from autograder.classroom.summary import Summary
from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment
from autograder.oracle.oracle import Oracle
from autograder.pages.feedback import feedback_html
from autograder.pages.report import report_parts
from autograder.pages.staff import staff_html
from autograder.proof.mutants import mutants_of, source_of
from autograder.sandbox.job import Isolation, Source
from autograder.sandbox.levels import open_sandbox

KINDS = 20  # of known mistakes, and of mutants
PAGES = 100  # of students that are measured
OUT = Path("graded")


def works(assignment: Assignment) -> list[Source]:
    """Return a third right submissions, a third with a known mistake and a third mutants, each drawn by a fixed seed."""
    draw = random.Random(SEED)
    known = [text for m in assignment.misconceptions if (text := apply_edits(assignment.reference, (m,)))]
    mutants = [source_of(assignment, m) for m in mutants_of(assignment) if m.exercise]
    texts = [*draw.sample(known, KINDS), *draw.sample(mutants, KINDS), *[assignment.reference] * KINDS]
    return [Source.of(assignment.file, text) for text in texts]


def graded(slug: str, students: int) -> tuple[list[Record], dict[str, Source]]:
    """Grade one submission of each kind; return the records of a class in which they repeat, and the code of each."""
    oracle = Oracle(load_assignment(HERE.parent, slug).without_training(), SEED)
    written = works(oracle.assignment)
    handed_in = [Submission(f"s{i:05}", "class.zip", source) for i, source in enumerate(written)]
    with open_sandbox(2, torch=oracle.assignment.torch, secret=HERE.parent / "solutions") as sandbox:
        done = list(grade_class(oracle, handed_in, sandbox, 2))
    made = [record(oracle.assignment, g.submission, g.result, g.isolation, SEED, g.seconds) for g in done]
    codes = {one.student: source for one, source in zip(handed_in, written, strict=True)}
    repeated = [
        replace(one, student=f"s{i:05}") for i, one in zip(range(students), itertools.cycle(made), strict=False)
    ]
    names = [one.student for _, one in zip(range(students), itertools.cycle(made), strict=False)]
    return repeated, {one.student: codes[name] for one, name in zip(repeated, names, strict=True)}


def summary_of(results: list[Record], isolation: Isolation) -> Summary:
    """Return what the report says of the run."""
    return Summary(
        assignment=results[0].assignment,
        title=results[0].title,
        seed=SEED,
        due=None,
        engine="0",
        libraries="",
        isolation=isolation,
        seconds=0.0,
        submissions=len(results),
        problems=(),
        without_points=False,
        late=0,
        undated=0,
        overrides=0,
        waiting=0,
        points_waiting=0.0,
        not_submitted=(),
        not_graded=(),
        unclear=(),
        outdated=(),
        left=(),
        not_on_roster=(),
    )


def main() -> None:
    """Measure, and print a line for each kind of page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("slug", nargs="?", default="a5_attention", help="assignment [a5_attention]")
    parser.add_argument("--students", type=int, default=2000, help="students [2000]")
    options = parser.parse_args()
    print(machine(), flush=True)
    results, codes = graded(options.slug, options.students)
    isolation = next(one.isolation for one in results if one.isolation)
    told = summary_of(results, isolation)
    began = time.process_time()
    html = "".join(report_parts(results, told, code_of=lambda student, name: code_of(codes[student], name), out=OUT))
    size, packed = len(html.encode()), len(gzip.compress(html.encode()))
    took = time.process_time() - began
    print(
        f"report of {len(results)} students: {size / 1e6:.2f} MB, {packed / 1e3:.0f} KB compressed, {took:.1f} s of CPU"
    )
    for kind in ("staff", "feedback"):
        began = time.process_time()
        pages = [
            staff_html(one, codes[one.student], OUT, None) if kind == "staff" else feedback_html(one)
            for one in results[:PAGES]
        ]
        took = (time.process_time() - began) / len(pages)
        each = sum(len(page.encode()) for page in pages) / len(pages)
        print(f"a page of {kind}: {each / 1e3:.0f} KB, {took * 1e3:.1f} ms of CPU")


if __name__ == "__main__":
    main()
