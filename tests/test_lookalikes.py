"""Look-alikes: copies are found however they were dressed up, and what everybody was given is nobody's own."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from autograder.classroom.look_alikes import MOST_CODE, NEAR, compare, text_of
from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment
from autograder.sandbox.job import Chunk, Source

COURSE = Path(__file__).parents[1]
OUTSIDE = COURSE / "tests" / "outside"
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


def test_a_copy_in_disguise_is_found(assignment: Assignment) -> None:
    """Other names, comments, layout and cells are the same code; what was written otherwise is not."""
    disguised = OTHER.replace("total", "acc").replace("answer", "result").replace("pieces = []", "pieces = []  # new")
    cells = Source("means", tuple(Chunk("cell", text) for text in disguised.split("\n\n\n")), notebook=True)
    works = {"ann": OTHER, "bob": text_of(cells), "eve": assignment.reference}
    found = compare(works, assignment.stub, 0.8)
    (group,) = found.groups
    (pair,) = group.pairs
    assert group.names == ("ann", "bob")
    assert pair.first.share >= pair.second.share > 0.9
    shared = "".join(pair.first.code[start:end] for start, end in pair.first.shared)
    assert "for column in range(count)" in shared
    assert (found.compared, found.left_out) == (3, ())


def test_the_stub_is_nobodys_own(assignment: Assignment) -> None:
    """Who handed in the stub shares nothing, also where it stands twice, and neither does who wrote one line."""
    works = {"ann": assignment.stub, "bob": f"{assignment.stub}\n\n{assignment.stub}", "eve": "x"}
    found = compare(works, f"{assignment.stub}\n{assignment.stub}", 0.01)
    assert (found.groups, found.compared, found.left_out) == ((), 0, ("ann", "bob", "eve"))


def test_half_a_copy_is_found_from_its_share_on(assignment: Assignment) -> None:
    """What one has of its own does not hide what all of the other is."""
    half = OTHER.partition("\n\n\n")[0]
    (group,) = compare({"ann": OTHER, "bob": half}, "", 0.8).groups
    assert (group.pairs[0].first.name, group.pairs[0].second.name) == ("bob", "ann")
    assert group.pairs[0].second.share < 0.7 < group.pairs[0].first.share
    assert compare({"ann": OTHER, "bob": assignment.reference}, "", 0.8).groups == ()


def various(number: int) -> str:
    """Return code that is like no other number's: the same idea in statements of another order and kind."""
    rng = random.Random(number)
    lines = [
        f"    x = {rng.choice(['x', 'y', 'f(x)', 'x[0]'])} {rng.choice('+-*/')} {rng.randrange(999)}" for _ in range(30)
    ]
    return "def row_means(x):\n" + "\n".join(lines)


def test_what_the_class_has_in_common_counts_little() -> None:
    """A solution that most have is natural; one that six share in a class of forty is a group, not fifteen pairs."""
    everyone = {f"s{number:02}": f"{OTHER}\n{various(number)}" for number in range(40)}
    assert compare(everyone, "", 0.8).groups == ()
    copied = dict.fromkeys(("s01", "s02", "s03", "s04", "s05"), everyone["s00"])
    (group,) = compare({**everyone, **copied}, "", 0.8).groups
    assert group.names == ("s00", "s01", "s02", "s03", "s04", "s05")
    assert len(group.pairs) == 5


def test_a_group_may_be_larger_than_what_is_compared_at_once() -> None:
    """In a long list of the index each is compared with those beside it, and all of them are tied together."""
    everyone = {f"s{number:03}": various(number if number % 4 else 0) for number in range(4 * 2 * NEAR)}
    (group,) = compare(everyone, "", 0.8).groups
    assert len(group.names) == 2 * NEAR


def test_others_are_compared_with_the_class_only() -> None:
    """Last year's are alike among themselves, which is not this class's business; who copied from them is told."""
    others = {"2025/zoe": OTHER, "2025/tim": OTHER, "2025/una": various(1), "2025/ulf": various(1)}
    found = compare({"ann": OTHER, "bob": various(2), "eve": various(3)}, "", 0.8, others)
    assert [group.names for group in found.groups] == [("2025/tim", "2025/zoe", "ann")]
    assert (found.compared, found.outside) == (3, frozenset(others))


def written_independently(slug: str) -> dict[str, str]:
    """Return correct programs whose authors knew nothing of each other."""
    return {path.stem: path.read_text(encoding="utf-8") for path in (OUTSIDE / slug).glob("correct_*.py")}


@pytest.mark.parametrize("slug", sorted(path.name for path in OUTSIDE.iterdir() if any(path.glob("correct_*.py"))))
def test_nobody_is_told_who_wrote_by_themselves(slug: str) -> None:
    """At the share that `similarity` takes by itself; the most that two share is 64 % of one of them."""
    texts = written_independently(slug)
    assert len(texts) >= 8
    assert compare(texts, load_assignment(COURSE, slug).stub, 0.8).groups == ()


def test_natural_solutions_do_not_fill_the_page() -> None:
    """Who looks below that share, down to half, finds what was written by itself as well: most of a5 is short functions of one form."""
    texts, stub = written_independently("a5_attention"), load_assignment(COURSE, "a5_attention").stub
    assert len(texts) == 43
    found = [
        ("correct_05", "correct_19", "correct_34"),
        ("correct_10", "correct_21", "correct_23", "correct_25", "correct_29", "correct_43"),
    ]
    assert sorted(group.names for group in compare(texts, stub, 0.5).groups) == found


def test_what_is_too_large_is_left_out(assignment: Assignment) -> None:
    """No person writes so much by hand."""
    found = compare({"ann": OTHER, "big": "x = 1\n" * (MOST_CODE // 6 + 1)}, assignment.stub, 0.8)
    assert (found.compared, found.left_out) == (1, ("big",))


@pytest.mark.parametrize(
    "text", ["(" * 500, "\x00" * 99, "\ud800" * 99, '"' * 3 + "a" * 500, "\u202e" * 99, "\r\f\v" * 99, ""]
)
def test_what_is_no_python_is_compared_too(text: str) -> None:
    """Whatever was handed in, everyone else is compared, and every span lies in the code."""
    found = compare({"ann": text, "bob": text, "eve": OTHER}, text, 0.5)
    for group in (*found.groups, *compare({"ann": text, "bob": text}, "", 0.5).groups):
        for side in (side for pair in group.pairs for side in (pair.first, pair.second)):
            assert all(0 <= start < end <= len(side.code) for start, end in side.shared)
    assert "eve" not in found.left_out
