"""Ask `nvidia-smi`, which comes with the driver, for this machine's GPUs: of what kind they are, and how full."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.sandbox.child.device import CUDA, DeviceError

ASK_SECONDS = 10.0  # for an answer; a driver that hangs tells nothing
_FIELDS = "index,uuid,name,memory.total,memory.used"
_COMMAND = ("nvidia-smi", f"--query-gpu={_FIELDS}", "--format=csv,noheader,nounits")
UNKNOWN = "nvidia-smi, which comes with the driver, says nothing of them here"


@dataclass(frozen=True)
class Gpu:
    """A GPU as the driver tells of it."""

    index: int
    uuid: str
    kind: str
    total_mb: float
    used_mb: float


def read_gpus(text: str) -> Iterator[Gpu]:
    """Yield the GPUs of an answer; one whose memory it does not tell, as of a part of a GPU, is left out."""
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            index, uuid, kind, total, used = (part.strip() for part in line.split(","))
            yield Gpu(int(index), uuid, kind, float(total), float(used))


def list_gpus() -> tuple[Gpu, ...]:
    """Return the GPUs of this machine in the order of their numbers, or nothing where that cannot be asked."""
    try:
        done = subprocess.run(_COMMAND, capture_output=True, text=True, timeout=ASK_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ()
    return tuple(sorted(read_gpus(done.stdout), key=lambda gpu: gpu.index))


def gpu_of(gpus: Sequence[Gpu], device: str, visible: str | None = None) -> Gpu | None:
    """Return the GPU that torch calls by a name such as cuda:1, where it sees those that CUDA_VISIBLE_DEVICES names, or all."""
    number = device.partition(":")[2]
    names = [name.strip() for name in visible.split(",")] if visible else [str(gpu.index) for gpu in gpus]
    name = names[int(number or 0)] if int(number or 0) < len(names) else ""
    return next((gpu for gpu in gpus if name and (name == str(gpu.index) or gpu.uuid.startswith(name))), None)


class NvidiaSmi:
    """Tells what is used of devices' memory, by asking the driver each time."""

    def gpu(self, device: str) -> Gpu | None:
        """Return the GPU that a device is, or None where that is not known."""
        if not device.startswith(CUDA):
            return None
        return gpu_of(list_gpus(), device, os.environ.get("CUDA_VISIBLE_DEVICES"))

    def kind(self, device: str) -> str:
        """Return what a device is called by its maker, or nothing where that is not known."""
        gpu = self.gpu(device)
        return gpu.kind if gpu else ""

    def used_mb(self, device: str) -> float | None:
        """Return how much of a device's memory is used now, by anyone."""
        gpu = self.gpu(device)
        return gpu.used_mb if gpu else None


def check_one_kind(kinds: Mapping[str, str]) -> None:
    """Raise DeviceError where devices, by their names, are not surely of one kind: no grade may depend on which it got."""
    if len(kinds) < 2:
        return
    if not all(kinds.values()):
        raise DeviceError(f"what kind they are is not known: {UNKNOWN}. Name one GPU.")
    if len(set(kinds.values())) > 1:
        first, *rest = kinds
        other = next(device for device in rest if kinds[device] != kinds[first])
        raise DeviceError(
            f"{first} is a {kinds[first]} and {other} a {kinds[other]}, which need not compute alike. Use GPUs of one kind."
        )
