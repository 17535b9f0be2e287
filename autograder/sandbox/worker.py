"""The child's side: loads a submission, makes the calls it is handed, sends back what they gave as data.

This is the only file of ours that sits beside student code. It imports nothing of ours but the codec, and knows no
expected value, tolerance or check. Student code may do anything to this process, so the parent believes nothing that
comes from here beyond "these are the values it returned".

Protocol. JOB is a file of parts, each an eight-byte length and an encoded tree: first the program, then one part per
phase. A byte on GO says that the next of these has been appended, so that inputs of hidden cases are not in this process
while public ones run, whose prints and outputs students see; within the first phase, that a case may begin. On RESULT go eight-byte lengths and encoded trees, one
`ready` before any student code runs (a process that ends before it is the sandbox's fault, after it the student's),
one `loaded`, then outcomes in batches. A length with the top bit set is no length but a mark: the request begun next.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import difflib
import functools
import io
import math
import operator
import os
import random
import struct
import sys
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.sandbox.wire import WireError, decode, encode

BATCH_SECONDS = 0.005
MARK = 1 << 63
FUTURES = functools.reduce(operator.or_, (getattr(__future__, n).compiler_flag for n in __future__.all_feature_names))
MAX_FRAMES = 12
MAX_NOTES = 20  # cells and statements that failed on import
MAX_NAME = 80
MAX_TEXT = 500


class NotWritten(Exception):  # noqa: N818 (a state, not an error)
    """The submission has no such function."""


def main(job_fd: int, go_fd: int, result_fd: int, lock: Callable[[int, int], None]) -> None:
    """Run one job to its end and leave the process at once, without student exit handlers.

    `lock(memory_mb, file_mb)` closes the jail; the program is read before it and runs after it.
    """
    job = os.fdopen(job_fd, "rb", buffering=0)
    os.read(go_fd, 1)
    header = read_part(job)
    lock(header["memory_mb"], header["output_mb"])
    count_prints()
    channel = Channel(result_fd, header["output_mb"] << 20)
    channel.send({"event": "ready"})
    program = Program(header["module"], header["notebook"])
    trouble = load(program, header["chunks"])
    channel.send({"event": "loaded", "trouble": trouble, "notes": program.notes[:MAX_NOTES]})
    phases = [] if trouble else header["phases"]
    position = 0
    for number, parts in enumerate(phases):
        os.read(go_fd, 1)
        for _ in range(parts):
            requests = read_part(job)
            # In the first phase, of public cases, what each of them prints is told apart.
            serve(program, requests, position, channel, None if number else go_fd)
            position += len(requests)
    os._exit(0)


def read_part(job: Any) -> Any:
    """Return the next part of a job, which the grader has written and this process can only read."""
    (size,) = struct.unpack("<Q", job.read(8))
    return decode(job.read(size), torch=_lazy_torch, evaluate=evaluate)


def load(program: Program, chunks: list[Any]) -> dict[str, Any] | None:
    """Run the submission's source; return what went wrong, if anything did."""
    try:
        program.load([(label, text.tobytes().decode()) for label, text in chunks])
    except BaseException as error:  # noqa: BLE001 (student code may raise anything, SystemExit included)
        return describe(error, program.labels)
    return None


def serve(program: Program, requests: list[Any], position: int, channel: Channel, go_fd: int | None) -> None:
    """Answer every request of a phase in order, in batches that are never long in coming.

    With `go_fd` a case that printed ends its batch, and the next begins when the grader has read what it printed.
    """
    batch: list[dict[str, Any]] = []
    group, sent, printed = None, time.monotonic(), channel.printed()
    for offset, (function, args, kwargs, module, keep, now, seed) in enumerate(requests):
        if now != group:
            talked = go_fd is not None and channel.printed() != printed
            if batch and (talked or time.monotonic() - sent > BATCH_SECONDS):
                events = channel.send_outcomes(batch)
                await_go(go_fd, events)
                batch, sent, printed = [], time.monotonic(), channel.printed()
            group = now
            reseed(seed)
            channel.mark(position + offset)
        started = time.perf_counter()
        outcome = answer(program, Invocation(function, list(args), kwargs, module, keep))
        batch.append({**outcome, "seconds": time.perf_counter() - started})
    await_go(go_fd, channel.send_outcomes(batch))


def await_go(go_fd: int | None, times: int) -> None:
    """Wait until the grader has read that many events, and what was printed before them."""
    if go_fd is not None:
        for _ in range(times):
            os.read(go_fd, 1)


@dataclass(frozen=True)
class Invocation:
    """One call to make; `keep` asks for the arguments as they are afterwards."""

    function: str
    args: list[Any]
    kwargs: dict[str, Any]
    module: dict[str, Any] | None
    keep: bool


def answer(program: Program, call: Invocation) -> dict[str, Any]:
    """Make one call and describe how it ended."""
    try:
        found = program.find(call.function)
        value = found(*call.args, **call.kwargs) if call.module is None else call_module(found, call, call.module)
    except NotWritten:
        near = difflib.get_close_matches(call.function, vars(program.module), 1)
        return {"ending": "absent", "trouble": {"type": "", "text": "".join(near), "frames": []}}
    except BaseException as error:  # noqa: BLE001
        ending = "raised"
        if isinstance(error, NotImplementedError):
            ending = "unwritten"
        elif isinstance(error, MemoryError):
            ending = "memory"
        return {"ending": ending, "trouble": describe(error, program.labels)}
    return {"ending": "returned", "value": value, **({"args": call.args} if call.keep else {})}


