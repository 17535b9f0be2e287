"""Find out which exercises of a stub are written in a file, ignoring layout, comments and docstrings.

One pattern cuts the code into statements. It is not parsed here: hostile code can crash the parser, this process holds the
answers, and Python's own tokenizer takes quadratic time on some lines.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path

from autograder.course.assignment import PLOT
from autograder.course.joined_files import homes_of, split
from autograder.course.language import ENGLISH, marked, say
from autograder.course.spec import Assignment
from autograder.sandbox.job import Source

Line = tuple[str, ...]  # the depth of the indentation, then the tokens
Statement = tuple[Line, ...]

_TOKEN = re.compile(
    r"""(?P<layout> \#[^\n]* | [ \t\f]+ | \\\n )
      | (?P<text> \"{3}(?:[^\\]|\\.?)*?(?:\"{3}|\Z) | '{3}(?:[^\\]|\\.?)*?(?:'{3}|\Z)
                | "(?:[^"\\\n]|\\.?)*"? | '(?:[^'\\\n]|\\.?)*'? )
      | \w+ | [=!<>:]= | . """,
    re.VERBOSE | re.DOTALL,
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_DEFINES = frozenset({"def", "class", "async"})


@dataclass(frozen=True)
class Stub:
    """The stub that students start from: its file's name, its code, its exercises, and those of them that ask for a plot.

    Of several `files` the `given` ones count as the course has them, and `homes` says which of them has a name.
    """

    file: str
    text: str = ""
    exercises: frozenset[str] = frozenset()
    plots: frozenset[str] = frozenset()
    language: str = ENGLISH  # in which students are told what is wrong with their file
    files: tuple[str, ...] = ()
    given: tuple[tuple[str, str], ...] = ()  # names and texts
    homes: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, assignment: Assignment) -> Stub:
        """Return an assignment's stub."""
        names = {name.partition(".")[0] for e in assignment.exercises if not e.training for name in (e.name, *e.blanks)}
        plots = frozenset(e.name for e in assignment.exercises if e.manual and e.answer == PLOT)
        own = assignment.file, "\n".join(assignment.as_files(assignment.stub).values()), frozenset(names), plots
        parts = split(assignment.stub)
        given = tuple((name, parts[name]) for name in assignment.given_files if name in parts)
        homes = tuple(homes_of(assignment.reference or assignment.stub).items())
        return cls(*own, assignment.language, assignment.files, given, homes)

    @property
    def notebook(self) -> str:
        """The name of the notebook that may be handed in instead of the file."""
        return f"{Path(self.file).stem}.ipynb"

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of the files to hand in."""
        given = dict(self.given)
        return tuple(name for name in self.files if name not in given) or (self.file,)

    @property
    def names(self) -> tuple[str, ...]:
        """All names by which work goes: those of several files, or the file's and the notebook's."""
        return self.asked if self.files else (self.file, self.notebook)

    @property
    def wanted(self) -> str:
        """What to hand in, for a sentence."""
        return self._listed(marked("{others} and {last}"))

    @property
    def any_wanted(self) -> str:
        """What may be handed in, for a sentence."""
        return self._listed(marked("{others} or {last}"))

    def _listed(self, told: str) -> str:
        *others, last = self.asked
        return say(told, others=", ".join(others), last=last) if others else last


@dataclass(frozen=True)
class Work:
    """A student's work: the exercises that differ from the stub, and all definitions that are not in it."""

    exercises: frozenset[str] = frozenset()
    definitions: frozenset[Statement] = frozenset()


@functools.lru_cache(maxsize=4)
def written(source: Source, stub: Stub) -> Work:
    """Return what a source defines differently from the stub; kept, since a watch asks again when another file was saved."""
    given = _given(stub.text)
    own = {s for chunk in source.chunks for s in _statements(chunk.text) if s not in given}
    exercises = {statement: stub.exercises & _bound(statement) for statement in own}
    return Work(
        frozenset().union(*exercises.values()),
        frozenset(statement for statement in own if exercises[statement] or statement[0][1] in _DEFINES),
    )


@functools.lru_cache(maxsize=8)
def _given(text: str) -> frozenset[Statement]:
    """Return the statements of a stub, which is compared with one file after another."""
    return frozenset(_statements(text))


def _statements(text: str) -> Iterator[Statement]:
    """Cut code into its top-level statements."""
    held: list[Line] = []
    for line in _lines(text):
        if line[0] == "0" and held:
            yield tuple(held)
            held = []
        held.append(line)
    if held:
        yield tuple(held)


def _lines(text: str) -> Iterator[Line]:
    """Yield every logical line that is not only a string, such as a docstring."""
    indents, tokens, texts, inside, begin = [0], list[str](), 0, 0, 0
    for match in _TOKEN.finditer(text + "\n"):
        part = match[0]
        if match["layout"]:
            continue
        if part == "\n":
            if tokens and not inside:
                if texts < len(tokens):
                    depth = _depth(indents, begin)
                    yield (str(depth), *(t for t, after in pairwise([*tokens, ""]) if t != "," or after not in _CLOSE))
                tokens, texts = [], 0
            continue
        if not tokens:
            begin = match.start() - (text.rfind("\n", 0, match.start()) + 1)
        tokens.append(part)
        texts += match["text"] is not None
        inside = max(inside + (part in _OPEN) - (part in _CLOSE), 0)
    if tokens:
        yield (str(_depth(indents, begin)), *tokens)


def _depth(indents: list[int], begin: int) -> int:
    """Return the depth of a line that begins in this column; updates the open indents."""
    while begin < indents[-1]:
        indents.pop()
    if begin > indents[-1]:
        indents.append(begin)
    return len(indents) - 1


def _bound(statement: Statement) -> frozenset[str]:
    """Return the names that a statement defines, or whose attributes it sets."""
    names: set[str] = set()
    for _, *tokens in statement[:1] if statement[0][1] in _DEFINES else statement:
        names.update(after for token, after in pairwise(tokens) if token in _DEFINES)
        if "=" in tokens:
            targets = list(takewhile(lambda token: token not in {"=", *_OPEN}, tokens))
            names.update(targets if tokens[len(targets)] == "=" else ())
    return frozenset(names)
