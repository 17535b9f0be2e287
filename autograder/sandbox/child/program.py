"""A submission as a program: load it from memory, call into it, say what its exceptions were.

Used by the worker beside student code and, for the reference, in the trusted process.
"""

from __future__ import annotations
import __future__

import ast
import difflib
import functools
import importlib
import linecache
import math
import opcode
import operator
import random
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.sandbox.child.device import CPU, bound_memory, make_comparable
from autograder.sandbox.child.guards import ShortcutError
from autograder.sandbox.child.parse import parse
from autograder.sandbox.child.raising_line import MAX_PARTS, called_at, parts_at
from autograder.sandbox.child.tree import leaves

FUTURES = functools.reduce(operator.or_, (getattr(__future__, n).compiler_flag for n in __future__.all_feature_names))
RAISE = opcode.opmap["RAISE_VARARGS"]
MAX_FRAMES = 12
GIVEN = "<given by the case>"  # the file of code that a case hands to the student's
MAX_NOTES = 20  # cells and statements that failed on import
MAX_NAME = 80
MAX_TEXT = 500


class NotWritten(Exception):  # noqa: N818 (a state, not an error)
    """The submission has no such function."""


@dataclass(frozen=True)
class Invocation:
    """One call to make; `keep` asks for the arguments as they are afterwards."""

    function: str
    args: list[Any]
    kwargs: dict[str, Any]
    module: dict[str, Any] | None
    keep: bool
    harness: str = ""


def _silent(step: int, loss: float) -> None:
    """Ignore a training's progress."""


def answer(program: Program, call: Invocation, report: Callable[[int, float], None] = _silent) -> dict[str, Any]:
    """Make one call and describe how it ended; `report` hears of a training's progress."""
    try:
        if call.harness:
            device = call.kwargs.get("device", CPU)
            make_comparable(device)
            bound_memory(device, program.device_mb)
            value = program.harnessed(call.harness, call.function)(program.module, report, *call.args, **call.kwargs)
        else:
            found = program.find(call.function)
            value = found(*call.args, **call.kwargs) if call.module is None else call_module(found, call, call.module)
    except NotWritten:
        near = difflib.get_close_matches(call.function, vars(program.module), 1)
        return {"ending": "absent", "trouble": {"type": "", "text": "".join(near), "frames": []}}
    except BaseException as error:  # noqa: BLE001
        ending = "raised"
        if isinstance(error, NotImplementedError) and _is_said_in_python(error):
            ending = "unwritten"
        elif isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":  # torch's, of a GPU
            ending = "memory"
        elif isinstance(error, ShortcutError):
            ending = "shortcut"
        return {"ending": ending, "trouble": describe(error, program.texts)}
    return {"ending": "returned", "value": value, **({"args": call.args} if call.keep else {})}


def _is_said_in_python(error: BaseException) -> bool:
    """Whether a `raise` raised it. Torch's own code raises NotImplementedError too, as for `&` of tensors of floats."""
    place = error.__traceback__
    while place and place.tb_next:
        place = place.tb_next
    return place is not None and place.tb_frame.f_code.co_code[place.tb_lasti] == RAISE


def call_module(found: Any, call: Invocation, module: dict[str, Any]) -> Any:
    """Make a torch module, load its parameters, call a method and, where cotangents are given, go backward.

    Without arguments to make it with, what was found is a plain function.
    """
    import torch

    method, parameters = found, []
    if module["init"] is not None:
        made = found(*module["init"])
        # A buffer that the student's constructor adds is none of the grader's parameters, and keeps the value it made.
        own = made.state_dict()
        buffers = {name: own[name] for name, _ in made.named_buffers() if name in own}
        made.load_state_dict({**buffers, **module["state"]})
        made.train(module["training"])
        method, parameters = getattr(made, module["method"]), made.named_parameters()
    if not module["cotangents"]:
        with torch.no_grad():
            return method(*call.args, **call.kwargs)
    inputs = [_followed(a, lambda tensor: tensor.requires_grad_()) for a in call.args]
    output = method(*call.args, **call.kwargs)
    loss = sum((o * c).sum() for o, c in zip(leaves(output), leaves(module["cotangents"]), strict=True))
    if loss.requires_grad:  # else every gradient is missing, which the check tells better than torch's exception does
        loss.backward()
    return {
        "output": output,
        "input_grads": [_followed(a, lambda tensor: tensor.grad) for a in inputs],
        "param_grads": {name: parameter.grad for name, parameter in parameters},
    }


def _followed(argument: Any, each: Callable[[Any], Any]) -> Any:
    """Apply a function to every floating tensor of an argument, in tuples and lists too; all else becomes None."""
    import torch

    if isinstance(argument, tuple | list):
        return [_followed(part, each) for part in argument]
    return each(argument) if torch.is_tensor(argument) and argument.is_floating_point() else None


def evaluate(expression: str, label: str = "") -> Any:
    """Make a function from a grader's expression over numpy, as `np`, math and torch; its label is for messages."""
    del label
    names = {"np": np, "math": math}
    if "torch" in expression:  # a second to import where it is not needed
        names["torch"] = importlib.import_module("torch")
    return eval(compile(expression.lstrip(), GIVEN, "eval"), names)  # noqa: S307 (the grader's own text)


