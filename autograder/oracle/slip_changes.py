"""The changes at one place that are slips, each with what is told of it: its kind, and the names and signs that stand in its sentence."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from autograder.judge.reasons import Key
from autograder.oracle.code_changes import variants
from autograder.oracle.slip_formulas import FORMULAS, Change
from autograder.oracle.slip_names import NamesIn, Place, Words, held_by_object, is_of_one, key_of

INSTEAD, TWICE, LACKS = "slip_instead", "slip_twice", "slip_lacks"
PARTLY = frozenset({"slip_wrong_value", "slip_other_value"})  # of which one of two names is told
BY_ITSELF = frozenset(  # say enough without a name
    {
        "slip_place", "slip_backwards", "slip_neighbours", "slip_behind_loop", "slip_into_loop", "slip_parentheses",
        "slip_tanh_for_sigmoid", "slip_sigmoid_for_tanh",
    }
)  # fmt: skip
AXIS, PLACE, NUMBER = "slip_axis", "slip_place", "slip_number"
_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.USub: "-", ast.Invert: "~", ast.Not: "not",
}  # fmt: skip
_LOST = {ast.Mult: "factor", ast.MatMult: "factor", ast.Add: "term", ast.Sub: "term", ast.Div: "division"}
_EXTREMES, _TOTALS = ("max", "min"), ("sum", "mean")
_REDUCTIONS = {
    **dict.fromkeys(_EXTREMES, _TOTALS),
    **dict.fromkeys(_TOTALS, _EXTREMES),
}  # `variants` has the other pairs
_LENGTH = 24  # characters of what is told
_NO_VALUES = ("func", "value")  # what stands there is called, or asked for something
_TRANSPOSED = ("T", "mT")
_MINUS_ONE = ast.UnaryOp(ast.USub(), ast.Constant(1))
_AXES = ("axis", "dim")


def made_by(statement: ast.stmt, words: Words) -> str:
    """Return what a statement computes, if answers hold it by that name; else nothing: other names may stand nowhere in a student's code."""
    match statement:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            name = target.id if isinstance(target, ast.Name) else key_of(target)
            return name if name in words.answered else ""
    return ""


def changes(place: Place, names: NamesIn) -> Iterator[Change]:
    """Yield the slips at a place; what has a name that students do not know is left out."""
    yield from (change for change in _all_changes(place, names) if all(change[0]))


def _all_changes(place: Place, names: NamesIn) -> Iterator[Change]:
    for other in variants(place.node, place.parent):
        if told := _told(place, other, names):
            yield told, other
    yield from _mixed_up(place, names)
    yield from _elsewhere(place, names)
    yield from _too_much(place, names)
    yield from _taken_inside(place, names)
    yield from _other_values(place, names)
    yield from (change for form in FORMULAS for change in form(place.node))
    match place.node:
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=2)):
            yield (INSTEAD, "abs", "** 2"), ast.Call(ast.Name("abs", ast.Load()), [left], [])
        case ast.Tuple(elts=parts) if (function := _axis_of(place, names)) and len(parts) > 1:
            yield from (((AXIS, function), part) for part in parts)


def _is_asked(place: Place) -> bool:
    """Whether something is asked for what it has, such as its shape, and not for its values."""
    return isinstance(place.parent, ast.Attribute) and place.parent.attr not in _TRANSPOSED


def _mixed_up(place: Place, names: NamesIn) -> Iterator[Change]:
    """Yield the changes in which one name stands in the place of another."""
    match place.node:
        case ast.Name(id=name, ctx=ast.Load()) if (
            isinstance(place.parent, ast.Attribute) and place.parent.attr == "shape"
        ):
            others = (other for other in names.values if other != name)
            yield from (((INSTEAD, f"{o}.shape", f"{name}.shape"), ast.Name(o, ast.Load())) for o in others)
        case ast.Name(id=name, ctx=ast.Load()):
            is_factor = isinstance(place.parent, ast.BinOp) and isinstance(place.parent.op, ast.Mult)
            for other in names.words.alike(place.statement.lineno, name):
                key, value = _instead(other, name, names), ast.Name(other, ast.Load())
                yield key, value
                if is_factor and key[0] == INSTEAD:
                    yield (INSTEAD, f"1 - {other}", name), ast.BinOp(ast.Constant(1), ast.Sub(), value)
        case ast.Constant(value=str(key)) if key_of(place.parent) == key and key in names.keys:
            yield from (((INSTEAD, other, key), ast.Constant(other)) for other in names.keys if other != key)
        case ast.Attribute(value=value) as node if (name := held_by_object(node)) in names.held:
            others = (other for other in names.held if other != name)
            yield from (((INSTEAD, f"self.{o}", f"self.{name}"), ast.Attribute(value, o, ast.Load())) for o in others)


