"""Find arguments of the reference's calls that can be said otherwise with the same right answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.judge.compare import alike
from autograder.oracle.other_ways import Free, NotedCall
from autograder.oracle.replay import Replay
from autograder.oracle.student_calls import StudentCall
from autograder.sandbox.child.tree import Tensor, array_of
from autograder.sandbox.child.wire_format import WireError, snapshot

NOTHING_FREE = Free(frozenset(), frozenset())


def free_in_all(calls: Sequence[NotedCall]) -> dict[str, Free]:
    """Return by exercise what is free in every call of it, as far as that was tried."""
    found: dict[str, Free] = {}
    for call in calls:
        if call.free is not None:
            before = found.get(call.name, call.free)
            found[call.name] = Free(before.numbers & call.free.numbers, before.masks & call.free.masks)
    return found


def free_in(replay: Replay, call: StudentCall) -> Free:
    """Return which arguments of a call are free."""
    if call.lacks_objects:
        return NOTHING_FREE
    function = call.name if call.module is None else f"{call.name}.forward"
    given = dict(zip(replay.oracle.signatures[function], call.args, strict=False)) | call.kwargs
    whole = {name: value for name, value in given.items() if type(value) is int and value > 0}
    numbers = (
        name for name, value in whole.items() if call.module is None and _is_free(replay, call, given, name, value)
    )
    masks = (
        name for name, value in given.items() if _is_mask(value) and _may_be_left_out(replay, call, given, name, value)
    )
    return Free(frozenset(numbers), frozenset(masks))


def _is_free(replay: Replay, call: StudentCall, given: Mapping[str, Any], name: str, number: int) -> bool:
    """Whether other whole numbers give the same."""
    others = {1, 2, number + 1, 2 * number + 3} - {number}
    return _all_alike(replay, call, [given, *({**given, name: other} for other in others)])


def _is_mask(value: Any) -> bool:
    array = array_of(value)
    return array is not None and array.dtype == np.bool_ and array.ndim > 0


def _may_be_left_out(replay: Replay, call: StudentCall, given: Mapping[str, Any], name: str, mask: Any) -> bool:
    """Whether no mask at all gives the same as one that hides nothing; asked once for a parameter."""

    def asked() -> bool:
        whole = np.ones_like(np.asarray(array_of(mask)))
        opened = Tensor(whole) if isinstance(mask, Tensor) else whole
        return _all_alike(replay, call, [{**given, name: opened}, {**given, name: None}])

    return replay.kept(("mask may be left out", call.name, name), asked, instead=False)


def _all_alike(replay: Replay, call: StudentCall, ways: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a call has the same right answer with each of some arguments."""
    try:
        right, *others = (snapshot(replay.right(replace(call, args=(), kwargs=dict(given)))) for given in ways)
    except (ValueError, WireError):
        return False
    return all(alike(answer, right) for answer in others)
