"""An answer that is a right value on the way is told as that: who returns one wants to know whether it is right so far."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from test_left_undone import with_body
from test_relations import oracle_of_course

from autograder.handout.kit.bundle import SHAPES, read_bundle
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_files, public_oracle
from autograder.judge.grade import grade
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Sandbox, Source

SAYS = "Your answer is a right value on the way to the result: the steps after it are missing."
SEVERAL = "All that you return are right values on the way to the result: the steps after them are missing."
SOFTMAX = "    e = np.exp(logits - logits.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)"


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    """Return the oracle of an assignment in numpy."""
    return oracle_of_course("a2_bptt")


@pytest.fixture(scope="module")
def public(oracle: Oracle) -> Oracle:
    """Return an oracle of what students may know of it."""
    return public_oracle(oracle.assignment)


@pytest.fixture(scope="module")
def files(public: Oracle) -> dict[str, bytes]:
    """Return the data of its handout."""
    return public_files(public)


Check = Callable[[str], Result]


@pytest.fixture(params=["graded", "checked in the course", "checked at home"])
def checked(
    request: pytest.FixtureRequest,
    oracle: Oracle,
    public: Oracle,
    files: dict[str, bytes],
    sandbox: Sandbox,
    tmp_path: Path,
) -> Check:
    """Return how a text is judged: with the reference, or by a bundle."""

    def source(text: str) -> Source:
        return Source.of(oracle.assignment.file, text)

    if request.param == "graded":
        return lambda text: grade(source(text), oracle, sandbox)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    bundle = read_bundle(tmp_path) if request.param == "checked at home" else public_bundle(public)
    return lambda text: check(source(text), bundle)


def said(result: Result, exercise: str) -> set[str]:
    """Return what is said of the values of an exercise."""
    return {case.says for e in result.exercises if e.name == exercise for case in e.cases if case.says}


def test_a_right_value_on_the_way_is_told(oracle: Oracle, checked: Check) -> None:
    """It stands before what the text leaves undone: that much is right."""
    text = with_body(oracle.assignment.reference, "loss_backward", SOFTMAX)
    assert said(checked(text), "loss_backward") == {SAYS}


def test_a_single_value_on_the_way_to_several_is_told(oracle: Oracle, checked: Check) -> None:
    """Where a tuple is asked for; what stands below it says so."""
    text = with_body(oracle.assignment.reference, "rnn_step_backward", "    return dh * (1 - cache[2] ** 2)")
    assert said(checked(text), "rnn_step_backward") == {SAYS}
    text = with_body(oracle.assignment.reference, "rnn_step_backward", "    return dh * (1 - cache[2])")
    assert said(checked(text), "rnn_step_backward") == set()


def test_several_values_on_the_way_are_told(oracle: Oracle, checked: Check) -> None:
    """All of them have to be right, in every call the same."""
    both = SOFTMAX.replace("return", "p =") + "\n    return p, {0} * e"
    for factor, told in ((1, {SEVERAL}), (3, set())):
        text = with_body(oracle.assignment.reference, "loss_backward", both.format(factor))
        assert said(checked(text), "loss_backward") == told


def test_what_is_no_right_value_is_not_told_as_one(oracle: Oracle, checked: Check) -> None:
    """Such as the softmax of something else; there it is said what is left undone."""
    text = with_body(oracle.assignment.reference, "loss_backward", SOFTMAX.replace("np.exp(", "np.exp(1.1 * "))
    assert said(checked(text), "loss_backward") == {"Your `loss_backward` never reads `targets`, `mask`."}


def test_what_memory_held_is_no_value(oracle: Oracle) -> None:
    """An array that is not filled holds what was there before, which may be of a hidden case or of another student."""
    body = SOFTMAX.replace("return e /", "probs = np.empty(e.shape)\n    probs[...] = e /")
    text = with_body(oracle.assignment.reference, "loss_backward", f"{body}\n    return 2 * probs")
    for reference, count in ((text, 0), (text.replace("np.empty(e.shape)", "np.zeros(e.shape)"), 2)):
        other = Oracle(replace(oracle.assignment, reference=reference, correct=()), 3)
        trial = other.trials_of("loss_backward")[0]
        assert len(list(other.right_values(trial, 0).on_the_way(trial.requests[0]))) == count


def test_a_handout_tells_no_names_of_them(oracle: Oracle, files: dict[str, bytes]) -> None:
    """Variables of a solution are part of it, so they have numbers, which many names share; what is asked in a quiz has none."""
    cases = json.loads(files[SHAPES])["cases"]
    held = {f"{c['exercise']}.{c['name']}": [v for call in c["right_values"] for v in call] for c in cases}
    numbers = [number for variables in held.values() for _, _, _, number, *_ in variables]
    assert all(number.isdecimal() and int(number) < 65536 for number in numbers)
    assert not any(variables for name, variables in held.items() if name.startswith("quiz."))
    assert any(variables for name, variables in held.items() if name.startswith("loss_backward."))