def call_module(cls: Any, call: Invocation, module: dict[str, Any]) -> Any:
    """Make a torch module, load its parameters, call a method and, where cotangents are given, go backward."""
    import torch

    made = cls(*module["init"])
    made.load_state_dict(module["state"])
    made.train(module["training"])
    if not module["cotangents"]:
        with torch.no_grad():
            return getattr(made, module["method"])(*call.args, **call.kwargs)
    inputs = [a.requires_grad_() if torch.is_tensor(a) and a.is_floating_point() else None for a in call.args]
    output = getattr(made, module["method"])(*call.args, **call.kwargs)
    outputs = output if isinstance(output, tuple | list) else (output,)
    sum((o * c).sum() for o, c in zip(outputs, module["cotangents"], strict=True)).backward()
    return {
        "output": output,
        "input_grads": [None if a is None else a.grad for a in inputs],
        "param_grads": {name: parameter.grad for name, parameter in made.named_parameters()},
    }


def evaluate(expression: str) -> Any:
    """Make a function from a grader's expression over numpy, as `np`, and math."""
    return eval(expression, {"np": np, "math": math})  # noqa: S307 (the grader's own text)


class _LazyTorch:
    """Imports torch when the first tensor arrives."""

    def __getattr__(self, name: str) -> Any:
        import torch

        return getattr(torch, name)


_lazy_torch = _LazyTorch()


class Log(io.FileIO):
    """Standard output or error, counting what passes."""

    total = 0

    def write(self, data: Any, /) -> int:
        """Write bytes and count them."""
        Log.total += memoryview(data).nbytes
        return super().write(data) or 0


def count_prints() -> None:
    """Have standard output and error counted, in all else as they were."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = io.BufferedWriter(Log(number, "w", closefd=False))
        setattr(sys, name, io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace"))


class Channel:
    """Sends events as data. A value that is too large or not data is reported as such."""

    def __init__(self, fd: int, limit: int) -> None:
        self._fd = fd
        self._limit = limit

    def send(self, event: dict[str, Any]) -> None:
        """Send one event. Raises WireError where it is no data or too large."""
        self.printed()
        blob = encode(event, limit=self._limit)
        if len(blob) > self._limit:
            raise WireError(f"{len(blob) >> 20} MB")
        self._write(struct.pack("<Q", len(blob)) + blob)

    def printed(self) -> int:
        """Flush what was printed and return how many bytes that were so far, those written past Python not counted."""
        for name in ("stdout", "stderr"):
            with contextlib.suppress(Exception):  # student code may have closed, replaced or deleted them
                getattr(sys, name).flush()
        return Log.total

    def send_outcomes(self, outcomes: list[dict[str, Any]]) -> int:
        """Send a batch and return in how many events.

        Where it does not pass, its outcomes go one by one, and in place of one that does not, why.
        """
        try:
            self.send({"event": "outcomes", "outcomes": outcomes})
        except BaseException as error:  # noqa: BLE001 (reading what students return may run their code)
            if len(outcomes) > 1:
                return sum(self.send_outcomes([outcome]) for outcome in outcomes)
            reason = "more than memory holds" if isinstance(error, MemoryError) else "reading it fails"
            reason = str(error) if type(error) is WireError else reason
            trouble = {"type": "", "text": reason, "frames": []}
            self.send({"event": "outcomes", "outcomes": [{"ending": "output", "trouble": trouble}]})
        return 1

    def mark(self, position: int) -> None:
        """Say which request begins next, so that a hang is charged to the right one."""
        self._write(struct.pack("<Q", MARK | position))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]


class Program:
    """A submission, loaded as a module of its own from memory, never from a file."""

    def __init__(self, module: str, notebook: bool) -> None:
        self.module = types.ModuleType(module)
        self.notebook = notebook
        self.labels: set[str] = set()
        self.notes: list[dict[str, Any]] = []
        sys.modules[module] = self.module

    def load(self, chunks: list[tuple[str, str]]) -> None:
        """Run the source, statement by statement: one that fails is noted, and the functions around it still count.

        Raises SyntaxError where a file is no Python at all; of a notebook only that cell is left out.
        """
        self.labels = {label for label, _ in chunks}
        for label, text in chunks:
            try:
                tree = ast.parse(text, label)
                whole = compile(tree, label, "exec", dont_inherit=True)
            except (SyntaxError, ValueError) as error:
                if not self.notebook:
                    raise
                self.notes.append(describe(error, self.labels))
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
                self.notes.append(describe(error, self.labels))

    def find(self, path: str) -> Any:
        """Return a function, class or method by its dotted name. Raises NotWritten where there is none."""
        found: Any = self.module
        for name in path.split("."):
            if not hasattr(found, name):
                raise NotWritten(path)
            found = getattr(found, name)
        return found


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


def describe(error: BaseException, labels: set[str]) -> dict[str, Any]:
    """Say what was raised and where in the student's own code; hostile texts are cut, failing ones left out."""
    try:
        text = str(error)[:MAX_TEXT]
    except BaseException:  # noqa: BLE001
        text = ""
    frames = []
    if isinstance(error, SyntaxError) and error.filename in labels:
        frames.append([error.filename, int(error.lineno or 0), ""])
        text = str(error.msg)[:MAX_TEXT]
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in labels:
            frames.append([code.co_filename, trace.tb_lineno, code.co_qualname])
        trace = trace.tb_next
    kept = frames if len(frames) <= MAX_FRAMES else frames[:2] + frames[2 - MAX_FRAMES :]
    return {"type": type(error).__name__[:MAX_NAME], "text": text, "frames": kept}


def reseed(seed: int) -> None:
    """Give every call the same random state, whatever ran before it."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (students use the global state)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.default_generator.manual_seed(seed)  # manual_seed itself spends 3 ms on preparing for CUDA
        if torch.cuda.is_initialized():
            torch.cuda.manual_seed_all(seed)
