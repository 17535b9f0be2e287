"""The child's side: loads a submission, makes the calls it is handed, sends back what they gave as data.

This is the only file of ours that sits beside student code. It imports nothing of ours but the codec, and knows no
expected value, tolerance or check. Student code may do anything to this process, so the parent believes nothing that
comes from here beyond "these are the values it returned".

Protocol, over two descriptors: the job is read whole from one; each event is written to the other as an eight-byte
length and an encoded tree. The first event, `ready`, is sent before any student code runs:
a process that ends before it is the sandbox's fault, after it the student's.
"""

from __future__ import annotations

import ast
import os
import random
import struct
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.sandbox.wire import WireError, decode, encode

MAX_FRAMES = 12
MAX_TEXT = 500


class NotWritten(Exception):  # noqa: N818 (a state, not an error)
    """The submission has no such function."""


def main(job_fd: int, result_fd: int, lock: Callable[[int, int], None]) -> None:
    """Run one job to its end and leave the process at once, without student exit handlers.

    `lock(memory_mb, file_mb)` closes the jail; the job is read before it and student code runs after it.
    """
    with os.fdopen(job_fd, "rb") as file:
        job = decode(file.read())
    lock(job["memory_mb"], job["output_mb"])
    channel = Channel(result_fd, job["output_mb"] << 20)
    channel.send({"event": "ready"})
    serve(job, channel)
    os._exit(0)


def serve(job: dict[str, Any], channel: Channel) -> None:
    """Load the submission and answer every request in order."""
    program = Program(job["module"], job["notebook"])
    trouble = None
    try:
        program.load([(label, text.tobytes().decode()) for label, text in job["chunks"]])
    except BaseException as error:  # noqa: BLE001 (student code may raise anything, SystemExit included)
        trouble = describe(error, program.labels)
    channel.send({"event": "loaded", "trouble": trouble, "notes": program.notes})
    if trouble:
        return
    for index, request in enumerate(job["requests"]):
        channel.send({"event": "outcome", "index": index, **answer(program, request)})


def answer(program: Program, request: dict[str, Any]) -> dict[str, Any]:
    """Make one call and describe how it ended."""
    try:
        reseed(request["seed"])
        tree = decode(request["arguments"].tobytes(), torch=sys.modules.get("torch") or _torch_if(request["torch"]))
        args, kwargs = tree
        value = program.find(request["function"])(*args, **kwargs)
        return {"ending": "returned", "value": value, "args": list(args)}
    except NotWritten:
        return {"ending": "absent"}
    except NotImplementedError as error:
        return {"ending": "unwritten", "trouble": describe(error, program.labels)}
    except MemoryError as error:
        return {"ending": "memory", "trouble": describe(error, program.labels)}
    except BaseException as error:  # noqa: BLE001
        return {"ending": "raised", "trouble": describe(error, program.labels)}


def _torch_if(wanted: bool) -> Any:
    if not wanted:
        return None
    import torch

    return torch


class Channel:
    """Sends events as data. A value that is too large or not data is reported as such."""

    def __init__(self, fd: int, limit: int) -> None:
        self._fd = fd
        self._limit = limit

    def send(self, event: dict[str, Any]) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            blob = encode(event)
            reason = f"{len(blob) >> 20} MB" if len(blob) > self._limit else ""
        except WireError as error:
            reason = str(error)
        except MemoryError:
            reason = "more than memory holds"
        if reason:
            event = {key: event[key] for key in ("event", "index") if key in event}
            blob = encode({**event, "ending": "output", "trouble": {"type": "", "text": reason, "frames": []}})
        data = memoryview(struct.pack("<Q", len(blob)) + blob)
        while data:
            data = data[os.write(self._fd, data) :]


class Program:
    """A submission, loaded as a module of its own from memory, never from a file."""

    def __init__(self, module: str, notebook: bool) -> None:
        self.module = types.ModuleType(module)
        self.notebook = notebook
        self.labels: set[str] = set()
        self.notes: list[dict[str, Any]] = []
        sys.modules[module] = self.module

    def load(self, chunks: list[tuple[str, str]]) -> None:
        """Run the source. In a notebook a cell that fails is noted, and the others still count."""
        self.labels = {label for label, _ in chunks}
        for label, text in chunks:
            if not self.notebook:
                exec(compile(text, label, "exec", dont_inherit=True), self.module.__dict__)  # noqa: S102
                continue
            try:
                tree = ast.parse(text, label)
            except (SyntaxError, ValueError) as error:
                self.notes.append(describe(error, self.labels))
                continue
            for node in definitions(tree):
                self._run(node, label)

    def _run(self, node: ast.stmt, label: str) -> None:
        try:
            code = compile(ast.Module([node], []), label, "exec", dont_inherit=True)
            exec(code, self.module.__dict__)  # noqa: S102
        except Exception as error:  # noqa: BLE001
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
            frames.append([code.co_filename, trace.tb_lineno, code.co_name])
        trace = trace.tb_next
    kept = frames if len(frames) <= MAX_FRAMES else frames[:2] + frames[2 - MAX_FRAMES :]
    return {"type": type(error).__name__[:80], "text": text, "frames": kept}


def reseed(seed: int) -> None:
    """Give every call the same random state, whatever ran before it."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (students use the global state)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)
