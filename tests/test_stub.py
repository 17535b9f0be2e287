"""The stub is the reference without its solutions, and any doubt about what ships is an error."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course.spec import Assignment, Exercise
from autograder.course.stub import StubError, render_stub, solution_lines

SIMPLE = '''\
"""Two functions."""


def double(x):
    """Return twice x."""
    # BEGIN SOLUTION
    secret_double = 2
    return secret_double * x
    # END SOLUTION


def quadruple(x):
    """Return four times x."""
    half = 2
    # BEGIN SOLUTION
    return double(double(x)) + 0 * half
    # END SOLUTION
'''


Make = Callable[..., Assignment]


@pytest.fixture
def make(assignment: Assignment) -> Make:
    """Return a function that makes an assignment of a reference, its blanks and what is given."""

    def of(reference: str, *blanks: str, given: tuple[str, ...] = ()) -> Assignment:
        exercises = tuple(Exercise(blank, 1.0, (blank,)) for blank in blanks)
        return replace(assignment, reference=reference, exercises=exercises, given=given)

    return of


def refused(assignment: Assignment, *words: str) -> None:
    """Check that rendering is refused in a message that holds these words."""
    with pytest.raises(StubError) as caught:
        render_stub(assignment)
    for word in words:
        assert word in str(caught.value)


def test_bodies_become_errors_and_the_rest_stays(make: Make) -> None:
    """The docstring and what stands outside the region ship; the region becomes one `raise`."""
    assert (
        render_stub(make(SIMPLE, "double", "quadruple"))
        == '''\
"""Two functions."""


def double(x):
    """Return twice x."""
    raise NotImplementedError("double is not written yet")


def quadruple(x):
    """Return four times x."""
    half = 2
    raise NotImplementedError("quadruple is not written yet")
'''
    )


def test_solution_lines_are_those_between_the_markers() -> None:
    """The lines that must not ship are known by themselves, without markers and blank lines."""
    assert solution_lines(SIMPLE) == (
        "secret_double = 2",
        "return secret_double * x",
        "return double(double(x)) + 0 * half",
    )


def test_a_function_needs_no_docstring(make: Make) -> None:
    """The region may be all there is in a function."""
    text = "def f(\n    x,\n):  # a comment: with a colon\n\n    # BEGIN SOLUTION\n    return x\n    # END SOLUTION\n"
    expected = (
        'def f(\n    x,\n):  # a comment: with a colon\n\n    raise NotImplementedError("f is not written yet")\n'
    )
    assert render_stub(make(text, "f")) == expected


def test_decorated_functions_and_methods_are_blanked(make: Make) -> None:
    """Decorators stay, methods are named by their class, and each blanked method raises by itself."""
    text = '''\
import functools


class Counter:
    """Counts."""

    @functools.cached_property
    def start(self):
        """Return the start."""
        # BEGIN SOLUTION
        return 10
        # END SOLUTION

    @staticmethod
    def step(x):
        """Return the next."""
        # BEGIN SOLUTION
        return x + 1
        # END SOLUTION
'''
    stub = render_stub(make(text, "Counter.start", "Counter.step"))
    assert "    @functools.cached_property\n    def start(self):" in stub
    assert '        raise NotImplementedError("Counter.step is not written yet")\n' in stub
    assert "return x + 1" not in stub
    ast.parse(stub)


def test_regions_outside_functions_vanish(make: Make) -> None:
    """At the top level, and around a whole method, a region leaves nothing behind."""
    text = SIMPLE + (
        "\n\n# BEGIN SOLUTION\ndef hidden_helper(x):\n    return x\n\n\nANSWER = 42\n# END SOLUTION\n"
        "\n\nclass Given:\n    # BEGIN SOLUTION\n    def also_hidden(self):\n        return 1\n    # END SOLUTION\n"
        "    size = 1\n"
    )
    stub = render_stub(make(text, "double", "quadruple"))
    for secret in ("hidden_helper", "42", "also_hidden", "SOLUTION"):
        assert secret not in stub
    assert stub.endswith("class Given:\n    size = 1\n")


def test_two_regions_of_one_function_become_one_error(make: Make) -> None:
    """Only the first region of a function raises; the second just goes."""
    text = (
        'def f(x):\n    """Do."""\n    # BEGIN SOLUTION\n    secret = x\n    # END SOLUTION\n'
        "    shown = 1\n    # BEGIN SOLUTION\n    return secret + shown\n    # END SOLUTION\n"
    )
    stub = render_stub(make(text, "f"))
    assert stub.count("raise NotImplementedError") == 1
    assert "secret" not in stub
    assert "shown = 1" in stub


@pytest.mark.parametrize(
    "extra",
    [
        "\n\ndef helper(x):\n    return x\n",
        "\n\nasync def helper(x):\n    return x\n",
        "\n\nhelper = lambda x: x\n",
        "\n\nhelper: object = [lambda x: x]\n",
        "\n\nif True:\n    def helper(x):\n        return x\n",
        "\n\ntry:\n    import torch\nexcept ImportError:\n    def helper(x):\n        return x\n",
    ],
    ids=["function", "async", "lambda", "annotated_lambda", "in_if", "in_except"],
)
def test_an_unmarked_helper_is_refused_unless_given(make: Make, extra: str) -> None:
    """Whatever holds code and would ship whole has to be declared as given."""
    refused(make(SIMPLE + extra, "double", "quadruple"), "helper", "given")
    assert "helper" in render_stub(make(SIMPLE + extra, "double", "quadruple", given=("helper",)))


def test_an_unmarked_method_is_refused_unless_its_class_is_given(make: Make) -> None:
    """Naming the class, or the method, allows it."""
    text = SIMPLE + "\n\nclass Helper:\n    def help(self):\n        return 1\n"
    refused(make(text, "double", "quadruple"), "Helper.help")
    for name in ("Helper", "Helper.help"):
        assert "class Helper" in render_stub(make(text, "double", "quadruple", given=(name,)))


def test_a_blank_nobody_declared_is_refused(make: Make) -> None:
    """A blanked function that is no exercise would be missing for the student, and graded by nobody."""
    refused(make(SIMPLE, "double"), "blanked but not declared: ['quadruple']")


def test_a_declared_exercise_without_region_is_refused(make: Make) -> None:
    """An exercise whose solution would ship is the mistake this is all about."""
    text = SIMPLE + "\n\ndef triple(x):\n    return 3 * x\n"
    refused(make(text, "double", "quadruple", "triple"), "declared but not blanked: ['triple']")


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (SIMPLE.replace("    # END SOLUTION\n", "", 1), ("line 14", "begins inside the one of line 6")),
        (SIMPLE.replace("    # BEGIN SOLUTION\n", "", 1), ("line 8", "never began")),
        (SIMPLE.removesuffix("    # END SOLUTION\n"), ("line 15", "never ends")),
    ],
    ids=["nested", "not_begun", "not_ended"],
)
def test_unbalanced_markers_are_refused(make: Make, broken: str, words: tuple[str, ...]) -> None:
    """The line at fault is named."""
    refused(make(broken, "double", "quadruple"), *words)


@pytest.mark.parametrize(
    "almost",
    [
        "# begin solution",
        "#BEGIN SOLUTION",
        "# BEGIN  SOLUTION",
        "# BEGIN SOLUTION:",
        "# BEGIN SOLUTIONS",
        "# BEGIN_SOLUTION",
        "# BEGIN-SOLUTION",
        "### BEGIN SOLUTION ###",
        "# BEGIN SOLUTION (the short one)",
        "# End Solution",
        "x = 1  # BEGIN SOLUTION",
        "# BEGINSOLUTION",
    ],
)
def test_almost_markers_are_refused(make: Make, almost: str) -> None:
    """A marker that is nearly right marks nothing, so it is refused wherever it stands."""
    refused(make(f"{SIMPLE}\n\n{almost}\n", "double", "quadruple"), "line 20", "looks like a marker")


def test_a_region_that_cuts_a_function_is_refused(make: Make) -> None:
    """A region lies in a function or around it, nothing between."""
    text = SIMPLE.replace("def quadruple", "# BEGIN SOLUTION\ndef quadruple", 1).replace(
        "    half = 2\n    # BEGIN SOLUTION\n", "    half = 2\n    # END SOLUTION\n", 1
    )
    text = text.removesuffix("    # END SOLUTION\n")
    refused(make(text, "double"), "cuts quadruple in two")


def test_a_region_inside_a_signature_is_refused(make: Make) -> None:
    """What a function takes is part of what students see."""
    text = 'def f(\n    # BEGIN SOLUTION\n    x,\n    # END SOLUTION\n):\n    """Do."""\n    return x\n'
    refused(make(text, "f"), "cuts f in two")


def test_markers_in_a_docstring_are_refused(make: Make) -> None:
    """A region that lies in a docstring leaves a function that does not raise."""
    text = 'def f(x):\n    """Do.\n    # BEGIN SOLUTION\n    this\n    # END SOLUTION\n    """\n    return x\n'
    refused(make(text, "f"), "f is declared as an exercise but its stub does not raise")


