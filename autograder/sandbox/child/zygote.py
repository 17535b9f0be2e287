"""The preloader: imports what submissions need once, then forks one locked-down child per submission.

Started by exec, so its memory never held a secret; the theory of operation is told in jail.py. It talks to the grader
over one socket of whole messages: first the configuration, answered by which mechanisms held when tried; then one
`run` with five descriptors per submission, which says whether torch's compiler is needed, answered by `started` with a pidfd and, when the child is gone, by `over`.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import gc
import importlib
import itertools
import json
import mmap
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from autograder.sandbox.child import (
    answered_calls,  # noqa: F401 (here, since no child can read a file once it has a submission)
    answers_read,  # noqa: F401
    given_classes,  # noqa: F401
    names_used,  # noqa: F401
    scrambled_answers,  # noqa: F401
    stand_ins,  # noqa: F401
    tensors_made,  # noqa: F401
    value_trail,  # noqa: F401
    worker,
)
from autograder.sandbox.child.jail import (
    JailError,
    Landlock,
    drop_capabilities,
    forbid_new_privileges,
    guard_memory,
    load_filter,
)
from autograder.sandbox.child.large_pages import LargePages
from autograder.sandbox.child.limits import DRIVER_MB, set_limits

MAX_MESSAGE = 1 << 17
RUN, RUN_WITH_COMPILER = b"run", b"run with compiler"
WORTH_LARGE_PAGES = 100  # children; so many forks without them cost as much as making them
MAX_SCRATCH_ENTRIES = 200  # more is not worth deleting one by one: a fresh zygote gets a fresh scratch


class Jail:
    """The mechanisms to apply to each child, as configured; drops those that fail when tried."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._scratch = config["scratch"]
        self._filter = base64.b64decode(config["filter"])
        self._environment = config["child"]
        self._gpu = bool(config["devices"])
        self._landlock: Landlock | None = None
        self.refused: dict[str, str] = {}
        if not self._filter:
            self.refused["seccomp"] = "no filter: pyseccomp or libseccomp is not installed"
        if not config["landlock"]:
            self.refused["landlock"] = "not asked for"
            return
        try:
            self._landlock = Landlock(config["readable"], [self._scratch, "/dev/null"], config["devices"])
        except JailError as error:
            self.refused["landlock"] = error.strerror or str(error)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What has to stay open until `lock`, which closes it."""
        return (self._landlock.descriptor,) if self._landlock else ()

    def lock(self, memory_mb: int, file_mb: int) -> None:
        """Lock this process in; what was refused when tried is left out."""
        with contextlib.suppress(OSError):
            guard_memory(guarded=False)  # else what follows would belong to root
            with open("/proc/self/oom_score_adj", "wb", buffering=0) as first_to_go:
                first_to_go.write(b"1000")
            # And no core is piped anywhere, which no limit would prevent; but a GPU's driver names its threads in /proc,
            # where what is guarded belongs to root.
            guard_memory(guarded=not self._gpu)
        os.environ.update(self._environment)
        set_limits(memory_mb, file_mb)
        with contextlib.suppress(JailError):
            drop_capabilities()
            forbid_new_privileges()
        if self._landlock and "landlock" not in self.refused:
            if self._gpu:
                self._landlock.show_process()
            self._landlock.confine()
        if self._filter and "seccomp" not in self.refused:
            load_filter(self._filter)

    def held(self, canary: str) -> list[str]:
        """Try every mechanism in a throw-away child and return those that held."""
        for name in {"landlock", "seccomp"} - self.refused.keys():
            trouble = _in_child(functools.partial(self._apply_only, name))
            if trouble:
                self.refused.setdefault(name, trouble)
        held = json.loads(_in_child(lambda: json.dumps(_temptations(self, canary, gpu=self._gpu))))
        return [str(name) for name in held]

    def _apply_only(self, name: str) -> str:
        forbid_new_privileges()
        if name == "landlock" and self._landlock:
            self._landlock.confine()
        if name == "seccomp":
            load_filter(self._filter)
        return ""


def _temptations(jail: Jail, canary: str, *, gpu: bool) -> list[str]:
    """Lock this process in, try what each mechanism should prevent, and return the mechanisms that prevented it."""
    jail.lock(256, 1)
    held = []
    scratch = Path(tempfile.gettempdir()) / "tried"
    scratch.write_text("an honest program can write here")  # a jail that forbids this one is no jail but a fault
    scratch.unlink()
    if not Path(canary).exists():
        held.append("namespaces")
    if _refused(lambda: os.listdir("/proc")) and _refused(lambda: os.listdir("/")):
        held.append("landlock")
    forbidden: list[Callable[[], object]] = [lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM), _fork]
    if not gpu:  # with which a driver shares memory without a file
        forbidden.append(lambda: mmap.mmap(-1, 1))
    if all(map(_refused, forbidden)):
        held.append("seccomp")
    try:
        bytearray(DRIVER_MB + 512 << 20)
    except MemoryError:
        held.append("rlimits")
    return held


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _refused(temptation: Callable[[], object]) -> bool:
    try:
        temptation()
    except OSError:
        return True
    return False


def _in_child(work: Callable[[], str]) -> str:
    """Return what a throw-away child says; an exception there comes back as its text."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = work()
        except BaseException as error:  # noqa: BLE001 (whatever it is, the child must end here)
            said = f"{type(error).__name__}: {error}"
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        said = file.read()
    os.waitpid(pid, 0)
    return said


