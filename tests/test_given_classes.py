"""A given constructor that was broken costs its own exercise; what needs the class keeps its points, however the class is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Sandbox, Source

COURSE = Path(__file__).parent.parent
LINES = {
    "a8_language_model": "class TransformerLM(nn.Module):",
    "a7_transformer": "class EncoderBlock(nn.Module):",
}


Edit = tuple[str, str]
Lost = Callable[..., set[str]]


@cache
def oracle_of(slug: str) -> Oracle:
    """Return an assignment's oracle, which knows no mistakes."""
    return Oracle(replace(load_assignment(COURSE, slug).without_training(), misconceptions=()), 5)


@pytest.fixture
def lost(torch_sandbox: Sandbox) -> Lost:
    """Return a function that returns the exercises that lose points in the reference with some edits."""

    def of(slug: str, *edits: Edit) -> set[str]:
        assignment = oracle_of(slug).assignment
        text = assignment.reference
        for old, new in edits:
            assert old in text
            text = text.replace(old, new, 1)
        result = grade(Source.of(assignment.file, text), oracle_of(slug), torch_sandbox)
        return {e.name for e in result.exercises if e.score < e.max_score}

    return of


def raising(slug: str) -> Edit:
    """Return the edit by which the constructor of a class raises."""
    text = load_assignment(COURSE, slug).reference
    head = text[text.index(LINES[slug]) :]
    first = head[head.index("        super().__init__()\n") :].partition("\n")[0]
    before = head[: head.index(first)]
    return before + first, f"{before}{first}\n        self.register_bufer()"


CACHED = ("keys = torch.cat([cache[layer][0], keys], dim=1)", "keys = torch.cat([keys, cache[layer][0]], dim=1)")


def test_a_derived_class_is_made_with_the_given_constructor(lost: Lost) -> None:
    """And a mistake of its own counts all the same."""
    assert lost("a8_language_model", raising("a8_language_model")) == {"TransformerLM"}
    assert lost("a8_language_model", raising("a8_language_model"), CACHED) == {"TransformerLM", "CachedTransformerLM"}


@pytest.mark.parametrize("how", ["raises", "is not defined"])
def test_what_is_built_of_a_broken_class_is_judged_with_the_given_one(how: str, lost: Lost) -> None:
    """Be it that its constructor fails, or the class statement itself."""
    edit = raising("a7_transformer") if how == "raises" else (LINES["a7_transformer"], "class EncoderBlock(nn.module):")
    assert lost("a7_transformer", edit) == {"EncoderBlock"}


MASKS = {  # right ways to say the encoder's mask
    "none where nothing is hidden": "        real = None if (src != 0).all() else _not_padding(src)\n",
    "written out": "        real = _not_padding(src).expand(-1, src.shape[1], -1)\n",
    "a plain one for the first words": "        real = _not_padding(src) & torch.ones(src.shape[1], src.shape[1], dtype=torch.bool)\n",
}


@pytest.mark.parametrize("way", MASKS)
def test_a_mask_may_be_said_in_another_way(way: str, lost: Lost) -> None:
    """Beside a block of which nothing can be made."""
    edit = ("        real = _not_padding(src)\n", MASKS[way])
    assert lost("a7_transformer", raising("a7_transformer"), edit) == {"EncoderBlock"}


def test_a_wrong_mask_costs_its_exercise_in_any_way(lost: Lost) -> None:
    """One that hides nothing where something is to be hidden, be it none at all."""
    for mask in ("None", "torch.ones_like(_not_padding(src))"):
        edit = ("        real = _not_padding(src)\n", f"        real = {mask}\n")
        assert lost("a7_transformer", raising("a7_transformer"), edit) == {"EncoderBlock", "Transformer"}
