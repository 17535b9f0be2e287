"""An assignment of several files, from its declaration to a grade: two to hand in, one in which nothing is to be written."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from conftest import Cli
from lms_exports import EXPORTS, RIGHT, ROSTER, WRONG, zipped

from autograder.classroom.roster import read_roster
from autograder.classroom.stored_source import packed, unpacked
from autograder.classroom.submissions import SubmissionsError, read_class
from autograder.command.demo import plan_class
from autograder.course.catalog import load_assignment
from autograder.course.joined_files import JoinError, homes_of, join, place_in, refuse_unjoinable, replaced, split
from autograder.course.places import CourseError
from autograder.course.spec import Assignment
from autograder.course.stub import StubError, render_stub
from autograder.handout.handout import handout_files, write_files
from autograder.handout.kit.bundle import Bundle
from autograder.handout.kit.repro import repro
from autograder.handout.kit.self_check import check
from autograder.handout.kit.steps import definition_of
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.handout.repository import write_repository
from autograder.integrations.one_submission import handed_in
from autograder.judge.grade import grade
from autograder.judge.result import Result
from autograder.judge.trials import Small
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.proof.doctor import examine
from autograder.proof.trainings import examine_trainings
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.replaced import places_for, put_in_place
from autograder.sandbox.job import Sandbox, Source
from autograder.submission.archives import UnreadableError
from autograder.submission.several_files import read_work
from autograder.submission.written_exercises import Stub

COURSE = Path(__file__).parent / "files_course"
SLUG = "f1_pooling"
TOML = f"assignments/{SLUG}/assignment.toml"
MODEL = f"solutions/{SLUG}/model.py"
LAYERS = f"solutions/{SLUG}/layers.py"
ALL_ROWS = ("powers.sum(axis=-1, keepdims=True)", "powers.sum()")
NOT_WEIGHTED = ("weights = weights_of(scores)", "weights = scores")

Files = Mapping[str, str]


@pytest.fixture(scope="module")
def pooling() -> Assignment:
    """Return the assignment of several files."""
    return load_assignment(COURSE, SLUG)


@pytest.fixture(scope="module")
def right(pooling: Assignment) -> dict[str, str]:
    """Return what a student hands in who wrote what the reference has."""
    parts = split(pooling.reference)
    return {name: parts[name] for name in ("layers.py", "model.py")}


@pytest.fixture(scope="module")
def stub(pooling: Assignment) -> Stub:
    """Return its stub."""
    return Stub.of(pooling)


@pytest.fixture(scope="module")
def bundle(pooling: Assignment) -> Bundle:
    """Return what its handout judges by."""
    return public_bundle(public_oracle(pooling))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of its course that a test may tamper with."""
    return shutil.copytree(COURSE, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture(scope="module")
def graded(pooling: Assignment, sandbox: Sandbox, stub: Stub) -> Callable[[Path], Result]:
    """Return a function that grades a student's folder."""
    oracle = Oracle(pooling, 4)

    def of(folder: Path) -> Result:
        submission = handed_in(folder, stub)
        assert submission.source, submission.problem
        return grade(submission.source, oracle, sandbox)

    return of


def write(folder: Path, files: Files) -> Path:
    """Write a student's files and return their folder."""
    write_files({name: text.encode() for name, text in files.items()}, folder)
    return folder


def points(result: Result) -> dict[str, float]:
    """Return the points of each exercise."""
    return {exercise.name: exercise.score for exercise in result.exercises}


def told(result: Result, exercise: str) -> list[str]:
    """Return what a student reads about an exercise's cases that fail."""
    cases = (c for e in result.exercises if e.name == exercise for c in e.cases)
    return [text for c in cases if (text := f"{c.says}\n{c.message}".strip())]


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that a file has once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_files_are_one_text_and_files_again(pooling: Assignment) -> None:
    """What is joined comes apart as it was, imports and all, and lines keep their places."""
    home = COURSE / "solutions" / SLUG
    parts = {name: (home / name).read_text(encoding="utf-8") for name in pooling.files}
    assert split(pooling.reference) == parts
    lines = pooling.reference.splitlines()
    for name, text in (
        ("rows.py", "    return x.max("),
        ("layers.py", "    powers = "),
        ("model.py", "    weights = "),
    ):
        (joined,) = [number for number, line in enumerate(lines, start=1) if line.startswith(text)]
        (own,) = [number for number, line in enumerate(parts[name].splitlines(), start=1) if line.startswith(text)]
        assert place_in(pooling.reference, joined, "-") == (name, own)
    assert place_in("x = 1\ny = 2\n", 2, "one.py") == ("one.py", 2)
    assert homes_of(pooling.reference) == {"largest_of": "rows.py", "weights_of": "layers.py", "pooled": "model.py"}
    assert dict(split("x = 1\n")) == {}


def test_what_replaces_stands_in_its_own_file(pooling: Assignment) -> None:
    """A helper goes where it is used, and each definition into the file that it is of."""
    text = "def _one():\n    return 1\n\n\ndef weights_of(s):\n    return _one()\n\n\ndef pooled(s, v):\n    return 2\n"
    parts = split(replaced(pooling.reference, text))
    assert parts["rows.py"] == split(pooling.reference)["rows.py"]
    assert [parts["layers.py"].count(f"def {name}(") for name in ("_one", "weights_of", "pooled")] == [1, 2, 0]
    assert [parts["model.py"].count(f"def {name}(") for name in ("_one", "weights_of", "pooled")] == [1, 0, 2]


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("", "import a\n", "b.py, line 1: files import each other by `from a import NAME, ...` alone"),
        ("f = 1\n", "from a import f as g\n", "without `as`"),
        ("f = 1\n", "def g():\n    from a import f\n", "b.py, line 2"),
        ("f = 1\n", "from .a import f\n", "b.py, line 1"),
        ("from b import g\n", "def g(): ...\n", "b.py has to stand before it in `files`"),
        ("def f(): ...\n", "def f(): ...\n", "f means one thing in a.py and another in b.py"),
        ("from math import exp\n", "from numpy import exp\n", "exp means one thing in a.py and another in b.py"),
        ("x = 1\n", "from __future__ import annotations\n", "a.py lacks the `from __future__` line"),
    ],
)
def test_files_that_are_no_one_program_are_refused(first: str, second: str, why: str) -> None:
    """What could not be read as one text is told with file and line."""
    with pytest.raises(JoinError, match=why.replace("(", r"\(")):
        refuse_unjoinable({"a.py": first, "b.py": second})
    refuse_unjoinable({"a.py": "import math\nf = 1\n", "b.py": "import math\nfrom a import f\ng = f\n"})


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ('files = ["model.py"]', "a single one is `file`"),
        ('files = ["layers.py", "layers.py"]', "each once"),
        ('files = ["torch.py", "model.py"]', "there is a module torch already"),
        ('files = ["random.py", "model.py"]', "there is a module random already"),
        ('files = ["my layers.py", "model.py"]', "no other file could import"),
        ('file = "model.py"\nfiles = ["layers.py", "model.py"]', "write one of them"),
    ],
)
def test_names_that_cannot_be_files_are_refused(copy: Path, files: str, why: str) -> None:
    """The declaration is refused with what to write."""
    edit(copy / TOML, 'files = ["rows.py", "layers.py", "model.py"]', files)
    with pytest.raises(CourseError, match=why):
        load_assignment(copy, SLUG)