class Program:
    """A submission, loaded as a module of its own from memory, never from a file."""

    def __init__(self, module: str, notebook: bool) -> None:
        self.module = types.ModuleType(module)
        self.notebook = notebook
        self.texts: dict[str, str] = {}  # the source by label
        self.notes: list[dict[str, Any]] = []
        self.device_mb = 0  # of a GPU's memory which a harness may take; 0 for all
        sys.modules[module] = self.module

    def load(self, chunks: list[tuple[str, str]]) -> None:
        """Run the source, statement by statement: one that fails is noted, and the functions around it still count.

        Raises SyntaxError where a file is no Python at all; of a notebook only that cell is left out.
        """
        self.texts = dict(chunks)
        for label, text in chunks:
            # There is no file; torch.jit.script and inspect ask for the text of a function all the same.
            linecache.cache[label] = len(text), None, text.splitlines(keepends=True), label
            try:
                tree = parse(text, label)
                whole = compile(tree, label, "exec", dont_inherit=True)
            except (SyntaxError, ValueError) as error:
                if not self.notebook:
                    raise
                self.notes.append(describe(error, self.texts))
                continue
            self.module.__doc__ = self.module.__doc__ or ast.get_docstring(tree)
            for node in definitions(tree) if self.notebook else tree.body:
                self._run(node, label, whole.co_flags & FUTURES)

    def _run(self, node: ast.stmt, label: str, futures: int) -> None:
        try:
            code = compile(ast.Module([node], []), label, "exec", flags=futures, dont_inherit=True)
            exec(code, self.module.__dict__)  # noqa: S102
        except Exception as error:  # noqa: BLE001
            if len(self.notes) < MAX_NOTES:
                self.notes.append(describe(error, self.texts))

    def harnessed(self, source: str, function: str) -> Any:
        """Return a function of a harness, whose own names the submission does not share."""
        names: dict[str, Any] = {"__name__": "training"}
        exec(_compiled(source), names)  # noqa: S102 (the course's own)
        return names[function]

    def find(self, path: str) -> Any:
        """Return a function, class or method by its dotted name. Raises NotWritten where there is none."""
        found: Any = self.module
        for name in path.split("."):
            if not hasattr(found, name):
                raise NotWritten(path)
            found = getattr(found, name)
        return found


@functools.lru_cache(maxsize=4)
def _compiled(harness: str) -> types.CodeType:
    return compile(harness, "training.py", "exec", dont_inherit=True)


def definitions(tree: ast.Module) -> list[ast.stmt]:
    """Pick a notebook cell's imports, definitions and constants; experiments and check cells are left out.

    An assignment counts as a constant unless it calls something the cell or notebook may have defined itself: a call
    by attribute (`np.array`) or of a builtin does not, so `NEG = float("-inf")` stays and `out = attention(...)` goes.
    """
    builtins = __builtins__ if isinstance(__builtins__, dict) else vars(__builtins__)
    kept: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            kept.append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            called = [n.func for n in ast.walk(node.value) if isinstance(n, ast.Call)]
            if all(isinstance(f, ast.Attribute) or (isinstance(f, ast.Name) and f.id in builtins) for f in called):
                kept.append(node)
    return kept


def describe(error: BaseException, texts: Mapping[str, str]) -> dict[str, Any]:
    """Say what was raised and where in the student's own code; hostile texts are cut, failing ones left out.

    `texts` is that code by label. Of the innermost line it also says what met there, without values. Where that line called
    what the case hands over, and this raised, it says so first.
    """
    try:
        text = str(error)[:MAX_TEXT]
    except BaseException:  # noqa: BLE001
        text = ""
    frames: list[list[Any]] = []
    if isinstance(error, SyntaxError) and error.filename in texts:
        frames.append([error.filename, int(error.lineno or 0), "", ""])
        text = str(error.msg)[:MAX_TEXT]
    passed = [trace for trace in _traces_below(error.__traceback__) if trace.tb_frame.f_code.co_filename in texts]
    kept = passed if len(passed) <= MAX_FRAMES else passed[:2] + passed[2 - MAX_FRAMES :]
    for trace in kept:
        code = trace.tb_frame.f_code
        frames.append([code.co_filename, trace.tb_lineno, code.co_qualname, called_at(trace, texts[code.co_filename])])
    parts = parts_at(kept[-1], texts[kept[-1].tb_frame.f_code.co_filename]) if kept else []
    if kept and any(trace.tb_frame.f_code.co_filename == GIVEN for trace in _traces_below(kept[-1])):
        parts = [[frames[-1][3], "given", [], ""], *parts][:MAX_PARTS]
    return {"type": type(error).__name__[:MAX_NAME], "text": text, "frames": frames[:MAX_FRAMES], "parts": parts}


def _traces_below(trace: types.TracebackType | None) -> Iterator[types.TracebackType]:
    """Yield what an exception passed, from a frame to the innermost."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def reseed(seed: int) -> None:
    """Give every call the same random state, whatever ran before it."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (students use the global state)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.default_generator.manual_seed(seed)  # manual_seed itself spends 3 ms on preparing for CUDA
        if torch.cuda.is_initialized():
            torch.cuda.manual_seed_all(seed)
