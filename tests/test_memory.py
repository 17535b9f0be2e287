"""What the memory of a container means: for limits, and for whose doing it is when the kernel ends a process."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course.spec import Limits
from autograder.sandbox import memory
from autograder.sandbox.memory import MemoryGroup, find_group, fitting

REAL = Path("/sys/fs/cgroup")


def written(folder: Path, **files: str) -> Path:
    """Write a group's files, whose names have a dot after `memory`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"memory.{name}").write_text(text)
    return folder


def group(tmp_path: Path, own: str) -> MemoryGroup:
    """Return the group that a process with such a /proc/self/cgroup is in."""
    (tmp_path / "own").write_text(own)
    return find_group(tmp_path / "mounts", tmp_path / "own")


def test_version_2_inside_a_container(tmp_path: Path) -> None:
    """The mount itself is the container's group; its path outside leads nowhere."""
    written(tmp_path / "mounts", max="536870912\n", events="low 0\noom 3\noom_kill 2\noom_group_kill 0\n")
    found = group(tmp_path, "0::/../../kubepods/pod1/c1\n")
    assert (found.limit(), found.kills()) == (512 << 20, 2)


def test_version_2_on_a_machine(tmp_path: Path) -> None:
    """Limits of the groups around it hold as well; its own may be none."""
    written(tmp_path / "mounts" / "user.slice", max="1073741824\n")
    written(tmp_path / "mounts" / "user.slice" / "job", max="max\n", events="oom_kill 1\n")
    found = group(tmp_path, "0::/user.slice/job\n")
    assert (found.limit(), found.kills()) == (1 << 30, 1)


def test_version_1(tmp_path: Path) -> None:
    """Controllers have mounts of their own, and no limit is a very large one."""
    written(
        tmp_path / "mounts" / "memory", limit_in_bytes="9223372036854771712\n", oom_control="under_oom 0\noom_kill 0\n"
    )
    inner = tmp_path / "mounts" / "memory" / "docker" / "c1"
    written(inner, limit_in_bytes="268435456\n", oom_control="oom_kill_disable 0\noom_kill 4\n")
    found = group(tmp_path, "9:cpu,cpuacct:/docker/c1\n4:memory:/docker/c1\n0::/\n")
    assert (found.limit(), found.kills()) == (256 << 20, 4)


def test_without_groups(tmp_path: Path) -> None:
    """Other systems have none: nothing limits, and nobody was ended."""
    found = group(tmp_path, "")
    assert (found.limit(), found.kills()) == (None, 0)
    assert find_group(tmp_path, tmp_path / "nowhere") == found


def test_no_submission_may_have_more_than_the_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the container has less than the assignment allows, the limit is the container's; else the kernel decides."""
    folder = written(tmp_path, max=f"{768 << 20}\n")
    monkeypatch.setattr(memory, "own_group", lambda: MemoryGroup((folder,)))
    assert fitting(Limits(memory_mb=2048)).memory_mb == 576
    assert fitting(Limits(memory_mb=256)).memory_mb == 256


@pytest.fixture
def small_group() -> Iterator[Path | None]:
    """Make a group of 300 MB, or none where this machine does not let us."""
    base = REAL / "memory" if (REAL / "memory").is_dir() else REAL
    folder = base / f"autograder-{secrets.token_hex(4)}"
    try:
        folder.mkdir()
        limit = folder / ("memory.max" if (folder / "memory.max").exists() else "memory.limit_in_bytes")
        limit.write_text(str(300 << 20))
    except OSError:
        yield None
        return
    yield folder
    folder.rmdir()


STARVING = """
import sys
from pathlib import Path
Path(sys.argv[1], "cgroup.procs").write_text("0")
sys.path.insert(0, sys.argv[2])
from test_faults import ask, job, values
from autograder.course.spec import Limits
from autograder.sandbox import memory
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.process import ProcessSandbox
memory.SHARE = 100  # as if nobody had looked at the container's limit
HOG = "import numpy as np\\ndef f(x):\\n    return float(np.ones(400 << 17).sum())"
with ProcessSandbox() if sys.argv[3] == "plain" else open_sandbox(1) as sandbox:
    for share in (100, 0.75):
        memory.SHARE = share
        print(*values(sandbox.run(job(HOG, limits=Limits(case_seconds=20, memory_mb=1024)))))
"""


@pytest.mark.parametrize("box", ["plain", "strongest"])
def test_a_container_that_runs_out_of_memory(small_group: Path | None, box: str) -> None:
    """The kernel's kill is the submission's doing and not the grader's; with the container's limit it comes to no kill."""
    if small_group:
        command = [sys.executable, "-c", STARVING, str(small_group), str(Path(__file__).parent), box]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env={**os.environ})
        assert done.stdout.split() == ["memory", "memory"], done.stderr