def test_every_promise_holds(pooling: Assignment, sandbox: Sandbox) -> None:
    """The reference, the stub, another solution, known mistakes in both files, the handout: all are proved."""
    proofs = list(examine(pooling, sandbox, 2, COURSE))
    assert {proof.promise: proof.broken for proof in proofs if not proof.holds} == {}
    assert len(proofs) > 20


def test_the_author_is_told_file_and_line(copy: Path, cli: Cli) -> None:
    """A marker, a stale stub and a wrong number are each told with the file that they are in."""
    edit(copy / MODEL, "    # END SOLUTION\n", "")
    with pytest.raises(StubError, match=r"solutions/f1_pooling/model.py: line 9: a solution region never ends"):
        render_stub(load_assignment(copy, SLUG))
    edit(copy / MODEL, "    return weights @ values\n", "    return weights @ values\n    # END SOLUTION\n")
    edit(copy / LAYERS, "`scores`.", "`scores`.\n\n    weights_of(np.zeros((1, 2))) -> [[.5, .6]]\n    ")
    code, said, _ = cli("doctor", SLUG, "--course", copy)
    assert code == 1
    assert "layers.py differs from what the reference renders to" in " ".join(said.split())
    code, said, _ = cli("doctor", SLUG, "--course", copy, "--write-stub")
    assert "solutions/f1_pooling/layers.py, line 10: weights_of(np.zeros((1, 2))) -> [[.5, .6]]" in " ".join(
        said.split()
    )
    assert "[[.5, .6]]" in (copy / f"assignments/{SLUG}/layers.py").read_text(encoding="utf-8")


