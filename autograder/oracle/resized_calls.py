"""Resize a call: its axes, the whole numbers that name their sizes, and the decimals of its values.

All axes of one size, and whole numbers equal to it among the arguments, get the same new size, so that they still fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autograder.course.spec import Call
from autograder.sandbox.child.tree import Tensor, leaves

Change = Callable[[Any], Any]  # of an array of fractions, numpy's or torch's
SHAKE = 1e-6  # more than float noise, less than a check's tolerance
LARGEST_SIZE = 64  # a larger whole number in a module's constructor is not taken for a size
# What happens to tokens and lengths: they stay, are cut to a size, or are taken modulo it.
BOUNDS = ("stay", "cut", "wrap")


@dataclass(frozen=True)
class Resizing:
    """The new sizes, how tokens and lengths change, which lie below a size or reach up to it, and which entries stay."""

    sizes: Mapping[int, int] = field(default_factory=dict)
    bounds: tuple[tuple[str, int, int], ...] = ()  # "cut" or "wrap", the size, and its new value
    last: bool = False  # the last entries of every axis stay, where padding is, instead of the first
    one_row: bool = False  # of a square array a single row stays, as of the scores of one query

    def now(self, size: int) -> int:
        """Return the new value of a size."""
        return self.sizes.get(size, size)


def sizes_of(call: Call) -> list[int]:
    """Return the sizes above 1 that occur in a call, in ascending order."""
    made = (call.module.init if call.module else None) or ()
    numbers = {number for number in made if type(number) is int and number <= LARGEST_SIZE}
    return sorted(size for size in numbers | {s for array in _arrays(_parts(call)) for s in array.shape} if size > 1)


def count(call: Call) -> int:
    """Return how many numbers the arrays of a call hold."""
    return sum(int(np.prod(array.shape)) for array in _arrays(_parts(call)))


def is_finite(tree: Any) -> bool:
    """Whether no number of a tree is infinite or none at all, in an array or by itself."""
    alone = (leaf for leaf in leaves(tree) if isinstance(leaf, float))
    return all(map(math.isfinite, alone)) and all(np.isfinite(array).all() for array in numbers_in(tree))


def has_values(call: Call, kind: str, size: int, new: int) -> bool:
    """Whether a bound would change tokens or lengths of a call; always true for "stay"."""
    return kind == "stay" or any(
        _reach(kind, size, values) and max(values) >= new for values in _whole_numbers(_parts(call))
    )


def has_marks(call: Call) -> bool:
    """Whether a call holds truth values or whole numbers: then its last entries may say something else than its first."""
    return any(_holds(array, kind) for array in _arrays(_parts(call)) for kind in ("bool", "int"))


def has_squares(call: Call) -> bool:
    """Whether a call holds a mask whose last two axes have one size; without one a square may as well be a weight."""
    return any(_is_square(array.shape) for array in _arrays(_parts(call)) if _holds(array, "bool"))


def shapes_in(tree: Any) -> list[tuple[int, ...]]:
    """Return the shapes of a tree's arrays."""
    return [tuple(array.shape) for array in _arrays(tree)]


def numbers_in(tree: Any) -> Iterator[np.ndarray]:
    """Yield the arrays of a tree that hold fractions."""
    return (array for array in map(np.asarray, _arrays(tree)) if array.dtype.kind in "fc")


def rounded(array: Any) -> Any:
    """Return an array rounded to one decimal, unless it is from [0, 1) and rounding would make a 1."""
    with np.errstate(over="ignore"):
        made = array.round(decimals=1) + 0.0  # no -0.
    if ((abs(made) == np.inf) != (abs(array) == np.inf)).any():
        return array  # half precision cannot hold ten times its large numbers
    return array if ((array >= 0) & (array < 1)).all() and (made == 1).any() else made


def shaken_up(array: Any) -> Any:
    """Return an array with noise on every entry that is not zero; that of large ones is no larger than that of 1, or its float's."""
    return _shaken(array, SHAKE)


def shaken_down(array: Any) -> Any:
    """Return an array with the opposite noise, so that of two equal entries the other one is larger."""
    return _shaken(array, -SHAKE)


def _shaken(array: Any, most: float) -> Any:
    copy = array * 1
    values = np.asarray(copy)  # the same memory, also where it is torch's
    if values.dtype.kind not in "fc":
        return copy
    size = np.where(np.isfinite(values), np.abs(values), 0).astype(np.float64)
    reach = np.minimum(size, np.maximum(1, size * 4 * np.finfo(values.dtype).eps / SHAKE))
    values += (most * reach * np.random.default_rng(0).uniform(-1, 1, values.shape)).astype(values.dtype)
    return copy


