"""Small changes to Python, one at a time: what mutants of the reference and slips are made of.

An existing engine (mutmut, cosmic-ray) runs a test suite for every mutant, in files; here a mutant meets an exercise's
cases in memory, in milliseconds. Strings stay as they are: a name that is not there only crashes.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

_SWAPS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div, ast.Add), ast.Div: (ast.Mult,), ast.Pow: (ast.Mult,),
    ast.FloorDiv: (ast.Div,), ast.Mod: (ast.FloorDiv,), ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,),
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.And: (ast.Or,), ast.Or: (ast.And,),
}  # fmt: skip
_ORDERED = (ast.Sub, ast.Div, ast.MatMult, ast.Pow, ast.Mod, ast.FloorDiv)
_PAIRS = (
    ("max", "min"), ("argmax", "argmin"), ("maximum", "minimum"), ("amax", "amin"), ("sum", "mean"), ("any", "all"),
    ("zeros", "ones"), ("zeros_like", "ones_like"), ("sin", "cos"), ("tanh", "sigmoid"), ("floor", "ceil"),
    ("tril", "triu"), ("log", "log2"), ("exp", "exp2"), ("relu", "tanh"), ("softmax", "log_softmax"),
)  # fmt: skip
_OTHER = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
_SYMMETRIC = ("swapaxes", "transpose", "maximum", "minimum", "logaddexp")  # their last two arguments may trade places
_FACTS = ("shape", "dtype", "device", "ndim", "size", "dim", "numel", "new_zeros", "requires_grad")  # no gradient there
_LIBRARIES = ("np", "torch", "math", "nn", "F", "random")


def variants(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node, each differing from it in one thing."""
    match node:
        case ast.BinOp():
            yield from _arithmetic(node)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            yield from map(ast.Constant, (number, -number - 1, -number + 1))
        case ast.UnaryOp():
            yield node.operand
        case ast.Constant(value=bool() as truth):
            yield ast.Constant(not truth)
        case ast.Constant(value=int() as number) if not _negated(parent):
            yield from map(ast.Constant, (number + 1, number - 1, *((-number,) if number else ())))
        case ast.Constant(value=float() as number) if not _negated(parent):
            yield from map(ast.Constant, (2 * number, -number) if number else (1.0, -1.0))
        case ast.Compare(left=left, ops=[op], comparators=right):
            yield from (ast.Compare(left, [other()], right) for other in _others(op))
        case ast.BoolOp(op=op, values=values):
            yield from (ast.BoolOp(other(), values) for other in _others(op))
            yield from values
        case ast.IfExp():
            yield from (node.body, node.orelse)
        case ast.Call():
            yield from _calls(node)
        case ast.Attribute(value=value, attr="T" | "mT"):
            yield value
        case ast.Slice():
            yield from _slices(node)
        case ast.Subscript(value=value, slice=ast.Name() | ast.BinOp() as index, ctx=context):
            yield from (ast.Subscript(value, _shifted(index, by), context) for by in (1, -1))
        case ast.Tuple() | ast.List():
            yield from _swapped(node)
        case ast.comprehension() if node.ifs:
            yield ast.comprehension(node.target, node.iter, [], node.is_async)
        case ast.For(target=target, iter=ast.Call(func=ast.Name("range")) as steps):
            backwards = ast.Call(ast.Name("reversed", ast.Load()), [steps], [])
            yield ast.For(target, backwards, node.body, node.orelse)
        case ast.Name() | ast.Attribute() if cutting := cut_of(node, parent):
            yield cutting
        case ast.stmt():
            yield from _statements(node)


def cut_of(node: ast.Name | ast.Attribute, parent: ast.AST) -> ast.Call | None:
    """Return the same value with its gradient cut: for one of a function's own names, or what its object holds.

    None where it is called, written to or asked for its shape. A name is known as the function's own by its mark `own`.
    """
    match node:
        case ast.Attribute(value=ast.Name(id="self")) | ast.Name() if isinstance(node.ctx, ast.Load):
            mine = isinstance(node, ast.Attribute) or getattr(node, "own", False)
        case _:
            mine = False
    match parent:
        case ast.Attribute(attr=attribute):
            mine = mine and attribute not in _FACTS
        case ast.Call(func=called):
            mine = mine and called is not node
        case ast.Subscript(ctx=ast.Store()):
            mine = False
    return ast.Call(ast.Attribute(node, "detach", ast.Load()), [], []) if mine else None


