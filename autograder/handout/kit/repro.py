"""Write a case's calls as a program that runs beside the student's file."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from autograder.course.language import say
from autograder.course.spec import Call, Module
from autograder.judge.calls_as_text import Signatures
from autograder.judge.literals import literal, named
from autograder.judge.outcomes_alike import answers_of
from autograder.judge.trials import Small, Trial
from autograder.sandbox.child.leaf import Tensor
from autograder.sandbox.child.tree import Code, array_of, leaves
from autograder.sandbox.job import Source

WIDTH = 79  # of the comment above it
_GRADIENTS = "dict(output=output, input_grads=input_grads, param_grads=param_grads)"


def repro(source: Source, small: Small, signatures: Signatures, about: str) -> str:
    """Return the program: every input with all its digits, the calls, and both answers; `about` says what it shows."""
    body = "\n".join(_body(small, signatures))
    libraries = {"numpy as np": "np.", "math": "math.", "torch": "torch."}
    imports = [f"import {name}" for name, use in libraries.items() if re.search(rf"(?<![\w.]){re.escape(use)}", body)]
    called = dict.fromkeys((call.function or small.trial.case.exercise).partition(".")[0] for call in small.trial.calls)
    homes = {file: file.removesuffix(".py") for file in dict(source.homes).values()}
    modules = {name: homes.get(dict(source.homes).get(name, ""), source.module) for name in called}
    own = [
        f"from {module} import {', '.join(name for name in called if modules[name] == module)}"
        for module in dict.fromkeys(modules.values())
    ]
    files = ", ".join(f"{module}.py" for module in dict.fromkeys(modules.values()))
    where = say("Save this beside {file} to run it.", file=files)
    if source.notebook:
        own, where = [], say("Run this in a cell of your notebook, after your own cells.")
    lines = [where, *about.splitlines()]
    told = (textwrap.fill(line, WIDTH, initial_indent="# ", subsequent_indent="# ") for line in lines)
    return "\n".join([*told, "", *imports, *own, "", body])


def _body(small: Small, signatures: Signatures) -> Iterator[str]:
    trial = small.trial
    names: dict[str, str] = {}
    calls = [list(_made(call, trial, signatures, names)) for call in trial.calls]
    yield from (f"{name} = {text}" for name, text in names.items())
    if any("torch." in text for text in (*names.values(), *itertools.chain(*calls))):
        yield f"torch.manual_seed({trial.requests[0].seed})"
    for lines, answer in zip(calls, answers_of(small.expected), strict=True):
        yield ""
        yield from lines
        yield f'print("{say("yours")}", yours, sep="\\n")'
        yield f"expected = {literal(answer.value, 0)}"
        yield f'print("{say("expected")}", expected, sep="\\n")'


def _made(call: Call, trial: Trial, signatures: Signatures, names: dict[str, str]) -> Iterator[str]:
    """Yield the lines that make a call and name its result `yours`; values get names, added to `names`."""
    parameters = signatures.get(call.path(trial.case.exercise), ())
    given = {parameters[i] if i < len(parameters) else f"argument_{i + 1}": value for i, value in enumerate(call.args)}
    args = [_named(name, value, names) for name, value in given.items()]
    args += [f"{name}={_named(name, value, names)}" for name, value in call.kwargs.items()]
    function = call.function or trial.case.exercise
    module = call.module
    if module is None:
        yield f"yours = {function}({', '.join(args)})"
    elif module.cotangents:
        yield from _with_gradients(module, function, args[: len(call.args)], args, call.args, names)
    else:
        is_torch = _is_torch(module, call)
        yield from _constructed(module, function, names, is_torch=is_torch)
        if is_torch:
            yield "with torch.no_grad():"
        yield f"{'    ' * is_torch}yours = {_method(module)}({', '.join(args)})"
    if trial.case.check.sees_arguments:
        yield f"print({say('arguments afterwards')!r}, {', '.join(args[: len(call.args)])}, sep='\\n')"


def _constructed(module: Module, name: str, names: dict[str, str], *, is_torch: bool = True) -> Iterator[str]:
    """Yield the lines that make a module, or another object, as the case does."""
    yield f"module = {name}({', '.join(literal(value, 0) for value in module.init or ())})"
    if is_torch:
        yield f"module.load_state_dict({_named('state', dict(module.state), names)}, strict=False)"
        yield f"module.train({module.training})"
    if module.before:
        before = (_named(f"before_{number}", value, names) for number, value in enumerate(module.before, 1))
        yield f"{'with torch.no_grad():  ' * is_torch}# {say('an earlier call of the same module')}"
        yield f"{'    ' * is_torch}{_method(module)}({', '.join(before)})"


def _is_torch(module: Module, call: Call) -> bool:
    """Whether a module has parameters or takes tensors; another object is neither loaded nor told whether it trains."""
    given = leaves([module.init, module.before, call.args, dict(call.kwargs)])
    return bool(module.state or module.cotangents) or any(isinstance(leaf, Tensor) for leaf in given)


def _method(module: Module) -> str:
    """Return what is called of a module: its name alone where that is `forward`."""
    return "module" + f".{module.method}" * (module.method != "forward")


def _with_gradients(
    module: Module,
    function: str,
    inputs: Sequence[str],
    args: Sequence[str],
    values: Sequence[Any],
    names: dict[str, str],
) -> Iterator[str]:
    """Yield the lines that call something and send gradients back through it."""
    target, parameters = function, "{}"
    if module.init is not None:
        yield from _constructed(module, function, names)
        target = _method(module)
        parameters = "{name: p.grad for name, p in module.named_parameters()}"
    gradients = []
    for name, value in zip(inputs, values, strict=True):
        if not _is_followed(value):
            gradients.append(repr(_nothing(value)))
        elif array_of(value) is not None:
            yield f"{name}.requires_grad_()"
            gradients.append(f"{name}.grad")
        else:
            yield f"[part.requires_grad_() for part in {name}]"
            gradients.append(f"[part.grad for part in {name}]")
    yield f"output = {target}({', '.join(args)})"
    yield f"cotangents = {_named('cotangents', tuple(leaves(module.cotangents)), names)}"
    yield "outputs = output if isinstance(output, (tuple, list)) else (output,)"
    if any(isinstance(cotangent, tuple | list) for cotangent in module.cotangents):
        yield "outputs = [o for part in outputs for o in (part if isinstance(part, (tuple, list)) else (part,))]"
    yield "sum((o * c).sum() for o, c in zip(outputs, cotangents)).backward()"
    yield f"input_grads = [{', '.join(gradients)}]"
    yield f"param_grads = {parameters}"
    yield f"yours = {_GRADIENTS}"


def _nothing(value: Any) -> Any:
    """Return None for what has no gradient, in the lists in which it stands."""
    return [_nothing(part) for part in value] if isinstance(value, tuple | list) else None


def _is_followed(value: Any) -> bool:
    """Whether an argument is a floating tensor, or holds nothing else."""
    arrays = [array_of(leaf) for leaf in leaves(value)]
    return bool(arrays) and all(array is not None and array.dtype.kind == "f" for array in arrays)


def _named(name: str, value: Any, names: dict[str, str]) -> str:
    """Return a value as `named` does; a function or a generator as code that makes it for each call."""
    return value.expression if isinstance(value, Code) else named(name, value, names)
