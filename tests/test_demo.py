"""The invented class holds every kind of work it promises, is the same every time, and reads back as planned."""

from __future__ import annotations

import ast
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from autograder.classroom.submissions import Submission, read_submissions
from autograder.command.demo import LEAST, half_finished, plan_class, write_class
from autograder.course.places import CourseError
from autograder.course.spec import Assignment, Call, Exercise, Limits, Misconception, Replacement, call, case
from autograder.course.stub import render_stub
from autograder.judge.checks import close
from autograder.submission.written_exercises import Stub

REFERENCE = '''\
"""Three small exercises."""

import functools

# A constant with a comment above it.
FACTOR = 2


def double(x):
    """Twice x."""
    # BEGIN SOLUTION
    return FACTOR * x
    # END SOLUTION


@functools.cache
def triple(x):
    """Three times x."""
    # BEGIN SOLUTION
    return double(x) + x
    # END SOLUTION


class Adder:
    """Adds what it was made with."""

    def __init__(self, step):
        self.step = step

    def add(self, x):
        """Return x and a step."""
        # BEGIN SOLUTION
        return x + self.step
        # END SOLUTION
'''
ODD_KINDS = {
    "syntax_error",
    "endless_loop",
    "endless_import",
    "exit",
    "memory",
    "flood",
    "empty",
    "renamed",
    "utf16",
    "resubmitted",
    "corrupt_zip",
    "outside_zip",
    "ships_modules",
    "pdf",
}


@case("double", check=close())
def doubles(rng: object) -> Iterator[Call]:
    """Two becomes four."""
    yield call(2.0)


def tiny() -> Assignment:
    """Return an assignment of two functions and a method."""
    mistakes = (
        Misconception("no_factor", "double", "FACTOR * x", "x", "doubles", "You do not multiply."),
        Misconception("squares", "double", "FACTOR * x", "x * x", "doubles", "You square."),
        Misconception("adds_two", "triple", "double(x) + x", "double(x) + 2", "doubles", "You add two."),
        Misconception("subtracts", "Adder", "x + self.step", "x - self.step", "doubles", "You subtract."),
        Misconception("doc_too", "double", '"""Twice x."""', '"""Thrice x."""', "doubles", "Nothing."),
    )
    assignment = Assignment(
        slug="t1_tiny",
        title="Tiny",
        file="tiny.py",
        points=3,
        torch=False,
        exercises=(
            Exercise("double", 1, ("double",)),
            Exercise("triple", 1, ("triple",)),
            Exercise("Adder", 1, ("Adder.add",)),
        ),
        limits=Limits(),
        given=("Adder.__init__",),
        reference=REFERENCE,
        stub="",
        cases=(doubles,),
        misconceptions=mistakes,
        correct=(Replacement("by_adding", "def double(x):\n    return x + x\n"),),
    )
    return replace(assignment, stub=render_stub(assignment))


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Submission]]:
    """Write the class, read it back, and sort it by what it was meant to be."""
    kinds = {planned.student: planned.kind for planned, _, _ in plan_class(tiny())}
    submissions = read_submissions(write_class(tiny(), tmp_path_factory.mktemp("demo")), Stub("tiny.py"))
    assert {submission.student for submission in submissions} == kinds.keys()
    found: dict[str, list[Submission]] = {}
    for submission in submissions:
        found.setdefault(kinds[submission.student], []).append(submission)
    return found


def module(submission: Submission) -> ModuleType:
    """Run a submission's code, as far as it is definitions."""
    assert submission.source is not None
    made = ModuleType("made")
    for chunk in submission.source.chunks:
        if "print(" not in chunk.text:  # a student's experiment
            exec(compile(chunk.text, chunk.label, "exec"), made.__dict__)
    return made


def test_same_seed_same_class(tmp_path: Path) -> None:
    """A seed gives the same bytes every time, another seed another class."""
    first, second = write_class(tiny(), tmp_path / "a" / "b"), write_class(tiny(), tmp_path / "c")
    assert first == tmp_path / "a" / "b" / "class.zip"
    assert first.read_bytes() == second.read_bytes()
    assert write_class(tiny(), tmp_path, seed=1).read_bytes() != first.read_bytes()
    assert write_class(tiny(), tmp_path, seed=1) == tmp_path / "class.zip"


def test_another_class_is_not_written_over(tmp_path: Path) -> None:
    """An export may be called class.zip, too."""
    (tmp_path / "class.zip").write_bytes(b"precious")
    with pytest.raises(CourseError, match="is there already, and another class"):
        write_class(tiny(), tmp_path)
    assert (tmp_path / "class.zip").read_bytes() == b"precious"


def test_every_kind_is_there(read: dict[str, list[Submission]]) -> None:
    """At least sixty students, every known mistake and way among them, pairs, unfinished work and all oddities."""
    assert sum(map(len, read.values())) >= LEAST >= 60
    kinds = read.keys()
    assert kinds >= ODD_KINDS | {"reference", "stub", "correct:by_adding", "half_finished:1", "half_finished:2"}
    assert kinds >= {f"misconception:{m.name}" for m in tiny().misconceptions}
    pairs = [kind for kind in kinds if kind.startswith("combination:")]
    assert "combination:no_factor+squares" not in pairs  # they edit the same text
    assert {"combination:no_factor+subtracts", "combination:no_factor+doc_too"} <= set(pairs)