def test_a_stub_that_is_no_python_is_refused(make: Make) -> None:
    """A region that leaves an empty block behind is found here, not by the student."""
    text = "class Empty:\n    # BEGIN SOLUTION\n    size = 1\n    # END SOLUTION\n\n\n" + SIMPLE
    refused(make(text, "double", "quadruple"), "would not be Python")


def test_a_reference_that_is_no_python_is_refused(make: Make) -> None:
    """The author gets the line, as a StubError and not as a traceback."""
    refused(make("def f(:\n", "f"), "line 1")


@pytest.mark.parametrize("odd", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028"])
def test_odd_line_separators_shift_nothing(make: Make, odd: str) -> None:
    """Only what ends a line for Python does so here, or regions would be looked for in the wrong place."""
    text = SIMPLE.replace('"""Two functions."""', f'"""Two{odd}{odd}{odd} functions."""')
    stub = render_stub(make(text, "double", "quadruple"))
    assert "secret_double" not in stub
    assert stub.count("raise NotImplementedError") == 2


def test_windows_line_ends_change_nothing(make: Make) -> None:
    """A reference saved on Windows renders to the same lines."""
    windows = render_stub(make(SIMPLE.replace("\n", "\r\n"), "double", "quadruple"))
    assert windows.replace("\r\n", "\n") == render_stub(make(SIMPLE, "double", "quadruple"))


NAMES = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=4, unique=True)
SHAPES = st.lists(st.sampled_from(["plain", "branch", "loop", "nested", "two_regions"]), min_size=4, max_size=4)

