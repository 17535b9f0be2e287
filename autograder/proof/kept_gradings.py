"""Results of files that `doctor --watch` graded before, kept while nothing that they depend on has changed.

A result depends on the graded text, the seed, the cases, the known mistakes that diagnoses are looked for among, the other correct
solutions that tell which failures follow from others, and on the files of `basis_of`. Where every case passed, neither known
mistakes nor other solutions matter; where a single exercise failed, other solutions do not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from pathlib import Path

from autograder.course.course_file import FILE
from autograder.course.places import public_folder, secret_folder
from autograder.course.spec import Status
from autograder.judge.result import Result
from autograder.proof.gradings import File, Ungraded, grade_all

# What is in a key itself, or read by no grading: known mistakes, other solutions, and texts.
_APART = frozenset({"misconceptions.py", "mutants.toml", "README.md", "experiment.py", "play.py"})
_FOLDERS_APART = frozenset({"correct", "alternatives", "mistaken", "disguised", "figures", "__pycache__"})


class KeptGradings:
    """Grades files, and those that were graded before in this process not again."""

    def __init__(self) -> None:
        self._results: dict[Hashable, Result] = {}
        self._basis = ""

    def begin(self, course: Path, slug: str) -> None:
        """Begin a round of proofs: forget all results where a file that all of them depend on has changed."""
        basis = basis_of(course, slug)
        if basis != self._basis:
            self._results.clear()
        self._basis = basis

    def grade_all(self, files: Sequence[File], jobs: int) -> list[Result]:
        """Grade files in their order, as `gradings.grade_all` does."""
        known = {number: found for number, file in enumerate(files) if (found := self._known(file))}
        new = [number for number in range(len(files)) if number not in known]
        for number, result in zip(new, grade_all([files[n] for n in new], jobs), strict=True):
            known[number] = result
            if not isinstance(result, Ungraded) and not _by_chance(result):
                self._results[_key(files[number], min(_failed(result), 2))] = result
        return [known[number] for number in range(len(files))]

    def _known(self, file: File) -> Result | None:
        known = (self._results.get(_key(file, failed)) for failed in range(3))
        return next(filter(None, known), None)


def basis_of(course: Path, slug: str) -> str:
    """Return a digest of the files that every result of an assignment depends on: cases, settings, reference, stub, data."""
    digest = hashlib.sha256()
    homes = (public_folder(course, slug), secret_folder(course, slug))
    inside = ((home, path) for home in homes for path in sorted(home.rglob("*")) if path.is_file())
    for home, path in ((course, course / FILE), *inside):
        parts = path.relative_to(home).parts
        if path.is_file() and path.name not in _APART and not _FOLDERS_APART.intersection(parts):
            digest.update(repr((str(path), hashlib.sha256(path.read_bytes()).hexdigest())).encode())
    return digest.hexdigest()


def _key(file: File, failed: int) -> Hashable:
    """Return what a result depends on in which no exercise failed, or one, or several."""
    source, oracle, _ = file
    assignment = oracle.assignment
    cases = tuple((case.exercise, case.name) for case in assignment.cases)
    return source, oracle.seed, cases, (assignment.misconceptions, assignment.correct)[:failed]


def _failed(result: Result) -> int:
    """Return how many exercises failed, also those whose failures follow from others; all where nothing could be run."""
    failed = [e for e in result.exercises if any(c.status is not Status.PASSED or c.follows for c in e.cases)]
    return len(result.exercises) if result.problem else len(failed)


def _by_chance(result: Result) -> bool:
    """Whether a result may be the machine's: a limit of time or memory, or a fault of the grader's own."""
    odd = (Status.TIMEOUT, Status.MEMORY, Status.GRADER_ERROR)
    return any(case.status in odd for exercise in result.exercises for case in exercise.cases)
