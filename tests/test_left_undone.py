"""What code leaves undone is told where no mistake has a name, and only what is so."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.course.spec import Status
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.array_pairs import Part
from autograder.judge.forbidden import Reading
from autograder.judge.grade import grade
from autograder.judge.reasons import Advice, Diagnosis, Hint, Mistake
from autograder.judge.result import CaseResult
from autograder.judge.trials import Judged, make_trial
from autograder.judge.unnamed_mistakes import first_to_mend
from autograder.judge.wrong_places import speaks_against
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child import names_used
from autograder.sandbox.child.left_undone import left_undone
from autograder.sandbox.job import Sandbox, Source

ROOT = Path(__file__).parents[1]
UNDONE = {
    "a return in a loop": (
        "def f(x):\n    for part in x:\n        total = part\n        return total",
        ["returns_in_first_turn", "f"],
    ),
    "a branch": ("def f(x):\n    if x:\n        return 1\n    else:\n        ...", ["branch_not_written", "f"]),
    "a loop": ("def f(x):\n    for part in x:\n        ...\n    return x", ["branch_not_written", "f"]),
    "a part that an heir and another use": (
        (
            "class C:\n    def __init__(self):\n        self.blocks = make()\n    def f(self, x):\n        return x\n"
            "class D(C):\n    def g(self, x):\n        return self.blocks(x)\n"
            "class E:\n    def __init__(self):\n        self.blocks = make()\n    def f(self, x):\n        return self.blocks(x)\n"
            "def fit(model, names):\n    return model.eval().parameters()"
        ),
        ["part_not_used", "C", "blocks"],
    ),
    "a break in a loop": (
        "def f(x):\n    for part in x:\n        y = part\n        break\n    return y",
        ["breaks_in_first_turn", "f"],
    ),
    "an argument": ("def f(x, mask, scale):\n    return 2 * x", ["argument_not_read", "f", "mask", "scale"]),
    "an argument of a method": (
        "class C:\n    def f(self, x, mask):\n        return self.scale(x)",
        ["argument_not_read", "f", "mask"],
    ),
    "a result": ("def f(x):\n    x.transpose(0, 1)\n    return x", ["result_not_kept", "f", "transpose"]),
    "a result of a library's": ("def f(x):\n    torch.relu(x)\n    return x", ["result_not_kept", "f", "relu"]),
    "a part": (
        "class C:\n    def __init__(self):\n        self.norm = Norm(3)\n    def f(self, x):\n        return x",
        ["part_not_used", "C", "norm"],
    ),
    "a setting": (
        (
            "class C:\n    def __init__(self, heads):\n        assert heads > 0\n        self.heads = heads\n"
            "    def f(self, x):\n        heads = x.shape[1]\n        return x[:, heads]"
        ),
        ["setting_not_used", "C", "heads"],
    ),
    "what goes wrong": (
        "def f(x):\n    try:\n        return x + y\n    except NameError:\n        return None",
        ["exception_hidden", "f"],
    ),
    "whatever goes wrong": (
        "def f(x, mask):\n    try:\n        return x + y\n    except Exception as e:\n        print(e)\n        return np.zeros(3)",
        ["every_exception_hidden", "f"],
    ),
    "whatever goes wrong, and is not named": (
        "def f(x):\n    try:\n        y = x()\n    except:\n        y = 0\n    return y",
        ["every_exception_hidden", "f"],
    ),
    "all axes of length one": ("def f(x):\n    return x.squeeze()", ["every_axis_squeezed", "f"]),
    "all axes of length one, by a function": ("def f(x):\n    return np.squeeze(x)", ["every_axis_squeezed", "f"]),
    "a value": ("def f(x):\n    top = x.max()\n    return x", ["value_not_used", "f", "top"]),
}
DONE = {
    "a loop that may go on": "def f(x):\n    for part in x:\n        if part < 0:\n            continue\n        return part",
    "a loop that ends when it has found something": "def f(x):\n    for part in x:\n        if part:\n            break\n    return part",
    "a loop that finds something": "def f(x):\n    for part in x:\n        if part:\n            return part\n    return 0",
    "all names at once": "def f(x, mask):\n    return g(**locals())",
    "an argument that a nested function reads": "def f(x, mask):\n    def inner():\n        return mask\n    return x, inner",
    "an argument that is counted up": "def f(x, count):\n    count += 1\n    return x",
    "an argument that is meant to be left": "def f(x, _mask):\n    return x",
    "a function that is not written": 'def f(x, mask):\n    """Say."""\n    raise NotImplementedError',
    "a call that fills what it is given": "def f(x):\n    np.exp(x, out=x)\n    np.exp(x, x)\n    np.maximum(x, 0, x)\n"
    "    F.relu(x, inplace=True)\n    x.append(1)\n    model.to(device)\n    return x",
    "one axis of length one": "def f(x):\n    return np.squeeze(x.squeeze(1), axis=0)",
    "an exception that is told": "def f(x):\n    try:\n        return x()\n    except Exception as e:\n        raise ValueError from e",
    "an exception of one kind that is handled": "def f(x):\n    try:\n        y = x[1]\n    except IndexError:\n        y = g(x)\n    return y",
    "a part that may work in place": "class C:\n    def f(self, x):\n        self.relu(x)\n        return x",
    "a part of a class with a stub": "class C:\n    def __init__(self):\n        self.norm = Norm(3)\n    def f(self, x):\n"
    "        return x\n    def g(self):\n        raise NotImplementedError",
    "a setting that something reads": "class C:\n    def __init__(self, heads):\n        self.heads = heads\n"
    "    def f(self, x):\n        return x[: self.heads]",
    "parts in a loop over all": "class C:\n    def __init__(self):\n        self.norm = Norm(3)\n    def f(self, x):\n"
    "        return [part(x) for part in self.children()]",
}  # fmt: skip


def found(text: str) -> list[list[str]]:
    """Return what the function f, or the class C, of a text leaves undone."""
    return left_undone([ast.parse(text)], [("x", ["C" if text.startswith("class") else "f"])])["x"]


@pytest.mark.parametrize("what", UNDONE)
def test_what_is_left_undone_is_seen(what: str) -> None:
    """The surest comes first."""
    text, expected = UNDONE[what]
    assert found(text)[0] == expected


@pytest.mark.parametrize("what", DONE)
def test_what_is_done_is_not_told(what: str) -> None:
    """Nothing is said of code that may be meant so."""
    assert found(DONE[what]) == []


def test_no_solution_of_ours_leaves_anything_undone() -> None:
    """Neither the references nor, but for arguments that can be known otherwise, the other correct solutions."""
    for assignment in (load_assignment(ROOT, slug) for slug in slugs(ROOT)):
        for text in (assignment.reference, *(assignment.with_replaced(c.source) for c in assignment.correct)):
            told = left_undone(
                [ast.parse(text)], [(exercise.name, exercise.blanks) for exercise in assignment.exercises]
            )
            kinds = {(kind, *names) for undone in told.values() for kind, _, *names in undone}
            assert kinds <= {("argument_not_read", "n"), ("argument_not_read", "block")}


STATES = {
    "targets are not read": (
        "next_token_loss",
        (
            "    shifted = logits - logits.max(-1, keepdims=True)\n"
            "    nll = np.log(np.exp(shifted).sum(-1)) - shifted.mean(-1)\n"
            "    return (nll * mask).sum() / mask.sum()"
        ),
        "Your `next_token_loss` never reads `targets`.",
    ),
    "the dict has one entry": (
        "build_vocab",
        "    vocab = {}\n    for number, character in enumerate(sorted(set(text))):\n        vocab[character] = number\n        return vocab",
        "Your `build_vocab` returns inside a loop",
    ),
    "a function that has a relation's name": (
        "softmax",
        "    e = np.exp(x)\n    return e / e.sum()",
        "Your `softmax` never reads `axis`.",
    ),
    "an argument is not read, and that is not all": (
        "softmax",
        "    e = np.exp(x - np.max(x))\n    return e / np.sum(e * e)",
        "Your `softmax` never reads `axis`. That is not all: calls that leave it out fail, too.",
    ),
    "the last sum": (
        "sequence_log_prob",
        "    logp = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)\n    return np.take_along_axis(logp, np.asarray(ids)[..., None], axis=-1)[..., 0]",
        "The sum of your answer along the last axis would be right: add up.",
    ),
    "all axes of length one are gone": (
        "rnn_step",
        "    mixed = x_t @ W_x.T + h_prev @ W_h.T + b\n    return np.tanh(mixed).squeeze()",
        "Your `rnn_step` calls `squeeze` without an axis.",
    ),
    "an exception is hidden": (
        "caption",
        "    try:\n        return image @ W_i + bos + eos + max_len + params\n    except Exception:\n        return None",
        "An `except` in your `caption` catches every exception, and hides",
    ),
}


def told_first(text: str, exercise: str, sandbox: Sandbox) -> CaseResult:
    """Return the first public case of an exercise of a1 that a text does not pass."""
    assignment = load_assignment(ROOT, "a1_rnn").without_training()
    result = grade(Source.of(assignment.file, text), Oracle(assignment, 0, public_only=True), sandbox)
    cases = next(e.cases for e in result.exercises if e.name == exercise)
    return next(case for case in cases if case.status != "PASSED")


@pytest.mark.parametrize("state", STATES)
def test_a_student_in_the_middle_of_the_work_reads_it_first(state: str, sandbox: Sandbox) -> None:
    """It stands before what the values look like."""
    exercise, body, says = STATES[state]
    text = with_body(load_assignment(ROOT, "a1_rnn").reference, exercise, body)
    assert told_first(text, exercise, sandbox).says.startswith(says)


def with_body(text: str, name: str, body: str) -> str:
    """Return a text in which a function does something else."""
    (function,) = (n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == name)
    lines = text.splitlines()
    docstring = function.body[0].end_lineno or 0
    return "\n".join([*lines[:docstring], body, *lines[function.end_lineno or 0 :]])


def test_at_home_code_around_a_value_of_a_wrong_type_waits() -> None:
    """It calls an exercise which the reference does not use there: nothing is known of it until that one gives an array."""
    assignment = load_assignment(ROOT, "a5_attention")
    text = with_body(
        assignment.reference, "attention_scores", "    return Q @ K.swapaxes(-1, -2), np.sqrt(Q.shape[-1])"
    )
    text = with_body(text, "average_context", "    return attention_scores(x, x)")
    result = check(Source.of(assignment.file, text), public_bundle(public_oracle(assignment)))
    told = {e.name: case for e in result.exercises for case in e.cases if case.status != "PASSED"}
    assert told["average_context"].waits_for == "attention_scores"
    assert told["average_context"].says == "It uses your `attention_scores`, which does not pass yet; mend that first."
    assert not told["attention_scores"].waits_for


def test_at_home_code_around_a_value_of_a_wrong_shape_waits() -> None:
    """A number where an array is asked for, which the next function multiplies, says nothing of that one."""
    assignment = load_assignment(ROOT, "a2_bptt")
    text = with_body(
        assignment.reference, "loss_backward", "    return (logits * mask[..., None]).sum() * targets.mean()"
    )
    result = check(Source.of(assignment.file, text), public_bundle(public_oracle(assignment)))
    told = {e.name: case for e in result.exercises for case in e.cases if case.status != "PASSED"}
    assert told["truncated_bptt"].waits_for == "loss_backward"
    assert told["loss_backward"].message.startswith("The shape is (); (2, 2, 3) = (batch, time, vocab) was expected.")


def test_at_home_a_name_waits_for_another_one_that_would_change_it() -> None:
    """`attention` gives what a mask turned round in it would give: its weights have it turned round."""
    assignment = load_assignment(ROOT, "a5_attention")
    body = """    if mask is not None:
        scores = scores + mask * -1e9
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)"""
    text = with_body(assignment.reference, "attention_weights", body)
    result = check(Source.of(assignment.file, text), public_bundle(public_oracle(assignment)))
    waiting = {e.name: {case.waits_for for case in e.failing} for e in result.exercises if e.failing}
    assert waiting.pop("attention_weights") == {""}
    assert waiting == {key: {"attention_weights"} for key in ("similarity_context", "attention", "self_attention")}


def test_at_home_another_dtype_has_no_part_in_the_name_of_wrong_values() -> None:
    """Numbers for truth values are told by their own case, and a mask at the wrong keys by its name; nothing runs two mistakes there."""
    assignment = load_assignment(ROOT, "a5_attention")
    text = with_body(assignment.reference, "causal_mask", "    return np.tril(np.ones((T_q, T_k)))")
    result = check(Source.of(assignment.file, text), public_bundle(public_oracle(assignment)))
    (failing,) = (e.failing for e in result.exercises if e.failing)
    assert {case.name: case.suspected for case in failing} == {
        "last_two_of_four": ("aligned_at_start",),
        "three_by_three_of_truth_values": (),
    }


def test_an_argument_that_nothing_reads_is_told_before_a_choice_of_names() -> None:
    """Rows that never end are filled up with what comes by chance, and three known mistakes fill them up so."""
    assignment = load_assignment(ROOT, "a4_seq2seq")
    body = """    y, words = torch.full((len(state),), bos), []
    for _ in range(max_len):
        logits, state = step(y, state)
        y = logits.argmax(-1)
        words.append(y)
    return torch.stack(words, dim=1)"""
    text = with_body(assignment.reference, "greedy_decode", body)
    result = check(Source.of(assignment.file, text), public_bundle(public_oracle(assignment)))
    (failing,) = (e.failing for e in result.exercises if e.failing)
    assert {case.says for case in failing} == {"Your `greedy_decode` never reads `eos`, `pad`."}


def test_a_branch_that_is_not_written_is_told_of_what_crashes_behind_it() -> None:
    """And not the argument that leads there."""
    assignment = load_assignment(ROOT, "a8_language_model").without_training()
    start = assignment.reference.index("def generate(")
    body = """    model.eval()
    for _ in range(n):
        logits = model(ids[:, -model.block_size :])[:, -1]
        if not temperature:
            new = logits.argmax(-1, keepdim=True)
        else:
            ...
        ids = torch.cat([ids, new], dim=1)
    return ids"""
    text = with_body(assignment.reference[start:], "generate", body)
    result = check(
        Source.of(assignment.file, assignment.reference[:start] + text), public_bundle(public_oracle(assignment))
    )
    failing = next(e.failing for e in result.exercises if e.name == "generate")
    assert failing
    assert {case.says for case in failing if case.status == "CRASHED"} == {
        "A branch or loop of your `generate` holds `...` alone: it is not written yet."
    }


def test_what_is_not_done_yet_is_no_two_mistakes() -> None:
    """Two known mistakes come to gradients that are handed back unchanged, as three pairs of them do."""
    assignment = load_assignment(ROOT, "a2_bptt")
    body = """    norm = np.sqrt(sum(np.sum(g * g) for g in grads.values()))
    if norm > max_norm:
        pass
    return grads, norm"""
    text = with_body(assignment.reference, "clip_grad_norm", body)
    result = check(Source.of(assignment.file, text), public_bundle(public_oracle(assignment)))
    (failing,) = (e.failing for e in result.exercises if e.failing)
    assert {case.says for case in failing} == {"`clipped['W']`: Your answer is the argument `grads['W']`, unchanged."}


def test_an_axis_that_not_all_wrong_parts_have_is_told_without_its_name() -> None:
    """`norm` is a number and `clipped` holds arrays. `check` used to end there."""
    assignment = load_assignment(ROOT, "a2_bptt")
    body = """    norm = np.sqrt(sum(np.abs(g).sum() ** 2 for g in grads.values()))
    factor = min(1.0, max_norm / norm) if norm else 1.0
    return {name: g * factor for name, g in grads.items()}, norm"""
    text = with_body(assignment.reference, "clip_grad_norm", body)
    result = check(Source.of(assignment.file, text), public_bundle(public_oracle(assignment)))
    (failing,) = (e.failing for e in result.exercises if e.failing)
    assert failing[0].says.startswith(
        "In these cases your answer is wrong whenever axis 0 of `grads['W']` is longer than one"
    )


def test_calls_are_not_said_to_be_right_of_which_a_smaller_one_is_shown_to_fail() -> None:
    """What all failing cases share says nothing where the call that is shown does not have it."""
    grads = np.array([[1.0, 2.0]])
    case = next(c for c in load_assignment(ROOT, "a2_bptt").cases if c.exercise == "clip_grad_norm")
    trial = make_trial(case, case.calls(0), 0)
    shown = Part(trial, 0, (), grads, grads + 1, {"x": grads, "y": np.ones(1)}, {})
    assert not speaks_against(shown, ("differs_by_length", "axis 1 of `x`"))
    assert speaks_against(shown, ("differs_by_length", "axis 0 of `x`"))
    assert speaks_against(shown, ("differs_by_length", "`y`"))
    assert speaks_against(shown, ("differs_if_given", "mask"))
    assert not speaks_against(shown, ("differs_by_length", "axis 0 of `z['W']`"))


def test_finite_numbers_are_told_before_others() -> None:
    """Only the last row is filled in; that it is NaN where scores are large is another matter."""
    assignment = load_assignment(ROOT, "a5_attention")
    body = """    y = np.zeros(x.shape)
    e = np.exp(x @ x[-1] / np.sqrt(x.shape[-1]))
    y[-1] = (e / e.sum()) @ x
    return y"""
    text = with_body(assignment.reference, "similarity_context", body)
    result = check(Source.of(assignment.file, text), public_bundle(public_oracle(assignment)))
    (failing,) = (e.failing for e in result.exercises if e.failing)
    assert failing[0].says == "All that is wrong in your answer is zero: is that part not filled in yet?"
    assert "NaN" not in failing[0].message


def test_at_home_nan_around_nan_without_a_name_waits() -> None:
    """What a decoder's own mistake would give comes of the softmax that it calls."""
    assignment = load_assignment(ROOT, "a4_seq2seq")
    body = "    e = torch.exp(scores - scores.amax(-1, keepdim=True)) * mask\n    return e / e.sum(-1, keepdim=True) ** 1.01"
    text = with_body(assignment.reference, "masked_softmax", body)
    result = check(Source.of(assignment.file, text), public_bundle(public_oracle(assignment)))
    waiting = {e.name: {case.waits_for for case in e.failing} for e in result.exercises if e.failing}
    assert waiting == {
        "masked_softmax": {""},
        "AttentionDecoder": {"masked_softmax"},
        "LSTMAttentionDecoder": {"masked_softmax"},
    }


