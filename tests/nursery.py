"""Preloaders that are forked instead of started, for tests in which it does not matter how one starts.

To import torch takes a preloader seconds, and grading a class on pretended GPUs takes a dozen of them. A nursery imports it
once and forks them all: what runs in each is the product's, with its own arguments, variables, folder and descriptors.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, Any, Self

from autograder.sandbox import levels, slot
from autograder.sandbox.lasting_thread import start_process
from autograder.sandbox.libraries import libraries
from autograder.sandbox.process import BOOT, ENVIRONMENT, ROOT
from autograder.sandbox.slot import Profile

PRELOADER = "autograder.sandbox.child.zygote"
FIRST_LINES = BOOT.partition("main = ")[0]  # so that it finds what a preloader finds
SERVER = """
import json, signal, socket
import torch
preloader = importlib.import_module(module)
asked = socket.socket(fileno=int(words[0]))
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who has ended is gone
while message := (received := socket.recv_fds(asked, 1 << 17, 2))[0]:
    if pid := os.fork():
        handles = [*received[1], os.pidfd_open(pid)]
        socket.send_fds(asked, [str(pid).encode()], handles[-1:])
        for handle in handles:
            os.close(handle)
        continue
    try:
        control, log = received[1]
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        asked.detach()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number, taken in enumerate((nowhere, nowhere, log)):
            os.dup2(taken, number)
        os.closerange(3, control)
        os.closerange(control + 1, control + 256)
        folder, variables = json.loads(message)
        os.environ.clear()
        os.environ.update(variables)
        os.chdir(folder)
        sys.argv[:] = [""]
        preloader.main(control)
    except BaseException as error:
        os.write(2, repr(error).encode())
    finally:
        os._exit(0)
"""


class Forked:
    """A preloader that was forked, with what a slot asks of a process."""

    def __init__(self, pid: int, handle: int, stderr: IO[bytes]) -> None:
        self.pid, self.stderr, self._handle = pid, stderr, handle

    def wait(self) -> None:
        """Wait until it is gone."""
        select.select([self._handle], [], [])
        os.close(self._handle)

    def kill(self) -> None:
        """Kill it."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)


class Nursery:
    """A process that has torch, and forks preloaders. A context manager: closing it ends the process and none of these."""

    def __init__(self) -> None:
        self._turn = threading.Lock()

    def __enter__(self) -> Self:
        self._asked, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-I", "-B", "-c", FIRST_LINES + SERVER, str(ROOT)]
        words = [os.pathsep.join(map(os.path.realpath, libraries())), PRELOADER, str(theirs.fileno())]
        with theirs:
            self._process = subprocess.Popen(
                [*command, *words], env={"PATH": os.defpath, **ENVIRONMENT}, cwd="/", pass_fds=(theirs.fileno(),)
            )
        return self

    def __exit__(self, *exception: object) -> None:
        self._asked.close()
        self._process.wait()

    def start(self, command: Sequence[str], **options: Any) -> Any:
        """Fork a preloader where one is to be started as it is; start any other process, as in namespaces."""
        if command[0] != sys.executable or PRELOADER not in command:
            return start_process(command, **options)
        (control,) = options["pass_fds"]
        read, write = os.pipe()
        with self._turn, os.fdopen(write, "wb"):
            told = json.dumps((options["cwd"], options["env"])).encode()
            socket.send_fds(self._asked, [told], [control, write])
            pid, (handle,), _, _ = socket.recv_fds(self._asked, 32, 1)
        return Forked(int(pid), handle, os.fdopen(read, "rb", buffering=0))


def changes(nursery: Nursery) -> tuple[tuple[object, str, object], ...]:
    """Return what to set where, so that preloaders are forked: in no namespaces, into which none can be forked, locked in by all else."""
    unnamed = Profile(namespaces=False, other_uid=False)
    return (levels, "_ladder", lambda _: [unnamed]), (slot, "start_process", nursery.start)
