"""Read the values of an assignment.toml, each of the kind that it has to be. All raise TypeError or ValueError."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any


def listed(entry: dict[str, Any], key: str, form: str = '["...", "..."]') -> tuple[Any, ...]:
    """Return a list's entries; a text in its place would be taken for its letters."""
    if not isinstance(entry[key], list):
        raise TypeError(f"{key} is not a list; write {form}")
    return tuple(entry[key])


def number(entry: dict[str, Any], key: str) -> float:
    """Return what has to be a number."""
    if isinstance(entry[key], bool) or not isinstance(entry[key], int | float):
        raise TypeError(f"{key} = {entry[key]!r} is not a number")
    return float(entry[key])


def flag(entry: dict[str, Any], key: str) -> bool:
    """Return true or false, by default false."""
    value = entry.get(key, False)
    if not isinstance(value, bool):
        raise TypeError(f"{key} = {value!r} is neither true nor false")
    return value


def one_of(entry: dict[str, Any], key: str, values: tuple[str, ...]) -> str:
    """Return a value, by default the first that there is."""
    value = entry.get(key, values[0])
    if value not in values:
        raise ValueError(f"{key} = {value!r} is none of {', '.join(map(repr, values))}")
    return str(value)


def refuse_unknown(entry: dict[str, Any], known: AbstractSet[str], where: str) -> None:
    """Raise an error about a key that means nothing."""
    if entry.keys() - known:
        raise ValueError(f"unknown key {min(entry.keys() - known)} in {where}; known are {', '.join(sorted(known))}")
