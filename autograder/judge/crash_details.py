"""Say which names, types and values met in an exception of a public case."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.judge.axis_names import AxisNames
from autograder.judge.calls_as_text import Signatures
from autograder.sandbox.job import Part, Source, Trouble

MAX_KEYS = 12
_OF_TENSORS = frozenset(
    {"unsqueeze", "permute", "expand", "masked_fill", "detach", "cpu", "dim", "numel", "mT", "tril"}
)


_TYPES = {"Tensor": "tensor", "numpy.ndarray": "array", "ndarray": "array", "NoneType": "None", "torch.Size": "tuple"}


@dataclass(frozen=True)
class Crash:
    """An exception in a public case, with what is known of the call."""

    trouble: Trouble
    names: AxisNames = field(default_factory=AxisNames)
    parameters: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)  # the call's arguments
    source: Source = field(default_factory=lambda: Source("", ()))
    signatures: Signatures = field(default_factory=dict)

    @property
    def arrays(self) -> list[Part]:
        """The arrays that met."""
        return [part for part in self.trouble.parts if part.is_array]

    @property
    def first(self) -> Part | None:
        """The first thing that met, of which most is asked."""
        return next(iter(self.trouble.parts), None)

    def of_type(self, *types: str) -> Part | None:
        """Return the first thing that met of these types."""
        return next((part for part in self.trouble.parts if part.type_name in types), None)

    @property
    def calls(self) -> str:
        """What the raising expression calls."""
        return self.trouble.calls


Detail = Callable[[Crash, re.Match[str]], str]


@dataclass(frozen=True)
class Rule:
    """A kind of exception: its text, what may always be said of it, and what can be said of a public case.

    `name` is stored in results and counted over a class, so it stays as it is; several rules may have the same.
    """

    name: str
    pattern: str
    general: str
    detail: Detail | None = None
    types: str = ""  # a pattern of the exception's type
    calls: str = ""  # a pattern of what the expression calls that raised it
    given: bool = False  # whether it was raised by what the case hands over, of which no other rule may speak
    by_case: bool = False  # whether it is about calls by the case itself, of which no line of the student's runs

    def match(self, trouble: Trouble) -> re.Match[str] | None:
        """Return how an exception matches."""
        known = (not self.types or re.fullmatch(self.types, trouble.type_name)) and not (
            self.by_case and trouble.frames
        )
        called = not self.calls or re.search(self.calls, trouble.calls)
        return (
            re.search(self.pattern, trouble.text, re.DOTALL)
            if known and called and self.given == trouble.in_given
            else None
        )


def none_here(crash: Crash, _: re.Match[str]) -> str:
    """Say what is None: an argument for which the text allows it, or what a function gives."""
    part = crash.of_type("None")
    if part and part.text in crash.parameters and crash.given.get(part.text) is None:
        return f"This call gives None for `{part.text}`, which the text allows. Treat that case first: `if {part.text} is None`."
    if part:
        return f"`{part.text}` is None here. A function that ends without `return` gives None; so does a method that works in place."
    own = (name for unknown in crash.trouble.parts if (name := unknown.text.partition("(")[0]) in crash.source.names())
    called = next(own, "")
    return f"A value is None here. Does your `{called}` end without a `return`?" if called else ""


def undefined_name(crash: Crash, match: re.Match[str]) -> str:
    """Say which name is likely to be meant."""
    name = match["name"]
    if crash.source.holds(f"self.{name}"):
        return f"There is no variable `{name}` here. What belongs to the object is reached as `self.{name}`."
    known = {*crash.given, *crash.source.names(), "np", "torch"}
    near = difflib.get_close_matches(name, sorted(known), 1)
    hint = f" Is it `{near[0]}`?" if near else " Was it renamed, or misspelt, or is an import missing?"
    return f"There is no variable named `{name}` here.{hint}"


def no_attribute(crash: Crash, match: re.Match[str]) -> str:
    """Say what something is that has no such attribute."""
    owner, name = match["owner"], match["name"]
    known = crash.first is not None and crash.first.type_name in (owner, _TYPES.get(owner, "object"), "unknown")
    what = f"`{crash.first.text}`" if known and crash.first else f"A {_TYPES.get(owner, owner)}"
    if owner in ("list", "tuple", "dict"):
        return (
            f"{what} is a {owner}, which has no `{name}`. Make one array of it first, or take the part that you mean."
        )
    if owner == "function":
        return f"{what} is a function and has no `{name}`: call it first."
    if owner in ("int", "float", "bool", "str"):
        return f"{what} is a single {owner}, which has no `{name}`."
    if owner in ("Tensor", "numpy.ndarray", "ndarray"):
        near = difflib.get_close_matches(name, dir(np.ndarray), 1)
        if near and near[0] != name and name not in _OF_TENSORS:
            return f"{what} has no `{name}`. Is it `{near[0]}`?"
        other = "numpy" if owner == "Tensor" else "torch"
        return f"{what} is a {'torch tensor' if owner == 'Tensor' else 'numpy array'}, which has no `{name}`. Is that {other}'s name for it?"
    if not crash.source.holds(f"class {owner}"):
        return f"{what} is of type {owner}, which has no `{name}`."
    made = {
        found
        for chunk in crash.source.chunks
        for found in re.findall(r"\bself\.(\w+)\s*(?::[^=\n]+)?=[^=]", chunk.text)
    }
    near = difflib.get_close_matches(name, sorted(made - {name}), 1)
    hint = f" There is `{near[0]}`." if near else " Is it made in `__init__`?"
    return f"`{owner}` has no `{name}`: nothing of that name was made in its constructor.{hint}"


def parameter_names(crash: Crash, _: re.Match[str]) -> str:
    """Name the parameters that the given constructor makes."""
    found = re.findall(r'Unexpected key\(s\) in state_dict: ((?:"[\w.]+"(?:, )?)+)', crash.trouble.text)
    names = [name for each in found for name in re.findall(r'"([\w.]+)"', each)][:MAX_KEYS]
    keep = f": keep {', '.join(f'`{name}`' for name in names)}" if names else ""
    return f"The constructor is given, and a case loads its parameters by their names{keep}. What you add must not hold any parameters."


def no_key(crash: Crash, match: re.Match[str]) -> str:
    """Name the keys of a dict."""
    part = crash.of_type("dict")
    if match["key"].startswith(("tensor(", "array(")):
        return f"A {'tensor' if match['key'].startswith('tensor') else 'array'} is not found among the keys of a dict, even if it holds the same number: make an int of it first."
    keys = crash.given.get(part.text) if part else None
    if part and isinstance(keys, Mapping) and part.shape == (len(keys),):
        listed = ", ".join(repr(key) for key in list(keys)[:MAX_KEYS])
        return f"There is no {match['key']} in `{part.text}`; its keys are {listed}."
    return ""


def place_in_list(crash: Crash, match: re.Match[str]) -> str:
    """Say what stands where a list or tuple takes a place."""
    part, by = crash.of_type("tuple", "list"), match["by"]
    what = f"`{part.text}` is a {part.type_name}" if part else f"A {match['kind']}"
    if by == "float":
        return f"{what}, and its index is a float. `/` always gives one; `//` divides whole numbers."
    if by == "str":
        return f"{what} and no dict: its entries are reached by their place, counted from 0, not by a name."
    return f"{what}, which takes one whole number as its index. An index with several axes needs an array."


def wrong_call(crash: Crash, match: re.Match[str]) -> str:
    """Name the parameters of what the student's code calls."""
    parameters = crash.signatures.get(match["function"])
    listed = f": {match['function']}({', '.join(parameters)})" if parameters is not None else ""
    return f"Your code calls `{match['function']}` with arguments that it does not take{listed}."


