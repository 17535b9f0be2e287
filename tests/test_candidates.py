"""Which of several files is graded: from the handout's own zip, through the commands, as students pack what they did."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import COURSE, SLUG, GradeFiles

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.course.spec import Assignment
from autograder.integrations.one_submission import Settings, desk_files, handed_in, open_desk
from autograder.integrations.otter_run import ask
from autograder.sandbox.job import Chunk, Source
from autograder.submission.written_exercises import Stub, written

ROOT = Path(__file__).parents[1]
Files = Mapping[str, bytes]
Kept = dict[str, bytes]
RIGHT = ("row_means", "center", "spread")


@pytest.fixture(scope="module")
def handout(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Return the files of the tiny course's handout, from the zip that the command writes."""
    return handout_of(COURSE, SLUG, tmp_path_factory.mktemp("dist"))


def handout_of(course: Path, slug: str, out: Path) -> Kept:
    """Run `autograder handout` and return what is in its zip."""
    command = [sys.executable, "-m", "autograder.cli", "handout", slug, "-o", str(out), "--course", str(course)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with zipfile.ZipFile(out / f"{slug}.zip") as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def definitions(reference: str) -> dict[str, str]:
    """Return the text of every function and class of a reference."""
    return {
        node.name: ast.get_source_segment(reference, node) or ""
        for node in ast.parse(reference).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def filled_file(stub: bytes, reference: str, names: tuple[str, ...]) -> bytes:
    """Return the stub with some exercises written."""
    text, known, done = stub.decode(), definitions(stub.decode()), definitions(reference)
    for name in names:
        text = text.replace(known[name], done[name])
    return text.encode()


def filled_notebook(notebook: bytes, reference: str, names: tuple[str, ...], *, ran: bool = True) -> bytes:
    """Return the notebook with some exercises written and, as a notebook is that was worked in, all its cells run."""
    document, done = json.loads(notebook), definitions(reference)
    for number, cell in enumerate(cell for cell in document["cells"] if cell["cell_type"] == "code"):
        text = "".join(cell["source"])
        for name in names:
            if text.startswith((f"def {name}(", f"class {name}(")):
                cell["source"] = done[name].splitlines(keepends=True)
        if ran:
            cell["execution_count"] = number + 1
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["def center(x): return 0\n"]}]
    document["metadata"]["kernelspec"]["display_name"] = "Python 3 (ipykernel)"
    return json.dumps(document).encode()


def zipped(files: Files, top: str = "t1_means") -> bytes:
    """Pack a folder as macOS does, with all it leaves behind."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{top}/.DS_Store", b"\0\0\0\1Bud1")
        for name, data in files.items():
            archive.writestr(f"{top}/{name}", data)
            archive.writestr(f"__MACOSX/{top}/._{name}", b"\0\5\x16\7")
        archive.writestr(f"{top}/__pycache__/check.cpython-311.pyc", b"\0")
        archive.writestr(f"{top}/.hints.json", b"{}")
    return buffer.getvalue()


def checked(files: Files, folder: Path, *arguments: str) -> tuple[str, str]:
    """Run check.py where these files lie; return its output and what it wrote to stderr."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-B", "check.py", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout, done.stderr


def record(out: Path, student: str) -> Any:
    """Return a student's results."""
    return json.loads((out / "results" / f"{student}.json").read_text(encoding="utf-8"))


