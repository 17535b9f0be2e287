"""Find what stays on the CPU while models are on a GPU: tensors that a function makes without saying where.

It reads the student's text alone, and says nothing but what stands in it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.sandbox.job import Frame, Source, Trouble

_MIXED = re.compile(r"on the same device|either on cpu or on|device type for generator")
_ARRAY = re.compile(r"can't convert \S+ device type tensor to numpy")
_LENGTHS = re.compile(r"1D CPU int64 tensor")
_MAKERS = frozenset(
    {
        "arange", "as_tensor", "empty", "eye", "from_numpy", "full", "linspace", "logspace", "ones", "rand", "randint",
        "randn", "randperm", "tensor", "zeros", "Tensor",
    }
)  # fmt: skip
_MOVERS = frozenset({"to", "cuda", "type_as"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef
MOST_NAMED, MOST_SHOWN = 3, 60


@dataclass(frozen=True)
class Stray:
    """A call that makes a tensor on the CPU: where it stands, its text, and whose device it should ask for."""

    label: str
    line: int
    text: str
    function: str  # the name of the function around it; nothing at the top of a file
    beside: str  # a parameter of that function
    first: int  # lines of that function
    last: int


def explain_devices(trouble: Trouble, source: Source) -> str:
    """Say which of a student's lines left a tensor on another device, where an exception says that devices were mixed."""
    if _ARRAY.search(trouble.text):
        return "numpy reads tensors on the CPU alone: write .cpu() before .numpy()."
    if _LENGTHS.search(trouble.text):
        return "pack_padded_sequence wants its lengths on the CPU: hand it lengths.cpu()."
    if not _MIXED.search(trouble.text):
        return ""
    blamed = _nearest(trouble.frames, [*strays(source)])
    if not blamed:
        return "A tensor on the CPU meets one on another device. What you make yourself belongs where the inputs are: x.device."
    return "\n".join(map(_told, blamed[:MOST_NAMED]))


def _told(stray: Stray) -> str:
    made = f"{stray.label}, line {stray.line}: `{stray.text}` is made on the CPU, and its inputs may be on a GPU"
    if stray.function in ("", "__init__"):
        return f"{made}; keep it as a buffer (self.register_buffer), which moves with the model, or move it where it is used."
    return (
        f"{made}; say device={stray.beside}.device." if stray.beside else f"{made}; say device=..., that of the inputs."
    )


def _nearest(frames: Sequence[Frame], found: Sequence[Stray]) -> list[Stray]:
    """Return the strays of the innermost function on an exception's way that has any, else those that outlive a call."""
    for frame in reversed(frames):
        here = [s for s in found if s.function and s.label == frame.label and s.first <= frame.line <= s.last]
        if here:
            innermost = max(stray.first for stray in here)
            return [stray for stray in here if stray.first == innermost]
    return [stray for stray in found if stray.function in ("", "__init__")]


def strays(source: Source) -> Iterator[Stray]:
    """Yield every call in a source that makes a tensor and does not say on which device."""
    for chunk in source.chunks:
        if "torch." not in chunk.text:
            continue
        try:
            tree = ast.parse(chunk.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        yield from _within(tree, chunk.label, None)


def _within(node: ast.AST, label: str, around: _Function | None) -> Iterator[Stray]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and _is_moved(child):
            continue
        if isinstance(node, ast.Subscript) and child is node.slice:
            continue  # an index may be on the CPU
        if isinstance(child, ast.Call) and _makes(child):
            name, beside = (around.name, _first_tensor(around)) if around else ("", "")
            lines = (around.lineno, around.end_lineno or 0) if around else (0, 0)
            yield Stray(label, child.lineno, _shown(child), name, beside, *lines)
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
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def _first_tensor(function: _Function) -> str:
    """Return a function's first parameter that is not the object itself."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return next((name for name in names if name not in ("self", "cls")), "")
