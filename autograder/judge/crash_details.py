"""Say which names, types and values met in an exception of a public case."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.course.language import marked, say
from autograder.judge.axis_names import AxisNames
from autograder.judge.calls_as_text import Signatures
from autograder.sandbox.job import Part, Source, Trouble

MAX_KEYS = 12
TYPES = {"Tensor": "tensor", "numpy.ndarray": "array", "ndarray": "array", "NoneType": "None", "torch.Size": "tuple"}
_LAYER = re.compile(r"\.\d+\.")
# The names that a statement sets, each with its sign, and what is assigned.
_ASSIGNMENT = re.compile(r"^((?:[\w, \t]+=)+)(?!=)([^#=\n]*\bNone\b[^#=\n]*)", re.MULTILINE)
_LACKS = re.compile(r"missing \d+ required [\w-]+ arguments?: (?P<names>.+)")
_NO_KEYS = marked({
    "tensor": "A tensor is not found among the keys of a dict, even if it holds the same number: make an int of it first.",
    "array": "An array is not found among the keys of a dict, even if it holds the same number: make an int of it first.",
})  # fmt: skip
# What stands where a list or tuple takes a place: of one that the text names, and of another.
_PLACES_OF = marked({
    "float": "`{name}` is a {kind}, and its index is a float. `/` always gives one; `//` divides whole numbers.",
    "str": "`{name}` is a {kind} and no dict: its entries are reached by their place, counted from 0, not by a name.",
    "several": "`{name}` is a {kind}, which takes one whole number as its index. An index with several axes needs an array.",
})  # fmt: skip
_PLACES = marked({
    "float": "A {kind}, and its index is a float. `/` always gives one; `//` divides whole numbers.",
    "str": "A {kind} and no dict: its entries are reached by their place, counted from 0, not by a name.",
    "several": "A {kind}, which takes one whole number as its index. An index with several axes needs an array.",
})  # fmt: skip


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
    """A kind of exception: its text, and what can be said of a public case; what may always be said, `crash_kinds.py` has.

    `name` is stored in results and counted over a class, so it stays as it is; several rules may have the same.
    """

    name: str
    pattern: str
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
        told = marked(
            "This call gives None for `{name}`, which the text allows. Treat that case first: `if {name} is None`."
        )
        return say(told, name=part.text)
    if part and _is_set_to_none(crash, part.text):
        return say("`{name}` is None here, and your code sets it so.", name=part.text)
    if part:
        told = marked(
            "`{name}` is None here. A function that ends without `return` gives None; so does a method that works in place."
        )
        return say(told, name=part.text)
    own = (name for unknown in crash.trouble.parts if (name := unknown.text.partition("(")[0]) in crash.source.names())
    called = next(own, "")
    return say("A value is None here. Does your `{name}` end without a `return`?", name=called) if called else ""


def _is_set_to_none(crash: Crash, name: str) -> bool:
    """Whether a statement of the student's sets a variable to None, as a placeholder: by itself, or as one of several."""
    for found in (found for chunk in crash.source.chunks for found in _ASSIGNMENT.finditer(chunk.text)):
        values = [value.strip() for value in found[2].split(",")]
        for targets in (target.split(",") for target in found[1].split("=")[:-1]):
            named = zip(targets, values, strict=True) if len(targets) == len(values) else ()
            if any(target.strip() == name and value == "None" for target, value in named):
                return True
    return False


def parameter_names(crash: Crash, _: re.Match[str]) -> str:
    """Name the parameters that a case loads, or the first that has another shape."""
    shapes = r"size mismatch for ([\w.]+): .*?torch\.Size\(\[([^\]]*)\]\).*?torch\.Size\(\[([^\]]*)\]\)"
    if other := re.search(shapes, crash.trouble.text):
        told = marked(
            "A case loads `{name}` with the shape ({loaded}), and your constructor makes it with the shape ({made})."
        )
        return say(told, name=other[1], loaded=other[2], made=other[3])
    absent, added = (_keys(word, crash.trouble.text) for word in ("Unexpected", "Missing"))
    if absent and not added:
        told = marked(
            "A case loads parameters by their names, and your constructor does not make all of them yet: {names}."
        )
    elif added and not absent:
        told = marked("A case loads parameters by their names, and your constructor makes others as well: {names}.")
    elif absent:
        told = marked(
            "A case loads the constructor's parameters by their names: keep {names}. What you add must not hold any parameters."
        )
    else:
        told = marked(
            "A case loads the parameters that the constructor makes, by their names. What you add must not hold any parameters."
        )
    return say(told, names=absent or added)


def _keys(word: str, text: str) -> str:
    """Return the parameters that torch lists behind a word, those of several layers with one name once: `blocks.*.W_q`."""
    found = re.findall(rf'{word} key\(s\) in state_dict: ((?:"[\w.]+"(?:, )?)+)', text)
    names = [name for each in found for name in re.findall(r'"([\w.]+)"', each)]
    layers = Counter(_LAYER.sub(".*.", name) for name in names)
    short = dict.fromkeys(said if layers[said := _LAYER.sub(".*.", name)] > 1 else name for name in names)
    more = ["..."] if len(short) > MAX_KEYS else []
    return ", ".join([*(f"`{name}`" for name in list(short)[:MAX_KEYS]), *more])