def main(control_fd: int) -> None:
    """Serve one grader until it closes its end."""
    control = socket.socket(fileno=control_fd)
    config = json.loads(control.recv(MAX_MESSAGE))
    os.environ.update(config["environment"])
    tempfile.tempdir = None
    os.chdir(config["scratch"])
    _preload(config["torch"])
    folders = [path for path in sys.path if os.path.isdir(path)]
    if config["uid"] is not None:
        os.setgroups([])
        os.setgid(config["uid"])
        os.setuid(config["uid"])
    pages = LargePages()
    guard_memory(guarded=True)  # children without Landlock see /proc
    jail = Jail(config)
    answer = {
        "held": jail.held(config["canary"]),
        "refused": jail.refused,
        "tasks": _tasks(),
        "library": all(os.access(path, os.R_OK | os.X_OK) for path in folders),
    }
    control.send(json.dumps(answer).encode())
    gc.collect()
    gc.freeze()  # a child's first collection then need not walk, and copy, everything imported here
    for number in itertools.count():
        if number == WORTH_LARGE_PAGES and config["torch"]:
            pages.collapse()
        message, descriptors, _, _ = socket.recv_fds(control, 32, 5)
        if not message:
            return
        if message == RUN_WITH_COMPILER:
            _import_compiler()
        _run_child(control, jail, *descriptors)


def _preload(torch: bool) -> None:
    """Import and warm, single-threaded: what is lazily loaded here is not paid for by every child."""
    np.linalg.inv(np.eye(2) @ np.eye(2))
    np.random.default_rng(0).normal()
    if torch:
        import torch as t

        t.set_num_threads(1)
        loss = t.nn.Linear(2, 2)(t.ones(1, 2)).sum()
        if t.version.cuda is None and t.version.hip is None:
            loss.backward()  # a build for GPUs would count them for it: that starts a thread, and no child finds one later


@functools.cache
def _import_compiler() -> None:
    """Import torch's compiler, once: a second and 70 MB, which only code pays for that takes an optimizer or the like."""
    with contextlib.suppress(Exception):  # what is wrong with it the child finds, too, and says
        importlib.import_module("torch._dynamo")
    gc.freeze()


def _tasks() -> int:
    """Count this process's threads; a fork of more than one can hang."""
    folder = Path("/proc/self/task")
    return len(list(folder.iterdir())) if folder.exists() else 1


def _run_child(control: socket.socket, jail: Jail, job: int, go: int, result: int, marks: int, log: int) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            _become_worker(jail, job, go, result, marks, log)
        except BaseException:  # noqa: BLE001 (before `ready` this is our fault; the grader reads it in the log)
            traceback.print_exc()
        finally:
            os._exit(70)
    for descriptor in (job, go, result, marks, log):
        os.close(descriptor)
    handle = os.pidfd_open(pid)
    socket.send_fds(control, [b"started"], [handle])
    ready, _, _ = select.select([handle, control.fileno()], [], [])
    if handle not in ready:  # the grader closed its end: it is done with this child and with us
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(handle)
    clean = _empty_scratch()
    control.send(json.dumps({"status": os.waitstatus_to_exitcode(status), "clean": clean}).encode())


def _become_worker(jail: Jail, job: int, go: int, result: int, marks: int, log: int) -> None:
    """Keep what the job needs, forget the zygote's own state, and run."""
    os.dup2(log, 1)
    os.dup2(log, 2)
    kept = sorted({job, go, result, marks, *jail.descriptors})
    for below, above in itertools.pairwise([2, *kept, kept[-1] + 256]):
        os.closerange(below + 1, above)
    sys.argv[:] = [""]
    worker.main(job, go, result, marks, jail.lock)


def _empty_scratch() -> bool:
    """Remove what a child left behind; say False where there is more than is worth removing."""
    with os.scandir(".") as entries:
        left = [entry for _, entry in zip(range(MAX_SCRATCH_ENTRIES + 1), entries, strict=False)]
    if len(left) > MAX_SCRATCH_ENTRIES:
        return False
    try:
        for entry in left:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
    except (OSError, RecursionError):
        return False
    return True
