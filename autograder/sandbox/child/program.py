"""A submission as a program: load it from memory, call into it, say what its exceptions were.

Used by the worker beside student code and, for the reference, in the trusted process.
"""

from __future__ import annotations
import __future__

import ast
import difflib
import functools
import importlib
import itertools
import linecache
import math
import opcode
import operator
import random
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from autograder.sandbox.child.broken_parts import without_broken_parts
from autograder.sandbox.child.device import CPU, bound_memory, make_comparable
from autograder.sandbox.child.guards import ShortcutError
from autograder.sandbox.child.long_imports import ImportClock, TooLongError
from autograder.sandbox.child.module_call import make_call
from autograder.sandbox.child.parse import parse
from autograder.sandbox.child.raising_line import MAX_PARTS, called_at, parts_at
from autograder.sandbox.child.student_files import StudentFiles
from autograder.sandbox.child.tree import imported_torch

FUTURES = functools.reduce(operator.or_, (getattr(__future__, n).compiler_flag for n in __future__.all_feature_names))
RAISE = opcode.opmap["RAISE_VARARGS"]
TORCH_REFUSED = "DefaultCPUAllocator: can't allocate memory"
MAX_FRAMES = 12
GIVEN = "<given by the case>"  # the file of code that a case hands to the student's
MAX_NOTES = 20  # cells and statements that failed on import
MAX_NAME = 80
MAX_TEXT = 500


class NotWritten(Exception):  # noqa: N818 (a state, not an error)
    """The submission has no such function."""


class Invocation(NamedTuple):
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
            value = make_call(program.find(call.function), call.module, call.args, call.kwargs)
    except NotWritten:
        near = difflib.get_close_matches(call.function, dir(program.module), 1)
        return {"ending": "absent", "trouble": {"type": "", "text": "".join(near), "frames": []}}
    except BaseException as error:  # noqa: BLE001
        ending = "raised"
        if isinstance(error, NotImplementedError) and _is_said_of_a_stub(error):
            ending = "unwritten"
        elif isinstance(error, MemoryError) or _is_of_torchs_memory(error):
            ending = "memory"
        elif isinstance(error, ShortcutError):
            ending = "shortcut"
        return {"ending": ending, "trouble": describe(error, program.texts)}
    return {"ending": "returned", "value": value, **({"args": call.args} if call.keep else {})}


def _is_of_torchs_memory(error: BaseException) -> bool:
    """Whether torch could not have memory: of a GPU it has an exception for that, of the computer's only a text."""
    refused = type(error) is RuntimeError and any(type(part) is str and TORCH_REFUSED in part for part in error.args)
    return refused or type(error).__name__ == "OutOfMemoryError"


def _is_said_of_a_stub(error: BaseException) -> bool:
    """Whether a `raise` raised it; torch's own is one for `&` of tensors of floats, and for a module without `forward`."""
    *_, place = _traces_below(error.__traceback__)
    code = place.tb_frame.f_code
    return code.co_code[place.tb_lasti] == RAISE and code.co_name != "_forward_unimplemented"


def evaluate(expression: str, label: str = "") -> Any:
    """Make a function from a grader's expression over numpy, as `np`, math and torch; its label is for messages."""
    del label
    names = {"np": np, "math": math}
    if "torch" in expression:  # a second to import where it is not needed
        names["torch"] = importlib.import_module("torch")
    return eval(_compiled(expression.lstrip(), GIVEN, "eval"), names)  # noqa: S307 (the grader's own text)


