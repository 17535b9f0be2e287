"""Find out how strongly this machine can isolate student code, by trying, and open the sandbox that does.

| level | has |
|---|---|
| A  | namespaces (bubblewrap), Landlock, seccomp, resource limits |
| A- | the same without Landlock |
| B  | Landlock, seccomp, resource limits, another user |
| B- | the same as the grader's own user |
| C  | a process with resource limits |

Where student code computes on a GPU, the same with a way to its driver: AG, A-G, BG, B-G.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from autograder.sandbox.bare import BareSandbox
from autograder.sandbox.child.device import CPU
from autograder.sandbox.gpu_files import gpu_files
from autograder.sandbox.gpu_watch import GpuSandbox, GpuWatch, OpenSandbox, Trial, nvidia_meter, watched_risks
from autograder.sandbox.job import Isolation
from autograder.sandbox.pool import WarmSandbox
from autograder.sandbox.process import ProcessSandbox
from autograder.sandbox.slot import Profile, Slot, SlotError, readable_paths

_ESSENTIAL = {"seccomp", "rlimits"}
_DISK = "it can fill the disk that holds temporary files, in space and in files"
_SIGHT = "it can see that files exist, how large and how old they are, wherever its user may look"
_OWN_USER = "it runs as the grader's own user"


def open_sandbox(
    jobs: int, *, torch: bool = False, profile: Profile | None = None, secret: Path | None = None
) -> WarmSandbox | ProcessSandbox:
    """Return the strongest sandbox this machine can hold, or of a given profile the strongest part that holds.

    `secret` is a folder that student code must not read, the solutions; where Python or the system is read from above it,
    nothing isolates.
    """
    missing = [*_unfit(secret)]
    for candidate in [] if missing else _ladder(profile or Profile()):
        isolation = _tried(candidate, missing)
        if isolation:
            return WarmSandbox(jobs, candidate, isolation, torch=torch)
    return ProcessSandbox(tuple(missing))


def open_on_device(
    device: str, trial: Trial, jobs: int, *, torch: bool = True, secret: Path | None = None
) -> OpenSandbox:
    """Return the strongest sandbox in which student code computes on a device, as a trial in it says; of the CPU, any.

    Where it computes in none that is locked down, the plain process is left, which says why.
    """
    if device == CPU:
        return open_sandbox(jobs, torch=torch, secret=secret)
    meter, why_unwatched = nvidia_meter() if device.startswith("cuda") else (None, "tells of NVIDIA's GPUs alone")
    watch = GpuWatch(meter)
    gpu, missing = gpu_files(), [*_unfit(secret)]
    if not device.startswith("cuda") or not gpu.devices:
        missing.append(f"everything: no locked-down profile reaches {device}; {gpu.lacks or 'it is for NVIDIA alone'}")
    for plain in [] if missing else _ladder(Profile()):
        candidate = replace(plain, gpu=gpu)
        isolation = _tried(candidate, missing)
        if not isolation:
            continue
        sandbox = WarmSandbox(jobs, candidate, isolation, torch=torch, around=watch.around)
        try:
            trouble = trial(device, sandbox)
        except (SlotError, OSError) as error:  # it starts without torch and not with it
            trouble = str(error)
        if not trouble:
            return GpuSandbox(sandbox, watch, trial, watched_risks(watch, why_unwatched))
        sandbox.close()
        missing.append(f"{isolation.level}: {trouble}")
    plainly = BareSandbox(torch=torch, jobs=jobs, missing=tuple(missing), device=device, around=watch.around)
    if meter:
        trial(device, plainly)  # for whether its memory is seen; that it computes there is for the caller to find
    return GpuSandbox(plainly, watch, trial, watched_risks(watch, why_unwatched))


def _unfit(secret: Path | None) -> Iterator[str]:
    """Yield why nothing can be locked down on this machine."""
    above = secret and [path for path in readable_paths() if secret.resolve().is_relative_to(path)]
    if above:
        yield f"everything: {secret} lies in {above[0]}, which Python needs; move the course elsewhere"
    elif not sys.platform.startswith("linux"):
        yield f"namespaces, Landlock and seccomp: {sys.platform} has none of them"


def _tried(candidate: Profile, missing: list[str]) -> Isolation | None:
    """Try a profile and return what it holds, if that is enough; what is missing is added to what is known to be."""
    try:
        slot = Slot(candidate)
    except (SlotError, OSError) as error:
        missing.append(f"{'namespaces' if candidate.namespaces else 'preloader'}: {error}")
        return None
    report = slot.report
    slot.close()
    held = set(report.held)
    reasons = missing + [f"{name}: {why}" for name, why in report.refused.items()]
    if report.tasks != 1:
        missing.append(f"preloader: it has {report.tasks} threads, so that forks could hang")
    elif candidate.other_uid and not candidate.namespaces and not report.library:
        missing.append("another user: Python's own folders are not readable for other users")
    elif candidate.namespaces and not held >= _ESSENTIAL | {"namespaces"}:
        missing.append("namespaces: bubblewrap ran, but what it should hide was seen or seccomp did not hold")
    elif held >= _ESSENTIAL | ({"landlock"} if not candidate.namespaces else set()):
        return _isolation(candidate, held, tuple(reasons))
    else:
        missing += [reason for reason in reasons if reason not in missing]
    return None


def _ladder(profile: Profile) -> list[Profile]:
    """Return what to try, strongest first, never more than the profile asks for."""
    rungs = [profile] if profile.namespaces else []
    bare = Profile(namespaces=False, landlock=profile.landlock, seccomp=profile.seccomp, other_uid=profile.other_uid)
    if profile.other_uid and os.geteuid() == 0:
        rungs.append(bare)
    rungs.append(Profile(namespaces=False, landlock=profile.landlock, seccomp=profile.seccomp, other_uid=False))
    return rungs


def _isolation(profile: Profile, held: set[str], missing: tuple[str, ...]) -> Isolation:
    risks: tuple[str, ...]
    order = ("namespaces", "landlock", "seccomp", "rlimits")
    mechanisms = [name for name in order if name in held and (name != "namespaces" or profile.namespaces)]
    if profile.namespaces:
        level, risks = ("A", ()) if "landlock" in held else ("A-", ("inside its own root it can read /proc",))
    elif profile.other_uid:
        level, risks = "B", (_DISK, _SIGHT)
        mechanisms.append("another user")
    else:
        level, risks = "B-", (_DISK, _SIGHT, _OWN_USER)
    return Isolation(f"{level}G" if profile.gpu else level, tuple(mechanisms), risks, missing)
