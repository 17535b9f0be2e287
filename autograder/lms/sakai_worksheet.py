"""Fill `grades.csv`, which lies in the archive that Sakai's `Download All` gives out and `Upload All` takes back.

Sakai reads no heading of it, but takes one separator and one decimal mark: those of its user's language, semicolons and commas in
German or Spanish. So all is written as the file has it. The first line has the assignment, the third the headings; of each
student the second cell is the user name, and the fifth the grade; of each group it is the fourth.

Source: `AssignmentAction.java`, uploadAll_parseZipFile and validPointGrade; `AssignmentServiceImpl.java`, zipGroupSubmissions and
getCsvSeparator.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from autograder.lms.platform import Row
from autograder.lms.worksheet import Filled, WorksheetError, cells_of, separator_of, written

_ABOVE = 3  # lines before the first student's
_FRACTION = re.compile(r"[0-9]+([.,])[0-9]+")


def fill(text: str, rows: Sequence[Row], due: Collection[str]) -> Filled:
    """Return the list with the points of students who are due; the rows are of all.

    Raises WorksheetError where it is no such list, or no row has a line.
    """
    above = text.splitlines()[:_ABOVE]
    separator = separator_of(above[-1]) if above else ","
    table = cells_of(text, separator)
    lines = {line[1].strip(): line for line in table[_ABOVE:] if len(line) > 3}
    if not lines:
        raise WorksheetError(
            "it is not Sakai's list of grades. Download All puts it as grades.csv into the archive, where CSV is chosen for it."
        )
    name, at = (_user, 4) if any(_user(row) in lines for row in rows) else (_group, 3)
    mark = _decimal_mark([line[at].strip() for line in lines.values() if len(line) > at], separator)
    graded = [(row.student, row.score, lines.get(name(row), [])) for row in rows]
    there = [(student, score, line) for student, score, line in graded if score is not None and len(line) > at]
    if rows and not there:
        raise WorksheetError("none of the students has a line in it. Is it of this class?")
    for student, score, line in there:
        if student in due:
            line[at] = str(round(score, 2)).removesuffix(".0").replace(".", mark)
    filled = {student for student, _, _ in there if student in due}
    return Filled(written(table, separator), frozenset(filled))


def _user(row: Row) -> str:
    return row.number if row.system == "sakai" else row.login or row.id


def _group(row: Row) -> str:
    """Return what stands in the last brackets of a group's folder."""
    return row.place.partition("/")[0].rpartition("(")[2].rstrip(")") if row.system == "sakai" else ""


def _decimal_mark(grades: Sequence[str], separator: str) -> str:
    """Return the sign that the file's own grades have, or else the one that goes with its separator."""
    said = {match[1] for grade in grades if (match := _FRACTION.fullmatch(grade))}
    return said.pop() if len(said) == 1 else "," if separator == ";" else "."
