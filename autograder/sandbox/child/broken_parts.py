"""Leave out what is no Python, so that the rest of a file can be run: a colon that is missing costs the function it is missing in.

A part is what stands from one line without indentation to the next. Its lines become empty, and all others keep their numbers.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import re

from autograder.sandbox.child.parse import FUNCTION, parse

MOST_PARTS = 200  # left out, one at a time
_GOES_ON = re.compile(r"[ \t)\]}#]|(?:else|elif|except|finally)\b|\s*$")  # a line that begins nothing
_DEFINES = re.compile(r"(?:async def|def|class|import|from)\b|@")
_OWES = re.compile(r" on line (\d+)$")  # "expected an indented block after function definition on line 3"
_OPEN = "expected 'except' or 'finally' block"  # said of the line that comes after an open `try`
_QUOTES = ('"""', "'''")
_TEXTS = re.compile(r'"""|\'\'\'|#|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')


def without_broken_parts(text: str, label: str) -> tuple[str, list[SyntaxError]]:
    """Return a text without its parts that are no Python, and what is wrong with each.

    Of two ways to cut it that which leaves more functions and classes counts: by what Python says alone, and after long texts that
    are not closed. Raises the first SyntaxError where that leaves none, and ValueError where a text can be no source.
    """
    lines, errors = text.split("\n"), list[SyntaxError]()
    closed, open_quotes = _without_open_quotes(lines, label)
    count = _mend(lines, label, errors)
    if not errors:
        return text, []
    if open_quotes and _mend(closed, label, open_quotes) > count:
        return "\n".join(closed), open_quotes
    if not count:
        raise errors[0]
    return "\n".join(lines), errors


def readable_tree(text: str) -> ast.Module | None:
    """Return the tree of what is Python in a text, or None where nothing is; running it tells the student.

    Raises RecursionError where it nests too deeply.
    """
    try:
        return parse(text)
    except SyntaxError:
        with contextlib.suppress(SyntaxError, ValueError):
            return parse(without_broken_parts(text, "")[0])
        return None
    except ValueError:
        return None


def _mend(lines: list[str], label: str, errors: list[SyntaxError]) -> int:
    """Empty parts until the rest is Python, note what was wrong, and return how many functions and classes are left."""
    begins = _beginnings(lines)
    while len(errors) <= MOST_PARTS:
        try:
            tree = parse("\n".join(lines), label)
            compile(tree, label, "exec", dont_inherit=True)
        except SyntaxError as error:
            errors.append(error)
            if not _empty_part(lines, begins, error):
                return 0
        else:
            return sum(isinstance(node, (*FUNCTION, ast.ClassDef)) for node in tree.body)
    return 0


def _beginnings(lines: list[str]) -> list[int]:
    """Return the lines that begin a part, and the number of lines; inside a long text none does."""
    begins, quotes = [], ""
    for number, line in enumerate(lines):
        if not quotes and not _GOES_ON.match(line):
            begins.append(number)
        quotes = _open_after(line, quotes)
    return [*begins, len(lines)]


def _open_after(line: str, quotes: str) -> str:
    """Return the quotes of the long text that is open after a line, as `quotes` are those before it; or nothing."""
    place = 0
    while True:
        if quotes:
            end = line.find(quotes, place)
            if end < 0:
                return quotes
            place, quotes = end + len(quotes), ""
        found = _TEXTS.search(line, place)
        if not found or found[0] == "#":
            return ""
        place, quotes = found.end(), found[0] if found[0] in _QUOTES else ""


def _empty_part(lines: list[str], begins: list[int], error: SyntaxError) -> bool:
    """Empty the lines of the part that an error is in, and say whether there were any."""
    owed = _OWES.search(error.msg)
    last = min(int(owed[1]) if owed else error.lineno or 1, len(lines)) - 1
    if error.msg == _OPEN and last in begins:
        last -= 1
    while last > 0 and not lines[last].strip():
        last -= 1
    if error.msg == _OPEN:
        error.lineno = last + 1  # where the block is missing; Python names what comes next
    first = max((begin for begin in begins if begin <= last), default=0)
    end = next(begin for begin in begins if begin > last) if begins[-1] > last else len(lines)
    while first > 0 and lines[first - 1].startswith("@"):
        first -= 1
    had_code = any(line.strip() for line in lines[first:end])
    lines[first:end] = [""] * (end - first)
    return had_code


def _without_open_quotes(lines: list[str], label: str) -> tuple[list[str], list[SyntaxError]]:
    """Return lines without the definitions in which a long text is not closed: it ends in the next one's, and turns all after it round.

    Where the last quotes of a definition stand without indentation, they are not its own, and it stays.
    """
    begins = [0, *(i for i, line in enumerate(lines) if i and _DEFINES.match(line)), len(lines)]
    left, errors = list(lines), list[SyntaxError]()
    for first, end in itertools.pairwise(begins):
        part = "\n".join(lines[first:end])
        if any(part.count(quotes) % 2 for quotes in _QUOTES):
            quoted = [i for i in range(first, end) if any(quotes[:2] in lines[i] for quotes in _QUOTES)]
            outside = first and lines[quoted[-1]].startswith(_QUOTES)
            at, begin = (quoted[-1], quoted[-1]) if outside else (quoted[0], first)
            errors.append(SyntaxError("unterminated triple-quoted string literal", (label, at + 1, 1, lines[at])))
            left[begin:end] = [""] * (end - begin)
    return left, errors