def program(pooling: Assignment, files: Files) -> Program:
    """Return a program of some files."""
    made = Program("model", notebook=False, homes=homes_of(pooling.reference))
    made.load(list(files.items()))
    return made


@pytest.fixture
def _modules() -> Iterator[None]:
    """Forget the modules that a test has made."""
    before = dict(sys.modules)
    yield
    for name in sys.modules.keys() - before.keys():
        del sys.modules[name]


@pytest.mark.usefixtures("_modules")
@pytest.mark.parametrize(
    ("layers", "model"),
    [
        ("def weights_of(): return 1", "from layers import weights_of\ndef pooled(): return weights_of() + 1"),
        ("def weights_of(): return 1", "import layers as L\ndef pooled(): return L.weights_of() + 1"),
        ("def weights_of(): return 1", "from layers import *\ndef pooled(): return weights_of() + 1"),
        ("def weights_of(): return 1", "def pooled():\n    from layers import weights_of as w\n    return w() + 1"),
        (
            "import model\ndef weights_of(): return 1",
            "from layers import weights_of\ndef pooled(): return weights_of() + 1",
        ),
        (
            "def weights_of(): return 1\ndef pooled(): return 0",
            "import layers\ndef pooled(): return layers.weights_of() + 1",
        ),
        (
            "def weights_of(): return 1",
            "import layers\ndef weights_of(): return 9\ndef pooled(): return layers.weights_of() + 1",
        ),
        ("x = 1", "def weights_of(): return 1\ndef pooled(): return 2"),
        ("1 / 0\ndef weights_of(): return 1", "from layers import weights_of\ndef pooled(): return weights_of() + 1"),
    ],
)
def test_students_files_are_modules(pooling: Assignment, layers: str, model: str) -> None:
    """However they import each other, each name is the one of its own file, and of another where that has none."""
    made = program(pooling, {"layers.py": layers, "model.py": model})
    assert [made.find(name)() for name in ("weights_of", "pooled")] == [1, 2]


@pytest.mark.usefixtures("_modules")
def test_a_file_that_is_no_python_costs_its_own_exercises(pooling: Assignment) -> None:
    """The error is told with its file, and what the other file defines is there."""
    made = program(pooling, {"layers.py": "def weights_of(): return 1", "model.py": "x = 1\ndef pooled(:"})
    assert made.find("weights_of")() == 1
    assert [note["frames"][0][:2] for note in made.notes] == [["model.py", 2]]
    assert not hasattr(made.module, "pooled")
    assert "weights_of" in dir(made.module)


@pytest.mark.usefixtures("_modules")
def test_a_stand_in_is_one_in_every_file(pooling: Assignment) -> None:
    """Also where a file has the function under another name; afterwards all is as it was."""
    files = {
        "layers.py": "def weights_of(): return 1",
        "model.py": "from layers import weights_of as w\ndef pooled(): return w()",
    }
    made = program(pooling, files)
    with put_in_place(places_for(made.module, {"weights_of": lambda: 5})):
        assert [made.find("pooled")(), made.find("weights_of")()] == [5, 5]
    assert [made.find("pooled")(), made.find("weights_of")()] == [1, 1]


