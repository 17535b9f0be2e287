"""Of two mistakes that hide each other in every number it is guessed what they give together, so that few pairs have to be run."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.judge.combined_numbers import FAR, how_far
from autograder.judge.mistake_pairs import MAX_HIDDEN, pairs_to_try
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle

ROOT = Path(__file__).parents[1]
Names = tuple[str, ...]


def found(slug: str, exercise: str, case: str) -> tuple[Oracle, Trial, list[Names]]:
    """Return an oracle, a case of an exercise, and the known mistakes of that."""
    oracle = Oracle(load_assignment(ROOT, slug).without_training(), 3)
    trial = next(t for t in oracle.trials_of(exercise) if t.case.name == case)
    return oracle, trial, [(m.name,) for m in oracle.misconceptions_of(exercise)]


@pytest.mark.parametrize(
    ("slug", "exercise", "case", "pair"),
    [
        (
            "a8_language_model",
            "TransformerLM",
            "model_takes_a_batch",
            ("tokens_scaled_up", "final_norm_in_every_block"),
        ),
        ("a8_language_model", "TransformerLM", "model_takes_a_batch", ("all_at_place_zero", "mask_shows_two")),
        ("a3_gates", "lstm_step", "step_takes_a_batch", ("cell_not_carried", "no_output_gate")),
    ],
)
def test_two_that_hide_each_other_are_among_the_few_that_are_run(
    slug: str, exercise: str, case: str, pair: Names
) -> None:
    """Neither gives one of the numbers, and of all pairs that might, some thousand, they stand in front."""
    oracle, trial, own = found(slug, exercise, case)
    got = oracle.answers(pair, trial)
    assert got
    far = how_far(oracle, own, trial, got)
    one, other = (own.index((name,)) for name in pair)
    nearer = np.triu(far < far[one, other], 1)
    assert nearer.sum() < MAX_HIDDEN
    likely, _ = pairs_to_try(oracle, own, {trial: got}, (trial,))
    assert set(pair) in map(set, likely)


def test_of_another_shape_nothing_is_guessed() -> None:
    """A mistake that gives other shapes is no nearer than any."""
    oracle, trial, own = found("a8_language_model", "TransformerLM", "model_takes_a_batch")
    got = oracle.answers(("logits_of_the_last_position",), trial)
    assert got
    assert (how_far(oracle, own, trial, got) == FAR).all()


def test_what_is_right_is_near_to_no_two_mistakes() -> None:
    """There is nothing to explain."""
    oracle, trial, own = found("a8_language_model", "TransformerLM", "model_takes_a_batch")
    assert (how_far(oracle, own, trial, oracle.expected(trial)) == FAR).all()


def test_numbers_of_any_size_are_compared_without_a_word() -> None:
    """What is wrong may be so large that its square is infinite."""
    oracle, trial, own = found("a3_gates", "lstm_step", "step_takes_a_batch")
    (outcome,) = oracle.expected(trial)
    huge = replace(outcome, value=tuple(array * 1e300 for array in outcome.value))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        far = how_far(oracle, own, trial, (huge,))
    assert np.isfinite(far).all()
