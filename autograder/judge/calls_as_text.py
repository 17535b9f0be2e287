"""Calls and arrays in plain text, as a student reads them in a message and can paste them into code."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.course.language import say
from autograder.course.spec import Call, Finding
from autograder.sandbox.child.tree import array_of, leaves

FULL_SIZE = 48  # arrays up to this many entries are shown whole
FEW = 12  # parameters of a module up to this many numbers are shown with the call
WINDOW = (2, 3)  # rows and columns on each side of the first difference
WIDTH = 74  # of a line, since messages are indented in a terminal of 80 columns
MOST = 200  # characters of a value that is no array
_ITSELF = {
    "array": ("float64", "int64", "bool"),
    "tensor": ("float32", "int64", "bool"),
}  # dtypes that need not be said

Signatures = Mapping[str, Sequence[str]]  # names of parameters, by the dotted name of a function, method or tuple


def show_call(call: Call, function: str, signatures: Signatures, *, full: bool = True) -> str:
    """Show a call; small arguments are shown whole if `full`, else by their shapes. Of a module's parameters, a few."""
    called = call.function or function
    path = call.path(function)
    parameters = signatures.get(path, ())
    names = [name for name, _ in itertools.zip_longest(parameters[: len(call.args)], call.args, fillvalue="...")]
    given = list(zip(names, call.args, strict=True)) + list(call.kwargs.items())
    if call.module is not None and call.module.init is not None:
        made = _made(call.module.init, signatures.get(f"{called}.__init__", ()))
        called = f"{called}({made})" + f".{call.module.method}" * (call.module.method != "forward")
    lines = [say("The call was {call} with", call=f"{called}({', '.join(names + [f'{k}=...' for k in call.kwargs])})")]
    for name, value in given:
        lines += _shown(value, f"  {name} = ", signatures.get(f"{path}.{name}", ()) if full else None)
    if call.module is not None and call.module.state:
        state = dict(call.module.state)
        shown = full and numbers_in(state) <= FEW
        counted = [say("  and {n} arrays of parameters", n=len(state))]
        lines += _shown(state, f"  {say('its parameters')} = ", ()) if shown else counted
    return "\n".join(lines) if len(lines) > 1 else say("The call was {call}.", call=f"{called}()")


def show_parameters(call: Call) -> str:
    """Show all parameters of a module's call, where `show_call` leaves them out."""
    state = dict(call.module.state) if call.module is not None else {}
    return "\n".join(_shown(state, f"{say('its parameters')} = ", ())) if numbers_in(state) > FEW else ""


def numbers_in(tree: Any) -> int:
    """Return how many numbers a tree holds, a value that is no array counting as one."""
    return sum(1 if (array := array_of(leaf)) is None else array.size for leaf in leaves(tree))


def _made(init: Sequence[Any], parameters: Sequence[str]) -> str:
    """Show the arguments a module was made with."""
    pairs = itertools.zip_longest(parameters[: len(init)], init, fillvalue="")
    return ", ".join(f"{name}={value!r}" if name else repr(value) for name, value in pairs)


def side_by_side(finding: Finding) -> str:
    """Show yours and expected: small arrays whole, larger ones around the first difference; in two columns where they fit."""
    got, expected = array_of(finding.got), array_of(finding.expected)
    if got is None:
        return ""
    if expected is None:
        return "\n".join(_block(say("yours"), got, ())) if got.size <= FULL_SIZE else ""
    if got.shape != expected.shape:
        if max(got.size, expected.size) > FULL_SIZE:
            return ""
        window: tuple[Any, ...] = ()
        place = ""
    else:
        window, place = _window(got, finding.index)
    left, right = _block(say("yours") + place, got, window), _block(say("expected"), expected, window)
    width = max(map(len, left)) + 2
    if width + max(map(len, right)) > WIDTH:
        return "\n".join([*left, *right])
    rows = itertools.zip_longest(left, right, fillvalue="")
    return "\n".join(f"{a:<{width}}{b}".rstrip() for a, b in rows)


def _block(name: str, array: np.ndarray, window: tuple[Any, ...]) -> list[str]:
    part = array[window] if window else array
    return [f"  {name}", *(f"  {line}" for line in _render(part, "").splitlines())]


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


def _render(array: np.ndarray, head: str) -> str:
    """Return an array's entries to four decimals, aligned below the end of a head that stands in front of them."""
    text = np.array2string(
        array, precision=4, suppress_small=True, separator=", ", prefix=head, max_line_width=WIDTH, threshold=10_000
    )
    return text.replace("\n\n", "\n")


def _shown(value: Any, head: str, names: Sequence[str] | None, tail: str = "") -> Iterator[str]:
    """Yield the lines of a value after a head; `names` are those of a tuple's parts, None shows arrays by their shapes."""
    indent = " " * (len(head) - len(head.lstrip()))
    array = array_of(value)
    if array is not None:
        yield from (_pasted(array, value, head, full=names is not None) + tail).splitlines()
    elif isinstance(value, tuple | list) and _holds_arrays(value):
        opening, closing = "()" if isinstance(value, tuple) else "[]"
        yield head + opening
        named = names if names and len(names) == len(value) else [""] * len(value)
        for part, name in zip(value, named, strict=True):
            inner = () if names is not None else None
            yield from _shown(part, f"{indent}    ", inner, f",  # {name}" if name else ",")
        yield indent + closing + tail
    elif isinstance(value, dict) and _holds_arrays(value):
        yield head + "{"
        inner = () if names is not None else None
        yield from _packed(list(_shown(part, f"{indent}    {key!r}: ", inner, ",")) for key, part in value.items())
        yield indent + "}" + tail
    else:
        text = repr(value)
        first, *rest = (text if len(text) <= MOST else text[:MOST] + " ...").splitlines() or [""]
        yield from [head + first + tail * (not rest), *rest]


def _packed(items: Iterable[list[str]]) -> Iterator[str]:
    """Yield the lines of a dict's items, as many of those with one line each on a line as fit."""
    held = ""
    for first, *rest in items:
        joined = f"{held} {first.lstrip()}" if held else first
        if rest or len(joined) > WIDTH:
            yield from [held] * bool(held)
            joined = first
        if rest:
            yield from (first, *rest)
        held = "" if rest else joined
    yield from [held] * bool(held)


def _pasted(array: np.ndarray, value: Any, head: str, *, full: bool) -> str:
    """Return an array as code that makes it, to four decimals; a large one by its shape and dtype."""
    kind, library = ("array", "np") if isinstance(value, np.ndarray) else ("tensor", "torch")
    if not full or array.size > FULL_SIZE:
        return f"{head}{kind} {array.shape} {array.dtype}"
    dtype = "" if str(array.dtype) in _ITSELF[kind] else f", dtype={library}.{array.dtype}"
    if not array.size:
        return f"{head}{library}.zeros({array.shape}{dtype})"
    start = f"{head}{library}.{kind}("
    return start + re.sub(r"\b(nan|inf)\b", rf"{library}.\1", _render(array, start)) + dtype + ")"


def _holds_arrays(value: Any) -> bool:
    return any(array_of(leaf) is not None for leaf in leaves(value))
