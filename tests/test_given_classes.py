"""A given constructor that was broken costs its own exercise; what needs the class keeps its points, however the class is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import LostBy

from autograder.course.catalog import load_assignment

COURSE = Path(__file__).parent.parent
LINES = {
    "a8_language_model": "class TransformerLM(nn.Module):",
    "a7_transformer": "class EncoderBlock(nn.Module):",
}
Edit = tuple[str, str]


def raising(slug: str) -> Edit:
    """Return the edit by which the constructor of a class raises."""
    text = load_assignment(COURSE, slug).reference
    head = text[text.index(LINES[slug]) :]
    first = head[head.index("        super().__init__()\n") :].partition("\n")[0]
    before = head[: head.index(first)]
    return before + first, f"{before}{first}\n        self.register_bufer()"


CACHED = ("keys = torch.cat([cache[layer][0], keys], dim=1)", "keys = torch.cat([keys, cache[layer][0]], dim=1)")


def test_a_derived_class_is_made_with_the_given_constructor(lost_by: LostBy) -> None:
    """And a mistake of its own counts all the same."""
    assert lost_by("a8_language_model", raising("a8_language_model")) == {"TransformerLM"}
    assert lost_by("a8_language_model", raising("a8_language_model"), CACHED) == {
        "TransformerLM",
        "CachedTransformerLM",
    }


@pytest.mark.parametrize("how", ["raises", "is not defined"])
def test_what_is_built_of_a_broken_class_is_judged_with_the_given_one(how: str, lost_by: LostBy) -> None:
    """Be it that its constructor fails, or the class statement itself."""
    edit = raising("a7_transformer") if how == "raises" else (LINES["a7_transformer"], "class EncoderBlock(nn.module):")
    assert lost_by("a7_transformer", edit) == {"EncoderBlock"}
