"""Say which of a student's tensors stayed on the CPU while the model was on a GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.course.language import marked, say
from autograder.sandbox.job import Frame, Trouble

_MIXED = re.compile(
    r"\bsame device\b|either on cpu or on|allocated on MPS device|\(torch\.cuda\.\w+\) .* should be the same"
)
_GENERATOR = re.compile(r"device type for generator")
_ARRAY = re.compile(r"can't convert \S+ device type tensor to numpy")
_LENGTHS = re.compile(r"1D CPU int64 tensor")
MOST_NAMED = 3


@dataclass(frozen=True)
class Stray:
    """A call that makes a tensor on the CPU: where it stands, its text, and whose device it should ask for."""

    label: str
    line: int
    text: str
    function: str  # the name of the function around it; nothing at the top of a file
    beside: str  # a parameter of that function
    first: int  # lines of that function
    last: int


def speaks_of_devices(trouble: Trouble) -> bool:
    """Whether an exception says that tensors of several devices were mixed."""
    return any(pattern.search(trouble.text) for pattern in (_MIXED, _GENERATOR, _ARRAY, _LENGTHS))


def strays_in(read: Any) -> Iterator[Stray]:
    """Yield the calls that `tensors_made.read` found; what has another form is left out."""
    for entry in read if isinstance(read, list | tuple) else ():
        try:
            label, line, text, function, beside, first, last = entry
            yield Stray(str(label), int(line), str(text), str(function), str(beside), int(first), int(last))
        except (TypeError, ValueError):
            continue


def explain_devices(trouble: Trouble, found: Sequence[Stray]) -> str:
    """Say which of a student's lines left a tensor on another device, where an exception says that devices were mixed."""
    if _ARRAY.search(trouble.text):
        return say("numpy reads tensors on the CPU alone: write .cpu() before .numpy().")
    if _LENGTHS.search(trouble.text):
        return say("pack_padded_sequence wants its lengths on the CPU: hand it lengths.cpu().")
    if _GENERATOR.search(trouble.text):
        told = marked(
            "A generator draws on its own device alone: draw with device=generator.device, then move the numbers to x.device."
        )
        return say(told)
    if not _MIXED.search(trouble.text):
        return ""
    blamed = _nearest(trouble.frames, found)
    if not blamed:
        told = marked(
            "A tensor on the CPU meets one on another device. What you make yourself belongs where the inputs are: x.device."
        )
        return say(told)
    return "\n".join(map(_told, blamed[:MOST_NAMED]))


def _told(stray: Stray) -> str:
    made = {"label": stray.label, "line": stray.line, "text": stray.text}
    if stray.function in ("", "__init__"):
        told = marked(
            "{label}, line {line}: `{text}` is made on the CPU, and its inputs may be on a GPU; keep it as a buffer "
            "(self.register_buffer), which moves with the model, or move it where it is used."
        )
        return say(told, **made)
    if not stray.beside:
        told = marked(
            "{label}, line {line}: `{text}` is made on the CPU, and its inputs may be on a GPU; say device=..., that of the "
            "inputs."
        )
        return say(told, **made)
    told = marked(
        "{label}, line {line}: `{text}` is made on the CPU, and its inputs may be on a GPU; say device={beside}.device."
    )
    return say(told, **made, beside=stray.beside)


def _nearest(frames: Sequence[Frame], found: Sequence[Stray]) -> list[Stray]:
    """Return the strays of the innermost function on an exception's way that has any, else those that outlive a call."""
    for frame in reversed(frames):
        here = [s for s in found if s.function and s.label == frame.label and s.first <= frame.line <= s.last]
        if here:
            innermost = max(stray.first for stray in here)
            return [stray for stray in here if stray.first == innermost]
    return [stray for stray in found if stray.function in ("", "__init__")]
