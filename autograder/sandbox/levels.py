"""Find out how strongly this machine can isolate student code, by trying, and open the sandbox that does.

| level | has |
|---|---|
| A  | namespaces (bubblewrap), Landlock, seccomp, resource limits |
| A- | the same without Landlock |
| B  | Landlock, seccomp, resource limits, another user |
| B- | the same as the grader's own user |
| C  | a process with resource limits |
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from autograder.sandbox.child.device import CPU
from autograder.sandbox.job import Isolation
from autograder.sandbox.pool import WarmSandbox
from autograder.sandbox.process import ProcessSandbox
from autograder.sandbox.slot import Profile, Slot, SlotError, readable_paths

_ESSENTIAL = {"seccomp", "rlimits"}
_DISK = "it can fill the disk that holds temporary files, in space and in files"
_SIGHT = "it can see that files exist, how large and how old they are, wherever its user may look"
_OWN_USER = "it runs as the grader's own user"


def open_sandbox(
    jobs: int,
    *,
    torch: bool = False,
    profile: Profile | None = None,
    secret: Path | None = None,
    device: str = CPU,
) -> WarmSandbox | ProcessSandbox:
    """Return the strongest sandbox this machine can hold, or of a given profile the strongest part that holds.

    `secret` is a folder that student code must not read, the solutions; where Python or the system is read from above it,
    nothing isolates. Nor does anything where student code is to reach another device than the CPU: no profile is locked
    down around a GPU's driver.
    """
    if device != CPU:
        return ProcessSandbox((f"everything: no locked-down profile reaches {device}",), device)
    profile = profile or Profile()
    missing: list[str] = []
    above = secret and [path for path in readable_paths() if secret.resolve().is_relative_to(path)]
    if above:
        return ProcessSandbox(
            (f"everything: {secret} lies in {above[0]}, which Python needs; move the course elsewhere",)
        )
    if not sys.platform.startswith("linux"):
        return ProcessSandbox((f"namespaces, Landlock and seccomp: {sys.platform} has none of them",))
    for candidate in _ladder(profile):
        try:
            slot = Slot(candidate)
        except (SlotError, OSError) as error:
            missing.append(f"{'namespaces' if candidate.namespaces else 'preloader'}: {error}")
            continue
        report = slot.report
        slot.close()
        held = set(report["held"])
        reasons = missing + [f"{name}: {why}" for name, why in report["refused"].items()]
        if report["tasks"] != 1:
            missing.append(f"preloader: it has {report['tasks']} threads, so that forks could hang")
        elif candidate.other_uid and not candidate.namespaces and not report["library"]:
            missing.append("another user: Python's own folders are not readable for other users")
        elif candidate.namespaces and not held >= _ESSENTIAL | {"namespaces"}:
            missing.append("namespaces: bubblewrap ran, but what it should hide was seen or seccomp did not hold")
        elif held >= _ESSENTIAL | ({"landlock"} if not candidate.namespaces else set()):
            return WarmSandbox(jobs, candidate, _isolation(candidate, held, tuple(reasons)), torch=torch)
        else:
            missing += [reason for reason in reasons if reason not in missing]
    return ProcessSandbox(tuple(missing))


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
    return Isolation(level, tuple(mechanisms), risks, missing)
