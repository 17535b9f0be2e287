"""The README's table of assignments, and its class of the demo: what they count is what there is.

`python tests/test_overview.py` counts again and writes the table, between the comments that mark it, and the class.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from autograder.classroom.submissions import read_submissions
from autograder.command.demo import write_class
from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.submission.written_exercises import Stub

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
HEAD = """| assignment | exercises | of them training | cases | known mistakes | other correct ways |
|---|---|---|---|---|---|
"""
_TABLE = re.compile(r"(<!-- assignments: [^>]*-->\n).*?(<!-- /assignments -->)", re.DOTALL)
_CLASS = re.compile(r"writes a class of \d+ submissions and grades it")
_TOLD = re.compile(r"^\| (\[`(\w+)`\]\([^)]+\): [^|]+) \|", re.MULTILINE)


def row(told: str, slug: str) -> str:
    """Return the line of an assignment: what is told of it, and what is counted."""
    assignment = load_assignment(ROOT, slug)
    trainings = {training.exercise for training in assignment.trainings}
    counts = (
        len(assignment.exercises),
        len(trainings) or "",
        len(assignment.cases),
        len(assignment.misconceptions),
        len(assignment.correct),
    )
    return f"| {told} | {' | '.join(map(str, counts))} |\n".replace("|  |", "| |")


def class_of_the_demo() -> int:
    """Return how many submissions `grade` finds in the class that `demo` writes: less than there are files."""
    assignment = load_assignment(ROOT, "a5_attention")
    with tempfile.TemporaryDirectory() as folder:
        return len(read_submissions(write_class(assignment, Path(folder)), Stub.of(assignment)))


def counted(readme: str) -> str:
    """Return the README with every number counted again; what its table tells of each assignment stays."""
    table = _TABLE.search(readme)
    assert table, "the comments around the table of assignments are gone"
    assert _CLASS.search(readme), "the README no longer says how large the class of the demo is"
    rows = "".join(row(told, slug) for told, slug in _TOLD.findall(table[0]))
    readme = readme.replace(table[0], f"{table[1]}{HEAD}{rows}{table[2]}")
    return _CLASS.sub(f"writes a class of {class_of_the_demo()} submissions and grades it", readme)


def test_the_readme_counts_what_there_is() -> None:
    """Every assignment has its line, in the order of the course, and every number in it and the demo's is true."""
    readme = README.read_text(encoding="utf-8")
    assert [slug for _, slug in _TOLD.findall(readme)] == list(slugs(ROOT))
    assert readme == counted(readme), "python tests/test_overview.py writes it"


if __name__ == "__main__":
    README.write_text(counted(README.read_text(encoding="utf-8")), encoding="utf-8")
