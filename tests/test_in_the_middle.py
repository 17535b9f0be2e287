"""What students read first in states that they pass through on their way."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from autograder.course.catalog import load_assignment
from autograder.course.spec import Status
from autograder.handout.kit.bundle import Bundle
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.result import Result
from autograder.judge.screen import Screen
from autograder.judge.terminal_text import result_as_text
from autograder.sandbox.job import Source

COURSE = Path(__file__).parent.parent
WIDE = Screen(200, 100, color=False)


@cache
def bundle() -> Bundle:
    """Return what a handout of the gates has."""
    return public_bundle(public_oracle(load_assignment(COURSE, "a3_gates")))


@cache
def reference() -> str:
    """Return the solution of the gates, in which no question is answered."""
    return load_assignment(COURSE, "a3_gates").reference


def checked(*edits: tuple[str, str]) -> Result:
    """Return the check of the solution after some edits."""
    text = reference()
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return check(Source.of("gates.py", text), bundle())


def told(result: Result) -> list[str]:
    """Return the lines that a terminal shows."""
    return result_as_text("a3", result, WIDE, options=True).splitlines()


def test_of_two_that_call_each_other_the_one_that_should_not_is_told() -> None:
    """A run is made of steps, and no step of runs."""
    circle = "f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)\n    c_t ="
    result = checked((circle, f"lstm_forward(x_t[:, None], h_prev, c_prev, params)\n    {circle}"))
    exercises = {e.name: e for e in result.exercises}
    assert (exercises["lstm_step"].waits_for, exercises["lstm_forward"].waits_for) == ("", "lstm_step")
    assert told(result)[1].startswith("✗ lstm_step ")
    assert "call themselves or each other more often than Python allows" in told(result)[2]


def test_what_others_wait_for_is_told_before_open_questions() -> None:
    """A function that is gone, for one."""
    result = checked(("def lstm_gates(", "def _lost("))
    assert told(result)[1].startswith("· lstm_gates ")
    assert "There is no `lstm_gates` in your file. Was it renamed or removed?" in told(result)[2]


def test_what_is_not_written_comes_before_open_questions() -> None:
    """At the end of all that is right so far."""
    result = check(Source.of("gates.py", bundle().assignment.stub), bundle())
    assert told(result)[-1].startswith("To write next: gated_update.")


def test_who_calls_a_wrong_exercise_waits_for_it_though_the_solution_does_not_call_it() -> None:
    """And what is wrong there is told first."""
    body = reference()[reference().index("def gru_step_keep(") :]
    start = body.index("    # BEGIN SOLUTION")
    whole = body[start : body.index("    # END SOLUTION")]
    converted = "    # BEGIN SOLUTION\n    return gru_step(x_t, h_prev, convert_gru(params))\n"
    convert = reference()[reference().index("def convert_gru(") :]
    start = convert.index("    # BEGIN SOLUTION")
    own = convert[start : convert.index("    # END SOLUTION")]
    wrong = "    # BEGIN SOLUTION\n    return {name: 0.7 * value for name, value in params.items()}\n"
    result = checked((whole, converted), (own, wrong))
    exercises = {e.name: e for e in result.exercises}
    assert exercises["convert_gru"].waits_for == ""
    assert exercises["gru_step_keep"].waits_for == "convert_gru"
    assert told(result)[1].startswith("✗ convert_gru ")


def test_what_is_defined_twice_is_said_where_it_is_wrong() -> None:
    """The definition that is looked at may not be the one that counts."""
    again = "\n\ndef gated_update(old, new, gate):\n    return old\n"
    result = check(Source.of("gates.py", reference() + again), bundle())
    first = 1 + reference()[: reference().index("def gated_update(")].count("\n")
    last = 1 + (reference() + again)[: (reference() + again).rindex("def gated_update(")].count("\n")
    assert result.notes == (
        f"`gated_update` is defined more than once, in the lines {first} and {last}. Only the last one counts.",
    )
    right = reference() + "\n\ndef tanh(x):\n    return x\n\n\ndef tanh(x):\n    return x\n"
    assert check(Source.of("gates.py", right), bundle()).notes == ()


def test_one_slip_is_told_and_not_two_known_mistakes_that_come_to_the_same() -> None:
    """The row is cut in one place, which gives what two mistakes would give."""
    result = checked(("hidden = h_prev.shape[-1]\n    dh_prev, dx", "hidden = x_t.shape[-1]\n    dh_prev, dx"))
    case = next(c for e in result.exercises for c in e.failing if e.name == "lstm_step_backward")
    assert case.says == (
        "Your answers are those of right code in which one `x_t.shape` stands where `h_prev.shape` belongs."
    )


def test_a_factor_that_is_one_minus_a_name_is_told() -> None:
    """Such as that of the sigmoid's derivative."""
    result = checked(("da_f = df * f * (1 - f)", "da_f = df * f"))
    case = next(c for e in result.exercises for c in e.failing if e.name == "lstm_step_backward")
    assert case.says == "Your answers are those of right code that lacks a factor in one place: `1 - f`."
    assert case.status is Status.FAILED