def _instead(other: str, name: str, names: NamesIn) -> Key:
    """Return what is told of one value in the place of another: the names that students know."""
    know = [word in names.values for word in (other, name)]
    if all(know):
        return INSTEAD, other, name
    return ("slip_wrong_value", other) if know[0] else ("slip_other_value", name) if know[1] else ("slip_some_value",)


def _elsewhere(place: Place, names: NamesIn) -> Iterator[Change]:
    """Yield the changes of which entries are taken, and of which all that are summed up, or the like."""
    match place.node:
        case ast.Subscript(value=value, slice=ast.Tuple(elts=parts), ctx=context) as node:
            for number, part in enumerate(parts):
                for op in (ast.Add(), ast.Sub()) if isinstance(part, ast.Name | ast.BinOp) else ():
                    moved = ast.BinOp(part, op, ast.Constant(1))
                    index = ast.Tuple([*parts[:number], moved, *parts[number + 1 :]], ast.Load())
                    entry = ast.Subscript(value, index, context)
                    yield _text_instead(entry, node, names), entry
        case ast.Call(func=ast.Attribute(value=value, attr=name, ctx=context), args=args, keywords=keywords) as call:
            for other in _REDUCTIONS.get(name, ()):
                yield (INSTEAD, other, name), ast.Call(ast.Attribute(value, other, context), args, keywords)
            if name in _REDUCTIONS and any(keyword.arg in _AXES for keyword in keywords):
                yield (LACKS, "axis"), ast.Call(call.func, args, [])
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=right):
            yield (INSTEAD, ">", "!="), ast.Compare(left, [ast.Gt()], right)
            yield (INSTEAD, "<", "!="), ast.Compare(left, [ast.Lt()], right)


def _text_instead(other: ast.expr, node: ast.expr, names: NamesIn) -> Key:
    """Return what is told of one text in the place of another, where students know all names in both."""
    told, known = (ast.unparse(each) for each in (other, node))
    is_known = all(n.id in names.words.here for n in ast.walk(node) if isinstance(n, ast.Name))
    return (INSTEAD, told, known) if is_known and max(len(told), len(known)) <= _LENGTH else (PLACE,)


def _too_much(place: Place, names: NamesIn) -> Iterator[Change]:
    """Yield the changes in which something is computed once more than it should be, or of less."""
    match place.node:
        case ast.Name(id=name, ctx=ast.Load()) as value if name in names.values and place.field not in _NO_VALUES:
            for function in names.maps:
                yield ("slip_extra", names.called(function), name), ast.Call(function, [value], [])
        case ast.BinOp(left=left, op=ast.Mult() | ast.Add() | ast.Div() as op, right=right) as node:
            parts = [right] if isinstance(op, ast.Div) else [left, right]
            yield from (((TWICE, text), ast.BinOp(node, op, part)) for part in parts if (text := names.text(part)))
        case ast.Call(func=function, args=[argument]) as call if is_of_one(call) and (called := names.called(function)):
            yield (TWICE, called), ast.Call(function, [call], [])
            if isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Add | ast.Sub):
                inner = ast.Call(function, [argument.left], [])
                yield ("slip_outside", called), ast.BinOp(inner, argument.op, argument.right)


def _taken_inside(place: Place, names: NamesIn) -> Iterator[Change]:
    """Yield f(a * b) for f(a) * b, and for b * f(a)."""
    match place.node:
        case (
            ast.BinOp(left=ast.Call(func=function, args=[inner]) as call, op=ast.Mult() as op, right=factor)
            | ast.BinOp(left=factor, op=ast.Mult() as op, right=ast.Call(func=function, args=[inner]) as call)
        ) if is_of_one(call) and (called := names.called(function)):
            yield ("slip_inside", called), ast.Call(function, [ast.BinOp(factor, op, inner)], [])


def _other_values(place: Place, names: NamesIn) -> Iterator[Change]:
    """Yield the changes in which the same values are read backwards, squared or zero."""
    match place.node:
        case ast.Name(id=name, ctx=ast.Load()) as node if name in names.values and place.field not in _NO_VALUES:
            yield ("slip_backwards_read", name), ast.Subscript(node, ast.Slice(None, None, _MINUS_ONE), ast.Load())
            yield ("slip_squared", name), ast.BinOp(node, ast.Pow(), ast.Constant(2))
            if name in names.arguments:
                yield ("slip_zeros", name), ast.BinOp(node, ast.Mult(), ast.Constant(0))
        case ast.Subscript(ctx=ast.Load()) as node if (key := key_of(node)) in names.keys and not _is_asked(place):
            yield ("slip_zeros", key), ast.BinOp(node, ast.Mult(), ast.Constant(0))


