"""Tensors that stay on the CPU are named by the line that makes them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from pretended_device import Pretended
from test_device_correct import COURSE, correct

from autograder.course.edits import apply_edits
from autograder.judge.stray_tensors import Stray, explain_devices, speaks_of_devices, strays_in
from autograder.sandbox.child import tensors_made
from autograder.sandbox.child.program import Program, describe
from autograder.sandbox.job import Frame, Trouble

MODEL = """
import torch

PLACES = torch.arange(8)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(8, 2)
        self.scale = torch.ones(8, 2)

    def forward(self, ids):
        {body}


def run(ids):
    return Model().to(ids.device)(ids)
"""
NAMED = {
    "return self.table(ids) + self.table(torch.arange(ids.shape[1]))": (
        "model.py, line 14: `torch.arange(ids.shape[1])` is made on the CPU, and its inputs may be on a GPU; "
        "say device=ids.device."
    ),
    "return self.table(ids) + self.scale": "line 11: `torch.ones(8, 2)` is made on the CPU",
    "return self.table(PLACES)": "line 4: `torch.arange(8)` is made on the CPU",
    "return self.table(ids).numpy()": "write .cpu() before .numpy()",
    "return torch.nn.utils.rnn.pack_padded_sequence(ids, ids[0])": "lengths.cpu()",
    "return torch.rand(len(PLACES), device=ids.device, generator=torch.Generator())": "draw with device=generator.device",
    "return 1 / 0": "",
}
# How torch says it where no pretended device does: by operation, by kind of device, by version.
SAID = (
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    (
        "Expected all tensors to be on the same device, but got index is on cpu, different from other tensors on cuda:0 (when "
        "checking argument in method wrapper_CUDA__index_select)"
    ),
    "indices should be either on cpu or on the same device as the indexed tensor (cuda:0)",
    "Input and hidden tensors are not at the same device, found input tensor at cuda:0 and hidden tensor at cpu",
    "expected self and mask to be on the same device, but got mask on cpu and self on cuda:0",
    (
        "Expected query, key, and value to have the same device type, but got query.device: cuda:0 key.device: cpu and "
        "value.device: cpu instead."
    ),
    "take(): self, index and out expected to be in the same device, but got self.device = cuda:0",
    "masked_fill_: Expected inputs to be on same device",
    "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same",
    "Placeholder storage has not been allocated on MPS device!",
)


def strays(text: str, label: str = "x.py") -> tuple[Stray, ...]:
    """Return what is found in a source."""
    return tuple(strays_in(tensors_made.read([(label, text.encode())])))


def trouble_of(text: str) -> Trouble:
    """Return what goes wrong when a model reads ids on the pretended device."""
    with Pretended():
        program = Program("model", notebook=False)
        program.load([("model.py", text)])
        with pytest.raises((RuntimeError, TypeError, ZeroDivisionError)) as raised:
            program.find("run")(torch.arange(8, device="cuda")[None])
    told = describe(raised.value, program.texts)
    return Trouble(told["type"], told["text"], tuple(Frame(*frame) for frame in told["frames"]))


@pytest.mark.parametrize("body", NAMED)
def test_what_stays_on_the_cpu_is_named(body: str) -> None:
    """With the student's own line."""
    text = MODEL.format(body=body)
    told = explain_devices(trouble_of(text), strays(text, "model.py"))
    assert NAMED[body] in told
    assert bool(told) == bool(NAMED[body])


@pytest.mark.parametrize("text", SAID)
def test_torch_has_many_words_for_it(text: str) -> None:
    """Each leads to the line that makes a tensor on the CPU."""
    trouble = Trouble("RuntimeError", text, (Frame("x.py", 2, "f"),))
    assert speaks_of_devices(trouble)
    assert "say device=x.device" in explain_devices(trouble, strays("def f(x):\n    return x + torch.arange(3)\n"))


def test_types_that_differ_are_no_devices() -> None:
    """On one device, too, a type may be another."""
    text = "Input type (torch.FloatTensor) and weight type (torch.DoubleTensor) should be the same"
    assert not speaks_of_devices(Trouble("RuntimeError", text))


def in_forward() -> Iterator[tuple[str, str]]:
    """Yield what is said of tensors made in the methods of the course's own correct modules."""
    for assignment in COURSE.values():
        if assignment.trainings and assignment.torch:
            for name, text in correct(assignment):
                for stray in strays(text):
                    if stray.function in ("forward", "encode", "decode", "step"):
                        yield f"{assignment.slug} {name}", stray.text


def test_correct_models_have_no_strays() -> None:
    """What computes on another device is not accused by its text."""
    assert not [*in_forward()]


def test_known_mistakes_leave_nothing_on_the_cpu() -> None:
    """One that has to fail in a training fails on a GPU for what it is, and not for where it makes a tensor."""
    left = []
    for assignment in COURSE.values():
        caught = {name for training in assignment.trainings for name in training.catches} if assignment.torch else set()
        usual = len(strays(assignment.reference))
        for mistake in (m for m in assignment.misconceptions if m.name in caught):
            text = apply_edits(assignment.reference, (mistake,)) or ""
            left += [f"{assignment.slug} {mistake.name}"] * (len(strays(text)) > usual)
    assert not left


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("torch.arange(n)", 1),
        ("torch.arange(n, device=x.device)", 0),
        ("torch.zeros(n).to(x)", 0),
        ("torch.ones(3, 3).tril().to(x.device)", 0),
        ("x[torch.arange(n)]", 0),
        ("torch.randint(9, (3,), generator=g)", 0),
        ("torch.tensor(-1e9)", 0),
        ("torch.zeros(())", 0),
        ("torch.zeros(n, **where)", 0),
        ("torch.zeros_like(x) + x.new_zeros(n)", 0),
        ("torch.cat([x, torch.tensor([n])])", 1),
    ],
)
def test_only_what_stays_is_found(text: str, found: int) -> None:
    """An index, a single number and what is moved at once do no harm."""
    assert len(strays(f"def f(x, n, g, where):\n    return {text}\n")) == found


@pytest.mark.parametrize(
    ("imported", "text", "found"),
    [
        ("import torch as t", "t.arange(n)", ["torch.arange(n)"]),
        ("from torch import arange as places, zeros", "places(n) + zeros(n, device=x.device)", ["torch.arange(n)"]),
        ("from torch import nn", "nn.Linear(n, n)", []),
        ("import torch", "torch.LongTensor([n, n])", ["torch.LongTensor([n, n])"]),
        ("import torch", "torch.ones(n).to(torch.float64)", ["torch.ones(n)"]),
        ("import torch", "torch.ones(n).to(x.device, torch.float64)", []),
        ("import torch", "torch.ones(n).to(x)", []),
    ],
)
def test_strays_are_found_whatever_torch_is_called(imported: str, text: str, found: list[str]) -> None:
    """They are told by their full names."""
    assert [stray.text for stray in strays(f"{imported}\n\ndef f(x, n):\n    return {text}\n")] == found


def test_what_is_no_python_has_none() -> None:
    """It is told elsewhere."""
    assert not strays("torch.( =")


def test_what_is_nested_too_deeply_has_none() -> None:
    """Python runs such a file; that nobody can walk through it is no fault of the grader."""
    assert not strays(f"x = {' + '.join(['1'] * 2000)}\ny = torch.ones(1)")


def test_what_a_reader_never_says_is_left_out() -> None:
    """A source may have brought it to say anything."""
    for said in (None, 7, [("x.py", 1)], [("x.py", "one", "", "", "", 0, 0)]):
        assert not [*strays_in(said)]