def case_calls_in_vain(crash: Crash, match: re.Match[str]) -> str:
    """Name the parameters of the stub with which the case calls; a class of a library has none there."""
    name, parameters = match["function"], crash.signatures.get(match["function"])
    if parameters is None:
        return ""
    if name.endswith("__init__"):
        return "The constructor is given, and a case calls it with its own arguments: keep its parameters as they are."
    listed = f"{name}({', '.join(parameters)})"
    return (
        f"The case calls your `{name}` with the parameters of the stub: {listed}. Keep their names, order and number."
    )


def not_bool(crash: Crash, _: re.Match[str]) -> str:
    """Say what holds numbers instead of truth values."""
    filled = "masked_" in crash.calls and len(crash.trouble.parts) > 1  # a method of what the mask is laid over
    parts = [part for part in crash.trouble.parts[filled:] if part.type_name in ("array", "tensor", "float")]
    part = next((part for part in parts if part.dtype != "bool"), None)
    if part is None:
        return ""
    return f"`{part.text}` holds {part.dtype or 'a float'}. A mask holds truth values: compare, or make it with dtype bool, before it is negated, joined by & or handed on."


def float_here(crash: Crash, _: re.Match[str]) -> str:
    """Say what is a float."""
    if part := crash.of_type("float"):
        return f"`{part.text}` is a float. `/` always gives one; `//` divides whole numbers."
    part = crash.of_type("tuple", "list")
    return (
        f"`{part.text}` is a {part.type_name} where one whole number is wanted: take one of its entries."
        if part
        else ""
    )


def divided_by(crash: Crash, _: re.Match[str]) -> str:
    """Say which argument is zero."""
    zero = next((part.text for part in crash.trouble.parts[1:] if _is_zero(crash.given.get(part.text))), "")
    return f"`{zero}` is 0 in this call, and is divided by. What does the text say for that case?" if zero else ""


def _is_zero(value: object) -> bool:
    return isinstance(value, int | float) and value == 0


def unusable(crash: Crash, match: re.Match[str]) -> str:
    """Say what type something has that cannot be called, looped over or indexed."""
    part = crash.first
    known = part is not None and part.type_name == _TYPES.get(match["type"], match["type"])
    return f"`{part.text}` is of type {part.type_name}, which cannot be used like this." if part and known else ""
