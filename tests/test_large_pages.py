"""A preloader's memory in large pages: what it holds stays, and a fork has less to copy."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

HELD = 64 << 20  # bytes
SCRIPT = f"""
import json, os, re
from autograder.sandbox.child.large_pages import LargePages

def large():
    if not os.path.exists("/proc/self/smaps_rollup"):  # not Linux
        return 0
    found = re.search(r"AnonHugePages: +(\\d+)", open("/proc/self/smaps_rollup").read())
    return int(found[1]) << 10

pages = LargePages()
held = bytearray(os.urandom(1 << 10) * ({HELD} >> 10))
before, copy = large(), bytes(held)
pages.collapse()
pages.collapse()
pid = os.fork()
if pid == 0:
    held[5] ^= 1
    os._exit(0)
status = os.waitpid(pid, 0)[1]
print(json.dumps([before, large(), held == copy, status]))
"""


def offered() -> bool:
    """Whether this system moves memory into large pages on request: Linux from 6.1 on."""
    version = tuple(map(int, platform.release().split("-")[0].split(".")[:2]))
    return sys.platform == "linux" and version >= (6, 1)


def test_memory_is_laid_out_anew_and_stays_as_it_was() -> None:
    """What is held is the same before and after, in this process and for a child; from Linux 6.1 on most of it lies in large pages."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True
    )
    before, after, same, status = json.loads(done.stdout)
    assert same
    assert status == 0
    assert (after - before > HELD // 2) is offered()
