"""Choose the device of a grading: what was asked for, if student code can reach it, else what the trainings do without.

One run uses one device. Whether it is there is tried in the sandbox, where student code will run, and never inferred.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

from autograder.course import trainings
from autograder.course.spec import Assignment, Training
from autograder.sandbox.child.device import CPU, DeviceError, parse_device, refusal
from autograder.sandbox.gpu_watch import LOOK_SECONDS, OpenSandbox
from autograder.sandbox.job import Ending, Job, Request, Sandbox, Source
from autograder.sandbox.levels import open_on_device

WHERE = "where student code runs"
# What computes there stays long enough for the grader to see its memory.
_TRIED = f"""

def is_the_device_there(student, report, device):
    import time

    from autograder.sandbox.child.device import CUDA, why_not

    told = why_not(device)
    if not told and device.startswith(CUDA):
        time.sleep({2 * LOOK_SECONDS:g})
    return told
"""


def takes_device(assignment: Assignment, training: Training) -> bool:
    """Whether a training of an assignment can compute elsewhere than on the CPU."""
    return trainings.takes_device(assignment.harness, training.function)


def wanted_device(assignment: Assignment, said: str) -> tuple[str, str]:
    """Return the device to try for what was said, and a line for the grader where it is not simply that.

    Raises DeviceError where what was said is no device.
    """
    name = parse_device(said)
    able = [training for training in assignment.trainings if takes_device(assignment, training)]
    if name == "auto":
        return next((training.prefers for training in able if training.prefers != CPU), CPU), ""
    if name != CPU and not able:
        return CPU, f"{assignment.slug} trains nothing that could run on {name}; it is graded on the CPU."
    return name, ""


def on_device(assignment: Assignment, name: str) -> Assignment:
    """Return the assignment with every training on a device, or on the CPU where its harness knows no other."""
    settled = tuple(replace(t, device=name if takes_device(assignment, t) else CPU) for t in assignment.trainings)
    return replace(assignment, trainings=settled)


def settle_device(assignment: Assignment, said: str, secret: Path | None = None) -> tuple[Assignment, str]:
    """Return the assignment on its device, and a line for the grader or nothing.

    Raises DeviceError where a device was named and is not there; `auto` then means the CPU.
    """
    name, told = wanted_device(assignment, said)
    if name != CPU:
        with open_for(on_device(assignment, name), 1, secret) as sandbox:
            reason = device_trouble(assignment, name, sandbox)
        if reason and parse_device(said) != "auto":
            raise DeviceError(refusal(name, WHERE, reason))
        if reason:
            told = f"{assignment.slug} asks for {name}, and there is none {WHERE} ({reason}); it is trained on the CPU."
            name = CPU
    return on_device(assignment, name), told


def open_for(assignment: Assignment, jobs: int, secret: Path | None = None) -> OpenSandbox:
    """Return the strongest sandbox in which an assignment's trainings reach the device that it is on."""
    trial = functools.partial(device_trouble, assignment)
    return open_on_device(assignment.device, trial, jobs, torch=assignment.torch, secret=secret)


def _most_mb(assignment: Assignment) -> int:
    return max((training.device_mb for training in assignment.trainings), default=Training.device_mb)


def device_trouble(assignment: Assignment, name: str, sandbox: Sandbox) -> str:
    """Return why code in a sandbox cannot compute on a device; nothing where it can."""
    request = Request(
        "is_the_device_there",
        (),
        {"device": name},
        None,
        group="device",
        family="device",
        harness=assignment.harness + _TRIED,
    )
    limits = replace(assignment.limits, case_seconds=60.0, memory_mb=2048)  # a first context takes seconds
    job = Job(Source("nothing", ()), (request,), limits, (), assignment.torch)
    ran = sandbox.run(replace(job, device=name, device_mb=_most_mb(assignment)))
    outcome = ran.outcomes[0] if ran.loading.ending is Ending.RETURNED else ran.loading
    if outcome.ending is Ending.RETURNED:
        return str(outcome.value)
    return outcome.trouble.text if outcome.trouble and outcome.trouble.text else f"it was tried, and {outcome.ending}"
