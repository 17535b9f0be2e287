"""Find the calls in a source that make a tensor and do not say on which device, by parsing it without running it.

Like `names_used.py` it runs in a child by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

_MAKERS = frozenset(
    {
        "arange", "as_tensor", "empty", "eye", "from_numpy", "full", "linspace", "logspace", "ones", "rand", "randint",
        "randn", "randperm", "tensor", "zeros", "Tensor",
    }
)  # fmt: skip
_MOVERS = frozenset({"to", "cuda", "type_as"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef
LONGEST_SHOWN = 60  # characters of a call


def read(chunks: list[Any]) -> list[tuple[Any, ...]]:
    """Return of every such call its file, line and text, then the function around it: name, first parameter, lines.

    A chunk is (label, bytes of the text). At the top of a file the name is empty.
    """
    found: list[tuple[Any, ...]] = []
    for label, text in chunks:
        try:
            found += list(_within(ast.parse(bytes(text).decode()), label, None))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return found


def _within(node: ast.AST, label: str, around: _Function | None) -> Iterator[tuple[Any, ...]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and _is_moved(child):
            continue
        if isinstance(node, ast.Subscript) and child is node.slice:
            continue  # an index may be on the CPU
        if isinstance(child, ast.Call) and _makes(child):
            name, beside = (around.name, _first_tensor(around)) if around else ("", "")
            lines = (around.lineno, around.end_lineno or 0) if around else (0, 0)
            yield label, child.lineno, _shown(child), name, beside, *lines
        yield from _within(child, label, child if isinstance(child, _Function) else around)


def _makes(call: ast.Call) -> bool:
    function = call.func
    if not (
        isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "torch"
    ):
        return False
    placed = any(word.arg in (None, "device", "generator") for word in call.keywords)
    return function.attr in _MAKERS and not placed and not _is_scalar(call)


def _is_scalar(call: ast.Call) -> bool:
    """Whether it makes a single number, which may be on the CPU."""
    if not call.args:
        return False
    first = call.args[0]
    number = first.operand if isinstance(first, ast.UnaryOp) else first
    single = isinstance(number, ast.Constant) and isinstance(call.func, ast.Attribute) and call.func.attr == "tensor"
    return single or (isinstance(first, ast.Tuple) and not first.elts)


def _is_moved(call: ast.Call) -> bool:
    """Whether a call takes what it is made of to a device: torch.arange(n).to(x.device)."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in _MOVERS


def _shown(call: ast.Call) -> str:
    text = ast.unparse(call)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def _first_tensor(function: _Function) -> str:
    """Return a function's first parameter that is not the object itself."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return next((name for name in names if name not in ("self", "cls")), "")
