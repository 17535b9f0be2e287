"""Pictures as SVG inside a page: an answer as a heat map beside the expected one, and curves on a logarithmic axis.

Pure functions; everything that is text in them is escaped. Colours come from
the page's style, so that a picture follows its light and dark scheme; nothing is told by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from autograder.course.language import marked, say, say_many
from autograder.judge.picture import Heat, Lines, Picture

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 480, 220
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 12, 36
MOST_LABELLED = 24  # entries whose numbers are written into a heat map
MAX_DECADES = 7  # labels on a logarithmic axis
STRONGEST, WRITTEN_ON = 0.95, 0.45  # opacity of the largest number; of one that is written into its cell


def chart(picture: Picture) -> Markup:
    """Return a picture of a result as a figure."""
    return _heat(picture) if isinstance(picture, Heat) else _lines(picture)


def _heat(picture: Heat) -> Markup:
    """Draw the student's numbers, the expected ones, and where they differ."""
    yours, expected = picture.yours, picture.expected
    known = [abs(x) for row in (*yours, *expected) for x in row if x is not None]
    most = max(known, default=0.0) or 1.0
    gaps = [[_gap(a, b, most) for a, b in zip(*rows, strict=True)] for rows in zip(yours, expected, strict=True)]
    places = sum(gap > _VISIBLE for row in gaps for gap in row)
    total = sum(map(len, yours))
    where = f" {picture.place}" if picture.place else ""
    told = say_many(
        "Yours{where} beside what was expected: {n} of {total} numbers differs visibly, with a frame around it.",
        "Yours{where} beside what was expected: {n} of {total} numbers differ visibly, with a frame around each.",
        places,
        where=where,
        total=total,
    )
    grids = Markup("").join(
        Markup('<div><p class="tag">{}</p>{}</div>').format(name, _grid(grid, most, marks, f"{name}{where}", picture))
        for name, grid, marks in ((say("yours"), yours, gaps), (say("expected"), expected, None))
    )
    text = f"{told} {say('Blue is positive, orange negative.')}"
    return Markup('<figure class="heat"><div class="pair">{}</div><figcaption>{}</figcaption></figure>').format(
        grids, text
    )


_VISIBLE = 1e-3  # of the largest number; less would not be seen in a colour


def _gap(mine: float | None, theirs: float | None, most: float) -> float:
    if mine is None or theirs is None:
        return 0.0 if mine is theirs else math.inf
    return abs(mine - theirs) / most


