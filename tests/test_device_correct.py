"""Every harness, reference and correct solution computes on a device of another kind, which refuses to mix: no tensor stays behind."""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pretended_device import Pretended

from autograder.course.catalog import CORRECT, UNUSUAL, load_assignment, replacements_in
from autograder.course.places import slugs
from autograder.course.spec import Assignment, Training
from autograder.oracle.calls_here import to_worker
from autograder.oracle.device_choice import takes_device
from autograder.oracle.larger_run import figures
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.module_call import make_call
from autograder.sandbox.child.program import Program, reseed
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome, Request

ROOT = Path(__file__).parents[1]
COURSE = {slug: load_assignment(ROOT, slug) for slug in slugs(ROOT)}
TRAININGS = [
    (a, t) for a in COURSE.values() for own in a.trainings for t in (own, own.larger) if t and takes_device(a, t)
]
# Where a harness's arguments hold what is asked after the training, and six rows of it are enough.
HELD_OUT = {
    ("a4_seq2seq", "train_reverse"): (3, 4),
    ("a7_transformer", "train_reverse"): (2,),
    ("a8_language_model", "train_sort"): (3, 4),
    ("a8_language_model", "train_shakespeare"): (4, 5),
    ("a8_language_model", "train_large"): (),
    ("a9_modern_lm", "train_counting"): (2, 3),
}
# How many correct solutions have to be trained where it is not 21: a9 has few.
FEWEST = {"a9_modern_lm": 6}
TOO_SLOW = {"a9_modern_lm": ("correct/loops",)}  # its loss goes through single numbers


def correct(assignment: Assignment) -> Iterator[tuple[str, str]]:
    """Yield the course's own correct solutions of an assignment: the reference, and other ways and unusual ones to write it."""
    yield "reference", assignment.reference
    for folder in (CORRECT, UNUSUAL):
        others = replacements_in(ROOT, assignment.slug, folder)
        assert others
        yield from ((f"{folder}/{other.name}", f"{assignment.reference}\n{other.source}") for other in others)


def loaded(assignment: Assignment, text: str) -> Program:
    """Return a solution as a program."""
    program = Program(Path(assignment.file).stem, notebook=False)
    program.load([(assignment.file, text)])
    assert not program.notes
    return program


def small(training: Training, args: tuple[Any, ...], *, half: bool = False) -> tuple[Any, ...]:
    """Return a training's arguments; those of the large one for a tiny model, in full precision unless asked."""
    if training.function != "train_large":
        return args
    (vocab, *_), _, _, seed, data, begun, uniforms, held_out, changed = args
    return (vocab, 16, 24, 2, 48, 2), 4, half, seed, data, begun, uniforms[:, :20], held_out[:6, :16], changed[:6, :16]


def first_loss(assignment: Assignment, training: Training, text: str, device: str) -> Any:
    """Train one step on a device, go through all that comes after, and return the loss."""
    short = HELD_OUT[assignment.slug, training.function]
    args = [value[:6] if place in short else value for place, value in enumerate(small(training, training.args(0)))]
    program, where = loaded(assignment, text), {} if device == "cpu" else {"device": device}
    reseed(1)
    value = program.harnessed(assignment.harness, training.function)(
        program.module, lambda *_: None, 1, *to_worker(args), **where
    )
    return torch.as_tensor(value["losses"]).tolist()[0]


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Let solutions print and warn, with one thread; what they set in torch, as `strict_and_anxious.py` does, ends with them."""
    threads, deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    anomaly = torch.is_anomaly_enabled()
    torch.set_num_threads(1)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(deterministic)
        torch.autograd.set_detect_anomaly(anomaly)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("assignment", "training"), TRAININGS, ids=lambda part: getattr(part, "slug", None) or part.exercise
)
def test_correct_solutions_train_on_another_device(assignment: Assignment, training: Training) -> None:
    """None mixes devices, and the first loss is the CPU's."""
    with alone():
        expected = first_loss(assignment, training, assignment.reference, "cpu")
        refused, slow = {}, TOO_SLOW.get(assignment.slug, ())
        trained = {name: text for name, text in correct(assignment) if name not in slow}
        for name, text in trained.items():
            with Pretended():
                try:
                    loss = first_loss(assignment, training, text, "cuda")
                    assert loss == pytest.approx(expected, rel=1e-6)
                except (RuntimeError, TypeError) as error:
                    refused[name] = str(error)
    assert len(trained) >= FEWEST.get(assignment.slug, 21)
    assert not refused


