"""Shards of a class, graded apart and put together, are the class as graded in one piece."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.classroom.gradebook import Facts, Gradebook, GradebookError
from autograder.classroom.gradebook_lock import open_for, open_gradebook
from autograder.classroom.gradebook_view import records
from autograder.classroom.record import Graded, Record
from autograder.classroom.shards import (
    Part,
    Shard,
    ShardError,
    check_parts,
    leave_out,
    parse_shard,
    read_part,
    take_over,
)
from autograder.classroom.still_to_grade import Choices, make_plan, owe, see_class
from autograder.classroom.stored_result import finished
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment, Status, Visibility
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.sandbox.job import Chunk, Isolation, Source

STRONG, WEAK = Isolation("A", ("namespaces",), ()), Isolation("B", ("seccomp",), ("a risk",))
KEYS = {name: f"key-of-{name}" for name in ("row_means", "center", "spread")}


def handed_in(student: str, text: str = "x = 1") -> Submission:
    """Return a submission of one file."""
    return Submission(student, f"{student}.py", Source("means", (Chunk("means.py", text),)))


def save(book: Gradebook, submission: Submission, score: float = 1.0, isolation: Isolation = STRONG) -> None:
    """Write a result down: the same score in every exercise."""
    case = CaseResult("a_case", "A claim.", Visibility.PUBLIC, Status.PASSED)
    result = Result("t1_means", tuple(ExerciseResult(name, score, 2.0, (case,)) for name in KEYS))
    book.save(finished(Graded(submission, result, isolation, 0.1)), KEYS, frozenset(KEYS), book.begin(isolation))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Return what closes every gradebook in the end."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def two(tmp_path: Path, assignment: Assignment, stack: ExitStack) -> list[Gradebook]:
    """Return the gradebooks of two shards: ann in the first, bob and eve in the second."""
    books = [stack.enter_context(open_gradebook(tmp_path / f"part{number}", assignment)) for number in (1, 2)]
    for number, (book, students) in enumerate(zip(books, (["ann"], ["bob", "eve"]), strict=True), 1):
        book.describe(assignment, 7)
        book.set_facts(Facts(shard=f"{number}/2"))
        for student in students:
            save(book, handed_in(student), isolation=WEAK if student == "eve" else STRONG)
    return books


@pytest.fixture
def whole(tmp_path: Path, stack: ExitStack, two: list[Gradebook]) -> Gradebook:
    """Return an empty gradebook with the facts of the two."""
    book = stack.enter_context(open_for("t1_means", tmp_path / "whole"))
    book.set_facts(read_part(two[0]).facts)
    return book


def merged(whole: Gradebook, parts: list[Gradebook]) -> list[Record]:
    """Merge, and return the records."""
    check_parts([read_part(part) for part in parts])
    leave_out(whole, {student for part in parts for student in take_over(whole, part)})
    return list(records(whole))


def test_other_code_of_one_name_is_refused(whole: Gradebook, two: list[Gradebook], assignment: Assignment) -> None:
    """They may be two students: neither may win silently. The same code in both folders is no trouble."""
    save(two[1], handed_in("ann"))
    taken = take_over(whole, two[0])
    assert take_over(whole, two[1], taken) == {"ann", "bob", "eve"}
    text = f"{assignment.reference}\n# of another ann"
    save(two[1], handed_in("ann", text))
    with pytest.raises(
        GradebookError, match=r"ann has other code in .*part2 than in a folder that was named before it"
    ):
        take_over(whole, two[1], taken)


# Shards


@given(st.integers(1, 9), st.lists(st.text(min_size=1), unique=True))
def test_everybody_is_in_one_shard(count: int, names: list[str]) -> None:
    """Shards leave nobody out and share nobody, and who else is in the class moves nobody."""
    works = [handed_in(name) for name in names]
    parts = [Shard(index, count).of(works) for index in range(1, count + 1)]
    assert sorted(work.student for part in parts for work in part) == sorted(names)
    assert all(Shard(i, count).of([*works, handed_in("late")])[: len(part)] == part for i, part in enumerate(parts, 1))


@pytest.mark.parametrize(("text", "shard"), [("1/1", Shard(1, 1)), (" 2 / 8 ", Shard(2, 8)), ("8/8", Shard(8, 8))])
def test_a_shard_is_read(text: str, shard: Shard) -> None:
    """As array jobs write it."""
    assert parse_shard(text) == shard
    assert parse_shard(str(shard)) == shard


@pytest.mark.parametrize("text", ["", "0/8", "9/8", "2", "2/0", "-1/8", "1/8/2", "a/b", "\x1b[2J"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    """Counting begins at 1, as a job's arithmetic may forget."""
    with pytest.raises(ShardError, match=r"is no shard. Write 1/8 to 8/8"):
        parse_shard(text)


