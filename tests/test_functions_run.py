"""Which function of the reference calls which is noted by the steps that its compiled code takes."""

from __future__ import annotations

import pytest

from autograder.oracle.fresh_program import fresh_program, run_code
from autograder.oracle.functions_run import noting_calls
from autograder.oracle.step_limit import MAX_STEPS, StopError, limited_steps
from autograder.sandbox.child.program import Program

TEXT = """
def inner(x):
    \"\"\"Do nothing.\"\"\"
    return x

def apply(f, x):
    return f(x)

def listed(xs):
    return [inner(x) for x in xs]

def total(xs):
    return sum(xs)

def lazily(xs):
    return total(inner(x) for x in xs)

def through_lambda(x):
    return apply(lambda y: inner(y) or None, x)

def through_library(xs):
    return sorted(xs, key=inner)
"""


def calls_of(function: str, *args: object) -> set[tuple[str, str]]:
    """Return who calls whom, by their names; a call from outside comes from nothing."""
    program = fresh_program("tried", "tried.py", TEXT)
    with noting_calls("tried.py") as calls:
        getattr(program.module, function)(*args)
    return {(by.co_name if by else "", called.co_name) for by, called in calls}


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        ("inner", 1, {("", "inner")}),
        ("listed", [1], {("", "listed"), ("listed", "<listcomp>"), ("<listcomp>", "inner")}),
        ("through_library", [2, 1], {("", "through_library"), ("through_library", "inner")}),
        (
            "lazily",
            [1],
            {("", "lazily"), ("lazily", "total"), ("total", "<genexpr>"), ("<genexpr>", "inner")},
        ),
        (
            "through_lambda",
            3,
            {("", "through_lambda"), ("through_lambda", "apply"), ("apply", "<lambda>"), ("<lambda>", "inner")},
        ),
    ],
)
def test_calls_are_noted_with_the_function_they_come_from(
    function: str, argument: object, expected: set[tuple[str, str]]
) -> None:
    """Also through lambdas, library code, and what other code goes through; from Python 3.12 on lists have no frame of their own."""
    inlined = {("listed", "inner") if pair == ("<listcomp>", "inner") else pair for pair in expected}
    assert calls_of(function, argument) in (expected, inlined - {("listed", "<listcomp>")})


def test_a_lambda_gives_its_value_and_takes_a_step() -> None:
    """A hundred deep, until all steps are taken."""
    program = fresh_program("tried", "tried.py", TEXT)
    assert program.module.through_lambda(3) == 3
    assert program.module.through_lambda(0) is None
    counting = fresh_program("counting", "counting.py", "down = lambda n: n and down(n - 1)\n")
    with limited_steps():
        for _ in range(MAX_STEPS // 100):
            counting.module.down(99)
        with pytest.raises(StopError):
            counting.module.down(0)


@pytest.mark.parametrize(
    "around",
    [
        "if True:",
        "if False:\n    pass\nelse:",
        "try:",
        "try:\n    1 / 0\nexcept ZeroDivisionError:",
        "try:\n    pass\nfinally:",
        "match 1:\n  case 1:",
        "class C:",
        "for _ in range(1):\n    pass\nelse:",
    ],
)
def test_a_loop_takes_steps_wherever_it_stands(around: str) -> None:
    """In code that has a lambda all of a tree is looked through, in other code its statements alone."""
    after = "\nexcept ValueError:\n    pass" if around == "try:" else ""
    for other in ("", "other = lambda: None\n"):
        program = Program("tried", notebook=False)
        with limited_steps(), pytest.raises(StopError):
            run_code(program, "tried.py", f"{other}{around}\n    while True:\n        pass{after}\n")
