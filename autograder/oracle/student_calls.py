"""A call that the reference makes and the student's code is to answer, as data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.sandbox.child.tree import Code, Tensor, array_of, is_object
from autograder.sandbox.child.wire_format import decode, encode
from autograder.sandbox.job import Request

MAX_CONSTANT = 1000  # entries of a value that replaces a function among the arguments

NO_DATA = Code("None")

Question = tuple[str, bytes]  # a name, and the encoded arguments and module


@dataclass(frozen=True)
class StudentCall:
    """A call that the student's code is to answer."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    module: dict[str, Any] | None
    owner: Any = None  # the reference's module whose call it is
    right: tuple[Any, ...] = ()  # the right answer, where the call as data does not lead to it

    @property
    def cotangents(self) -> tuple[Any, ...]:
        """The gradients of the outputs, where the call asks for those of the inputs."""
        return () if self.module is None else self.module["cotangents"]

    def backwards(self, cotangents: tuple[Any, ...]) -> StudentCall:
        """Return the same call, asking for gradients."""
        plain: dict[str, Any] = {"init": None, "state": {}, "method": "", "training": False, "before": ()}
        return replace(self, module={**(self.module or plain), "cotangents": cotangents})

    @property
    def lacks_objects(self) -> bool:
        """Whether it was made with what is no data, so that it cannot be asked as it was made."""
        return any(arg == NO_DATA for arg in (*self.args, *self.kwargs.values()) if isinstance(arg, Code))

    def key(self) -> Question:
        """Return the call as a question, by which equal calls are recognised. Raises WireError where it is not data."""
        return self.name, encode((list(self.args), self.kwargs, self.module))

    def request(self, number: int) -> Request:
        """Return the request for the call, in a group of its own, so that it begins with the same random state."""
        return Request(
            self.name, self.args, self.kwargs, self.module, f"{self.name}'{number}", self.name, phase=1, keep_args=True
        )


def without_objects(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments without random generators and models, which are no data."""
    return (
        tuple(NO_DATA if is_object(arg) else arg for arg in args),
        {name: NO_DATA if is_object(arg) else arg for name, arg in kwargs.items()},
    )


def digest_of(question: Question) -> tuple[str, bytes]:
    """Return a short name for a question, under which what is known of it can be kept."""
    return question[0], hashlib.blake2b(question[1], digest_size=16).digest()


def asked_by(question: Question) -> StudentCall:
    """Return the call that a question stands for, as data."""
    name, data = question
    args, kwargs, module = decode(data, evaluate=Code)
    return StudentCall(name, tuple(args), kwargs, module)


def arrays_by_path(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], np.ndarray]]:
    """Yield every array of a tree that has entries, each with the keys and positions that lead to it."""
    if isinstance(tree, dict | list | tuple):
        for key, part in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from arrays_by_path(part, (*path, key))
    elif (array := array_of(tree)) is not None and array.size:
        yield path, array


def with_leaf(tree: Any, path: tuple[Any, ...], leaf: Any) -> Any:
    """Return a tree with another array or function at a path."""
    if not path:
        return Tensor(leaf) if isinstance(tree, Tensor) else leaf
    key, *rest = path
    if isinstance(tree, dict):
        return {**tree, key: with_leaf(tree[key], tuple(rest), leaf)}
    return type(tree)(with_leaf(part, tuple(rest), leaf) if i == key else part for i, part in enumerate(tree))


def with_constants(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments with constant functions in the place of functions, such as the `f` of `residual(x, f)`.

    The constant is what the function gives for the first array. A student's version that calls it with another argument
    gets a wrong value and is not excused.
    """
    arrays = [arg for arg in args if array_of(arg) is not None]
    return tuple(_constant(arg, arrays[0]) if callable(arg) and not is_object(arg) and arrays else arg for arg in args)


def _constant(function: Callable[..., Any], arg: Any) -> Any:
    value = function(arg)
    array = array_of(value)
    if array is None or array.size > MAX_CONSTANT:
        return function
    made = f"np.array({array.tolist()!r}, dtype='{array.dtype}')"
    return Code(f"lambda *_: {made if value is array else f'torch.from_numpy({made})'}")
