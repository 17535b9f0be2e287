"""What a student's functions leave undone, as far as their text shows: arguments that they never read, loops that end at once.

Code is checked many times before it is finished, and then no known mistake explains it. What is said here is so whatever the code
computes. The text is hostile, so this runs where `names_used.py` does.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from autograder.sandbox.child.parse import walk

# Kinds of what is left undone, the surest first. Those that are sure are in the way whatever else is wrong.
SURE = (
    "branch_not_written",
    "returns_in_first_turn",
    "breaks_in_first_turn",
    "every_exception_hidden",
    "result_not_kept",
    "part_not_used",
    "argument_not_read",
)
KINDS = (*SURE, "every_axis_squeezed", "exception_hidden", "setting_not_used", "value_not_used")
_SEES_ALL = frozenset({"locals", "vars", "eval", "exec", "getattr"})
_SEES_PARTS = frozenset(
    {"children", "modules", "named_children", "named_modules", "parameters", "__dict__", "_modules"}
)
# Functions and methods that change nothing, so that who calls them wants what they return.
_PURE = frozenset({
    "abs", "astype", "cat", "clamp", "clip", "concatenate", "cumsum", "dropout", "exp", "expand", "expand_dims", "flatten", "flip",
    "layer_norm", "log", "masked_fill", "matmul", "maximum", "mean", "minimum", "permute", "relu", "repeat", "reshape",
    "sigmoid", "softmax", "sqrt", "squeeze", "stack", "sum", "swapaxes", "tanh", "transpose", "tril", "triu", "unsqueeze",
    "view", "where",
})  # fmt: skip
# What these are handed by place besides one argument may be an array to fill.
_OF_ONE = frozenset({"abs", "exp", "log", "sigmoid", "sqrt", "tanh"})
_OF_ALL = frozenset({"Exception", "BaseException"})
# All nodes that are looked at.
_TELLING = (ast.Name, ast.AugAssign, ast.For, ast.Expr, ast.ExceptHandler, ast.Assign, ast.Global, ast.Nonlocal)
_LIBRARIES = ("np", "numpy", "torch")
_MOST = 5  # things of one kind that are told
Undone = list[str]


def left_undone(trees: Sequence[ast.Module], exercises: Iterable[tuple[str, Iterable[str]]]) -> dict[str, list[Undone]]:
    """Return by exercise what its functions leave undone: a kind, the function's name, and names of what it is about.

    An exercise is (name, blanks).
    """
    functions, classes = _definitions(trees)
    unused = _unused_parts(classes, trees)
    found = {}
    for exercise, blanks in exercises:
        undone: list[Undone] = []
        for blank in blanks:
            for path in [name for name in functions if name == blank or name.startswith(f"{blank}.")]:
                function = functions[path]
                if not _is_stub(function) and not function.name.startswith("__"):
                    undone += [
                        [kind, function.name, *names] for kind, names in _of_function(function, method="." in path)
                    ]
            owner = blank.partition(".")[0]
            undone += [[kind, owner, *names[:_MOST]] for kind, names in unused.get(owner, {}).items() if names]
        found[exercise] = sorted(undone, key=lambda each: KINDS.index(each[0]))
    return found


def _definitions(trees: Sequence[ast.Module]) -> tuple[dict[str, ast.FunctionDef], dict[str, ast.ClassDef]]:
    """Return the functions and methods by their paths, and the classes; of several with one name the last."""
    functions, classes = {}, {}
    for node in (node for tree in trees for node in tree.body):
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            classes[node.name] = node
            functions |= {f"{node.name}.{part.name}": part for part in node.body if isinstance(part, ast.FunctionDef)}
    return functions, classes


def _is_stub(function: ast.FunctionDef) -> bool:
    """Whether nothing is written yet behind the docstring."""
    told = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    return all(isinstance(node, ast.Raise | ast.Pass) for node in told)


def _of_function(function: ast.FunctionDef, *, method: bool) -> Iterator[tuple[str, list[str]]]:
    nodes = [node for statement in function.body for node in walk(statement) if isinstance(node, _TELLING)]
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    read |= {n.target.id for n in nodes if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    if any(_is_placeholder(body) for statement in function.body for node in walk(statement) for body in _bodies(node)):
        yield "branch_not_written", []
    loops = [node for node in nodes if isinstance(node, ast.For)]
    for kind, end in (("returns_in_first_turn", ast.Return), ("breaks_in_first_turn", ast.Break)):
        if any(_ends_at_once(loop, end) for loop in loops):
            yield kind, []
    if read.isdisjoint(_SEES_ALL):
        unread = [name for name in _arguments(function, method=method) if name not in read]
        if unread:
            yield "argument_not_read", unread[:_MOST]
    for node in nodes:
        if isinstance(node, ast.Expr) and (called := _pure_call(node.value)):
            yield "result_not_kept", [called]
            break
    if any(_squeezes_all(node) for statement in function.body for node in walk(statement)):
        yield "every_axis_squeezed", []
    handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler)]
    if any(map(_hides_all, handlers)):
        yield "every_exception_hidden", []
    elif any(map(_says_nothing, handlers)):
        yield "exception_hidden", []
    if read.isdisjoint(_SEES_ALL):
        unused = dict.fromkeys(name for node in nodes if (name := _set_by(node)) and name not in read)
        lasting = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
        if unused.keys() - lasting:
            yield "value_not_used", [name for name in unused if name not in lasting][:_MOST]


def _bodies(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    """Yield what runs inside of a branch or loop."""
    if isinstance(node, ast.If | ast.For | ast.While):
        yield from (node.body, node.orelse)


def _is_placeholder(body: Sequence[ast.stmt]) -> bool:
    """Whether `...` alone stands for what is still to be written; `pass` may say that nothing is to be done."""
    return [
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value for node in body
    ] == [...]


def _arguments(function: ast.FunctionDef, *, method: bool) -> list[str]:
    named = function.args
    names = [argument.arg for argument in (*named.posonlyargs, *named.args)][1 if method else 0 :]
    return [name for name in (*names, *(a.arg for a in named.kwonlyargs)) if not name.startswith("_")]


def _ends_at_once(loop: ast.For, end: type[ast.stmt]) -> bool:
    """Whether the first turn of a loop is its last, by a statement that ends it."""
    goes_on = any(isinstance(node, ast.Continue) for statement in loop.body for node in walk(statement))
    return isinstance(loop.body[-1], end) and not goes_on


def _pure_call(value: ast.expr) -> str:
    """Return the name of what a statement calls to no end, or nothing; a part of the object itself may work in place."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or value.func.attr not in _PURE:
        return ""
    if isinstance(value.func.value, ast.Name) and value.func.value.id == "self":
        return ""
    fills = any(keyword.arg in ("out", "inplace") for keyword in value.keywords)
    fills |= len(value.args) > (1 if value.func.attr in _OF_ONE else 2)
    return "" if fills else value.func.attr


