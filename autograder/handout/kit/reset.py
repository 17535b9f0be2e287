"""Put one exercise of a student's file back to the stub, and keep the old version beside it."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from autograder.course.language import marked, say
from autograder.course.spec import Exercise
from autograder.handout.kit.asked import CheckError
from autograder.sandbox.child.parse import parse


def reset(path: Path, stub: str, exercise: Exercise) -> Path:
    """Replace the definitions of an exercise by those of the stub; return the path of the old version. Raises CheckError."""
    if path.suffix != ".py":
        told = marked("Only a .py file can be reset. Copy the cell of {exercise} from a fresh {file}.")
        raise CheckError(say(told, exercise=exercise.name, file=path.name))
    try:
        before = path.read_bytes()
        after = with_stub(before.decode(), stub, exercise)
        backup = next(other for other in _backups(path) if not other.exists())
        backup.write_bytes(before)
        path.write_bytes(after.encode())
    except UnicodeDecodeError:
        raise CheckError(say("{file} is not UTF-8. Save it as UTF-8, then reset it.", file=path.name)) from None
    except OSError as error:
        raise CheckError(say("{file} cannot be reset: {error}.", file=path.name, error=error)) from None
    return backup


def _backups(path: Path) -> itertools.chain[Path]:
    numbered = (path.with_name(f"{path.name}.{number}.bak") for number in itertools.count(2))
    return itertools.chain([path.with_name(f"{path.name}.bak")], numbered)


def with_stub(text: str, stub: str, exercise: Exercise) -> str:
    """Return a student's code with the definitions of an exercise as the stub has them; one that is missing comes last."""
    ending = "\r\n" if "\r\n" in text else "\n"
    for name in dict.fromkeys(blank.partition(".")[0] for blank in exercise.blanks):
        begin, end = _span(stub, name) or (0, 0)
        fresh = [line.rstrip("\r\n") + ending for line in _lines(stub)[begin:end]]
        lines = _lines(text)
        span = _span(text, name)
        if span is None:
            lines = [*text.rstrip().splitlines(keepends=True), ending, ending, ending]
            span = len(lines), len(lines)
        text = "".join([*lines[: span[0]], *fresh, *lines[span[1] :]])
    return text


def _span(text: str, name: str) -> tuple[int, int] | None:
    """Return the lines of a top-level definition, its decorators included, as a slice; None where there is none."""
    try:
        nodes = [node for node in parse(text).body if getattr(node, "name", "") == name]
    except (SyntaxError, ValueError):
        return _span_by_indentation(_lines(text), name)
    if not nodes:
        return None
    node = nodes[-1]  # the one that counts
    begin = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]) - 1
    return begin, node.end_lineno or node.lineno


def _span_by_indentation(lines: list[str], name: str) -> tuple[int, int] | None:
    """Return a definition's lines in code that is no Python: up to the next line that begins a statement at the margin."""
    heads = [i for i, line in enumerate(lines) if re.match(rf"(async\s+)?(def|class)\s+{name}\b", line)]
    if not heads:
        return None
    head = heads[-1]
    begin = head
    while begin and lines[begin - 1].startswith("@"):
        begin -= 1
    margin = (i for i in range(head + 1, len(lines)) if re.match(r"[\w@#]", lines[i]))
    end = next(margin, len(lines))
    while end > head + 1 and not lines[end - 1].strip():
        end -= 1
    return begin, end


def _lines(text: str) -> list[str]:
    """Cut text into lines as Python counts them."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