def _grid(
    grid: Sequence[Sequence[float | None]], most: float, gaps: list[list[float]] | None, label: str, named: Heat
) -> Markup:
    rows, columns = len(grid), len(grid[0])
    written = rows * columns <= MOST_LABELLED
    wide, high = (56, 28) if written else (max(4, min(20, 400 // columns)),) * 2
    size = (columns * wide, rows * high)
    cells = Markup("").join(
        _cell(
            value, most, (column * wide, row * high, wide, high), written, bool(gaps and gaps[row][column] > _VISIBLE)
        )
        for row, values in enumerate(grid)
        for column, value in enumerate(values)
    )
    left, top = _room(named.rows), _room(named.columns) if named.columns and not written else 20 * bool(named.columns)
    names = Markup("").join(
        [
            *(_text(-6, row * high + high / 2 + 4, word, "end") for row, word in enumerate(named.rows)),
            *(
                _column_name(column * wide + wide / 2, word, upright=written)
                for column, word in enumerate(named.columns)
            ),
        ]
    )
    box = (-1 - left, -1 - top, size[0] + 2 + left, size[1] + 2 + top)
    return Markup('<svg viewBox="{} {} {} {}" width="{}" role="img" aria-label="{}">{}{}</svg>').format(
        *box,
        box[2],
        say("Heat map: {label}, {rows} by {columns}", label=label, rows=rows, columns=columns),
        cells,
        names,
    )


def _room(names: Sequence[str]) -> int:
    """Return the room that the longest of some words takes, on a phone too."""
    return max((len(name) for name in names), default=-1) * 9 + 9


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(x, y, anchor, text)


def _column_name(x: float, word: str, *, upright: bool) -> Markup:
    """Write a word above its column, turned where the column is narrow."""
    if upright:
        return _text(x, -8, word, "middle")
    return Markup('<text x="{}" y="-6" transform="rotate(-90 {} -6)">{}</text>').format(x + 4, x + 4, word)


def _cell(value: float | None, most: float, box: tuple[int, int, int, int], written: bool, off: bool) -> Markup:
    x, y, wide, high = box
    share = 0.0 if value is None else (WRITTEN_ON if written else STRONGEST) * abs(value) / most
    kind = "none" if value is None else "minus" if value < 0 else "plus"
    inset = int(off)  # a frame lies inside its cell, where the next cell does not cover it
    parts = Markup('<rect class="{}{}" x="{}" y="{}" width="{}" height="{}" fill-opacity="{}"></rect>').format(
        kind, " off" * off, x + inset, y + inset, wide - 2 * inset, high - 2 * inset, f"{share:.3f}"
    )
    if written:
        parts += _text(x + wide / 2, y + high / 2 + 4, "NaN/∞" if value is None else f"{value:.3g}", "middle")
    return parts


def _lines(picture: Lines) -> Markup:
    """Draw curves over a common axis: the student's broad and pale, the other of a pair thin, so that both are seen."""
    curves = [(name, [(x, y) for x, y in points if y > 0 or not picture.log]) for name, points in picture.curves]
    points = [point for _, curve in curves for point in curve]
    if not points:
        return Markup("")
    xs, ys = [x for x, _ in points], [math.log10(y) if picture.log else y for _, y in points]
    frame = _Frame(min(xs), max(xs), min(ys), max(ys))
    styles = _styles([name for name, _ in curves])
    body = Markup("").join([*_axes(frame, picture), *_drawn(curves, styles, frame, picture.log)])
    ends = "; ".join(
        say("{curve}: from {first:.3g} to {last:.3g}", curve=_curve_said(name), first=c[0][1], last=c[-1][1])
        for name, c in curves
        if c
    )
    axes = say("{y} over {x}", y=_said(picture.y), x=_said(picture.x))
    legend = Markup(", ").join(
        Markup('<span class="key {}">{}</span>').format(style, _curve_said(name))
        for style, (name, _) in zip(styles, curves, strict=True)
    )
    svg = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, HEIGHT, f"{axes}. {ends}.", body
    )
    return Markup('<figure class="lines">{}<figcaption>{}: {}</figcaption></figure>').format(svg, axes, legend)


# The engine's own names of curves and axes. Whose a curve is tells how it is drawn, so it is said only here.
_NAMES = marked({
    "yours": "yours", "reference": "reference", "expected": "expected",
    "step": "step", "loss": "loss", "loss (yours rounded)": "loss (yours rounded)",
})  # fmt: skip


def _said(name: str) -> str:
    """Say a name of the engine's, or return an author's."""
    return say(_NAMES[name]) if name in _NAMES else name


def _curve_said(name: str) -> str:
    """Say whose a curve is; what follows a comma is the author's."""
    whose, comma, label = name.partition(",")
    return f"{_said(whose)}{comma}{label}"


class _Frame:
    """Where numbers lie in a drawing."""

    def __init__(self, x0: float, x1: float, y0: float, y1: float) -> None:
        spread = (y1 - y0) or 1.0
        self.x0, self.x1 = x0, x1 if x1 > x0 else x0 + 1
        self.y0, self.y1 = y0 - 0.05 * spread, y1 + 0.05 * spread

    def x(self, value: float) -> float:
        """Return the distance from the left."""
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (value - self.x0) / (self.x1 - self.x0), 1)

    def y(self, value: float) -> float:
        """Return the distance from the top."""
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (self.y1 - value) / (self.y1 - self.y0), 1)


def _axes(frame: _Frame, picture: Lines) -> Iterator[Markup]:
    for value, label in _ticks(frame.y0, frame.y1, log=picture.log):
        y = frame.y(value)
        yield Markup('<line x1="{}" x2="{}" y1="{}" y2="{}"></line>').format(LEFT, WIDTH - RIGHT, y, y)
        yield _text(LEFT - 6, y + 4, label, "end")
    for share in (0, 0.5, 1):
        value = frame.x0 + share * (frame.x1 - frame.x0)
        anchor = "start" if not share else "end" if share == 1 else "middle"
        yield Markup('<text x="{}" y="{}" text-anchor="{}">{:g}</text>').format(
            frame.x(value), HEIGHT - BOTTOM + 20, anchor, round(value)
        )


def _ticks(low: float, high: float, *, log: bool) -> list[tuple[float, str]]:
    """Return heights and labels: whole decades where there are some, else round numbers."""
    if log and math.floor(high) > math.ceil(low):
        decades = range(math.ceil(low), math.floor(high) + 1)
        kept = list(decades)[:: max(1, -(-len(decades) // MAX_DECADES))]
        return [(float(d), f"1e{d}" if not -3 < d < 5 else f"{10.0**d:g}") for d in kept]
    values = [low + (high - low) * share for share in (0.1, 0.5, 0.9)]
    return [(value, f"{10**value if log else value:.3g}") for value in values]


def _styles(names: Sequence[str]) -> list[str]:
    """Return each curve's classes: whose it is, and a colour and dash for each pair, which shares what follows a comma."""
    labels = list(dict.fromkeys(name.partition(",")[2] for name in names))
    return [
        f"{'yours' if name.partition(',')[0] == 'yours' else 'theirs'} pair{labels.index(name.partition(',')[2]) % 3}"
        for name in names
    ]


def _drawn(curves: Sequence[tuple[str, Points]], styles: Sequence[str], frame: _Frame, log: bool) -> Iterator[Markup]:
    for style, (_, points) in zip(styles, curves, strict=True):
        path = " ".join(f"{frame.x(x)},{frame.y(math.log10(y) if log else y)}" for x, y in points)
        yield Markup('<polyline class="{}" points="{}"></polyline>').format(style, path)
