"""Calls and arrays in plain text, as a student reads them in a message and can paste them into code."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Any

import numpy as np

from autograder.course.language import marked, say, say_many
from autograder.course.spec import Call, Finding
from autograder.sandbox.child.tree import array_of, leaves

FULL_SIZE = 48  # arrays up to this many entries are shown whole
SMALLEST = 4  # numbers
FEW = 12  # parameters of a module up to this many numbers are shown with the call
WINDOW = (2, 3)  # rows and columns on each side of the first difference
WIDTH = 74  # of a line, since messages are indented in a terminal of 80 columns
LEAST_SHOWN = 5e-4  # of which at least one digit is left in four decimals
MOST = 200  # characters of a value that is no array
_ITSELF = {
    "array": ("float64", "int64", "bool"),
    "tensor": ("float32", "int64", "bool"),
}  # dtypes that need not be said

SMALLER = marked("The smallest call that fails is {call} with")


class Layout(Enum):
    """How arrays are laid out in a call."""

    ROWS = auto()  # each row on a line of its own
    FLAT = auto()  # on one line where it has room for them, with the next one where it has room for both
    SHAPES = auto()  # the same, and else by their shapes; in a tuple or dict only the smallest by their numbers
    NAMES = auto()  # not at all


Signatures = Mapping[str, Sequence[str]]  # names of parameters, by the dotted name of a function, method or tuple


def show_call(
    call: Call,
    function: str,
    signatures: Signatures,
    *,
    smaller: bool = False,
    alone: bool = False,
    layout: Layout = Layout.ROWS,
) -> str:
    """Show a call, small arguments whole and of a module's parameters a few.

    `smaller` says that it is not a case's own; `alone` leaves out the words in front of it.
    """
    called = call.function or function
    path = call.path(function)
    parameters = signatures.get(path, ())
    names = [name for name, _ in itertools.zip_longest(parameters[: len(call.args)], call.args, fillvalue="...")]
    given = list(zip(names, call.args, strict=True)) + list(call.kwargs.items())
    if call.module is not None and call.module.init is not None:
        given_to_it, arrays = _made(call.module.init, signatures.get(f"{called}.__init__", ()))
        given = [*arrays, *given]
        called = f"{called}({given_to_it})" + f".{call.module.method}" * (call.module.method != "forward")
    said = marked("{call} with") if alone else SMALLER if smaller else marked("The call was {call} with")
    without = marked("{call}.") if alone else marked("The call was {call}.")
    made = f"{called}({', '.join(names + [f'{k}=...' for k in call.kwargs])})"
    if layout is Layout.NAMES:
        return say(without, call=made)
    lines = [say(said, call=made)]
    shown = [list(_shown(value, f"  {name} = ", signatures.get(f"{path}.{name}", ()), layout)) for name, value in given]
    lines += itertools.chain(*shown) if layout is Layout.ROWS else _packed(shown, "; ")
    if call.module is not None and call.module.state:
        state = dict(call.module.state)
        counted = [
            say_many("  and {n} array of parameters", "  and {n} arrays of parameters", len(state))
            if given
            else say_many("  {n} array of parameters", "  {n} arrays of parameters", len(state))
        ]
        few = numbers_in(state) <= FEW
        lines += _shown(state, f"  {say('its parameters')} = ", (), layout) if few else counted
    if call.module is not None and call.module.before:
        lines.append(say("  and an earlier call of the same module, with other values"))
    return "\n".join(lines) if len(lines) > 1 else say(without, call=f"{called}()")


def show_parameters(call: Call) -> str:
    """Show all parameters of a module's call, where `show_call` leaves them out."""
    state = dict(call.module.state) if call.module is not None else {}
    shown = _shown(state, f"{say('its parameters')} = ", (), Layout.ROWS)
    return "\n".join(shown) if numbers_in(state) > FEW else ""


def numbers_in(tree: Any) -> int:
    """Return how many numbers a tree holds, a value that is no array counting as one."""
    return sum(1 if (array := array_of(leaf)) is None else array.size for leaf in leaves(tree))


def _made(init: Sequence[Any], parameters: Sequence[str]) -> tuple[str, list[tuple[str, Any]]]:
    """Show the arguments a module was made with; of its arrays return the names, to be shown as those of a call are."""
    pairs = list(itertools.zip_longest(parameters[: len(init)], init, fillvalue=""))
    arrays = [(name, value) for name, value in pairs if name and (array := array_of(value)) is not None and array.ndim]
    apart = {name for name, _ in arrays}
    told = (name if name in apart else f"{name}={value!r}" if name else repr(value) for name, value in pairs)
    return ", ".join(told), arrays


def side_by_side(finding: Finding, whole: int = FULL_SIZE) -> str:
    """Show yours and expected, in two columns where they fit.

    Arrays of up to `whole` entries are shown whole, larger ones around the first difference.
    """
    got, expected = array_of(finding.got), array_of(finding.expected)
    if got is None:
        return _lists(finding.got, finding.expected)
    if expected is None:
        return "\n".join(_block(say("yours"), got, ())) if got.size <= FULL_SIZE else ""
    if got.shape != expected.shape:
        if max(got.size, expected.size) > FULL_SIZE:
            return ""
        window: tuple[Any, ...] = ()
        place = ""
    else:
        window, place = _window(got, finding.index, whole)
    left, right = _block(say("yours") + place, got, window), _block(say("expected"), expected, window)
    width = max(map(len, left)) + 2
    if width + max(map(len, right)) > WIDTH:
        return "\n".join([*left, *right])
    rows = itertools.zip_longest(left, right, fillvalue="")
    return "\n".join(f"{a:<{width}}{b}".rstrip() for a, b in rows)


