"""Draw the runs of a debugging lab: a few curves side by side, each beside the healthy run's, and a table of numbers below.

What is drawn was measured by broken_runs.py. Which run a picture shows follows from the key alone: it is the run of the
mistake that the question's right option names. A picture itself holds no name.
"""

import itertools
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import svg
from svg import AMBER, EDGE, INK, PALE, ROOT, Point, figure, line, power, text

from autograder.course.catalog import load_assignment

HEALTHY = "reference"
WIDTH, LEFT, GAP, TOP, HIGH = 744, 58, 66, 62, 150
LEAST_DECADES = 3
FLOOR = 1e-60  # where a logarithmic scale ends at the latest; what is less is drawn there

Run = dict[str, Any]
Rows = Callable[[Run], Sequence[str]]


@dataclass(frozen=True)
class Panel:
    """A curve of a run: the series, what is written above and below, its scale, and how many numbers one point is the mean of."""

    series: str
    title: str
    below: str
    first: int = 1  # the number of the first step
    log: bool = True
    mean: int = 1


def draw_lab(slug: str, panels: Sequence[Panel], heads: Sequence[str], rows: Rows) -> None:
    """Draw the run of every question of an assignment's lab; `rows` says what stands under each of the `heads`."""
    document = json.loads((ROOT / "solutions" / slug / "debugging_lab.json").read_text(encoding="utf-8"))
    runs, wide = document["runs"], (WIDTH - LEFT - GAP * (len(panels) - 1) - 20) / len(panels)
    for question in load_assignment(ROOT, slug).questions:
        if not question.shows:
            continue
        run = runs[question.answer.mistake]
        parts = list(_legend(question.name))
        for number, panel in enumerate(panels):
            parts += _panel(panel, run, runs[HEALTHY], LEFT + number * (wide + GAP), wide)
        table = [("", *heads), ("this run", *rows(run)), ("healthy run", *rows(runs[HEALTHY]))]
        low = TOP + HIGH + 72
        parts += _table(table, low)
        figure(slug, question.name, WIDTH, low + 22 * len(table), question.name.replace("_", " "), parts)


def _legend(name: str) -> list[str]:
    x = WIDTH - 20
    return [
        text(20, 28, name.replace("_", " "), size=16, anchor="start"),
        line((x - 226, 23), (x - 196, 23), ink=AMBER, width=2.5),
        text(x - 190, 28, "this run", size=13, anchor="start"),
        line((x - 118, 23), (x - 88, 23), ink=PALE, dash="5 4"),
        text(x - 82, 28, "healthy run", size=13, anchor="start"),
    ]


def _panel(panel: Panel, run: Run, healthy: Run, left: float, wide: float) -> list[str]:
    theirs, own = (_points(panel, each[panel.series]) for each in (healthy, run))
    values = [value for _, value in theirs + own]
    low, high, ticks = _log_scale(values) if panel.log else _scale(values)
    last = theirs[-1][0]

    def place(x: float, value: float) -> Point:
        value = math.log10(max(value, FLOOR)) if panel.log else value
        share = (min(max(value, low), high) - low) / (high - low)
        return left + wide * (x - theirs[0][0]) / (last - theirs[0][0]), TOP + HIGH * (1 - share)

    parts = [text(left + wide / 2, TOP - 12, panel.title, size=13)]
    for value, label in ticks:
        y = TOP + HIGH * (1 - (value - low) / (high - low))
        parts += [line((left, y), (left + wide, y), ink=EDGE, width=1), _label(left - 6, y + 4, label, log=panel.log)]
    steps = panel.first + len(healthy[panel.series]) - 1
    parts += [
        text(left, TOP + HIGH + 18, str(panel.first), size=12, ink=PALE),
        text(left + wide, TOP + HIGH + 18, str(steps), size=12, ink=PALE),
        text(left + wide / 2, TOP + HIGH + 34, panel.below, size=12, ink=PALE),
        line(*(place(*point) for point in own), ink=AMBER, width=2.5),
        line(*(place(*point) for point in theirs), ink=PALE, dash="5 4"),  # on top, to be seen where both are alike
    ]
    return parts


def _points(panel: Panel, numbers: Sequence[float]) -> list[Point]:
    """Return the places of a curve, which ends where it is no number any more; logarithms are drawn, so means are theirs."""
    numbers = list(itertools.takewhile(math.isfinite, numbers))
    chunks = [np.array(numbers[i : i + panel.mean]) for i in range(0, len(numbers), panel.mean)]
    means = [math.exp(np.log(np.maximum(c, FLOOR)).mean()) if panel.log else float(c.mean()) for c in chunks]
    return [(panel.first + i * panel.mean + (panel.mean - 1) / 2, value) for i, value in enumerate(means)]


def _scale(values: Sequence[float]) -> tuple[float, float, list[tuple[float, str]]]:
    """Return where a scale from zero begins and ends, and its marks."""
    step = next(s * 10**e for e in range(-3, 9) for s in (1, 2, 5) if s * 10**e * 4 >= max(values))
    ticks = [i * step for i in range(math.ceil(max(values) / step) + 1)]
    return 0.0, ticks[-1], [(tick, f"{tick:g}".removeprefix("0") or "0") for tick in ticks]


def _log_scale(values: Sequence[float]) -> tuple[float, float, list[tuple[float, str]]]:
    exponents = [math.log10(value) for value in values if value > 2 * FLOOR]  # zeros are drawn at the lower end
    low, high = math.floor(min(exponents)), math.ceil(max(exponents))
    low -= max(0, LEAST_DECADES - (high - low))  # what hardly varies is to look flat
    step = next(s for s in (1, 2, 5, 10, 20) if s * 4 >= high - low)
    first = math.floor(low / step) * step
    ticks = list(range(first, first + step * (math.ceil((high - first) / step) + 1), step))
    return ticks[0], ticks[-1], [(tick, str(tick)) for tick in ticks]


def _label(x: float, y: float, label: str, *, log: bool) -> str:
    return power(x, y, label, size=12) if log else text(x, round(y, 1), label, size=12, ink=PALE, anchor="end")


def _table(table: Sequence[Sequence[str]], low: float) -> list[str]:
    wide = (WIDTH - 140) / len(table[0])  # the last column is twice as wide
    parts = []
    for number, (name, *entries) in enumerate(table):
        y, ink = low + 22 * number, PALE if number == 0 else INK
        parts.append(text(20, y, name, size=13, ink=ink, anchor="start"))
        parts += [
            text(120 + wide * i, y, entry, size=13, ink=ink, anchor="start", extra=svg.MONO * (number > 0))
            for i, entry in enumerate(entries)
        ]
    return parts