def test_a_shard_needs_the_common_seed(tmp_path: Path, assignment: Assignment, stack: ExitStack) -> None:
    """Else every shard would draw its own inputs. Later runs know it."""
    book = stack.enter_context(open_gradebook(tmp_path / "out", assignment))
    works = [handed_in(name) for name in ("ann", "bob", "eve", "kim")]
    with pytest.raises(GradebookError, match="add the same --seed to each"):
        make_plan(book, assignment, works, Choices(shard=Shard(1, 2)))
    plan = make_plan(book, assignment, works, Choices(shard=Shard(1, 2), seed=7))
    assert plan.tasks == Shard(1, 2).of(works)
    assert make_plan(book, assignment, works, Choices(shard=Shard(1, 2))).oracle.seed == 7


@pytest.mark.parametrize(("first", "then"), [(Shard(1, 2), Shard(2, 2)), (Shard(1, 2), None), (None, Shard(1, 2))])
def test_a_folder_holds_one_part(
    tmp_path: Path, assignment: Assignment, stack: ExitStack, first: Shard | None, then: Shard | None
) -> None:
    """Another shard, or the whole class, is refused."""
    book = stack.enter_context(open_gradebook(tmp_path / "out", assignment))
    make_plan(book, assignment, [handed_in("ann")], Choices(shard=first, seed=7))
    with pytest.raises(GradebookError, match=f"holds {f'shard {first} of a class' if first else 'a whole class'}"):
        make_plan(book, assignment, [handed_in("ann")], Choices(shard=then, seed=7))


# Merging


def test_parts_make_the_whole(whole: Gradebook, two: list[Gradebook]) -> None:
    """Every record is as in its part, and the weakest isolation of all is that of the class."""
    found = merged(whole, two)
    expected = [entry for part in two for entry in records(part)]
    assert found == expected
    assert whole.last_run().isolation.level == "B"
    assert whole.unwritten() == {"", "ann", "bob", "eve"}


def test_merging_again_changes_what_changed(whole: Gradebook, two: list[Gradebook]) -> None:
    """Only the student whose result is new gets new files; a decision in the whole stands."""
    merged(whole, two)
    whole.override("bob", "center", 2.0, "Shown in class.")
    whole.begin_writing(["", "ann", "bob", "eve"])
    whole.mark_written(["", "ann", "bob", "eve"])
    merged(whole, two)
    assert whole.unwritten() == set()
    save(two[1], handed_in("eve", "x = 2"), score=0.5)
    by_name = {entry.student: entry for entry in merged(whole, two)}
    assert whole.unwritten() == {"", "eve"}
    assert (by_name["ann"].score, by_name["bob"].score, by_name["eve"].score) == (3.0, 4.0, 1.5)


def test_who_is_in_no_part_leaves_the_class(whole: Gradebook, two: list[Gradebook]) -> None:
    """The part that a student is gone from says so."""
    merged(whole, two)
    see_class(two[1], [handed_in("bob")])
    assert [entry.student for entry in merged(whole, two)] == ["ann", "bob"]


