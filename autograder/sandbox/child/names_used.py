"""Find the library names and the exercises that each exercise's code reaches, by parsing the source without running it.

A hostile source can crash the parser or keep it busy, so this runs in a child in which nothing of the submission runs, with the source as an
argument. Names are followed through imports, simple assignments and the submission's own
helpers. A name in a comment, a string, an annotation, or a function that no exercise reaches does not count.
"""

from __future__ import annotations

import ast
import fnmatch
import functools
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

from autograder.sandbox.child.broken_parts import readable_tree
from autograder.sandbox.child.left_undone import left_undone
from autograder.sandbox.child.parse import FUNCTION, walk

LONGEST_NAME = 200  # characters of a full name that are told
_IMPORT = (ast.Import, ast.ImportFrom)
_LASTING = (
    *FUNCTION,
    ast.ClassDef,
    ast.Module,
    ast.Global,
    ast.Nonlocal,
    ast.Call,
    ast.Attribute,
    ast.arguments,
)  # or may be
_NAMING = (ast.Name, ast.Attribute, ast.Call)  # all nodes that can stand for a name
_FORGETFUL = frozenset({"staticmethod", "classmethod", "property", "torch.no_grad()", "torch.inference_mode()"})
_CONSTANT = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.unaryop, ast.operator,
    ast.expr_context,
)  # fmt: skip
# Who calls these uses no class that they happen to belong to. A rule can still forbid them by their own names.
_STAND_ALONE = frozenset({"torch.nn.Transformer.generate_square_subsequent_mask"})


@dataclass(eq=False)
class _Names:
    """The names of a submission and what they stand for."""

    # A local name and all full names that it is imported as: which of these runs, or none, the text alone does not say.
    imported: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)  # modules all of whose names were imported
    methods: dict[str, list[str]] = field(default_factory=dict)  # of own classes
    defined: dict[str, list[_Part]] = field(default_factory=dict)  # own definitions
    libraries: dict[_Part, list[tuple[str, int]]] = field(default_factory=dict)  # what `_library_names` found


@dataclass(frozen=True, eq=False)
class _Part:
    """A definition, or a class without its methods: its file, the nodes of its code that can name something, and its own imports."""

    label: str
    nodes: tuple[ast.AST, ...]
    local: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @functools.cached_property
    def mentions(self) -> Mapping[str, None]:
        """The names that it mentions, each once."""
        return dict.fromkeys(name for node in self.nodes for name in _named(node))


def read(chunks: list[Any], exercises: list[Any], rules: list[Any], given: list[str]) -> dict[str, Any] | None:
    """Return by exercise the first forbidden name with its place, the exercises it reaches, and those it builds on.

    And `has_memory`: whether an object of the text can outlive a call; and what each exercise's functions leave `undone`.

    A chunk is (label, bytes of the text), an exercise (name, blanks), a rule (forbidden names, exercises that it concerns);
    `given` are the definitions that come with the stub. Return None where a file nests too deeply to be read: it may run all the same.
    """
    try:
        parsed = [(label, tree) for label, text in chunks if (tree := readable_tree(bytes(text).decode()))]
    except RecursionError:
        return None
    _unite([tree for _, tree in parsed], {label.removesuffix(".py") for label, _ in parsed if label.endswith(".py")})
    names = _read(parsed)
    used, reached, code = {}, {}, {}
    for name, blanks in exercises:
        patterns = [pattern for rule, concerned in rules if name in concerned for pattern in rule]
        use = next(_uses(name, blanks, [other for other, _ in exercises], names, patterns), None) if patterns else None
        if use:
            used[name] = use
        found = dict.fromkeys(start for blank in blanks for start in _reached_by(blank, names))
        for _ in _parts(found, names, frozenset()):
            pass
        reached[name] = [other for other, theirs in exercises if any(blank in found for blank in theirs)]
        code[name] = {definition for definition in found if definition in names.defined} - set(given)
    trees = [tree for _, tree in parsed]
    found = {"used": used, "reached": reached, "builds_on": _builds_on(exercises, code)}
    return found | {"has_memory": any(map(_has_memory, trees)), "undone": left_undone(trees, exercises)}


def _unite(trees: list[ast.Module], modules: set[str]) -> None:
    """Write each file's names for what others define as these do: `f as g` becomes `f`, and the file of `L.f` the empty name."""
    for tree in trees if len(trees) > 1 else ():
        nodes = [*ast.walk(tree)]
        own = [a for node in nodes if isinstance(node, ast.Import) for a in node.names if a.name in modules]
        taken = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in modules]
        names = {a.asname: a.name for node in taken for a in node.names if a.asname}
        names |= {alias.asname or alias.name: "" for alias in own}
        for statement in taken:
            statement.module = None  # an import of nothing: the name stands for what another file defines
        for node in nodes:
            if isinstance(node, ast.Name):
                node.id = names.get(node.id, node.id)


