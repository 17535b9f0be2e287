"""What a student reads, word for word; and what a hidden case must not say."""

from __future__ import annotations

import re
import textwrap
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.course.spec import Call, Finding, Limits, Module, Visibility, call
from autograder.judge.calls_as_text import FULL_SIZE, show_call, side_by_side
from autograder.judge.compare import difference
from autograder.judge.loading_messages import explain_loading
from autograder.judge.messages import KINDS, explain_ending, explain_finding, explain_trouble
from autograder.sandbox.child.tree import Code, Opaque, Tensor
from autograder.sandbox.endings import WAITING
from autograder.sandbox.job import Chunk, Ending, Frame, Outcome, Source, Trouble

PUBLIC, HIDDEN = Visibility
SOURCE = Source(
    "means",
    (
        Chunk("means.py", "import numpy as np\n\n\ndef center(x):\n    return row_means(x) - x\n"),
        Chunk("cell 7", "def row_means(x):\n    # a form feed: \x0c and a separator: \u2028\n    raise TooWide(x)\n"),
    ),
)
FRAMES = (Frame("means.py", 5, "center"), Frame("cell 7", 3, "row_means"))
X = np.array([[1.0, 2.0], [3.0, 4.5]])


def found(got: Any, expected: Any) -> Finding:
    """Return what the comparison finds."""
    finding = difference(got, expected)
    assert finding is not None
    return finding


def ending(outcome: Outcome, visibility: Visibility = PUBLIC) -> str:
    """Explain why a call gave nothing."""
    return explain_ending(
        outcome, visibility, SOURCE, Limits(case_seconds=1.5, memory_mb=512), call(X), "center", {"center": ("x",)}
    ).text


def dedent(text: str) -> str:
    """Return a golden text without the margin it has here."""
    return textwrap.dedent(text).strip("\n")


# Public cases


def test_a_small_array_is_shown_whole_beside_the_expected_one() -> None:
    """What differs, what was called, and both arrays."""
    text = explain_finding(
        found(X + np.diag([0, 1]), X), PUBLIC, [call(X, axis=1)], "center", {"center": ("x", "axis")}
    ).text
    assert text == dedent("""
        1 of 4 values differs, the first at [1, 1]: 5.5 instead of 4.5.
        The call was center(x, axis=...) with
          x = np.array([[1. , 2. ],
                        [3. , 4.5]])
          axis = 1
          yours           expected
          [[1. , 2. ],    [[1. , 2. ],
           [3. , 5.5]]     [3. , 4.5]]
        """)


def test_of_a_large_array_the_part_around_the_first_difference_is_shown() -> None:
    """The part is named by its slice, and leading axes by their index."""
    expected = np.zeros((2, 30, 40))
    got = expected.copy()
    got[1, 20, 30] = 1
    got[1, 25, 35] = 2
    assert side_by_side(found(got, expected)).splitlines() == [
        "  yours [1, 18:23, 27:34]           expected",
        "  [[0., 0., 0., 0., 0., 0., 0.],    [[0., 0., 0., 0., 0., 0., 0.],",
        "   [0., 0., 0., 0., 0., 0., 0.],     [0., 0., 0., 0., 0., 0., 0.],",
        "   [0., 0., 0., 1., 0., 0., 0.],     [0., 0., 0., 0., 0., 0., 0.],",
        "   [0., 0., 0., 0., 0., 0., 0.],     [0., 0., 0., 0., 0., 0., 0.],",
        "   [0., 0., 0., 0., 0., 0., 0.]]     [0., 0., 0., 0., 0., 0., 0.]]",
    ]


@pytest.mark.parametrize(
    ("shape", "index", "label"),
    [
        ((100,), (0,), "[0:4]"),
        ((100,), (99,), "[96:100]"),
        ((10, 10), (0, 0), "[0:3, 0:4]"),
        ((10, 10), (9, 9), "[7:10, 6:10]"),
        ((3, 4, 5, 6), (2, 3, 4, 5), "[2, 3, 2:5, 2:6]"),
    ],
)
def test_the_window_stays_inside_the_array(shape: tuple[int, ...], index: tuple[int, ...], label: str) -> None:
    """At the edges there is less around the difference."""
    expected = np.zeros(shape)
    got = expected.copy()
    got[index] = 7.0
    shown = side_by_side(found(got, expected))
    assert shown.startswith(f"  yours {label} ")
    assert "7." in shown


