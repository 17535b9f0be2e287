"""Read what assignment.toml says of an exercise that a person grades."""

from __future__ import annotations

from typing import Any

from autograder.course.assignment import RubricItem

_FORM = '[{ item = "says why", points = 1.0 }, ...]'


def read_rubric(entry: dict[str, Any]) -> tuple[RubricItem, ...]:
    """Return the rubric of an [[exercise]]. Raises ValueError where it is not written as it should be."""
    if not isinstance(entry.get("rubric", []), list):
        raise ValueError(f"rubric is not a list; write {_FORM}")  # noqa: TRY004 (the author's slip, told as the others)
    return tuple(map(_item, entry.get("rubric", [])))


def _item(entry: Any) -> RubricItem:
    sound = isinstance(entry, dict) and entry.keys() == {"item", "points"} and str(entry["item"]).strip()
    points = entry["points"] if sound else None
    if isinstance(points, bool) or not isinstance(points, int | float) or points < 0:
        raise ValueError(f"{entry!r} is no item of a rubric; write {_FORM}")
    return RubricItem(" ".join(str(entry["item"]).split()), float(points))


def refuse_mixed(entry: dict[str, Any], *, manual: bool) -> None:
    """Refuse keys of an [[exercise]] that do not go together. Raises ValueError."""
    name = entry["name"]
    if manual:
        if wrong := next((key for key in ("training", "blanks", "uses") if entry.get(key)), ""):
            raise ValueError(f"{name} has manual = true, so {wrong} says nothing about it; take one of them out")
        if not str(name).isidentifier():
            raise ValueError(f"{name} has manual = true, so its name must be one that can be assigned to in Python")
    elif wrong := next((key for key in ("rubric", "answer") if key in entry), ""):
        raise ValueError(f"{name} has a {wrong}, which only exercises with manual = true have: a person reads it")
