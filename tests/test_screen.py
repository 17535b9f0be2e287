"""A check fits on one screen of 24 lines and 80 columns: what helps most stays, and `--full` has all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Status, Visibility, call
from autograder.handout.kit.reset import with_stub
from autograder.handout.kit.self_check import check_in, only
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.calls_as_text import Layout, show_call
from autograder.judge.reasons import Detail, Message
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.judge.screen import Screen
from autograder.judge.terminal_text import result_as_text
from autograder.sandbox.bare import BareSandbox
from autograder.sandbox.job import Chunk, Source

ROOT = Path(__file__).parents[1]
SCREEN = Screen(width=80, rows=24)
# Those whose calls and messages are the longest, some that many students make, and crashes.
MISTAKES = {
    "a1_rnn": ("shortest_length_for_all", "W_x_transposed", "bias_outside_tanh", "loss_in_place"),
    "a5_attention": ("dQ_from_transposed_scores", "no_scale", "divides_by_T", "softmax_jacobian_diagonal_only"),
}
CALL, STUCK = ("The smallest call that fails is ", "The call was "), "Stuck? Add --hint"


@pytest.mark.parametrize("slug", MISTAKES)
def test_every_mistake_fits_on_one_screen(slug: str) -> None:
    """Alone, and where nothing behind it is written: the diagnosis, the call, and what came back beside what was expected."""
    assignment = load_assignment(ROOT, slug)
    bundle, names = public_bundle(public_oracle(assignment)), [e.name for e in assignment.exercises]
    with BareSandbox(torch=False) as sandbox:
        for mistake in (m for m in assignment.misconceptions if m.name in MISTAKES[slug]):
            whole = half = apply_edits(assignment.reference, (mistake,)) or ""
            for exercise in assignment.exercises[names.index(mistake.exercise) + 1 :]:
                half = with_stub(half, assignment.stub, exercise)
            for text in (whole, half):
                result = check_in(sandbox, Source(slug, (Chunk(assignment.file, text),)), bundle)
                for part in (result, only(result, mistake.exercise)):
                    shown = result_as_text(f"{slug}: {assignment.file}", part, SCREEN, options=True)
                    lines = shown.splitlines()
                    assert len(lines) < SCREEN.rows, shown
                    assert max(map(len, lines)) <= SCREEN.width, shown
                    assert lines[2].startswith("    → "), shown
                    assert any(words in shown for words in CALL), shown
                    assert "yours " in shown or "CRASHED" in lines[1], shown
                    assert lines[-1].startswith(STUCK), shown


def result(details: Message, wrong: int = 3, right: int = 9) -> Result:
    """Return a result of exercises that fail in one way, others that are right, and one that is not written."""
    case = CaseResult("two_rows", "A claim.", Visibility.PUBLIC, Status.FAILED, details)
    cases = (case, replace(case, name="three_rows"))
    failing = [ExerciseResult(f"wrong_{i}", 0, 2, cases) for i in range(wrong)]
    passing = [
        ExerciseResult(f"right_{i}", 2, 2, (replace(case, status=Status.PASSED, told=Message()),)) for i in range(right)
    ]
    unwritten = ExerciseResult("later", 0, 2, (replace(case, status=Status.MISSING, told=Message("Not written yet.")),))
    return Result("a", (*failing, *passing, unwritten))


def test_nothing_is_cut_where_there_is_room() -> None:
    """Each exercise has its line, and every case its name."""
    told = Message("It differs.").then(Detail("long\n" * 9, ("short",)))
    whole, full = result_as_text("t", result(told)), result_as_text("t", result(told), SCREEN, full=True)
    for shown in (whole, full):
        assert shown.count("\n✓ right_") == 9
        assert "short" not in shown
    assert "1 more of its cases does not pass: three_rows" in whole
    assert full.count("three_rows: A claim.\n      long") == 3


def test_what_helps_least_goes_first() -> None:
    """Those that pass share a line, then details are shorter, then the others are counted; what it leaves out, --full shows."""
    told = Message("It differs.").then(Detail("long\n" * 9 + "long", ("flat\n" * 6 + "flat", "short")))
    roomy, tight, tightest = (
        result_as_text("t", result(told), replace(SCREEN, rows=rows), options=True) for rows in (24, 22, 14)
    )
    assert "✓ right_0, right_1" in roomy
    assert roomy.count("flat") == 7
    assert roomy.endswith("Stuck? Add --hint or --debug wrong_0.")
    assert "✓ 9 right   · 1 not written yet" in tight
    assert "· later" not in tight
    assert "three_rows" not in tight
    assert "✗ wrong_1" in tight
    assert "short" in tightest
    assert "✗ wrong, too: wrong_1, wrong_2" in tightest
    assert tightest.endswith("Stuck? Add --hint, --debug wrong_0 or --full to see all of it.")


def test_what_is_to_be_written_is_told() -> None:
    """Where nothing that is written fails; and nothing where all is done."""
    told = Message("It differs.")
    assert "To write next: later. " in result_as_text("t", result(told, wrong=0), SCREEN, options=True)
    done = result(told, wrong=0).exercises[:-1]
    assert result_as_text("t", Result("a", done), SCREEN, options=True).endswith("Grading adds hidden cases.")


def test_a_call_in_few_lines_is_still_code() -> None:
    """Arrays stand on one line each, several where they fit; with less room, larger ones are told by their shapes."""
    made = call(np.eye(2), np.arange(3.0), {"W": np.ones((3, 2)), "b": np.zeros(1)}, (np.eye(2), np.zeros((2, 1))))
    names = {"f": ("x", "h", "params", "cache"), "f.cache": ("Q", "K")}
    assert show_call(made, "f", names, layout=Layout.FLAT).splitlines()[1:] == [
        "  x = np.array([[1., 0.], [0., 1.]]); h = np.array([0., 1., 2.])",
        "  params = {",
        "      'W': np.array([[1., 1.], [1., 1.], [1., 1.]]), 'b': np.array([0.]),",
        "  }",
        "  cache = (",
        "      np.array([[1., 0.], [0., 1.]]), np.array([[0.], [0.]]),",
        "  )  # Q, K",
    ]
    assert "  params = {\n      'W': array (3, 2) float64, 'b': np.array([0.])," in show_call(
        made, "f", names, layout=Layout.SHAPES
    )


def test_a_message_below_a_reason_keeps_its_shorter_versions() -> None:
    """What was its headline becomes one line where there is little room."""
    told = Message("ValueError: " + "long " * 30).then(Detail("places", ("place",))).below("Two shapes do not fit.")
    assert told.text == f"Two shapes do not fit.\nValueError: {'long ' * 30}\nplaces"
    first, second = told.shortened(2).splitlines()
    assert first.endswith("long ...")
    assert second == "place"
