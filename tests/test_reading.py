"""What is found out from a student's source without running it, and that the grader's own process never parses it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hostile_support import CALLS, COURSE, oracle_of

from autograder.course.catalog import load_assignment
from autograder.course.spec import Shortcut, Status
from autograder.judge import read_in_sandbox
from autograder.judge.forbidden import UNREADABLE, Reading
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Chunk, Ending, Job, JobResult, Outcome, Sandbox, Source
from autograder.sandbox.process import ProcessSandbox

MARK = "THIS IS THE STUDENT'S"
_compiled: list[str] = []
_listening: list[bool] = []


def _listen(event: str, arguments: tuple[object, ...]) -> None:
    """Note every text that this process parses or compiles; a hook like this one stays for good."""
    if event == "compile" and _listening:
        text = arguments[0]
        _compiled.append(text.decode(errors="replace") if isinstance(text, bytes) else str(text))


sys.addaudithook(_listen)


@contextmanager
def parsed_here() -> Iterator[list[str]]:
    """Collect the marked texts that this process parses meanwhile."""
    found: list[str] = []
    _compiled.clear()
    _listening.append(True)
    try:
        yield found
    finally:
        _listening.clear()
        found += [text for text in _compiled if MARK in text]


def source(text: str) -> Source:
    """Make a submission of one file."""
    return Source("calls", (Chunk("calls.py", f"# {MARK}\n{text}"),))


def test_no_student_code_is_parsed_in_the_graders_process() -> None:
    """A parser can be brought down, or kept busy, by what it reads; what crashes everywhere used to be parsed for each case."""
    oracle = oracle_of(CALLS)
    text = "\n".join(f"def {e.name}(*args):\n    return size(1, 2, 3)" for e in oracle.assignment.exercises)
    with parsed_here() as found, ProcessSandbox() as sandbox:
        result = grade(source(text), oracle, sandbox)
    assert {case.status for e in result.exercises for case in e.cases} == {Status.CRASHED, Status.SKIPPED}
    assert found == []


def test_what_cannot_be_looked_through_costs_only_exercises_with_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hides a shortcut among a million names has not shown that there is none; others keep their points."""
    monkeypatch.setattr(read_in_sandbox, "READ_SECONDS", 0.01)
    assignment = replace(
        oracle_of(CALLS).assignment, shortcuts=(Shortcut(("numpy.size",), ("size",), "Count them yourself."),)
    )
    text = "import numpy\n" + "x = [" + "numpy.size, " * 15_000 + "]\n"
    with ProcessSandbox() as box:
        reading = Reading(source(text), assignment, sandbox := Odd(box))
        assert reading.shortcuts() == {"size": UNREADABLE}
        assert reading.reached("mix") == frozenset()
    assert sandbox.jobs == 1  # it computed to the limit


class Odd:
    """A sandbox that meets something between a job and its first answers, and counts its jobs."""

    def __init__(self, box: Sandbox, *ends: Outcome) -> None:
        self.box, self.ends, self.jobs, self.isolation = box, list(ends), 0, box.isolation

    def run(self, job: Job) -> JobResult:
        """Give the next end, or run the job once there is none."""
        self.jobs += 1
        return JobResult((self.ends.pop(0),), Outcome(Ending.RETURNED)) if self.ends else self.box.run(job)

    def close(self) -> None:
        """Close the box."""
        self.box.close()


@pytest.mark.parametrize("ending", [Ending.TIMEOUT, Ending.MEMORY, Ending.OUTPUT, Ending.DIED])
def test_a_machine_that_stood_still_costs_no_points(ending: Ending) -> None:
    """Reading runs nothing of the student's, so what ended it may pass; only who computes to the limit is not read again."""
    rule = Shortcut(("numpy.size",), ("size",), "Count them yourself.")
    assignment = replace(oracle_of(CALLS).assignment, shortcuts=(rule,))
    text = source("import numpy\ndef size(x):\n    return len(numpy.ravel(x)) # size")
    with ProcessSandbox() as box:
        once, busy = Odd(box, Outcome(ending)), Odd(box, Outcome(Ending.TIMEOUT, seconds=read_in_sandbox.READ_SECONDS))
        assert Reading(text, assignment, once).shortcuts() == {}
        assert Reading(text, assignment, busy).shortcuts() == {"size": UNREADABLE}
        assert Reading(text, assignment, twice := Odd(box, *[Outcome(ending)] * 2)).shortcuts() == {"size": UNREADABLE}
    assert [once.jobs, busy.jobs, twice.jobs] == [2, 1, 2]


def test_back_doors_of_a_library_are_closed_with_it() -> None:
    """The operators that torch's own functions are made of do the same."""
    rule = Shortcut(("torch.nn.LSTM",), ("size",), "Write the gates yourself.")
    assignment = replace(oracle_of(CALLS).assignment, shortcuts=(rule,))
    ways = {
        "torch.ops.aten.lstm": "def size(x):\n    return torch.ops.aten.lstm(x)",
        "torch._C._VariableFunctions.lstm": "def size(x):\n    return torch._C._VariableFunctions.lstm(x)",
        "torch._VF.lstm": "vf = torch._VF\ndef size(x):\n    return vf.lstm(x)",
        "torch.ops.aten.gru": "def size(x):\n    return getattr(torch, 'ops').aten.gru(x)",
        "torch._C._VariableFunctions.gru": "def size(x):\n    return getattr(getattr(torch, '_C'), '_VariableFunctions').gru(x)",
    }
    with ProcessSandbox() as sandbox:
        for name, text in ways.items():
            told = Reading(source(f"import torch\n{text}"), assignment, sandbox).shortcuts()
            assert told["size"].startswith(f"You use `{name}` (calls.py, line ")
        harmless = "import torch\ndef size(x):\n    return torch.stack(x)"
        assert Reading(source(harmless), assignment, sandbox).shortcuts() == {}