def test_each_mistake_is_named_in_its_own_file(tmp_path: Path, right: Files, graded: Callable[[Path], Result]) -> None:
    """A known mistake in one file costs its own exercise, whatever the other one imports."""
    layers = right["layers.py"].replace(*ALL_ROWS)
    model = right["model.py"].replace(*NOT_WEIGHTED)
    assert points(graded(write(tmp_path / "right", right))) == {"weights_of": 2, "pooled": 2}
    first = graded(write(tmp_path / "first", {**right, "layers.py": layers}))
    assert points(first) == {"weights_of": 0, "pooled": 2}
    assert told(first, "weights_of")[0].startswith("Your weights add up to one over all rows")
    second = graded(write(tmp_path / "second", {**right, "model.py": model}))
    assert points(second) == {"weights_of": 2, "pooled": 0}
    assert told(second, "pooled")[0].startswith("You pool by the scores themselves")


def test_lines_are_told_with_their_file(tmp_path: Path, right: Files, graded: Callable[[Path], Result]) -> None:
    """An exception and what is not written yet say which file it is."""
    crash = right["layers.py"].replace("return powers / ", "return powers[9, 9] / ")
    unwritten = right["model.py"].replace("weights = weights_of(scores)", "raise NotImplementedError")
    result = graded(write(tmp_path / "kim", {"layers.py": crash, "model.py": unwritten}))
    assert "  layers.py, line 11, in weights_of" in told(result, "weights_of")[0]
    assert told(result, "pooled")[0] == "Not written yet: `raise` in model.py, line 10."


def test_an_import_that_is_missing_is_told_with_both_files(
    tmp_path: Path, right: Files, graded: Callable[[Path], Result]
) -> None:
    """A name that the other file defines is no misspelt one."""
    model = right["model.py"].replace("from layers import weights_of\n", "")
    text = told(graded(write(tmp_path / "kim", {**right, "model.py": model})), "pooled")[0]
    assert text.startswith(
        "`weights_of` is defined in layers.py, and model.py does not have it. Does model.py import it?"
    )


def test_forbidden_code_is_followed_from_file_to_file(
    tmp_path: Path, right: Files, graded: Callable[[Path], Result]
) -> None:
    """A helper of the other file counts, by whatever name it is called, and one that is not called does not."""
    helper = "\n\ndef mean(v, w):\n    return np.average(v, axis=0, weights=w)\n"
    files = {**right, "layers.py": right["layers.py"] + helper}
    assert points(graded(write(tmp_path / "idle", files)))["pooled"] == 2
    body = "return np.stack([{}(values, w) for w in weights_of(scores)])"
    for number, (line, name) in enumerate(
        (("import layers", "layers.mean"), ("from layers import mean as m", "m"), ("import layers as L", "L.mean"))
    ):
        model = right["model.py"].replace("weights = weights_of(scores)", body.format(name))
        model = model.replace("import numpy as np", f"import numpy as np\n{line}")
        result = graded(write(tmp_path / f"used{number}", {**files, "model.py": model}))
        assert "You use `numpy.average` (layers.py, line 16)" in told(result, "pooled")[0]


def test_the_given_file_is_the_courses(tmp_path: Path, right: Files, stub: Stub) -> None:
    """It need not be handed in, and another version of it changes nothing."""
    assert (stub.asked, stub.wanted) == (("layers.py", "model.py"), "layers.py and model.py")
    found = [
        handed_in(write(tmp_path / name, files), stub).source
        for name, files in (("without", right), ("with", {**right, "rows.py": "largest_of = None\n"}))
    ]
    assert found[0] == found[1]
    assert found[0]
    assert [chunk.label for chunk in found[0].chunks] == ["rows.py", "layers.py", "model.py"]
    assert unpacked(packed(found[0])) == found[0]


