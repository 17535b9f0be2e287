"""Write the public cases as tests that a student can read.

The file shows every input and result as a literal. It does not judge by itself: it calls the check that `check.py` runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from autograder.course.language import marked, say
from autograder.course.spec import Call, Module
from autograder.handout.kit.bundle import Bundle
from autograder.judge.literals import WIDTH, literal, literal_tuple, named, rounded
from autograder.judge.outcomes_alike import answers_of
from autograder.judge.trials import Trial

_ABOUT = marked(
    "Each test shows calls of your code and what they should return; results are rounded. The verdicts and messages\n"
    "are those of python check.py, which runs all cases at once, in a process of its own."
)


def pytest_file(bundle: Bundle) -> str:
    """Return the tests of all public cases for pytest."""
    assignment = bundle.assignment
    tests = "".join(_pytest_test(bundle, trial) for trial in bundle.trials)
    names = [name for name in ("Call", "Code", "Module", "call", "call_module") if re.search(rf"\b{name}\(", tests)]
    imports = ["import numpy as np"] * ("np." in tests) + ["import torch"] * ("torch." in tests)
    return (
        f'"""{say("The worked examples of {slug}, for pytest.", slug=assignment.slug)}\n\n{say(_ABOUT)}\n"""\n\n'
        + "".join(f"{line}\n" for line in imports)
        + f"\nfrom check import {', '.join(names)}\n"
        + tests
    )


def _pytest_test(bundle: Bundle, trial: Trial) -> str:
    case = trial.case
    names: dict[str, str] = {}
    calls = [_call(call, case.exercise, bundle.signatures, names) for call in trial.calls]
    values = [literal(rounded(answer.value), 8) for answer in answers_of(bundle.expected(trial))]
    lines = [
        "",
        "",
        f"def test_{case.exercise}_{case.name}(example):",
        f"    {_docstring(case.claim)}",
        *(f"    {name} = {text}" for name, text in names.items()),
        *_listed("calls", calls),
        *_listed("expected", values),
        f"    example({trial.name!r}, calls, expected)",
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
        named(parameters[i] if i < len(parameters) else f"argument_{i + 1}", a, names) for i, a in enumerate(call.args)
    ]
    given += [f"{name}={named(name, value, names)}" for name, value in call.kwargs.items()]
    if call.function:
        args = literal_tuple(given[: len(call.args)])
        kwargs = ", ".join(f"{item.partition('=')[0]!r}: {item.partition('=')[2]}" for item in given[len(call.args) :])
        module = f", {_module(call.module, names)}" if call.module else ""
        return f"Call({args}, {{{kwargs}}}, {call.function!r}{module})"
    if call.module is not None:
        given.append(f"module={_module(call.module, names)}")
    return f"{'call' if call.module is None else 'call_module'}({', '.join(given)})"


def _module(module: Module, names: dict[str, str]) -> str:
    """Return how to make a module as code, without default values."""
    plain = Module()
    parts = [f"init={literal(module.init, 8)}"] if module.init != plain.init else []
    parts += [f"state={named('state', dict(module.state), names)}"] if module.state else []
    parts += [f"method={module.method!r}"] if module.method != plain.method else []
    parts += ["training=True"] if module.training else []
    parts += [f"cotangents={named('cotangents', module.cotangents, names)}"] if module.cotangents else []
    parts += [f"before={named('before', module.before, names)}"] if module.before else []
    return f"Module({', '.join(parts)})"