def test_a_zipped_handout_counts_as_check_py_says(
    handout: Kept, assignment: Assignment, grade_files: GradeFiles, tmp_path: Path
) -> None:
    """The notebook or the file, whichever is written, and of two the one with more: the same there and here."""
    file, notebook = handout["means.py"], handout["means.ipynb"]
    right = assignment.reference
    run, half = filled_notebook(notebook, right, ()), filled_file(file, right, ("row_means",))
    whole, done = filled_notebook(notebook, right, RIGHT), filled_file(file, right, RIGHT)
    folders = {
        "in_the_notebook": ({"means.ipynb": whole}, "means.ipynb", 7),
        "in_the_file": ({"means.py": done, "means.ipynb": run}, "means.py", 7),
        "more_in_the_notebook": ({"means.py": half, "means.ipynb": whole}, "means.ipynb", 7),
        "as_much_in_both": ({"means.py": done.replace(b"/", b"*"), "means.ipynb": whole}, "means.py", None),
        "in_a_renamed_copy": ({"Copy of means.ipynb": whole, "means.ipynb": run}, "Copy of means.ipynb", 7),
        "in_neither": ({"means.ipynb": run}, "means.py", 0),
    }
    packed = {f"{name}.zip": zipped({**handout, **files}) for name, (files, _, _) in folders.items()}
    out, rows = grade_files(packed)
    found = {name: (record(out, name)["origin"].rpartition("/")[2], float(rows[name]["score"])) for name in folders}
    points = {name: found[name][1] if points is None else points for name, (_, _, points) in folders.items()}
    assert found == {name: (wanted, points[name]) for name, (_, wanted, _) in folders.items()}
    assert points["as_much_in_both"] < 7
    for name, (files, wanted, most) in folders.items():
        said, _ = checked({**handout, **files}, tmp_path / name)
        assert said.splitlines()[0].endswith(wanted), said
        assert ("7 of 7 points" in said) == (most == 7), said


def test_what_two_files_leave_open_is_told_to_both(
    handout: Kept, assignment: Assignment, grade_files: GradeFiles, tmp_path: Path
) -> None:
    """The student reads which counted and why, at home and in the feedback; the report lists it before all notes."""
    right = assignment.reference
    both = {
        "means.py": filled_file(handout["means.py"], right, ("row_means",)),
        "means.ipynb": filled_notebook(handout["means.ipynb"], right, RIGHT),
    }
    same = {**both, "means.py": filled_file(handout["means.py"], right, RIGHT)}
    out, _ = grade_files({"bob.zip": zipped({**handout, **both}), "same.zip": zipped({**handout, **same})})
    told = "t1_means/means.ipynb (3 exercises written) and t1_means/means.py (1) both differ from the stub"
    entry = record(out, "bob")
    assert told in entry["notes"][0]
    assert entry["doubts"] == entry["notes"][:1]
    assert "means.ipynb (3 exercises written)" in (out / "feedback" / "bob.html").read_text(encoding="utf-8")
    report = (out / "report.html").read_text(encoding="utf-8")
    assert report.index("It is open which file counts") < report.index("means.ipynb (3 exercises written)")
    assert record(out, "same")["doubts"] == []  # the same code twice: nothing is open
    said, warned = checked({**handout, **both}, tmp_path / "home")
    assert said.startswith("t1_means: means.ipynb")
    assert "means.ipynb (3 exercises written) and means.py (1) both differ from the stub" in warned
    assert json.loads(checked({}, tmp_path / "home", "--json")[0])["exercises"]


@pytest.mark.parametrize(
    ("names", "student"),
    [
        (("ann_1_100_means", "ann_1_101_means"), "ann_1"),
        (("Bob Noether_31_assignsubmission_file_means",) * 2, "Bob_Noether_31"),
        (("cyd",) * 2, "cyd"),
    ],
    ids=["canvas", "moodle", "plain"],
)
def test_two_uploads_are_two_files(
    handout: Kept, assignment: Assignment, grade_files: GradeFiles, names: tuple[str, str], student: str
) -> None:
    """Of a stub and a notebook that an export lists one by one, the one that is written counts, whichever came last."""
    whole = filled_notebook(handout["means.ipynb"], assignment.reference, RIGHT)
    _, rows = grade_files({f"{names[0]}.ipynb": whole, f"{names[1]}.py": handout["means.py"]})
    assert {name: float(row["score"]) for name, row in rows.items()} == {student: 7.0}


