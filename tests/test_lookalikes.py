"""Look-alikes: copies are found however they were dressed up, and what everybody was given is nobody's own."""

from __future__ import annotations

import pytest

from autograder.course.spec import Assignment
from autograder.pages.similarity import MOST_CODE, MOST_PAIRS, compare
from autograder.sandbox.job import Chunk, Source

OTHER = """
def row_means(x):
    total, count = 0.0, x.shape[1]
    for column in range(count):
        total = total + x[:, column]
    answer = total / count
    return answer


def center(x):
    pieces = []
    for row in x:
        middle = sum(row) / len(row)
        pieces.append([value - middle for value in row])
    return np.asarray(pieces)
"""


def source(*texts: str) -> Source:
    """Return code of a file, or of the cells of a notebook."""
    return Source("means", tuple(Chunk(f"cell {number}", text) for number, text in enumerate(texts)))


def test_a_copy_in_disguise_is_found(assignment: Assignment) -> None:
    """Other names, comments, layout and cells are the same code; what was written otherwise is not."""
    disguised = OTHER.replace("total", "acc").replace("answer", "result").replace("pieces = []", "pieces = []  # new")
    first, second = disguised.split("\n\n\n")
    works = {"ann": source(OTHER), "bob": source(first, second), "eve": source(assignment.reference)}
    found = compare(works, assignment.stub, 0.8)
    (pair,) = found.pairs
    assert {pair.first.student, pair.second.student} == {"ann", "bob"}
    assert pair.first.share >= pair.second.share > 0.9
    shared = "".join(pair.first.code[start:end] for start, end in pair.first.shared)
    assert "for column in range(count)" in shared
    assert (found.found, found.compared, found.left_out) == (1, 3, ())


def test_the_stub_is_nobodys_own(assignment: Assignment) -> None:
    """Who handed in the stub shares nothing, also where it stands twice, and neither does who wrote one line."""
    works = {"ann": source(assignment.stub), "bob": source(assignment.stub, "", assignment.stub), "eve": source("x")}
    found = compare(works, f"{assignment.stub}\n{assignment.stub}", 0.01)
    assert (found.pairs, found.compared, found.left_out) == ((), 0, ("ann", "bob", "eve"))


def test_half_a_copy_is_found_from_its_share_on(assignment: Assignment) -> None:
    """What one has of its own does not hide what all of the other is."""
    half = OTHER.partition("\n\n\n")[0]
    (pair,) = compare({"ann": source(OTHER), "bob": source(half)}, "", 0.8).pairs
    assert (pair.first.student, pair.second.student) == ("bob", "ann")
    assert pair.second.share < 0.7 < pair.first.share
    assert compare({"ann": source(OTHER), "bob": source(assignment.reference)}, "", 0.8).pairs == ()


def test_a_large_class_shows_the_most_alike(assignment: Assignment) -> None:
    """More pairs than anybody reads are counted, and what nobody wrote by hand is not compared."""
    works = {f"s{i:02}": source(OTHER) for i in range(20)} | {"big": source("x = 1\n" * (MOST_CODE // 6 + 1))}
    found = compare(works, assignment.stub, 1.0)
    assert (len(found.pairs), found.found, found.left_out) == (MOST_PAIRS, 190, ("big",))


@pytest.mark.parametrize(
    "text", ["(" * 500, "\x00" * 99, "\ud800" * 99, '"' * 3 + "a" * 500, "\u202e" * 99, "\r\f\v" * 99, ""]
)
def test_what_is_no_python_is_compared_too(text: str) -> None:
    """Whatever was handed in, everybody else is compared, and every span lies in the code."""
    found = compare({"ann": source(text), "bob": source(text), "eve": source(OTHER)}, text, 0.5)
    for pair in (*found.pairs, *compare({"ann": source(text), "bob": source(text)}, "", 0.5).pairs):
        for side in (pair.first, pair.second):
            assert all(0 <= start < end <= len(side.code) for start, end in side.shared)
    assert "eve" not in found.left_out
