"""What a child may use, as far as the system can bound it: memory, files, descriptors."""

from __future__ import annotations

from pathlib import Path

try:
    import resource
except ImportError:  # Windows bounds none of this; time is bounded by the parent everywhere
    resource = None  # type: ignore[assignment]


CPU_SECONDS = 3600  # more than any job may take: a loop that outlives its killed grader ends


def set_limits(memory_mb: int, file_mb: int) -> None:
    """Bound memory to what the process holds now plus a budget, and files, descriptors and locked memory."""
    if resource is None:
        return
    bounds = {"CPU": CPU_SECONDS, "CORE": 0, "FSIZE": file_mb << 20, "NOFILE": 256, "MEMLOCK": 0, "MSGQUEUE": 0}
    status = Path("/proc/self/statm")
    if status.exists():  # macOS has no usable address-space limit
        bounds["AS"] = int(status.read_text().split()[0]) * resource.getpagesize() + (memory_mb << 20)
    for name, bound in bounds.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is not None:
            hard = resource.getrlimit(kind)[1]
            lowest = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
            resource.setrlimit(kind, (lowest, lowest))
