"""Say what met in the expression that raised an exception: the types and shapes of its parts, and never their values.

Python keeps the position of the expression that every instruction came from. Its parts are read from the variables of the
frame. Of other expressions only those are computed again that library functions without side effects make of arrays.
Nothing is asked of an object that could answer with code of its own: shapes are read from exact arrays and tensors.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import operator
import re
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from autograder.sandbox.child.parse import parse
from autograder.sandbox.child.tree import imported_torch

MAX_PARTS = 6
MAX_CALLED = 60  # characters of what an expression calls
MAX_PART = 60  # characters of an expression
MAX_AXES = 8
MAX_LINES = 20  # of one expression
MAX_ENTRIES = 1_000_000  # of an array with which anything is computed again
_LINE_END = re.compile(r"\r\n|\r|\n")
_KEEPDIMS = {
    "max",
    "min",
    "amax",
    "amin",
    "sum",
    "mean",
    "std",
    "var",
    "norm",
    "prod",
    "any",
    "all",
    "argmax",
    "logsumexp",
}
_PURE = _KEEPDIMS | {
    "abs", "arange", "array", "asarray", "astype", "bool", "broadcast_to", "cat", "ceil", "clone", "concatenate", "contiguous",
    "copy", "cos", "cumsum", "detach", "dot", "double", "einsum", "exp", "expand", "expand_dims", "eye", "flatten", "float",
    "int", "len", "log", "logical_not", "long", "masked_fill", "matmul", "mm", "ones", "outer", "permute", "ravel", "repeat",
    "reshape", "softmax", "sigmoid", "sin", "size", "sqrt", "square", "squeeze", "stack", "swapaxes", "tanh", "to", "topk",
    "transpose", "tri", "tril", "triu", "unsqueeze", "view", "where", "zeros", "zeros_like", "ones_like",
}  # fmt: skip
_ATTRIBUTES = {
    "T",
    "mT",
    "shape",
    "ndim",
    "values",
    "indices",
    "float32",
    "float64",
    "int64",
    "long",
    "bool",
    "newaxis",
    "inf",
}
_BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul), ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv), ast.Mod: ("%", operator.mod), ast.Pow: ("**", operator.pow),
    ast.MatMult: ("@", operator.matmul), ast.BitAnd: ("&", operator.and_), ast.BitOr: ("|", operator.or_),
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("-", operator.neg), ast.UAdd: ("+", operator.pos), ast.Invert: ("~", operator.invert), ast.Not: ("not", operator.not_),
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne), ast.Lt: ("<", operator.lt), ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge),
}  # fmt: skip
_SCALARS = (bool, int, float, str)


class _UnknownError(Exception):
    """The value of an expression cannot be read without running code of the submission's own."""


def called_at(trace: types.TracebackType, text: str) -> str:
    """Return what the expression that raised calls, as a dotted name, or an operator; nothing where that is not known."""
    try:
        return _action(_raising(trace.tb_frame.f_code, trace.tb_lasti, text)[0])[:MAX_CALLED]
    except Exception:  # noqa: BLE001 (this must not replace the exception that it is about)
        return ""


def parts_at(trace: types.TracebackType, text: str) -> list[list[Any]]:
    """Return the parts of the expression that raised, each as [its text, type, shape, dtype]."""
    try:
        frame = trace.tb_frame
        node, assigned = _raising(frame.f_code, trace.tb_lasti, text)
        read = _Reader(frame.f_locals, frame.f_globals)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            parts = (part for part in _parts(node, assigned) if not read.is_library(part))
            return [_described(part, read) for part in itertools.islice(parts, MAX_PARTS)]
    except Exception:  # noqa: BLE001
        return []


