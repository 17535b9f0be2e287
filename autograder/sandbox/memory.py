"""How much memory the container that we run in has, and whether the kernel ended something in it for want of that."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course.spec import Limits

SHARE = 0.75  # of a container's memory that one submission may have: the grader and its preloader need some as well
_UNLIMITED = 1 << 60  # how version 1 writes that there is no limit


@dataclass(frozen=True)
class MemoryGroup:
    """A control group for memory, of version 1 or 2, and those around it."""

    folders: tuple[Path, ...]  # the innermost first

    def limit(self) -> int | None:
        """Return how many bytes may be used in it, the least of all around it; None where nothing limits them."""
        found = [
            number for folder in self.folders for number in _numbers(folder, "memory.max", "memory.limit_in_bytes")
        ]
        return min((number for number in found if number < _UNLIMITED), default=None)

    def kills(self) -> int:
        """Return how many processes of it the kernel has ended because memory ran out."""
        for name in ("memory.events", "memory.oom_control"):
            for line in _lines(self.folders[0] / name) if self.folders else ():
                key, _, number = line.partition(" ")
                if key == "oom_kill":
                    return int(number)
        return 0


def find_group(mounts: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> MemoryGroup:
    """Return the group that this process is in; inside a container its path may lead nowhere, and the mount itself is it."""
    for line in _lines(own):
        _, controllers, path = line.split(":", 2)
        for mount in _mounts(mounts, controllers):
            folder = mount / path.lstrip("/")
            inner = folder if folder.is_dir() else mount
            above = [parent for parent in inner.parents if parent.is_relative_to(mount)]
            if any(
                (place / name).exists() for place in (inner, *above) for name in ("memory.max", "memory.oom_control")
            ):
                return MemoryGroup((inner, *above))
    return MemoryGroup(())


@functools.cache
def own_group() -> MemoryGroup:
    """Return the group of this process, looked up once."""
    return find_group()


def fitting(limits: Limits) -> Limits:
    """Return limits with no more memory than the container can give; else the kernel would end a child in its stead."""
    limit = _limit(own_group())
    return limits if limit is None else replace(limits, memory_mb=min(limits.memory_mb, int(SHARE * limit) >> 20))


@functools.cache
def _limit(group: MemoryGroup) -> int | None:
    """Return a group's limit, read once: every job asks for it, and a container's seldom changes while it runs."""
    return group.limit()


def _mounts(mounts: Path, controllers: str) -> Iterator[Path]:
    if "memory" in controllers.split(","):
        yield mounts / "memory"
    elif not controllers:  # version 2
        yield from (mounts, mounts / "unified")


def _numbers(folder: Path, *names: str) -> Iterator[int]:
    yield from (int(line) for name in names for line in _lines(folder / name) if line.isdigit())


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
