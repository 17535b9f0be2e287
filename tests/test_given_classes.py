"""A given constructor that was broken costs its own exercise; what needs the class keeps its points, however the class is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Source
from autograder.sandbox.levels import open_sandbox

COURSE = Path(__file__).parent.parent
LINES = {
    "a8_language_model": "class TransformerLM(nn.Module):",
    "a7_transformer": "class EncoderBlock(nn.Module):",
}


def lost(slug: str, *edits: tuple[str, str]) -> set[str]:
    """Return the exercises that lose points in the reference with some edits."""
    assignment = replace(load_assignment(COURSE, slug).without_training(), misconceptions=())
    text = assignment.reference
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    with open_sandbox(1, torch=True) as sandbox:
        result = grade(Source.of(assignment.file, text), Oracle(assignment, 5), sandbox)
    return {e.name for e in result.exercises if e.score < e.max_score}


def raising(slug: str) -> tuple[str, str]:
    """Return the edit by which the constructor of a class raises."""
    text = load_assignment(COURSE, slug).reference
    head = text[text.index(LINES[slug]) :]
    first = head[head.index("        super().__init__()\n") :].partition("\n")[0]
    before = head[: head.index(first)]
    return before + first, f"{before}{first}\n        self.register_bufer()"


CACHED = ("keys = torch.cat([cache[layer][0], keys], dim=1)", "keys = torch.cat([keys, cache[layer][0]], dim=1)")


def test_a_derived_class_is_made_with_the_given_constructor() -> None:
    """And a mistake of its own counts all the same."""
    assert lost("a8_language_model", raising("a8_language_model")) == {"TransformerLM"}
    assert lost("a8_language_model", raising("a8_language_model"), CACHED) == {"TransformerLM", "CachedTransformerLM"}


@pytest.mark.parametrize("how", ["raises", "is not defined"])
def test_what_is_built_of_a_broken_class_is_judged_with_the_given_one(how: str) -> None:
    """Be it that its constructor fails, or the class statement itself."""
    edit = raising("a7_transformer") if how == "raises" else (LINES["a7_transformer"], "class EncoderBlock(nn.module):")
    assert lost("a7_transformer", edit) == {"EncoderBlock"}
