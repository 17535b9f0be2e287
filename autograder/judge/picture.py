"""Numbers to draw in a student's feedback: a public case's answer beside the expected one, and losses by step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from autograder.course.spec import Answer, Finding, Plot
from autograder.sandbox.child.tree import array_of, as_arrays

MAX_SIDE = 48  # rows and columns of a heat map; a larger one is cut around the first difference
LEAST = 6  # entries of an answer that is worth a heat map
MAX_POINTS = 300  # of a line; of a longer one every n-th is kept
TOLD, LEVELS = 10, 16  # losses drawn of a submission's own training, and levels that each is rounded to
DIGITS = 4  # significant, so that results stay small
LARGEST = 1e100  # of a curve; what is beyond is left out, since distances between such numbers overflow

Curve = tuple[tuple[float, float], ...]
Grid = tuple[tuple[float | None, ...], ...]  # None where a value is not finite


@dataclass(frozen=True)
class Lines:
    """Curves by name, each a row of (x, y); `log` asks for a logarithmic y axis."""

    curves: tuple[tuple[str, Curve], ...]
    x: str
    y: str
    log: bool = False
    kind: ClassVar[str] = "lines"


@dataclass(frozen=True)
class Heat:
    """Two grids of numbers of one shape, the student's and the expected one; `place` says which part they are.

    Rows and columns that stand for words have these as names.
    """

    yours: Grid
    expected: Grid
    place: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    kind: ClassVar[str] = "heat"


Picture = Lines | Heat


def as_json(picture: Picture | None) -> dict[str, object] | None:
    """Return a picture as it stands in results."""
    return None if picture is None else {"kind": picture.kind, **asdict(picture)}


def from_json(found: Mapping[str, Any] | None) -> Picture | None:
    """Return the picture that stands in results."""
    if found is None:
        return None
    if found["kind"] == "heat":
        names = (tuple(found.get(axis, ())) for axis in ("rows", "columns"))
        return Heat(_rows(found["yours"]), _rows(found["expected"]), found["place"], *names)
    curves = tuple((name, tuple((x, y) for x, y in points)) for name, points in found["curves"])
    return Lines(curves, found["x"], found["y"], found["log"])


def _rows(grid: Sequence[Sequence[float | None]]) -> Grid:
    return tuple(tuple(row) for row in grid)


def training_picture(yours: Sequence[tuple[int, float]], reference: Sequence[tuple[int, float]]) -> Lines:
    """Return a picture of losses by step, from 1 on, with the student's rounded; the steps that are given count from 0."""
    curves = (("yours", _rough(yours, reference)), ("reference", _thinned(reference)))
    counted = ((name, tuple((step + 1, loss) for step, loss in curve)) for name, curve in curves if curve)
    return Lines(tuple(counted), "step", "loss (yours rounded)", log=True)


def _rough(yours: Sequence[tuple[float, float]], reference: Sequence[tuple[float, float]]) -> Curve:
    """Return a submission's losses at a few of the reference's steps, each as the nearest of a few levels.

    The submission reports them itself, so it could write hidden inputs into them. Ten of sixteen levels are enough for a
    curve and too few for a message.
    """
    told: dict[float, float] = dict(yours)
    known = [(step, math.log(loss)) for step, loss in reference if loss > 0]
    if not known:
        return ()
    losses = [loss for _, loss in known]
    reach = max(losses) - min(losses) or 1.0
    bottom, size = min(losses) - reach / 2, 2 * reach / (LEVELS - 1)
    curve = []
    for step, _ in _some(known, TOLD):
        if 0 < told.get(step, 0) < math.inf:
            level = round((math.log(told[step]) - bottom) / size)
            curve.append((step, _rounded(math.exp(bottom + size * min(max(level, 0), LEVELS - 1)))))
    return tuple(curve)


def plotted(plot: Plot, yours: Sequence[Answer], expected: Sequence[Answer]) -> Lines | None:
    """Return each call's row as a line beside the expected one, on a logarithmic axis, or None without any row."""
    curves = []
    for label, mine, theirs in zip(plot.calls, yours, expected, strict=True):
        for whose, answer in (("yours", mine), ("expected", theirs)):
            try:
                row = _numbers(plot.row(as_arrays(answer.value)))
            except Exception:  # noqa: BLE001, S112 (an author's function on any value that a student returned; without a row there is no line)
                continue
            if row is not None and row.ndim == 1:
                points = [(t, value) for t, value in enumerate(row) if 0 < value < LARGEST]
                curves.append((f"{whose}, {label}", _thinned(points)))
    return Lines(tuple(curves), "t", plot.label, log=True) if curves else None


def heat_map(finding: Finding, words: tuple[str, ...] = ()) -> Heat | None:
    """Return the two-dimensional part of an answer that holds its first difference, or None.

    An axis as long as there are words gets them as names.
    """
    got, expected = _numbers(finding.got), _numbers(finding.expected)
    if got is None or expected is None or got.shape != expected.shape or got.ndim < 1 or got.size < LEAST:
        return None
    index = finding.index or (0,) * got.ndim
    leading = index[: max(got.ndim - 2, 0)]
    got, expected = np.atleast_2d(got[leading]), np.atleast_2d(expected[leading])
    row, column = (0, *index)[-2:]
    part = tuple(_window(at, size) for at, size in zip((row, column), got.shape, strict=True))
    names = (words[cut] if len(words) == size else () for cut, size in zip(part, got.shape, strict=True))
    place = f"[{', '.join(map(str, leading))}]" if leading else ""
    return Heat(_grid(got[part]), _grid(expected[part]), place, *names)


def _window(at: int, size: int) -> slice:
    start = min(max(at - MAX_SIDE // 2, 0), max(size - MAX_SIDE, 0))
    return slice(start, start + MAX_SIDE)


def _numbers(value: Any) -> np.ndarray | None:
    array = array_of(value)
    return None if array is None or array.dtype.kind not in "fiub" else np.asarray(array, np.float64)


def _grid(array: np.ndarray) -> Grid:
    return tuple(tuple(_rounded(x) if math.isfinite(x) else None for x in row) for row in array.tolist())


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _thinned(points: Sequence[tuple[float, float]]) -> Curve:
    return tuple((x, _rounded(y)) for x, y in _some(points, MAX_POINTS))


def _some(points: Sequence[tuple[float, float]], most: int) -> list[tuple[float, float]]:
    """Return every n-th point, and the last."""
    step = max(1, -(-len(points) // most))
    return [*points[::step], *points[-1:]] if (len(points) - 1) % step else list(points[::step])
