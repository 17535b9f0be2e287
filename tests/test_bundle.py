"""What students get to judge by is data, the same in files as in memory, and says nothing that is not public."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from autograder.course.edits import apply_edits
from autograder.course.spec import Answer, Assignment, Misconception, Status, Visibility
from autograder.handout.kit.bundle import NUMBERS, SHAPES, Bundle, BundleError, read_bundle
from autograder.handout.kit.self_check import check
from autograder.handout.pairs_of_mistakes import pairs_file
from autograder.handout.public_data import public_bundle, public_files, public_oracle
from autograder.handout.zips import zip_bytes
from autograder.judge.checks import answered, choice, close
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.tree import Opaque
from autograder.sandbox.child.wire_format import decode
from autograder.sandbox.job import Chunk, Source

Edited = Callable[..., str]


@pytest.fixture(scope="module")
def oracle(assignment: Assignment) -> Oracle:
    """Return what the tiny course's public files are made from."""
    return public_oracle(assignment)


@pytest.fixture
def read(oracle: Oracle, tmp_path: Path) -> Bundle:
    """Return the bundle as a student's laptop reads it."""
    for name, data in {**public_files(oracle), **pairs_file(oracle)}.items():
        (tmp_path / name.rpartition("/")[2]).write_bytes(data)
    return read_bundle(tmp_path)


def verdict(text: str, bundle: Bundle) -> Result:
    """Check a file by a bundle, and leave out how long it took."""
    result = check(Source("means", (Chunk("means.py", text),)), bundle)
    exercises = (replace(e, cases=tuple(replace(case, seconds=0.0) for case in e.cases)) for e in result.exercises)
    return replace(result, exercises=tuple(exercises))


def test_files_and_memory_give_the_same_verdicts(read: Bundle, oracle: Oracle) -> None:
    """On the stub, the reference and every known mistake."""
    assignment = oracle.assignment
    bank = assignment.misconceptions
    texts = [assignment.stub, assignment.reference, *(apply_edits(assignment.reference, (m,)) for m in bank)]
    ours = public_bundle(oracle)
    for text in filter(None, texts):
        assert verdict(text, read) == verdict(text, ours)


def test_of_two_mistakes_files_tell_what_memory_tells_where_they_are(read: Bundle, oracle: Oracle) -> None:
    """What two of them do to other exercises takes the reference, which stays at home."""
    first, second = (m for m in oracle.assignment.misconceptions if m.exercise == "row_means")
    text = apply_edits(oracle.assignment.reference, (first, second)) or ""
    mine, theirs = (verdict(text, bundle).exercises[0] for bundle in (read, public_bundle(oracle)))
    assert mine == theirs
    assert mine.name == "row_means"
    assert all(mistake.says in str(mine) for mistake in (first, second))


def test_a_known_mistake_is_named_without_the_reference(read: Bundle, assignment: Assignment) -> None:
    """Whatever public cases show of a mistake, its own sentence is said."""
    named = 0
    for m in assignment.misconceptions:
        result = verdict(apply_edits(assignment.reference, (m,)) or "", read)
        said = {case.diagnosis for e in result.exercises if e.name == m.exercise for case in e.cases} - {""}
        assert said <= {m.name, *m.twins}
        named += bool(said)
    assert named > len(assignment.misconceptions) // 2


@pytest.mark.parametrize("center", ["means = as_columns(row_means(x))", "return x - as_columns(row_means(x))"])
def test_what_stops_inside_another_exercise_is_not_right(assignment: Assignment, edited: Edited, center: str) -> None:
    """The mistake there is known and would stop a right solution, too, so nobody has seen yet whether this is one."""
    meets = Misconception(
        "meets_its_sum",
        "row_means",
        old="total / x.shape[-1]",
        new="x @ total",
        caught_by="two_rows",
        says="A product.",
    )
    bundle = public_bundle(public_oracle(replace(assignment, misconceptions=(*assignment.misconceptions, meets))))
    result = verdict(edited(row_means="total = x.sum(axis=-1)\nreturn x @ total", center=center), bundle)
    told = {e.name: (e.status, e.score, e.waits_for) for e in result.exercises}
    assert told == {
        "row_means": (Status.CRASHED, 0, ""),
        "center": (Status.SKIPPED, 0, "row_means"),
        "spread": (Status.SKIPPED, 0, "row_means"),
    }
    assert result.exercises[0].shown.suspected == ("meets_its_sum",)