@pytest.mark.parametrize(
    ("student", "older", "newer"),
    [
        pytest.param(
            "dan",
            "Means_dan_attempt_2026-03-01-10-22-00_means.py",
            "Means_dan_attempt_2026-03-02-10-22-00_means.zip",
            id="blackboard, another kind of file",
        ),
        pytest.param(
            "dan",
            "Means_dan_attempt_2026-03-01-10-22-00_means.py",
            "Means_dan_attempt_2026-03-02-10-22-00_means.py",
            id="blackboard",
        ),
        pytest.param(
            "Dan_D_39781",
            "39781-64 - Dan D - Mar 1, 2026 1022 AM - means.py",
            "39781-64 - Dan D - Mar 2, 2026 1022 AM - means.py",
            id="brightspace",
        ),
        pytest.param("dan_1001", "dan_1001_5001_means.py", "dan_LATE_1001_6001_means-1.py", id="canvas"),
    ],
)
def test_an_upload_that_is_as_handed_out_stands_back(
    handout: Kept, assignment: Assignment, grade_files: GradeFiles, student: str, older: str, newer: str
) -> None:
    """Of a handout in which nothing is written and an earlier finished file, the file counts, and that is said, on every platform."""
    finished = filled_file(handout["means.py"], assignment.reference, RIGHT)
    empty = zipped(handout) if newer.endswith(".zip") else handout["means.py"]
    out, rows = grade_files({newer: empty, older: finished})
    told = f"no exercise is written in {newer}, so {older} is graded"
    assert (record(out, student)["doubts"], record(out, student)["notes"]) == ([told], [told])
    assert {name: float(row["score"]) for name, row in rows.items()} == {student: 7.0}


def test_a_zip_beside_a_file_is_opened(handout: Kept, assignment: Assignment, grade_files: GradeFiles) -> None:
    """An untouched stub stands back behind it, and two zips are chosen from; what is left with work in it is a doubt."""
    right = assignment.reference
    stub, half, whole = (filled_file(handout["means.py"], right, RIGHT[:n]) for n in (0, 1, 3))
    packed = zipped({"means.py": whole}, "x")
    out, rows = grade_files({
        "Dan D_4_assignsubmission_file/means.py": half, "Dan D_4_assignsubmission_file/neu.zip": packed,
        "Eva E_5_assignsubmission_file/means.py": stub, "Eva E_5_assignsubmission_file/neu.zip": packed,
        "Fin F_6_assignsubmission_file/old.zip": zipped({"means.py": half}),
        "Fin F_6_assignsubmission_file/new.zip": zipped({"means.py": whole}),
        "Gil G_7_assignsubmission_file/a.zip": packed, "Gil G_7_assignsubmission_file/b.zip": zipped({"means.py": stub}),
        "Hal H_8_assignsubmission_file/means.py": whole, "Hal H_8_assignsubmission_file/b.zip": b"PK\x03\x04cut off",
        "Ida I_9_assignsubmission_file/means.py": whole, "Ida I_9_assignsubmission_file/b.rar": b"Rar!",
    })  # fmt: skip
    found = {name.partition("_")[0]: record(out, name) for name in rows}
    assert {name: entry["score"] for name, entry in found.items() if not entry["problem"]} == {
        "Dan": 2.0, "Eva": 7.0, "Gil": 7.0, "Hal": 7.0, "Ida": 7.0,
    }  # fmt: skip
    told = "means.py (1 exercise written) is graded for its name and place; not graded: neu.zip: x/means.py (3)"
    assert (found["Dan"]["doubts"], found["Dan"]["notes"]) == ([told], [told])
    assert found["Eva"]["origin"].endswith("neu.zip: x/means.py")
    assert (
        "several files named means.py: new.zip: t1_means/means.py, old.zip: t1_means/means" in found["Fin"]["problem"]
    )
    assert "another file cannot be read: b.zip cannot be opened" in found["Hal"]["doubts"][0]
    assert "another file cannot be read: b.rar is a RAR archive" in found["Ida"]["doubts"][0]
    report = (out / "report.html").read_text(encoding="utf-8")
    assert report.index("It is open which file counts") < report.index("neu.zip: x/means.py (3)")
    assert "To have another file graded, unpack the export" in report
    (out.parent / "class" / "Dan D_4_assignsubmission_file" / "means.py").unlink()  # as the report says
    assert report.index("rename, mend or delete that student&#39;s files") < report.index(
        "several files named means.py"
    )
    (out.parent / "class" / "Fin F_6_assignsubmission_file" / "old.zip").unlink()
    _, rows = grade_files({})
    assert rows["Dan_D_4"]["score"] == rows["Fin_F_6"]["score"] == "7.0"
    assert record(out, "Dan_D_4")["doubts"] == []


