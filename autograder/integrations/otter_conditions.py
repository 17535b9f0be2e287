"""Which conditions of a test compare an exercise's value with data that is written out; only these can become cases."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

NUMPY, TORCH, MATH = "numpy", "torch", "math"
_ARRAYS = frozenset({"arange", "array", "asarray", "eye", "full", "identity", "linspace", "ones", "tensor", "zeros"})
_NUMBERS = frozenset({"e", "inf", "nan", "pi"})
_KINDS = frozenset(
    {"bool", "bool_", "float", "float16", "float32", "float64", "int", "int8", "int32", "int64", "long", "uint8"}
)
_CLOSE = frozenset(
    {"allclose", "array_equal", "array_equiv", "assert_allclose", "assert_almost_equal", "assert_array_almost_equal"}
    | {"assert_array_equal", "assert_close", "assert_equal", "equal", "isclose"}
)
_SAME_VALUE = frozenset({"array", "asarray", "float", "item", "list", "numpy", "round", "tolist", "tuple"})
_SIZES = frozenset({"abs", "fabs", "max", "norm"})
_TOLERANCES = frozenset({"abs_tol", "atol", "decimal", "rel_tol", "rtol"})
_YES_OR_NO = ("is_", "has_", "can_", "are_")


@dataclass(frozen=True)
class Compared:
    """A call of an exercise, what its value is compared with, and what of the comparison gets lost."""

    function: str
    call: str  # its arguments
    expected: str
    note: str = ""


def compared(
    condition: ast.expr, exercises: AbstractSet[str], libraries: Mapping[str, str], shown: str = ""
) -> list[Compared] | None:
    """Return the comparisons of a condition, or None where it asks for anything else.

    `shown` is what the notebook shows below the condition, where it is the last line of a test.
    """
    reader = _Reader(exercises, libraries)
    if shown == "False":
        return None
    if (call := reader.call(condition)) and shown not in ("", "True"):
        try:
            ast.literal_eval(shown)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
        return [reader.told(call, shown)]
    return reader.read(condition)


def libraries_in(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield what an import calls numpy, torch or math; of what it takes out of torch the name is empty."""
    if isinstance(node, ast.Import):
        yield from ((a.asname or a.name, a.name) for a in node.names if a.name in (NUMPY, TORCH, MATH))
    elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == TORCH:
        yield "", TORCH


def is_data(node: ast.AST, libraries: Mapping[str, str]) -> bool:
    """Whether an expression only writes data down: numbers, texts, lists, dicts, and arrays of these."""

    def all_data(parts: list[ast.expr]) -> bool:
        return all(is_data(part, libraries) or _is_kind(part, libraries) for part in parts)

    match node:
        case ast.Constant(value=value):
            return value is None or isinstance(value, bool | int | float | str)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return is_data(operand, libraries)
        case ast.BinOp(left=left, right=right):
            return is_data(left, libraries) and is_data(right, libraries)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(is_data(part, libraries) for part in parts)
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and is_data(key, libraries) for key in keys) and all_data(values)
        case ast.Attribute(value=ast.Name(id=library), attr=name) if library in libraries:
            return name in _NUMBERS
        case ast.Attribute(value=value, attr="T"):
            return is_data(value, libraries)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=library), attr=name)) if library in libraries:
            return name in _ARRAYS and all_data([*node.args, *(word.value for word in node.keywords)])
        case ast.Call(func=ast.Attribute(value=value, attr="astype" | "copy" | "reshape")):
            return is_data(value, libraries) and all_data([*node.args, *(word.value for word in node.keywords)])
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[ast.Call(func=ast.Name(id="range"), args=parts)]):
            return all_data(parts)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str())], keywords=[]):
            return True
    return False


