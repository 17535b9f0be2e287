"""Trees of lists, tuples, dicts and leaves: what a leaf may be, walking them, and reading a leaf as a numpy array."""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from autograder.sandbox.child.leaf import Code, Opaque, Tensor

__all__ = [
    "Code",
    "EachOnce",
    "Opaque",
    "Tensor",
    "array_of",
    "as_arrays",
    "dtype_name",
    "fields_of",
    "imported_torch",
    "leaves",
    "map_leaves",
    "parts_of",
    "to_numpy",
]


def leaves(tree: Any) -> Iterator[Any]:
    """Yield what a tree holds, in order: of a dict its values, and everything that is no container as it is."""
    if isinstance(tree, list | tuple | Mapping):
        for part in tree.values() if isinstance(tree, Mapping) else tree:
            yield from leaves(part)
    else:
        yield tree


def parts_of(tree: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> Iterable[tuple[Any, Any]]:
    """Return the keys or positions of a container with what is there; of a dict numbers and then names, whatever its own order."""
    if isinstance(tree, dict):
        return sorted(tree.items(), key=lambda item: (type(item[0]) is str, item[0]))
    return enumerate(tree)


def map_leaves(change: Callable[[Any], Any], tree: Any) -> Any:
    """Return a tree of the same nesting with every leaf changed."""
    if isinstance(tree, list | tuple):
        return type(tree)(map_leaves(change, part) for part in tree)
    if isinstance(tree, Mapping):
        return {key: map_leaves(change, part) for key, part in tree.items()}
    return change(tree)


def array_of(leaf: Any) -> np.ndarray | None:
    """Return the numpy array that a leaf is or holds, on whatever device; None where it is something else."""
    if isinstance(leaf, Tensor):
        return leaf.array
    if isinstance(leaf, np.ndarray):
        return leaf
    return to_numpy(leaf) if hasattr(leaf, "detach") else None


def is_object(arg: Any) -> bool:
    """Whether an argument is a random generator or a model; some models of cases are lists, too."""
    torch = imported_torch()
    return isinstance(arg, (np.random.Generator, *((torch.Generator, torch.nn.Module) if torch else ())))


def as_arrays(tree: Any) -> Any:
    """Return a tree with numpy arrays for tensors, and all else as it is."""
    return map_leaves(lambda leaf: leaf if (array := array_of(leaf)) is None else array, tree)


def to_numpy(tensor: Any) -> np.ndarray:
    """Return a torch tensor's values; numpy has no bfloat16, and gets float32 for it."""
    tensor = tensor.detach()
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    return np.asarray(tensor.cpu().resolve_conj().resolve_neg().numpy())


def fields_of(node: Any) -> Any:
    """Return the fields of a dataclass's object by name, and None of all else; where reading one fails it is no data."""
    if not dataclasses.is_dataclass(node) or isinstance(node, type | Tensor | Code | Opaque):
        return None
    try:
        return {field.name: getattr(node, field.name) for field in dataclasses.fields(node)}
    except Exception:  # noqa: BLE001 (a property of the student's)
        return Opaque(type(node).__name__[:80])


class EachOnce(dict[str, np.ndarray]):
    """Arrays by name, each given once: a megabyte at ten thousand places would be gigabytes in a copy of the tree."""

    def __getitem__(self, name: str) -> np.ndarray:
        """Take an array. Raises KeyError where there is none, or none any more."""
        return self.pop(name)


def dtype_name(array: Any) -> str:
    """Return the name of an array's or a tensor's dtype, and nothing of all else."""
    return _name(dtype) if (dtype := getattr(array, "dtype", None)) is not None else ""


@functools.cache
def _name(dtype: Any) -> str:
    return str(dtype)  # numpy makes this text anew each time


def imported_torch() -> Any:
    """Return torch if it is imported, and None while another thread is still importing it: half of it is of no use."""
    torch = sys.modules.get("torch")
    return None if getattr(getattr(torch, "__spec__", None), "_initializing", False) else torch
