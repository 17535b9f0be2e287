"""Slips in what students read, and files that nothing reads, are found in a copy of the tiny course, one of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.cli import main
from autograder.course.catalog import MISTAKEN, UNUSUAL, load_assignment, readme_of, replacements_in
from autograder.handout.handout_proofs import text_faults
from autograder.oracle.oracle import Oracle
from autograder.proof.examples import slips
from autograder.proof.known_mistakes import bank_is_sound
from autograder.proof.soundness import correct_solutions_replace
from autograder.proof.stray_files import stray_files
from autograder.proof.texts import text_proofs

SLUG = "t1_means"
TOML = f"assignments/{SLUG}/assignment.toml"
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
        (README, "Three exercises", "# Exercise 1\n\nNot in exercises\n2, 3 to 5 and 7. See Exercise 3.1.\n\nThree exercises", 'README.md says "exercises 2, 3 to 5 and 7", and a course that leaves out'),
        (TOML, "An axis of length one is", "As in exercise 1, an axis is", 'what center says was learned says "exercise 1"'),
        (BANK, 'says="You forgot the root."', 'says="See `np.squareroot`."', "what no_root says: there is no squareroot"),
        (TOML, 'name = "center"', 'name = "center"\nsection = "Means"', 'teaches `center` in "Means", which is not the heading'),
        (TOML, 'name = "center"', 'name = "center"\nsection = "Means"', "of other exercises in which section they are taught"),
    ],
)  # fmt: skip
def test_a_slip_is_one_line(course_copy: Path, file: str, old: str, new: str, line: str) -> None:
    """Points, names in backticks, and exercises without a place in the notebook."""
    path = course_copy / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert any(line in found for found in faults(course_copy)), faults(course_copy)


def put(path: Path, old: str, new: str) -> None:
    """Replace what stands once in a file."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, text.count(old)
    path.write_text(text.replace(old, new), encoding="utf-8")


DOCSTRING = '"""Return the mean of each row of `x`: (..., rows, columns) -> (..., rows).'
CLAIM = '"""The rows 1 2 6 and 4 5 9 have the means 3 and 6.'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (">>> half(1)\n0.5\n", "raises NameError: name 'half' is not defined"),
        ("    >>> 1 + 1\n  2\n", "cannot be read: line 2 of the docstring for <string> has inconsistent leading"),
    ],
)
def test_an_example_that_cannot_be_computed_says_why(text: str, told: str) -> None:
    """There is no right number to tell then."""
    (slip,) = slips(text, {})
    assert slip.trouble.startswith(told)
    assert not slip.right