def test_a_file_that_is_missing_is_named(
    tmp_path: Path, right: Files, stub: Stub, graded: Callable[[Path], Result]
) -> None:
    """The other file is graded, a grader is told, and the student reads which file is not there."""
    folder = write(tmp_path / "kim", {"layers.py": right["layers.py"]})
    assert handed_in(folder, stub).doubts == ("model.py was not handed in, so its exercises count as not written",)
    result = graded(folder)
    assert points(result) == {"weights_of": 2, "pooled": 0}
    assert told(result, "pooled")[0] == "There is no model.py, where `pooled` belongs. Was it left out?"


def test_a_name_that_is_missing_is_told_with_its_file(
    tmp_path: Path, right: Files, graded: Callable[[Path], Result]
) -> None:
    """Renamed, or behind what Python cannot read: each is told as what it is."""
    renamed = right["model.py"].replace("def pooled(", "def pool(")
    broken = right["model.py"].replace("@ values", "@")
    read = graded(write(tmp_path / "renamed", {**right, "model.py": renamed}))
    assert told(read, "pooled")[0] == "There is no `pooled` in model.py. There is a `pool`. Was it renamed or removed?"
    unread = graded(write(tmp_path / "broken", {**right, "model.py": broken}))
    assert points(unread) == {"weights_of": 2, "pooled": 0}
    assert told(unread, "pooled")[0] == "model.py could not be read as far as `pooled`. First mend what it raises."
    said = "A part of your file is no Python {}.{}: SyntaxError: invalid syntax".format(*sys.version_info)
    assert unread.notes == (f"{said}\n  model.py, line 11\n    return weights @",)


@pytest.mark.parametrize(
    ("places", "chosen"),
    [
        (("layers.py", "model.py"), "layers.py, model.py"),
        (("hw/layers.py", "hw/model.py"), "hw/layers.py, hw/model.py"),
        (("a/layers.py", "a/model.py", "old/a/layers.py", "old/a/model.py"), "a/layers.py, a/model.py"),
        (("Layers.py", "model (1).py"), "Layers.py, model (1).py"),
    ],
)
def test_the_files_of_one_folder_count(
    tmp_path: Path, right: Files, stub: Stub, places: tuple[str, ...], chosen: str
) -> None:
    """Those nearest the top, and whatever a browser made of their names."""
    work = {place: right[f"{Path(place).stem.partition(' ')[0].casefold()}.py"] for place in places}
    if len(places) > 2:
        work["old/a/model.py"] = work["old/a/model.py"].replace(*NOT_WEIGHTED)
    found = handed_in(write(tmp_path / "kim", work), stub)
    assert (found.origin, found.problem) == (chosen, "")
    assert found.source
    assert found.source.chunks[1:] == Source.of("model.py", join({"rows.py": "", **right})).chunks[1:]


def test_an_older_folder_that_cannot_be_read_is_a_doubt(tmp_path: Path, right: Files, stub: Stub) -> None:
    """The files that can be read are graded, and a grader is told of the others."""
    folder = write(tmp_path / "kim", {**right, "old/layers (1).py": "x = 1\n", "old/layers (2).py": "x = 2\n"})
    found = handed_in(folder, stub)
    assert found.source
    assert found.doubts[0].startswith(
        "layers.py, model.py is graded, since other files cannot be read: what you handed"
    )


