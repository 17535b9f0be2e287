"""Predict, then run: an assignment's experiment, on the student's own code, is run only after its outcome was predicted.

`experiment.py` beside the student's file says what is asked (ASKS), what is varied (SETTINGS), what is measured (MEASURED) and
why to look (WHY), and yields a number for each setting from `measure(student)`. The prediction is kept beside it, and stays
once the experiment has run: comparing the two is what there is to learn.
"""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.course.language import marked, say, say_many, speaking
from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.bundle import BundleError, language_of, read_bundle
from autograder.judge.messages import explain_trouble
from autograder.sandbox.child.program import Program, describe
from autograder.sandbox.job import Frame, Source, Trouble
from autograder.submission.archives import UnreadableError
from autograder.submission.several_files import read_work
from autograder.submission.which_file import worked_in
from autograder.submission.written_exercises import Stub

KEPT = ".prediction.json"  # beside the experiment: what was predicted, and whether it has run
WIDTH = 88
_NEAR = 1.5  # a prediction within this factor counts as near


def predict_then_run(folder: Path, experiment: Any, arguments: Sequence[str]) -> int:
    """Run `python experiment.py` and return the exit code: 0 done, 1 the student's code breaks, 2 wrong use."""
    with speaking(language_of(folder / "engine")):
        return _done(folder, experiment, arguments)


def _done(folder: Path, experiment: Any, arguments: Sequence[str]) -> int:
    try:
        match arguments:
            case ["predict", *numbers]:
                _predict(folder, experiment.SETTINGS, numbers)
                print(say("Kept. Now see what happens: python experiment.py run"))
            case ["run"]:
                return _run(folder, experiment)
            case _:
                print(_asked(experiment))
    except (BundleError, CheckError, UnreadableError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _asked(experiment: Any) -> str:
    lines = [*textwrap.wrap(experiment.ASKS, WIDTH), "", say("Predict {measured}:", measured=experiment.MEASURED)]
    lines += [f"  {number}. {setting}" for number, setting in enumerate(experiment.SETTINGS, start=1)]
    places = " ".join(say("NUMBER_{n}", n=number) for number in range(1, len(experiment.SETTINGS) + 1))
    return "\n".join([*lines, "", f"    python experiment.py predict {places}", "    python experiment.py run"])


def _predict(folder: Path, settings: Sequence[str], numbers: Sequence[str]) -> None:
    """Keep a prediction. Raises CheckError where it is none, or comes after the run."""
    if _kept(folder, len(settings)).get("ran"):
        raise CheckError(
            say("You have seen what happens, so your prediction stays: python experiment.py run shows both.")
        )
    try:
        values = [float(number) for number in numbers]
    except ValueError:
        values = []
    if len(values) != len(settings) or not all(map(math.isfinite, values)):
        raise CheckError(
            say_many(
                "Predict {n} number, for: {settings}.",
                "Predict {n} numbers, one for each of: {settings}.",
                len(settings),
                settings=", ".join(settings),
            )
        )
    _keep(folder, {"predicted": values})


def _run(folder: Path, experiment: Any) -> int:
    """Measure, and show the prediction beside it. Raises CheckError where there is no prediction."""
    kept = _kept(folder, len(experiment.SETTINGS))
    if not kept:
        first = say("Predict first; the run shows your prediction beside what happened.")
        raise CheckError(f"{first}\n\n{_asked(experiment)}")
    stub = Stub.of(read_bundle(folder / "engine").assignment)
    path, _ = worked_in(folder, stub, deep=True)
    source = read_work(path, stub)
    program = Program(source.module, source.notebook, dict(source.homes))
    try:
        program.load([(chunk.label, chunk.text) for chunk in source.chunks])
        happened = [float(value) for value in experiment.measure(program.module)]
    except Exception as error:  # noqa: BLE001 (it is the student's code)
        print(_broken(error, program, source), file=sys.stderr)
        return 1
    _keep(folder, {**kept, "ran": True})
    print("\n".join(_compared(experiment, kept["predicted"], happened)))
    return 0


def _compared(experiment: Any, predicted: Sequence[float], happened: Sequence[float]) -> Iterator[str]:
    """Yield the prediction beside what happened, a line for each setting, and why to look."""
    setting, *columns = say("setting"), say("predicted"), say("happened")
    wide = max(map(len, (setting, *experiment.SETTINGS)))
    yield f"{experiment.MEASURED[:1].upper()}{experiment.MEASURED[1:]}:"
    yield f"  {setting:<{wide}}  {columns[0]:>10}  {columns[1]:>10}"
    for setting, mine, real in zip(experiment.SETTINGS, predicted, happened, strict=True):
        yield f"  {setting:<{wide}}  {mine:>10.3g}  {real:>10.3g}   {_apart(mine, real)}".rstrip()
    yield ""
    yield from textwrap.wrap(experiment.WHY, WIDTH)


def _apart(predicted: float, happened: float) -> str:
    """Say how far a prediction is off; nothing where a factor says nothing."""
    if predicted * happened <= 0:
        return ""
    factor = max(predicted / happened, happened / predicted)
    if factor <= _NEAR:
        return say("near")
    large = abs(predicted) > abs(happened)
    if factor < 100:
        told = marked("{factor:.1f} times too large") if large else marked("{factor:.1f} times too small")
        return say(told, factor=factor)
    told = marked("{powers:.0f} powers of ten too large") if large else marked("{powers:.0f} powers of ten too small")
    return say(told, powers=math.log10(factor))


def _broken(error: Exception, program: Program, source: Source) -> str:
    told = describe(error, program.texts)
    frames = tuple(Frame(*frame) for frame in told["frames"])
    said = explain_trouble(Trouble(told["type"], told["text"], frames), source).text
    return f"{say('The experiment runs on your own code, which breaks here. Does python check.py pass?')}\n{said}"


def _kept(folder: Path, count: int) -> dict[str, Any]:
    """Return the prediction that is kept, or nothing."""
    try:
        kept = json.loads((folder / KEPT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    predicted = kept.get("predicted") if isinstance(kept, dict) else None
    whole = isinstance(predicted, list) and len(predicted) == count and all(isinstance(n, float) for n in predicted)
    return kept if whole else {}


def _keep(folder: Path, kept: dict[str, Any]) -> None:
    try:
        (folder / KEPT).write_text(json.dumps(kept), encoding="utf-8")
    except OSError as error:
        told = marked("{path} cannot be written ({error}); predictions are kept there.")
        raise CheckError(say(told, path=folder / KEPT, error=error)) from None
