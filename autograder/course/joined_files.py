"""Several files of one assignment as one text, and back.

The engine reads, edits, cuts and runs a reference as one text, with one set of names. So the files of an assignment are joined
in the order in which they import each other. The lines by which they do that are held back as comments, since in one text every
name is there already; `split` gives the files back as they were. Students' files are never joined: each is a module of its own.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections.abc import Iterator, Mapping

from autograder.course.cut_definitions import without_definitions
from autograder.sandbox.child.parse import parse

_MARK = re.compile(
    r"^# ---- FILE (\w+\.py) ----\n\n", re.MULTILINE
)  # a line is empty, so that no definition takes it along
_MARK_LINES = 2
_HELD = "#| "  # begins a line that is held back


class JoinError(Exception):
    """Files cannot be read as one text; the message says why, and what to write."""


def join(parts: Mapping[str, str]) -> str:
    """Return files as one text. What is no Python is joined as it is; running it tells why."""
    modules = {_module(name) for name in parts}
    joined = []
    for position, (name, text) in enumerate(parts.items()):
        ended = text if text.endswith("\n") or not text else f"{text}\n"
        joined.append(f"# ---- FILE {name} ----\n\n{_held_back(ended, modules, first=not position)}")
    return "".join(joined)


@functools.lru_cache(maxsize=64)
def split(text: str) -> Mapping[str, str]:
    """Return the files of a joined text by name; nothing for the text of a single file."""
    _, *pieces = _MARK.split(text)
    return {name: _given_back(part) for name, part in zip(pieces[::2], pieces[1::2], strict=True)}


@functools.lru_cache(maxsize=64)
def homes_of(text: str) -> Mapping[str, str]:
    """Return which file of a joined text defines each top-level name; nothing for the text of a single file."""
    found: dict[str, str] = {}
    for file, part in split(text).items():
        try:
            bound = _bound(parse(part))
        except (SyntaxError, ValueError):
            continue  # running it says why
        for name, origin in bound:
            if not origin:
                found.setdefault(name, file)
    return found


def place_in(text: str, line: int, file: str) -> tuple[str, int]:
    """Return in which file a line of a text stands, and as which of its lines; `file` is the name of a single one."""
    before = 0
    for mark in _MARK.finditer(text):
        first = text.count("\n", 0, mark.start())
        if first >= line:
            break
        file, before = mark[1], first + _MARK_LINES
    return file, line - before


def replaced(text: str, source: str) -> str:
    """Return a reference with definitions that replace some of its own, each in the file in which it stands."""
    parts = dict(split(text))
    if not parts:
        return f"{text}\n{source}"
    homes = homes_of(text)
    names = [name for name, origin in _bound(parse(source)) if not origin]
    touched = {homes[name] for name in names if name in homes} or {list(parts)[-1]}
    for file in touched:
        elsewhere = [name for name in names if homes.get(name, file) != file]
        parts[file] = f"{parts[file]}\n{without_definitions(source, elsewhere, ())}"
    return join(parts)


def held_names(text: str) -> Iterator[tuple[str, str]]:
    """Yield each name that a file of a joined text imports from another of its files, with the importing file."""
    parts = split(text)
    modules = {_module(name) for name in parts}
    for file, part in parts.items():
        for node in parse(part).body:
            if isinstance(node, ast.ImportFrom) and node.module in modules:
                yield from ((alias.name, file) for alias in node.names)


def refuse_unjoinable(parts: Mapping[str, str]) -> None:
    """Refuse files whose one text would not be the program that they are. Raises JoinError and SyntaxError."""
    order = [_module(name) for name in parts]
    known: dict[str, tuple[str, str]] = {}
    has_future = [False, False]
    for position, (file, text) in enumerate(parts.items()):
        tree = parse(text)
        for node in ast.walk(tree):
            _refuse_import(node, file, order, position, at_top=node in tree.body)
        has_future[bool(position)] |= any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in tree.body)
        for name, origin in _bound(tree):
            if origin.partition(".")[0] in order:
                continue
            other, meant = known.setdefault(name, (file, origin))
            if other != file and (meant != origin or not origin):
                raise JoinError(
                    f"{name} means one thing in {other} and another in {file}. Give one of them another name."
                )
    if has_future == [False, True]:
        raise JoinError(
            f"{next(iter(parts))} lacks the `from __future__` line that another file has. Write it there, too."
        )


def _refuse_import(node: ast.AST, file: str, order: list[str], position: int, *, at_top: bool) -> None:
    """Refuse an import of another file that could not be held back."""
    if isinstance(node, ast.Import):
        module = next((a.name for a in node.names if a.name in order), "")
        plain = not module
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        plain = node.level == 0 and at_top and not any(alias.asname for alias in node.names)
        if module not in order and not node.level:
            return
    else:
        return
    if not plain:
        wanted = f"from {module or 'FILE'} import NAME, ..."
        raise JoinError(
            f"{file}, line {getattr(node, 'lineno', 0)}: files import each other by `{wanted}` alone, at the top level and without `as`"
        )
    if module in order and order.index(module) >= position:
        told = f"{file}, line {getattr(node, 'lineno', 0)}: {file} imports from {module}.py"
        raise JoinError(f"{told}, so {module}.py has to stand before it in `files`, and must not import from it")


def _bound(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each name that a file gives a meaning at its top level, and what it imports under it, if it is imported."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, ""
            case ast.Assign(targets=targets):
                names = (n for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))
                yield from ((n.id, "") for n in names if isinstance(n.ctx, ast.Store))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, ""
            case ast.Import(names=aliases):
                for alias in aliases:
                    root = alias.name.partition(".")[0]
                    yield alias.asname or root, alias.name if alias.asname else root
            case ast.ImportFrom(module=module, names=aliases):
                yield from ((alias.asname or alias.name, f"{module}.{alias.name}") for alias in aliases)


def _held_back(text: str, modules: set[str], *, first: bool) -> str:
    """Return a file with the lines as comments by which it imports from its neighbours, or repeats a `__future__`."""
    try:
        body = parse(text).body
    except (SyntaxError, ValueError):
        return text
    held = modules if first else modules | {"__future__"}
    spans = [
        (n.lineno - 1, n.end_lineno or n.lineno) for n in body if isinstance(n, ast.ImportFrom) and n.module in held
    ]
    inside = set(itertools.chain.from_iterable(itertools.starmap(range, spans)))
    lines = text.split("\n")  # as the parser counts them
    return "\n".join(f"{_HELD}{line}" if number in inside else line for number, line in enumerate(lines))


def _given_back(text: str) -> str:
    return re.sub(rf"^{re.escape(_HELD)}", "", text, flags=re.MULTILINE)


def _module(file: str) -> str:
    return file.removesuffix(".py")
