"""Prove the variants of an assignment, each as a course that chooses it would give it.

What `doctor` proves of an exercise is proved of the varied one. Then whole files are graded: the reference and other correct
solutions reach full marks, and the reference as it was, which students may have from another term, loses the exercise alone.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from autograder.course.catalog import as_written, load_assignment
from autograder.course.course_file import FILE, written
from autograder.course.places import CourseError, entry_of
from autograder.course.spec import Assignment
from autograder.course.variants import Variant, files_of, variants_in
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.proof.gradings import exercise_failures, failures, grade_all
from autograder.proof.soundness import Proof, concerns
from autograder.sandbox.job import Sandbox, Source

Prove = Callable[[Assignment, Path, str], Iterator[Proof]]  # what `doctor` proves of one exercise of an assignment
SEED = 0


def variant_proofs(
    course: Path, slug: str, only: Collection[str], prove: Prove, sandbox: Sandbox, jobs: int
) -> Iterator[Proof]:
    """Yield a proof for each variant that the course does not choose anyway, or for those of some exercises."""
    entry = entry_of(course, slug)
    for variant in variants_in(course, slug).values():
        if {variant.name, variant.exercise} & {*entry.variants, *entry.without} or not concerns(only, variant.exercise):
            continue
        with tempfile.TemporaryDirectory() as folder:
            home, chosen = Path(folder), replace(entry, variants=(variant.name,))
            text = f"from = {json.dumps(str(entry.home.resolve()))}\n{written(slug, chosen)}"
            (home / FILE).write_text(text, encoding="utf-8")
            broken = tuple(_broken(home, slug, variant, prove, sandbox, jobs))
        yield Proof(f"variant {variant.name}: students read it, and the other convention is caught and named", broken)


def _broken(home: Path, slug: str, variant: Variant, prove: Prove, sandbox: Sandbox, jobs: int) -> Iterator[str]:
    try:
        made, whole = load_assignment(home, slug), as_written(home, slug)
        if made.stub == whole.stub:
            yield "the docstring in the stub is that of the other convention; add a [[text]] of the reference"
        files = files_of(home, slug)
        if files.text(files.public / "README.md") == replace(files, variants=()).text(files.public / "README.md"):
            yield "the README is that of the other convention; add a [[text]] of assignments/README.md"
        lines = [f"{proof.promise}: {line}" for proof in prove(made, home, variant.exercise) for line in proof.broken]
    except CourseError as error:
        yield str(error)
        return
    yield from lines
    if lines:
        return
    texts = (whole.reference, made.reference, *(made.with_replaced(one.source) for one in made.correct))
    oracle = Oracle(made, SEED)
    former, *right = grade_all([(Source.of(made.file, text), oracle, sandbox) for text in texts], jobs)
    for name, result in zip(("the reference", *(one.name for one in made.correct)), right, strict=True):
        yield from (f"{name}: {line}" for line in failures(result))
    yield from _unnamed(variant, former)


def _unnamed(variant: Variant, former: Result) -> Iterator[str]:
    """Yield how the answer in the other convention is not caught and named in its exercise, and in no other."""
    if former.problem:
        yield f"the other convention: {former.problem.splitlines()[0]}"
        return
    for exercise in former.exercises:
        failed = list(exercise_failures(exercise))
        if exercise.name != variant.exercise:
            yield from (f"the other convention also costs {line}" for line in failed)
            continue
        named = {"+".join(case.suspected) for case in exercise.cases if case.suspected}
        if not failed or named != {variant.mistake}:
            yield f"the other convention is told as {', '.join(sorted(named)) or 'nothing'}, not as {variant.mistake}"