@given(hnp.arrays("f8", hnp.array_shapes(max_dims=4, max_side=9), elements=st.floats(-9, 9)), st.data())
def test_the_first_difference_is_always_in_sight(expected: np.ndarray, data: st.DataObject) -> None:
    """Whatever the shape, the wrong number is in the part that is shown."""
    index = data.draw(st.tuples(*(st.integers(0, size - 1) for size in expected.shape)))
    got = expected.copy()
    got[index] = 12345.0
    shown = side_by_side(found(got, expected))
    assert "12345." in shown
    assert len(shown.splitlines()) < 2 * FULL_SIZE


def test_shapes_that_differ_are_shown_if_small() -> None:
    """Two small arrays of different shape help; two large ones do not."""
    shown = side_by_side(found(X[0], X))
    assert shown.splitlines() == ["  yours       expected", "  [1., 2.]    [[1. , 2. ],", "               [3. , 4.5]]"]
    assert side_by_side(found(np.zeros(100), np.zeros((10, 10)))) == ""


def test_short_lists_of_other_lengths_are_shown_below_each_other() -> None:
    """That one value is missing says less than which."""
    assert side_by_side(found([1, 2], [1, 1, 2])).splitlines() == ["  yours     [1, 2]", "  expected  [1, 1, 2]"]
    assert side_by_side(found([1] * 100, [1] * 99)) == ""


def test_tensors_are_shown_like_arrays() -> None:
    """A tensor's numbers stand beside the expected tensor's."""
    assert side_by_side(found(Tensor(X + 1), Tensor(X))).splitlines()[1] == "  [[2. , 3. ],    [[1. , 2. ],"


def test_a_part_is_named_before_the_sentence() -> None:
    """`dK: ...` says which of the returned values is meant."""
    finding = Finding("shape", "The shape is (2,); (3,) was expected.", "dK")
    assert explain_finding(finding, PUBLIC, [call()], "backward", {}).text == (
        "dK: The shape is (2,); (3,) was expected.\nThe call was backward()."
    )


def test_the_call_that_failed_is_the_one_shown() -> None:
    """A case of several calls shows the one at fault."""
    finding = Finding("property", "They differ.", call=1)
    text = explain_finding(finding, PUBLIC, [call(1), call(2)], "center", {"center": ("x",)}).text
    assert text == "They differ.\nThe call was center(x) with\n  x = 2"


@pytest.mark.parametrize(
    ("where", "parameters", "said"),
    [
        ("argument 2", ("x", "axis"), "`axis`: It differs."),
        ("argument 2", (), "argument 2: It differs."),
        ("gradient of argument 1", ("x",), "gradient of `x`: It differs."),
        ("gradient of W.weight", ("x",), "gradient of W.weight: It differs."),
    ],
)
def test_arguments_are_called_by_their_names(where: str, parameters: tuple[str, ...], said: str) -> None:
    """Where the stub has them; a student counts no arguments."""
    finding = Finding("mutated", "It differs.", where, X, X)
    assert explain_finding(finding, PUBLIC, [call(X, 1)], "center", {"center": parameters}).headline == said


