"""Slips: small changes to right code, one at a time, of which can be told what they are, such as one name in the place of another.

No author writes them. Where no known mistake gives what a student's code gives, one of these may.
"""

from __future__ import annotations

import ast
import copy
import itertools
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import NamedTuple, TypeVar

from autograder.judge.reasons import Key
from autograder.judge.slip_sentences import SLIPS
from autograder.oracle.fresh_program import quiet
from autograder.oracle.slip_changes import BY_ITSELF, PARTLY, changes, made_by
from autograder.oracle.slip_names import Definition, NamesIn, Place, Words, definitions
from autograder.oracle.step_limit import SAYS, count_steps, text_without_steps
from autograder.sandbox.child.parse import parse, walk

MOST = 1000  # in one program
T = TypeVar("T")
Span = tuple[int, int]  # of characters
Apart = Callable[[ast.AST], bool]
# Of changes there little can be told.
_LEFT_ALONE = (ast.arguments, ast.JoinedStr, ast.Raise, ast.Assert, ast.BoolOp, ast.comprehension)
_NO_CODE = ("annotation", "returns", "decorator_list")


@dataclass(frozen=True)
class Slip:
    """One change: what is told of it, and the function or class with it, to be run after the program that it is a change of."""

    key: Key
    name: str  # of that function or class
    code: CodeType = field(compare=False, repr=False)


class Where(NamedTuple):
    """Where slips are made: in some functions of a program, by their dotted names.

    Beside `known` ones those are left out of which the same is told, or not all that is mixed up has a name. What overlaps a span of
    the text that is to be `kept` is left out as well.
    """

    text: str
    functions: Collection[str]
    words: Words
    known: Collection[Key] | None = None
    kept: Span | None = None


def slips_in(where: Where) -> tuple[Slip, ...]:
    """Return the slips in a program, those of which most can be told first."""
    found = _made(where, lambda top: (top.name, _compiled(top)))
    return tuple(Slip(key, *made) for key, made in found)


def written_slips(where: Where) -> list[tuple[Key, str]]:
    """Return the same slips in the same order, each as what is told of it and the text of the whole program with it."""
    lines = where.text.split("\n")

    def write(top: Definition) -> str:
        first = min([top.lineno, *(node.lineno for node in top.decorator_list)])
        return "\n".join([*lines[: first - 1], text_without_steps(top), *lines[top.end_lineno :]])

    return _made(where, write)


def _made(where: Where, make: Callable[[Definition], T]) -> list[tuple[Key, T]]:
    """Return what is told of each slip, with what is made of the definition with it."""
    tree = parse(where.text)
    apart = _apart_from(where.text, where.kept)
    counted = set[Definition]()
    found: list[tuple[Key, T]] = []
    for function in where.functions:
        if tops := definitions(tree, function):
            if tops[-1] not in counted:
                count_steps(ast.Module([tops[-1]], []), lambdas=True, comprehensions=True)
                counted.add(tops[-1])
            with quiet():  # Python warns of what would crash
                told = _inside(tops[-1], function, where.words, where.known, apart)
                found += ((key, make(tops[-1])) for key in told)
    return sorted(found, key=lambda slip: list(SLIPS).index(slip[0][0]))[:MOST]


def _apart_from(text: str, span: Span | None) -> Apart:
    """Return what says whether a node lies outside a span of its text; all do where there is none."""
    if span is None:
        return lambda _: True
    before = [text[:end] for end in span]
    first, last = ((each.count("\n") + 1, len(each.rpartition("\n")[2].encode())) for each in before)

    def apart(node: ast.AST) -> bool:
        start, end = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)), _end_of(node)
        return end <= first or start >= last

    return apart


def _end_of(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", sys.maxsize), getattr(node, "end_col_offset", 0)


def _inside(top: Definition, path: str, words: Words, known: Collection[Key] | None, apart: Apart) -> Iterator[Key]:
    """Yield what is told of each slip in a function of a definition, also in functions inside of it, while it stands there."""
    name = path.rpartition(".")[2]
    function = next((node for node in walk(top) if isinstance(node, ast.FunctionDef) and node.name == name), None)
    if function is None:
        return
    names = NamesIn.of(function, words)
    for place in filter(lambda place: apart(place.node), list(_places(function, ()))):
        made = made_by(place.statement, words)
        for key, other in changes(place, names):
            if known is None or (_tells_enough(key, made) and (*key, made) not in known):
                place.put(ast.fix_missing_locations(ast.copy_location(other, place.node)))
                yield (*key, made)
                place.put(place.node)
    for lines, key, others in _moved(function):
        before = lines[:]
        if known is not None and (key[0] not in BY_ITSELF or (*key, "") in known):
            continue
        if not all(apart(line) for line, other in itertools.zip_longest(before, others) if line and line is not other):
            continue
        lines[:] = others
        yield (*key, "")
        lines[:] = before


def _tells_enough(key: Key, made: str) -> bool:
    """Whether what is told of a slip says something of code that is written in another way."""
    return bool(made) or key[0] in BY_ITSELF or (len(key) > 1 and key[0] not in PARTLY)


def _places(node: ast.AST, above: tuple[ast.AST, ...]) -> Iterator[Place]:
    """Yield the places below a node in which something may be changed."""
    for name, value in ast.iter_fields(node):
        for index, part in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(part, ast.AST) and not (isinstance(part, _LEFT_ALONE) or name in _NO_CODE or _is_step(part)):
                yield Place(part, (*above, node), name, index)
                yield from _places(part, (*above, node))


def _is_step(node: ast.AST) -> bool:
    """Whether all that a statement does is to say that a step is taken."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name == SAYS
    return False


def _moved(function: ast.FunctionDef) -> Iterator[tuple[list[ast.stmt], Key, list[ast.stmt]]]:
    """Yield the lines of each block with what is told of a line that stands elsewhere, and these lines then."""
    for lines in [block for node in walk(function) for block in _blocks(node)]:
        free = range(sum(map(_stays, lines)), len(lines))
        for i, j in itertools.pairwise(free):
            yield lines, ("slip_order",), [*lines[:i], lines[j], lines[i], *lines[j + 1 :]]
        for i, loop in enumerate(lines):
            if isinstance(loop, ast.For | ast.While):
                *inside, last = loop.body
                if not (all(map(_stays, inside)) or any(isinstance(n, ast.Break | ast.Continue) for n in walk(last))):
                    yield lines, ("slip_behind_loop",), [*lines[:i], _with(loop, inside), last, *lines[i + 1 :]]
                if i + 2 < len(lines):
                    longer = _with(loop, [*loop.body, lines[i + 1]])
                    yield lines, ("slip_into_loop",), [*lines[:i], longer, *lines[i + 2 :]]


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if isinstance(block, list) and not isinstance(node, ast.ClassDef):
            yield block


def _with(loop: ast.For | ast.While, body: list[ast.stmt]) -> ast.For | ast.While:
    """Return a loop with other lines in it."""
    other = copy.copy(loop)
    other.body = body
    return other


def _stays(statement: ast.stmt) -> bool:
    """Whether a statement is a docstring, or says that a step is taken."""
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or _is_step(statement)


def _compiled(top: Definition) -> CodeType:
    """Return a definition as code."""
    return compile(ast.Module([top], []), f"a slip in {top.name}", "exec", dont_inherit=True)