def test_files_of_one_upload_are_no_two_submissions(
    handout: Kept, assignment: Assignment, grade_files: GradeFiles
) -> None:
    """Canvas numbers each file; only what it adds to a name tells a second submission."""
    half, whole = (filled_file(handout["means.py"], assignment.reference, RIGHT[:n]) for n in (1, 3))
    out, rows = grade_files({
        "olga_1_11_MEANS.py": whole, "olga_1_12_means.py": half,
        "pia_2_13_means.py": half, "pia_2_14_hw.zip": zipped({"means.py": whole}),
        "ron_3_15_means.py": half, "ron_3_16_means-1.py": whole,
        "sue_4_17_means-1.py": half, "sue_4_18_mine.py": whole, "sue_4_19_means.py": half,
    })  # fmt: skip
    assert {name: float(row["score"]) for name, row in rows.items()} == {
        "olga_1": 2.0, "pia_2": 2.0, "ron_3": 7.0, "sue_4": 2.0,
    }  # fmt: skip
    graded = "(1 exercise written) is graded for its name and place; not graded:"
    latest = "handed in 2 times; the latest ({}) counts"
    for name, notes, doubts in (
        ("olga_1", [], [f"olga_1_12_means.py {graded} olga_1_11_MEANS.py (3)"]),
        ("pia_2", [], [f"pia_2_13_means.py {graded} pia_2_14_hw.zip: t1_means/means.py (3)"]),
        ("ron_3", [latest.format("ron_3_16_means-1.py")], []),
        ("sue_4", [latest.format("sue_4_17_means-1.py")], [f"sue_4_17_means-1.py {graded} sue_4_18_mine.py (3)"]),
    ):
        entry = record(out, name)
        assert (entry["notes"], entry["doubts"]) == ([*notes, *doubts], doubts)


@pytest.mark.parametrize("form", ["zip", "files"])
def test_a_desk_and_otter_choose_as_a_grading_does(
    form: str, handout: Kept, assignment: Assignment, tmp_path: Path
) -> None:
    """Gradescope's folder and otter's, whether a zip was uploaded or the files themselves."""
    course = desk_files(COURSE, Settings(SLUG, 11))
    source = tmp_path / "source" / "files" / "desk"
    whole = filled_notebook(handout["means.ipynb"], assignment.reference, RIGHT)
    work = {**handout, "means.ipynb": whole}
    if form == "zip":
        work = {"work.zip": zipped(work)}
    for folder, files in ((source, course), (tmp_path / "submission", work)):
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    desk = open_desk(source)
    submission = handed_in(tmp_path / "submission", Stub.of(desk.assignment))
    assert submission.origin.endswith("means.ipynb"), submission
    record, asked = desk.judge(submission), ask(source, tmp_path / "submission")  # the second as otter's judge does
    assert (record.score, record.max_score, asked["score"], asked["max_score"]) == (7, 7, 7, 7)


