"""A master notebook of otter becomes a draft that loads; what cannot be carried over is listed, and nothing of it runs."""

import json
from pathlib import Path

import nbformat
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Visibility

Q1 = '''\
def row_means(x):
    """Return the mean of each row of `x`."""
    # BEGIN SOLUTION
    counts = x.shape[1]
    return x.sum(axis=1) / counts
    # END SOLUTION'''
Q2 = '''\
def centre(x, by=SHIFT):
    rows = len(x)
    means = row_means(x)  # SOLUTION
    x = x - means[:, None]  # SOLUTION NO PROMPT
    """ # BEGIN PROMPT
    x = ...
    """ # END PROMPT
    return x + by'''
TEST_CONFIG = '""" # BEGIN TEST CONFIG\nhidden: true\npoints: 2\n""" # END TEST CONFIG\n'

MASTER = (
    ("raw", "# ASSIGNMENT CONFIG\nrequirements: requirements.txt\nseed:\n    variable: rng_seed"),
    ("markdown", "# Lab 3: Rows\n\nMeans of rows, and what is left without them."),
    ("code", "import numpy as np\nimport matplotlib.pyplot as plt\n%matplotlib inline\nSHIFT = 0.0\nopen('RAN', 'w')"),
    ("code", "def doubled(x):\n    return 2 * x"),
    ("raw", "# BEGIN QUESTION\nname: q1\npoints: 2"),
    ("markdown", "## Question 1\n\nWrite `row_means`."),
    ("raw", "# BEGIN SOLUTION"),
    ("code", Q1),
    ("raw", "# END SOLUTION"),
    ("raw", "# BEGIN TESTS"),
    ("code", "assert np.allclose(row_means(np.array([[1, 2], [3, 5]])), [1.5, 4])"),
    ("code", f"{TEST_CONFIG}x = np.array([[1.0, 2.0, 6.0]])\nrow_means(x).tolist() == [3.0]"),
    ("code", "# HIDDEN\nassert np.all(row_means(np.random.rand(3, 2)) < 1)"),
    ("raw", "# END TESTS"),
    ("raw", "# END QUESTION"),
    ("raw", "# BEGIN QUESTION\nname: q2\npoints:\n    each: 1.5"),
    ("markdown", "What is left of each row without its mean?"),
    ("raw", "# BEGIN SOLUTION"),
    ("code", Q2),
    ("raw", "# END SOLUTION"),
    ("raw", "# BEGIN TESTS"),
    (
        "code",
        "def test_centred(centre):\n    got = centre(np.array([[1.0, 3.0]]))\n    assert np.allclose(got, [[-1, 1]])",
    ),
    ("code", "# HIDDEN\nimport numpy as np\ncentre(np.eye(2)).tolist() == [[0.5, -0.5], [-0.5, 0.5]]"),
    ("raw", "# END TESTS"),
    ("raw", "# END QUESTION"),
    ("raw", "# BEGIN QUESTION\nname: q3\nmanual: true\npoints: 4"),
    ("markdown", "Why does it matter? Say it in two sentences."),
    ("raw", "# BEGIN SOLUTION"),
    ("markdown", "Because the secret of the answer is here."),
    ("raw", "# END SOLUTION"),
    ("raw", "# END QUESTION"),
    ("raw", "# BEGIN QUESTION\nname: q4"),
    ("raw", "# BEGIN SOLUTION"),
    ("code", "largest = max(row_means(np.eye(3)))  # SOLUTION\nplt.plot([1, 2])"),
    ("raw", "# END SOLUTION"),
    ("raw", "# BEGIN TESTS"),
    ("code", "assert largest < 1"),
    ("raw", "# END TESTS"),
    ("raw", "# END QUESTION"),
)


def written(path: Path, cells=MASTER) -> Path:
    """Write a notebook."""
    make = {kind: getattr(nbformat.v4, f"new_{kind}_cell") for kind in ("raw", "markdown", "code")}
    nbformat.write(nbformat.v4.new_notebook(cells=[make[kind](text) for kind, text in cells]), path)
    return path


@pytest.fixture
def master(tmp_path, monkeypatch):
    """Return a master notebook, in the folder in which the command runs."""
    monkeypatch.chdir(tmp_path)
    return written(tmp_path / "lab03.ipynb")


