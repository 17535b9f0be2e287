"""Write values as Python code that makes them, with every digit: for tests that can be read, and snippets that run."""

from __future__ import annotations

import keyword
import math
from typing import Any

import numpy as np

from autograder.sandbox.child.tree import Code, Opaque, Tensor, map_leaves, to_numpy

WIDTH = 100
DIGITS = 6  # of expected numbers, which are compared with a tolerance
MANY = 16  # equal entries or more are written as `np.full`
_TAKEN = ("np", "torch", "calls", "expected", "yours", "module")
_DEFAULTS = {"float64", "int64", "bool"}
_TORCH_DEFAULTS = {"float32", "int64", "bool"}


def named(name: str, value: Any, names: dict[str, str]) -> str:
    """Return a short value as code, or a name that is added to `names` with the code."""
    value = _as_data(value)
    text = literal(value, 4)
    if not isinstance(value, np.ndarray | Tensor | list | tuple | dict | Code) and len(text) < 40:
        return text
    name = f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name
    candidates = [name, *(f"{name}_{number}" for number in range(2, 1000))]
    free = next(c for c in candidates if names.get(c, text) == text)
    names[free] = text
    return free


def literal_tuple(items: list[str]) -> str:
    """Return a tuple as code."""
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def literal(value: Any, indent: int) -> str:
    """Return a value as code that makes it, broken into lines where it is long."""
    value = _as_data(value)
    if isinstance(value, Tensor):
        dtype = str(value.array.dtype)
        kind = "" if dtype in _TORCH_DEFAULTS else f", dtype=torch.{dtype}"
        return _array("torch.tensor", "torch.full", value.array, kind, indent)
    if isinstance(value, np.ndarray):
        dtype = str(value.dtype)
        kind = "" if dtype in _DEFAULTS and value.size else f", dtype=np.{'bool_' if dtype == 'bool' else dtype}"
        return _array("np.array", "np.full", value, kind, indent)
    if isinstance(value, np.generic):
        return f"np.{value.dtype}({_scalar(value.item())})"
    if isinstance(value, Code):
        return f"Code({value.expression!r})"
    if isinstance(value, Opaque):
        return "..."
    if isinstance(value, list | tuple | dict):
        return _container(value, indent)
    return _scalar(value)


def _as_data(value: Any) -> Any:
    """Return a tensor of torch as ours, and all else as it is."""
    return Tensor(to_numpy(value)) if hasattr(value, "detach") else value


def _array(make: str, fill: str, array: np.ndarray, kind: str, indent: int) -> str:
    flat = array.reshape(-1)
    if array.size >= MANY and (flat == flat[0]).all():
        return f"{fill}({array.shape}, {_scalar(flat[0].item())}{kind})"
    if not array.size:
        return f"{make.replace('array', 'zeros').replace('tensor', 'zeros')}({array.shape}{kind})"
    return f"{make}({literal(_entries(array), indent)}{kind})"


def _entries(array: np.ndarray) -> Any:
    """Return an array as nested lists, each number in the shortest form that gives the same value."""
    if array.dtype.kind != "f" or array.dtype == np.float64:
        return array.tolist()
    return np.array([float(str(entry)) for entry in array.reshape(-1)]).reshape(array.shape).tolist()


def _container(value: Any, indent: int) -> str:
    opening, closing = ("{", "}") if isinstance(value, dict) else ("(", ")") if isinstance(value, tuple) else ("[", "]")
    inner = indent + 4
    if isinstance(value, dict):
        items = [f"{literal(key, inner)}: {literal(item, inner)}" for key, item in value.items()]
    else:
        items = [literal(item, inner) for item in value]
    line = ", ".join(items) + ("," if isinstance(value, tuple) and len(items) == 1 else "")
    if len(line) + indent <= WIDTH - 24 and "\n" not in line:
        return f"{opening}{line}{closing}"
    pad = " " * inner
    return opening + "\n" + "".join(f"{pad}{item},\n" for item in items) + " " * indent + closing


def _scalar(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "np.nan" if math.isnan(value) else ("np.inf" if value > 0 else "-np.inf")
    return repr(value)


def rounded(tree: Any) -> Any:
    """Return a result with its numbers rounded to a few digits."""
    return map_leaves(_rounded_leaf, tree)


def _rounded_leaf(leaf: Any) -> Any:
    if isinstance(leaf, Tensor):
        return Tensor(_rounded_leaf(leaf.array))
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f":
        short = [float(f"{entry:.{DIGITS}g}") for entry in leaf.reshape(-1).tolist()]
        return np.array(short, leaf.dtype).reshape(leaf.shape)
    return float(f"{leaf:.{DIGITS}g}") if isinstance(leaf, float | np.floating) else leaf