def _squeezes_all(node: ast.AST) -> bool:
    """Whether a call takes away all axes of length one, as `x.squeeze()` and `np.squeeze(x)` do."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="squeeze"), args=args, keywords=[]):
            return len(args) == (isinstance(owner, ast.Name) and owner.id in _LIBRARIES)
    return False


def _hides_all(handler: ast.ExceptHandler) -> bool:
    """Whether an `except` catches whatever goes wrong, and does something else instead."""
    catches = handler.type is None or (isinstance(handler.type, ast.Name) and handler.type.id in _OF_ALL)
    return catches and not any(isinstance(node, ast.Raise) for statement in handler.body for node in walk(statement))


def _says_nothing(handler: ast.ExceptHandler) -> bool:
    """Whether an `except` drops what it catches."""
    return all(
        isinstance(node, ast.Pass | ast.Continue)
        or (isinstance(node, ast.Expr | ast.Return) and (node.value is None or isinstance(node.value, ast.Constant)))
        for node in handler.body
    )


def _set_by(node: ast.AST) -> str:
    """Return the variable that a statement sets, where it sets just one, or nothing."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    return target.id if isinstance(target, ast.Name) and not target.id.startswith("_") else ""


def _unused_parts(classes: Mapping[str, ast.ClassDef], trees: Sequence[ast.Module]) -> dict[str, dict[str, list[str]]]:
    """Return by class and kind what constructors make or keep and nothing uses; nothing while a method is still to be written.

    A class that inherits from another, or makes a part of the same name, uses its own.
    """
    written = {name: owner for name, owner in classes.items() if not any(map(_is_stub, _methods(owner)))}
    kept = {name: list(_kept_by(owner)) for name, owner in written.items()}
    if not any(kept.values()):
        return {}
    used = [(part, *_used(part)) for tree in trees for part in tree.body]
    if any(not names.isdisjoint(_SEES_ALL) for _, names, _ in used):  # a model's `eval` is another
        return {}
    found = {}
    for owner, each in kept.items():
        own = {id(part) for part in classes.values() if owner in map(_name_of, part.bases)}
        made_here = [(name, made, own | _making(name, classes, but=owner)) for name, made in each]
        if _used(classes[owner])[1].isdisjoint(_SEES_PARTS):
            found[owner] = {
                "part_not_used": [n for n, made, out in made_here if made and not _reads(used, n, out, names_too=True)],
                "setting_not_used": [n for n, made, out in made_here if not made and not _reads(used, n, out)],
            }
    return found


def _making(part: str, classes: Mapping[str, ast.ClassDef], but: str) -> set[int]:
    """Return the ids of the classes but one whose constructors set a part of this name."""
    return {
        id(owner) for name, owner in classes.items() if name != but and part in (made for made, _ in _kept_by(owner))
    }


def _reads(
    used: Iterable[tuple[ast.stmt, set[str], set[str]]], name: str, without: Collection[int], *, names_too: bool = False
) -> bool:
    """Whether something at the top level reads an attribute, or a name, but for some classes."""
    return any(
        name in attributes or (names_too and name in names)
        for part, names, attributes in used
        if id(part) not in without
    )


def _used(part: ast.stmt) -> tuple[set[str], set[str]]:
    """Return the names that a text reads, and the attributes."""
    names, attributes = set[str](), set[str]()
    for node in walk(part):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            attributes.add(node.attr)
    return names, attributes


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _methods(owner: ast.ClassDef) -> list[ast.FunctionDef]:
    return [part for part in owner.body if isinstance(part, ast.FunctionDef)]


def _kept_by(owner: ast.ClassDef) -> Iterator[tuple[str, bool]]:
    """Yield the attributes that a constructor sets to what a call makes, which is True for them, or to an argument of that name."""
    inits = (method for method in _methods(owner) if method.name == "__init__")
    sets = [node for method in inits for node in walk(method) if isinstance(node, ast.Assign)]
    for node in sorted(sets, key=lambda each: each.lineno):
        if not isinstance(target := node.targets[0], ast.Attribute):
            continue
        is_argument = isinstance(node.value, ast.Name) and node.value.id == target.attr
        if (isinstance(node.value, ast.Call) or is_argument) and not target.attr.startswith("_"):
            yield target.attr, not is_argument
