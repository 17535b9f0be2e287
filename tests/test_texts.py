"""Slips in what students read, and files that nothing reads, are found in a copy of the tiny course, one of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course.catalog import MISTAKEN, UNUSUAL, load_assignment, readme_of, replacements_in
from autograder.course.spec import Assignment
from autograder.handout.text_checks import text_faults
from autograder.handout.write_notebook import notebook_cells
from autograder.oracle.oracle import Oracle
from autograder.proof.folders import stray_files
from autograder.proof.soundness import bank_is_sound, correct_solutions_replace
from autograder.proof.texts import text_proofs

SLUG = "t1_means"
README = f"assignments/{SLUG}/README.md"
PUBLIC = f"assignments/{SLUG}/cases.py"
BANK = f"solutions/{SLUG}/misconceptions.py"
REFERENCE = f"solutions/{SLUG}/means.py"


def faults(course: Path, slug: str = SLUG) -> list[str]:
    """Return what is wrong with the texts and folders of an assignment."""
    assignment = load_assignment(course, slug)
    proofs = text_proofs(course, assignment, Oracle(assignment, 0))
    return [*stray_files(course, assignment), *(line for _, broken in proofs for line in broken)]


@pytest.mark.parametrize("slug", ["t1_means", "t2_tensors", "t3_learning"])
def test_sound_texts_have_no_faults(course: Path, slug: str) -> None:
    """Nothing is found where nothing is wrong."""
    assignment = load_assignment(course, slug)
    assert faults(course, slug) == []
    assert correct_solutions_replace(assignment).holds
    assert bank_is_sound(assignment).holds


@pytest.mark.parametrize(
    ("file", "old", "new", "line"),
    [
        (README, "`center(x)`, 2 points", "`center(x)`, 3 points", "README.md gives `center` 3 points, assignment.toml 2"),
        (README, "`center(x)`", "`centre(x)`", "README.md: there is no centre, of which `centre(x)` speaks. Did you mean center?"),
        (README, "Three exercises", "    a block\n\nSee $x$ and $$y$$ and `center_rows`. It costs 1 $.\n\nThree exercises", "there is no center_rows"),
        (README, "Three exercises", "$$x$$\n\nIt takes `(rows, colums)`.\n\nThree exercises", "there is no colums"),
        (README, "Three exercises", "```python\nx\n```\n`numpy.meen` and `torch.tensr` are given.\n\nThree exercises", "there is no tensr"),
        (BANK, 'says="You forgot the root."', 'says="See `np.squareroot`."', "what no_root says: there is no squareroot"),
        (
            README,
            "Three exercises",
            "Exercise: `row_means`.\n\nThree exercises",
            'README.md does not say "Exercise: `center`", nor has it a section of that name',
        ),
        (README, "Three exercises", "Exercises: `row_mean`.\n\nThree", "and there is no such exercise"),
    ],
)  # fmt: skip
def test_a_slip_is_one_line(course_copy: Path, file: str, old: str, new: str, line: str) -> None:
    """Points, names in backticks, and exercises without a place in the notebook."""
    path = course_copy / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert any(line in found for found in faults(course_copy)), faults(course_copy)


def test_a_number_that_the_reference_does_not_give(course_copy: Path) -> None:
    """A worked number with a digit wrong is told with its case; the right one, also on the way to the answer, is not."""
    path = course_copy / PUBLIC
    text = path.read_text(encoding="utf-8")
    case = '@case("spread", check=close())\ndef by_hand(rng):\n    """A row of 1 and 2: mean 1.5, spread {}."""\n'
    for told, wrong in ((".5000", []), (".5100", ["spread.by_hand says .5100"])):
        call = "    yield call(np.array([[1.0, 2.0]]))\n"
        path.write_text(f"{text}\n\n{case.format(told)}{call}", encoding="utf-8")
        found = faults(course_copy)
        assert [line.partition(",")[0] for line in found] == wrong


def test_an_exercise_stands_where_its_method_is_named(course_copy: Path) -> None:
    """`Affine.forward(x)` asks for Affine, also before a full stop."""
    assignment: Assignment = load_assignment(course_copy, "t2_tensors")
    readme = "# T\n\n## One\n\nExercise: `Affine.forward(x)`. Not more.\n\n## Two\n\nExercises: `doubled`, `Chain.forward`.\n\nEnd.\n"
    cells = list(notebook_cells(readme, assignment.stub, assignment.exercises, "start", "setup"))
    checks = [i for i, (_, text) in enumerate(cells) if text.startswith('grader.check("')]
    assert [cells[i][1] for i in checks] == [f'grader.check("{name}")' for name in ("Affine", "doubled", "Chain")]
    assert checks[-1] < next(i for i, (_, text) in enumerate(cells) if text.startswith("End."))


def test_a_misspelt_folder_is_an_error(course_copy: Path) -> None:
    """What is in it would be graded by nobody; so would files that begin with _, and whatever else nothing reads."""
    secret = course_copy / "solutions" / SLUG
    (secret / "correct").rename(secret / "corect")
    (course_copy / "assignments" / SLUG / "notes.txt").write_text("mine")
    (secret / "mistaken").mkdir()
    (secret / "mistaken" / "_later.py").write_text("")
    found = faults(course_copy)
    assert [line.partition(" is ")[0] for line in found] == [
        f"assignments/{SLUG}/notes.txt", f"solutions/{SLUG}/corect", f"solutions/{SLUG}/mistaken/_later.py",
    ]  # fmt: skip
    assert "is a folder that nothing reads. Did you mean correct? Allowed there: cases.py, correct/, " in found[1]


def test_a_proof_over_nothing_fails(course_copy: Path) -> None:
    """Without correct solutions, or without a bank, nothing is proved."""
    secret = course_copy / "solutions" / SLUG
    for path in (secret / "correct").glob("*.py"):
        path.unlink()
    (secret / "misconceptions.py").write_text("MISCONCEPTIONS = ()\n")
    assignment = load_assignment(course_copy, SLUG)
    (correct,), (bank,) = correct_solutions_replace(assignment).broken, bank_is_sound(assignment).broken
    assert correct == f"there is none; write it in another correct way in solutions/{SLUG}/correct/"
    assert bank.startswith("there is none")


def test_files_and_headings_that_are_not_there(course: Path) -> None:
    """A README speaks of files that the handout holds, and links to headings that it has."""
    readme = (
        readme_of(course, SLUG)
        + "\nSee `check.py`, `pace.txt`, [one](#means-and-what-is-left-without-them) and [two](#nowhere).\n"
    )
    assert list(text_faults({"README.md": readme.encode(), "check.py": b""})) == [
        "README.md speaks of `pace.txt`, which is not in it",
        "README.md links to #nowhere, which is no heading",
    ]


def test_a_course_with_the_former_folder_names_is_graded_and_told(course_copy: Path) -> None:
    """Folders as 0.1.0 called them are read; doctor says in a line what each is called now."""
    secret = course_copy / "solutions" / SLUG
    before = load_assignment(course_copy, SLUG)
    (secret / "correct").rename(secret / "alternatives")
    for folder in ("strange", "disguised"):
        (secret / folder).mkdir()
        (secret / folder / "adds_the_mean.py").write_text("def center(x):\n    return x + x.mean(-1, keepdims=True)\n")
    assert load_assignment(course_copy, SLUG).correct == before.correct
    for kind in (UNUSUAL, MISTAKEN):
        assert [r.name for r in replacements_in(course_copy, SLUG, kind)] == ["adds_the_mean"]
    assert faults(course_copy) == [
        f"solutions/{SLUG}: rename alternatives/ to correct/",
        f"solutions/{SLUG}: rename strange/ to correct/unusual/",
        f"solutions/{SLUG}: rename disguised/ to mistaken/",
    ]


def test_both_names_at_once_are_both_read(course_copy: Path) -> None:
    """A file that stayed in a former folder is not forgotten."""
    secret = course_copy / "solutions" / SLUG
    (secret / "alternatives").mkdir()
    (secret / "correct" / "loops.py").rename(secret / "alternatives" / "loops.py")
    assert [r.name for r in load_assignment(course_copy, SLUG).correct] == ["library", "loops"]
    assert faults(course_copy) == [f"solutions/{SLUG}: rename alternatives/ to correct/"]
