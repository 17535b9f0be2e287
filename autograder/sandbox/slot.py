"""One slot: a zygote and the children it forks, one at a time; see jail.py for the theory of operation."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import functools
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox.attempt import START_SECONDS
from autograder.sandbox.bubblewrap import NOBODY, enclosing
from autograder.sandbox.child.jail import JailError, compile_filter
from autograder.sandbox.child.worker import MARKS_SIZE
from autograder.sandbox.child.zygote import MAX_MESSAGE, RUN, RUN_WITH_COMPILER
from autograder.sandbox.cpu_clock import CpuClock, process_behind
from autograder.sandbox.endings import CHANNEL_CLOSED, KILLED_FROM_OUTSIDE, OUT_OF_MEMORY, PRELOADER_GONE
from autograder.sandbox.gpu_files import GpuFiles
from autograder.sandbox.job import Ending
from autograder.sandbox.lasting_thread import start_process
from autograder.sandbox.libraries import libraries, loader_folders
from autograder.sandbox.memory import own_group
from autograder.sandbox.pipes import Pipes
from autograder.sandbox.process import (
    BOOT,
    ENVIRONMENT,
    LET_GO_SECONDS,
    ON_GPU,
    ROOT,
    pipe,
    remove_folder,
    say_exit,
    visible_gpus,
)

TRIED = frozenset({"namespaces", "landlock", "seccomp", "rlimits"})  # mechanisms a zygote reports on
END_SECONDS = 5.0  # for a killed child to be gone and its scratch cleaned; longer means a new slot
# Of the system its libraries and no more: images like to keep their application, answers and all, in /usr/src.
_SYSTEM = (
    *("/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/share/zoneinfo"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/certs", "/etc/ssl/openssl.cnf"),
)
_DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")  # not /dev/zero: sharing it is memory that no limit sees

# <linux/fcntl.h>, which Pythons that were built on old systems do not name.
_ADD_SEALS, _SEAL_SEALS, _SEAL_SHRINK, _SEAL_GROW = 1033, 1, 2, 4


@dataclass(frozen=True)
class Profile:
    """Which mechanisms a zygote is started with; what holds is found by trying."""

    namespaces: bool = True
    landlock: bool = True
    seccomp: bool = True
    other_uid: bool = True
    gpu: GpuFiles | None = None  # what leads to the GPUs, where student code is to compute there

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables of the zygote: one that sees no GPU, so that the children it forks can use one."""
        return {**ENVIRONMENT, **(ON_GPU if self.gpu else {})}


@dataclass(frozen=True)
class Report:
    """What a zygote found when it tried itself: mechanisms that held, and why others do not; its threads; what it can read."""

    held: Sequence[str]
    refused: Mapping[str, str]
    tasks: int
    library: bool


class SlotError(RuntimeError):
    """A zygote did not start or no longer answers."""


