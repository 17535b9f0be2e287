"""Answer with copies of torch modules that the reference makes once, where a known mistake changes nothing of how they are made.

To make a Transformer and to load its parameters is more than half the work of a call. A bank has hundreds of mistakes, nearly all
of them in what a module does and not in how it is made, and each is tried in dozens of calls.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType
from typing import Any

from autograder.course.spec import Misconception
from autograder.judge.trials import Trial
from autograder.oracle.calls_here import RANDOM, random_state, run_request, to_worker
from autograder.oracle.fresh_program import quiet
from autograder.oracle.functions_run import Body, FunctionsRun, noting_calls
from autograder.sandbox.child.module_call import load
from autograder.sandbox.child.program import Program, reseed
from autograder.sandbox.child.tree import imported_torch
from autograder.sandbox.job import Outcome

_PLAIN = {type(None), bool, int, float, str}
_HOLDERS = {dict, OrderedDict}


class UncopiedError(Exception):
    """A module holds what cannot be copied piece by piece."""


@dataclass(frozen=True)
class _Parts:
    """What a module holds by name: what is plain, the kinds of what is empty, and all else, which alone takes time to copy."""

    plain: Mapping[str, Any]
    empty: Mapping[str, type]
    rest: Mapping[str, Any]


@dataclass(frozen=True)
class _Made:
    """The modules of a trial's calls, None for a call of none, and the functions of the reference that making them runs."""

    modules: tuple[Any, ...]
    bodies: frozenset[Body]
    parts: dict[int, _Parts]  # by the id of the module, or of a module in it


class CopiedModules:
    """The modules of each trial, as the reference makes them; kept until the oracle goes."""

    def __init__(self, reference: Callable[[], Program], functions_run: FunctionsRun, file: str) -> None:
        self._reference, self._functions_run, self._file = reference, functions_run, file
        self._made: dict[Trial, _Made | None] = {}

    def answers(
        self, program: Program, mistakes: Collection[Misconception], trial: Trial
    ) -> tuple[Outcome, ...] | None:
        """Return what the reference with these mistakes answers in a trial; None where its modules have to be made for it.

        That is so where a mistake may be in how a module is made, where it cannot be copied, and where a call draws random
        numbers: to make a module draws some before.
        """
        edited = {self._functions_run.body_around(mistake) for mistake in mistakes}
        with RANDOM:
            made = self._of(trial)
            if made is None or None in edited or edited & made.bodies:
                return None
            seed = trial.requests[0].seed
            reseed(seed)
            before = random_state()
            outcomes = []
            for number, (request, module) in enumerate(zip(trial.requests, made.modules, strict=True)):
                copy = None if module is None else _Copier(self._reference(), program, made.parts).copy(module)
                outcomes.append(run_request(program, request, first=not number, made=copy))
            return tuple(outcomes) if random_state() == before else None

    def _of(self, trial: Trial) -> _Made | None:
        """Return a trial's modules; None where it has none, or they cannot be copied."""
        if trial not in self._made:
            try:
                self._made[trial] = self._make(trial)
            except Exception:  # noqa: BLE001 (whatever keeps a module from being made shows where it is made for the call)
                self._made[trial] = None
        return self._made[trial]

    def _make(self, trial: Trial) -> _Made | None:
        torch = imported_torch()
        if torch is None or not any(
            request.module and request.module["init"] is not None for request in trial.requests
        ):
            return None
        reference, modules, parts = self._reference(), list[Any](), dict[int, _Parts]()
        with noting_calls(self._file) as calls, quiet():
            for request in trial.requests:
                module = to_worker(request.module)
                if module is None or module["init"] is None:
                    modules.append(None)
                    continue
                made = reference.find(request.function)(*module["init"])
                if not isinstance(made, torch.nn.Module):
                    return None
                load(made, module)
                _Copier(reference, reference, parts).copy(made)
                _refuse_shared_memory(made)
                modules.append(made)
        return _Made(tuple(modules), self._functions_run.bodies_of(calls), parts)


def _refuse_shared_memory(module: Any) -> None:
    """Raise UncopiedError where two tensors of a module are parts of the same memory, or one is not all of its own."""
    tensors = {id(tensor): tensor for tensor in (*module.parameters(), *module.buffers())}.values()
    places = {tensor.untyped_storage().data_ptr() for tensor in tensors if tensor.numel()}
    if len(places) != sum(1 for tensor in tensors if tensor.numel()) or not all(t.is_contiguous() for t in tensors):
        raise UncopiedError


class _Copier:
    """Copies a module of one program as one of another program with the same classes."""

    def __init__(self, of: Program, program: Program, parts: dict[int, _Parts]) -> None:
        self._of, self._program, self._parts = of, program, parts
        self._copies: dict[int, Any] = {}
        self._torch: Any = imported_torch()

    def copy(self, value: Any) -> Any:
        """Return a copy that shares nothing with a module or what it holds. Raises UncopiedError where there can be none."""
        if id(value) not in self._copies:
            self._copies[id(value)] = self._copied(value, type(value))
        return self._copies[id(value)]

    def _copied(self, value: Any, kind: type) -> Any:
        torch = self._torch
        if kind is torch.nn.Parameter:
            return torch.nn.Parameter(value.detach().clone(), value.requires_grad)
        if kind in _HOLDERS:
            return kind({name: self.copy(part) for name, part in value.items()})
        if issubclass(kind, torch.nn.Module):
            return self._module(value, kind)
        if kind is torch.Tensor and value.is_leaf:
            return value.detach().clone().requires_grad_(value.requires_grad)
        if kind in (list, tuple, set):
            return kind(map(self.copy, value))
        of_torch = kind in (FunctionType, BuiltinFunctionType) and str(value.__module__).startswith("torch")
        if of_torch or kind in (*_PLAIN, torch.dtype, torch.device):
            return value
        raise UncopiedError

    def _module(self, module: Any, kind: type) -> Any:
        found: Any = object.__new__(self._class(kind) if kind.__module__ == self._of.module.__name__ else kind)
        self._copies[id(module)] = found  # a part may hold what it is a part of
        if id(module) not in self._parts:
            self._parts[id(module)] = _parts_of(module)
        parts = self._parts[id(module)]
        found.__dict__ = {
            **parts.plain,
            **{name: kind() for name, kind in parts.empty.items()},
            **{name: self.copy(part) for name, part in parts.rest.items()},
        }
        return found

    def _class(self, kind: type) -> type:
        """Return the class of the other program in place of one of the first."""
        name = kind.__qualname__
        if "<" in name or self._of.find(name) is not kind:
            raise UncopiedError
        return self._program.find(name)  # type: ignore[no-any-return]


def _parts_of(module: Any) -> _Parts:
    held = vars(module)
    plain = {name: part for name, part in held.items() if type(part) in _PLAIN}
    empty = {name: type(part) for name, part in held.items() if type(part) in _HOLDERS and not part}
    return _Parts(plain, empty, {name: part for name, part in held.items() if name not in plain and name not in empty})
