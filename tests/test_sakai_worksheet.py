"""Sakai's own list of grades, filled as Sakai reads it: uploadAll_parseZipFile skips three lines and takes one separator."""

from __future__ import annotations

import csv

import pytest
from lms_exports import SAKAI_SPANISH as SPANISH

from autograder.lms.platform import Row
from autograder.lms.sakai_worksheet import fill
from autograder.lms.worksheet import WorksheetError

# The headings of assignment_de_DE.properties.
GROUPS = """\
"Mittel";"SCORE_GRADE_TYPE"

"Gruppe";"ID";"Benutzer";"Bewertung";"Zeit";"zu spät"
"Group A";"17";"Lovelace, Ada(alovelace)";"";"";""
"""
ENGLISH = SPANISH.replace(";", ",").replace("1,5", "")


def row(score: float | None = 2.5, *, number: str = "alovelace", place: str = "Lovelace, Ada(alovelace)") -> Row:
    """Return a line of a class that came from Sakai."""
    return Row("ada", "Ada", "", "", "", "", "sakai", number, "", place, "Means", score, 7, str)


def taken(text: str, separator: str, mark: str, at: int) -> dict[str, str]:
    """Read a list as Sakai does, and refuse points as validPointGrade does."""
    lines = list(csv.reader(text.splitlines(), delimiter=separator))[3:]
    grades = {line[1]: line[at] for line in lines if len(line) > at}
    assert not any({",": ".", ".": ","}[mark] in grade for grade in grades.values())
    return {user: grade.replace(mark, ".") for user, grade in grades.items()}


@pytest.mark.parametrize(
    ("text", "separator", "mark", "old"),
    [
        (SPANISH, ";", ",", "1.5"),
        (ENGLISH, ",", ".", ""),
        (SPANISH.replace("1,5", "1.5"), ";", ".", "1.5"),  # csv.separator is the site's
        (SPANISH.replace("1,5", ""), ";", ",", ""),
    ],
)
def test_the_files_own_signs(text: str, separator: str, mark: str, old: str) -> None:
    """Whole points have no decimals; lines of others, headings and dates stay as they are."""
    done = fill(text, [row()], {"ada"})
    assert taken(done.text, separator, mark, 4) == {"alovelace": "2.5", "gstrang": old}
    assert done.students == {"ada"}
    before, after = (list(csv.reader(one.splitlines(), delimiter=separator)) for one in (text, done.text))
    assert [line[:4] + line[5:] for line in before] == [line[:4] + line[5:] for line in after]
    assert taken(fill(text, [row(7.0)], {"ada"}).text, separator, mark, 4)["alovelace"] == "7"


def test_groups_and_what_is_graded_anonymously() -> None:
    """A group has its number in its folder's brackets; who is anonymous stands there as the folder is called."""
    group = row(place="Group A (17)/Einreichungsanhange")
    assert taken(fill(GROUPS, [group], {group.student}).text, ";", ",", 3) == {"17": "2.5"}
    anonymous = SPANISH.replace('"alovelace";"alovelace"', '"a1-b2 anónimo";"a1-b2 anónimo"')
    found = fill(anonymous, [row(number="a1-b2 anónimo", place="a1-b2 anónimo")], {"ada"}).text
    assert taken(found, ";", ",", 4)["a1-b2 anónimo"] == "2.5"
    assert not fill(SPANISH, [row(), row(None)], {"ada"}).students - {"ada"}
    assert not fill(SPANISH, [row()], set()).students


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not Sakai's list"),
        ("id,name\n1,Ada\n", "not Sakai's list"),
        (SPANISH.replace("alovelace", "eve"), "none of the students has a line"),
    ],
)
def test_another_file_is_refused(text: str, told: str) -> None:
    """With what it should be."""
    with pytest.raises(WorksheetError, match=told):
        fill(text, [row()], {"ada"})
