"""What is no Python costs what it is in, and no more."""

from __future__ import annotations

import ast
import random
import sys
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.judge.forbidden import Reading
from autograder.judge.grade import grade
from autograder.judge.terminal_text import result_as_text
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.broken_parts import without_broken_parts
from autograder.sandbox.job import Sandbox, Source

ROOT = Path(__file__).parents[1]
FILE = """import numpy as np

LIMIT = (1,
         2)


@decorated
def first(x):
    if x:
        return 1
    return 2


class Second:
    def step(self):
        return 3


def third(x):
    return x
"""
BROKEN = {
    "a colon": ("def first(x):", "def first(x)", {"Second", "third"}),
    "a bracket": ("        return 1", "        return f(1", {"Second", "third"}),
    "a quote": ("        return 3", "        return '3", {"first", "third"}),
    "a body": ("def third(x):\n    return x\n", "def third(x):\n    # later\n", {"first", "Second"}),
    "a body before another function": (
        "    if x:\n        return 1\n    return 2\n",
        "    # later\n",
        {"Second", "third"},
    ),
    "an indentation": ("    return 2", "   return 2", {"Second", "third"}),
    "a tab": ("    return 2", "\treturn 2", {"Second", "third"}),
    "a return outside": ("    return x\n", "    pass\nreturn x\n", {"first", "Second", "third"}),
    "an else of nothing": ("class Second", "else:\n    pass\n\n\nclass Second", {"Second", "third"}),
    "a conflict": (
        "    if x:",
        "<<<<<<< HEAD\n    if x:\n=======\n    if not x:\n>>>>>>> 3f2c9ab (fix)",
        {"Second", "third"},
    ),
    "a conflict outside": (
        "class Second",
        "<<<<<<< HEAD\n=======\n>>>>>>> 3f2c9ab (it's)\nclass Second",
        {"first", "Second", "third"},
    ),
    "an open try": ("    if x:\n        return 1\n", "    try:\n        return 1\n", {"Second", "third"}),
    "an open try at the end of a part": (
        "    if x:\n        return 1\n    return 2\n",
        "    try:\n        return 1\n",
        {"Second", "third"},
    ),
    "quotes of an old version": (
        "class Second",
        '"""\ndef older(x):\n    return x\n\n\nclass Second',
        {"first", "older", "Second", "third"},
    ),
    "a talk around it": ("import numpy", "Here's the file:\n\n```python\nimport numpy", {"first", "Second", "third"}),
    "a table": ("LIMIT = (1,\n", "LIMIT = [1,\n", {"first", "Second", "third"}),
}