def test_there_is_no_code_in_it(oracle: Oracle) -> None:
    """Two files: JSON without any of the reference or the edits, and plain rows of numbers."""
    files = public_files(oracle)
    assert files.keys() == {SHAPES, NUMBERS}
    text = files[SHAPES].decode()
    for m in oracle.assignment.misconceptions:
        assert json.dumps(m.old) not in text
        assert json.dumps(m.new) not in text or not m.new
    assert all(row.ndim == 1 for row in decode(files[NUMBERS]).values())


def test_hidden_cases_are_not_in_it(oracle: Oracle, assignment: Assignment) -> None:
    """Not even by name."""
    text = public_files(oracle)[SHAPES].decode()
    hidden = [case for case in assignment.cases if case.visibility is Visibility.HIDDEN]
    assert hidden
    assert not [case.name for case in hidden if case.claim in text]


def test_the_same_course_gives_the_same_bytes(assignment: Assignment, oracle: Oracle) -> None:
    """Whoever makes it, and whenever."""
    assert public_files(public_oracle(assignment)) == public_files(oracle)
    assert zip_bytes({"a": b"1", "b": b"2"}) == zip_bytes({"b": b"2", "a": b"1"})
    with zipfile.ZipFile(io.BytesIO(zip_bytes({"a": b"1"}))) as archive:
        assert archive.infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)


def test_a_quiz_ships_its_questions_alone() -> None:
    """A letter in a bundle is nothing that a student could return, and an open question stays open."""
    key = (Answer({"why": "b", "how": "d"}),)
    quiz = answered(("a", "b", "c", "d"))
    shown = quiz.public(key)
    assert shown[0].value == {"why": Opaque("letter"), "how": Opaque("letter")}
    assert quiz.judge((), (Answer({"why": "a", "how": "c"}),), shown) is None
    open_question = quiz.judge((), (Answer({"why": "a", "how": ""}),), shown)
    assert open_question is not None
    assert open_question.headline.startswith("No answer yet to how.")
    assert choice("why").public(key) == ()
    assert close().public(key) is key


@dataclass(frozen=True)
class secretive(close):  # noqa: N801 (a check, as a course might define one)
    """A check that compares with an answer nobody may have."""

    def public(self, expected: tuple[Answer, ...]) -> tuple[Answer, ...]:
        """Keep all of it."""
        return expected[:0]


def test_a_public_case_may_not_ask_for_one_answer(assignment: Assignment) -> None:
    """Its answer would have to ship, so a handout is refused."""
    cases = tuple(replace(case, check=secretive()) for case in assignment.cases)
    with pytest.raises(BundleError, match=r"row_means\.two_rows: a case with this check cannot be public"):
        public_bundle(public_oracle(replace(assignment, cases=cases)))


@dataclass(frozen=True)
class mine(close):  # noqa: N801 (a check, as a course might define one)
    """A check of a course's own."""


def test_a_check_of_the_courses_own_cannot_ship(assignment: Assignment) -> None:
    """Its code would have to travel."""
    cases = tuple(replace(case, check=mine()) for case in assignment.cases)
    with pytest.raises(BundleError, match="the check mine is defined in the course"):
        public_files(public_oracle(replace(assignment, cases=cases)))


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / SHAPES).unlink(),
        lambda folder: (folder / SHAPES).write_text("{"),
        lambda folder: (folder / NUMBERS).write_bytes(b"PK"),
        lambda folder: (folder / SHAPES).write_text('{"format": 0}'),
    ],
)
def test_what_cannot_be_read_says_what_to_do(damage: Callable[[Path], object], read: Bundle, tmp_path: Path) -> None:
    """A handout that lost a part is to be unzipped again."""
    damage(tmp_path)
    with pytest.raises(BundleError, match="Unzip the handout again"):
        read_bundle(tmp_path)
