"""The README's table of assignments: what it counts is what there is.

`python tests/test_overview.py` counts again and writes the table, between the comments that mark it.
"""

from __future__ import annotations

import re
from pathlib import Path

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
HEAD = """| assignment | exercises | of them training | cases | known mistakes | other correct ways |
|---|---|---|---|---|---|
"""
_TABLE = re.compile(r"(<!-- assignments: [^>]*-->\n).*?(<!-- /assignments -->)", re.DOTALL)
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


def counted(readme: str) -> str:
    """Return the README with a table that is counted anew; what it tells of each assignment stays."""
    table = _TABLE.search(readme)
    assert table, "the comments around the table of assignments are gone"
    rows = "".join(row(told, slug) for told, slug in _TOLD.findall(table[0]))
    return readme.replace(table[0], f"{table[1]}{HEAD}{rows}{table[2]}")


def test_the_table_counts_what_there_is() -> None:
    """Every assignment has its line, in the order of the course, and every number in it is true."""
    readme = README.read_text(encoding="utf-8")
    assert [slug for _, slug in _TOLD.findall(readme)] == list(slugs(ROOT))
    assert readme == counted(readme), "python tests/test_overview.py writes it"


if __name__ == "__main__":
    README.write_text(counted(README.read_text(encoding="utf-8")), encoding="utf-8")
