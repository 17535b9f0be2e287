"""What tests that compare a reference with an oracle share: the reference as a module, and random small shapes."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy, integers, tuples

from autograder.sandbox.child import names_used
from autograder.sandbox.job import Ending, Job, JobResult, Outcome

EXAMPLES = 20


def module(path: Path) -> ModuleType:
    """Load a file of the repository as a module of its own."""
    name = f"oracle_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded  # dataclasses look their module up
    spec.loader.exec_module(loaded)
    return loaded


def small(**drawn: SearchStrategy[Any]) -> Callable[[Any], Any]:
    """Run a test with some draws of its arguments; no grade depends on them. Fixtures are made once for all of them, which suits generators."""

    def decorate(test: Any) -> Any:
        return settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])(
            given(**drawn)(test)
        )

    return decorate


def sizes(count: int, least: int = 1, most: int = 5) -> SearchStrategy[tuple[int, ...]]:
    """Draw so many sizes of axes."""
    return tuples(*[integers(least, most)] * count)


def read_honestly(job: Job) -> JobResult | None:
    """Return what a child says of a source that it looks through, None for any other job: nothing of a student's runs there."""
    if job.source.module != "reading":
        return None
    found = names_used.read(*job.requests[0].args)
    return JobResult((Outcome(Ending.RETURNED, found),), Outcome(Ending.RETURNED))
