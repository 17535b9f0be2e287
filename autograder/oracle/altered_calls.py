"""What the reference answers for a case's calls with an argument left out, changed or confused with another.

A student's answer that is right for other arguments says which argument the code ignores or confuses. Only the reference is
called so, in the trusted process; each answer is computed once for a class.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.spec import Call
from autograder.judge.trials import Trial, make_trial
from autograder.oracle.calls_here import run_requests
from autograder.oracle.reference import Reference
from autograder.oracle.step_limit import limited_steps
from autograder.sandbox.child.tree import Tensor, array_of
from autograder.sandbox.job import Outcome

Change = tuple[str, ...]
MOST = 40  # changes of one trial
MOST_PARAMETERS = 12  # of a module; what is larger is slow, and its parts are exercises of their own
CHANGES: dict[str, Callable[[Any], np.ndarray]] = {
    "all_true": np.ones_like,
    "inverted": np.logical_not,
    "all_false": np.zeros_like,
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "doubled": lambda array: 2 * array,
    "negated": np.negative,
    "turned": lambda array: array.swapaxes(-1, -2),
    "backwards": lambda array: np.flip(array, 0),
    "backwards_in_time": lambda array: np.flip(array, 1),
}
_KINDS = {
    "b": ("all_true", "inverted", "all_false"),
    "f": ("zeros", "ones", "doubled", "negated", "backwards", "backwards_in_time"),
    "i": ("backwards", "backwards_in_time"),
}
_AXES_NEEDED = {"backwards": 1, "backwards_in_time": 2}


def alterations(oracle: Reference, trial: Trial) -> tuple[Change, ...]:
    """Return the changes that at least one call of a trial allows, the likeliest first."""
    if trial not in oracle.alterations_of:
        found = dict.fromkeys(change for call in trial.calls for change in _changes(oracle, trial, call))
        oracle.alterations_of[trial] = tuple(found)[:MOST]
    return oracle.alterations_of[trial]


def altered(oracle: Reference, trial: Trial, change: Change) -> tuple[Outcome, ...] | None:
    """Return the outcomes of a trial of which every call that allows it is changed; None where none does."""
    key = trial, change
    if key not in oracle.altered_answers:
        calls = tuple(_changed(oracle, trial, call, change) for call in trial.calls)
        same = all(new is old for new, old in zip(calls, trial.calls, strict=True))
        requests = make_trial(trial.case, calls, oracle.seed).requests
        with limited_steps():
            oracle.altered_answers[key] = None if same else run_requests(oracle.reference(), requests)
    return oracle.altered_answers[key]


def _changes(oracle: Reference, trial: Trial, call: Call) -> Iterator[Change]:
    """Yield the changes of the arguments that are arrays or flags, then those of a module's parameters."""
    args = {name: value for name, value in _named(oracle, trial, call).items() if value is not None}
    for name, value in args.items():
        if name in call.kwargs or name == list(args)[-1]:
            yield "without", name
        if isinstance(value, bool):
            yield "opposite", name
    yield from _changes_of(args)
    if call.module and call.module.init is not None and len(call.module.state) <= MOST_PARAMETERS:
        yield ("other_mode",)
        yield from ((f"state_{kind}", *names) for kind, *names in _changes_of(call.module.state))


def _changes_of(values: Mapping[str, Any]) -> Iterator[Change]:
    arrays = {name: array for name, value in values.items() if (array := array_of(value)) is not None and array.size}
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not array.any():
            continue
        kinds = _KINDS.get(array.dtype.kind, ())
        yield from ((kind, name) for kind in kinds if array.ndim >= _AXES_NEEDED.get(kind, 0))
        if array.ndim > 1 and array.shape[-1] == array.shape[-2]:
            yield "turned", name
    for one, other in itertools.combinations(arrays, 2):
        if arrays[one].shape == arrays[other].shape and arrays[one].dtype == arrays[other].dtype:
            yield "instead", one, other
            yield "instead", other, one
            yield "exchanged", one, other


def _changed(oracle: Reference, trial: Trial, call: Call, change: Change) -> Call:
    """Return a call with a change, or the call itself where it does not allow it."""
    if change not in set(_changes(oracle, trial, call)):
        return call
    kind, *names = change
    module = call.module
    if module and kind == "other_mode":
        return replace(call, module=replace(module, training=not module.training))
    if module and kind.startswith("state_"):
        state = _with_change(module.state, kind.removeprefix("state_"), names)
        return replace(call, module=replace(module, state=state))
    named = _named(oracle, trial, call)
    if kind == "without":
        kept = {name: value for name, value in call.kwargs.items() if name != names[0]}
        return replace(call, args=call.args if names[0] in call.kwargs else call.args[:-1], kwargs=kept)
    new = _with_change(named, kind, names)
    args = tuple(new[name] for name in list(named)[: len(call.args)])
    return replace(call, args=args, kwargs={name: new[name] for name in call.kwargs})


def _named(oracle: Reference, trial: Trial, call: Call) -> dict[str, Any]:
    """Return a call's arguments by the names of their parameters, or by their numbers where more are given."""
    parameters = oracle.signatures.get(call.path(trial.case.exercise), ())
    numbers = (f"argument {number}" for number in itertools.count(len(parameters) + 1))
    return dict(zip(itertools.chain(parameters, numbers), call.args, strict=False)) | dict(call.kwargs)


def _with_change(values: Mapping[str, Any], kind: str, names: list[str]) -> dict[str, Any]:
    one, other = names[0], names[-1]
    if kind == "exchanged":
        return {**values, one: values[other], other: values[one]}
    if kind == "instead":
        return {**values, other: values[one]}
    if kind == "opposite":
        return {**values, one: not values[one]}
    array = array_of(values[one])
    new = np.ascontiguousarray(CHANGES[kind](array))
    return {**values, one: new if isinstance(values[one], np.ndarray) else Tensor(new)}