def _lists(got: Any, expected: Any) -> str:
    """Show two short lists of plain values below each other."""
    for each in (got, expected):
        plain = isinstance(each, list | tuple) and all(isinstance(leaf, int | float | str) for leaf in leaves(each))
        if not plain or len(repr(each)) > WIDTH - 12:
            return ""
    width = max(len(say("yours")), len(say("expected"))) + 2
    return "\n".join(f"  {name:<{width}}{each!r}" for name, each in ((say("yours"), got), (say("expected"), expected)))


def _block(name: str, array: np.ndarray, window: tuple[Any, ...]) -> list[str]:
    part = array[window] if window else array
    return [f"  {name}", *(f"  {line}" for line in _render(part, "").splitlines())]


def _window(array: np.ndarray, index: tuple[int, ...] | None, whole: int) -> tuple[tuple[Any, ...], str]:
    """Choose the part of a large array around an entry, and say which part it is."""
    if array.size <= whole:
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
    """Return an array's entries to four decimals, aligned below the end of a head that stands in front of them.

    Where all of them are smaller, they have an exponent: as zeros they would be another array.
    """
    sizes = np.abs(array[np.isfinite(array) & (array != 0)]) if array.dtype.kind == "f" else np.ones(1)
    shown = not sizes.size or sizes.max() >= LEAST_SHOWN
    text = np.array2string(
        array,
        precision=4,
        suppress_small=bool(shown),
        separator=", ",
        prefix=head,
        max_line_width=WIDTH,
        threshold=10_000,
    )
    return text.replace("\n\n", "\n")


def _shown(value: Any, head: str, names: Sequence[str], layout: Layout, tail: str = "") -> Iterator[str]:
    """Yield the lines of a value after a head; `names` are those of a tuple's parts."""
    indent = " " * (len(head) - len(head.lstrip()))
    array = array_of(value)
    if array is not None:
        yield from (_laid_out(array, value, head, layout, WIDTH - len(tail)) + tail).splitlines()
    elif isinstance(value, tuple | list) and _holds_arrays(value):
        opening, closing = "()" if isinstance(value, tuple) else "[]"
        yield head + opening
        named = names if names and len(names) == len(value) else [""] * len(value)
        if layout is Layout.ROWS:
            for part, name in zip(value, named, strict=True):
                yield from _shown(part, f"{indent}    ", (), layout, f",  # {name}" if name else ",")
        else:
            yield from _packed(list(_shown(part, f"{indent}    ", (), layout, ",")) for part in value)
            closing += tail + f"  # {', '.join(names)}" * any(named)
            tail = ""
        yield indent + closing + tail
    elif isinstance(value, dict) and _holds_arrays(value):
        yield head + "{"
        yield from _packed(list(_shown(part, f"{indent}    {key!r}: ", (), layout, ",")) for key, part in value.items())
        yield indent + "}" + tail
    else:
        text = repr(value)
        first, *rest = (text if len(text) <= MOST else text[:MOST] + " ...").splitlines() or [""]
        yield from [head + first + tail * (not rest), *rest]


def _packed(items: Iterable[list[str]], between: str = " ") -> Iterator[str]:
    """Yield the lines of items, as many of those with one line each on a line as fit."""
    held = ""
    for first, *rest in items:
        joined = f"{held}{between}{first.lstrip()}" if held else first
        if rest or len(joined) > WIDTH:
            yield from [held] * bool(held)
            joined = first
        if rest:
            yield from (first, *rest)
        held = "" if rest else joined
    yield from [held] * bool(held)


def _laid_out(array: np.ndarray, value: Any, head: str, layout: Layout, room: int) -> str:
    """Return an array as code that makes it, to four decimals, in so much room; a large one by its shape and dtype."""
    kind, library = ("array", "np") if isinstance(value, np.ndarray) else ("tensor", "torch")
    by_shape = f"{head}{kind} {array.shape} {array.dtype}"
    if array.size > FULL_SIZE:
        return by_shape
    rows = _pasted(array.tobytes(), array.shape, array.dtype, head, kind, library)
    first, *others = rows.splitlines()
    flat = " ".join([first, *(line.strip() for line in others)])
    if layout is Layout.ROWS or not others:
        return rows
    if layout is Layout.FLAT:
        return flat if len(flat) <= room else rows
    inside = head.startswith("    ")  # of a tuple or dict, since arguments are indented by two
    return flat if len(flat) <= room and (not inside or array.size <= SMALLEST) else by_shape


# Numpy takes long for it, and each layout and each student shows the same arrays again.
@functools.lru_cache(maxsize=512)
def _pasted(content: bytes, shape: tuple[int, ...], kept_as: np.dtype[Any], head: str, kind: str, library: str) -> str:
    """Return an array as code that makes it, to four decimals, each row on a line."""
    array = np.frombuffer(content, kept_as).reshape(shape)
    dtype = "" if str(array.dtype) in _ITSELF[kind] else f", dtype={library}.{array.dtype}"
    if not array.size:
        dtype = "" if array.dtype.kind == "f" else f", dtype={library}.{array.dtype}"
        return f"{head}{library}.zeros({array.shape}{dtype})"
    start = f"{head}{library}.{kind}("
    return start + re.sub(r"\b(nan|inf)\b", rf"{library}.\1", _render(array, start)) + dtype + ")"


def _holds_arrays(value: Any) -> bool:
    return any(array_of(leaf) is not None for leaf in leaves(value))