def _told(place: Place, other: ast.AST, names: NamesIn) -> Key | None:
    """Return what is told of one of the changes that are made anywhere, or None where that is nothing."""
    match place.node, other:
        case ast.BinOp(left=left) as node, ast.BinOp(left=one, op=after) if one is left:
            return INSTEAD, _SIGNS[type(after)], _SIGNS[type(node.op)]
        case ast.BinOp(op=op, right=right), ast.BinOp(left=one) if one is right:
            return "slip_sides", _SIGNS[type(op)]
        case ast.BinOp() as node, _:
            return _lacking(node, other, names)
        case ast.UnaryOp(op=op, operand=operand), _ if other is operand and type(op) in _SIGNS:
            return LACKS, _SIGNS[type(op)]
        case ast.Compare(ops=[before]), ast.Compare(ops=[after]) if type(before) in _SIGNS:
            return INSTEAD, _SIGNS[type(after)], _SIGNS[type(before)]
        case ast.Call() as call, _:
            return _told_of_call(call, other, names)
        case ast.Attribute(attr="T" | "mT" as attribute), _:
            return LACKS, f".{attribute}"
        case ast.Slice() | ast.Subscript(), _:
            return (PLACE,)
        case ast.Constant(value=bool()), _:
            return None
        case ast.Constant() | ast.UnaryOp(), _:
            return _told_of_number(place, other, names)
        case ast.For(), _:
            return ("slip_backwards",)
        case ast.If(), _:
            return ("slip_condition",)
        case ast.Tuple() | ast.List(), _:
            return ("slip_neighbours",)
        case ast.AugAssign(op=before), ast.AugAssign(op=after):
            return INSTEAD, f"{_SIGNS[type(after)]}=", f"{_SIGNS[type(before)]}="
        case ast.AugAssign(op=before), ast.Assign():
            return INSTEAD, "=", f"{_SIGNS[type(before)]}="
        case ast.AugAssign() | ast.Assign(), ast.Pass():
            return ("slip_line",)
    return None


def _lacking(node: ast.BinOp, kept: ast.AST, names: NamesIn) -> Key | None:
    """Return what is told of an operation of which one side is left out."""
    match node:
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() | float() as power)) if kept is left:
            return LACKS, f"** {power}"
        case ast.BinOp(left=ast.Constant(value=int() | float() as number), op=ast.Sub(), right=right) if kept is right:
            return LACKS, f"{number} -"
        case ast.BinOp(op=ast.Sub() | ast.Div(), right=right) if kept is right:
            return None
    if type(node.op) not in _LOST:
        return None
    kind, text = _LOST[type(node.op)], names.text(node.right if kept is node.left else node.left)
    return (f"slip_lacks_{kind}", text) if text else (f"slip_lacks_some_{kind}",)


def _told_of_call(call: ast.Call, other: ast.AST, names: NamesIn) -> Key | None:
    function = names.called(call.func)
    # What it is a call of is left, which may be a call as well.
    if other in (getattr(call.func, "value", None), *call.args):
        return (LACKS, function) if function else None
    match other:
        case ast.Call(func=called) if called is not call.func:
            return INSTEAD, names.called(called), function
        case ast.Call(args=args, keywords=keywords):
            if function == "range":
                return (PLACE,)
            if len(keywords) < len(call.keywords):
                lost = next(keyword.arg for keyword in call.keywords if keyword not in keywords)
                return (LACKS, lost) if lost else None
            return ("slip_arguments", function) if function and len(args) == len(call.args) else None
    return (LACKS, function) if function else None


def _told_of_number(place: Place, other: ast.AST, names: NamesIn) -> Key | None:
    """Return what is told of another number: an axis, an index, or any."""
    match place.parent, place.node, other:
        case ast.Subscript(value=value), ast.Constant(value=before), ast.Constant(value=int() as after):
            if text := names.text(value):
                return (INSTEAD, f"{text}[{after}]", f"{text}[{before!r}]") if after >= 0 else None
    if function := _axis_of(place, names):
        return AXIS, function
    above = [node for node in (*place.above, place.node) if not isinstance(node, ast.stmt)]
    where = any(isinstance(node, ast.Slice) or _is_index(node, inner) for node, inner in itertools.pairwise(above))
    return (PLACE,) if where else _other_number(place.node, other, names)


def _other_number(node: ast.AST, other: ast.AST, names: NamesIn) -> Key:
    """Return what is told of a number that is another: both where students read the right one in their stub."""
    before, after = (ast.unparse(ast.copy_location(each, node)) for each in (node, other))
    return (INSTEAD, after, before) if before in names.words.here and not before.startswith("-") else (NUMBER,)


def _is_index(node: ast.AST, inner: ast.AST) -> bool:
    """Whether something says which entries are meant, or over which a loop goes."""
    match node:
        case ast.Subscript(slice=index):
            return index is inner
        case ast.Call(func=ast.Name(id="range")):
            return True
    return False


def _axis_of(place: Place, names: NamesIn) -> str:
    """Return the function of which something is the axis, or is in it; else nothing."""
    for call, keyword in itertools.pairwise(place.above):
        if isinstance(call, ast.Call) and isinstance(keyword, ast.keyword) and keyword.arg in _AXES:
            return names.called(call.func)
    return ""
