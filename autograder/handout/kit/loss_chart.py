"""Draw losses over steps as text, yours beside the reference's, on a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from autograder.course.language import say
from autograder.judge.picture import Lines

ROWS, COLUMNS = 10, 60
YOURS, THEIRS, BOTH = "●", "○", "◉"
_LABEL = 8  # characters of a loss beside the axis


def losses_picture(yours: np.ndarray, reference: np.ndarray) -> Lines:
    """Return both rows of losses as a picture. At home nothing is rounded: the run is the student's own."""
    rows = (("yours", yours), ("reference", reference))
    return Lines(tuple((name, tuple(enumerate(row.tolist(), start=1))) for name, row in rows), "step", "loss", log=True)


def chart(picture: Lines, width: int) -> list[str]:
    """Return the lines of a chart, or none where there is no finite loss above zero to draw."""
    columns = max(20, min(COLUMNS, width - _LABEL - 6))
    last = max((step for _, curve in picture.curves for step, _ in curve), default=0)
    columns = int(min(columns, last))
    rows = [_by_column([loss for _, loss in curve], columns) for _, curve in picture.curves]
    known = [math.log(loss) for row in rows for loss in row if loss]
    if not known:
        return []
    low, high = min(known), max(known)
    places = [[_row(loss, low, high) for loss in row] for row in rows]
    return [*_drawn(places, low, high), *_axis(last, columns)]


def _by_column(losses: Sequence[float], columns: int) -> list[float]:
    """Return the mean loss of each column's steps; 0 where there is none that can be drawn."""
    parts = np.array_split(np.asarray(losses, np.float64), columns)
    return [float(p.mean()) if p.size and np.isfinite(p).all() and p.mean() > 0 else 0.0 for p in parts]


def _row(loss: float, low: float, high: float) -> int | None:
    """Return the row of a loss, from the top."""
    return round((ROWS - 1) * (high - math.log(loss)) / ((high - low) or 1.0)) if loss else None


def _drawn(places: Sequence[Sequence[int | None]], low: float, high: float) -> Iterator[str]:
    yours, theirs = places
    for row in range(ROWS):
        loss = math.exp(high - row / (ROWS - 1) * (high - low))
        label = f"{loss:.3g}" if row % 3 == 0 else ""
        marks = (_mark(a == row, b == row) for a, b in zip(yours, theirs, strict=True))
        yield f"{label:>{_LABEL}} ┤{''.join(marks)}".rstrip()


def _mark(yours: bool, theirs: bool) -> str:
    return (BOTH if theirs else YOURS) if yours else THEIRS if theirs else " "


def _axis(last: float, columns: int) -> Iterator[str]:
    end, loss = say("step {n:g}", n=last), say("loss")
    yield f"{'':{_LABEL}} └{'─' * columns}"
    yield f"{loss:>{_LABEL}}  1{end:>{max(columns - 1, len(end) + 1)}}"
    legend = say("{dot} yours  {ring} the reference's  {ringed} both", dot=YOURS, ring=THEIRS, ringed=BOTH)
    yield f"{'':{_LABEL}}  {legend}"