BODIES = {
    "plain": "    # BEGIN SOLUTION\n    {secret} = x\n    return {secret}\n    # END SOLUTION\n",
    "branch": "    if x is None:\n        return None\n    # BEGIN SOLUTION\n    return {secret} if x else 0\n    # END SOLUTION\n",
    "loop": "    # BEGIN SOLUTION\n    for {secret} in x:\n\n        print({secret})\n    # END SOLUTION\n\n",
    "nested": "    # BEGIN SOLUTION\n    def inner():\n        return {secret}\n\n    return inner()\n    # END SOLUTION\n",
    "two_regions": (
        "    # BEGIN SOLUTION\n    {secret} = 1\n    # END SOLUTION\n    kept = 1\n"
        "    # BEGIN SOLUTION\n    return {secret} + kept\n    # END SOLUTION\n"
    ),
}


@given(names=NAMES, shapes=SHAPES, in_class=st.booleans(), top_region=st.booleans())
def test_no_solution_line_survives(
    assignment: Assignment, names: list[str], shapes: list[str], in_class: bool, top_region: bool
) -> None:
    """Whatever functions a reference is made of, no line of a solution and no marker is in the stub."""
    functions = [
        f'def {name}(x):\n    """Do {name}."""\n' + BODIES[shape].format(secret=f"secret_{name}")
        for name, shape in zip(names, shapes, strict=False)
    ]
    text = "\n\n".join(functions)
    prefix = ""
    if in_class:
        text = "class Holder:\n" + "".join(
            f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True)
        )
        prefix = "Holder."
    if top_region:
        text += "\n\n# BEGIN SOLUTION\ndef secret_helper():\n    return 1\n\n\nsecret_constant = 3\n# END SOLUTION\n"
    exercises = tuple(Exercise(name, 1.0, (prefix + name,)) for name in names)
    stub = render_stub(replace(assignment, reference=text, exercises=exercises, given=()))
    kept = {line.strip() for line in stub.splitlines()}
    assert not kept & set(solution_lines(text))
    assert "secret" not in stub
    assert "SOLUTION" not in stub
    raised = {n.name for n in ast.walk(ast.parse(stub)) if isinstance(n, ast.FunctionDef)}
    assert raised == set(names)
    assert stub.count("raise NotImplementedError") == len(names)
