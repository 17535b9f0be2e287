"""Write the public cases as tests that a student can read.

The pytest file shows every input and result as a literal; otter's files only name the cases. Neither judges by itself: both
call the check that `check.py` runs.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from autograder.course.spec import Call, Module
from autograder.handout.kit.bundle import Bundle, trial_key
from autograder.judge.outcomes_alike import answers_of
from autograder.judge.trials import Trial
from autograder.sandbox.child.tree import Code, Opaque, Tensor, map_leaves

WIDTH = 100
DIGITS = 6  # of expected numbers, which tests compare with a tolerance
MANY = 16  # equal entries or more are written as `np.full`
_DEFAULTS = {"float64", "int64", "bool"}
_TORCH_DEFAULTS = {"float32", "int64", "bool"}


def pytest_file(bundle: Bundle) -> str:
    """Return the tests of all public cases for pytest."""
    assignment = bundle.assignment
    tests = "".join(_pytest_test(bundle, trial) for trial in bundle.trials)
    names = [name for name in ("Call", "Code", "Module", "call", "call_module") if re.search(rf"\b{name}\(", tests)]
    imports = ["import numpy as np"] * ("np." in tests) + ["import torch"] * ("torch." in tests)
    return (
        f'"""The worked examples of {assignment.slug}, for pytest.\n\n'
        "Each test shows calls of your code and what they should return; results are rounded. The verdicts and messages\n"
        'are those of python check.py, which runs all cases at once, in a process of its own.\n"""\n\n'
        + "".join(f"{line}\n" for line in imports)
        + f"\nfrom check import {', '.join(names)}\n"
        + tests
    )


def otter_file(bundle: Bundle, exercise: str, points: float) -> str:
    """Return an exercise's public cases in otter's exception format; otter reads it in the system's own encoding."""
    trials = bundle.trials_of(exercise)
    weight = sum(trial.case.weight for trial in trials)
    lines = [
        "OK_FORMAT = False",
        "",
        "from otter.test_files import test_case",
        "",
        "from check import examples",
        "",
        f"name = {exercise!r}",
        f"points = {points:g}",
    ]
    for trial in trials:
        case = trial.case
        lines += [
            "",
            "",
            f"@test_case(name={case.name!r}, points={round(points * case.weight / weight, 6):g}, hidden=False)",
            f"def test_{case.name}(env):",
            f"    {_docstring(case.claim)}",
            f"    examples.in_notebook(env, {trial_key(trial)!r})",
        ]
    return "\n".join(lines).encode("ascii", "backslashreplace").decode() + "\n"


def _pytest_test(bundle: Bundle, trial: Trial) -> str:
    case = trial.case
    names: dict[str, str] = {}
    calls = [_call(call, case.exercise, bundle.signatures, names) for call in trial.calls]
    values = [literal(_rounded(answer.value), 8) for answer in answers_of(bundle.expected(trial))]
    lines = [
        "",
        "",
        f"def test_{case.exercise}_{case.name}(example):",
        f"    {_docstring(case.claim)}",
        *(f"    {name} = {text}" for name, text in names.items()),
        *_listed("calls", calls),
        *_listed("expected", values),
        f"    example({trial_key(trial)!r}, calls, expected)",
    ]
    return "\n".join(lines) + "\n"


