"""Say which rule of its own a function breaks in a public case: einsum's, a linear layer's, one that the case hands over."""

from __future__ import annotations

import re

from autograder.judge.crash_details import Crash
from autograder.judge.shapes_that_meet import shown

_EQUATION = re.compile(r"""['"]([\w ,.>-]*)['"]""")
_WHOLE = re.compile(r"indices must be long|valid indices|scalar types?:? Long|expected\D+(?:Long|int64)")


def handed_over(crash: Crash, _: re.Match[str]) -> str:
    """Say that something which the case hands over has no answer for a call, and with which arrays it was called."""
    name, arrays = crash.trouble.parts[0].text, [f"{shown(part, crash.names)} ({part.dtype})" for part in crash.arrays]
    called = f", with {' and '.join(arrays)}" if arrays else ""
    whole = " It wants whole numbers (int64, torch's long)." if _WHOLE.search(crash.trouble.text) else ""
    return (
        f"`{name}`, which the case hands to your code, has no answer for this call{called}.{whole} Is it called once too often, or "
        "with arguments of another shape or dtype than the text says?"
        if name
        else ""
    )


def letters_of_einsum(crash: Crash, _: re.Match[str]) -> str:
    """Name the letter of an einsum that stands for axes of two sizes."""
    equation = _EQUATION.fullmatch(crash.first.text) if crash.first else None
    if equation is None:
        return ""
    operands = equation[1].replace(" ", "").partition("->")[0].split(",")
    sizes: dict[str, int] = {}
    for letters, part in zip(operands, crash.arrays, strict=False):
        if "." in letters or len(letters) != len(part.shape):
            return ""
        for letter, size in zip(letters, part.shape, strict=True):
            before = sizes.setdefault(letter, size)
            if 1 not in (size, before) and size != before:
                what = shown(part, crash.names)
                return (
                    f"In the einsum, the letter `{letter}` stands for an axis of {size} in {what}, and for one of {before} before "
                    "it. A letter has one size wherever it stands."
                )
    return ""


def linear_layer(crash: Crash, _: re.Match[str]) -> str:
    """Say which last axes have to be equal in a linear layer."""
    sizes = re.search(r"\(\d+x(\d+) and (\d+)x\d+\)", crash.trouble.text)
    if not sizes:
        return ""
    last, wanted = map(int, sizes.groups())
    arrays = crash.arrays
    if len(arrays) > 1 and arrays[1].shape[-1:] == (wanted,):
        return (
            f"{shown(arrays[0], crash.names)} meets the weight {shown(arrays[1], crash.names)} in a linear layer, which multiplies by "
            f"the transpose: the last axes have to be equal, and they are {last} and {wanted}."
        )
    what = shown(arrays[0], crash.names) if arrays and arrays[0].shape[-1:] == (last,) else "What goes in"
    return f"{what} does not fit the linear layer in `{crash.calls}`: its last axis is {last}, and in_features is {wanted}."


def too_many_of_the_best(crash: Crash, _: re.Match[str]) -> str:
    """Say how many entries there are for `topk`."""
    what = shown(crash.arrays[0], crash.names) if crash.arrays else ""
    return (
        f"`topk` is asked for more entries than an axis has. It searches {what}, along the last axis unless `dim` says otherwise, and "
        "k may be at most the size of that axis."
        if what
        else ""
    )


def nothing_to_draw(crash: Crash, match: re.Match[str]) -> str:
    """Say between which limits nothing can be drawn."""
    if not crash.calls or match["high"] is None:
        return ""
    return f"The upper limit of `{crash.calls}`, {match['high']}, is not above the lower one, {match['low']}: there is nothing to draw."


def mask_as_index(crash: Crash, _: re.Match[str]) -> str:
    """Say which mask does not fit what it picks from."""
    if len(crash.arrays) != 2:
        return ""
    array, mask = crash.arrays
    return (
        f"The mask {shown(mask, crash.names)} picks from {shown(array, crash.names)}. A mask has the sizes of the axes that it picks "
        "from, the first ones."
    )