def test_a_copy_that_differs_is_a_doubt(tmp_path: Path, right: Files, stub: Stub) -> None:
    """The files of the right names are graded; a copy that says the same leaves nothing open."""
    wrong = right["model.py"].replace(*NOT_WEIGHTED)
    for model, doubts in (
        (wrong, ("only layers.py and model.py count; not read: model (1).py",)),
        (right["model.py"], ()),
    ):
        found = handed_in(write(tmp_path / "kim", {**right, "model (1).py": model}), stub)
        assert found.origin == "layers.py, model.py"
        assert found.doubts == doubts


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"model.ipynb": "{}"}, "A notebook cannot be graded here. Hand in layers.py and model.py."),
        (
            {"a/layers.py": "def weights_of(s): return 1\n", "b/layers.py": "def weights_of(s): return 2\n"},
            "several times",
        ),
        ({"layers.py": "x = 1\n", "layers (1).py": "x = 2\n", "Layers.PY": ""}, ""),
        ({"mine.py": "x = 1\n"}, "holds no file named layers.py or model.py, only mine.py"),
        ({"layers (1).py": "x = 1\n", "layers (2).py": "x = 2\n"}, "several files named layers.py"),
        ({"model.py": '{"cells": [], "nbformat": 4}'}, "model.py is a notebook, whatever its name says"),
        ({}, "is empty. Hand in layers.py and model.py."),
    ],
)
def test_what_cannot_be_chosen_is_refused(tmp_path: Path, stub: Stub, files: Files, why: str) -> None:
    """A line says what is there and what to hand in."""
    (tmp_path / "kim").mkdir()
    found = handed_in(write(tmp_path / "kim", files), stub)
    assert why in found.problem
    assert bool(found.problem) == bool(why)


def test_a_class_is_read_from_folders_zips_and_single_uploads(tmp_path: Path, right: Files, stub: Stub) -> None:
    """Folders and zips of students; and from Canvas, where each file was uploaded by itself."""
    write(tmp_path / "class" / "ada", right)
    (tmp_path / "class" / "bob").mkdir()
    with zipfile.ZipFile(tmp_path / "class" / "bob" / "homework.zip", "w") as archive:
        for name, text in right.items():
            archive.writestr(f"hw/{name}", text)
    ada, bob = read_class(tmp_path / "class", stub).submissions
    assert ada.source == bob.source
    with zipfile.ZipFile(tmp_path / "canvas.zip", "w") as archive:
        for number, (who, name) in enumerate((w, n) for w in ("kim_11", "lee_12") for n in right):
            archive.writestr(f"{who}_{100 + number}_{name}", right[name])
        archive.writestr("lee_12_110_model-1.py", right["model.py"].replace(*NOT_WEIGHTED))
        archive.writestr("max_13_120_helpers.py", "x = 1\n")
    kim, lee, other = read_class(tmp_path / "canvas.zip", stub).submissions
    assert kim.source == ada.source
    assert lee.source
    assert "weights = scores" in lee.source.chunks[2].text
    assert "helpers.py is not layers.py or model.py" in other.problem


@pytest.mark.parametrize("name", EXPORTS)
def test_every_platform_gives_all_files(
    tmp_path: Path, pooling: Assignment, right: Files, stub: Stub, name: str
) -> None:
    """Where a platform has one file of a student, each of several is found, the latest of each."""
    export, unwritten = EXPORTS[name], split(pooling.stub)
    files: dict[str, bytes] = {}
    for place, data in export.files.items():
        before, mark, after = place.rpartition("means")
        if data not in (RIGHT, WRONG) or not mark:
            files[place] = data
            continue
        for file in right:
            text = right[file] if data == RIGHT else unwritten[file]
            files[f"{before}{file.removesuffix('.py')}{after}"] = text.encode()
    (tmp_path / "class.zip").write_bytes(zipped(files))
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    roster = read_roster(tmp_path / "roster.csv") if export.named else None
    found = [s for s in read_class(tmp_path / "class.zip", stub, roster).submissions if s.source]
    whole = Source.of(pooling.file, pooling.reference)
    assert [(s.student, s.source == whole) for s in found] == [(s.student, True) for s in found]
    assert len(found) == 2


def test_one_students_files_are_no_class(tmp_path: Path, right: Files, stub: Stub) -> None:
    """Each would be taken for a student's submission; a line says where they belong."""
    folder = write(tmp_path / "kim", right)
    for path in (folder, folder / "layers.py"):
        with pytest.raises(SubmissionsError, match="into a folder named after the student"):
            read_class(path, stub)


