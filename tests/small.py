"""Random small shapes for tests that compare a reference with an oracle; no grade depends on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy, integers, tuples

EXAMPLES = 20


def small(**drawn: SearchStrategy[Any]) -> Callable[[Any], Any]:
    """Run a test with some draws of its arguments. Fixtures are made once for all of them, which suits generators."""

    def decorate(test: Any) -> Any:
        return settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])(
            given(**drawn)(test)
        )

    return decorate


def sizes(count: int, least: int = 1, most: int = 5) -> SearchStrategy[tuple[int, ...]]:
    """Draw so many sizes of axes."""
    return tuples(*[integers(least, most)] * count)
