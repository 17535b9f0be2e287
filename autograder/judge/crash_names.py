"""Say which name is not found in a public case: a variable that is not there or not yet, an attribute, a method."""

from __future__ import annotations

import difflib
import re
import sys

import numpy as np

from autograder.course.language import marked, say
from autograder.judge.crash_details import TYPES, Crash
from autograder.judge.names_elsewhere import function_elsewhere, method_elsewhere

_OF_MODULES = (  # what every module of torch's has and is misspelt
    "add_module", "children", "load_state_dict", "modules", "named_parameters", "parameters", "register_buffer",
    "register_parameter", "requires_grad_", "state_dict", "training", "zero_grad",
)  # fmt: skip

LIKE = 0.75  # how alike two short names are at least, of which one may be the other misspelt
_OF_TENSORS = frozenset(
    {"unsqueeze", "permute", "expand", "masked_fill", "detach", "cpu", "dim", "numel", "mT", "tril"}
)
_CONTAINER = marked(
    "{what} is a {owner}, which has no `{name}`. Make one array of it first, or take the part that you mean."
)
_SINGLE = marked("{what} is a single {owner}, which has no `{name}`.")
_LACKS = {
    **dict.fromkeys(("list", "tuple", "dict"), _CONTAINER),
    **dict.fromkeys(("int", "float", "bool", "str"), _SINGLE),
    "function": marked("{what} is a {owner} and has no `{name}`: call it first."),
}
# An attribute that the other library's arrays have, by whether this is a tensor.
_OF_THE_OTHER = {
    True: marked("{what} is a torch tensor, which has no `{name}`. Is that numpy's name for it?"),
    False: marked("{what} is a numpy array, which has no `{name}`. Is that torch's name for it?"),
}
_OF_NEITHER = marked(
    "{what} is a torch tensor, which has no `{name}`. Is something else to come in there, such as another argument?"
)


def undefined_name(crash: Crash, match: re.Match[str]) -> str:
    """Say which name is likely to be meant."""
    name = match["name"]
    if crash.source.holds(f"self.{name}"):
        told = marked("There is no variable `{name}` here. What belongs to the object is reached as `self.{name}`.")
        return say(told, name=name)
    here = crash.trouble.frames[-1].label if crash.trouble.frames else ""
    if (home := crash.source.file_of(name)) and here and home != here:
        told = marked("`{name}` is defined in {home}, and {here} does not have it. Does {here} import it?")
        return say(told, name=name, home=home, here=here)
    if name in crash.source.names():
        told = marked(
            "There is no variable or function named `{name}` here, though your file has one: does its own definition fail, or come later?"
        )
        return say(told, name=name)
    if origin := _imported_from(crash, name):
        told = marked(
            "There is no variable or function named `{name}` here: it is to come from `{origin}`, whose import fails."
        )
        return f"{say(told, name=name, origin=origin)} {_what_is_there(crash)}"
    known = {*crash.given, *crash.source.names(), "np", "torch"} - {name}
    near = difflib.get_close_matches(name, sorted(known), 1, LIKE)
    if near:
        return say("There is no variable or function named `{name}` here. Is it `{near}`?", name=name, near=near[0])
    told = marked(
        "There is no variable or function named `{name}` here. Was it renamed or misspelt, is an import missing, or is it still to be written?"
    )
    return say(told, name=name)


def no_module(crash: Crash, match: re.Match[str]) -> str:
    """Say which module cannot be imported."""
    return f"{say('There is no module `{name}` here.', name=match['name'])} {_what_is_there(crash)}"


def _what_is_there(crash: Crash) -> str:
    """Say what may be imported: a file of the student's own that lies beside theirs is not read."""
    told = marked(
        "Packages that the assignment does not use may be missing where it is graded, and of your own files only {files} is read: write into it "
        "what you need of another."
    )
    return say(told, files=", ".join(chunk.label for chunk in crash.source.chunks))


def _imported_from(crash: Crash, name: str) -> str:
    """Return the package that a name is imported from at the top level, by the text alone; a failing import leaves no name."""
    plain = re.compile(
        rf"^(?:from ([\w.]+) import .*|import ([\w.]+)(?: as (?:\w+))?.*)\b{re.escape(name)}\b", re.MULTILINE
    )
    found = (match for chunk in crash.source.chunks for match in plain.finditer(chunk.text))
    return next(((match[1] or match[2]).partition(".")[0] for match in found), "")