def _statements(node: ast.stmt) -> Iterator[ast.AST]:
    """Yield a statement's changes; one that makes a new name is not dropped, which would only crash."""
    match node:
        case ast.AugAssign(target=target, op=op, value=value):
            yield ast.Pass()
            yield ast.Assign([target], value)
            yield from (ast.AugAssign(target, other(), value) for other in _others(op))
        case ast.If(body=body, orelse=orelse):
            yield from (ast.If(ast.Constant(truth), body, orelse) for truth in (True, False))
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            yield ast.Pass()
        case ast.Assign(targets=[ast.Name()]) if getattr(node, "bound", False):
            yield ast.Pass()
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Continue() | ast.Break():
            yield ast.Pass()


def _arithmetic(node: ast.BinOp) -> Iterator[ast.AST]:
    yield from (ast.BinOp(node.left, other(), node.right) for other in _others(node.op))
    yield from (node.left, node.right)
    if isinstance(node.op, _ORDERED):
        yield ast.BinOp(node.right, node.op, node.left)


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    function, args, keywords = node.func, node.args, node.keywords
    symmetric = getattr(function, "attr", "") in _SYMMETRIC
    for index in range(len(args) - (2 if symmetric else 1)):
        yield ast.Call(function, [*args[:index], args[index + 1], args[index], *args[index + 2 :]], keywords)
    for index, keyword in enumerate(keywords):
        if not isinstance(getattr(keyword.value, "value", None), bool):
            yield ast.Call(function, args, [*keywords[:index], *keywords[index + 1 :]])
    library = isinstance(function, ast.Attribute) and ast.unparse(function).partition(".")[0] in _LIBRARIES
    if isinstance(function, ast.Attribute) and not library:
        yield function.value
    elif args and not isinstance(args[0], ast.Starred | ast.GeneratorExp):
        yield args[0]
    match function:
        case ast.Name(id=name, ctx=context) if name in _OTHER:
            yield ast.Call(ast.Name(_OTHER[name], context), args, keywords)
        case ast.Attribute(value=value, attr=name, ctx=context) if name in _OTHER:
            yield ast.Call(ast.Attribute(value, _OTHER[name], context), args, keywords)
        case ast.Name("range") if len(args) == 1:
            yield ast.Call(function, [ast.Constant(1), *args], [])
            yield from (ast.Call(function, [_shifted(args[0], by)], []) for by in (1, -1))


def _slices(node: ast.Slice) -> Iterator[ast.AST]:
    lower, upper, step = node.lower, node.upper, node.step
    if lower:
        yield ast.Slice(None, upper, step)
        if not _is_number(lower):
            yield from (ast.Slice(_shifted(lower, by), upper, step) for by in (1, -1))
        if not upper and not step:
            yield ast.Slice(lower, ast.Constant(-1), None)
    if upper:
        yield ast.Slice(lower, None, step)
        if not _is_number(upper):
            yield from (ast.Slice(lower, _shifted(upper, by), step) for by in (1, -1))
        if not lower and not step:
            yield ast.Slice(ast.Constant(1), upper, None)
    if step:
        yield ast.Slice(lower, upper, None)


def _swapped(node: ast.Tuple | ast.List) -> Iterator[ast.AST]:
    parts = node.elts
    for index in range(len(parts) - 1):
        yield type(node)([*parts[:index], parts[index + 1], parts[index], *parts[index + 2 :]], node.ctx)


def _others(op: ast.AST) -> tuple[type, ...]:
    return _SWAPS.get(type(op), ())


def _shifted(index: ast.expr, by: int) -> ast.expr:
    return ast.BinOp(copy.deepcopy(index), ast.Add() if by > 0 else ast.Sub(), ast.Constant(1))


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.UnaryOp)


def _negated(parent: ast.AST) -> bool:
    return isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub)
