"""Draw the attention weights of a trained reference, which trained_maps.py measured and keeps in trained_maps.json."""

import json
from pathlib import Path
from typing import Any

from svg import AMBER, BLUE, INK, PALE, WHITE, box, cell, figure, text, tinted

KEPT = Path(__file__).with_name("trained_maps.json")
SHOWN = 0.005  # weights that are rounded to zero are no numbers in the picture


def kept_maps() -> dict[str, Any]:
    """Return what was measured, by assignment."""
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def attention_map(slug: str, title: str, says: str, *, size: int, numbers: bool = True) -> None:
    """Draw an assignment's map: a row for what the model says, in words `says`, and a column for what it looks at.

    With numbers, a frame is around what a row says where that stands in the source, read from right to left.
    """
    kept = kept_maps()[slug]
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
            parts.append(cell(x, y, size, tinted(BLUE, weight)))
            if numbers and weight >= SHOWN:
                number, ink = f"{weight:.2f}".lstrip("0"), WHITE if weight > 0.65 else INK
                parts.append(text(x + size / 2, y + size / 2 + 6, number, size=16, ink=ink))
        if numbers and row < len(kept["read"]):
            parts.append(frame(left + wide - size * (row + 1), y, size))
    x, y = 26, top + high / 2
    parts.append(text(x, y, says, size=told, ink=PALE, extra=f' transform="rotate(-90 {x} {y:g})"'))
    low = top + high + 32
    parts += key(left, low, told, numbers=numbers)
    figure(slug, "trained_attention", left + wide + 24, low + 24, title, parts)


def frame(x: float, y: float, size: float) -> str:
    """Return a frame inside a cell."""
    return box(x + 2.5, y + 2.5, size - 5, size - 5, ink=AMBER, fill="none", rx=3)


def key(left: float, low: float, told: int, *, numbers: bool) -> list[str]:
    """Return what a frame means, or where no numbers stand, what the shades do."""
    if numbers:
        return [frame(left, low - 15, 22), text(left + 32, low, "what is said", size=told, anchor="start")]
    parts = [text(left, low, "weight", size=told, anchor="start")]
    for number, share in enumerate((0, 0.25, 0.5, 0.75, 1)):
        x = left + 84 + 80 * number
        parts += [cell(x, low - 16, 22, tinted(BLUE, share))]
        parts.append(text(x + 30, low, f"{share:g}".removeprefix("0") or "0", size=told, anchor="start"))
    return parts
