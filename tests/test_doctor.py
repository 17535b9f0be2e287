"""Every promise an assignment makes is proved, and a broken one is named in a line that says where."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.mistakes import TO_BE_SAID
from autograder.course.spec import Assignment
from autograder.proof.doctor import examine
from autograder.proof.soundness import Proof
from autograder.proof.write_stub import write_stub
from autograder.sandbox.job import Sandbox

MEANS = "solutions/t1_means/means.py"
HIDDEN = "solutions/t1_means/cases.py"
PUBLIC = "assignments/t1_means/cases.py"
BANK = "solutions/t1_means/misconceptions.py"
TOML = "assignments/t1_means/assignment.toml"
LOOPS = "solutions/t1_means/correct/loops.py"

NAMES = "names are unique and points add up"
EDITS = "every misconception edits the reference in one place"
HINTS = "hints are two or three, and hold no line of the solution"
LEARNED = "what was learned is one sentence for each exercise, and holds no line of the solution"
USES = "every exercise declares what it uses"
REPLACES = "every correct solution replaces something of the reference"
STUB = "the stub is fresh and blanks exactly the exercises"
ANSWERS = "the reference answers every case"
REFERENCE = "the reference gets full marks at 5 seeds"
ZERO = "the stub gets zero"
CORRECT = "every correct solution gets full marks (2)"
CAUGHT = "every misconception is caught where it says (8)"
DIAGNOSED = "each is diagnosed as itself or a stated twin"
CHARGED = "each costs its own exercise and no other"
ADDED = "one more mistake never raises a score (12 pairs)"
KILLS = "every case kills a misconception or says why it stays"

Broken = dict[str, tuple[str, ...]]
Tamper = Callable[..., Broken]


def proofs(assignment: Assignment, sandbox: Sandbox) -> list[Proof]:
    """Examine an assignment."""
    return list(examine(assignment, sandbox, 2))


@pytest.fixture
def tamper(course_copy: Path, sandbox: Sandbox) -> Tamper:
    """Return a function that changes a file of the course and says which promises are then broken, and how."""

    def change(*changes: tuple[str, str, str], fresh_stub: bool = False) -> Broken:
        for name, old, new in changes:
            path = course_copy / name
            text = path.read_text(encoding="utf-8")
            assert text.count(old) == 1, text.count(old)
            path.write_text(text.replace(old, new), encoding="utf-8")
        if fresh_stub:
            write_stub(course_copy, load_assignment(course_copy, "t1_means"))
        found = proofs(load_assignment(course_copy, "t1_means"), sandbox)
        return {proof.promise: proof.broken for proof in found if not proof.holds}

    return change


def test_a_sound_assignment_keeps_every_promise(assignment: Assignment, sandbox: Sandbox) -> None:
    """All promises are proved, in this order."""
    found = proofs(assignment, sandbox)
    assert [proof.promise for proof in found] == [
        NAMES, EDITS, REPLACES, STUB, HINTS, LEARNED, USES, REFERENCE, ZERO, CORRECT, CAUGHT, DIAGNOSED, CHARGED, ADDED,
            KILLS,
    ]  # fmt: skip
    assert all(proof.holds for proof in found)


@pytest.mark.parametrize(
    ("change", "promise", "line"),
    [
        ((TOML, "points = 3", "points = 4"), NAMES, "the exercises' points add up to 8, not the declared 7"),
        ((TOML, "points = 3", "points = 0"), NAMES, "spread has points or weights that are not positive"),
        ((HIDDEN, "weight=3", "weight=0"), NAMES, "row_means has points or weights that are not positive"),
        ((TOML, 'name = "spread"', 'name = "center"'), None, "which is no other exercise of this file"),
        (
            (HIDDEN, '"""Adding one number to all entries does not change any spread."""', "pass"),
            NAMES,
            "spread.moving_rows_keeps_their_spread has no docstring for the student to read",
        ),
        (
            (PUBLIC, '@case("spread", check=close())', '@case("center", check=close())'),
            NAMES,
            "spread has no public case",
        ),
        (
            (HIDDEN, "def centers_any_shape(rng)", "def two_rows_centered(rng)"),
            NAMES,
            "two of case center.two_rows_centered",
        ),
        ((BANK, '"skips_the_first"', '"no_root"'), NAMES, "two of misconception no_root"),
        (
            (BANK, 'old="x.sum(axis=-1)"', 'old="x.sum(axis=1)"'),
            EDITS,
            "skips_the_first: its old text occurs 0 times in the reference, not once; copy it from means.py, with its spaces",
        ),
        (
            (BANK, 'old="np.sqrt(mean_square)"', 'old="mean_square"'),
            EDITS,
            "no_root: its old text occurs 2 times in the reference, not once (now in lines 31, 32); add the code before",
        ),
        (
            (BANK, 'caught_by="two_spreads"', 'caught_by="two_spread"'),
            EDITS,
            "root_of_the_sum: spread has no case two_spread",
        ),
        ((BANK, 'says="You forgot the root."', 'says=" "'), EDITS, "no_root: says nothing to the student"),
        ((BANK, 'says="You forgot the root."', f'says="{TO_BE_SAID}"'), EDITS, "no_root: says nothing to the student"),
        (
            (BANK, 'twins=("mean_minus_x",)', 'twins=("adds_the_mean",)'),
            EDITS,
            "negates_the_result: its twin adds_the_mean does not exist or does not name it back",
        ),
        (
            ("assignments/t1_means/means.py", "row_means is not written yet", "row_means is to be written"),
            STUB,
            "means.py differs from what the reference renders to; run autograder doctor t1_means --write-stub",
        ),
        (
            (TOML, 'uses = ["row_means", "center"]', 'uses = ["center"]'),
            USES,
            'assignments/t1_means/assignment.toml: spread calls row_means as well; write uses = ["row_means", "center"]',
        ),
        (
            (TOML, 'name = "center"\npoints = 2\ndifficulty = 2\nuses = ["row_means"]', 'name = "center"\npoints = 2'),
            USES,
            'assignments/t1_means/assignment.toml: center calls row_means as well; write uses = ["row_means"]',
        ),
        (
            (TOML, 'uses = ["row_means"]', 'uses = ["row_means", "spread"]'),
            USES,
            'assignments/t1_means/assignment.toml: center calls no spread in its cases; write uses = ["row_means"]',
        ),
        (
            (TOML, ', "The `mean` is one of `center(x)`, squared."', ""),
            HINTS,
            "assignments/t1_means/assignment.toml: spread has 1 hint; write two or three: a question, an idea, the shape",
        ),
        (
            (TOML, "Read root mean square from its end.", "Write `means = as_columns( row_means(x) )` first."),
            HINTS,
            "assignments/t1_means/assignment.toml: hint 1 of spread holds a line of the solution: means = as_columns(row_",
        ),
        (
            (TOML, "Read root mean square from its end.", "It is `as_columns(row_means(x))` somewhere."),
            HINTS,
            "assignments/t1_means/assignment.toml: hint 1 of spread holds a line of the solution: as_columns(row_means(x))",
        ),
        (
            (TOML, 'learned = "An axis of length one is repeated by broadcasting."', ""),
            LEARNED,
            "assignments/t1_means/assignment.toml: center does not say what was learned; write one sentence in `learned`",
        ),
        (
            (TOML, "is repeated by broadcasting.", "is repeated. Broadcasting does it."),
            LEARNED,
            "assignments/t1_means/assignment.toml: what center says was learned is not one sentence: An axis of",
        ),
        (
            (TOML, "A reduction removes", "`as_columns(row_means(x))` removes"),
            LEARNED,
            "assignments/t1_means/assignment.toml: what row_means says was learned holds a line of the solution: as_col",
        ),
        (
            (TOML, 'given = ["as_columns"]', 'given = ["as_columns", "as_rows"]'),
            NAMES,
            "`given` lists as_rows, which means.py does not define",
        ),
        ((TOML, 'given = ["as_columns"]', "given = []"), STUB, "as_columns would ship to students whole"),
        ((MEANS, "    # BEGIN SOLUTION\n    means =", "    means ="), STUB, "a solution region ends that never began"),
        ((MEANS, "return values[", "return valeus["), ANSWERS, "the reference fails center.two_rows_centered"),
        (
            (MEANS, "import numpy as np", "import numpi as np"),
            ANSWERS,
            "the reference cannot be imported (ModuleNotFoundError",
        ),
        (
            (MEANS, "def spread(x: np.ndarray)", "def spread(x: np.ndarray"),
            ANSWERS,
            "the reference is not Python (line ",
        ),
        (
            (MEANS, "    squares =", "    if x.size:\n        return {1: x, 2: {3}}\n    squares ="),
            ANSWERS,
            "the reference returns something that is not data in spread.two_spreads (set)",
        ),
        (
            (HIDDEN, "3.0 * rng.normal", "3.0 / 0 * rng.normal"),
            ANSWERS,
            "spreads_of_any_shape fails while it draws its calls",
        ),
        (
            (HIDDEN, "yield call(rng.normal(size=(4, 3)) + 2.0)", "yield from ()"),
            ANSWERS,
            "the case center.the_argument_stays yields no call",
        ),
        (
            (HIDDEN, "yield call(rng.normal(size=(4, 3)) + 2.0)", "yield rng.normal(size=(4, 3)) + 2.0"),
            ANSWERS,
            "the case center.the_argument_stays yields a ndarray; write yield call(...)",
        ),
        (
            (HIDDEN, "yield call(rng.normal(size=(4, 3)) + 2.0)", "return call(rng.normal(size=(4, 3)) + 2.0)"),
            ANSWERS,
            "(TypeError: it yields nothing; write yield call(...), not return call(...))",
        ),
    ],
    ids=count(),
)
def test_a_broken_promise_has_a_precise_line(
    tamper: Tamper, change: tuple[str, str, str], promise: str, line: str
) -> None:
    """What is wrong, with the name of the case, exercise or misconception."""
    if promise is None:
        with pytest.raises(Exception, match=re.escape(line)):
            tamper(change)
        return
    broken = tamper(change)
    assert any(line in said for said in broken[promise]), broken


def test_a_check_that_does_not_fit_its_case_is_named(tamper: Tamper) -> None:
    """Its default axis is the second from the end, and the reference returns vectors."""
    broken = tamper(
        (PUBLIC, "import close", "import close, same_prefix"),
        (PUBLIC, '@case("spread", check=close())', '@case("spread", check=same_prefix())'),
    )
    told = "the check same_prefix of spread.two_spreads cannot judge what the reference returns ((2,)): IndexError: "
    assert broken[ANSWERS][0].startswith(told)


def test_a_reference_that_depends_on_its_process_fails_every_seed(tamper: Tamper) -> None:
    """Random states are seeded alike everywhere, so what differs between two runs comes from outside of them."""
    broken = tamper(
        (MEANS, "import numpy as np\n", "import os\n\nimport numpy as np\n"),
        (MEANS, "squares = center(x) ** 2", "squares = center(x) ** 2 * os.getpid()"),
        fresh_stub=True,
    )
    assert any(line.startswith("seed 0: spread.two_spreads FAILED: ") for line in broken[REFERENCE])


def test_what_changes_from_run_to_run_is_named_and_nothing_else(tamper: Tamper) -> None:
    """A generator without a seed would otherwise break every promise at once, and none would say why."""
    broken = tamper((HIDDEN, "3.0 * rng.normal", "3.0 * __import__('numpy').random.default_rng().normal"))
    assert set(broken) == {"the reference gives the same answers again"}
    (first, *_) = broken["the reference gives the same answers again"]
    assert "gets other answers when it is run again" in first


def test_a_stub_that_earns_something_is_found(tamper: Tamper) -> None:
    """A blank that leaves working code behind gives points away."""
    old = "    # BEGIN SOLUTION\n    total = x.sum(axis=-1)\n    return total"
    new = "    if x.ndim == 2:\n        return x.mean(-1)\n    # BEGIN SOLUTION\n    total = x.sum(axis=-1)\n    return total"
    broken = tamper((MEANS, old, new), fresh_stub=True)
    assert "row_means.two_rows is PASSED on the stub" in broken[ZERO]


def test_a_correct_solution_that_fails_is_named(tamper: Tamper) -> None:
    """With the case, and what was wrong."""
    broken = tamper((LOOPS, "sum(row) / len(row)", "sum(row) / 3"))
    assert set(broken) == {CORRECT}
    assert broken[CORRECT][0].startswith("loops: row_means.means_of_any_shape FAILED: The values differ")


def test_a_correct_solution_that_cannot_be_imported_is_named(tamper: Tamper) -> None:
    """In one line."""
    broken = tamper((LOOPS, "def spread(x):", "return\n\n\ndef spread(x):"))
    assert broken[CORRECT][0].startswith("loops: A part of your file is no Python")
    assert "\n" not in broken[CORRECT][0]


def test_a_misconception_that_is_not_caught_where_it_says(tamper: Tamper) -> None:
    """The example is square, so dividing by the rows goes unseen there."""
    broken = tamper(
        (
            BANK,
            'new="total / x.shape[-2]",\n        caught_by="means_of_any_shape"',
            'new="total / 3",\n        caught_by="two_rows"',
        ),
    )
    assert broken[CAUGHT] == ("divides_by_rows passes row_means.two_rows; of its exercise it fails means_of_any_shape",)


def test_a_misconception_that_is_no_python_is_named(tamper: Tamper) -> None:
    """It is reported, and the others are still examined."""
    broken = tamper((BANK, 'new="mean_square"', 'new="mean_square("'))
    (line,) = broken[CAUGHT]
    assert line.startswith(
        "no_root: with this mistake in it a part of means.py is no Python: SyntaxError: '(' was never closed"
    )
    assert "\n" not in line
    assert broken[DIAGNOSED] == ("no_root gets no diagnosis",)


def test_a_misconception_that_calls_what_does_not_exist_is_named(tamper: Tamper) -> None:
    """Its case would seem to catch it, and a student's mistake would never be named."""
    broken = tamper((BANK, 'new="mean_square"', 'new="np.sqroot(mean_square)"'))
    assert broken == {
        CAUGHT: ("no_root raises AttributeError: module 'numpy' has no attribute 'sqroot'; is its new text misspelt?",)
    }


