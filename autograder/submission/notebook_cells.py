"""Turn a notebook's cell into Python by removing magics, shell lines, help, and calls of otter's grader."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

_LONGEST_MAGIC = 500  # characters; the patterns below take too long on longer lines
_PYTHON_CELL_MAGICS = frozenset({"time", "timeit", "capture", "prun"})  # their cells hold ordinary Python
_MAGIC = re.compile(
    r"""\s*(?: %%?[A-Za-z]                              # %matplotlib inline
             | !(?!=)                                   # !pip install numpy
             | \?{1,2}[\w.*]+\s*$ | [\w.*%]+\?{1,2}\s*$  # np.where?
             | \w[\w,\ ]*=\s*(?: !(?!=) | %[A-Za-z] ) ) # files = !ls
    """,
    re.VERBOSE,
)
_SIGNS = ("%", "!", "?", "otter", "Notebook", "grader")  # every line that is removed holds one of them
# Whatever a line holds, no space can belong to two parts of these, so that they are done with it at once.
_OTTER = re.compile(
    r"""\s*(?: import\s+otter(?:\s+as\s+\w+)?
             | from\s+otter[\w.]*\s+import\s+[\w,](?:[\w,\ ]*[\w,])?
             | \w+\s*=\s*(?:otter\.)?Notebook\([^;]*\)
             | grader\.(?:check|check_all|export)\([^;]*\) )
        \s*(?:;\s*)?(?:\#.*)?$
    """,
    re.VERBOSE,
)

_OPEN, _CLOSE = tuple("([{"), tuple(")]}")
_PART = re.compile(r"""\"{3} | '{3} | "(?:[^"\\]|\\.)*"? | '(?:[^'\\]|\\.)*'? | \#.* | [][(){}]""", re.VERBOSE)
_TEXT_END = {quotes: re.compile(rf"(?:[^\\]|\\.)*?{quotes}") for quotes in ('"""', "'''")}


@functools.lru_cache(maxsize=64)
def python_of_cell(text: str) -> str:
    """Return a cell without its magics, shell lines, help and grader calls; line numbers stay as they are.

    Kept, since most cells are the handout's, and a watch reads all of them at every save.
    """
    lines = text.split("\n")
    start = next((line for line in lines if line.strip()), "")
    if start.startswith("%%"):
        magic = re.match(r"%%(\w*)", start)
        if magic is None or magic[1] not in _PYTHON_CELL_MAGICS:
            return ""
    return "\n".join(_python_lines(lines))


def _python_lines(lines: list[str]) -> Iterator[str]:
    continued, python = False, _Inside()
    for line in lines:
        if not continued and (python.inside or not any(sign in line for sign in _SIGNS)):
            python.read(line)
            yield line
            continue
        magic = continued or bool(_MAGIC.match(line[:_LONGEST_MAGIC]))
        if magic or (len(line) <= _LONGEST_MAGIC and _OTTER.match(line)):
            indent = line[: len(line) - len(line.lstrip())]
            yield indent + "pass" if indent and line.strip() and not continued else ""
            continued = magic and line.endswith("\\")
        else:
            python.read(line)
            yield line


class _Inside:
    """Whether a line continues a bracket, a string or a joined line from above; `% b` is no magic there."""

    def __init__(self) -> None:
        self._depth, self._quotes, self._joined = 0, "", False

    @property
    def inside(self) -> bool:
        """Whether the next line continues one."""
        return bool(self._depth or self._quotes or self._joined)

    def read(self, line: str) -> None:
        """Read one more line."""
        self._joined = line.endswith("\\")
        at = 0
        while found := _TEXT_END[self._quotes].match(line, at) if self._quotes else _PART.search(line, at):
            at, part = found.end(), found[0]
            if self._quotes:
                self._quotes = ""
            elif part in _TEXT_END:
                self._quotes = part
            else:
                self._joined = self._joined and not part.startswith("#")
                self._depth = max(self._depth + (part in _OPEN) - (part in _CLOSE), 0)