def test_decisions_come_along_once(whole: Gradebook, two: list[Gradebook]) -> None:
    """Merging twice does not decide twice."""
    two[0].override("ann", "center", 0.0, "Copied.")
    merged(whole, two)
    merged(whole, two)
    assert whole.db.execute("SELECT student, points, because FROM override").fetchall() == [("ann", 0.0, "Copied.")]


def test_names_of_two_persons_are_not_merged(whole: Gradebook, two: list[Gradebook]) -> None:
    """Of two gradebooks that were no shards of one class the same name may be two students."""
    owner = replace(handed_in("ann").owner, key="canvas:2")
    save(two[1], replace(handed_in("ann"), owner=owner))
    with pytest.raises(GradebookError, match="ann is another student"):
        merged(whole, two)


def part(folder: str, shard: Shard | None = None, key: str = "k", seed: int = 7, due: str = "") -> Part:
    """Return what is known of a part."""
    return Part(Path(folder), Facts("t1_means", "T", seed, due=due), shard, {"center": key})


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([part("a", seed=1), part("b", seed=2)], "a and b differ in seed"),
        ([part("a", due="x"), part("b")], "a and b differ in due"),
        (
            [part("a"), part("b", key="other")],
            "a and b were not graded alike: center has other cases.* of numpy or of torch",
        ),
        ([part("a", Shard(1, 3)), part("b", Shard(3, 3))], "Not there: shard 2/3"),
        ([part("a", Shard(1, 2)), part("b", Shard(2, 3))], "no parts of one whole|not parts of one whole"),
        ([part("a", Shard(1, 2)), part("b")], r"a \(1/2\), b \(a whole class\)"),
        ([part("a"), part("b")], r"\(a whole class\)\. Name the folders that grade --shard wrote\."),
        ([part("a", Shard(1, 1)), part("b", Shard(1, 1))], "2 folders for 1 shards"),
    ],
)
def test_what_is_no_whole_is_refused(parts: list[Part], message: str) -> None:
    """The sentence says which folders, and what is different."""
    with pytest.raises(GradebookError, match=message):
        check_parts(parts)


def test_half_changed_parts_are_refused(two: list[Gradebook]) -> None:
    """Where some results are from before a change and some from after, which count is not for us to say."""
    two[1].db.execute("UPDATE exercise SET key = 'new:' || key WHERE student = 'bob'")
    with pytest.raises(GradebookError, match="before and after a change"):
        read_part(two[1])


def test_what_is_left_out_does_not_stand_in_the_way(two: list[Gradebook], assignment: Assignment) -> None:
    """Results of exercises that are not graded any more may be from whenever."""
    two[1].db.execute("UPDATE exercise SET key = 'new:' || key WHERE student = 'bob' AND name = 'spread'")
    two[1].describe(replace(assignment, exercises=assignment.exercises[:2]), 7)
    assert read_part(two[1]).keys.keys() == {"row_means", "center"}


def test_a_part_that_is_not_finished_is_refused(two: list[Gradebook]) -> None:
    """A killed shard would otherwise hand in nothing for everybody it did not come to."""
    works = [handed_in(student) for student in ("bob", "eve", "kim")]
    owe(two[1], works, {"kim"}, whole=True)
    with pytest.raises(GradebookError, match=r"part2 \(shard 2/2\) is not finished: 1 still to be graded"):
        read_part(two[1])
    save(two[1], works[2])
    assert read_part(two[1])


def test_our_own_failures_do_not_stand_in_the_way(whole: Gradebook, two: list[Gradebook]) -> None:
    """They have no key, are taken over, and are taken over again when they are mended."""
    two[0].db.execute("UPDATE exercise SET key = '' WHERE name = 'center'")
    assert len(merged(whole, two)) == 3
    assert len(merged(whole, two)) == 3
