"""Choose the device that models are trained on: the one place for every command, the training at home and the sandbox.

`auto` stands for what a training asks for, and for the CPU where that is not there.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

CPU = "cpu"
CUDA = "cuda"
CHOICES = "auto, cpu, cuda, mps or the number of a GPU"
_NAMED = re.compile(r"cpu|mps|cuda(:\d{1,3})?")


class DeviceError(Exception):
    """There is no such device; the message says where it was looked for and what to do."""


def parse_device(said: str) -> str:
    """Return the device that a word means: its name in torch, or "auto". Raises DeviceError where it means none."""
    word = said.strip().lower()
    name = f"cuda:{int(word)}" if word.isdecimal() and len(word) < 4 else word
    if name != "auto" and not _NAMED.fullmatch(name):
        raise DeviceError(f"{said!r} is no device. Say {CHOICES}.")
    return name


def why_not(name: str) -> str:
    """Return why this process cannot compute on a device, in torch's words; nothing where it can."""
    import torch

    try:
        (torch.ones(2, 2, device=name) @ torch.ones(2, 1, device=name)).sum().item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        return str(error).strip().partition("\n")[0].partition(". ")[0].rstrip(".") or type(error).__name__
    return ""


def choose_device(said: str) -> str:
    """Return the device for a training at home, `cpu` for `auto`. Raises DeviceError where it is not there."""
    name = parse_device(said)
    if name in ("auto", CPU):
        return CPU
    if reason := why_not(name):
        raise DeviceError(refusal(name, "on this computer", reason))
    return name


def refusal(name: str, where: str, reason: str) -> str:
    """Return what to tell where a device was asked for and is not there."""
    return f"There is no device {name} {where}: {reason}. Say --device cpu, or leave --device out."


def make_comparable(name: str) -> None:
    """Have this process compute on a device as nearly like a CPU as it can: in full precision, in one order of sums."""
    if name == CPU:
        return
    import torch

    torch.set_deterministic_debug_mode("warn")
    # Filling what code leaves unset would take a third of each step.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def bound_memory(name: str, mb: int) -> None:
    """Have torch ask for no more of a GPU's memory than so much; what goes around torch is for the grader to see."""
    if not mb or not name.startswith("cuda"):
        return
    import torch

    if torch.cuda.is_available():
        number = torch.device(name).index or 0  # torch sets a limit for a number only
        total = torch.cuda.get_device_properties(number).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, (mb << 20) / total), number)


def device_of_words(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the device that a training's command line asks for, and its other words; leave with a message where it is not there."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--device", default="auto", help=CHOICES)
    chosen, others = parser.parse_known_args(words)
    try:
        return choose_device(chosen.device), others
    except DeviceError as error:
        parser.error(f"--device {chosen.device}: {error}")
