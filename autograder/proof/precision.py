"""Trials in the other precision: float64 inputs as float32, and those of torch, which are float32, as float64."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.spec import Call
from autograder.judge.trials import Trial, make_trial

_OTHER = {np.dtype(np.float64): np.float32, np.dtype(np.float32): np.float64}


@contextmanager
def double_precision() -> Iterator[None]:
    """Let torch make float64 parameters where a module makes its own."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        yield
        return
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(usual)


def other_precision(trial: Trial, seed: int) -> Trial:
    """Return the trial with every floating input in the other precision."""
    return make_trial(trial.case, tuple(map(_call, trial.calls)), seed)


def _call(call: Call) -> Call:
    module = call.module
    if module is not None:
        module = replace(module, state=_cast(module.state), cotangents=_cast(module.cotangents))
    return replace(call, args=_cast(call.args), kwargs=_cast(call.kwargs), module=module)


def _cast(tree: Any) -> Any:
    """Return a tree of arguments whose floating arrays are of the other precision."""
    if isinstance(tree, tuple | list):
        return type(tree)(map(_cast, tree))
    if isinstance(tree, Mapping):
        return {key: _cast(value) for key, value in tree.items()}
    if isinstance(tree, np.ndarray) and tree.dtype in _OTHER:
        return tree.astype(_OTHER[tree.dtype])
    torch: Any = sys.modules.get("torch")
    if torch is not None and torch.is_tensor(tree) and tree.is_floating_point():
        return tree.detach().to(torch.float32 if tree.dtype == torch.float64 else torch.float64)
    return tree
