"""Whether worked examples in texts are true: calls with their results, and sums of plain numbers.

Three forms are computed and compared digit by digit: `>>> f([1, 2])` with the result below it, `f([1, 2]) -> [.27, .73]`
(or `=`, `==`), and `.75 * 1.6 + .5 * .6 = 1.5`. A call of names that only the reader knows, such as `f(x)`, says nothing.
"""

from __future__ import annotations

import ast
import doctest
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.sandbox.child.parse import parse

NUMBER = r"-?(?:\d+\.\d*|\.\d+|\d+)"
_RESULT = re.compile(r"\s*(?:->|==?)\s*")
_VALUE = re.compile(rf"{NUMBER}(?![\w.]*\w)|[\[(][-\d.,\s\[\]()]*[\])]")
_EQUALS = re.compile(rf"(?<![=<>!])=\s*({NUMBER})(?![\w^(]|\s*[-+*/·^²√]|\.\d)")
_LEFT = re.compile(r"(?:\d+\.\d+|\.\d+|\d+|[-+*/·^²√() ]|\b(?:ln|log|exp|tanh|sqrt)\b)+$")
_BOUND = re.compile(r"[\w)\]}'].$|(?:\b\w*_\w*|\b\w|[)\]}']) +[(-]$")  # what a sum belongs to that begins behind it
_TERM = re.compile(rf"\s*({NUMBER.removeprefix('-?')}|ln|exp|tanh|sqrt|[-+*/()·^²√])")
_PYTHON = {"·": "*", "^": "**", "²": "**2", "√": "sqrt ", "ln": "log "}
_MATHS: Mapping[str, Callable[..., float]] = {name: getattr(math, name) for name in ("log", "exp", "tanh", "sqrt")}
_ROUNDED = 3  # decimals from which on a number in a sum is taken for a rounded one


@dataclass(frozen=True)
class Slip:
    """A false number: where it begins in its text, what is said there, and what is right, or why that cannot be computed."""

    start: int
    said: str
    right: str = ""
    trouble: str = ""


def numbers_in(text: str) -> list[str]:
    """Return the numbers of an array or a number as they are written."""
    return re.findall(NUMBER, text)


def decimals(number: str) -> int:
    """Return how many digits are written behind the point."""
    return len(number.partition(".")[2])


def is_rounded(value: float, written: str, slack: float = 0.0) -> bool:
    """Whether a number as it is written is a value, rounded; `slack` is how far the value may be off, less than half a digit at most."""
    half = 0.5 * 10.0 ** -decimals(written) if "." in written else 0.0
    return abs(value - float(written)) <= half * 1.001 + min(slack, 0.98 * half) + 1e-9


def as_written(value: float, said: str) -> str:
    """Write a number with as many digits as another one, and a zero before the point where that has one."""
    text = f"{value:.{decimals(said)}f}" if "." in said else f"{value:g}"
    return (
        text.replace("0.", ".", 1) if said.lstrip("-").startswith(".") and text.lstrip("-").startswith("0.") else text
    )


def slips(text: str, names: Mapping[str, Any]) -> Iterator[Slip]:
    """Yield the examples of a text that are false; `names` are what its calls may use."""
    yield from _false_sessions(text, names)
    yield from _false_calls(text, names)
    yield from _false_sums(text)


def checked(text: str, names: Mapping[str, Any]) -> str:
    """Return a text without the examples that are computed here."""
    for match in [*_sums(text), *_calls(text, names)]:
        start, end = match[0], match[1]
        text = text[:start] + re.sub(r"\S", " ", text[start:end]) + text[end:]
    return re.sub(r"^\s*>>>.*(?:\n(?!\s*$|\s*>>>).*)*", "", text, flags=re.MULTILINE)


def _false_sessions(text: str, names: Mapping[str, Any]) -> Iterator[Slip]:
    """Run `>>>` examples one after the other, as a reader would."""
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError as error:
        yield Slip(max(text.find(">>>"), 0), ">>>", trouble=f"cannot be read: {error}")
        return
    known = dict(names)
    offsets = [0, *(m.end() for m in re.finditer("\n", text))]
    for example in examples:
        start = offsets[example.lineno]
        try:
            value = _run(example.source, known)
        except Exception as error:  # noqa: BLE001 (whatever an author's example raises)
            yield Slip(start, example.source.strip(), trouble=f"raises {type(error).__name__}: {error}")
            continue
        if example.want.strip() and not _agrees(value, example.want):
            start = offsets[example.lineno + example.source.count("\n")]
            yield Slip(start, example.want.strip(), _written(value, example.want))


def _run(source: str, names: dict[str, Any]) -> Any:
    try:
        return eval(source.strip(), names)  # noqa: S307 (the course's own)
    except SyntaxError:
        exec(source, names)  # noqa: S102
        return None