def test_a_function_that_belongs_to_a_forbidden_class_is_no_use_of_it() -> None:
    """It is asked for by its own name; everything else of the class is still seen, also beside it."""
    name = "torch.nn.Transformer.generate_square_subsequent_mask"
    by_class, by_name = Shortcut(("torch.nn.Transformer*",), ("size",), ""), Shortcut((name,), ("size",), "")
    told = {
        "nn.Transformer.generate_square_subsequent_mask(n) == 0": "",
        "getattr(nn.Transformer, 'generate_square_subsequent_mask')(n) == 0": "",
        "nn.Transformer(nn.Transformer.generate_square_subsequent_mask(n))": "torch.nn.Transformer",
        "nn.Transformer.forward(nn.Transformer.generate_square_subsequent_mask(n))": "torch.nn.Transformer",
        "nn.TransformerEncoderLayer(n, 1)": "torch.nn.TransformerEncoderLayer",
    }
    with ProcessSandbox() as sandbox:
        for body, used in told.items():
            text = source(f"from torch import nn\ndef size(n):\n    return {body}")
            rules = replace(oracle_of(CALLS).assignment, shortcuts=(by_class,))
            found = Reading(text, rules, sandbox).shortcuts()
            assert found.get("size", "").startswith(f"You use `{used}`" if used else "")
            assert bool(found) == bool(used)
        text = source(f"from torch import nn\ndef size(n):\n    return {next(iter(told))}")
        found = Reading(text, replace(oracle_of(CALLS).assignment, shortcuts=(by_name,)), sandbox).shortcuts()
        assert found["size"].startswith(f"You use `{name}`")


BY_AUTOGRAD = """

def loss_backward(logits, targets, mask):
    import torch

    scores = torch.tensor(logits, requires_grad=True)
    gold = torch.tensor(np.where(mask, targets, -100).ravel())
    torch.nn.functional.cross_entropy(scores.flatten(0, 1), gold, ignore_index=-100).backward()
    return scores.grad.numpy()
"""


def test_autograd_is_no_backward_pass_by_hand() -> None:
    """It gives the right numbers, also where only the running code shows that it is used, and is what a2 asks to write."""
    assignment = load_assignment(COURSE.parents[1], "a2_bptt").without_training()
    oracle = Oracle(assignment, 5)
    text = assignment.reference + BY_AUTOGRAD
    with ProcessSandbox() as sandbox:
        result = grade(Source("bptt", (Chunk("bptt.py", text),)), oracle, sandbox)
    concerned = {e.name: e for e in result.exercises}
    told = {case.message for case in concerned["loss_backward"].cases}
    assert all(case.status is Status.FAILED for case in concerned["loss_backward"].cases)
    assert {text.partition("`, ")[0] for text in told} == {"You use `torch.autograd.backward"}
    assert concerned["rnn_backward"].score == concerned["rnn_backward"].max_score


BY_AN_OPERATOR = """

def lstm_step_backward(dh, dc, cache):
    import torch

    x_t, h_prev, params = cache["x_t"], cache["h_prev"], cache["params"]
    row = np.concatenate([h_prev, x_t], axis=-1)
    gates = np.concatenate([row @ params[f"W_{g}"].T + params[f"b_{g}"] for g in "ifco"], axis=-1)
    backward = OPS.aten._thnn_differentiable_lstm_cell_backward
    tensors = [torch.tensor(a) for a in (dh, dc, gates, 0 * gates, cache["c_prev"], cache["c_t"])]
    found = backward(*tensors[:4], None, None, *tensors[4:])
    da = dict(zip("ifco", np.split(found[0].numpy(), 4, axis=-1)))
    drow = sum(da[g] @ params[f"W_{g}"] for g in "ifco")
    grads = {}
    for g in "fioc":
        grads |= {f"W_{g}": da[g].T @ row, f"b_{g}": da[g].sum(axis=0)}
    hidden = h_prev.shape[-1]
    return drow[:, hidden:], drow[:, :hidden], found[2].numpy(), grads
"""


@pytest.mark.parametrize("ops", ["torch.ops", 'getattr(torch, "ops")'])
def test_an_operator_of_torch_is_no_backward_pass_by_hand(ops: str) -> None:
    """It does the work of all four gates in one call, and only the source shows that it is used."""
    assignment = load_assignment(COURSE.parents[1], "a3_gates").without_training()
    text = assignment.reference + BY_AN_OPERATOR.replace("OPS", ops)
    with ProcessSandbox() as sandbox:
        result = grade(Source("gates", (Chunk("gates.py", text),)), Oracle(assignment, 5), sandbox)
    concerned = {e.name: e for e in result.exercises}
    assert concerned["lstm_step_backward"].score == 0
    assert (
        "`torch.ops.aten._thnn_differentiable_lstm_cell_backward`" in concerned["lstm_step_backward"].cases[0].message
    )
    assert concerned["lstm_step"].score == concerned["lstm_step"].max_score