@pytest.mark.parametrize("what", BROKEN)
def test_the_rest_is_left(what: str) -> None:
    """With the lines it had."""
    old, new, left = BROKEN[what]
    assert FILE.count(old) == 1
    text = FILE.replace(old, new)
    mended, errors = without_broken_parts(text, "means.py")
    names = {n.name: n.lineno for n in ast.parse(mended).body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    assert names.keys() == left
    assert errors
    assert mended.count("\n") == text.count("\n")
    for name, line in names.items():
        assert name in text.split("\n")[line - 1]


def test_a_long_text_begins_no_part() -> None:
    """What stands in it without indentation does not: its quotes would stay, and turn all after them round."""
    said = '    """Return it.\n\nArgs:\nx: an array, \'\'\' or "" or not.\n    """\n'
    text = FILE.replace("def third(x):\n", f"def third(x):\n{said}")
    text = text.replace("def first(x):\n", f"def first(x)\n{said}")
    mended, errors = without_broken_parts(text, "means.py")
    assert [error.msg for error in errors] == ["expected ':'"]
    assert {n.name for n in ast.parse(mended).body if isinstance(n, ast.FunctionDef | ast.ClassDef)} == {
        "Second",
        "third",
    }


def test_an_open_try_is_told_where_it_is() -> None:
    """Python names the line that comes next, which is another function's."""
    text = FILE.replace("    if x:\n        return 1\n    return 2\n", "    try:\n        return 1\n")
    _, (error,) = without_broken_parts(text, "means.py")
    assert text.split("\n")[(error.lineno or 0) - 1] == "        return 1"


def test_python_is_left_as_it_is() -> None:
    """Nothing is wrong with it."""
    assert without_broken_parts(FILE, "means.py") == (FILE, [])


@pytest.mark.parametrize("text", ["Dear grader,\nmy dog (ate it\n", "x = 1\ny = (\n", "def f(x\n", "'" * 3])
def test_what_has_no_function_left_is_no_python_at_all(text: str) -> None:
    """The first thing that is wrong with it is raised."""
    with pytest.raises(SyntaxError):
        without_broken_parts(text, "means.py")


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_whatever_is_cut_out_of_a_reference_costs_few_functions(slug: str) -> None:
    """A character of the code is taken away somewhere, fifty times; nine tenths of the definitions are still there, or what is left is Python anyway."""
    reference, draw = load_assignment(ROOT, slug).reference, random.Random(3)
    whole = {n.name for n in ast.parse(reference).body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    signs = [i for i, sign in enumerate(reference) if sign in "()[]:,='\""]
    lost = []
    for place in draw.sample(signs, k=50):
        mended, _ = without_broken_parts(reference[:place] + reference[place + 1 :], "it.py")
        lost.append(
            len(whole - {n.name for n in ast.parse(mended).body if isinstance(n, ast.FunctionDef | ast.ClassDef)})
        )
    assert sum(lost) / len(lost) < 0.1 * len(whole)


def test_a_colon_that_is_missing_costs_its_function(sandbox: Sandbox) -> None:
    """The student reads first what was left out, and where; rules on what is forbidden read the rest all the same."""
    assignment = load_assignment(ROOT, "a1_rnn").without_training()
    (line,) = (line for line in assignment.reference.split("\n") if line.startswith("def perplexity("))
    text = assignment.reference.replace(line, line.removesuffix(":"))
    result = grade(Source.of(assignment.file, text), Oracle(assignment, 0, public_only=True), sandbox)
    assert {e.name for e in result.exercises if e.failing} == {"perplexity"}
    told = result_as_text("rnn.py", result).split("\n")
    said = "A part of your file is no Python {}.{}: SyntaxError: expected ':'".format(*sys.version_info)
    assert told[1] == f"Left out when your file is imported: {said}"
    assert told[3].strip() == line.removesuffix(":")
    assert "Your `perplexity` was left out" in result_as_text("rnn.py", result)


def test_what_is_forbidden_is_seen_beside_what_is_no_python(sandbox: Sandbox) -> None:
    """A file that cannot be parsed would else be read by no one."""
    assignment = load_assignment(ROOT, "a5_attention").without_training()
    body = "def attention(Q, K, V, mask=None):\n    return torch.nn.functional.scaled_dot_product_attention(Q, K, V)\n"
    source = Source.of("attention.py", f"import torch\n\ndef broken(:\n    pass\n\n{body}")
    assert "attention" in Reading(source, assignment, sandbox).shortcuts()


@pytest.mark.parametrize(
    "first",
    ["if 0:\n    import math as torch\n", "import math as torch; return\n", f"DEEP = {'+'.join('1' * 20_000)}\n"],
    ids=["never run", "no Python", "too deep to be read"],
)
def test_what_is_forbidden_is_seen_behind_what_never_runs(first: str, sandbox: Sandbox) -> None:
    """A name stands for all that it is imported as; and what nests too deeply to be read may run all the same."""
    assignment = load_assignment(ROOT, "a5_attention").without_training()
    body = "def attention(Q, K, V, mask=None):\n    return torch.nn.functional.scaled_dot_product_attention(Q, K, V)\n"
    source = Source.of("attention.py", f"import torch\n{first}\n{body}")
    assert "attention" in Reading(source, assignment, sandbox).shortcuts()


def test_a_file_of_another_assignment_is_told_as_one(sandbox: Sandbox) -> None:
    """The stub of this one is not, nor a file with one exercise of it."""
    here, other = (load_assignment(ROOT, slug).without_training() for slug in ("a5_attention", "a1_rnn"))
    oracle = Oracle(here, 0, public_only=True)
    one = other.reference.replace("def softmax(", "def causal_mask(") + "\n\ndef padding_mask(ids):\n    return ids\n"
    said = "Next to nothing of this assignment is defined in your file. Is it the file of another one?"
    for text, notes in (
        (other.reference, (said,)),
        (here.stub, ()),
        (one, ()),
        ("def softmax(x):\n    return x\n", ()),
    ):
        assert grade(Source.of("attention.py", text), oracle, sandbox).notes == notes
