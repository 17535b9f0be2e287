"""Mutants that change nothing by what they are, recognised by their names; believed only where outputs were the same.

The axis rule asks for a known rank: the docstring of the function gives shapes, and none of them begins with `...`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograder.sandbox.child.parse import parse

_AXES = ("axis", "dim", "axis1", "axis2", "dim0", "dim1", "start_dim", "end_dim")
_TAKING_AXES = ("swapaxes", "transpose", "flatten", "unsqueeze", "squeeze", "size")
_LAST_AXIS = (
    "sort",
    "argsort",
    "partition",
    "argpartition",
    "take_along_axis",
    "diff",
)  # what numpy's own take by default
_NUMBERS = ("float", "int")
_SHAPE = re.compile(r"\(\s*(?:\w+|\.\.\.)\s*,")  # (batch, ... or (n,) or (..., of a docstring
_TIMES = re.compile(r" \(\d+\)$")  # behind the name of a mutant that is there more than once


def why_equivalent(name: str, reference: str) -> str:
    """Return why a mutant, by its name, changes nothing; nothing where that takes an author's word."""
    function, _, change = name.partition(": ")
    before, _, after = _TIMES.sub("", change).partition("  =>  ")
    pair = _parting(_statement(before), _statement(after))
    if pair is None:
        return ""
    old, new, parents = pair
    tree = parse(reference)
    if _counts_axes(old, new, parents) and _rank_is_known(function, tree):
        return "the same axis, counted from the other end of a known number of axes"
    if isinstance(old, ast.Call):
        return _of_call(old, new, tree)
    return ""


def _statement(head: str) -> ast.AST | None:
    """Return a statement by its first line."""
    for text in (head, f"{head} pass", f"if True: pass\n{head} pass"):
        try:
            return parse(text)
        except SyntaxError:
            continue
    return None


def _parting(old: ast.AST | None, new: ast.AST | None) -> tuple[ast.AST, ast.AST, tuple[ast.AST, ...]] | None:
    """Return the smallest parts in which two trees differ, with what is around the first; None where they do in several."""
    parents: tuple[ast.AST, ...] = ()
    while old is not None and new is not None and type(old) is type(new):
        mine, others = list(ast.iter_child_nodes(old)), list(ast.iter_child_nodes(new))
        apart = [(a, b) for a, b in zip(mine, others, strict=False) if ast.dump(a) != ast.dump(b)]
        if len(mine) != len(others) or len(apart) != 1:
            break
        parents = (old, *parents)
        old, new = apart[0]
    return None if old is None or new is None else (old, new, parents)


def _counts_axes(old: ast.AST, new: ast.AST, parents: tuple[ast.AST, ...]) -> bool:
    """Whether a number of an axis changes its sign: -1 and 1 are the same axis of a matrix."""
    one, other = _number(old), _number(new)
    if one is None or other is None or one != -other or one == 0:
        return False
    match parents:
        case (ast.keyword(arg=name), *_):
            return name in _AXES
        case (ast.Subscript(value=ast.Attribute(attr="shape")), *_):
            return True
        case (ast.Call(func=ast.Attribute(attr=name)), *_):
            return name in _TAKING_AXES
        case _:
            return False


def _number(node: ast.AST) -> int | None:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            return -number
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return number
        case _:
            return None


def _rank_is_known(function: str, tree: ast.Module) -> bool:
    """Whether a function says the shapes of what it takes, and takes no further axes in front."""
    said = "\n".join(filter(None, map(ast.get_docstring, _around(function, tree))))
    return bool(_SHAPE.search(said)) and "(..." not in said


def _around(function: str, tree: ast.Module) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Yield the class and the function of a dotted name."""
    names, nodes = function.split("."), tree.body
    for name in names:
        found = next((n for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name), None)
        if found is None:
            return
        yield found
        nodes = found.body


def _of_call(old: ast.Call, new: ast.AST, tree: ast.Module) -> str:
    called = getattr(old.func, "attr", getattr(old.func, "id", ""))
    if isinstance(old.func, ast.Name) and called in _NUMBERS and [ast.dump(new)] == [ast.dump(arg) for arg in old.args]:
        return "a number of numpy is as good as one of Python"
    if not isinstance(new, ast.Call) or ast.dump(new.func) != ast.dump(old.func):
        return ""
    if called in ("min", "max", "minimum", "maximum") and len(old.args) == len(new.args) and not old.keywords:
        swapped = sorted(map(ast.dump, old.args)) == sorted(map(ast.dump, new.args))
        return "the smaller and the larger of two do not depend on their order" if swapped else ""
    gone = [k for k in old.keywords if ast.dump(k) not in {ast.dump(kept) for kept in new.keywords}]
    if len(gone) == 1 and len(new.keywords) == len(old.keywords) - 1 and len(old.args) == len(new.args):
        return _of_keyword(called, gone[0], tree)
    return ""


def _of_keyword(called: str, gone: ast.keyword, tree: ast.Module) -> str:
    if gone.arg == "kind":
        return "another way to sort gives the same order"
    if (gone.arg in _AXES and _number(gone.value) == -1 and called in _LAST_AXIS) or _is_default(called, gone, tree):
        return "what is dropped is the default"
    return ""


def _is_default(called: str, gone: ast.keyword, tree: ast.Module) -> bool:
    """Whether a function of the reference has the dropped value as its default."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == called:
            arguments = node.args.posonlyargs + node.args.args
            defaults = dict(zip([a.arg for a in arguments][::-1], node.args.defaults[::-1], strict=False))
            defaults |= {a.arg: d for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d}
            return gone.arg in defaults and ast.dump(defaults[gone.arg]) == ast.dump(gone.value)
    return False
