"""Say which rule of its own a function breaks in a public case: einsum's, a linear layer's, one that the case hands over."""

from __future__ import annotations

import re

from autograder.course.language import marked, say
from autograder.judge.crash_details import Crash
from autograder.judge.shapes_that_meet import shown

_EQUATION = re.compile(r"""['"]([\w ,.>-]*)['"]""")
_WHOLE = re.compile(r"indices must be long|valid indices|scalar types?:? Long|expected\D+(?:Long|int64)")


def handed_over(crash: Crash, _: re.Match[str]) -> str:
    """Say that something which the case hands over has no answer for a call, and with which arrays it was called."""
    name, arrays = crash.trouble.parts[0].text, [f"{shown(part, crash.names)} ({part.dtype})" for part in crash.arrays]
    if not name:
        return ""
    if arrays:
        told = marked("`{name}`, which the case hands to your code, has no answer for this call, with {arrays}.")
        said = [say(told, name=name, arrays=say(" and ").join(arrays))]
    else:
        said = [say("`{name}`, which the case hands to your code, has no answer for this call.", name=name)]
    if _WHOLE.search(crash.trouble.text):
        said.append(say("It wants whole numbers (int64, torch's long)."))
    said.append(say("Is it called once too often, or with arguments of another shape or dtype than the text says?"))
    return " ".join(said)


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
                told = marked(
                    "In the einsum, the letter `{letter}` stands for an axis of {size} in {what}, and for one of {before} "
                    "before it. A letter has one size wherever it stands."
                )
                return say(told, letter=letter, size=size, what=shown(part, crash.names), before=before)
    return ""


def linear_layer(crash: Crash, _: re.Match[str]) -> str:
    """Say which last axes have to be equal in a linear layer."""
    sizes = re.search(r"\(\d+x(\d+) and (\d+)x\d+\)", crash.trouble.text)
    if not sizes:
        return ""
    last, wanted = map(int, sizes.groups())
    arrays = crash.arrays
    if len(arrays) > 1 and arrays[1].shape[-1:] == (wanted,):
        told = marked(
            "{what} meets the weight {weight} in a linear layer, which multiplies by the transpose: the last axes have to be "
            "equal, and they are {last} and {wanted}."
        )
        what, weight = (shown(part, crash.names) for part in arrays[:2])
        return say(told, what=what, weight=weight, last=last, wanted=wanted)
    known = arrays and arrays[0].shape[-1:] == (last,)
    what = shown(arrays[0], crash.names) if known else say("What goes in")
    told = marked(
        "{what} does not fit the linear layer in `{calls}`: its last axis is {last}, and in_features is {wanted}."
    )
    return say(told, what=what, calls=crash.calls, last=last, wanted=wanted)


def recurrent_layer(crash: Crash, match: re.Match[str]) -> str:
    """Say how many features go into a recurrent layer, and how many it was made for."""
    got, wanted = match["got"] or match["got2"], match["wanted"] or match["wanted2"]
    if not got or not crash.calls:
        return ""
    told = marked("What goes into `{calls}` has a last axis of {got}, and the layer was made for {wanted}.")
    return say(told, calls=crash.calls, got=got, wanted=wanted)


def too_many_of_the_best(crash: Crash, _: re.Match[str]) -> str:
    """Say how many entries there are for `topk`."""
    if not crash.arrays:
        return ""
    told = marked(
        "`topk` is asked for more entries than an axis has. It searches {what}, along the last axis unless `dim` says "
        "otherwise, and k may be at most the size of that axis."
    )
    return say(told, what=shown(crash.arrays[0], crash.names))


def nothing_to_draw(crash: Crash, match: re.Match[str]) -> str:
    """Say between which limits nothing can be drawn."""
    if not crash.calls or match["high"] is None:
        return ""
    told = marked("The upper limit of `{calls}`, {high}, is not above the lower one, {low}: there is nothing to draw.")
    return say(told, calls=crash.calls, high=match["high"], low=match["low"])


def mask_as_index(crash: Crash, _: re.Match[str]) -> str:
    """Say which mask does not fit what it picks from."""
    if len(crash.arrays) != 2:
        return ""
    told = marked(
        "The mask {mask} picks from {array}. A mask has the sizes of the axes that it picks from, the first ones."
    )
    array, mask = crash.arrays
    return say(told, mask=shown(mask, crash.names), array=shown(array, crash.names))
