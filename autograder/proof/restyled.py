"""Whole files that look unusual and are right: a reference as other people, editors and systems would leave it."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from typing import Any

from autograder.sandbox.child.parse import parse

Dress = Callable[[str], tuple[str, bytes]]  # a reference's text to the file's suffix and bytes


def windows_line_ends(text: str) -> tuple[str, bytes]:
    """Save it as Notepad does: a byte order mark, and two characters at the end of a line."""
    return ".py", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()


def tabs(text: str) -> tuple[str, bytes]:
    """Indent with tabs, leave blanks at the ends of lines, and no line end at the end."""
    lines = (line.replace("    ", "\t") + "  " for line in text.rstrip().split("\n"))
    return ".py", "\n".join(lines).encode()


def latin_1(text: str) -> tuple[str, bytes]:
    """Save it in another encoding and say so in the first line."""
    body = text.encode("latin-1", errors="replace").decode("latin-1")
    return ".py", f"# -*- coding: latin-1 -*-\n# caf\xe9\n{body}".encode("latin-1")


def unicode_names(text: str) -> tuple[str, bytes]:
    """Give every local variable a Greek letter in front, and lose all comments and layout."""
    tree = parse(text)
    for function in _functions(tree):
        parameters = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        mine = {node.id for node in names if isinstance(node.ctx, ast.Store)} - parameters
        for node in names:
            node.id = f"ξ_{node.id}" if node.id in mine else node.id
    return ".py", ast.unparse(tree).encode()


def noisy(text: str) -> tuple[str, bytes]:
    """Print and warn in every function and at the top."""
    tree = parse(text)
    said = parse("print('now in here', flush=True)\nimport warnings\nwarnings.warn('take care', stacklevel=1)").body
    for function in _functions(tree):
        start = 1 if ast.get_docstring(function) else 0
        function.body[start:start] = said
    return ".py", (ast.unparse(ast.fix_missing_locations(tree)) + "\nprint('done', len(dir()))\n").encode()


def experiments(text: str) -> tuple[str, bytes]:
    """Leave tests, settings and a failing experiment at the top level, and a main program."""
    return (
        ".py",
        f"""{text}
import sys, os.path
try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None
np.random.seed(0)
np.set_printoptions(precision=2, suppress=True)
np.seterr(all="ignore")
sys.setrecursionlimit(5000)
x = y = np.ones((2, 3))

if __name__ == "__main__":
    assert False, "only when I run it myself"

assert x.shape == (3, 2), "this one I have not understood yet"
""".encode(),
    )


def star_imports(text: str) -> tuple[str, bytes]:
    """Import whole libraries into the file's own names, and give helpers the names of others' helpers."""
    return (
        ".py",
        f"""from math import *
from typing import *
{text}
from collections import *

Answer = Request = Source = program = module = worker = wire = student = report = call = check = grade = None


def helper(*args, **kwargs):
    return args, kwargs


main = run = load = case = judge = student_module = helper
""".encode(),
    )


def _rebound(text: str, wrapper: str) -> str:
    """Return lines that put every function of a file into a wrapper."""
    names = [node.name for node in parse(text).body if isinstance(node, ast.FunctionDef)]
    return "\n".join(f"{name} = {wrapper}({name})" for name in names)


def timed(text: str) -> tuple[str, bytes]:
    """Wrap every function into a decorator, and count calls."""
    wrapped = _rebound(text, "counted")
    return (
        ".py",
        f"""{text}
import functools, time

calls = dict()


def counted(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        began = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            calls.setdefault(function.__name__, list()).append(time.perf_counter() - began)
    return inner

{wrapped}
""".encode(),
    )


def callables(text: str) -> tuple[str, bytes]:
    """Make every function an object that can be called."""
    wrapped = _rebound(text, "Callable_")
    return (
        ".py",
        f"""{text}

class Callable_:
    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

{wrapped}
""".encode(),
    )


def notebook(text: str) -> tuple[str, bytes]:
    """Put every statement into a cell of a notebook, with magics, shell lines and a failing cell among them."""
    lines = text.splitlines(keepends=True)
    cells = ["%matplotlib inline\n", "!pip install numpy\n"]
    for node in parse(text).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        cells.append("".join(lines[first - 1 : node.end_lineno]))
    cells += ["%%time\nnp.ones(3)\n", "1 / 0\n", "grader.check_all()\n"]
    made: list[dict[str, Any]] = [
        {"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": None} for cell in cells
    ]
    return ".ipynb", json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


DRESSES: dict[str, Dress] = {
    dress.__name__: dress
    for dress in (
        *(windows_line_ends, tabs, latin_1, unicode_names, noisy),
        *(experiments, star_imports, timed, callables, notebook),
    )
}


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """Return the functions and methods at the top of a module, without those inside of others."""
    nodes = [*tree.body, *(inner for node in tree.body if isinstance(node, ast.ClassDef) for inner in node.body)]
    return [node for node in nodes if isinstance(node, ast.FunctionDef)]
