"""The names around a slip: those that students find in their stub, of which alone is told, and the place in the tree."""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from autograder.sandbox.child.parse import parse

Definition = ast.FunctionDef | ast.ClassDef
Alike = Callable[[int, str], Collection[str]]  # by line and name, the names of other values of the same shape
# Functions that may be taken of any number: what makes something of a size may be given one that fills all memory.
_MAPS = (
    "abs", "absolute", "cos", "exp", "gelu", "log", "log1p", "relu", "sigmoid", "sign", "silu", "sin", "sqrt", "square", "tanh",
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A place in a tree: what stands there, and what it lies in, the innermost last."""

    node: ast.AST
    above: tuple[ast.AST, ...]
    field: str
    index: int | None  # in a list

    @property
    def parent(self) -> ast.AST:
        """What it lies in."""
        return self.above[-1]

    @property
    def statement(self) -> ast.stmt:
        """The innermost statement that it belongs to."""
        return next(node for node in (self.node, *reversed(self.above)) if isinstance(node, ast.stmt))

    def put(self, other: ast.AST) -> None:
        """Put something else there."""
        if self.index is None:
            setattr(self.parent, self.field, other)
        else:
            getattr(self.parent, self.field)[self.index] = other


@dataclass(frozen=True)
class Words:
    """Which words students know, those of an exercise in the stub and all in the stub, and what else says what may be told.

    What stands in answers by a name that is told, where those are `answered`. `alike` says which values one may take for another:
    those of the same shape. Another one would only crash, or worse, never end.
    """

    here: frozenset[str]
    everywhere: frozenset[str]
    answered: frozenset[str]
    alike: Alike

    @staticmethod
    def of(stub: str, functions: Collection[str], answered: Collection[str], alike: Alike) -> Words:
        """Return the words of some functions of a stub, by their dotted names."""
        here, everywhere = _words_of_stub(stub, tuple(functions))
        return Words(here, everywhere, frozenset(answered), alike)


@functools.lru_cache(maxsize=64)
def _words_of_stub(stub: str, functions: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    tree = parse(stub)
    tops = [top for function in functions for top in definitions(tree, function)]
    return frozenset[str]().union(*map(words_of, tops)), words_of(tree)


def definitions(tree: ast.Module, function: str) -> list[Definition]:
    """Return the definitions at the top that a function is, or lies in."""
    name = function.partition(".")[0]
    return [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name]


def words_of(tree: ast.AST) -> frozenset[str]:
    """Return the words in code and its docstrings."""
    return frozenset(re.findall(r"\w+", ast.unparse(tree)))


@dataclass(frozen=True)
class NamesIn:
    """The names in a function that students know: its values, the keys it asks for, what its object holds, its arguments, and maps that it takes of something."""

    values: tuple[str, ...]
    keys: tuple[str, ...]
    held: tuple[str, ...]
    arguments: tuple[str, ...]
    maps: tuple[ast.expr, ...]
    words: Words

    @staticmethod
    def of(function: ast.FunctionDef, words: Words) -> NamesIn:
        """Return the names in a function."""
        nodes = list(ast.walk(function))
        arguments = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
        stored = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        calls = [node for node in nodes if isinstance(node, ast.Call) and is_of_one(node)]
        called = {ast.unparse(call.func): copy.deepcopy(call.func) for call in calls}
        return NamesIn(
            _known(arguments + stored, words.here),
            _known(map(key_of, nodes), words.everywhere),
            _known(map(held_by_object, nodes), words.everywhere),
            _known(arguments, words.here),
            tuple(f for name, f in called.items() if name.startswith("self.") or _plain(name) in _MAPS),
            words,
        )

    def called(self, function: ast.expr) -> str:
        """Return what a function is called: one of a library, a method, or one that students know; else nothing."""
        match function:
            case ast.Name(id=name):
                name = _plain(name)
                return name if name in self.words.everywhere or name in _MAPS or hasattr(builtins, name) else ""
            case ast.Attribute(attr=name):
                return "" if name.startswith("_") else name
        return ""

    def text(self, node: ast.AST) -> str:
        """Return how a part of a sum or product is written, if it is a number or a name that students know; else nothing."""
        match node:
            case ast.Name(id=name):
                return name if name in self.words.here else ""
            case ast.Subscript():
                return key if (key := key_of(node)) in self.keys else ""
            case ast.Attribute():
                return f"self.{name}" if (name := held_by_object(node)) in self.held else ""
            case ast.Constant(value=int() | float() as number):
                return str(number)
            case ast.BinOp(left=ast.Constant(value=1), op=ast.Sub(), right=right):
                return f"1 - {name}" if (name := self.text(right)) else ""
        return ""


def _known(names: Iterable[str], words: frozenset[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name in words and name != "self"))


def _plain(name: str) -> str:
    """Return a function's name, of a helper that is a known map the name of that."""
    name = name.rpartition(".")[2]
    return name.lstrip("_") if name.lstrip("_") in _MAPS else name


def is_of_one(node: ast.Call) -> bool:
    """Whether a call has one argument."""
    return len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)


def key_of(node: ast.AST) -> str:
    """Return the key that is asked for or written to, if it is a text; else nothing."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
    return ""


def held_by_object(node: ast.AST) -> str:
    """Return the name of what an object holds, if that is read; else nothing."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()):
            return name
    return ""