def test_a_master_notebook_becomes_a_draft_that_loads(cli, master, tmp_path):
    """Exercises, cases, given code, uses and sections are the notebook's; the rest is listed, and no cell has run."""
    home = tmp_path / "course"
    code, out, err = cli("import-otter", master, "--slug", "s1_rows", "--course", home)
    assert (code, err) == (0, "")
    assert not (tmp_path / "RAN").exists()
    made = load_assignment(home, "s1_rows")
    assert (made.title, made.points, made.given) == ("Lab 3: Rows", 5, ("doubled",))
    assert [(e.name, e.points, e.uses, e.section) for e in made.exercises] == [
        ("row_means", 2, (), "Question 1"),
        ("centre", 3, ("row_means",), "q2"),
    ]
    hidden = [(case.name, case.visibility == Visibility.HIDDEN, case.weight) for case in made.cases]
    assert hidden == [("q1_test_1", False, 1), ("centred", False, 1), ("q1_test_2", True, 2), ("q2_test_2", True, 1)]
    (drawn,) = made.cases_of("row_means")[1].calls(0)
    assert drawn.args[0].tolist() == [[1.0, 2.0, 6.0]]
    assert "    rows = len(x)\n    raise NotImplementedError" in made.stub
    assert "    return x + by" in made.stub
    assert "plt" not in made.reference
    assert "PROMPT" not in made.reference
    public = "".join(path.read_text() for path in (home / "assignments").rglob("*.*"))
    for secret in ("counts", "means[:, None]", "the answer is here", "6.0"):
        assert secret not in public
    listed = (home / "solutions/s1_rows/cases.py").read_text()
    for line in (
        "question q1, test 3 (cell 13): `assert np.all(row_means(np.random.rand(3, 2)) < 1)`",
        "question q3: a person grades it; write it with manual = true",
        "cell 27: the text of question q3",
        "question q4: its solution is no function; write it as one",
        "question q4, test 1 (cell 37): `assert largest < 1`",
        "cell 3: `import matplotlib.pyplot as plt`, no function needs it",
        "cell 3: `%matplotlib inline` is a notebook's, no Python",
        "cell 3: `open('RAN', 'w')`, no function needs it",
        "cell 34: `plt.plot([1, 2])`, no function needs it",
        "settings: requirements of # ASSIGNMENT CONFIG",
        "to add: known mistakes",
    ):
        assert f"- {line}" in out
        assert f"- {line}" in listed
    _, told, _ = cli("doctor", "s1_rows", "--course", home, "--json")
    broken = {proof["promise"] for proof in json.loads(told)["s1_rows"] if proof["broken"]}
    assert broken == {
        "every misconception edits the reference in one place",
        "every correct solution replaces something of the reference",
        "all else is looked at",
    }
    again = cli("import-otter", master, "--slug", "s1_rows", "--course", home)
    assert (again[0], "exists already" in again[2]) == (2, True)


QUESTION = ("raw", "# BEGIN QUESTION\nname: q1")


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ((), "no master notebook"),
        ((("markdown", "```\nBEGIN QUESTION\nname: q1\n```"),), "old format v0"),
        ((QUESTION,), "cell 1: this question has no # END QUESTION"),
        ((("raw", "# END TESTS"), QUESTION), "cell 1: # END TESTS has no # BEGIN TESTS"),
        ((("raw", "# BEGIN QUESTION\npoints: 2"),), "cell 1: the question has no name"),
        ((("raw", "# BEGIN QUESTION\nname: [q1"),), "cell 1: its settings are no YAML"),
        ((("raw", "# BEGIN QUESTION\nname: q1\npoints: many"),), "'many' are no points"),
        ((QUESTION, ("code", "x = 1  # SOLUTION"), ("raw", "# END QUESTION")), "no question's solution is a function"),
    ],
)
def test_what_is_no_master_notebook_is_refused(cli, tmp_path, cells, told):
    """In a line that names the cell, and nothing is written."""
    code, _, err = cli("import-otter", written(tmp_path / "lab.ipynb", cells), "--course", tmp_path / "course")
    assert (code, err.count("\n")) == (2, 1)
    assert told in err
    assert not (tmp_path / "course").exists()


def test_what_is_no_notebook_is_refused(cli, tmp_path):
    """Neither another file nor a broken one ends in a traceback."""
    for name, text in (("lab.py", "x = 1"), ("lab.ipynb", "{"), ("list.ipynb", "[]"), ("none.ipynb", None)):
        if text is not None:
            (tmp_path / name).write_text(text)
        code, _, err = cli("import-otter", tmp_path / name, "--course", tmp_path / "course")
        assert (code, err.count("\n")) == (2, 1), name
        assert name in err