def test_quiz_findings_show_no_call() -> None:
    """A quiz is called with nothing, which is not worth a line."""
    finding = Finding("unanswered", "This question has no answer yet.", "why_scale")
    assert explain_finding(finding, PUBLIC, [call()], "quiz", {}).text == "why_scale: This question has no answer yet."


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (call(), "The call was center()."),
        (call(1, 2, 3), "The call was center(x, axis, ...) with\n  x = 1\n  axis = 2\n  ... = 3"),
        (Call((1,), {}, "other"), "The call was other(x) with\n  x = 1"),
        (call(np.zeros((9, 9))), "The call was center(x) with\n  x = array (9, 9) float64"),
        (call(Tensor(np.zeros(1))), "The call was center(x) with\n  x = torch.tensor([0.], dtype=torch.float64)"),
        (
            call((X, 1)),
            (
                "The call was center(x) with\n  x = (\n      np.array([[1. , 2. ],\n                [3. , 4.5]]),  # h\n"
                "      1,  # n\n  )"
            ),
        ),
        (
            call([(Tensor(np.zeros(1)), {"h": np.ones(1), "c": np.ones(1)})]),
            (
                "The call was center(x) with\n  x = [\n      (\n          torch.tensor([0.], dtype=torch.float64),\n"
                "          {\n              'h': np.array([1.]), 'c': np.array([1.]),\n          },\n      ),\n  ]"
            ),
        ),
        (call(Code("x" * 300, "a model that says 3")), "The call was center(x) with\n  x = a model that says 3"),
        (call(Code("lambda x: x")), "The call was center(x) with\n  x = lambda x: x"),
        (call("a" * 300), f"The call was center(x) with\n  x = '{'a' * 199} ..."),
        (call(x=None), "The call was center(x=...) with\n  x = None"),
        (
            Call((), {}, "", Module((2,), {"w": Tensor(np.zeros((50, 50)))}, method="sizes")),
            "The call was center(2).sizes() with\n  1 array of parameters",
        ),
    ],
    ids=count(),
)
def test_calls_are_shown_with_their_arguments(made: Call, said: str) -> None:
    """Small arguments whole, large ones by shape and dtype."""
    assert show_call(made, "center", {"center": ("x", "axis"), "center.x": ("h", "n"), "other": ("x",)}) == said


def test_exceptions_show_the_students_own_lines() -> None:
    """Every frame in a file or cell of theirs, with the line itself, found as Python counts lines."""
    outcome = Outcome(Ending.RAISED, trouble=Trouble("TooWide", "no more than 3", FRAMES))
    assert ending(outcome) == dedent("""
        TooWide: no more than 3
          means.py, line 5, in center
            return row_means(x) - x
          cell 7, line 3, in row_means
            raise TooWide(x)
        The call was center(x) with
          x = np.array([[1. , 2. ],
                        [3. , 4.5]])
        """)


def test_frames_that_are_not_theirs_are_left_out() -> None:
    """A child could name any file and line; only those of the submission are believed."""
    trouble = Trouble("ValueError", "", (Frame("secret 1.25", 3, "f"), FRAMES[0], Frame("means.py", 999, "center")))
    assert explain_trouble(trouble, SOURCE).text == dedent("""
        ValueError
          means.py, line 5, in center
            return row_means(x) - x
        """)


