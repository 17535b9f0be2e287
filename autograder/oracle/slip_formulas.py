"""The slips in how a formula is written, whatever its names: parentheses, derivatives, counts, and what hides a score."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.judge.reasons import Key

Change = tuple[Key, ast.AST]  # what is told of a slip, and what stands there then
_PARENTHESES = ("slip_parentheses",)
_NOT_LOW = (10.0, 1.0)
_LIBRARIES = ("np", "torch")


def _opened_behind(node: ast.AST) -> Iterator[Change]:
    """Yield a * (b + c) as a * b + c, and a / (b * c) as a / b * c."""
    match node:
        case ast.BinOp(
            left=a, op=ast.Mult() | ast.Div() as op, right=ast.BinOp(left=b, op=ast.Add() | ast.Sub() as inner, right=c)
        ):
            yield _PARENTHESES, ast.BinOp(ast.BinOp(a, op, b), inner, c)
        case ast.BinOp(left=a, op=ast.Div() as by, right=ast.BinOp(left=b, op=ast.Mult() as times, right=c)):
            yield _PARENTHESES, ast.BinOp(ast.BinOp(a, by, b), times, c)


def _opened_before(node: ast.AST) -> Iterator[Change]:
    """Yield (a + b) * c as a + b * c, and (a * b) ** c as a * b ** c."""
    match node:
        case ast.BinOp(
            left=ast.BinOp(left=a, op=ast.Add() | ast.Sub() as inner, right=b),
            op=ast.Mult() | ast.Div() | ast.Pow() as op,
            right=c,
        ):
            yield _PARENTHESES, ast.BinOp(a, inner, ast.BinOp(b, op, c))
        case ast.BinOp(left=ast.BinOp(left=a, op=ast.Mult() as times, right=b), op=ast.Pow() as power, right=c):
            yield _PARENTHESES, ast.BinOp(a, times, ast.BinOp(b, power, c))


def _other_divisor(node: ast.AST) -> Iterator[Change]:
    """Yield a division by the root of the divisor, and by its square."""
    match node:
        case ast.BinOp(left=a, op=ast.Div() as by, right=b):
            for kind, power in (("slip_root", 0.5), ("slip_square", 2)):
                yield (kind,), ast.BinOp(a, by, ast.BinOp(b, ast.Pow(), ast.Constant(power)))


def _other_derivative(node: ast.AST) -> Iterator[Change]:
    """Yield d * s * (1 - s) as d * (1 - s ** 2), and the other way round."""
    match node:
        case ast.BinOp(
            left=ast.BinOp(left=d, op=ast.Mult() as times, right=s),
            op=ast.Mult(),
            right=ast.BinOp(left=ast.Constant(value=1) as one, op=ast.Sub() as less, right=other),
        ) if ast.dump(s) == ast.dump(other):
            rest = ast.BinOp(one, less, ast.BinOp(s, ast.Pow(), ast.Constant(2)))
            yield ("slip_tanh_for_sigmoid",), ast.BinOp(d, times, rest)
        case ast.BinOp(
            left=d,
            op=ast.Mult() as times,
            right=ast.BinOp(
                left=ast.Constant(value=1) as one,
                op=ast.Sub() as less,
                right=ast.BinOp(left=t, op=ast.Pow(), right=ast.Constant(value=2)),
            ),
        ):
            yield ("slip_sigmoid_for_tanh",), ast.BinOp(d, times, ast.BinOp(t, times, ast.BinOp(one, less, t)))


def _not_low_enough(node: ast.AST) -> Iterator[Change]:
    """Yield numbers that leave a hidden score its share for the one that takes it away."""
    match node:
        case (
            ast.UnaryOp(op=ast.USub(), operand=ast.Attribute(attr="inf") | ast.Constant(value=float()))
            | ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="-inf")])
        ):
            for number in _NOT_LOW:
                yield ("slip_not_low", f"-{number:g}"), ast.UnaryOp(ast.USub(), ast.Constant(number))


def _counted_wrongly(node: ast.AST) -> Iterator[Change]:
    """Yield a mean as the sum divided by one less than there are, and by one more."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="mean"), args=given) as mean:
            is_library = isinstance(owner, ast.Name) and owner.id in _LIBRARIES
        case _:
            return
    if is_library and not given:
        return
    of = given[0] if is_library else owner
    ones = ast.BinOp(ast.BinOp(of, ast.Mult(), ast.Constant(0)), ast.Add(), ast.Constant(1))
    of, given = (owner, [ones, *given[1:]]) if is_library else (ones, given)
    count = ast.Call(ast.Attribute(of, "sum", ast.Load()), given, mean.keywords)
    part = ast.BinOp(ast.Constant(1), ast.Div(), count)
    for kind, op in (("slip_mean_less", ast.Sub()), ("slip_mean_more", ast.Add())):
        yield (kind,), ast.BinOp(mean, ast.Div(), ast.BinOp(ast.Constant(1), op, part))


FORMULAS = (_opened_behind, _opened_before, _other_divisor, _other_derivative, _not_low_enough, _counted_wrongly)
