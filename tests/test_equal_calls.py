"""Right code may call a wrong exercise with other arguments than the reference does, where the right answers to both are the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
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