def not_assigned(_: Crash, match: re.Match[str]) -> str:
    """Say which variable is read too early."""
    told = marked(
        "`{name}` is read before anything is assigned to it: in a loop or branch that may not run, or further down."
    )
    return say(told, name=match["name"])


def no_function(_: Crash, match: re.Match[str]) -> str:
    """Say which function of a library is likely to be meant, where the library is imported here."""
    owner, name = match["owner"], match["name"]
    if told := function_elsewhere(owner, name):
        return told
    near = difflib.get_close_matches(name, dir(sys.modules.get(owner)), 1, LIKE)
    return say("`{owner}` has no `{name}`. Is it `{near}`?", owner=owner, name=name, near=near[0]) if near else ""


def no_attribute(crash: Crash, match: re.Match[str]) -> str:
    """Say what something is that has no such attribute."""
    owner, name = match["owner"], match["name"]
    known = crash.first is not None and crash.first.type_name in (owner, TYPES.get(owner, "object"), "unknown")
    what = f"`{crash.first.text}`" if known and crash.first else say("A {type}", type=TYPES.get(owner, owner))
    if owner in _LACKS:
        return say(_LACKS[owner], what=what, owner=owner, name=name)
    if owner in ("Tensor", "numpy.ndarray", "ndarray"):
        if told := method_elsewhere(what, name, is_tensor=owner == "Tensor"):
            return told
        near = difflib.get_close_matches(name, dir(np.ndarray), 1, LIKE)
        if near and near[0] != name and name not in _OF_TENSORS:
            return say("{what} has no `{name}`. Is it `{near}`?", what=what, name=name, near=near[0])
        neither = owner == "Tensor" and name not in dir(np.ndarray)
        return say(_OF_NEITHER if neither else _OF_THE_OTHER[owner == "Tensor"], what=what, name=name)
    if not crash.source.holds(f"class {owner}"):
        return say("{what} is of type {owner}, which has no `{name}`.", what=what, owner=owner, name=name)
    return no_method(crash, match) if f"{owner}.{name}" in crash.signatures else _nothing_made(crash, owner, name)


def no_method(crash: Crash, match: re.Match[str]) -> str:
    """Say that the student's class has lost a method of the stub's, and which one is alike, or that the stub's has none, either."""
    owner, name = match["owner"], match["name"]
    defined = {found for chunk in crash.source.chunks for found in re.findall(r"\bdef (\w+)", chunk.text)}
    given = {known.rpartition(".")[2] for known in crash.signatures}
    alike = difflib.get_close_matches(name, sorted(defined - given), 1)
    near = say(" There is a `{name}`.", name=alike[0]) if alike else ""
    if not near and f"{owner}.{name}" not in crash.signatures:
        told = marked("A `{owner}` cannot be called: it has no `{name}`. Call the parts that it holds, or give it one.")
        return say(told, owner=owner, name=name)
    told = marked("There is no method `{name}` in your `{owner}`.{near} Was it renamed or removed?")
    return say(told, name=name, owner=owner, near=near)


def _nothing_made(crash: Crash, owner: str, name: str) -> str:
    """Say that an object of the student's own class has no such attribute, and which it has."""
    made = {
        found
        for chunk in crash.source.chunks
        for found in re.findall(r"\bself\.(\w+)\s*(?::[^=\n]{1,80})?=[^=]", chunk.text)
    }
    near = difflib.get_close_matches(name, sorted(made - {name}), 1) or difflib.get_close_matches(
        name, _OF_MODULES, 1, LIKE
    )
    if near:
        told = marked("`{owner}` has no `{name}`: nothing of that name was made in its constructor. There is `{near}`.")
        return say(told, owner=owner, name=name, near=near[0])
    told = marked(
        "`{owner}` has no `{name}`: nothing of that name was made in its constructor. Is it made in `__init__`, or a method that is still to be written?"
    )
    return say(told, owner=owner, name=name)
