"""The plain sandbox: a cold process per attempt, bounded by resource limits alone.

It needs nothing of the machine, so it serves `check`, where people run their own code, and machines without Linux.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Self

from autograder.sandbox.attempt import Child
from autograder.sandbox.child.device import CPU
from autograder.sandbox.cpu_clock import CpuClock
from autograder.sandbox.endings import CHANNEL_CLOSED, EXIT_CODE, OUT_OF_MEMORY, SIGNAL
from autograder.sandbox.job import ClosedError, Ending, Isolation, Job, JobResult
from autograder.sandbox.libraries import libraries, loader_variables
from autograder.sandbox.memory import own_group
from autograder.sandbox.pipes import Streams
from autograder.sandbox.retries import run_job

END_SECONDS = 1.0  # for a process that closed its result channel to be gone
ROOT = Path(__file__).resolve().parents[2]
# One thread each: the classes are graded in parallel, and a forked child cannot use the pools of its parent. No GPU: where
# submissions are graded there is none, and what a check says at home has to hold there. A name, since a user of a sandbox
# stands in no list of users, and parts of torch ask for one as they are imported.
ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "CUDA_VISIBLE_DEVICES": "",
    "USER": "student",
    **loader_variables(),
}
# Windows finds its libraries by these; elsewhere a child needs no more than the default path.
_SYSTEM = (
    {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP") if name in os.environ}
    if os.name == "nt"
    else {"PATH": os.defpath}
)
# Our package is loaded from its place, and its root is never on the path, so that `import solutions` finds nothing; unless
# the root is a folder of packages, in which torch may be, too.
BOOT = """\
import importlib.util, os, sys
root, folders, module, *words = sys.argv[1:]
folders = folders.split(os.pathsep) if folders else []
others = {os.path.realpath(path) for path in (root, *folders)}
sys.path[:] = [path for path in sys.path if os.path.realpath(path) not in others] + folders
spec = importlib.util.spec_from_file_location("autograder", os.path.join(root, "autograder", "__init__.py"))
sys.modules["autograder"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["autograder"])
main = importlib.import_module(module).main
sys.argv[:] = [""]
main(*(int(word) if word.isdigit() else word for word in words))
"""
COLD = Isolation(
    level="C",
    mechanisms=("process", "rlimits"),
    residual_risks=(
        "it can read the grader's files, the solutions among them",
        "it can open network connections",
        "it can start and signal processes",
        "it can fill the disk",
        "it can take more memory than its limit, in shared mappings",
    ),
)
_MOST_GPUS = 16
REMOVE_PAUSES = (0.0, 0.05, 0.5)  # seconds before each try to remove a folder
LET_GO_SECONDS = 10.0  # for a killed process to be gone; a driver that is stuck holds on to it
# On a GPU: sums in one order, no programs kept in the home folder, and no start of CUDA by those who only ask whether there
# is any, since a process that has started it can fork no other that uses it.
ON_GPU = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8", "CUDA_CACHE_DISABLE": "1", "CUDA_MODULE_LOADING": "LAZY"}
ON_GPU |= {"PYTORCH_NVML_BASED_CUDA_CHECK": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


def visible_gpus() -> dict[str, str]:
    """Return the variable by which a process sees the GPUs that this one may use."""
    every = ",".join(map(str, range(_MOST_GPUS)))  # CUDA takes those that there are
    return {"CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES") or every}


class ProcessSandbox:
    """One cold process per attempt, bounded in time, memory, output and log."""

    def __init__(
        self,
        missing: tuple[str, ...] = (),
        device: str = CPU,
        around: Callable[[ColdChild, Job], Child] = lambda child, _: child,
    ) -> None:
        self.isolation = replace(COLD, missing=missing)
        self._environment = ENVIRONMENT if device == CPU else {**ENVIRONMENT, **ON_GPU, **visible_gpus()}
        self._around = around
        self._closed = False
        self._lock = threading.Lock()
        self._children: weakref.WeakSet[ColdChild] = weakref.WeakSet()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def run(self, job: Job) -> JobResult:
        """Run a job in as many children as it takes."""
        result = run_job(job, lambda: self._around(self._launch(), job))
        if self._closed:  # what was killed for that is not the student's doing
            raise ClosedError("the sandbox is closed")
        return result

    def close(self) -> None:
        """Kill every child; jobs that still run end with ClosedError."""
        with self._lock:
            self._closed = True
            for child in self._children:
                child.kill()

    def _launch(self) -> ColdChild:
        if self._closed:
            raise ClosedError("the sandbox is closed")
        child = ColdChild(self._environment)
        with self._lock:
            self._children.add(child)
            if self._closed:
                child.kill()
        return child


class ColdChild:
    """A process of its own, started by exec, with its streams and scratch folder."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._kills = own_group().kills()
        self.gone = False
        with contextlib.ExitStack() as undo, contextlib.ExitStack() as theirs:
            scratch = tempfile.mkdtemp(prefix="autograder-")
            undo.callback(remove_folder, scratch)
            handle, path = tempfile.mkstemp(prefix="autograder-")
            undo.callback(_remove_file, path)
            job = undo.enter_context(os.fdopen(handle, "wb"))
            marks, marks_path = tempfile.mkstemp(prefix="autograder-")
            undo.callback(_remove_file, marks_path)
            undo.callback(os.close, marks)
            log_read, log_write = pipe(undo, undo)
            folders = os.pathsep.join(libraries())
            command = [
                sys.executable,
                "-I",
                "-B",
                "-c",
                BOOT,
                str(ROOT),
                folders,
                "autograder.sandbox.child.cold",
                path,
                marks_path,
            ]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log_write,
                bufsize=0,
                cwd=scratch,
                env={"HOME": scratch, "TMPDIR": scratch, **_SYSTEM, **environment},
                start_new_session=True,
            )
            theirs.callback(self.kill)
            self.clock = CpuClock(self._process.pid)
            self.ends = Streams(self._process, job, marks, (log_read, log_write))
            theirs.pop_all()
            undo.pop_all()
            self._leftovers = path, marks_path, scratch

    def obituary(self) -> tuple[Ending, str]:
        """Wait for the process to be gone and say how it went."""
        try:
            code = self._process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            return Ending.DIED, CHANNEL_CLOSED
        if code == -getattr(signal, "SIGKILL", 0) and own_group().kills() > self._kills:
            return Ending.MEMORY, OUT_OF_MEMORY
        return Ending.DIED, say_exit(code)

    def kill(self) -> None:
        """Kill the process and, where the system knows groups, all it started."""
        try:
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        except (ProcessLookupError, PermissionError):
            self._process.kill()

    def end(self) -> None:
        """Kill the process and all it started, and remove its scratch folder."""
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=LET_GO_SECONDS)
            self.gone = True
        self.ends.close()
        *paths, scratch = self._leftovers
        for path in paths:
            _remove_file(path)
        remove_folder(scratch)


