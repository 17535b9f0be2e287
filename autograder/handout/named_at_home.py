"""Make the files by which a handout names what it takes the reference to find out: two known mistakes at once, and small slips."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autograder.handout.pairs_of_mistakes import pairs_file
from autograder.handout.slips_at_home import slips_file
from autograder.oracle.oracle import Oracle

Shown = Callable[[Iterable[Any], str], Iterable[Any]]  # goes through things, and may show how far it is with what


def unseen(things: Iterable[Any], _: str) -> Iterable[Any]:
    """Go through things and show nothing."""
    return things


def named_at_home(oracle: Oracle, shown: Shown = unseen) -> dict[str, bytes]:
    """Return the files by their names in a handout; to make them takes up to minutes. The oracle is of public cases."""
    pairs = pairs_file(oracle, lambda pairs: shown(pairs, "any two known mistakes"))
    return pairs | slips_file(oracle, lambda exercises: shown(exercises, "small slips"))