def _builds_on(exercises: list[Any], code: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """Return for each exercise the others that its code mentions or shares the student's own definitions with."""
    blanks = {name: {blank.partition(".")[0] for blank in theirs} for name, theirs in exercises}
    helpers = {name: code[name] - set().union(*blanks.values()) for name in code}
    return {
        name: [o for o in code if o != name and (code[name] & blanks[o] or helpers[name] & helpers[o])] for name in code
    }


def forbids(pattern: str, name: str) -> bool:
    """Whether a pattern matches a full name: `*` matches within one part, `.**` at the end everything below."""
    if pattern.endswith(".**"):
        return f"{name}.".startswith(pattern.removesuffix("**"))
    # `torch.*_norm` is not `torch.linalg.vector_norm`.
    return name.count(".") == pattern.count(".") and fnmatch.fnmatchcase(name, pattern)


def _uses(
    exercise: str, blanks: list[str], exercises: list[str], names: _Names, patterns: list[str]
) -> Iterator[tuple[str, str, int]]:
    """Yield each use of a forbidden name in code that the exercise reaches: full name, file and line."""
    own = {blank.partition(".")[0] for blank in blanks}
    strangers = {*exercises} - {exercise} - own
    others = strangers | {method for stranger in strangers for method in names.methods.get(stranger, ())}
    reached = dict.fromkeys(start for blank in blanks for start in _reached_by(blank, names))
    for part in _parts(reached, names, others):
        for full_name, line in _library_names(part, names):
            if any(forbids(pattern, full_name) for pattern in patterns):
                yield full_name[:LONGEST_NAME], part.label, line


def _library_names(part: _Part, names: _Names) -> list[tuple[str, int]]:
    """Return the full library names in a definition, with their lines."""
    if part not in names.libraries:
        names.libraries[part] = _find_library_names(part, names)
    return names.libraries[part]


def _find_library_names(part: _Part, names: _Names) -> list[tuple[str, int]]:
    local = {name: (*names.imported.get(name, ()), *meant) for name, meant in part.local.items()}
    known = replace(names, imported={**names.imported, **local}) if local else names
    found = [(node, name) for node in part.nodes for name in _full_names(node, known)]
    owners = {id(owned[0]) for node, name in found if name in _STAND_ALONE and (owned := _attribute(node))}
    return [(name, getattr(node, "lineno", 0)) for node, name in found if id(node) not in owners]


def _parts(reached: dict[str, None], names: _Names, others: AbstractSet[str]) -> Iterator[_Part]:
    """Yield the definitions of all names in `reached`, which grows by the names that these mention, except `others`."""
    waiting = list(reached)
    for name in waiting:  # grows meanwhile
        _add(_methods(name, reached, names), reached, waiting, others)
        for part in names.defined.get(name, ()):
            _add(part.mentions, reached, waiting, others)
            yield part


def _add(found: Iterable[str], reached: dict[str, None], waiting: list[str], others: AbstractSet[str]) -> None:
    for name in found:
        if name not in others and name not in reached:
            reached[name] = None
            waiting.append(name)


def _reached_by(blank: str, names: _Names) -> list[str]:
    """Return the names that a call of an exercise runs: its function, its class and method, or all methods of its class."""
    owner, _, method = blank.partition(".")
    return [owner, *([blank, f"{owner}.forward"] if method else names.methods.get(owner, []))]


def _methods(name: str, reached: Mapping[str, None], names: _Names) -> list[str]:
    """Return the methods that a class, or an attribute written with its dot, adds: a method needs both to be reached."""
    if name.startswith("."):
        return [owner + name for owner in names.methods if owner in reached]
    return [name + attribute for attribute in reached if attribute.startswith(".")] if name in names.methods else []


def _named(node: ast.AST) -> list[str]:
    """Return the names that a node mentions: `f` and `f.forward` for a name, `.f` for an attribute."""
    match node:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id=""), attr=name):
            return [name, f"{name}.forward"]
        case ast.Attribute(attr=name):
            return [f".{name}"]
    return []


def _full_names(node: ast.AST, names: _Names) -> Iterator[str]:
    """Yield the full library names that a name or an attribute can mean."""
    parts = []
    while attribute := _attribute(node):
        node, part = attribute
        parts.append(part)
    if not isinstance(node, ast.Name):
        return
    if node.id in names.imported:
        yield from (".".join((meant, *reversed(parts))) for meant in names.imported[node.id])
    elif node.id not in names.defined:
        yield from (".".join((module, node.id, *reversed(parts))) for module in names.stars)