class Slot:
    """One zygote and the socket to it."""

    def __init__(self, profile: Profile, *, torch: bool = False, promised: Collection[str] = ()) -> None:
        self._exit = contextlib.ExitStack()
        try:
            self._start(profile, torch)
            self._keep(promised)
        except BaseException:
            self.close()
            raise

    def _keep(self, promised: Collection[str]) -> None:
        """Raise SlotError where this zygote, tried like the first one, holds less than was promised for the whole run."""
        lost = set(promised) - set(self.report.held)
        if lost:
            raise SlotError(f"the zygote no longer holds {', '.join(sorted(lost))}: {self.report.refused}")
        if promised and self.report.tasks != 1:
            raise SlotError(f"the zygote has {self.report.tasks} threads, so that forks could hang")

    def _start(self, profile: Profile, torch: bool) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="autograder-"))
        self._exit.callback(remove_folder, str(self._folder))
        canary = self._folder / "canary"
        canary.touch()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control = self._exit.enter_context(ours)
        scratch, uid = "/scratch", None
        if not profile.namespaces:
            scratch = str(self._folder / "scratch")
            Path(scratch).mkdir(mode=0o700)
            self._folder.chmod(0o711)
            if profile.other_uid and os.geteuid() == 0:
                uid = NOBODY
                os.chown(scratch, uid, uid)
        # What Popen itself opens before it finds no descriptor left, Python 3.11.2 leaves open.
        with theirs, open(os.devnull, "r+b", buffering=0) as nothing:
            self.process = start_process(
                self._command(profile, theirs.fileno()),
                stdin=nothing,
                stdout=nothing,
                stderr=subprocess.PIPE,
                cwd="/",
                env={
                    "PATH": os.defpath,
                    "HOME": scratch,
                    "TMPDIR": scratch,
                    "LC_ALL": "C.UTF-8",
                    **profile.environment,
                },
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._exit.callback(self._kill)
        config = _rules(profile) | {
            "scratch": scratch,
            "environment": {"HOME": scratch, "TMPDIR": scratch},
            "torch": torch,
            "uid": uid,
            "canary": str(canary),
        }
        self.control.settimeout(START_SECONDS * 2)
        try:
            self.control.send(json.dumps(config).encode())
            answer = self.control.recv(MAX_MESSAGE)
        except OSError as error:
            raise SlotError(f"the zygote did not start: {error}") from None
        if not answer:
            raise SlotError(f"the zygote did not start: {self._last_words()}")
        self.report = Report(**json.loads(answer))

    def _command(self, profile: Profile, control: int) -> list[str]:
        python = [sys.executable, "-I", "-B", "-c", BOOT]
        folders = os.pathsep.join(map(os.path.realpath, libraries()))
        if not profile.namespaces:
            return [*python, str(ROOT), folders, "autograder.sandbox.child.zygote", str(control)]
        bwrap = shutil.which("bwrap")
        if bwrap is None:
            raise SlotError("bubblewrap (bwrap) is not installed")
        around = enclosing(bwrap, readable_paths(), profile.gpu or GpuFiles(), profile.environment)
        return [*around, *python, "/grader", folders, "autograder.sandbox.child.zygote", str(control)]

    def fork(self, *descriptors: int, compiler: bool) -> int:
        """Have the zygote fork a child on five descriptors and return its pidfd. Raises SlotError where it does not."""
        try:
            self.control.settimeout(START_SECONDS if compiler else END_SECONDS)
            socket.send_fds(self.control, [RUN_WITH_COMPILER if compiler else RUN], list(descriptors))
            message, handles, _, _ = socket.recv_fds(self.control, 16, 1)
        except OSError as error:
            raise SlotError(f"the preloader does not answer: {error}") from None
        if message != b"started" or len(handles) != 1:
            raise SlotError(PRELOADER_GONE)
        return handles[0]

    def stop(self) -> None:
        """Kill the zygote from another thread. The thread that uses the slot notices and closes it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the zygote and everything in it."""
        self._exit.close()

    def _kill(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self.process.kill()
        self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()

    def _last_words(self) -> str:
        stream = self.process.stderr
        if stream is None:
            return ""
        os.set_blocking(stream.fileno(), False)
        ready, _, _ = select.select([stream], [], [], 1.0)
        said = (stream.read() or b"") if ready else b""
        return said.decode(errors="replace").strip().splitlines()[-1] if said.strip() else "it said nothing"


class WarmChild:
    """A forked child in a slot, held by a pidfd."""

    def __init__(self, slot: Slot, *, compiler: bool) -> None:
        self._slot = slot
        self._status: int | None = None
        self._over = self.gone = False
        self._kills = own_group().kills()
        self.usable = False  # whether the slot can take another child after this one
        with contextlib.ExitStack() as undo:
            theirs = undo.enter_context(contextlib.ExitStack())
            result_fd, result_write = pipe(undo, theirs)
            log_fd, log_write = pipe(undo, theirs)
            go_read, go_fd = pipe(theirs, undo)
            job_fd = os.memfd_create("job")
            undo.callback(os.close, job_fd)
            # A second opening, for reading only: the child can neither change its job nor grow the file. The mode keeps
            # it from a third one by way of /proc/self/fd, which Landlock does not see.
            os.fchmod(job_fd, 0o400)
            job = os.open(f"/proc/self/fd/{job_fd}", os.O_RDONLY)
            theirs.callback(os.close, job)
            marks_fd = _sealed(MARKS_SIZE)
            undo.callback(os.close, marks_fd)
            self.ends = Pipes(job_fd, go_fd, result_fd, marks_fd, log_fd)
            undo.callback(self.ends.close)
            self._handle = slot.fork(job, go_read, result_write, marks_fd, log_write, compiler=compiler)
            self.clock = CpuClock(process_behind(self._handle))
            theirs.close()
            self._ours = undo.pop_all()

    def obituary(self) -> tuple[Ending, str]:
        """Say how the child went.

        A SIGKILL that is not ours, or a dead zygote, is no doing of the student's, unless the kernel wanted memory back.
        """
        ready, _, _ = select.select([self._handle], [], [], 1.0)
        if not ready:
            return Ending.DIED, CHANNEL_CLOSED
        self._await_end()
        if self._status is None:
            return Ending.FAULT, PRELOADER_GONE
        if self._status == -signal.SIGKILL:
            starved = own_group().kills() > self._kills
            return (Ending.MEMORY, OUT_OF_MEMORY) if starved else (Ending.FAULT, KILLED_FROM_OUTSIDE)
        return Ending.DIED, say_exit(self._status)

    def kill(self) -> None:
        """Kill the child, if it still runs."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def end(self) -> None:
        """Kill the child and wait until its scratch is clean, and say in `gone` whether it did end."""
        self.kill()
        self._await_end()
        self.gone = bool(select.select([self._handle], [], [], LET_GO_SECONDS)[0])
        os.close(self._handle)
        self._ours.close()

    def _await_end(self) -> None:
        if self._over:
            return
        self._over = True
        with contextlib.suppress(OSError, LookupError, TypeError, ValueError):
            answer = json.loads(self._slot.control.recv(MAX_MESSAGE))
            self._status, self.usable = int(answer["status"]), bool(answer["clean"])


def _sealed(size: int) -> int:
    """Make a file in memory that its holders can write to, and whose size is sealed."""
    descriptor = os.memfd_create("marks", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, _ADD_SEALS, _SEAL_SEALS | _SEAL_SHRINK | _SEAL_GROW)
    return descriptor


def readable_paths() -> tuple[str, ...]:
    """Return what student code may read: the system's libraries and what Python itself runs from."""
    prefixes = dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix))
    paths = [os.path.join(prefix, part) for prefix in prefixes for part in ("bin", "lib", "lib64", "pyvenv.cfg")]
    paths += [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths += [*libraries(), *loader_folders()]
    real = dict.fromkeys((*_SYSTEM, *(os.path.realpath(path) for path in paths)))
    return tuple(path for path in real if not any(path.startswith(f"{other}/") for other in real))


def _rules(profile: Profile) -> dict[str, object]:
    """Return what a zygote is to hold its children to."""
    gpu = profile.gpu
    allowed = _filter(gpu=bool(gpu)) if profile.seccomp else b""
    return {
        "filter": base64.b64encode(allowed).decode(),
        "landlock": profile.landlock,
        "readable": [*readable_paths(), *_DEVICES, *(gpu.readable if gpu else ())],
        "devices": gpu.devices if gpu else (),
        "child": visible_gpus() if gpu else {},
    }


@functools.cache
def _filter(*, gpu: bool) -> bytes:
    """Compile a system-call filter once; nothing where libseccomp is not to be had."""
    try:
        return compile_filter(gpu=gpu)
    except JailError:
        return b""
