"""With which hint to go on from a diagnosis."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.handout.kit.hint_order import hint_order

ROOT = Path(__file__).parents[1]
HINTS = (
    "Which axis of Q meets which axis of K?",
    "A dot product of d_k terms spreads like the root of d_k. Which entry is d_k?",
    "`Q @ ... / np.sqrt(...)`",
)


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("Your products are not divided by sqrt(d_k). Their spread grows with d_k.", (1, 2, 0)),
        ("Your queries meet the wrong axis of K.", (0, 1, 2)),
        ("Something else is wrong.", (0, 1, 2)),
        ("", (0, 1, 2)),
    ],
)
def test_it_begins_with_the_hint_that_speaks_of_it(said: str, order: tuple[int, ...]) -> None:
    """No hint is left out, and where none speaks of it, the author's order stays."""
    assert hint_order(HINTS, said) == order


def test_without_hints_there_is_no_order() -> None:
    """As for a quiz."""
    assert hint_order((), "Your sum is wrong.") == ()


@pytest.mark.parametrize(
    ("exercise", "mistake", "first"),
    [
        ("attention_scores", "no_scale", 1),
        ("attention_scores", "multiplies_entry_by_entry", 0),
        ("attention_weights", "no_max_subtraction", 0),
        ("attention_weights", "fills_with_zero", 1),
        ("attention_weights", "sum_without_keepdims", 2),
        ("attention", "weights_transposed", 0),
    ],
)
def test_the_hints_of_attention(exercise: str, mistake: str, first: int) -> None:
    """A hint about what is right already would lie behind the diagnosis."""
    assignment = load_assignment(ROOT, "a5_attention")
    hints = next(each.hints for each in assignment.exercises if each.name == exercise)
    says = next(each.says for each in assignment.misconceptions if each.name == mistake)
    assert hint_order(hints, says)[0] == first
