"""Choose the device that a handout's trainings run on: what was asked for, or what a training asks for, if it is there."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.course.language import marked, say
from autograder.course.trainings import takes_device
from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.trainings import HomeTraining
from autograder.sandbox.child.device import CPU, DeviceError, parse_device, why_not

DEVICES = marked("auto, cpu, cuda, mps or the number of a GPU")


def device_at_home(said: str, slug: str, homes: Sequence[HomeTraining]) -> tuple[str, str]:
    """Return the device that a word means for trainings on this computer, and a line where it is not simply that.

    Raises CheckError where one was named and is not there; `auto` then means the CPU.
    """
    try:
        name = parse_device(said)
    except DeviceError:
        told = marked("--device {said}: {quoted} is no device. Say {devices}.")
        raise CheckError(say(told, said=said, quoted=repr(said), devices=say(DEVICES))) from None
    asked, able = name != "auto", [home for home in homes if can_move(home)]
    if not asked:
        name = next((home.training.prefers for home in able if home.training.prefers != CPU), CPU)
    if name == CPU:
        return CPU, ""
    if not able:
        told = marked("{slug} trains nothing that could run on {name}; it is trained on the CPU.")
        return CPU, say(told, slug=slug, name=name)
    reason = why_not(name)
    if reason and asked:
        told = marked(
            "--device {said}: There is no device {name} on this computer: {reason}. Say --device cpu, or leave --device out."
        )
        raise CheckError(say(told, said=said, name=name, reason=reason))
    if reason:
        told = marked(
            "{slug} asks for {name}, and there is none on this computer ({reason}); it is trained on the CPU."
        )
        return CPU, say(told, slug=slug, name=name, reason=reason)
    return name, ""


def can_move(home: HomeTraining) -> bool:
    """Whether a training can run elsewhere than on the CPU."""
    return takes_device(home.harness, home.training.function)
