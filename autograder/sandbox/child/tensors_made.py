"""Find the calls in a source that make a tensor and do not say on which device, by parsing it without running it.

Like `names_used.py` it runs in a child by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from autograder.sandbox.child.broken_parts import readable_tree

_MAKERS = frozenset(
    {
        "arange", "as_tensor", "asarray", "empty", "eye", "from_numpy", "full", "hann_window", "linspace", "logspace", "normal",
        "ones", "rand", "randint", "randn", "randperm", "tensor", "tril_indices", "triu_indices", "zeros",
        "Tensor", "BoolTensor", "FloatTensor", "IntTensor", "LongTensor",
    }
)  # fmt: skip
_MOVERS = frozenset({"to", "cuda", "type_as"})
TORCH = "torch"
_Function = ast.FunctionDef | ast.AsyncFunctionDef
LONGEST_SHOWN = 60  # characters of a call


def read(chunks: list[Any]) -> list[tuple[Any, ...]]:
    """Return of every such call its file, line and text, then the function around it: name, first parameter, lines.

    A chunk is (label, bytes of the text). At the top of a file the name is empty.
    """
    found: list[tuple[Any, ...]] = []
    for label, text in chunks:
        try:
            if tree := readable_tree(bytes(text).decode()):
                found += list(_within(_in_full(tree), label, None))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return found


def _in_full(tree: ast.Module) -> ast.Module:
    """Return a source in which what is torch's is called `torch.something`, whatever it was imported as."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {a.asname for n in imports if isinstance(n, ast.Import) for a in n.names if a.name == TORCH and a.asname}
    own = [n for n in imports if isinstance(n, ast.ImportFrom) and n.module == TORCH and not n.level]
    parts = {alias.asname or alias.name: alias.name for node in own for alias in node.names}

    class InFull(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            if node.id in modules:
                return ast.copy_location(ast.Name(TORCH, node.ctx), node)
            if node.id not in parts or not isinstance(node.ctx, ast.Load):
                return node
            full = ast.Attribute(ast.copy_location(ast.Name(TORCH, ast.Load()), node), parts[node.id], node.ctx)
            return ast.copy_location(full, node)

    return InFull().visit(tree) if modules or parts else tree


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
    """Whether a call takes what it is made of to a device: torch.arange(n).to(x.device), and not .to(torch.float32)."""
    to_type = call.args and isinstance(call.args[0], ast.Attribute) and ast.unparse(call.args[0]).startswith("torch.")
    return isinstance(call.func, ast.Attribute) and call.func.attr in _MOVERS and not (to_type and not call.keywords)


def _shown(call: ast.Call) -> str:
    text = ast.unparse(call)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def _first_tensor(function: _Function) -> str:
    """Return a function's first parameter that is not the object itself."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return next((name for name in names if name not in ("self", "cls")), "")
