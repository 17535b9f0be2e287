"""Draw the attention weights of a trained reference, which trained_maps.py measured and keeps in trained_maps.json.

Beside it stands a map of the same sentence that was set by hand: what a head would look like that does nothing else.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from svg import AMBER, BLUE, PALE, box, cell, figure, filled, numbered, text

KEPT = Path(__file__).with_name("trained_maps.json")
SHOWN = 0.005  # weights that are rounded to zero are no numbers in the picture


def kept_maps() -> dict[str, Any]:
    """Return what was measured, by assignment."""
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def attention_map(slug: str, title: str, says: str, *, size: int, numbers: bool = True) -> None:
    """Draw the map of an assignment's trained reference; `says` is what its rows are."""
    draw_map(slug, "trained_attention", kept_maps()[slug], title, says, size=size, numbers=numbers)


def hand_made_map(
    slug: str, looked_for: Callable[[int, int], int], title: str, says: str, *, size: int, numbers: bool = True
) -> None:
    """Draw a map of the same rows and columns, set by hand: row r gives all its weight to column `looked_for(r, columns)`."""
    kept = kept_maps()[slug]
    columns = len(kept["read"])
    places = [looked_for(row, columns) for row in range(len(kept["said"]))]
    weights = [[float(column == place) for column in range(columns)] for place in places]
    draw_map(slug, "hand_made_attention", kept | {"weights": weights}, title, says, size=size, numbers=numbers)


def draw_map(
    slug: str, name: str, kept: Mapping[str, Any], title: str, says: str, *, size: int, numbers: bool = True
) -> None:
    """Draw a map: a row for what the model says, in words `says`, and a column for what it looks at.

    With numbers, a frame is around what a row says where that stands in the source, read from right to left.
    """
    left, top, font = 96 if numbers else 60, 92, 16 if numbers else 17
    wide, high = size * len(kept["read"]), size * len(kept["said"])
    letters = {} if numbers else {"extra": ' font-family="Menlo, Consolas, monospace"'}
    told = round(0.036 * (left + wide + 24))  # as large on a phone in every picture, whatever its own width
    parts = [text(left + wide / 2, 30, title, size=told), text(left + wide / 2, 58, "looked at", size=told, ink=PALE)]
    for column, label in enumerate(kept["read"]):
        parts.append(text(left + size * (column + 0.5), top - 10, label.replace(" ", "␣"), size=font, **letters))
    for row, (label, weights) in enumerate(zip(kept["said"], kept["weights"], strict=True)):
        y = top + size * row
        parts.append(text(left - 10, y + size / 2 + 6, label.replace(" ", "␣"), size=font, anchor="end", **letters))
        for column, weight in enumerate(weights):
            x = left + size * column
            shown = numbers and weight >= SHOWN
            fill, ink = numbered(BLUE, weight) if shown else (filled(BLUE, weight), BLUE)
            parts.append(cell(x, y, size, fill))
            if shown:
                number = f"{weight:.2f}".lstrip("0") if weight < 1 else "1"
                parts.append(text(x + size / 2, y + size / 2 + 6, number, size=16, ink=ink))
        if numbers and row < len(kept["read"]):
            parts.append(frame(left + wide - size * (row + 1), y, size))
    x, y = 26, top + high / 2
    parts.append(text(x, y, says, size=told, ink=PALE, extra=f' transform="rotate(-90 {x} {y:g})"'))
    low = top + high + 32
    parts += key(left, low, told, numbers=numbers)
    figure(slug, name, left + wide + 24, low + 24, title, parts)


def frame(x: float, y: float, size: float) -> str:
    """Return a frame inside a cell."""
    return box(x + 2.5, y + 2.5, size - 5, size - 5, ink=AMBER, share=0, rx=3)


def key(left: float, low: float, told: int, *, numbers: bool) -> list[str]:
    """Return what a frame means, or where no numbers stand, what the shades do."""
    if numbers:
        return [frame(left, low - 15, 22), text(left + 32, low, "what is said", size=told, anchor="start")]
    parts = [text(left, low, "weight", size=told, anchor="start")]
    for number, share in enumerate((0, 0.25, 0.5, 0.75, 1)):
        x = left + 84 + 80 * number
        parts += [cell(x, low - 16, 22, filled(BLUE, share))]
        parts.append(text(x + 30, low, f"{share:g}".removeprefix("0") or "0", size=told, anchor="start"))
    return parts
