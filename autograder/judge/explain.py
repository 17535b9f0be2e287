"""What a student reads when a case fails: plain text, one message for terminal, page and JSON.

Public cases show the call, and what came back beside what was expected. Hidden cases say only what kind of
difference there was.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.spec import Call, Finding, Limits, Visibility
from autograder.sandbox.job import Ending, Outcome, Source, Trouble
from autograder.sandbox.wire import Tensor

# What may be said of a hidden case, by kind of finding.
KINDS = {
    "values": "The values differ from the reference's.",
    "shape": "The shape is not the reference's.",
    "dtype": "The dtype is not the reference's.",
    "container": "What it returned is of another type than the text asks for.",
    "not_finite": "The output holds NaN or infinite values.",
    "mutated": "It changed one of its arguments in place; work on a copy.",
    "property": "The output does not have this property.",
    "constant": "The output does not depend on the input as it should.",
    "unanswered": "This question has no answer yet.",
    "wrong_choice": "This answer is not the best one.",
}
_LIBRARY_ERRORS = frozenset(
    {
        "AxisError", "LinAlgError", "UFuncTypeError", "_ArrayMemoryError", "_UFuncBinaryResolutionError",
        "_UFuncInputCastingError", "_UFuncNoLoopError", "_UFuncOutputCastingError",
    }
)  # fmt: skip
MAX_LINE = 200  # characters of a line of the student's, in code and in print
OUR_FAULT = "The grader itself failed here. That is not your doing; it will be looked at and graded again."
FULL_SIZE = 48  # arrays up to this many entries are shown whole
WINDOW = (2, 3)  # rows and columns on each side of the first difference


def explain_finding(
    finding: Finding, visibility: Visibility, calls: Sequence[Call], function: str, parameters: Sequence[str]
) -> str:
    """Say what a check found; for public cases with the call, and got beside expected."""
    if visibility is Visibility.HIDDEN:
        where = f"{finding.where}: " if finding.where.isidentifier() else ""
        return where + KINDS[finding.kind]
    where = f"{finding.where}: " if finding.where else ""
    blocks = [where + finding.headline]
    if finding.kind not in ("unanswered", "wrong_choice"):
        blocks.append(show_call(calls[finding.call], function, parameters))
    comparison = side_by_side(finding)
    if comparison:
        blocks.append(comparison)
    return "\n".join(blocks)


def explain_ending(
    outcome: Outcome,
    visibility: Visibility,
    source: Source,
    limits: Limits,
    call: Call,
    function: str,
    parameters: Sequence[str],
) -> str:
    """Say why a call gave nothing to judge."""
    trouble = outcome.trouble or Trouble("", "")
    match outcome.ending:
        case Ending.RAISED:
            text = explain_trouble(trouble, source, visibility)
            shown = show_call(call, function, parameters, full=False)
            return text if visibility is Visibility.HIDDEN else f"{text}\n{shown}"
        case Ending.ABSENT:
            near = f" There is a `{trouble.text}`." if trouble.text and source.holds(trouble.text) else ""
            return f"There is no `{function}` in your file.{near} Was it renamed or removed?"
        case Ending.TIMEOUT:
            return f"Stopped after {limits.case_seconds:g} s without an answer. Does a loop never end?"
        case Ending.MEMORY:
            return f"It asked for more than the {limits.memory_mb} MB a submission may use."
        case Ending.OUTPUT:
            return f"What it returned is too large to be read{_reason(trouble, visibility)}."
        case Ending.DIED:
            reason = _reason(trouble, visibility)
            return f"Your code ended the Python process{reason}, so there is no result to judge."
        case Ending.NOT_RUN:
            return (
                f"Not run, because of what happened before it{_reason(trouble, visibility) or ' (a call that hung)'}."
            )
        case _:
            return f"{OUR_FAULT} ({trouble.text})"


def explain_trouble(trouble: Trouble, source: Source, visibility: Visibility = Visibility.PUBLIC) -> str:
    """Show an exception with the student's own lines only; of hidden cases its type and last line, not its text."""
    hidden = visibility is Visibility.HIDDEN
    frames = [frame for frame in trouble.frames if source.has_line(frame.label, frame.line)]
    lines = [f"{trouble.type_name}: {trouble.text}" if trouble.text else trouble.type_name]
    if hidden:
        # Names can be made up while running, to carry what a hidden case was called with.
        frames = [
            replace(frame, function=frame.function if source.holds(frame.function) else "") for frame in frames[-1:]
        ]
        lines = [trouble.type_name if _is_known(trouble.type_name, source) else "An exception of your own making"]
    for frame, earlier in zip(frames, [None, *frames], strict=False):
        if frame == earlier:
            continue  # a recursion says the same line many times
        inside = f", in {frame.function}" if frame.function and frame.function != "<module>" else ""
        lines.append(f"  {frame.label}, line {frame.line}{inside}")
        text = source.line(frame.label, frame.line)
        if text:
            lines.append(f"    {text[:MAX_LINE]}")
    return "\n".join(lines)


