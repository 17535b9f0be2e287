"""Name the axes of arrays, by the shapes that the stub's docstrings give in words: `x: (batch, time, d_model)`."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.course.spec import Call
from autograder.judge.calls_as_text import Signatures
from autograder.sandbox.child.parse import parse
from autograder.sandbox.child.tree import array_of, leaves

# `key, value: (batch, T_k, d_model)` in a list of arguments, and `"W_x": (hidden, input)` inside one.
_ARGUMENT = re.compile(r"^ +((?:\w+, )*\w+): \(([^()]*)\)", re.MULTILINE)
_ENTRY = re.compile(r'"(\w+)": \(([^()]*)\)')
_RETURNED = re.compile(r"(\w+):? \(([^()]*)\)")
_ALONE = re.compile(r"\A()\(([^()]*)\)")  # without a name, as all that is returned
_EACH = "each"  # said of several parts of one shape
_AXIS = re.compile(r"[^\W\d]\w*(?: [*+-] \w+)*|\.\.\.|1")
_Axes = Mapping[str, tuple[str, ...]]  # the axes of an argument, or of an entry of one, by its name


@dataclass(frozen=True)
class AxisNames:
    """The names of axes in one call."""

    arguments: _Axes = field(default_factory=dict)
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # of the arguments, as they were given
    sizes: Mapping[int, str] = field(default_factory=dict)  # the axis that has a size, where only one has

    def of(self, text: str, shape: Sequence[int]) -> tuple[str, ...]:
        """Return the names of an expression's axes, or nothing unless all have one: those of an argument, else by their sizes."""
        named = self.arguments.get(text, ())
        if named and self.shapes.get(text) == tuple(shape):
            return named[1:] if named[0] == "..." and len(named) - 1 == len(shape) else named
        by_size = tuple("1" if size == 1 else self.sizes.get(size, "") for size in shape)
        real = [name for name in by_size if name != "1"]
        return by_size if real and all(real) and len({*real}) == len(real) else ()


def names_in(call: Call, function: str, stub: str, signatures: Signatures) -> AxisNames:
    """Return the names of the axes of a call's arguments, and what their sizes tell of other arrays."""
    path = call.path(function)
    axes = _documented(stub).get(path, {})
    given = {**dict(zip(signatures.get(path, ()), call.args, strict=False)), **dict(call.kwargs)}
    found: dict[int, set[str]] = {}
    shapes = dict(_shapes(given))
    for name, shape in shapes.items():
        own = tuple(axis for axis in axes.get(name, ()) if axis != "...")
        for axis, size in zip((*("",) * (len(shape) - len(own)), *own), shape, strict=False):
            found.setdefault(size, set()).add(axis)
    # A size that something without a name has, too, tells nothing.
    others = [
        *(given[name] for name in given if name not in shapes),
        *((call.module.init or (), call.module.state) if call.module else ()),
    ]
    for leaf in leaves(others):
        for size in (leaf,) if type(leaf) is int else () if (array := array_of(leaf)) is None else array.shape:
            found.setdefault(size, set()).add("")
    sizes = {size: min(names) for size, names in found.items() if len(names) == 1 and size > 1 and "" not in names}
    return AxisNames(axes, shapes, sizes)


def axis_of_argument(stub: str, path: str, name: str, axis: int, ndim: int) -> str:
    """Return the name of an axis of an argument with so many axes, by the docstring of a function or method, or nothing."""
    return _named(_documented(stub).get(path, {}).get(name, ()), axis, ndim)


def axis_of_answer(stub: str, path: str, part: str, axis: int, ndim: int) -> str:
    """Return the same of what is returned, or of a part of it as messages name it."""
    return _named(_axes_of_answer(stub, path, part), axis, ndim)


def shape_of_answer(stub: str, path: str, part: str, ndim: int) -> str:
    """Return the axes of what is returned, or of a part of it, as the docstring writes them, or nothing."""
    axes = _axes_of_answer(stub, path, part)
    fits = "..." in axes or len(axes) == ndim
    return f"({', '.join(axes)}{',' if len(axes) == 1 else ''})" if axes and fits else ""


def _axes_of_answer(stub: str, path: str, part: str) -> tuple[str, ...]:
    axes = _returned(stub).get(path, {})
    only = next(iter(axes.values())) if len(axes) == 1 and (not part or part == "output" or _EACH in axes) else ()
    return axes.get(part, only)


def _named(axes: Sequence[str], axis: int, ndim: int) -> str:
    own = [name for name in axes if name != "..."]
    from_the_end = axis if axis < 0 else axis - ndim
    if not 0 < -from_the_end <= len(own) or (ndim != len(own) and "..." not in axes):
        return ""
    return own[from_the_end] if own[from_the_end] != "1" else ""


def _shapes(given: Mapping[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the shapes of arguments, and of the entries of those that are dicts."""
    for name, value in given.items():
        if isinstance(value, Mapping):
            yield from _shapes({key: entry for key, entry in value.items() if isinstance(key, str)})
        elif (array := array_of(value)) is not None:
            yield name, array.shape


@functools.lru_cache(maxsize=16)
def _documented(stub: str) -> Mapping[str, _Axes]:
    """Return the axes of arguments that the docstrings of a stub give, by the dotted name of the function or method."""
    return {path: _axes_in(text.partition("Args:")[2].partition("Returns:")[0]) for path, text in _docstrings(stub)}


@functools.lru_cache(maxsize=16)
def _returned(stub: str) -> Mapping[str, _Axes]:
    """Return the same of what is returned."""
    said = {path: _paragraph(text.partition("Returns:")[2]) for path, text in _docstrings(stub)}
    return {path: _axes_of(_ALONE.findall(text) or _RETURNED.findall(text)) for path, text in said.items()}


def _docstrings(stub: str) -> Iterator[tuple[str, str]]:
    for node in parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, ast.get_docstring(node) or ""
        elif isinstance(node, ast.ClassDef):
            methods = (method for method in node.body if isinstance(method, ast.FunctionDef))
            yield from ((f"{node.name}.{method.name}", ast.get_docstring(method) or "") for method in methods)


def _paragraph(text: str) -> str:
    """Return the first paragraph of a text, without the line breaks in it."""
    return " ".join(text.strip().partition("\n\n")[0].split())


def _axes_in(arguments: str) -> _Axes:
    return _axes_of((*_ARGUMENT.findall(arguments), *_ENTRY.findall(arguments)))


def _axes_of(said: Sequence[tuple[str, str]]) -> _Axes:
    """Return axes by the name of what has them, of pairs of names and axes as they are written."""
    found: dict[str, tuple[str, ...]] = {}
    for names, axes in said:
        parts = tuple(part.strip() for part in axes.split(",") if part.strip())
        if all(_AXIS.fullmatch(part) for part in parts):
            found |= dict.fromkeys(names.split(", "), parts)
    return found
