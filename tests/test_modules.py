"""Modules: what is charged where, which gradients are missed, and library code that an exercise may not use."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Status
from autograder.judge.grade import grade
from autograder.judge.result import CaseResult, Result
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.guards import ShortcutError, Shortcuts
from autograder.sandbox.job import Chunk, Isolation, Sandbox, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.process import ProcessSandbox

Grade = Callable[[str], Result]
RIGHT = "return x @ self.weight.T + self.bias"
SAYS = "You use `{}`{}, which does what this exercise asks you to write yourself. Write the matrix product and the sum."


@pytest.fixture(scope="module")
def tensors(course: Path) -> Assignment:
    """Return the assignment on tensors: doubled, Affine, and Chain, which builds on both."""
    return load_assignment(course, "t2_tensors")


@pytest.fixture(scope="module", params=["jailed", "plain"])
def graded(request: pytest.FixtureRequest, tensors: Assignment) -> Iterator[Grade]:
    """Return a function that grades the text of a .py file, in both kinds of sandbox."""
    oracle = Oracle(tensors, 7)
    sandbox: Sandbox = open_sandbox(1, torch=True) if request.param == "jailed" else ProcessSandbox()
    assert isinstance(sandbox.isolation, Isolation)
    yield lambda text: grade(Source("tensors", (Chunk("tensors.py", text),)), oracle, sandbox)
    sandbox.close()


def cases(result: Result, exercise: str) -> Mapping[str, CaseResult]:
    """Return an exercise's cases by name."""
    assert result.problem == ""
    return {c.name: c for e in result.exercises if e.name == exercise for c in e.cases}


def scores(result: Result) -> list[float]:
    """Return the points of doubled, Affine and Chain."""
    return [exercise.score for exercise in result.exercises]


def test_a_module_without_forward_is_not_taken_for_unwritten(graded: Grade, tensors: Assignment) -> None:
    """Torch says with the exception of stubs that the method is missing; it was renamed, and that is told."""
    renamed = tensors.reference.replace("def forward(self, x", "def forwards(self, x", 1)
    case = cases(graded(renamed), "Affine")["one_row"]
    assert case.status is Status.CRASHED
    told = "There is no method `forward` in your `Affine`. There is a `forwards`. Was it renamed or removed?"
    assert case.message.startswith(told)


def test_a_wrong_module_is_charged_once(graded: Grade, tensors: Assignment) -> None:
    """A slip nobody knows in Affine costs Affine's points and not those of Chain, which is right given it."""
    result = graded(tensors.reference.replace(RIGHT, "return x @ self.weight.T * 1.5 + self.bias + x.mean()"))
    assert scores(result)[0] == 1
    assert scores(result)[2] == 2
    assert cases(result, "Affine")["any_map"].status is Status.FAILED
    followed = cases(result, "Chain")["any_chain"]
    assert followed.message == "Right, given your `Affine`: what is wrong there is not charged again here."


def test_a_wrong_module_excuses_no_other_mistake(graded: Grade, tensors: Assignment) -> None:
    """Chain is wrong in its own way, too."""
    text = tensors.reference.replace(RIGHT, "return x @ self.weight.T * 1.5 + self.bias + x.mean()")
    result = graded(text.replace("self.second(doubled(self.first(x)))", "self.second(self.first(x)) + 1"))
    assert scores(result)[2] == 0


def test_a_constant_module_excuses_nothing(graded: Grade, tensors: Assignment) -> None:
    """Where Affine ignores its input, a Chain that ignores what its first map says gives the same, and earns nothing with it."""
    constant = tensors.reference.replace(RIGHT, "return (x * 0).sum(-1, keepdim=True) + self.bias")
    assert scores(graded(constant))[2] == 2  # the right Chain, as stand-ins for Affine show
    careless = constant.replace("self.second(doubled(self.first(x)))", "self.second(self.first(x) * 0)")
    assert careless != constant
    assert scores(graded(careless))[2] == 0


def test_a_missing_gradient_is_said_to_be_missing(graded: Grade, tensors: Assignment) -> None:
    """Of a hidden case, which parameter it is and that no gradient reaches it."""
    result = graded(tensors.reference.replace("+ self.bias", "+ self.bias.detach()"))
    bias = cases(result, "Affine")["the_bias_learns"]
    assert bias.message == "gradient of bias: No gradient reaches it."
    assert bias.diagnosis == "bias_detached"


def test_a_module_call_is_shown_with_how_it_was_made(graded: Grade, tensors: Assignment) -> None:
    """A public case shows the constructor's arguments by name, the input and the parameters."""
    message = cases(graded(tensors.reference.replace("+ self.bias", "")), "Affine")["one_row"].message
    assert "The call was Affine(features=2, outputs=3)(x) with" in message
    assert re.search(r"\n  x = torch\.tensor\(\[\[", message)
    assert "'bias': torch.tensor([ 1. , -1. ,  0.5])" in message


FORBIDDEN = {
    "torch.nn.functional.linear": "return nn.functional.linear(x, self.weight, self.bias)",
    "torch.nn.Linear": "made = nn.Linear(*self.weight.T.shape)\nmade.weight, made.bias = self.weight, self.bias\nreturn made(x)",
}