def test_zeros_alone_are_no_mistake_of_another_exercise(sandbox: Sandbox) -> None:
    """What is not written yet is zero, and so is what some other exercise's mistake gives where everything counts."""
    assignment = load_assignment(ROOT, "a2_bptt").without_training()
    body = "    loss = _whole(x, targets, h0, params, k)[0]\n    return loss, {name: np.zeros_like(params[name]) for name in params}"
    whole = assignment.reference.replace("def truncated_bptt(", "def _whole(")
    stub = assignment.reference[assignment.reference.index("def truncated_bptt(") :]
    text = with_body(whole + "\n\n" + stub.partition("\n\n\n")[0], "truncated_bptt", body)
    result = grade(Source.of(assignment.file, text), Oracle(assignment, 0, public_only=True), sandbox)
    (told,) = (e.failing[0] for e in result.exercises if e.failing)
    assert told.says == "`grads`: Your answer is zero everywhere."


def test_what_no_child_of_ours_tells_is_not_believed(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are names, and kinds are those that have a sentence."""
    assignment = load_assignment(ROOT, "a1_rnn")
    right = names_used.read([("rnn.py", b"x = 1")], [(e.name, e.blanks) for e in assignment.exercises], [], [])
    for lie in (["value_not_used", "f", "look <b>here</b>"], ["unheard_of", "f"], ["value_not_used"]):
        told = {**right, "undone": {**right["undone"], "softmax": [lie]}}
        monkeypatch.setattr(names_used, "read", lambda *_, told=told: told)
        monkeypatch.setattr("autograder.judge.forbidden.read_in_sandbox", lambda *_, told=told: told)
        reading = Reading(Source.of("rnn.py", textwrap.dedent("x = 1")), assignment, sandbox)
        assert reading.undone("softmax") == ()


def test_what_mistakes_of_another_exercise_explain_waits_for_that_one() -> None:
    """Unless all is right there: then the same mistake has been made again."""
    there = Diagnosis("caption", ((Mistake("no_tanh", "rnn_step", "Your step has no tanh."),),))
    here = Diagnosis("rnn_step", there.alternatives)
    for status, first in ((Status.FAILED, "rnn_step"), (Status.PASSED, "")):
        judged = cast(
            "Judged", SimpleNamespace(trial=SimpleNamespace(case=SimpleNamespace(exercise="rnn_step")), status=status)
        )
        assert first_to_mend(there, "caption", [judged]) == first
        assert first_to_mend(here, "rnn_step", [judged]) == ""
    assert first_to_mend(Advice(Hint.MEND_FIRST, "softmax"), "caption", []) == "softmax"
    assert first_to_mend(Advice(Hint.UNNAMED), "caption", []) == ""
    assert first_to_mend(None, "caption", []) == ""