def _false_calls(text: str, names: Mapping[str, Any]) -> Iterator[Slip]:
    for start, end, call, said in _calls(text, names):
        value = eval(call, dict(names))  # noqa: S307 (the course's own, and it was evaluated once)
        if not _agrees(value, said):
            yield Slip(start, text[start:end], _written(value, said))


def _calls(text: str, names: Mapping[str, Any]) -> Iterator[tuple[int, int, str, str]]:
    """Yield calls with a result beside them that can be made: where they begin and end, the call and the result."""
    functions = [name for name, value in names.items() if callable(value) and name.isidentifier()]
    if not functions:
        return
    for match in re.finditer(rf"(?<![\w.])(?:{'|'.join(map(re.escape, functions))})\(", text):
        end = _closing(text, match.end())
        equals = _RESULT.match(text, end)
        value = _VALUE.match(text, equals.end()) if equals else None
        call = " ".join(text[match.start() : end].split())
        if value and _can_be_made(call, names):
            yield match.start(), value.end(), call, value[0]


def _closing(text: str, start: int) -> int:
    """Return where the bracket closes that was opened before `start`, or `start`."""
    depth = 1
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    return start


def _can_be_made(call: str, names: Mapping[str, Any]) -> bool:
    try:
        parse(call, mode="eval")
        eval(call, dict(names))  # noqa: S307 (the course's own)
    except Exception:  # noqa: BLE001 (names that stand for anything, shapes and signatures are no examples)
        return False
    return True


def _agrees(value: Any, said: str) -> bool:
    """Whether a value is what is written, each digit of it; texts and the like as Python shows them."""
    told, found = numbers_in(said), _flat(value)
    if found is None:
        return " ".join(said.split()) == " ".join(repr(value).split())
    return len(told) == len(found) and all(map(is_rounded, found, told))


def _flat(value: Any) -> list[float] | None:
    """Return the numbers of a value in their order, None where it holds anything else."""
    if hasattr(value, "detach"):
        value = value.detach().numpy()
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None
    return [float(number) for number in array.ravel()]


def _written(value: Any, said: str) -> str:
    """Write a value as it should stand in place of what is said."""
    found, told = _flat(value), numbers_in(said)
    if found is None or len(found) != len(told):
        return repr(value)
    digits = map(as_written, found, told)
    return re.sub(NUMBER, lambda _: next(digits), " ".join(said.split()))


def _false_sums(text: str) -> Iterator[Slip]:
    for start, end, left, said in _sums(text):
        value, slack = _worth(left)
        if not is_rounded(value, said, slack):
            yield Slip(start, " ".join(text[start:end].split()), as_written(value, said))


def _sums(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield sums of plain numbers with their results: where they begin and end, the sum in Python, and the result."""
    flat = re.sub(r"\n(?=[^\s|])", " ", text)  # where a sentence goes on in the next line
    for match in _EQUALS.finditer(flat):
        line = flat[: match.start()].rstrip(" ")
        left = _LEFT.search(line[max(line.rfind("\n"), line.rfind("   ")) + 1 :])
        if not left:
            continue
        start = len(line) - len(left[0].lstrip())
        python = _as_python(left[0])
        if python and not _BOUND.search(line[:start] + line[start : start + 1]):
            yield start, match.end(), python, match[1]


def _as_python(text: str) -> str:
    """Return a sum as Python, nothing where it is none: where something stands before it, or nothing is computed."""
    text = text.strip()
    terms = _TERM.findall(text)
    rest = _TERM.sub("", text).strip()
    if rest or len(terms) < 2 or re.search(r"^[+*/·^²)]|^-\s|[\d)]\s*\(|\)\s*[\d.]", text):
        return ""
    python = "".join(_PYTHON.get(term, term) for term in terms)
    python = (
        re.sub(r"(log|sqrt|exp|tanh) ?([\d.]+)", r"\1(\2)", python).replace("log (", "log(").replace("sqrt (", "sqrt(")
    )
    python = re.sub(r"(?<![\d.])0+(?=\d)", "", python)
    try:
        tree = parse(python, mode="eval")
        value = eval(python, dict(_MATHS))  # noqa: S307 (numbers and four functions)
    except Exception:  # noqa: BLE001 (half of a formula is no sum)
        return ""
    plain = isinstance(tree.body, ast.Constant) or (
        isinstance(tree.body, ast.UnaryOp) and isinstance(tree.body.operand, ast.Constant)
    )
    return "" if plain or not isinstance(value, int | float) else python


def _worth(python: str) -> tuple[float, float]:
    """Return what a sum comes to, and how far that may be off since numbers in it are rounded."""
    value, slack = float(eval(python, dict(_MATHS))), 0.0  # noqa: S307
    for match in re.finditer(r"\d*\.\d+", python):
        if decimals(match[0]) >= _ROUNDED:
            half = 0.5 * 10.0 ** -decimals(match[0])
            moved = f"{python[: match.start()]}({match[0]}+{half}){python[match.end() :]}"
            slack += abs(float(eval(moved, dict(_MATHS))) - value)  # noqa: S307
    return value, slack
