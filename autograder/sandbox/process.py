"""The plain sandbox: a cold process per attempt, bounded by resource limits alone.

It needs nothing of the machine, so it serves `check`, where people run their own code, and machines without Linux.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Self

from autograder.sandbox.attempt import START_SECONDS, run_job
from autograder.sandbox.job import Ending, Isolation, Job, JobResult

ROOT = Path(__file__).resolve().parents[2]
# One thread each: the classes are graded in parallel, and a forked child cannot use the pools of its parent.
ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# The root is on the path only while our own modules load, so that `import solutions` finds nothing.
BOOT = """\
import sys
root, module, *numbers = sys.argv[1:]
sys.path.insert(0, root)
import importlib
main = importlib.import_module(module).main
sys.path[:] = [path for path in sys.path if path != root]
sys.argv[:] = [""]
main(*map(int, numbers))
"""
COLD = Isolation(
    level="C",
    mechanisms=("process", "rlimits"),
    residual_risks=(
        "it can read the grader's files, the solutions among them",
        "it can open network connections",
        "it can start and signal processes",
        "it can fill the disk",
    ),
)


class ProcessSandbox:
    """One cold process per attempt, bounded in time, memory, output and log."""

    def __init__(self, missing: tuple[str, ...] = ()) -> None:
        self.isolation = replace(COLD, missing=missing)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Hold nothing between jobs, so leave nothing."""

    def run(self, job: Job) -> JobResult:
        """Run a job in as many children as it takes."""
        return run_job(job, ColdChild)


class ColdChild:
    """A process of its own, started by exec, with its descriptors and scratch folder."""

    def __init__(self) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="autograder-", ignore_cleanup_errors=True)
        self.result_fd, result_write = os.pipe()
        self.log_fd, log_write = os.pipe()
        go_read, self.go_fd = os.pipe()
        self.job_fd, path = tempfile.mkstemp(prefix="autograder-")
        theirs = (os.open(path, os.O_RDONLY), go_read, result_write)
        os.unlink(path)
        command = [sys.executable, "-I", "-B", "-c", BOOT, str(ROOT), "autograder.sandbox.cold", *map(str, theirs)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log_write,
                stderr=log_write,
                cwd=self._scratch.name,
                env={"PATH": os.defpath, "HOME": self._scratch.name, "TMPDIR": self._scratch.name, **ENVIRONMENT},
                pass_fds=theirs,
                start_new_session=True,
            )
        finally:
            for descriptor in (*theirs, log_write):
                os.close(descriptor)

    def obituary(self) -> tuple[Ending, str]:
        """Wait for the process to be gone and say how it went."""
        try:
            code = self._process.wait(timeout=START_SECONDS)
        except subprocess.TimeoutExpired:
            return Ending.DIED, "it closed its result channel"
        return Ending.DIED, say_exit(code)

    def end(self) -> None:
        """Kill the process and all it started, and remove its scratch folder."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()
        self._scratch.cleanup()


def say_exit(code: int) -> str:
    """Put an exit status in words: negative numbers are signals."""
    if code >= 0:
        return f"exit code {code}"
    names = {s.value: s.name for s in signal.Signals}
    return f"signal {names.get(-code, -code)}"
