"""Write a new assignment: two mirrored folders with one small exercise, which doctor accepts as it stands."""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path

from autograder.course.catalog import load_assignment, slugs
from autograder.course.stub import render_stub
from autograder.submission.which_file import HELPERS


class ScaffoldError(Exception):
    """The assignment cannot be created; the message says why and what to do."""


# A student's file is a module of its name in the sandbox, and stands beside the course's own files and those of a handout.
_TAKEN = sys.stdlib_module_names | {*keyword.kwlist, "autograder", "cases", "misconceptions", "pytest", "safetensors"}
_TAKEN |= {name.partition(".")[0] for name in HELPERS}

_TOML = """\
title = "{title}"
order = {order}
points = 2
file = "{file}"

[[exercise]]
name = "row_means"
section = "Exercises"
points = 2
difficulty = 1
"""

_README = """\
# {title}

What the student is to understand, in a paragraph.

## Exercises

- `row_means(x)`, 2 points: the mean of each row of `x`, shape `(rows, columns)` to `(rows,)`.

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
    """Return the mean of each row of `x`: (rows, columns) -> (rows,)."""
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
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", slug):
        raise ScaffoldError(f"{slug!r} will not do as a name; use lower-case words joined by _, such as a9_diffusion.")
    topic = slug.partition("_")[2] or slug
    if topic in _TAKEN:
        raise ScaffoldError(
            f"{slug!r} will not do as a name: {topic}.py would hide a module that is needed. Add a word."
        )
    public, secret = course / "assignments" / slug, course / "solutions" / slug
    for folder in (public, secret):
        if folder.exists():
            raise ScaffoldError(f"{folder} exists already; nothing was written.")
    words = {
        "slug": slug,
        "file": f"{topic}.py",
        "title": topic.replace("_", " ").capitalize(),
        "order": len(slugs(course)) + 1,
    }
    texts = {
        public / "assignment.toml": _TOML.format(**words),
        public / "README.md": _README.format(**words),
        public / "cases.py": _PUBLIC,
        secret / f"{topic}.py": _REFERENCE.format(**words),
        secret / "cases.py": _HIDDEN,
        secret / "misconceptions.py": _MISCONCEPTIONS,
        secret / "correct" / "loops.py": _CORRECT,
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assignment = load_assignment(course, slug)
    stub = public / assignment.file
    stub.write_text(render_stub(assignment), encoding="utf-8")
    return (*texts, stub)
