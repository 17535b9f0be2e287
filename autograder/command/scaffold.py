"""Write a new assignment: two mirrored folders with one small exercise, which doctor accepts as it stands."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from autograder.course.catalog import load_assignment
from autograder.course.course_file import FILE, read_course_file
from autograder.course.places import slugs
from autograder.course.stub import render_stub
from autograder.submission.candidates import HELPERS


class ScaffoldError(Exception):
    """The assignment cannot be created; the message says why and what to do."""


# A student's file is a module of its name in the sandbox, and stands beside the course's own files and those of a handout.
_TAKEN = sys.stdlib_module_names | {*keyword.kwlist, "autograder", "cases", "misconceptions", "pytest"}
_TAKEN |= {name.partition(".")[0] for name in HELPERS}

_TOML = """\
title = "{title}"
order = {order}
points = 2
file = "{file}"

[[exercise]]
name = "row_means"
section = "Means of rows"
points = 2
difficulty = 1
hints = [
    "What is the mean of 1, 2 and 6, and by which number did you divide?",
    "Add up each row along its axis, and divide by how many numbers stand in it.",
    "`x.sum(axis=...) / x.shape[...]`",
]
learned = "A reduction along an axis removes that axis."
"""

_README = """\
# {title}

What students will be able to do, what they have to know before, and how many hours it takes.

## Means of rows

The mean of a row of $n$ numbers is $\\frac{{1}}{{n}} \\sum_j x_j$, so `row_means` of `(rows, columns)` is `(rows,)`:

    >>> row_means(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]]))
    array([2., 6.])

## The exercises

| | exercise | points | difficulty |
|---|---|---|---|
| 1 | `row_means(x)` | 2 | ★ |
| | **together** | **2** | |

## Check yourself

    autograder check {slug} {file}
"""

_PUBLIC = '''\
"""Public cases: students see these inputs and the expected outputs."""

import numpy as np

from autograder.course.spec import call, case
from autograder.judge.checks import close


@case("row_means", check=close())
def two_rows(rng):
    """Two rows of three numbers, small enough to work out by hand."""
    yield call(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]]))
'''

_HIDDEN = '''\
"""Hidden cases: drawn from the run's seed, every dimension different from every other."""

from autograder.course.spec import call, case
from autograder.judge.checks import close


@case("row_means", check=close())
def matches_the_reference(rng):
    """Random rows give the same means as the reference."""
    yield call(rng.normal(size=(3, 5)))
'''

_REFERENCE = '''\
"""{title}: fill in each function, then run `autograder check {slug} {file}`."""

import numpy as np


def row_means(x: np.ndarray) -> np.ndarray:
    """Return the mean of each row of `x`: (rows, columns) -> (rows,).

    >>> row_means(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]]))
    array([2., 6.])
    """
    # BEGIN SOLUTION
    return x.sum(axis=1) / x.shape[1]
    # END SOLUTION
'''

_MISCONCEPTIONS = '''\
"""Known mistakes: the smallest edit of the reference, the case that catches it, the sentence a student reads."""

from autograder.course.mistakes import edit, mistakes_of

MISCONCEPTIONS = mistakes_of(
    "row_means",
    divides_by_rows=edit(
        "/ x.shape[1]",
        "/ x.shape[0]",
        "matches_the_reference",
        "You divide by the number of rows; a row's mean divides by how many numbers stand in it.",
    ),
)
'''

_CORRECT = '''\
"""The same with a loop."""


def row_means(x):
    return np.array([sum(row) / len(row) for row in x])
'''


def scaffold(course: Path, slug: str) -> tuple[Path, ...]:
    """Write both folders of an assignment and return the files. Raises ScaffoldError where the name will not do."""
    file = file_of_new(course, slug)
    topic = file.removesuffix(".py")
    words = {"slug": slug, "file": file, "title": topic.replace("_", " ").capitalize(), "order": next_order(course)}
    public = {"assignment.toml": _TOML.format(**words), "README.md": _README.format(**words), "cases.py": _PUBLIC}
    secret = {
        file: _REFERENCE.format(**words),
        "cases.py": _HIDDEN,
        "misconceptions.py": _MISCONCEPTIONS,
        "correct/loops.py": _CORRECT,
    }
    return write_new(course, slug, public, secret)


def file_of_new(course: Path, slug: str) -> str:
    """Return what the file of a new assignment is called. Raises ScaffoldError where the assignment cannot be made."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", slug):
        raise ScaffoldError(f"{slug!r} will not do as a name; use lower-case words joined by _, such as a9_diffusion.")
    topic = slug.partition("_")[2] or slug
    if topic in _TAKEN:
        raise ScaffoldError(
            f"{slug!r} will not do as a name: {topic}.py would hide a module that is needed. Add a word."
        )
    if read_course_file(course).chosen:
        raise ScaffoldError(
            f"{course / FILE} chooses assignments of a course. Add {slug} to that course, then name it here."
        )
    for folder in _folders(course, slug):
        if folder.exists():
            raise ScaffoldError(f"{folder} exists already; nothing was written.")
    return f"{topic}.py"


def next_order(course: Path) -> int:
    """Return the place of a new assignment, after all others."""
    return len(slugs(course)) + 1


def write_new(course: Path, slug: str, public: Mapping[str, str], secret: Mapping[str, str]) -> tuple[Path, ...]:
    """Write the files of both folders, by name, and the stub rendered from them; return their paths.

    They are loaded elsewhere first, so a course gets a whole assignment or none. Raises CourseError, StubError or OSError.
    """
    with tempfile.TemporaryDirectory() as name:
        trial = Path(name)
        written = _write(trial, slug, public, secret)
        assignment = load_assignment(trial, slug)
        stub = {assignment.file: render_stub(assignment)}
    try:
        written = _write(course, slug, public, secret)
        return (*written, *_write(course, slug, stub, {}))
    except BaseException:
        for folder in _folders(course, slug):
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _folders(course: Path, slug: str) -> tuple[Path, Path]:
    return course / "assignments" / slug, course / "solutions" / slug


def _write(course: Path, slug: str, *texts: Mapping[str, str]) -> list[Path]:
    written = []
    for folder, files in zip(_folders(course, slug), texts, strict=True):
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            written.append(path)
    return written