def write(tensors: Assignment, body: str, before: str = "") -> str:
    """Return the reference with another body of Affine.forward, and something before the class."""
    lines = body.replace("\n", "\n        ")
    return tensors.reference.replace(RIGHT, lines).replace("class Affine", f"{before}\n\n\nclass Affine")


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_shortcut_is_seen_in_the_source(graded: Grade, tensors: Assignment, name: str) -> None:
    """All of the exercise's cases fail and say what was used where; the others count."""
    text = write(tensors, FORBIDDEN[name])
    result = graded(text)
    assert scores(result) == [1, 0, 2]
    line = next(number for number, line in enumerate(text.splitlines(), 1) if name.rpartition(".")[2] + "(" in line)
    for case in cases(result, "Affine").values():
        assert case.status is Status.FAILED
        assert case.message == SAYS.format(name, f" (tensors.py, line {line})")


HELPER = "class Helper:\n    def apply(self, x, w, b):\n        return nn.functional.linear(x, w, b)\n\n"
WAYS = {
    "another name": ("import torch.nn.functional as fn", "return fn.linear(x, self.weight, self.bias)"),
    "from import": ("from torch.nn.functional import linear as f", "return f(x, self.weight, self.bias)"),
    "star import": ("from torch.nn.functional import *", "return linear(x, self.weight, self.bias)"),
    "assignment": ("f = nn.functional.linear", "return f(x, self.weight, self.bias)"),
    "helper": (
        "def product(x, w, b):\n    return torch.nn.functional.linear(x, w, b)",
        "return product(x, self.weight, self.bias)",
    ),
    "a method of one's own": (
        f"{HELPER}\nclass Further(Helper):\n    pass\n\n\nhelper: Further = Further()",
        "return helper.apply(x, self.weight, self.bias)",
    ),
    "a class made elsewhere": (
        f"{HELPER}\ndef made():\n    return Helper()",
        "use = lambda helper: helper.apply(x, self.weight, self.bias)\nreturn use(made())",
    ),
    "import inside": ("", "from torch.nn import functional as f\nreturn f.linear(x, self.weight, self.bias)"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_shortcut_is_seen_under_other_names(graded: Grade, tensors: Assignment, way: str) -> None:
    """Imports, assignments and helpers are followed."""
    before, body = WAYS[way]
    (message,) = {c.message for c in cases(graded(write(tensors, body, before)), "Affine").values()}
    assert message.startswith("You use `torch.nn.functional.linear` (tensors.py, line ")


@pytest.mark.parametrize("module", ["nn.functional", "importlib.import_module('torch.nn.functional')"])
def test_a_shortcut_is_absent_at_run_time(graded: Grade, tensors: Assignment, module: str) -> None:
    """What the source does not show meets a guard in the worker."""
    body = f"import importlib\nreturn getattr({module}, 'lin' + 'ear')(x, self.weight, self.bias)"
    result = graded(write(tensors, body))
    assert scores(result) == [1, 0, 2]
    assert cases(result, "Affine")["any_map"].message == SAYS.format("torch.nn.functional.linear", "")


def test_a_guarded_module_keeps_what_is_no_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python looks for a source, as torch has it do, it reads `__file__` of every module."""
    library = types.ModuleType("a_library")
    vars(library).update(__file__="a_library.py", size=3, solve=lambda: 1)
    monkeypatch.setitem(sys.modules, "a_library", library)
    shortcuts = Shortcuts([("a_library.**", ["solved"])])
    assert (library.__file__, library.size, library.solve()) == ("a_library.py", 3, 1)
    shortcuts.exercise = "solved"
    with pytest.raises(ShortcutError, match=re.escape("a_library.solve")):
        library.solve()


HARMLESS = {
    "in a comment": ("# nn.Linear would do this", RIGHT),
    "imported only": ("from torch.nn import Linear", RIGHT),
    "in a function nobody calls": ("def compare(x):\n    return nn.Linear(3, 4)(x)", RIGHT),
    "at the top level": ("nn.Linear(3, 4)(torch.zeros(2, 3))", RIGHT),
    "in a class nobody makes": ("class Bench:\n    def weight(self, x):\n        return nn.Linear(3, 4)(x)", RIGHT),
    "a function of one's own": (
        "def linear(x, w, b):\n    return x @ w.T + b",
        "return linear(x, self.weight, self.bias)",
    ),
}


@pytest.mark.parametrize("way", HARMLESS)
def test_what_is_no_use_of_it_costs_nothing(graded: Grade, tensors: Assignment, way: str) -> None:
    """Comments, imports, experiments and helpers of the same name are no shortcuts."""
    before, body = HARMLESS[way]
    assert scores(graded(write(tensors, body, before))) == [1, 2, 2]


def test_another_exercise_may_use_it(graded: Grade, tensors: Assignment) -> None:
    """What Affine may not use, Chain may."""
    text = tensors.reference.replace(
        "return self.second(doubled(self.first(x)))",
        "first, second = self.first, self.second\n"
        "        hidden = 2 * nn.functional.linear(x, first.weight, first.bias)\n"
        "        return nn.functional.linear(hidden, second.weight, second.bias)",
    )
    assert scores(graded(text)) == [1, 2, 2]
