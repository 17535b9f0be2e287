"""Lay out /autograder as Gradescope does, in a scratch folder, and run what it runs there: as root where we are root.

The Python that student code runs with has to be readable for other users. Where this machine's is not (in /root, say),
a copy of its own part of the standard library stands in. setup.sh installs offline, from wheels that are packed again
from what is installed here.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

MEMORY, HALF = 768 << 20, 50_000  # Gradescope's default container: bytes, and microseconds of each 100,000
TOOLS = ("bash", "basename", "chmod", "cp", "dirname", "mkdir", "timeout")
NEEDED = ("numpy", "pyseccomp")


def readable_python(folder: Path) -> str:
    """Return a Python that other users may run, this one or a copy."""
    base = Path(sys.base_prefix)
    if all(path.stat().st_mode & 0o005 == 0o005 for path in (base, *base.parents)):
        return str(Path(sys._base_executable))
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    leave = shutil.ignore_patterns("site-packages", "test", "__pycache__", "idlelib", "tkinter")
    shutil.copytree(sysconfig.get_path("stdlib"), folder / "lib" / name, ignore=leave)
    for library in (base / "lib").glob("libpython*"):
        shutil.copy(library, folder / "lib")
    (folder / "bin").mkdir()
    shutil.copy(Path(sys._base_executable).resolve(), folder / "bin" / name)
    return str(folder / "bin" / name)


def wheels(folder: Path) -> Path:
    """Pack what is installed here as wheels again."""
    folder.mkdir()
    for name in NEEDED:
        found = distribution(name)
        (tag,) = [line.partition(": ")[2] for line in found.read_text("WHEEL").splitlines() if "Tag: " in line][:1]
        with zipfile.ZipFile(folder / f"{name}-{found.version}-{tag}.whl", "w") as archive:
            for file in found.files:
                if ".." not in file.parts and "__pycache__" not in file.parts and file.name != "INSTALLER":
                    archive.write(file.locate(), str(file))
    return folder


@dataclass(frozen=True)
class Ran:
    """How a run of run_autograder went."""

    printed: str
    seconds: float
    caged: str  # what held it to a container's memory and half a core
    peak: int | None  # bytes, where a control group counted them


@dataclass(frozen=True)
class Container:
    """A scratch root with source/, submission/ and results/, the image built."""

    root: Path

    @classmethod
    def build(cls, root: Path, archive: bytes) -> Container:
        """Unpack the zip and run its setup.sh."""
        for part in ("source", "submission", "results", "tools"):
            (root / part).mkdir(parents=True)
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            opened.extractall(root / "source")
        shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
        (root / "run_autograder").chmod(0o755)
        for tool in TOOLS:  # bubblewrap is none of them, as in a container
            (root / "tools" / tool).symlink_to(shutil.which(tool))
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels(root / "wheels"))}
        python = readable_python(root / "base")
        subprocess.run(
            ["bash", str(root / "source" / "setup.sh")],
            env={"PATH": os.environ["PATH"], "AUTOGRADER_PYTHON": python, **offline},
            check=True,
            capture_output=True,
        )
        return cls(root)

    def grade(self, name: str, content: bytes) -> Ran:
        """Run run_autograder on one file."""
        for old in (self.root / "submission").iterdir():
            old.unlink()
        (self.root / "submission" / name).write_bytes(content)
        began = time.monotonic()
        with cage() as (join, how, peak):
            done = subprocess.run(
                [str(self.root / "run_autograder")],
                env={"PATH": str(self.root / "tools"), "HOME": "/"},
                cwd="/",
                preexec_fn=join,
                capture_output=True,
                text=True,
                check=True,
                timeout=600,
            )
            return Ran(done.stdout + done.stderr, time.monotonic() - began, how, peak())


@contextlib.contextmanager
def cage() -> Iterator[tuple]:
    """Hold a process and its children to a container's memory and half a core: by control groups, else by limits.

    Without control groups every process has that memory to itself, and they share one core.
    """
    groups = [folder / f"autograder-{os.getpid()}" for folder in _places()]
    try:
        for group in groups:
            group.mkdir()
        for group in groups:
            for file, value in _limits(group).items():
                (group / file).write_text(value)
    except OSError:
        groups = _removed(groups)

    def join() -> None:
        import resource

        for group in groups:
            (group / "cgroup.procs").write_text(str(os.getpid()))
        if not groups:
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    def peak() -> int | None:
        counted = [group / name for group in groups for name in ("memory.max_usage_in_bytes", "memory.peak")]
        return next((int(file.read_text()) for file in counted if file.exists()), None)

    try:
        yield join, "control groups" if groups else "limits", peak
    finally:
        _removed(groups)


def _places() -> list[Path]:
    """Return the folders in which control groups for memory and processors are made."""
    top = Path("/sys/fs/cgroup")
    return [top] if (top / "cgroup.controllers").exists() else [top / "memory", top / "cpu"]


def _limits(group: Path) -> dict[str, str]:
    if group.parent.name == "memory":
        return {"memory.limit_in_bytes": str(MEMORY)}
    if group.parent.name == "cpu":
        return {"cpu.cfs_quota_us": str(HALF)}
    return {"memory.max": str(MEMORY), "cpu.max": f"{HALF} 100000"}


def _removed(groups: list[Path]) -> list[Path]:
    for group in groups:
        for _ in range(50):
            with contextlib.suppress(OSError):
                if group.exists():
                    group.rmdir()
                break
            time.sleep(0.1)
    return []
