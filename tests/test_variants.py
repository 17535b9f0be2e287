"""A variant turns a convention round: the answer of another term is caught and named, this term's gets full marks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import COURSE

from autograder.course.catalog import load_assignment, readme_of
from autograder.course.places import CourseError
from autograder.course.variants import SAID_FIRST
from autograder.handout.handout import handout_files
from autograder.handout.public_data import public_oracle
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.proof.doctor import examine
from autograder.sandbox.job import Sandbox, Source

SAID = "The spread takes the mean over all columns."
VARIANT = f"""
[one_column_less]
exercise = "spread"
old = "return np.sqrt(mean_square)"
new = "mean_square = mean_square * x.shape[-1] / (x.shape[-1] - 1)\\n    return np.sqrt(mean_square)"
caught_by = "spreads_of_any_shape"
says = "You divide by the number of columns; this term divides by one less."

[[one_column_less.text]]
file = "solutions/means.py"
old = "Return the root mean square of each centered row:"
new = "Return the root of the squares' sum over one column less:"

[[one_column_less.text]]
file = "assignments/README.md"
old = "{SAID}"
new = "The spread takes the sum over one column less than there are."
"""


@pytest.fixture
def origin(course_copy: Path) -> Path:
    """Return a course whose author wrote a variant of `spread`."""
    readme = course_copy / "assignments/t1_means/README.md"
    readme.write_text(f"{readme.read_text(encoding='utf-8').rstrip()}\n\n{SAID}\n", encoding="utf-8")
    (course_copy / "solutions/t1_means/variants.toml").write_text(VARIANT, encoding="utf-8")
    return course_copy


def chosen(folder: Path, origin: Path, name: str = "one_column_less") -> Path:
    """Return a course that chooses a variant."""
    folder.mkdir()
    text = f"from = {json.dumps(str(origin))}\n[assignment.t1_means]\nvariants = [{json.dumps(name)}]\n"
    (folder / "course.toml").write_text(text, encoding="utf-8")
    return folder


def test_the_answer_of_another_term_is_caught_and_named(origin: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    """It loses its exercise alone, and says whose convention that is; this term's reference has full marks."""
    former, made = load_assignment(COURSE, "t1_means"), load_assignment(chosen(tmp_path / "mine", origin), "t1_means")
    oracle = Oracle(made, 3)
    right, caught = (grade(Source.of(made.file, a.reference), oracle, sandbox) for a in (made, former))
    assert right.score == right.max_score
    lost = [e for e in caught.exercises if e.score < e.max_score]
    assert [e.name for e in lost] == ["spread"]
    assert {"+".join(c.suspected) for c in lost[0].cases if c.suspected} == {"last_year_not_one_column_less"}
    assert made.misconceptions[0].says.startswith(SAID_FIRST)


def test_students_read_this_terms_convention(origin: Path, tmp_path: Path) -> None:
    """Stub and README of the handout say the new one; a course that chooses nothing is as it was."""
    mine = chosen(tmp_path / "mine", origin)
    files = handout_files(mine, public_oracle(load_assignment(mine, "t1_means")))
    assert SAID.encode() not in files["README.md"]
    assert b"one column less than there are" in files["README.md"]
    assert b"over one column less" in files["means.py"]
    assert b"(x.shape[-1] - 1)" not in b"".join(files.values())
    assert load_assignment(origin, "t1_means").reference == load_assignment(COURSE, "t1_means").reference
    assert SAID in readme_of(origin, "t1_means")


def test_doctor_proves_a_variant(origin: Path, sandbox: Sandbox) -> None:
    """What holds of the exercise holds of the varied one; a variant that students cannot read of is broken."""

    def proof() -> tuple[str, ...]:
        found = list(examine(load_assignment(origin, "t1_means"), sandbox, 2, origin, only=("spread",)))
        return next(p.broken for p in found if p.promise.startswith("variant one_column_less"))

    assert proof() == ()
    path = origin / "solutions/t1_means/variants.toml"
    path.write_text(VARIANT[: VARIANT.index("[[")], encoding="utf-8")
    assert [line.split(" is ")[0] for line in proof()] == ["the docstring in the stub", "the README"]


def test_what_no_longer_applies_is_one_clear_line(origin: Path, tmp_path: Path) -> None:
    """An unknown variant, and an edit without its one place."""
    with pytest.raises(CourseError, match="no such variant"):
        load_assignment(chosen(tmp_path / "a", origin, "columns"), "t1_means")
    path = origin / "solutions/t1_means/variants.toml"
    path.write_text(VARIANT.replace(SAID, "Not there."), encoding="utf-8")
    with pytest.raises(CourseError, match="occurs 0 times"):
        readme_of(chosen(tmp_path / "b", origin), "t1_means")
