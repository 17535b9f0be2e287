"""A variant turns a convention round: the answer of another term is caught and named, this term's gets full marks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import COURSE

from autograder.course.catalog import as_edited, as_written, load_assignment, readme_of
from autograder.course.places import CourseError, slugs
from autograder.course.variants import files_of, variants_in
from autograder.course.varied import SAID_FIRST, homeless
from autograder.handout.handout import handout_files
from autograder.handout.public_data import public_oracle
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.proof.doctor import examine
from autograder.sandbox.job import Sandbox, Source

ROOT = Path(__file__).parents[1]
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


TURNED = """
[mean_first]
exercise = "center"
old = "return x - means"
new = "return means - x"
caught_by = "centers_any_shape"
says = "You take the mean from each row; this term takes the row from its mean."
drops = ["negates_the_result", "centers_in_place"]

[[mean_first.also]]
exercise = "spread"
old = "return np.sqrt(mean_square)"
new = "return np.sqrt(mean_square) + 1.0"
caught_by = "spreads_of_any_shape"

[[mean_first.text]]
file = "solutions/means.py"
old = "Return `x` with each row's mean taken from it,"
new = "Return each row's mean without `x`,"

[[mean_first.text]]
file = "assignments/README.md"
old = "each row without its mean"
new = "each mean without its row"
"""
FOLLOWED = """
[means_as_columns]
exercise = "row_means"
old = "return total / x.shape[-1]"
new = "return as_columns(total / x.shape[-1])"
caught_by = "means_of_any_shape"
says = "Your means have lost their axis; this term keeps it."

[[means_as_columns.also]]
exercise = "center"
old = "means = as_columns(row_means(x))"
new = "means = row_means(x)"

[[means_as_columns.also]]
exercise = "spread"
old = "return np.sqrt(mean_square)"
new = "return np.sqrt(mean_square)[..., 0]"

[[means_as_columns.text]]
file = "solutions/means.py"
old = "(..., rows, columns) -> (..., rows).\\"\\"\\"\\n    # BEGIN SOLUTION\\n    total"
new = "(..., rows, columns) -> (..., rows, 1).\\"\\"\\"\\n    # BEGIN SOLUTION\\n    total"

[[means_as_columns.text]]
file = "assignments/README.md"
old = "the mean of each row."
new = "the mean of each row, with its axis."
"""
MEAN_SQUARE = "squares = center(x) ** 2\n    mean_square = row_means(squares)"
ADAPTED = """
[[means_as_columns.text]]
file = "solutions/correct/library.py"
old = ".mean(-1)"
new = ".mean(-1, keepdims=True)"
"""


def _proof(origin: Path, sandbox: Sandbox, only: tuple[str, ...] = ()) -> tuple[str, ...]:
    found = examine(load_assignment(origin, "t1_means"), sandbox, 2, origin, only=only)
    return next(proof.broken for proof in found if proof.promise.startswith("variant "))


def _with_variants(course: Path, text: str) -> Path:
    (course / "solutions/t1_means/variants.toml").write_text(text, encoding="utf-8")
    return course


def test_a_convention_runs_through_several_exercises(course_copy: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    """Each of them has its own known mistake; a known mistake that the edits do not touch is made anew."""
    origin = _with_variants(course_copy, TURNED)
    assert _proof(origin, sandbox, ("center", "spread")) == ()
    made = load_assignment(chosen(tmp_path / "mine", origin, "mean_first"), "t1_means")
    bank = {m.name: m for m in made.misconceptions}
    assert {"last_year_not_mean_first", "last_year_not_mean_first_in_spread"} < bank.keys()
    added = bank["adds_the_mean"]
    assert "return means + x" in made.reference.replace(added.old, added.new)
    assert "mean_minus_x" not in bank  # it is this term's convention


def test_known_mistakes_without_a_place_are_named_together(course_copy: Path, sandbox: Sandbox) -> None:
    """One run says all that has to be dropped: one has no place, another is last term's convention by now."""
    text = TURNED.replace('drops = ["negates_the_result", "centers_in_place"]\n', "")
    text = text.replace('old = "return np.sqrt(mean_square)"', f"old = {json.dumps(MEAN_SQUARE)}")
    text = text.replace('"return np.sqrt(mean_square) + 1.0"', '"mean_square = 1.0 + np.mean(center(x) ** 2, axis=-1)"')
    told = "\n".join(_proof(_with_variants(course_copy, text), sandbox, ("center", "spread")))
    assert 'add "root_of_the_sum" to `drops`' in told
    assert "negates_the_result is diagnosed as last_year_not_mean_first" in told


def test_what_a_proved_variant_is_chosen_for_is_proved(course_copy: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    """Correct solutions without anything of their own go; that none is left is told at home, not to who chooses it."""
    origin = _with_variants(course_copy, FOLLOWED)
    assert [line for line in _proof(origin, sandbox) if "there is no other correct solution" in line]
    _with_variants(origin, FOLLOWED + ADAPTED)
    assert _proof(origin, sandbox) == ()
    mine = chosen(tmp_path / "mine", origin, "means_as_columns")
    made = load_assignment(mine, "t1_means")
    assert [one.name for one in made.correct] == ["library"]
    assert [proof for proof in examine(made, sandbox, 2, mine) if not proof.holds] == []


def test_what_only_follows_is_no_known_mistake(course_copy: Path, tmp_path: Path) -> None:
    """Its answers are the same in both conventions, so last term's are right."""
    mine = chosen(tmp_path / "mine", _with_variants(course_copy, FOLLOWED), "means_as_columns")
    former = [m for m in load_assignment(mine, "t1_means").misconceptions if m.name.startswith("last_year")]
    assert [m.exercise for m in former] == ["row_means"]


SHIPPED = [(slug, name) for slug in slugs(ROOT) for name in variants_in(ROOT, slug)]


@pytest.mark.parametrize(("slug", "name"), SHIPPED)
def test_shipped_variants_have_their_places(slug: str, name: str) -> None:
    """Every edit occurs once, every known mistake has a place or is dropped, and students read the convention."""
    files = files_of(ROOT, slug, [name])
    former, made = as_written(ROOT, slug), as_written(ROOT, slug, files)
    assert homeless(as_edited(slug, files), files) == ()
    assert made.stub != former.stub
    assert made.correct
    readme = files.public / "README.md"
    assert files.text(readme) != readme.read_text(encoding="utf-8")