def test_twins_that_are_not_stated_are_named(tamper: Tamper) -> None:
    """Two misconceptions with the same outputs have to say so."""
    broken = tamper(
        (BANK, '        twins=("negates_the_result",),\n', ""),
        (BANK, '        twins=("mean_minus_x",),\n', ""),
    )
    assert broken[DIAGNOSED] == ("negates_the_result is diagnosed as mean_minus_x",)


def test_a_mistake_that_costs_points_elsewhere_is_named(tamper: Tamper) -> None:
    """A mistake that its own exercise does not notice, but another does."""
    broken = tamper((BANK, 'new="x[..., 1:].sum(axis=-1)"', 'new="np.maximum(x, -3).sum(axis=-1)"'))
    assert broken[CAUGHT] == ("skips_the_first passes row_means.two_rows; it fails no case",)
    assert broken[CHARGED] == (
        "skips_the_first, a mistake in row_means, also costs points: spread.spreads_of_any_shape FAILED: The values differ from the reference's.",
    )


def test_a_case_that_kills_nothing_has_to_say_why(tamper: Tamper) -> None:
    """Or it is not worth its time."""
    broken = tamper((HIDDEN, ', keeps="a property of the right answer that every known mistake shares"', ""))
    assert broken == {
        KILLS: (
            "spread.moving_rows_keeps_their_spread fails on no misconception; add one, remove it, or say keeps=...",
        )
    }