def _remove_file(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    """Make a pipe, each end of which its owner closes."""
    read, write = os.pipe()
    reader.callback(os.close, read)
    writer.callback(os.close, write)
    return read, write


def remove_folder(folder: str) -> None:
    """Remove a scratch folder, whatever student code made of it: folders nested past any recursion, or locked ones.

    A process that was killed may still write for a moment, so it is tried again.
    """
    for pause in REMOVE_PAUSES:
        time.sleep(pause)
        with contextlib.suppress(OSError):
            _remove_all(folder)
        if not os.path.lexists(folder):
            return


def _remove_all(folder: str) -> None:
    """Move folders within folders to the top, so that nothing here grows with depth. Links are removed, never followed."""
    fresh = (os.path.join(folder, f"{secrets.token_hex(8)}-{number}") for number in itertools.count())
    while top := _entries(folder):
        for entry in top:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry)
                continue
            os.chmod(entry, 0o700)
            for inner in _entries(entry.path):
                if inner.is_dir(follow_symlinks=False):
                    os.chmod(inner, 0o700)
                    os.rename(inner, next(fresh))
                else:
                    os.unlink(inner)
            os.rmdir(entry)
    os.rmdir(folder)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(entries)


def say_exit(code: int) -> str:
    """Put an exit status in words: negative numbers are signals."""
    if code >= 0:
        return EXIT_CODE.format(code)
    names = {s.value: s.name for s in signal.Signals}
    return SIGNAL.format(names.get(-code, -code))