def resize(call: Call, to: Resizing, change: Change | None = None) -> Call:
    """Return a call with other sizes, its fractions changed by a function such as `rounded`."""
    module = call.module
    if module:
        module = replace(
            module,
            init=_resized(module.init, to, None),
            state=_resized(dict(module.state), to, change),
            cotangents=_resized(module.cotangents, to, change),
            before=_resized(module.before, to, change),
        )
    args, kwargs = _resized((tuple(call.args), dict(call.kwargs)), to, change)
    return replace(call, args=args, kwargs=kwargs, module=module)


def _parts(call: Call) -> Any:
    module = call.module
    return [call.args, dict(call.kwargs), module and [module.state, module.cotangents, module.before]]


def _resized(tree: Any, to: Resizing, change: Change | None) -> Any:
    if isinstance(tree, list) and _are_whole(tree):  # there whole numbers are values, such as tokens
        return _bounded(np.array(tree), to).tolist()
    if isinstance(tree, list | tuple):
        return type(tree)(_resized(part, to, change) for part in tree)
    if isinstance(tree, dict):
        kept = to.now(len(tree)) if set(tree) == set(range(len(tree))) else len(tree)  # such as the words of all ids
        return {key: _resized(part, to, change) for key, part in tree.items() if type(key) is not int or key < kept}
    if isinstance(tree, Tensor):
        return replace(tree, array=_resized(tree.array, to, change))
    if hasattr(tree, "shape"):
        part = tree[_kept(tree.shape, to)]
        if _holds(part, "int"):
            return _bounded(part, to)
        if not _holds(part, "float"):
            return part
        changed = change(part) if change else part
        if not _are_shares(tree):
            return changed
        whole = _whole_again(changed)
        return whole if (whole >= 0).all() else _whole_again(part)
    return to.now(tree) if type(tree) is int else tree


def _kept(shape: tuple[int, ...], to: Resizing) -> tuple[slice, ...]:
    """Return which entries of an array stay."""
    sizes = [to.now(size) for size in shape]
    if to.one_row and _is_square(shape):
        sizes[-2] = 1
    return tuple(slice(old - new, old) if to.last else slice(new) for old, new in zip(shape, sizes, strict=True))


def _is_square(shape: tuple[int, ...]) -> bool:
    return len(shape) > 1 and shape[-1] == shape[-2] > 1


def _are_shares(array: Any) -> bool:
    """Whether every row sums to one, as weights and probabilities do."""
    values = np.asarray(array)
    several = values.ndim > 0 and values.size > 0 and values.shape[-1] > 1
    return several and bool((values >= 0).all() and np.allclose(values.sum(axis=-1, dtype=np.float64), 1))


def _whole_again(part: Any) -> Any:
    """Return rows that sum to one again: what cutting or rounding took is added to their largest entry."""
    copy = part * 1
    values = np.asarray(copy)  # the same memory, also where it is torch's
    largest = values.argmax(axis=-1)[..., None]
    missing = 1 - values.sum(axis=-1, keepdims=True)
    np.put_along_axis(values, largest, (np.take_along_axis(values, largest, axis=-1) + missing).round(6), axis=-1)
    return copy


def _bounded(values: Any, to: Resizing) -> Any:
    """Return tokens or lengths, numpy's or torch's, reduced to the new sizes that they depend on."""
    reach = values.reshape(-1).tolist()
    for kind, size, new in to.bounds:
        if _reach(kind, size, reach):
            least = int(min(reach) > 0)  # where nothing is zero, zero may be no length
            values = (values - least) % max(1, new - least) + least if kind == "wrap" else values.clip(max=new)
    return values


def _reach(kind: str, size: int, values: list[int]) -> bool:
    """Whether values may be positions along an axis of that size, or lengths of it."""
    return bool(values) and min(values) >= 0 and max(values) < size + (kind == "cut")


def _arrays(tree: Any) -> Iterator[Any]:
    """Yield every array of a tree, numpy's or torch's."""
    for leaf in leaves(tree):
        if isinstance(leaf, Tensor):
            yield leaf.array
        elif hasattr(leaf, "shape"):
            yield leaf


def _whole_numbers(tree: Any) -> Iterator[list[int]]:
    """Yield the values of every array and every list of whole numbers."""
    if isinstance(tree, list) and _are_whole(tree):
        yield tree
    elif isinstance(tree, list | tuple):
        for part in tree:
            yield from _whole_numbers(part)
    elif isinstance(tree, dict):
        yield from _whole_numbers(list(tree.values()))
    else:
        yield from (array.reshape(-1).tolist() for array in _arrays(tree) if _holds(array, "int"))


def _are_whole(values: list[Any]) -> bool:
    return bool(values) and all(type(value) is int for value in values)


def _holds(array: Any, kind: str) -> bool:
    return kind in str(array.dtype)