@pytest.mark.parametrize(
    ("file", "old", "right", "wrong", "told"),
    [
        # A session, a call with its result, a sum and a number in words, in a docstring.
        (REFERENCE, DOCSTRING, "\n\n    >>> row_means(np.array([[1.0, 2.5]]))\n    array([1.75])\n    ", "array([1.85])", "line 15: array([1.85]) is not right; right is array([1.75])"),
        (REFERENCE, DOCSTRING, "\n\n    >>> row_means(np.eye(2)).shape\n    (2,)\n    ", "(3,)", "line 15: (3,) is not right; right is (2,)"),
        (REFERENCE, DOCSTRING, " As row_means(np.array([[1, 2], [3, 3]])) -> [1.5, 3]", "[1.5, 2]", "line 12: row_means(np.array([[1, 2], [3, 3]])) -> [1.5, 2] is not right; right is [1.5, 3]"),
        (REFERENCE, DOCSTRING, "\n\n    With (.5 + 2) / 2 = 1.25 it is\n    half.\n    ", "1.20", "line 14: (.5 + 2) / 2 = 1.20 is not right; right is 1.25"),
        (REFERENCE, DOCSTRING, " Of 4, 5, 9 it is 6.0", "6.3", "line 12: 6.3 is neither in a call nor computed on the way; the nearest is 6.0"),
        # The same in a claim, and an array in one.
        (PUBLIC, CLAIM, "\n\n    They are [3.0 6.0]", "[6.0 3.0]", "line 15: [6.0 3.0] is neither in a call nor computed on the way; the nearest is"),
        (PUBLIC, CLAIM, " Sums 9.0 and 18.0", "18.5", "line 13: 18.5 is neither in a call nor computed on the way; the nearest is 18.0"),
        (PUBLIC, CLAIM, " (1 + 2 + 6) / 3 = 3", "= 4", "line 13: (1 + 2 + 6) / 3 = 4 is not right; right is 3"),
        # A README, in words and in a block.
        (README, "Three exercises", "ln 2 = .693. Three exercises", ".694", "line 3: ln 2 = .694 is not right; right is .693"),
        (README, "Three exercises", "Here `row_means(np.ones((2, 3))) = [1, 1]`. Three exercises", "[1, 2]", "line 3: row_means(np.ones((2, 3))) = [1, 2] is not right; right is [1, 1]"),
        (README, "Three exercises", "    a = .5  and  .75 · 1.6 +\n\nso .6446 · .6 = .3868 is\n\nThree exercises", ".3870", "line 5: .6446 · .6 = .3870 is not right; right is .3868"),
    ],
)  # fmt: skip
def test_a_false_digit_is_told_with_its_line_and_the_right_one(
    course_copy: Path, file: str, old: str, right: str, wrong: str, told: str
) -> None:
    """In every kind of place, and in every form; with the right digits nothing is said."""
    text = (course_copy / file).read_text(encoding="utf-8")
    new = right if file == README else old + right
    put(course_copy / file, old, new)
    if file == REFERENCE:
        stub = course_copy / "assignments" / SLUG / "means.py"
        put(stub, old, new)
    assert [line for line in faults(course_copy) if "stub" not in line] == []
    digits = {"= 4": "= 3", ".694": ".693", ".3870": ".3868", "18.5": "18.0", "6.3": "6.0", "1.20": "1.25"}
    true = digits.get(wrong) or told.rpartition(" is ")[2]
    true = {"[6.0 3.0]": "[3.0 6.0]", "(3,)": "(2,)"}.get(wrong, true)
    (course_copy / file).write_text(text.replace(old, new.replace(true, wrong)), encoding="utf-8")
    (line,) = (line for line in faults(course_copy) if "line" in line)
    assert line.startswith(f"{file}, {told}"), line


def test_doctor_ends_with_1_for_a_false_digit(
    course_copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through the command, with the line to go to."""
    put(course_copy / README, "Three exercises", "ln 2 = .694. Three exercises")
    monkeypatch.setattr("sys.argv", ["autograder", "doctor", SLUG, "--course", str(course_copy)])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    assert f"{README}, line 3: ln 2 = .694 is not right; right is .693" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        "where x + .5 + .2 = .9 and W_x (1 + 2) = 5, h_t = .5, x = -.3069",
        "row_means(x) -> [1, 2], row_means(h, 3) = 4, `f(1) = 3` and decode(row_means(x)) == x",
        "| .5 | 2 = 3 | y_1 2 + 2 = 5 |, a_1 · .5 = .7, 3 = 3, 2 + 2 = 4x and 1 + 1 = 2 + 3, 1 + 1 = 2.",
        "shapes (2, 3) and (batch, 7.5), see section 4.1, 0 < 2 - 1 <= 7",
    ],
)
def test_what_is_no_example_is_left_alone(course_copy: Path, text: str) -> None:
    """Half of a formula, symbols and shapes are not computed."""
    put(course_copy / README, "Three exercises", f"{text}\n\nThree exercises")
    assert [line for line in faults(course_copy) if "right" in line or "neither" in line] == []


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
    assert (
        correct
        == f"there is no other correct solution; write the reference in another way in solutions/{SLUG}/correct/"
    )
    assert bank.startswith("there is no known mistake")


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


def test_other_assignments_of_the_course_are_names(course_copy: Path) -> None:
    """A text may say which assignment it builds on; one that is misspelt is told."""
    put(course_copy / README, "Three exercises", "It needs `t2_tensors`, and `t9_tensors`.\n\nThree exercises")
    found = [line for line in faults(course_copy) if "tensors" in line]
    assert found == ["README.md: there is no t9_tensors, of which `t9_tensors` speaks. Did you mean t2_tensors?"]