@functools.lru_cache(maxsize=64)  # a mistake raises at the same place in call after call
def _raising(code: types.CodeType, instruction: int, text: str) -> tuple[ast.AST, ast.expr | None]:
    """Return the expression that was being computed, and what a statement on that line assigns to it, if it does.

    Raises an ordinary error where Python keeps no position, or it is no expression.
    """
    places = itertools.islice(code.co_positions(), instruction // 2, None)
    first, last, begin, end = next(places)
    if first is None or last is None or begin is None or end is None or last - first > MAX_LINES:
        raise LookupError("no position")
    lines = [line.encode() for line in _lines_of(text)[first - 1 : last]]
    line = lines[0].decode().strip()
    lines[-1] = lines[-1][:end]  # first: it may be the same line
    lines[0] = lines[0][begin:]
    source = b"\n".join(lines).decode()
    try:
        node: ast.AST = parse(f"({source}\n)", mode="eval").body
    except SyntaxError:  # an operator that assigns is a statement
        return parse(source.strip()).body[0], None
    with contextlib.suppress(SyntaxError):  # the line may begin a longer statement
        for statement in parse(line).body:
            if isinstance(statement, ast.Assign) and ast.unparse(node) in map(ast.unparse, statement.targets):
                return node, statement.value
    return node, None


@functools.lru_cache(maxsize=4)  # of one file mostly, and of each exception's every frame
def _lines_of(text: str) -> list[str]:
    return _LINE_END.split(text)


def _action(node: ast.AST) -> str:
    match node:
        case ast.Call():
            return ast.unparse(node.func)
        case ast.BinOp() | ast.AugAssign():
            return _BINARY[type(node.op)][0]
        case ast.UnaryOp():
            return _UNARY[type(node.op)][0]
        case ast.Compare(ops=[comparison]):
            return _COMPARED[type(comparison)][0]
        case ast.Subscript():
            return "[]"
        case ast.Tuple() | ast.List():
            return "unpack"
        case ast.Attribute():
            return ast.unparse(node)
    return ""


def _parts(node: ast.AST, assigned: ast.expr | None) -> Iterator[ast.expr]:
    """Yield the expressions that meet in one: the arguments of a call, the sides of an operator, an array and its index."""
    if assigned is not None:
        yield assigned
        if isinstance(assigned, ast.Attribute) and assigned.attr == "shape":
            yield assigned.value
    match node:
        case ast.Call():
            if isinstance(node.func, ast.Attribute):
                yield node.func.value
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                yield from argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
        case ast.BinOp():
            yield from (node.left, node.right)
        case ast.AugAssign():
            yield from (node.target, node.value)
        case ast.Compare():
            yield from (node.left, *node.comparators)
        case ast.UnaryOp():
            yield node.operand
        case ast.Subscript():
            yield node.value
            yield from node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        case ast.Attribute():
            yield node.value
        case ast.Name():
            yield node


def _described(node: ast.expr, read: _Reader) -> list[Any]:
    """Return an expression's text, and the type, shape and dtype of its value, or the type "unknown"."""
    text = ast.unparse(node)
    text = text if len(text) <= MAX_PART else text[: MAX_PART - 3] + "..."
    try:
        value = read.value(node)
    except Exception:  # noqa: BLE001 (what is computed again may raise what it did before)
        return [text, "unknown", [], ""]
    kind = type(value)
    if kind is np.ndarray or _is_tensor(kind):
        name = "array" if kind is np.ndarray else "tensor"
        return [text, name, [int(size) for size in value.shape[:MAX_AXES]], str(value.dtype).removeprefix("torch.")]
    for container in (list, tuple, dict):
        if kind is container or (container is tuple and kind.__module__ == "torch" and isinstance(value, tuple)):
            return [text, container.__name__, [len(value)], ""]
    if value is None or kind in _SCALARS:
        return [text, "None" if value is None else kind.__name__, [], ""]
    return [text, "function" if kind is types.FunctionType else "object", [], ""]


def _is_tensor(kind: type) -> bool:
    torch = imported_torch()
    return torch is not None and kind in (torch.Tensor, torch.nn.Parameter)


class _Reader:
    """Reads the values of expressions in a frame."""

    def __init__(self, inner: Mapping[str, Any], outer: Mapping[str, Any]) -> None:
        self._inner, self._outer = inner, outer

    def is_library(self, node: ast.expr) -> bool:
        """Whether an expression names a module."""
        try:
            return type(self.value(node)) is types.ModuleType
        except Exception:  # noqa: BLE001
            return False

    def value(self, node: ast.expr | None) -> Any:
        """Return the value of an expression. Raises _UnknownError, or what computing it again raises."""
        match node:
            case None:
                return None
            case ast.Constant():
                return node.value
            case ast.Name():
                return self._name(node.id)
            case ast.Tuple() | ast.List():
                values = [self.value(element) for element in node.elts]
                return tuple(values) if isinstance(node, ast.Tuple) else values
            case ast.Slice():
                return slice(*map(self.value, (node.lower, node.upper, node.step)))
            case ast.UnaryOp():
                return _UNARY[type(node.op)][1](_plain(self.value(node.operand)))
            case ast.BinOp():
                return _BINARY[type(node.op)][1](_plain(self.value(node.left)), _plain(self.value(node.right)))
            case ast.Compare(ops=[comparison], comparators=[other]):
                return _COMPARED[type(comparison)][1](_plain(self.value(node.left)), _plain(self.value(other)))
            case ast.Attribute():
                return self._attribute(self.value(node.value), node.attr)
            case ast.Subscript():
                return _plain(self.value(node.value))[_index(self.value(node.slice))]
            case ast.Call():
                return self._called(node)
        raise _UnknownError

    def _name(self, name: str) -> Any:
        for names in (self._inner, self._outer):
            if name in names:
                return names[name]
        if name == "len":
            return len
        raise _UnknownError

    def _attribute(self, value: Any, name: str) -> Any:
        if type(value) is types.ModuleType:
            return vars(value)[name]
        if _is_plain(value) and name in _ATTRIBUTES | _PURE:
            return getattr(value, name)
        torch = imported_torch()
        if torch is not None and isinstance(value, torch.nn.Module):
            own = object.__getattribute__(value, "__dict__")
            for names in (own, own["_parameters"], own["_buffers"], own["_modules"]):
                if name in names:
                    return names[name]
        raise _UnknownError

    def _called(self, node: ast.Call) -> Any:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        function = self.value(node.func)
        home = (getattr(function, "__module__", None) or "torch").partition(".")[0]
        if name not in _PURE or isinstance(function, type) or home not in ("numpy", "torch", "builtins"):
            raise _UnknownError
        arguments = [_plain(self.value(argument)) for argument in node.args]
        return function(*arguments, **{k.arg: _plain(self.value(k.value)) for k in node.keywords if k.arg})


def _plain(value: Any) -> Any:
    """Return a value that no code of the submission's own stands behind. Raises _UnknownError."""
    if not _is_plain(value):
        raise _UnknownError
    return value


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind is np.ndarray or _is_tensor(kind):
        return bool(value.size < MAX_ENTRIES if kind is np.ndarray else value.numel() < MAX_ENTRIES)
    if kind in (list, tuple):
        return all(map(_is_plain, value))
    if kind is dict:
        return all(map(_is_plain, value.values()))
    known = value is None or kind in (*_SCALARS, slice, types.EllipsisType)
    return known or kind.__module__.partition(".")[0] in ("numpy", "torch")


def _index(value: Any) -> Any:
    """Return an index of arrays, numbers and slices."""
    return tuple(map(_plain, value)) if type(value) is tuple else _plain(value)