def _docstring(claim: str) -> str:
    text = claim.replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text} """' if text.endswith('"') else f'"""{text}"""'


def _listed(name: str, items: list[str]) -> Iterator[str]:
    line = f"    {name} = [{', '.join(items)}]"
    if len(line) <= WIDTH and "\n" not in line:
        yield line
        return
    yield f"    {name} = ["
    yield from (f"        {item}," for item in items)
    yield "    ]"


def _call(call: Call, exercise: str, signatures: Mapping[str, tuple[str, ...]], names: dict[str, str]) -> str:
    """Return a call as code; a long value gets a name, added to `names`."""
    parameters = signatures.get(call.path(exercise), ())
    given = [
        _named(parameters[i] if i < len(parameters) else f"argument_{i + 1}", a, names) for i, a in enumerate(call.args)
    ]
    given += [f"{name}={_named(name, value, names)}" for name, value in call.kwargs.items()]
    if call.function:
        args = literal_tuple(given[: len(call.args)])
        kwargs = ", ".join(f"{item.partition('=')[0]!r}: {item.partition('=')[2]}" for item in given[len(call.args) :])
        module = f", {_module(call.module, names)}" if call.module else ""
        return f"Call({args}, {{{kwargs}}}, {call.function!r}{module})"
    if call.module is not None:
        given.append(f"module={_module(call.module, names)}")
    return f"{'call' if call.module is None else 'call_module'}({', '.join(given)})"


def literal_tuple(items: list[str]) -> str:
    """Return a tuple as code."""
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _module(module: Module, names: dict[str, str]) -> str:
    """Return how to make a module as code, without default values."""
    plain = Module()
    parts = [f"init={literal(module.init, 8)}"] if module.init != plain.init else []
    parts += [f"state={_named('state', dict(module.state), names)}"] if module.state else []
    parts += [f"method={module.method!r}"] if module.method != plain.method else []
    parts += ["training=True"] if module.training else []
    parts += [f"cotangents={_named('cotangents', module.cotangents, names)}"] if module.cotangents else []
    return f"Module({', '.join(parts)})"


def _named(name: str, value: Any, names: dict[str, str]) -> str:
    """Return a short value as code, or a name that is added to `names` with the code."""
    text = literal(value, 4)
    if not isinstance(value, np.ndarray | Tensor | list | tuple | dict | Code) and len(text) < 40:
        return text
    name = f"{name}_" if keyword.iskeyword(name) or name in ("np", "torch", "calls", "expected") else name
    candidates = [name, *(f"{name}_{number}" for number in range(2, 1000))]
    free = next(c for c in candidates if names.get(c, text) == text)
    names[free] = text
    return free


def literal(value: Any, indent: int) -> str:
    """Return a value as code that makes it, broken into lines where it is long."""
    if isinstance(value, Tensor):
        dtype = str(value.array.dtype)
        kind = "" if dtype in _TORCH_DEFAULTS else f", dtype=torch.{dtype}"
        return _array("torch.tensor", "torch.full", value.array, kind, indent)
    if isinstance(value, np.ndarray):
        dtype = str(value.dtype)
        kind = "" if dtype in _DEFAULTS and value.size else f", dtype=np.{'bool_' if dtype == 'bool' else dtype}"
        return _array("np.array", "np.full", value, kind, indent)
    if isinstance(value, np.generic):
        return f"np.{value.dtype}({_scalar(value.item())})"
    if isinstance(value, Code):
        return f"Code({value.expression!r})"
    if isinstance(value, Opaque):
        return "..."
    if isinstance(value, list | tuple | dict):
        return _container(value, indent)
    return _scalar(value)


def _array(make: str, fill: str, array: np.ndarray, kind: str, indent: int) -> str:
    flat = array.reshape(-1)
    if array.size >= MANY and (flat == flat[0]).all():
        return f"{fill}({array.shape}, {_scalar(flat[0].item())}{kind})"
    if not array.size:
        return f"{make.replace('array', 'zeros').replace('tensor', 'zeros')}({array.shape}{kind})"
    return f"{make}({literal(_entries(array), indent)}{kind})"


def _entries(array: np.ndarray) -> Any:
    """Return an array as nested lists, each number in the shortest form that gives the same value."""
    if array.dtype.kind != "f" or array.dtype == np.float64:
        return array.tolist()
    return np.array([float(str(entry)) for entry in array.reshape(-1)]).reshape(array.shape).tolist()


def _container(value: Any, indent: int) -> str:
    opening, closing = ("{", "}") if isinstance(value, dict) else ("(", ")") if isinstance(value, tuple) else ("[", "]")
    inner = indent + 4
    if isinstance(value, dict):
        items = [f"{literal(key, inner)}: {literal(item, inner)}" for key, item in value.items()]
    else:
        items = [literal(item, inner) for item in value]
    line = ", ".join(items) + ("," if isinstance(value, tuple) and len(items) == 1 else "")
    if len(line) + indent <= WIDTH - 24 and "\n" not in line:
        return f"{opening}{line}{closing}"
    pad = " " * inner
    return opening + "\n" + "".join(f"{pad}{item},\n" for item in items) + " " * indent + closing


def _scalar(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "np.nan" if math.isnan(value) else ("np.inf" if value > 0 else "-np.inf")
    return repr(value)


def _rounded(tree: Any) -> Any:
    """Return a result with its numbers rounded to a few digits."""
    return map_leaves(_rounded_leaf, tree)


def _rounded_leaf(leaf: Any) -> Any:
    if isinstance(leaf, Tensor):
        return Tensor(_rounded_leaf(leaf.array))
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f":
        short = [float(f"{entry:.{DIGITS}g}") for entry in leaf.reshape(-1).tolist()]
        return np.array(short, leaf.dtype).reshape(leaf.shape)
    return float(f"{leaf:.{DIGITS}g}") if isinstance(leaf, float | np.floating) else leaf