def _is_kind(node: ast.expr, libraries: Mapping[str, str]) -> bool:
    """Whether an expression names the kind of an array's numbers."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id in libraries and node.attr in _KINDS
    return isinstance(node, ast.Name) and node.id in ("bool", "float", "int")


@dataclass(frozen=True)
class _Reader:
    """Reads conditions on some exercises."""

    exercises: AbstractSet[str]
    libraries: Mapping[str, str]

    def read(self, condition: ast.expr) -> list[Compared] | None:
        """Return what a condition compares, or None."""
        match condition:
            case ast.BoolOp(op=ast.And(), values=values):
                parts = [self.read(value) for value in values]
                return [one for part in parts for one in part or ()] if all(parts) else None
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
                return self._pair(left, right)
            case ast.Compare(left=size, ops=[ast.Lt() | ast.LtE()], comparators=[ast.Constant() as limit]):
                inner = self._inside(size, _SIZES)
                if inner is not size and isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
                    return self._pair(inner.left, inner.right, f"a difference of {ast.unparse(limit)}")
            case ast.Call(args=[left, right, *rest]) if self._name(condition) in _CLOSE:
                loose = [
                    f"{word.arg}={ast.unparse(word.value)}" for word in condition.keywords if word.arg in _TOLERANCES
                ]
                return self._pair(left, right, ", ".join([*loose, *map(ast.unparse, rest)]))
            case ast.Call() if self._name(condition) in ("all", "bool"):
                inner = self._inside(condition, frozenset({"all", "bool"}))
                return self.read(inner) if inner is not condition else None
            case ast.UnaryOp(op=ast.Not(), operand=ast.Call() as call):
                return self._yes_or_no(call, "False")
            case ast.Call():
                return self._yes_or_no(condition, "True")
        return None

    def call(self, node: ast.expr) -> ast.Call | None:
        """Return the call of an exercise that an expression is, or whose value it only writes another way."""
        inner = self._inside(node, _SAME_VALUE)
        if (
            not isinstance(inner, ast.Call)
            or not isinstance(inner.func, ast.Name)
            or inner.func.id not in self.exercises
        ):
            return None
        values = [*inner.args, *(word.value for word in inner.keywords)]
        sound = all(is_data(value, self.libraries) for value in values) and all(word.arg for word in inner.keywords)
        return inner if sound else None

    def told(self, call: ast.Call, expected: str, loose: str = "") -> Compared:
        """Return a call as text."""
        parts = [*map(ast.unparse, call.args), *(f"{word.arg}={ast.unparse(word.value)}" for word in call.keywords)]
        note = f"allows {loose}; the case has our tolerance (close(tolerance=..., because=...))" if loose else ""
        return Compared(ast.unparse(call.func), ", ".join(parts), expected, note)

    def _pair(self, left: ast.expr, right: ast.expr, loose: str = "") -> list[Compared] | None:
        for value, other in ((left, right), (right, left)):
            call = self.call(value)
            if call and is_data(other, self.libraries):
                return [self.told(call, ast.unparse(other), loose)]
        return None

    def _yes_or_no(self, node: ast.Call, expected: str) -> list[Compared] | None:
        """Read a call that stands alone: its value is asked to be true, which tells it where it is True or False."""
        call = self.call(node)
        if call and isinstance(call.func, ast.Name) and call.func.id.startswith(_YES_OR_NO):
            return [self.told(call, expected)]
        return None

    def _inside(self, node: ast.expr, names: AbstractSet[str]) -> ast.expr:
        """Return what stands inside of calls with these names: of functions, of libraries' functions, of methods."""
        while isinstance(node, ast.Call) and self._name(node) in names:
            func = node.func
            library = isinstance(func, ast.Attribute) and ast.unparse(func.value).partition(".")[0] in self.libraries
            method = isinstance(func, ast.Attribute) and not library
            if method and isinstance(func, ast.Attribute):
                node = func.value
            elif node.args:
                node = node.args[0]
            else:
                break
        return node

    def _name(self, node: ast.expr) -> str:
        """Return the last part of the name that is called, of an exercise nothing."""
        if not isinstance(node, ast.Call):
            return ""
        if isinstance(node.func, ast.Name):
            return "" if node.func.id in self.exercises else node.func.id
        return node.func.attr if isinstance(node.func, ast.Attribute) else ""
