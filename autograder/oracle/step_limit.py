"""Stop the reference after too many steps: with other arguments, answers or lines than its own a loop in it may never end.

Steps are counted, not seconds, so that no verdict depends on the load of the machine. A step is a turn of a loop or a call of a
function. The course's own code is compiled so that it says each of them: to trace it would double the time of all that it runs.
Library code is not counted; it ends by itself.
"""

from __future__ import annotations

import ast
import copy
import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType

from autograder.sandbox.child.parse import parse

MAX_STEPS = 50_000  # in one call; honest ones take tens, and thousands where a case is about long arguments
SAYS = "__step__"  # the name under which counted code finds `take_step`
_OF_STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases")  # what holds them
_THREAD = threading.local()  # its `step` is called at every step


class StopError(BaseException):
    """Ends what cannot go on. It is no `Exception`, so that no `except Exception` of the reference catches it."""


@functools.lru_cache(maxsize=512)
def counted(text: str, label: str) -> CodeType:
    """Return compiled code that calls `take_step` at each step. Raises SyntaxError where it is no Python."""
    tree = parse(text, label)
    count_steps(tree, lambdas="lambda" in text)
    return compile(tree, label, "exec", dont_inherit=True)


def count_steps(tree: ast.Module, *, lambdas: bool, comprehensions: bool = False) -> None:
    """Have code call `take_step` at each step, in lambdas and at each turn of a comprehension as well if that is asked for."""
    for node in list(ast.walk(tree)) if lambdas or comprehensions else _statements(tree):
        if isinstance(node, ast.For | ast.While | ast.FunctionDef):
            place = 1 if isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None else 0
            # In the line of what comes next, so that no line seems to be run that was not there.
            beside = node.body[min(place, len(node.body) - 1)]
            node.body.insert(place, ast.copy_location(ast.Expr(_said(beside)), beside))
        elif isinstance(node, ast.Lambda):
            # A step has no value, so the lambda still gives its own.
            node.body = ast.copy_location(ast.BoolOp(ast.Or(), [_said(node.body), node.body]), node.body)
        elif comprehensions and isinstance(node, ast.comprehension):
            node.ifs.insert(0, ast.copy_location(ast.UnaryOp(ast.Not(), _said(node.iter)), node.iter))


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield all statements of a tree; most of it is expressions, and only in these are lambdas."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name in _OF_STATEMENTS:
            waiting += getattr(node, name, ())


def _said(beside: ast.expr | ast.stmt) -> ast.Call:
    return ast.copy_location(ast.Call(ast.copy_location(ast.Name(SAYS, ast.Load()), beside), [], []), beside)


class _WithoutSteps(ast.NodeTransformer):
    """Undoes what `count_steps` does."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if _says(node.value) else self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return node.values[1] if _says(node.values[0]) else node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.ifs = [each for each in node.ifs if not (isinstance(each, ast.UnaryOp) and _says(each.operand))]
        return self.generic_visit(node)


def text_without_steps(counted: ast.FunctionDef | ast.ClassDef) -> str:
    """Return the text of a definition in which steps are counted as it is without that."""
    return ast.unparse(_WithoutSteps().visit(copy.deepcopy(counted)))


def _says(node: ast.AST) -> bool:
    """Whether all of an expression is to say that a step is taken."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name == SAYS
    return False


def take_step() -> None:
    """Say that counted code takes a step; where steps are counted in this thread that may raise StopError."""
    step = getattr(_THREAD, "step", None)
    if step:
        step()


@contextmanager
def counting_steps(step: Callable[[], None]) -> Iterator[None]:
    """Call `step` at every step of counted code in this thread; it may raise StopError."""
    before = getattr(_THREAD, "step", None)
    _THREAD.step = step
    try:
        yield
    finally:
        _THREAD.step = before


@contextmanager
def limited_steps(most: int = MAX_STEPS) -> Iterator[None]:
    """Raise StopError in counted code when it has taken so many steps."""
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1
        if taken > most:
            raise StopError

    with counting_steps(step):
        yield