def no_key(crash: Crash, match: re.Match[str]) -> str:
    """Name the keys of a dict."""
    part = crash.of_type("dict")
    kind = match["key"].partition("(")[0] if "(" in match["key"] else ""
    if kind in _NO_KEYS:
        return say(_NO_KEYS[kind])
    keys = crash.given.get(part.text) if part else None
    if part and isinstance(keys, Mapping) and part.shape == (len(keys),):
        listed = ", ".join(repr(key) for key in list(keys)[:MAX_KEYS])
        told = marked("There is no {key} in `{name}`; its keys are {listed}.")
        return say(told, key=match["key"], name=part.text, listed=listed)
    frame = next(reversed(crash.trouble.frames), None)
    if frame and "+=" in crash.source.line(frame.label, frame.line):
        return say(
            "A dict has no key {key} here. Where `+=` adds to it, it has to begin with something.", key=match["key"]
        )
    return say("A dict has no key {key} here.", key=match["key"])


def place_in_list(crash: Crash, match: re.Match[str]) -> str:
    """Say what stands where a list or tuple takes a place."""
    part, by = crash.of_type("tuple", "list"), match["by"] if match["by"] in ("float", "str") else "several"
    if part is None:
        return say(_PLACES[by], kind=match["kind"])
    return say(_PLACES_OF[by], name=part.text, kind=part.type_name)


def wrong_call(crash: Crash, match: re.Match[str]) -> str:
    """Name the parameters of what the student's code calls."""
    name, parameters = match["function"], crash.signatures.get(match["function"])
    lacks = _LACKS.search(crash.trouble.text)
    if lacks and "'self'" not in lacks["names"]:
        names = ", ".join(f"`{lacking}`" for lacking in re.findall(r"'(\w+)'", lacks["names"]))
        return say("Your code calls `{name}` without {names}, which it needs.", name=name, names=names)
    if parameters is None:
        return say("Your code calls `{name}` with arguments that it does not take.", name=name)
    told = marked("Your code calls `{name}` with arguments that it does not take: {name}({listed}).")
    return say(told, name=name, listed=", ".join(parameters))


def case_calls_in_vain(crash: Crash, match: re.Match[str]) -> str:
    """Name the parameters of the stub with which the case calls; a class of a library has none there."""
    name, parameters = match["function"], crash.signatures.get(match["function"])
    if parameters is None:
        return ""
    if name.endswith("__init__"):
        told = marked(
            "The constructor is given, and a case calls it with its own arguments: keep its parameters as they are."
        )
        return say(told)
    told = marked(
        "The case calls your `{name}` with the parameters of the stub: {name}({listed}). Keep their names, order and number."
    )
    return say(told, name=name, listed=", ".join(parameters))


def not_bool(crash: Crash, _: re.Match[str]) -> str:
    """Say what holds numbers instead of truth values."""
    filled = "masked_" in crash.calls and len(crash.trouble.parts) > 1  # a method of what the mask is laid over
    parts = [part for part in crash.trouble.parts[filled:] if part.type_name in ("array", "tensor", "float")]
    part = next((part for part in parts if part.dtype != "bool"), None)
    if part is None:
        return ""
    told = marked(
        "`{name}` holds {dtype}. A mask holds truth values: compare, or make it with dtype bool, before it is negated, "
        "joined by & or handed on."
    )
    return say(told, name=part.text, dtype=part.dtype or say("a float"))


def float_here(crash: Crash, _: re.Match[str]) -> str:
    """Say what is a float."""
    if part := crash.of_type("float"):
        return say("`{name}` is a float. `/` always gives one; `//` divides whole numbers.", name=part.text)
    part = crash.of_type("tuple", "list")
    told = marked("`{name}` is a {kind} where one whole number is wanted: take one of its entries.")
    return say(told, name=part.text, kind=part.type_name) if part else ""


def divided_by(crash: Crash, _: re.Match[str]) -> str:
    """Say which argument is zero."""
    zero = next((part.text for part in crash.trouble.parts[1:] if _is_zero(crash.given.get(part.text))), "")
    told = marked("`{name}` is 0 in this call, and is divided by. What does the text say for that case?")
    return say(told, name=zero) if zero else ""


def _is_zero(value: object) -> bool:
    return isinstance(value, int | float) and value == 0


def unusable(crash: Crash, match: re.Match[str]) -> str:
    """Say what type something has that cannot be called, looped over or indexed."""
    part = crash.first
    called = crash.trouble.frames[-1].calls if crash.trouble.frames else ""
    if "not callable" in crash.trouble.text and called and not (part and part.text == called):  # that is an argument
        told = marked(
            "`{name}` is of type {type}, which cannot be called. Is that name used for something else as well?"
        )
        return say(told, name=called, type=TYPES.get(match["type"], match["type"]))
    if match["type"] == "int" and "iterable" in crash.trouble.text:
        return say("A whole number cannot be gone through. Is `range(...)` missing around it?")
    if part is None or part.type_name != TYPES.get(match["type"], match["type"]):
        return ""
    return say("`{name}` is of type {type}, which cannot be used like this.", name=part.text, type=part.type_name)