def _reason(trouble: Trouble, visibility: Visibility) -> str:
    """Return why, in brackets; of hidden cases not even an exit code, which could be an input."""
    return "" if visibility is Visibility.HIDDEN or not trouble.text else f" ({trouble.text})"


def _is_known(type_name: str, source: Source) -> bool:
    return type_name in _LIBRARY_ERRORS or hasattr(builtins, type_name) or source.holds(type_name)


def explain_loading(outcome: Outcome, source: Source, limits: Limits) -> str:
    """Say why a submission could not be imported, and what to do."""
    trouble = outcome.trouble or Trouble("", "")
    match outcome.ending:
        case Ending.TIMEOUT:
            return (
                f"Your file was still running after {limits.import_seconds:g} s of being imported. "
                'Put experiments at the bottom under `if __name__ == "__main__":`.'
            )
        case Ending.DIED:
            return f"Your file ended the Python process while being imported ({trouble.text})."
        case Ending.FAULT:
            return f"{OUR_FAULT} ({trouble.text})"
        case _:
            return "Your file cannot be imported, so nothing in it can be checked yet.\n" + explain_trouble(
                trouble, source
            )


def show_call(call: Call, function: str, parameters: Sequence[str], *, full: bool = True) -> str:
    """Show what was called, with small arguments in full or, of a crash, with shapes alone."""
    names = [name for name, _ in itertools.zip_longest(parameters[: len(call.args)], call.args, fillvalue="...")]
    given = list(zip(names, call.args, strict=True)) + list(call.kwargs.items())
    lines = [f"The call was {call.function or function}({', '.join(names + [f'{k}=...' for k in call.kwargs])}) with"]
    for name, value in given:
        lines.append(_indent(_show_value(value, full), f"  {name} = "))
    return "\n".join(lines) if given else f"The call was {call.function or function}()."


def side_by_side(finding: Finding) -> str:
    """Show got and expected in two columns: whole if small, else around the first difference."""
    got, expected = _as_array(finding.got), _as_array(finding.expected)
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


def _as_array(value: Any) -> np.ndarray | None:
    if isinstance(value, Tensor):
        return value.array
    return value if isinstance(value, np.ndarray) else None


def _show_value(value: Any, full: bool) -> str:
    array = _as_array(value)
    if array is not None:
        about = f"{'tensor' if isinstance(value, Tensor) else 'array'} {array.shape} {array.dtype}"
        return f"{about}\n{_render(array, ())}" if full and array.size <= FULL_SIZE else about
    if isinstance(value, tuple | list) and any(_as_array(item) is not None for item in value):
        parts = [_indent(_show_value(item, full), f"  [{i}] ") for i, item in enumerate(value)]
        return f"{'tuple' if isinstance(value, tuple) else 'list'} of {len(value)}\n" + "\n".join(parts)
    if isinstance(value, dict) and any(_as_array(item) is not None for item in value.values()):
        parts = [_indent(_show_value(item, full), f"  {key!r}: ") for key, item in value.items()]
        return f"dict of {len(value)}\n" + "\n".join(parts)
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + " ..."


def _indent(text: str, head: str) -> str:
    first, *rest = text.splitlines()
    return "\n".join([head + first, *("      " + line for line in rest)])