@pytest.mark.slow
def test_the_large_model_learns_in_half_precision() -> None:
    """Every correct solution trains it so, at a tiny size, and what comes of it can be measured as the large run's is."""
    assignment = COURSE["a8_language_model"]
    large = next(t.larger for t in assignment.trainings if t.larger)
    args = small(large, large.args(0), half=True)
    assert [metric.name for metric in large.metrics if metric.has_band] == ["validation_loss", "look_ahead"]
    found = {}
    with alone():
        for name, text in correct(assignment):
            program = loaded(assignment, text)
            harness = program.harnessed(assignment.harness, large.function)
            value = harness(program.module, lambda *_: None, 25, *to_worker(args))
            losses, moved = as_arrays(value["losses"]), {}
            numbers = (as_arrays(list(args)), as_arrays(value))
            for metric in large.metrics[2:]:
                moved[metric.name] = metric.measure(*numbers)
            found[name] = (losses[0], losses[-1], moved)
    first, last, _ = found["reference"]
    assert last < first
    for name, (one, other, moved) in found.items():
        assert one == pytest.approx(first, rel=0.05), name  # sums of their own are in bfloat16, too
        assert other == pytest.approx(last, rel=0.1), name
        assert moved["look_ahead"] < 1e-3, name
        assert 0 <= moved["words_that_exist"] <= 1, name


@pytest.mark.slow
def test_half_precision_learns_as_full_does() -> None:
    """The weights are rounded in every step; a model that used the first step's to the end would learn next to nothing."""
    assignment = COURSE["a8_language_model"]
    large = next(t.larger for t in assignment.trainings if t.larger)
    program = loaded(assignment, assignment.reference)
    harness = program.harnessed(assignment.harness, large.function)
    with alone():
        full, half = (
            as_arrays(harness(program.module, lambda *_: None, 120, *to_worker(small(large, large.args(0), half=half))))
            for half in (False, True)
        )
    assert full["losses"][-1] < 0.85 * full["losses"][0]
    assert half["losses"][-1] == pytest.approx(full["losses"][-1], rel=0.02)
    assert half["logits"] == pytest.approx(full["logits"], abs=0.3)


def test_the_large_model_is_measured_at_its_own_size() -> None:
    """One that knows nothing has the logarithm of 63 as its loss, moves nowhere and writes nothing."""
    large = next(t.larger for a in COURSE.values() for t in a.trainings if t.larger)
    args = as_arrays(list(large.args(0)))
    nothing = {
        "logits": np.zeros((128, 256, 63)),
        "changed": np.zeros((16, 256, 63)),
        "written": np.zeros((1, 401), int),
    }
    nothing["logits"][..., 0] = nothing["changed"][..., 0] = 1e-6
    found = figures(large, tuple(args), Outcome(Ending.RETURNED, nothing))
    assert found["validation_loss"] == pytest.approx(math.log(63), abs=1e-5)
    assert found["last_characters"] == pytest.approx(math.log(63), abs=1e-5)
    assert (found["look_ahead"], found["words_that_exist"]) == (0, 0)


class Across:
    """A case's own function or object, which computes on the CPU, as something that takes and gives tensors of a device."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it on the CPU."""
        return moved(self._inner(*moved(args, "cpu"), **moved(kwargs, "cpu")), "cuda")

    def __getattr__(self, name: str) -> Any:
        """Return what it has, on the device."""
        return moved(getattr(self._inner, name), "cuda")


def moved(tree: Any, device: str) -> Any:
    """Return a tree of arguments on a device."""
    if type(tree) in (list, tuple):
        return type(tree)(moved(part, device) for part in tree)
    if type(tree) is dict:
        return {key: moved(part, device) for key, part in tree.items()}
    if isinstance(tree, torch.Tensor) or (isinstance(tree, torch.nn.Module) and [*tree.parameters()]):
        return tree.to(device)
    return Across(tree) if device != "cpu" and callable(tree) else tree


def called(program: Program, request: Request) -> None:
    """Make a case's call with all that it is given on the device."""
    args, kwargs, module = to_worker((list(request.args), dict(request.kwargs), request.module))
    args, kwargs, found = moved(args, "cuda"), moved(kwargs, "cuda"), program.find(request.function)
    if module is None:
        found(*args, **kwargs)
        return
    made: Callable[..., Any] = found if module["init"] is None else lambda *init: found(*init).to("cuda")
    there = {**module, **{part: moved(module[part], "cuda") for part in ("state", "cotangents", "before")}}
    make_call(made, there, args, kwargs)


@pytest.mark.parametrize("slug", [slug for slug, assignment in COURSE.items() if assignment.torch])
def test_references_compute_on_another_device(slug: str) -> None:
    """Every case of a torch exercise runs where its inputs are."""
    assignment = replace(COURSE[slug], trainings=())
    refused: dict[str, str] = {}
    with alone(), Pretended():
        program = loaded(assignment, assignment.reference)
        for trial in Oracle(assignment, 0).trials:
            for request in trial.requests:
                if request.function in ("quiz", "debugging_lab") or not _holds_tensors(request):
                    continue
                reseed(request.seed)
                try:
                    called(program, request)
                except (RuntimeError, TypeError) as error:
                    refused[f"{trial.case.exercise}.{trial.case.name}"] = str(error)
    assert not refused


def _holds_tensors(request: Request) -> bool:
    """Whether a call is about tensors: a3 begins in numpy."""
    return request.module is not None or "array" not in str([type(value) for value in request.args])
