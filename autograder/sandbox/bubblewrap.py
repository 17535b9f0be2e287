"""The command line of bubblewrap that encloses a zygote: its own small root, and nothing else of the machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.sandbox.gpu_files import GpuFiles
from autograder.sandbox.process import ROOT

SCRATCH_MB = 256
NOBODY = 65534
_SETTINGS = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/driver")
# What a zygote sees of us: the folder of what may be beside student code, and what makes it a package.
_OURS = ("__init__.py", "sandbox/__init__.py", "sandbox/child")
_FLAGS = (
    "--unshare-user --unshare-all --disable-userns --die-with-parent --as-pid-1 --new-session --cap-drop ALL --clearenv"
)


def enclosing(bwrap: str, readable: Sequence[str], gpu: GpuFiles, environment: Mapping[str, str]) -> list[str]:
    """Return what to write before a command: it sees these paths, our part beside student code, a scratch folder and the GPUs."""
    who = ["--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox"]
    variables = [part for name, value in environment.items() for part in ("--setenv", name, value)]
    scratch = ["--perms", "0700", "--size", str(SCRATCH_MB << 20), "--tmpfs", "/scratch", "--chdir", "/scratch"]
    driver = [path for path in gpu.readable if not path.startswith(tuple(f"{folder}/" for folder in readable))]
    mounts = [*_files(readable), *_proc(driver), *_dev(gpu), *scratch, "--remount-ro", "/"]
    return [bwrap, *_FLAGS.split(), *who, *variables, *mounts]


def _files(readable: Sequence[str]) -> list[str]:
    binds = [part for path in readable for part in ("--ro-bind-try", path, path)]
    for path in dict.fromkeys((sys.prefix, sys.base_prefix)):
        if os.path.realpath(path) != path:  # a home that is reached by a link, which is not there inside
            binds += ["--symlink", os.path.realpath(path), path]
    for name in _OURS:
        binds += ["--ro-bind", str(ROOT / "autograder" / name), f"/grader/autograder/{name}"]
    return binds


def _proc(driver: Sequence[str]) -> list[str]:
    """Show /proc without settings: files here are root's, and root outside is the same user inside; bubblewrap hides some."""
    settings = [path for path in _SETTINGS if Path(path).is_dir()]
    hidden = [part for path in settings for part in ("--tmpfs", path)]
    shown = [part for path in driver for part in ("--ro-bind-try", path, path)]
    return ["--proc", "/proc", *hidden, *shown, *(part for path in settings for part in ("--remount-ro", path))]


def _dev(gpu: GpuFiles) -> list[str]:
    nodes = [part for path in gpu.devices for part in ("--dev-bind", path, path)]
    return ["--dev", "/dev", *nodes, "--remount-ro", "/dev"]