def _attribute(node: ast.AST) -> tuple[ast.AST, str] | None:
    """Return whose attribute a node is, and its name: `torch.ops`, or `getattr(torch, "ops")`."""
    match node:
        case ast.Attribute(value=owner, attr=name):
            return owner, name
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name)), *_]):
            return owner, name
    return None


def _read(parsed: list[tuple[str, ast.Module]]) -> _Names:
    names = _Names()
    for label, tree in parsed:
        for statement in tree.body:
            if isinstance(statement, FUNCTION):
                names.defined.setdefault(statement.name, []).append(_part(label, statement))
            elif isinstance(statement, ast.ClassDef):
                _note_class(statement, names, label)
        for node in walk(tree, into_functions=False):
            if isinstance(node, _IMPORT):
                _note_import(node, names)
        for statement in tree.body:
            _note_alias(statement, names, label)
    return names


def _part(label: str, *code: ast.AST) -> _Part:
    """Return a definition with its own imports."""
    local, nodes = _Names(), [node for root in code for node in walk(root)]
    for node in nodes:
        if isinstance(node, _IMPORT):
            _note_import(node, local)
    return _Part(label, tuple(node for node in nodes if isinstance(node, _NAMING)), local.imported)


def _note_class(node: ast.ClassDef, names: _Names, label: str) -> None:
    """Note a class, and its methods by their dotted names; methods such as `__init__` count as part of the class."""
    methods = [
        n for n in node.body if isinstance(n, FUNCTION) and not (n.name.startswith("__") and n.name.endswith("__"))
    ]
    rest = [part for part in node.body if part not in methods]
    names.defined.setdefault(node.name, []).append(
        _part(label, *node.decorator_list, *node.bases, *node.keywords, *rest)
    )
    for method in methods:
        names.defined.setdefault(f"{node.name}.{method.name}", []).append(_part(label, method))
        names.methods.setdefault(node.name, []).append(f"{node.name}.{method.name}")


def _has_memory(tree: ast.Module) -> bool:
    """Whether a file has a global that functions set, a default, global or class attribute that is no constant, or a decorator."""
    nodes = [node for node in walk(tree, annotations=True) if isinstance(node, _LASTING)]
    defined = {node.name for node in nodes if isinstance(node, (*FUNCTION, ast.ClassDef))}
    return any(_is_memory(node, defined) for node in nodes)


def _is_memory(node: ast.AST, defined: AbstractSet[str]) -> bool:
    match node:
        case ast.Global() | ast.Nonlocal() | ast.Call(func=ast.Name(id="exec" | "globals" | "setattr" | "vars")):
            return True
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()):
            return name in defined
        case ast.FunctionDef(decorator_list=decorators) if {ast.unparse(d) for d in decorators} - _FORGETFUL:
            return True
        case ast.arguments(defaults=defaults, kw_defaults=kw_defaults):
            return not all(_is_constant(value) for value in (*defaults, *kw_defaults) if value)
        case ast.Module(body=body) | ast.ClassDef(body=body):
            assigned = (each.value for each in body if isinstance(each, (ast.Assign, ast.AnnAssign, ast.AugAssign)))
            return not all(_is_constant(value) for value in assigned if value)
    return False


def _is_constant(value: ast.expr) -> bool:
    """Whether an expression holds nothing but literals, operators, tuples and names; each name is judged where it is assigned."""
    return all(isinstance(part, _CONSTANT) for part in ast.walk(value))


def _note_import(node: ast.Import | ast.ImportFrom, names: _Names) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            # `import torch.nn` binds torch; `import torch.nn as nn` binds nn to torch.nn.
            root = alias.name.partition(".")[0]
            _note_meaning(alias.asname or root, alias.name if alias.asname else root, names)
    elif node.module:
        for alias in node.names:
            if alias.name == "*":
                names.stars.append(node.module)
            else:
                _note_meaning(alias.asname or alias.name, f"{node.module}.{alias.name}", names)


def _note_meaning(name: str, meant: str, names: _Names) -> None:
    names.imported[name] = tuple(dict.fromkeys((*names.imported.get(name, ()), meant)))


def _note_alias(node: ast.stmt, names: _Names, label: str) -> None:
    """Note a top-level assignment: another name for a library name, or a definition."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return
    full_names = [*_full_names(node.value, names)]
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Name):
            for full_name in full_names:
                _note_meaning(target.id, full_name, names)
            if not full_names:
                names.defined.setdefault(target.id, []).append(_part(label, node))