def test_grade_writes_both_files_down(tmp_path: Path, right: Files, cli: Cli) -> None:
    """The command, its sheet, and the page on which a grader reads both files."""
    write(tmp_path / "class" / "ada", right)
    write(tmp_path / "class" / "bob", {**right, "layers.py": right["layers.py"].replace(*ALL_ROWS)})
    code, said, _ = cli("grade", SLUG, tmp_path / "class", "-o", tmp_path / "out", "--course", COURSE, "--seed", 3)
    assert (code, "FAILED over_all_rows" in said) == (0, True)
    sheet = (tmp_path / "out" / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    assert sheet[1:] == ["ada,4.0,4.0,graded,2.0,2.0", "bob,2.0,4.0,graded,0.0,2.0"]
    page = (tmp_path / "out" / "staff" / "bob.html").read_text(encoding="utf-8")
    assert all(text in page for text in ("layers.py", "model.py", "powers.sum()", "weights @ values"))
    code, said, _ = cli("similarity", tmp_path / "out", "--course", COURSE)
    assert (code, "among 2 submissions" in said) == (0, True)


def test_the_handout_checks_all_files(
    tmp_path: Path, pooling: Assignment, bundle: Bundle, right: Files, cli: Cli
) -> None:
    """It has no notebook, says what to hand in, and a path of any of the files checks all of them."""
    folder = write(tmp_path / "kim", {})
    write_files(handout_files(COURSE, public_oracle(pooling)), folder)
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    assert [name for name in names if name.endswith((".py", ".ipynb"))] == [
        "check.py", "conftest.py", "layers.py", "model.py", "rows.py", "test_model.py",
    ]  # fmt: skip
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "| `layers.py`, `model.py` | your work; hand in all of these files" in readme
    assert "A notebook cannot be\nhanded in." in readme
    write(folder, right)
    stub = Stub.of(bundle.assignment)
    for name in ("layers.py", "model.py"):
        assert check(read_work(folder / name, stub), bundle).all_passed
    code, said, _ = cli("check", SLUG, folder / "model.py", "--course", COURSE)
    assert (code, said.splitlines()[0]) == (0, "f1_pooling: layers.py and model.py")
    with pytest.raises(UnreadableError, match=r"Write your solution in layers.py and model.py"):
        read_work(folder / "model.ipynb", stub)
    (folder / "model.py").unlink()
    result = check(read_work(folder / "layers.py", stub), bundle)
    assert points(result) == {"weights_of": 2, "pooled": 0}


def test_next_and_repro_name_the_right_file(pooling: Assignment, bundle: Bundle) -> None:
    """The next step stands in the file of its exercise, and a printed program imports from there."""
    source = Source.of(pooling.file, pooling.stub)
    assert definition_of(source, "weights_of") == ("layers.py", 7)
    assert definition_of(source, "pooled") == ("model.py", 7)
    trial = bundle.trials_of("weights_of")[0]
    text = repro(source, Small(trial, bundle.expected(trial)), bundle.signatures, "about")
    assert text.startswith("# Save this beside layers.py to run it.")
    assert "from layers import weights_of\n" in text


def test_next_resets_in_the_right_file(tmp_path: Path, pooling: Assignment, right: Files, cli: Cli) -> None:
    """`next --json` names the file in which the exercise stands."""
    write(tmp_path, {**right, "layers.py": split(pooling.stub)["layers.py"]})
    code, said, _ = cli("check", SLUG, "next", tmp_path / "model.py", "--json", "--course", COURSE)
    assert (code, json.loads(said)["file"]) == (1, str(tmp_path / "layers.py"))


def test_a_repository_keeps_every_file_with_work(tmp_path: Path, pooling: Assignment, right: Files) -> None:
    """An update overwrites stubs, and none of the files in which something is written."""
    handout = handout_files(COURSE, public_oracle(pooling))
    write_repository(handout, tmp_path / "clone")
    write(tmp_path / "clone", {"layers.py": right["layers.py"]})
    update = write_repository({**handout, "model.py": handout["model.py"] + b"# new\n"}, tmp_path / "clone")
    assert update
    assert (update.kept, update.changed) == (("layers.py",), ("model.py",))


def test_solutions_hold_every_file(tmp_path: Path, cli: Cli) -> None:
    """And no notebook."""
    code, _, said = cli("solutions", SLUG, "-o", tmp_path / "out", "--course", COURSE)
    assert code == 0, said
    with zipfile.ZipFile(next((tmp_path / "out").glob("*.zip"))) as archive:
        texts = {Path(name).name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")}
        assert not [name for name in archive.namelist() if name.endswith(".ipynb")]
    assert "weights @ values" in texts["model.py"]
    assert "powers / powers.sum" in texts["layers.py"]


def test_routes_for_one_file_refuse_several(tmp_path: Path, copy: Path, cli: Cli) -> None:
    """Otter, variants, demo, and leaving out what another file imports: each says what to do instead."""
    code, _, said = cli("otter", SLUG, "-o", tmp_path / "otter", "--course", copy)
    assert (code, "f1_pooling has several files, and otter hands out one notebook" in " ".join(said.split())) == (
        2,
        True,
    )
    with pytest.raises(CourseError, match="demo writes one"):
        plan_class(load_assignment(copy, SLUG))
    (copy / "course.toml").write_text(f'[assignment.{SLUG}]\nwithout = ["weights_of", "pooled"]\n', encoding="utf-8")
    with pytest.raises(CourseError, match="names every exercise"):
        load_assignment(copy, SLUG)
    (copy / "course.toml").write_text(f'[assignment.{SLUG}]\nwithout = ["weights_of"]\n', encoding="utf-8")
    with pytest.raises(CourseError, match=r"model.py imports it"):
        load_assignment(copy, SLUG)
    (copy / "course.toml").write_text(f'[assignment.{SLUG}]\nwithout = ["pooled"]\n', encoding="utf-8")
    assert [e.name for e in load_assignment(copy, SLUG).exercises] == ["weights_of"]
    (copy / "course.toml").write_text(f'[assignment.{SLUG}]\nvariants = ["other"]\n', encoding="utf-8")
    (copy / f"solutions/{SLUG}/variants.toml").write_text("[other]\n", encoding="utf-8")
    with pytest.raises(CourseError, match="a variant edits one file"):
        load_assignment(copy, SLUG)


@pytest.fixture
def line(course_copy: Path) -> Assignment:
    """Return the tiny course's assignment that trains, with its two functions in two files."""
    for side in ("assignments", "solutions"):
        path = course_copy / side / "t3_learning" / "line.py"
        text = path.read_text(encoding="utf-8")
        head, second = text[: text.index("def predict")], text.index("def gradient")
        path.with_name("places.py").write_text(text[:second].rstrip() + "\n", encoding="utf-8")
        model = f"{head.rstrip()}\nfrom places import predict\n\n\n{text[second:]}"
        path.write_text(model, encoding="utf-8")
    edit(
        course_copy / "assignments/t3_learning/assignment.toml", 'file = "line.py"', 'files = ["places.py", "line.py"]'
    )
    return load_assignment(course_copy, "t3_learning")


def test_a_training_takes_functions_from_every_file(line: Assignment, course: Path, sandbox: Sandbox) -> None:
    """The harness gets all files as one module, and gives what it gives for the same code in one file."""
    whole = load_assignment(course, "t3_learning")
    for old, new in (("", ""), ("(predict(w, x) - y)", "(y - predict(w, x))"), ("x @ w\n", "abs(x) @ w\n")):
        scores = []
        for made in (line, whole):
            trainer, source = Trainer(Oracle(made, 5)), Source.of(made.file, made.reference.replace(old, new, 1))
            scores.append(points(trainer.add_to(grade(source, trainer.oracle, sandbox), source, sandbox)))
        assert scores[0] == scores[1]
    assert [proof.broken for proof in examine_trainings(line, sandbox, 1, range(2)) if not proof.holds] == []
