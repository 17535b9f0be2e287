"""A name of the other library is told by its name in this one, which has to be there, and which no exercise forbids."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from autograder.course.catalog import load_assignment, slugs
from autograder.judge.names_elsewhere import FUNCTIONS, METHODS, TO_WRITE, function_elsewhere, method_elsewhere
from autograder.sandbox.child.names_used import forbids

ROOT = Path(__file__).parent.parent
LIBRARIES: dict[str, ModuleType] = {"numpy": np, "torch": torch}
TOLD = [here for names in (*FUNCTIONS.values(), *METHODS.values()) for here in names.values()]
X = {"numpy": np.ones((2, 2)), "torch": torch.ones(2, 2)}


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_library_has_no_such_name(library: str) -> None:
    """What a library has raises no exception, so that nothing would be told."""
    written = TO_WRITE if library == "numpy" else frozenset()
    assert [name for name in (*FUNCTIONS[library], *written) if hasattr(LIBRARIES[library], name)] == []
    assert [name for name in METHODS[library] if hasattr(X[library], name)] == []


@pytest.mark.parametrize("here", sorted(set(TOLD)))
def test_what_is_told_is_there_and_allowed(here: str) -> None:
    """In the library, or among what an array or tensor can do."""
    full = re.match(r"(np|torch|x)((?:\.\w+)*)", here)
    assert full, here
    path = full[2].split(".")[1:]
    starts = {"np": [np], "torch": [torch], "x": [*X.values()]}[full[1]]
    assert any(_reached(start, path) for start in starts), here
    name = ".".join(["numpy" if full[1] == "np" else full[1], *path])
    assert [pattern for pattern in _forbidden() if forbids(pattern, name)] == []


@cache
def _forbidden() -> frozenset[str]:
    every = [load_assignment(ROOT, slug).shortcuts for slug in slugs(ROOT)]
    return frozenset(pattern for rules in every for rule in rules for pattern in rule.names)


def _reached(start: object, path: list[str]) -> bool:
    for part in path:
        if not hasattr(start, part):
            return False
        start = getattr(start, part)
    return True


def test_what_is_not_known_is_not_told() -> None:
    """The nearest name is told then, or that it is the other library's."""
    assert function_elsewhere("numpy", "softmax").endswith("write it yourself, with `np.exp` and the like.")
    assert function_elsewhere("torch", "batch_matmul") == "`torch` has no `batch_matmul`. Here it is `torch.bmm`."
    assert function_elsewhere("torch", "nonsense") == function_elsewhere("pandas", "cat") == ""
    assert "`x.astype(dtype)`" in method_elsewhere("`h`", "to", is_tensor=False)
    assert method_elsewhere("`h`", "to", is_tensor=True) == ""
