"""Choose what of this machine a sandbox shows for its GPUs: device nodes, the driver's libraries, parts of /proc and /sys.

For NVIDIA's driver on Linux, by what NVIDIA's container toolkit gives to a container that computes. What draws on a screen,
watches other programs or sets up the driver is left out: nvidia-modeset, nvidia-uvm-tools and the first two of nvidia-caps.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_GPU = re.compile(r"/dev/nvidia\d+")
_NEEDED = ("/dev/nvidiactl", "/dev/nvidia-uvm")
# Parts of a GPU that is divided (MIG), each with a node of its own; 1 sets the parts up, 2 watches all of them.
_PART = re.compile(r"/dev/nvidia-caps/nvidia-cap(?!1$|2$)\d+")
_LIBRARY = re.compile(
    r"\s(libcuda|libnvidia-(?:ml|ptxjitcompiler|nvvm|gpucomp|allocator))\.so\S* \(libc6,[^)]*\) => (/\S+)"
)
_DRIVER = "/proc/driver/nvidia"
_SYSTEM = (
    *("/proc/cpuinfo", "/proc/devices"),
    *("/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/devices/system/memory/block_size_bytes"),
    *("/sys/module/nvidia/version", "/sys/module/nvidia/initstate", "/sys/module/nvidia_uvm/initstate"),
)
_PCI = "/sys/bus/pci/devices"


@dataclass(frozen=True)
class Listing:
    """What a machine has that may lead to a GPU, as it lists it."""

    nodes: tuple[str, ...] = ()  # in /dev
    libraries: str = ""  # what `ldconfig -p` prints
    driver: tuple[str, ...] = ()  # in /proc/driver/nvidia


@dataclass(frozen=True)
class GpuFiles:
    """What a sandbox shows: device nodes to open, write to and tell the driver things by, and what may be read.

    Without devices there is no way to a GPU, and `lacks` says what is missing.
    """

    devices: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    lacks: str = ""


def find_gpu(listing: Listing) -> GpuFiles:
    """Return what to show of a machine. Whether that is enough is for a child to try."""
    gpus = [node for node in listing.nodes if _GPU.fullmatch(node)]
    missing = [node for node in _NEEDED if node not in listing.nodes]
    if not gpus:
        return GpuFiles(lacks="this machine has no /dev/nvidia0, nor another of its kind")
    if missing:
        return GpuFiles(lacks=f"{gpus[0]} is there without {' and '.join(missing)}; nvidia-modprobe -u -c=0 makes them")
    parts = [node for node in listing.nodes if _PART.fullmatch(node)]
    libraries = [found[2] for found in _LIBRARY.finditer(listing.libraries)]
    cards = [f"{_PCI}/{path.rpartition('/')[2]}" for path in listing.driver if path.startswith(f"{_DRIVER}/gpus/")]
    driver = [_DRIVER] if listing.driver else []
    return GpuFiles((*gpus, *_NEEDED, *parts), (*dict.fromkeys(libraries), *driver, *_SYSTEM, *cards))


def list_machine(root: Path = Path("/")) -> Listing:
    """Return what this machine lists; nothing where it has nothing of the kind."""
    places = (
        ("dev", "nvidia*"),
        ("dev/nvidia-caps", "*"),
        ("proc/driver/nvidia", "*"),
        ("proc/driver/nvidia/gpus", "*"),
    )
    found = [f"/{path.relative_to(root)}" for folder, names in places for path in sorted((root / folder).glob(names))]
    ldconfig = shutil.which("ldconfig", path=os.pathsep.join(("/sbin", "/usr/sbin", os.environ.get("PATH", ""))))
    libraries = ""
    if ldconfig:
        libraries = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout
    nodes = tuple(path for path in found if path.startswith("/dev/"))
    return Listing(nodes, libraries, tuple(path for path in found if path.startswith("/proc/")))


def gpu_files() -> GpuFiles:
    """Return what a sandbox on this machine shows for its GPUs."""
    return find_gpu(list_machine())