def test_names_are_shaped_as_canvas_makes_them(tmp_path: Path) -> None:
    """Names, ids and endings are those of an export: .py files, notebooks, zips, some of them late, nobody twice."""
    with zipfile.ZipFile(write_class(tiny(), tmp_path)) as archive:
        names = archive.namelist()
    assert names == sorted(set(names))
    assert all(name.split("_")[0].isalpha() and name.isascii() for name in names)
    endings = Counter(Path(name).suffix for name in names)
    assert min(endings[".py"], endings[".ipynb"], endings[".zip"]) >= 3
    assert 0 < sum("_late_" in name for name in names) < len(names) / 2
    students = [planned.student for planned, _, _ in plan_class(tiny())]
    assert [n for n in Counter(students).values() if n > 1] == [2]  # the one who handed in again


def test_unreadable_work_is_a_problem_and_the_rest_is_code(read: dict[str, list[Submission]]) -> None:
    """Exactly the files that something happened to come back as problems."""
    broken = {kind for kind, submissions in read.items() for s in submissions if s.source is None}
    assert broken == {"corrupt_zip", "outside_zip", "pdf"}


def test_right_work_is_right_in_every_form(read: dict[str, list[Submission]]) -> None:
    """The reference computes the same from a file, a notebook and a zip; so do a renamed file and a later one."""
    rights = [
        s
        for kind in ("reference", "correct:by_adding", "renamed", "utf16", "resubmitted", "ships_modules")
        for s in read[kind]
    ]
    assert {s.source.notebook for s in rights if s.source} == {True, False}
    assert any(".zip: t1_tiny/tiny.py" in s.origin for s in rights)
    for submission in rights:
        made = module(submission)
        assert (made.double(4), made.triple(4), made.Adder(1).add(4)) == (8, 12, 5)
        assert submission.source is not None
        assert "SOLUTION" not in "".join(chunk.text for chunk in submission.source.chunks)
    (again,) = read["resubmitted"]
    assert any("2 times" in note and "tiny-2.py" in note for note in again.notes)
    assert any("my_final_version(2).py" in note for note in read["renamed"][0].notes)


def test_wrong_work_is_wrong_as_planned(read: dict[str, list[Submission]]) -> None:
    """Misconceptions and their combinations are in the code they are named after."""
    assert module(read["misconception:squares"][0]).double(3) == 9
    both = module(read["combination:no_factor+subtracts"][0])
    assert (both.double(3), both.Adder(1).add(3)) == (3, 2)


def test_notebooks_lose_their_grader_and_magics(read: dict[str, list[Submission]]) -> None:
    """Of a notebook the definitions remain, each in a cell of its own, and nothing that needs otter or Jupyter."""
    books = [s.source for submissions in read.values() for s in submissions if s.source and s.source.notebook]
    for book in books:
        text = "\n".join(chunk.text for chunk in book.chunks)
        assert "otter\n" not in text
        assert "grader" not in text
        assert "%" not in text
        assert "# A constant with a comment above it.\nFACTOR = 2" in text
        assert "@functools.cache\ndef triple" in text


def test_half_finished_work() -> None:
    """The first exercises are whole, the others as in the stub, methods and decorated functions too."""
    assignment = tiny()
    assert half_finished(assignment, 3) == assignment.reference
    made = {n: ast.unparse(ast.parse(half_finished(assignment, n))) for n in (0, 1, 2)}
    assert made[0] == ast.unparse(ast.parse(assignment.stub))
    assert [made[n].count("NotImplementedError") for n in (0, 1, 2)] == [3, 2, 1]
    assert [made[n].count("@functools.cache") for n in (0, 1, 2)] == [1, 1, 1]
    assert "Adder.add is not written yet" in made[2]


def test_hostile_work_is_hostile(read: dict[str, list[Submission]]) -> None:
    """The syntax error is one, the flood is right but loud, and the others compile."""
    sources = {kind: read[kind][0].source for kind in ODD_KINDS}
    texts = {kind: source.chunks[0].text for kind, source in sources.items() if source}
    with pytest.raises(SyntaxError):
        compile(texts.pop("syntax_error"), "x", "exec")
    for text in texts.values():
        compile(text, "x", "exec")
    assert texts["empty"] == ""
    assert "while answer" in texts["endless_loop"]
    assert "while not ready" in texts["endless_import"]
    assert "os._exit(0)" in texts["exit"]
    assert "3 << 30" in texts["memory"]


def test_flood_is_right_but_loud(read: dict[str, list[Submission]], capsys: pytest.CaptureFixture[str]) -> None:
    """The student who prints millions of characters returns what is asked for."""
    assert read["flood"][0].source is not None
    made = ModuleType("made")
    exec(read["flood"][0].source.chunks[0].text, made.__dict__)
    assert made.double(3) == 6
    assert len(capsys.readouterr().out) > 3_000_000


def test_assignment_with_one_exercise_and_no_bank() -> None:
    """An assignment that has just been begun has a class, too."""
    bare = replace(
        tiny(), exercises=tiny().exercises[:1], misconceptions=(), correct=(), stub="", given=("triple", "Adder")
    )
    bare = replace(bare, reference=REFERENCE[: REFERENCE.index("@functools")])
    assert len({planned.student for planned, _, _ in plan_class(bare)}) >= LEAST
