"""What tests of handouts share."""

from __future__ import annotations

from typing import Any


def without_seconds(tree: Any) -> Any:
    """Return a result without what differs from run to run."""
    if isinstance(tree, dict):
        return {key: without_seconds(value) for key, value in tree.items() if key != "seconds"}
    return [without_seconds(item) for item in tree] if isinstance(tree, list | tuple) else tree
