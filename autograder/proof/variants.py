"""Prove the variants of an assignment, each as a course that chooses it would give it.

What `doctor` proves of an exercise is proved of the varied ones and of those that build on them, and so is what it asks of the
whole assignment: a course that chooses a proved variant is proved. Then whole files are graded: the reference and other correct
solutions reach full marks, and the reference as it was, which students may have from another term, loses these exercises alone.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.course.catalog import as_edited, as_written, load_assignment
from autograder.course.course_file import FILE, written
from autograder.course.places import CourseError, entry_of, public_folder, secret_folder
from autograder.course.spec import Assignment
from autograder.course.variants import Files, Turned, files_of, variants_in
from autograder.course.varied import homeless
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.proof.gradings import exercise_failures, failures, grade_all
from autograder.proof.soundness import Proof, concerns, correct_solutions_replace, stub_is_fresh
from autograder.proof.stray_files import stray_files
from autograder.sandbox.job import Sandbox, Source

# What `doctor` proves of some exercises of an assignment.
Prove = Callable[[Assignment, Path, Collection[str]], Iterator[Proof]]
SEED = 0


def variant_proofs(
    course: Path, slug: str, only: Collection[str], prove: Prove, sandbox: Sandbox, jobs: int
) -> Iterator[Proof]:
    """Yield a proof for each variant that the course does not choose anyway, or for those of some exercises."""
    entry = entry_of(course, slug)
    for variant in variants_in(course, slug).values():
        turned = tuple(one for one in variant.turned if one.exercise not in entry.without)
        if variant.name in entry.variants or not any(concerns(only, one.exercise) for one in turned):
            continue
        with tempfile.TemporaryDirectory() as folder:
            home, chosen = Path(folder), replace(entry, variants=(variant.name,))
            text = f"from = {json.dumps(str(entry.home.resolve()))}\n{written(slug, chosen)}"
            (home / FILE).write_text(text, encoding="utf-8")
            broken = tuple(_broken(home, slug, turned, prove, sandbox, jobs))
        yield Proof(f"variant {variant.name}: students read it, and the other convention is caught and named", broken)


def _broken(
    home: Path, slug: str, turned: Sequence[Turned], prove: Prove, sandbox: Sandbox, jobs: int
) -> Iterator[str]:
    try:
        made, whole = load_assignment(home, slug), as_written(home, slug, Files(*_folders(home, slug)))
        yield from _unread(home, slug, made, whole)
        yield from _unplaced(home, slug)
        proofs = (*_of_all_files(home, made), *prove(made, home, _touched(made, turned)))
        lines = [f"{proof.promise}: {line}" for proof in proofs for line in proof.broken]
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
    yield from _unnamed(turned, former)


def _folders(home: Path, slug: str) -> tuple[Path, Path]:
    return public_folder(home, slug), secret_folder(home, slug)


def _unread(home: Path, slug: str, made: Assignment, whole: Assignment) -> Iterator[str]:
    """Yield which texts for students do not say the convention."""
    if made.stub == whole.stub:
        yield "the docstring in the stub is that of the other convention; add a [[text]] of the reference"
    files = files_of(home, slug)
    readme = files.public / "README.md"
    if files.text(readme) == replace(files, variants=()).text(readme):
        yield "the README is that of the other convention; add a [[text]] of assignments/README.md"


def _unplaced(home: Path, slug: str) -> Iterator[str]:
    """Yield all known mistakes that the edits leave no place, in one line that says what to write."""
    files = files_of(home, slug)
    if names := homeless(as_edited(slug, files), files):
        listed = ", ".join(f'"{name}"' for name in names)
        yield f"its edits leave some known mistakes no place: add {listed} to `drops`, or edit them by a [[text]]"


def _of_all_files(home: Path, made: Assignment) -> Iterator[Proof]:
    """Yield what `doctor` asks of the whole assignment in a course that chooses a variant, so far as a variant can break it."""
    yield correct_solutions_replace(made)
    yield stub_is_fresh(made)
    yield Proof("every file has its place", tuple(stray_files(home, as_written(home, made.slug))))


def _touched(made: Assignment, turned: Sequence[Turned]) -> tuple[str, ...]:
    """Return the exercises that are turned round, and those that build on them."""
    names = {one.exercise for one in turned}
    return tuple(e.name for e in made.exercises if names & {e.name, *made.uses(e.name)} and not e.manual)


def _unnamed(turned: Sequence[Turned], former: Result) -> Iterator[str]:
    """Yield how the answer in the other convention is not caught and named in its exercises, and in no other."""
    if former.problem:
        yield f"the other convention: {former.problem.splitlines()[0]}"
        return
    mistakes = {one.exercise: one.mistake for one in turned if one.caught_by}
    for exercise in former.exercises:
        failed = list(exercise_failures(exercise))
        if exercise.name not in mistakes:
            yield from (f"the other convention also costs {line}" for line in failed)
            continue
        named = {"+".join(case.suspected) for case in exercise.cases if case.suspected}
        caught = failed or exercise.again  # made in several exercises, it is charged in one
        if not caught or named != {mistakes[exercise.name]}:
            told = ", ".join(sorted(named)) or "nothing"
            yield f"the other convention is told as {told}, not as {mistakes[exercise.name]}"