class Program:
    """A submission, loaded as a module of its own from memory, never from a file."""

    def __init__(self, module: str, notebook: bool, homes: Mapping[str, str] | None = None) -> None:
        """Begin a module; with `homes`, one for each file, and those say in which file a name is looked up first."""
        self.module = StudentFiles(homes) if homes else types.ModuleType(module)
        self.notebook = notebook
        self.texts: dict[str, str] = {}  # the source by label
        self.notes: list[dict[str, Any]] = []
        self.device_mb = 0  # of a GPU's memory which a harness may take; 0 for all
        self.clock = ImportClock(0)
        if not homes:
            sys.modules[module] = self.module

    def load(self, chunks: list[tuple[str, str]]) -> None:
        """Run the source: a statement that fails is noted, and the functions around it still count.

        Raises SyntaxError where a file is no Python at all. A part of it that is none is left out; so is a notebook's cell, and of several
        files one that is none.
        """
        self.texts = dict(chunks)
        for label, text in chunks:
            # There is no file; torch.jit.script and inspect ask for the text of a function all the same.
            linecache.cache[label] = len(text), None, text.splitlines(keepends=True), label
            if self.notebook:
                self._load_cell(label, text)
            elif not isinstance(self.module, StudentFiles):
                self._load_file(label, text, self.module)
        if isinstance(self.module, StudentFiles):
            self.module.load(self.texts, self._load_one_of_several)

    def _load_one_of_several(self, label: str, module: types.ModuleType) -> None:
        try:
            self._load_file(label, self.texts[label], module)
        except (SyntaxError, ValueError) as error:
            self._note(error)

    def _load_file(self, label: str, text: str, module: types.ModuleType) -> None:
        """Run a file at once; where a statement fails, the rest one by one."""
        try:
            whole = compile(text, label, "exec", dont_inherit=True)
        except SyntaxError:
            text, errors = without_broken_parts(text, label)
            whole = compile(text, label, "exec", dont_inherit=True)
            self.texts[label] = text
            linecache.cache[label] = len(text), None, text.splitlines(keepends=True), label
            for error in errors:
                self._note(error)
        try:
            with self.clock.statement():
                exec(whole, module.__dict__)  # noqa: S102
        except (Exception, SystemExit, TooLongError) as error:  # noqa: BLE001
            self._note(error)
            tree = parse(text, label)
            # What else computes at the top level would take as long once more.
            kept = definitions(tree) if isinstance(error, TooLongError) else tree.body
            for node in _statements_after(error, whole, kept):
                self._run(node, label, whole.co_flags & FUTURES, module)

    def _load_cell(self, label: str, text: str) -> None:
        """Run what is kept of a notebook's cell, statement by statement."""
        try:
            tree = parse(text, label)
            whole = compile(tree, label, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            self.notes.append(describe(error, self.texts))
            return
        self.module.__doc__ = self.module.__doc__ or ast.get_docstring(tree)
        for node in definitions(tree):
            self._run(node, label, whole.co_flags & FUTURES, self.module)

    def _run(self, node: ast.stmt, label: str, futures: int, module: types.ModuleType) -> None:
        try:
            code = compile(ast.Module([node], []), label, "exec", flags=futures, dont_inherit=True)
            with self.clock.statement():
                exec(code, module.__dict__)  # noqa: S102
        except (Exception, SystemExit, TooLongError) as error:  # noqa: BLE001
            self._note(error)

    def _note(self, error: Exception | SystemExit | TooLongError) -> None:
        if isinstance(error, SystemExit) and type(error) is not SystemExit:
            raise error  # the end of the process itself, in the grader's
        if len(self.notes) < MAX_NOTES:
            self.notes.append(describe(error, self.texts))

    def harnessed(self, source: str, function: str) -> Any:
        """Return a function of a harness, whose own names the submission does not share."""
        names: dict[str, Any] = {"__name__": "training"}
        exec(_compiled(source, "training.py", "exec"), names)  # noqa: S102 (the course's own)
        return names[function]

    def find(self, path: str) -> Any:
        """Return a function, class or method by its dotted name. Raises NotWritten where there is none."""
        found: Any = self.module
        for name in path.split("."):
            if not hasattr(found, name):
                raise NotWritten(path)
            found = getattr(found, name)
        return found


@functools.lru_cache(maxsize=256)
def _compiled(text: str, label: str, mode: str) -> types.CodeType:
    return compile(text, label, mode, dont_inherit=True)


def _statements_after(error: BaseException, whole: types.CodeType, statements: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a file that come after the one in which it raised; none where that is not to be seen."""
    at = next((trace.tb_lasti for trace in _traces_below(error.__traceback__) if trace.tb_frame.f_code is whole), None)
    if at is None:
        return []
    line, _, column, _ = next(itertools.islice(whole.co_positions(), at // 2, None))
    if line is None or column is None:
        return []
    return [node for node in statements if _begin(node) > (line, column)]


def _begin(node: ast.stmt) -> tuple[int, int]:
    """Return where a statement begins, its decorators included."""
    first = min((node, *getattr(node, "decorator_list", ())), key=lambda each: each.lineno)
    return first.lineno, first.col_offset


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
    """Give every call the same random state, and gradients, whatever ran before it."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (students use the global state)
    if torch := imported_torch():
        torch.set_grad_enabled(True)  # a call before may have switched them off for good
        torch.default_generator.manual_seed(seed)  # manual_seed itself spends 3 ms on preparing for CUDA
        if torch.cuda.is_initialized():
            torch.cuda.manual_seed_all(seed)
