"""Make a call smaller, to show a mistake where it can be followed by hand.

Axes of one size shrink together, with whole numbers among the arguments that say that size; values are rounded to one
decimal where the reference still has an answer then. What a smaller call should give, the reference says.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from autograder.course.spec import Call
from autograder.judge.checks import close
from autograder.judge.likeness import answers_of
from autograder.judge.reference import BrokenReferenceError, Reference
from autograder.judge.trials import Small, Trial, make_trial

SMALL, WORKED = 16, 64  # numbers in the arguments of a call that needs no smaller one: drawn, and chosen by an author
MAX_SIZES = 5  # more different axes than this are not told apart well enough to try


def smaller(oracle: Reference, trial: Trial) -> tuple[Small, ...]:
    """Return a value case's first call with smaller inputs, the smallest first, each with what the reference gives."""
    found = []
    call = trial.calls[0]
    for number, sizes in enumerate(_targets(call) if isinstance(trial.case.check, close) else ()):
        for decimals in (1, None):
            name = f"{trial.case.name}, smaller {number}{'' if decimals is None else ' and rounded'}"
            made = make_trial(replace(trial.case, name=name), (_call(call, sizes, decimals),), oracle.seed)
            try:
                expected = oracle.expected(made)
            except (BrokenReferenceError, *_UNFIT):
                continue
            if all(np.isfinite(array).all() for o in answers_of(expected) for array in _numbers(o.value)):
                found.append(Small(made, expected))
                break
    return tuple(found)


_UNFIT = (ArithmeticError, LookupError, TypeError, ValueError)  # a check may not be made for what has become of a call


def _targets(call: Call) -> Iterator[Mapping[int, int]]:
    """Yield what sizes of axes become: all 1, then one of them 2, two of them 2, all 2, all 3."""
    sizes = sorted({size for array in _arrays(_parts(call)) for size in array.shape if size > 1})
    if not 0 < len(sizes) <= MAX_SIZES or _count(call) <= (SMALL if _is_drawn(call) else WORKED):
        return
    wanted = [
        {size: 1 + (size in twos) for size in sizes} for n in (0, 1, 2) for twos in itertools.combinations(sizes, n)
    ]
    wanted += [{size: min(size, most) for size in sizes} for most in (2, 3)]
    wanted += [_with_multiples(target) for target in wanted]
    unique = {tuple(target.values()): target for target in wanted}
    yield from sorted(unique.values(), key=lambda target: _count(_call(call, target, None)))


def _with_multiples(target: Mapping[int, int]) -> dict[int, int]:
    """Let a size that is a few times another one stay so: gates are packed, and heads lie side by side."""
    found = dict(target)
    for size in target:
        base = next((base for base in target if base > 1 and size in (2 * base, 3 * base, 4 * base)), None)
        if base:
            found[size] = size // base * found[base]
    return found


def _parts(call: Call) -> Any:
    module = call.module
    return [call.args, dict(call.kwargs), module and [module.state, module.cotangents]]


def _is_drawn(call: Call) -> bool:
    """Whether numbers come from a generator; those that an author chose, for a worked example, have few decimals."""
    return any((array != array.round(3)).any() for array in _numbers(_parts(call)))


def _count(call: Call) -> int:
    return sum(int(np.prod(array.shape)) for array in _arrays(_parts(call)))


def _call(call: Call, sizes: Mapping[int, int], decimals: int | None) -> Call:
    """Return a call with axes of other sizes, and rounded."""
    module = call.module
    if module:
        module = replace(
            module,
            init=_resized(module.init, sizes, None),
            state=_resized(dict(module.state), sizes, decimals),
            cotangents=_resized(module.cotangents, sizes, decimals),
        )
    args, kwargs = _resized((tuple(call.args), dict(call.kwargs)), sizes, decimals)
    return replace(call, args=args, kwargs=kwargs, module=module)


def _resized(tree: Any, sizes: Mapping[int, int], decimals: int | None, depth: int = 0) -> Any:
    if isinstance(tree, list | tuple):
        return type(tree)(_resized(part, sizes, decimals, depth + isinstance(tree, list)) for part in tree)
    if isinstance(tree, dict):
        return {key: _resized(part, sizes, decimals, depth) for key, part in tree.items()}
    if _is_wrapped(tree):
        return replace(tree, array=_resized(tree.array, sizes, decimals))
    if hasattr(tree, "shape"):
        part = tree[tuple(slice(sizes.get(size, size)) for size in tree.shape)]
        return part.round(decimals=decimals) if decimals is not None and "float" in str(part.dtype) else part
    if type(tree) is int and not depth:  # in a list whole numbers are values, such as tokens
        return sizes.get(tree, tree)
    return tree


def _arrays(tree: Any) -> Iterator[Any]:
    """Yield every array of a tree, numpy's or torch's."""
    if isinstance(tree, list | tuple):
        for part in tree:
            yield from _arrays(part)
    elif isinstance(tree, dict):
        yield from _arrays(list(tree.values()))
    elif _is_wrapped(tree):
        yield tree.array
    elif hasattr(tree, "shape"):
        yield tree


def _numbers(tree: Any) -> Iterator[np.ndarray]:
    return (array for array in map(np.asarray, _arrays(tree)) if array.dtype.kind in "fc")


def _is_wrapped(tree: Any) -> bool:
    return is_dataclass(tree) and not isinstance(tree, type) and hasattr(tree, "array")