# The file's text has it, so that it was left out while the file was imported.
LEFT_OUT = "Your `center` was left out, because its definition fails when your file is imported."


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome(Ending.ABSENT), LEFT_OUT),
        (
            Outcome(Ending.ABSENT, trouble=Trouble("", "row_means")),
            LEFT_OUT,
        ),
        (
            Outcome(Ending.ABSENT, trouble=Trouble("", "made_up")),
            LEFT_OUT,
        ),
        (
            Outcome(Ending.TIMEOUT),
            "It gave no answer within 1.5 s of computing and was stopped. Does a loop never end?",
        ),
        (
            Outcome(Ending.TIMEOUT, trouble=Trouble("", WAITING)),
            "It gave no answer within 1.5 s of computing and was stopped. What does it wait for?",
        ),
        (
            Outcome(Ending.TIMEOUT, trouble=Trouble("", WAITING, (Frame("means.py", 5, ""),))),
            (
                "It gave no answer within 1.5 s of computing and was stopped. It was in line 5. What does it wait for?"
                "\n  means.py, line 5, in center\n    return row_means(x) - x"
            ),
        ),
        (
            Outcome(Ending.TIMEOUT, trouble=Trouble("", "", (Frame("means.py", 5, ""),))),
            (
                "It gave no answer within 1.5 s of computing and was stopped. It was in line 5. What takes so long there?"
                "\n  means.py, line 5, in center\n    return row_means(x) - x"
            ),
        ),
        (
            Outcome(Ending.TIMEOUT, trouble=Trouble("", "", (Frame("means.py", 500, ""),))),
            "It gave no answer within 1.5 s of computing and was stopped. Does a loop never end?",
        ),
        (Outcome(Ending.MEMORY), "It asked for more than the 512 MB a submission may use."),
        (
            Outcome(Ending.OUTPUT, trouble=Trouble("", "30 MB")),
            "What it returned cannot be read (30 MB); mostly it is too large.",
        ),
        (
            Outcome(Ending.DIED, trouble=Trouble("", "exit code 3")),
            "Your code ended the Python process (exit code 3), so there is no result to judge.",
        ),
        (Outcome(Ending.NOT_RUN), "Not run, because of what happened before it (a call that hung)."),
        (
            Outcome(Ending.FAULT, trouble=Trouble("", "no process")),
            "The grader itself failed here. That is not your doing. (no process)",
        ),
    ],
    ids=count(),
)
def test_every_ending_has_a_sentence(outcome: Outcome, said: str) -> None:
    """A student who gets no result reads why; where code took too long, also the call."""
    shown = f"\n{show_call(call(X), 'center', {'center': ('x',)})}" if outcome.ending is Ending.TIMEOUT else ""
    assert ending(outcome) == said + shown


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (
            Outcome(Ending.RAISED, trouble=Trouble("SyntaxError", "invalid syntax", (Frame("means.py", 5, ""),))),
            (
                "Your file cannot be imported, so nothing in it can be checked yet.\n"
                "SyntaxError: invalid syntax\n  means.py, line 5\n    return row_means(x) - x"
            ),
        ),
        (
            Outcome(Ending.RAISED, trouble=Trouble("NameError", "no", (Frame("means.py", 1, "<module>"),))),
            (
                "Your file cannot be imported, so nothing in it can be checked yet.\n"
                "NameError: no\n  means.py, line 1\n    import numpy as np"
            ),
        ),
        (
            Outcome(Ending.TIMEOUT),
            (
                "Your file was still running after 3 s of computing. "
                'Put experiments at the bottom under `if __name__ == "__main__":`.'
            ),
        ),
        (
            Outcome(Ending.DIED, trouble=Trouble("", "signal SIGSEGV")),
            "Your file ended the Python process while being imported (signal SIGSEGV).",
        ),
        (
            Outcome(Ending.FAULT, trouble=Trouble("", "no process")),
            "The grader itself failed here. That is not your doing. (no process)",
        ),
    ],
    ids=count(),
)
def test_why_a_file_cannot_be_imported(outcome: Outcome, said: str) -> None:
    """The file's own mistake, with the line, or what to do about it."""
    assert explain_loading(outcome, SOURCE, Limits(import_seconds=3.0)) == said


# Hidden cases


@given(
    st.sampled_from(sorted(KINDS)),
    st.text(),
    st.sampled_from(["", "dK", "gradient of W_q.weight", "[1]", "['key']", "argument 1", "1.25"]),
    hnp.arrays("f8", (3, 3)),
)
def test_a_hidden_finding_says_its_kind_and_no_more(kind: str, headline: str, where: str, data: np.ndarray) -> None:
    """Neither the sentence nor the numbers of a finding come through, only a part's name that the text uses."""
    finding = Finding(kind, headline, where, data, data, (0, 0))
    text = explain_finding(finding, HIDDEN, [call(data)], "center", {"center": ("x",)}).text
    assert text == (f"{where}: " if "d" in where else "") + KINDS[kind]
    assert not re.search(r"\d", text)


def test_a_hidden_exception_is_its_type_and_last_line() -> None:
    """Its text may hold what it was called with."""
    outcome = Outcome(Ending.RAISED, trouble=Trouble("TooWide", "x is 1.25", FRAMES))
    assert ending(outcome, HIDDEN) == (
        "An exception of your own making\n  cell 7, line 3, in row_means\n    raise TooWide(x)"
    )


