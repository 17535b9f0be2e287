"""Right code may call a wrong exercise with other arguments than the reference does, where the right answers to both are the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.judge.grade import grade
from autograder.oracle.equal_calls import Given
from autograder.oracle.oracle import Oracle
from autograder.oracle.replay import Replay
from autograder.sandbox.job import Sandbox, Source
from autograder.sandbox.levels import open_sandbox

COURSE = Path(__file__).parent.parent
Edit = tuple[str, str]
# The assignment, what makes the called exercise wrong, the one that calls it, how it calls, and what makes that wrong.
EQUAL: dict[str, tuple[str, Edit, str, Edit, Edit]] = {
    "an axis counted from the front": (
        "a1_rnn",
        ("    return raised / raised.sum(axis=axis, keepdims=True)", "    return raised[axis + 99]"),
        "output_probs",
        ("return softmax(logits, axis=-1)", "return softmax(logits, axis=logits.ndim - 1)"),
        ("softmax(logits, axis=l", "softmax(logits / 2, axis=l"),
    ),
    "scores that are lowered before": (
        "a2_bptt",
        ("    return (probs - one_hot) * mask[..., None] / counted", "    return 0 * probs"),
        "truncated_bptt",
        ("loss_backward(logits, targets_now", "loss_backward(logits - logits.max(-1, keepdims=True), targets_now"),
        ("(logits - logits.max", "(2 * logits - logits.max"),
    ),
    "more than is read": (
        "a3_gates",
        ("    return dx, dh_prev, dc_prev, grads\n", "    return dx, dh_prev, -dc_prev + 1, grads\n"),
        "lstm_backward",
        ('step |= {"x_t": x[:, t],', 'step |= {"h": h[:, t], "x_t": x[:, t],'),
        ("dc_t = dc[:, t] + dc_next", "dc_t = dc[:, t] - dc_next"),
    ),
}


@pytest.fixture(scope="module")
def patient() -> Iterator[Sandbox]:
    """Return the strongest sandbox of this machine."""
    with open_sandbox(1) as opened:
        yield opened


@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize("how", EQUAL)
def test_equal_calls_are_right(how: str, is_right: bool, patient: Sandbox) -> None:
    """Only code that would be right on top of right answers keeps its points."""
    slug, mistake, name, equal, slip = EQUAL[how]
    assignment = load_assignment(COURSE, slug)
    text = assignment.reference
    for old, new in (mistake, equal, *(() if is_right else (slip,))):
        assert text.count(old) == 1
        text = text.replace(old, new)
    found = grade(Source.of(assignment.file, text), Oracle(assignment, 3), patient)
    (mine,) = (e for e in found.exercises if e.name == name)
    assert mine.score == pytest.approx(mine.max_score) if is_right else mine.score < 0.4 * mine.max_score


def given(right: object) -> Given:
    """Return what is answered in a case of a5, where all calls have one right answer, or what a function makes of the call."""
    oracle = Oracle(load_assignment(COURSE, "a5_attention").without_training(), 3)
    asked = SimpleNamespace(oracle=oracle, right=right if callable(right) else lambda _: right)
    return Given(cast("Replay", asked), oracle.trials_of("attention")[0])


def test_what_is_answered_tells_nothing_of_the_right_answer() -> None:
    """Else code would read the right answers to its exercise off what it gets for one that contains it and is not written."""
    numbers = np.array([[0.1, 0.7, 0.9]])
    first, second = (given(right).answer("attention", [1.0], {}) for right in (numbers, 5 * numbers - 2))
    assert np.array_equal(first, second)
    both = given(lambda call: numbers * call.args[0])
    one, other, again = (both.answer("attention", [factor], {}) for factor in (1.0, 1.001, 1.0 + 1e-9))
    assert np.array_equal(one, again)
    assert abs(one - other).min() > 0.001


@pytest.mark.parametrize("asked", [[40_000, 40_000], [np.ones((5000, 1)), np.ones((5000, 1))], [np.ones((300, 300))]])
def test_what_takes_the_grader_long_has_no_answer(asked: list[Any]) -> None:
    """A few bytes of code may ask for gigabytes."""
    with pytest.raises(ValueError, match="too long"):
        given(np.ones(1)).answer("causal_mask", asked, {})


def test_a_helper_that_does_not_read_a_mask_excuses_no_code_without_one(patient: Sandbox) -> None:
    """Who breaks a right helper would have more points than who leaves it right."""
    assignment = load_assignment(COURSE, "a5_attention").without_training()
    text = assignment.reference.replace("attention_weights(similarities, past)", "attention_weights(similarities)")
    text = text.replace("mask = causal_mask(length, length) if causal else None", "mask = None")
    broken = text.replace("scores = np.where(mask, scores, -np.inf)", "scores = scores * 1.0")
    assert len({assignment.reference, text, broken}) == 3
    oracle = Oracle(assignment, 3)
    kept, lost = (
        {e.name: e.score for e in grade(Source.of(assignment.file, code), oracle, patient).exercises}
        for code in (text, broken)
    )
    assert lost["self_attention"] < 3
    assert lost["similarity_context"] < 1
    assert sum(lost.values()) < sum(kept.values())


def test_what_says_nothing_repeats_no_mistake(patient: Sandbox) -> None:
    """A mask that allows everything earned the points of `causal_mask`, where other code did not look at the past alone either."""
    assignment = load_assignment(COURSE, "a5_attention").without_training()
    edits = {
        "attention_weights(similarities, past)": "attention_weights(similarities)",
        "mask = causal_mask(length, length) if causal else None": "mask = None",
    }
    text = assignment.reference
    for old, new in edits.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    text += "\n\ndef causal_mask(T_q, T_k):\n    return np.ones((T_q, T_k), dtype=bool)\n"
    found = {e.name: e.score for e in grade(Source.of(assignment.file, text), Oracle(assignment, 3), patient).exercises}
    assert found["causal_mask"] < 1