def test_pytest_and_autograder_check_ask_about_the_same_file(
    handout: Kept, assignment: Assignment, tmp_path: Path
) -> None:
    """In a folder whose notebook is finished and whose stub is as it was, both pass."""
    work = {**handout, "means.ipynb": filled_notebook(handout["means.ipynb"], assignment.reference, RIGHT)}
    assert "7 of 7 points" in checked(work, tmp_path)[0]
    tests = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_means.py"]
    command = [sys.executable, "-m", "autograder.cli", "check", SLUG, "--course", str(COURSE)]
    for one in (tests, command):
        done = subprocess.run(one, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


STUB = '''"""Fill in."""

import numpy as np

STEP = 1


def given(x):
    return x


def center(x: np.ndarray, axis: int = 0) -> np.ndarray:
    """Return it centred."""
    raise NotImplementedError("center is not written yet")


class Model:
    def __init__(self, size):
        self.size = size

    def forward(self, x):
        raise NotImplementedError("Model.forward is not written yet")
'''
RAISES = '    raise NotImplementedError("center is not written yet")'


@pytest.mark.parametrize(
    ("old", "new", "exercises"),
    [
        ("", "", ""),
        ("\n", "\r\n", ""),
        ("    ", "\t", ""),
        ("# nothing", "", ""),
        (RAISES, f"    # Mine: later.\n\n{RAISES}  # soon", ""),
        ("Return it centred.", "What I think: take the mean.", ""),
        ("(x: np.ndarray, axis: int = 0) ->", "(\n    x: np.ndarray,\n    axis: int = 0,\n) ->", ""),
        ("import numpy as np", "import numpy as np\nimport math\nprint(center)", ""),
        ("STEP = 1", "STEP = 1\n\n\ndef helper(center):\n    Model = center\n    return center(center=1) == 2", ""),
        ("return x\n", "return x + 0\n", ""),  # what is given is no exercise
        (RAISES, "    return x - x.mean()", "center"),
        (RAISES, f"    return x - x.mean()\n{RAISES}", "center"),
        (RAISES, f"    # {RAISES.strip()}", "center"),
        (RAISES, "    return x - x.mean(", "center"),  # a slip that keeps it from being Python
        (RAISES, RAISES + "\n\n\ncenter = lambda x, axis=0: x", "center"),
        (RAISES, RAISES + "\n\n\ndef center(x):\n    return x", "center"),
        (RAISES, RAISES + "\n\n\nModel.forward = given", "Model"),
        (RAISES, RAISES + "\n\n\nif STEP:\n    def center(x):\n        return x", "center"),
        ('raise NotImplementedError("Model.forward is not written yet")', "return x", "Model"),
        ("self.size = size", "self.size = size\n        self.more = 1", "Model"),
    ],
)
def test_what_counts_as_written(old: str, new: str, exercises: str) -> None:
    """Code does; layout, comments, docstrings, experiments and what was given do not."""
    stub = Stub("m.py", STUB, frozenset({"center", "Model"}))
    text = STUB.replace(old, new) if old else STUB
    assert written(Source("m", (Chunk("m.py", text.replace("\r\n", "\n")),)), stub).exercises == set(exercises.split())


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_every_reference_is_written_and_no_stub_is(slug: str) -> None:
    """Of every assignment, all exercises that have a definition."""
    assignment = load_assignment(ROOT, slug)
    stub = Stub.of(assignment)
    for text, found in ((assignment.reference, stub.exercises), (assignment.stub, frozenset())):
        assert written(Source("m", (Chunk("m.py", text),)), stub).exercises == found


@pytest.mark.slow
def test_the_course_s_own_handout_keeps_its_points(grade_files: GradeFiles, tmp_path: Path) -> None:
    """A zipped folder of a5_attention with the notebook finished and the stub as it was has all of its 36 points."""
    slug = "a5_attention"
    handout, assignment = handout_of(ROOT, slug, tmp_path / "dist"), load_assignment(ROOT, slug)
    names = tuple(exercise.name for exercise in assignment.exercises)
    work = {**handout, "attention.ipynb": filled_notebook(handout["attention.ipynb"], assignment.reference, names)}
    _, rows = grade_files({"ada.zip": zipped(work, slug)}, slug, ROOT)
    assert (rows["ada"]["score"], rows["ada"]["max_score"]) == ("36.0", "36.0")
    assert "32 of 32 points" in checked(work, tmp_path / slug)[0]
