"""Write what is rendered from a reference: the stub, in its file or files, and the questions of quizzes."""

from __future__ import annotations

from pathlib import Path

from autograder.course.catalog import as_written
from autograder.course.places import CourseError, entry_of, public_folder
from autograder.course.spec import Assignment
from autograder.course.stub import render_stub
from autograder.handout.quiz_text import with_questions
from autograder.proof.parts import without_unwritten


def write_stub(course: Path, assignment: Assignment, *, draft: bool = False) -> tuple[Path, ...]:
    """Write the stub rendered from the reference, and the questions of quizzes into the README; return the paths of the stub's files.

    Both are of the assignment as it is written, whatever course.toml leaves out of it, and in a `draft` without exercises
    that the reference does not have yet. Raises CourseError in another's course.
    """
    slug, owner = assignment.slug, entry_of(course, assignment.slug).home.resolve()
    if owner != course.resolve():
        raise CourseError(
            f"The files of {slug} lie in {owner}. Run: autograder doctor {slug} --write-stub --course {owner}"
        )
    assignment, home = as_written(course, slug), public_folder(course, slug)
    if assignment.questions:
        readme = home / "README.md"
        _write(readme, with_questions(readme.read_text(encoding="utf-8-sig"), assignment.questions))
    stub = render_stub(without_unwritten(assignment) if draft else assignment)
    paths = {home / name: text for name, text in assignment.as_files(stub).items()}
    for path, text in paths.items():
        _write(path, text)
    return tuple(paths)


def _write(path: Path, text: str) -> None:
    """Write a file that is not so already: `doctor --watch` takes every change for one to examine."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