def test_points_need_not_be_whole(tamper: Tamper) -> None:
    """0.1 + 0.2 + 6.7 are 7 to everyone but a computer."""
    changes = ((TOML, f'"{name}"\npoints = {old}', f'"{name}"\npoints = {new}') for name, old, new in (
        ("row_means", 2, 0.1), ("center", 2, 0.2), ("spread", 3, 6.7)))  # fmt: skip
    assert NAMES not in tamper(*changes)


def test_the_stub_is_written_where_it_belongs(course_copy: Path) -> None:
    """`--write-stub` makes a stale stub fresh."""
    stub = course_copy / "assignments/t1_means/means.py"
    before = stub.read_text(encoding="utf-8")
    stub.write_text("stale", encoding="utf-8")
    assert write_stub(course_copy, load_assignment(course_copy, "t1_means")) == (stub,)
    assert stub.read_text(encoding="utf-8") == before


def test_what_is_fresh_is_not_written_again(course_copy: Path) -> None:
    """`--watch` examines whatever has been written since, and would never come to an end."""
    home = course_copy / "assignments/t1_means"
    write_stub(course_copy, load_assignment(course_copy, "t1_means"))
    written = {path: path.stat().st_mtime_ns for path in (home / "means.py", home / "README.md")}
    write_stub(course_copy, load_assignment(course_copy, "t1_means"))
    assert {path: path.stat().st_mtime_ns for path in written} == written
