"""Calls and arrays in plain text, as a student reads them in a message."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder.course.spec import Call, Finding
from autograder.sandbox.child.tree import array_of, leaves

FULL_SIZE = 48  # arrays up to this many entries are shown whole
WINDOW = (2, 3)  # rows and columns on each side of the first difference

Signatures = Mapping[str, Sequence[str]]  # the names of parameters, by the dotted name of a function or method


def show_call(call: Call, function: str, signatures: Signatures, *, full: bool = True) -> str:
    """Show a call; small arguments are shown whole if `full`, else by their shapes."""
    called = call.function or function
    parameters = signatures.get(call.path(function), ())
    names = [name for name, _ in itertools.zip_longest(parameters[: len(call.args)], call.args, fillvalue="...")]
    given = list(zip(names, call.args, strict=True)) + list(call.kwargs.items())
    if call.module is not None and call.module.init is not None:
        made = _made(call.module.init, signatures.get(f"{called}.__init__", ()))
        called = f"{called}({made})" + f".{call.module.method}" * (call.module.method != "forward")
        given += [("its parameters", dict(call.module.state))] * bool(call.module.state)
    lines = [f"The call was {called}({', '.join(names + [f'{k}=...' for k in call.kwargs])}) with"]
    for name, value in given:
        lines.append(_indent(_show_value(value, full), f"  {name} = "))
    return "\n".join(lines) if given else f"The call was {called}()."


def _made(init: Sequence[Any], parameters: Sequence[str]) -> str:
    """Show the arguments a module was made with."""
    pairs = itertools.zip_longest(parameters[: len(init)], init, fillvalue="")
    return ", ".join(f"{name}={value!r}" if name else repr(value) for name, value in pairs)


def side_by_side(finding: Finding) -> str:
    """Show got and expected in two columns: small arrays whole, larger ones around the first difference."""
    got, expected = array_of(finding.got), array_of(finding.expected)
    if got is None:
        return ""
    if expected is None:
        return _indent(_render(got, ()), "  got  ") if got.size <= FULL_SIZE else ""
    if got.shape != expected.shape:
        if max(got.size, expected.size) > FULL_SIZE:
            return ""
        window: tuple[Any, ...] = ()
        place = ""
    else:
        window, place = _window(got, finding.index)
    left = ["got" + place, *_render(got, window).splitlines()]
    right = ["expected", *_render(expected, window).splitlines()]
    width = max(map(len, left)) + 3
    rows = itertools.zip_longest(left, right, fillvalue="")
    return "\n".join(f"  {a:<{width}}{b}".rstrip() for a, b in rows)


def _window(array: np.ndarray, index: tuple[int, ...] | None) -> tuple[tuple[Any, ...], str]:
    """Choose the part of a large array around an entry, and say which part it is."""
    if array.size <= FULL_SIZE:
        return (), ""
    index = index or (0,) * array.ndim
    leading = index[:-2] if array.ndim > 2 else ()
    reach = WINDOW[-min(2, array.ndim) :]
    ranges = [
        slice(max(0, at - by), min(size, at + by + 1))
        for at, by, size in zip(index[len(leading) :], reach, array.shape[len(leading) :], strict=True)
    ]
    labels = [str(i) for i in leading] + [f"{r.start}:{r.stop}" for r in ranges]
    return (*leading, *ranges), f" [{', '.join(labels)}]"


def _render(array: np.ndarray, window: tuple[Any, ...]) -> str:
    part = array[window] if window else array
    return np.array2string(part, precision=4, suppress_small=True, separator=" ", max_line_width=60, threshold=10_000)


def _show_value(value: Any, full: bool) -> str:
    array = array_of(value)
    if array is not None:
        about = f"{'array' if isinstance(value, np.ndarray) else 'tensor'} {array.shape} {array.dtype}"
        return f"{about}\n{_render(array, ())}" if full and array.size <= FULL_SIZE else about
    if isinstance(value, tuple | list) and _holds_arrays(value):
        parts = [_indent(_show_value(item, full), f"  [{i}] ") for i, item in enumerate(value)]
        return f"{'tuple' if isinstance(value, tuple) else 'list'} of {len(value)}\n" + "\n".join(parts)
    if isinstance(value, dict) and _holds_arrays(value):
        parts = [_indent(_show_value(item, full), f"  {key!r}: ") for key, item in value.items()]
        return f"dict of {len(value)}\n" + "\n".join(parts)
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + " ..."


def _holds_arrays(value: Any) -> bool:
    return any(array_of(leaf) is not None for leaf in leaves(value))


def _indent(text: str, head: str) -> str:
    first, *rest = text.splitlines()
    return "\n".join([head + first, *("      " + line for line in rest)])