@pytest.mark.parametrize("name", ["ValueError", "ZeroDivisionError", "LinAlgError", "_UFuncOutputCastingError"])
def test_a_known_exception_is_named(name: str) -> None:
    """Python's and numpy's own; any text may stand in a submission, and with it any name."""
    assert ending(Outcome(Ending.RAISED, trouble=Trouble(name, "")), HIDDEN) == name
    for other in ("TooWide", "2", "__debug__", ""):
        told = ending(Outcome(Ending.RAISED, trouble=Trouble(other, "")), HIDDEN)
        assert told == "An exception of your own making"


def test_a_hidden_exception_is_placed_only_where_code_stands() -> None:
    """A child may tell any line; of an empty one, a comment or one past the end nothing is said."""
    for line in (2, 3, 6, 0, -1):
        frame = Frame("means.py", line, "center")
        assert ending(Outcome(Ending.RAISED, trouble=Trouble("ValueError", "", (frame,))), HIDDEN) == "ValueError"
    frame = Frame("cell 7", 2, "row_means")
    assert ending(Outcome(Ending.RAISED, trouble=Trouble("ValueError", "", (frame,))), HIDDEN) == "ValueError"


@pytest.mark.parametrize("visibility", [PUBLIC, HIDDEN])
def test_an_exit_is_told_in_words(visibility: Visibility) -> None:
    """The exception of that name says nothing to whoever wrote exit()."""
    text = ending(Outcome(Ending.RAISED, trouble=Trouble("SystemExit", "None", FRAMES)), visibility)
    assert text.startswith("Your code called exit(), which ends the whole program; leave a function with `return`")
    assert "line 3" in text


def test_names_made_up_while_running_are_not_shown() -> None:
    """A type, function or exit code named after an input would carry it out."""
    frame = Frame("means.py", 5, "x_is_1_25")
    text = ending(Outcome(Ending.RAISED, trouble=Trouble("X1_25", "1.25", (frame,))), HIDDEN)
    assert text == ("An exception of your own making\n  means.py, line 5, in center\n    return row_means(x) - x")
    frame = Frame("1.25", 125, "")
    text = ending(Outcome(Ending.RAISED, trouble=Trouble("ValueError", "1.25", (frame,))), HIDDEN)
    assert text == "ValueError"
    for how in (Ending.DIED, Ending.OUTPUT):
        assert not re.search(r"\d", ending(Outcome(how, trouble=Trouble("", "exit code 125")), HIDDEN))


def test_every_kind_has_a_sentence_without_numbers() -> None:
    """What may be said of a hidden case is fixed text."""
    for kind, text in KINDS.items():
        assert kind.isidentifier()
        assert text.endswith(".")
        assert not re.search(r"\d", text)


# Whatever comes


@given(
    st.text() | st.builds(Opaque, st.text()) | st.none() | st.floats() | hnp.arrays("f4", hnp.array_shapes(min_side=0))
    | st.dictionaries(st.text(), st.integers()) | st.lists(st.text())
)  # fmt: skip
def test_any_argument_can_be_shown(value: Any) -> None:
    """Showing a call never fails, and a single argument never floods the message."""
    text = show_call(call(value), "center", {"center": ("x",)})
    assert text.startswith("The call was center(x) with\n  x = ")
    assert len(text) < 2000


@pytest.mark.parametrize(("numbers", "shown"), [([4e-9], "4.e-09"), ([1.0, 1e-17], "[1., 0.]"), ([0.0], "[0.]")])
def test_small_numbers_are_not_shown_as_zeros(numbers: list[float], shown: str) -> None:
    """Where all are small; beside others they are noise."""
    assert shown in show_call(call(np.array(numbers)), "center", {"center": ("x",)})


@given(
    hnp.arrays(
        st.sampled_from(["f2", "f8", "i4", "?"]), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=8)
    )
)
def test_any_two_arrays_can_be_put_side_by_side(got: np.ndarray) -> None:
    """NaN, infinity, no entries, no axes: there is always something to show, or nothing."""
    for expected in (got, np.zeros(3), np.zeros((7, 8))):
        both = side_by_side(Finding("values", "", "", got, expected))
        assert not both or all(word in both for word in ("yours", "expected"))
