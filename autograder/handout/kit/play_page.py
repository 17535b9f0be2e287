"""One self-contained HTML page on what a model does: texts, bars, curves and attention maps, with no script and no network."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from autograder.course.language import say, spoken

LEFT, TOP = 20, 20  # of an attention map, in pixels
CELL, LARGE, FEW = 13, 22, 16  # a cell; one of a map with few columns, and how many these are
WIDE, HIGH = 640, 200  # of a curve
_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fdfdfb; --soft: #6a6a6a; --bar: #2f6fb0; --line: #d8d8d4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e6; --paper: #17181a; --soft: #a0a0a0; --bar: #7fb2ea; --line: #3a3b3e; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h2 { margin-top: 2.2rem; border-top: 1px solid var(--line); padding-top: 1rem; }
p.note, figcaption { color: var(--soft); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--bar); padding-left: .8rem; margin: .6rem 0; }
.row { display: flex; flex-wrap: wrap; gap: 1.2rem; }
.row > * { flex: 1 1 16rem; min-width: 0; margin: 0; }
.maps > * { flex: 0 1 auto; }
.bars { display: grid; grid-template-columns: max-content 1fr max-content; gap: .25rem .7rem; align-items: center; }
.bars i { background: var(--bar); height: 1rem; display: block; border-radius: 2px; }
svg { max-width: 100%; height: auto; } svg text { font: 11px monospace; fill: var(--ink); }
svg .on { fill: var(--bar); } svg .frame { fill: none; stroke: var(--line); }
svg polyline { fill: none; stroke: var(--bar); stroke-width: 1.5; }
"""


def page(title: str, sections: Mapping[str, str]) -> str:
    """Return a page with a heading for each section, whose values are HTML from the functions below."""
    body = "".join(f"<h2>{html.escape(name)}</h2>\n{inner}\n" for name, inner in sections.items())
    return (
        f'<!doctype html>\n<html lang="{spoken()}"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head>\n<body><h1>{html.escape(title)}</h1>\n{body}</body></html>\n"
    )


def note(text: str) -> str:
    """Return a paragraph that explains what stands below."""
    return f'<p class="note">{html.escape(text)}</p>'


def written(prompt: str, text: str) -> str:
    """Return what a model wrote, with what it was given in bold."""
    return f"<pre><b>{html.escape(prompt)}</b>{html.escape(text)}</pre>"


def beside(parts: Mapping[str, str], kind: str = "") -> str:
    """Return parts next to each other, each with its caption; `kind` is "maps" for parts of their own width."""
    figures = (f"<figure>{inner}<figcaption>{html.escape(name)}</figcaption></figure>" for name, inner in parts.items())
    return f'<div class="row {kind}">{"".join(figures)}</div>'


def bars(values: Mapping[str, float], unit: str = "") -> str:
    """Return a bar for each value, the largest over the whole width."""
    most = max(values.values(), default=0.0) or 1.0
    rows = (
        f'<span>{html.escape(name)}</span><i style="width:{100 * value / most:.1f}%"></i><span>{value:.3g}{unit}</span>'
        for name, value in values.items()
    )
    return f'<div class="bars">{"".join(rows)}</div>'


def heat_map(values: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], name: str) -> str:
    """Return values from 0 to 1 as a grid, darker for a larger one; of attention, a row for each query and a column for each key."""
    cell = LARGE if len(columns) <= FEW else CELL
    size = (LEFT + cell * len(columns), TOP + cell * len(rows))
    parts = [_label(LEFT + cell * (j + 0.5), TOP - 6, text) for j, text in enumerate(columns)]
    parts += [_label(LEFT / 2, TOP + cell * (i + 0.75), text) for i, text in enumerate(rows)]
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            if value >= 0.01:
                place = f'x="{LEFT + cell * j}" y="{TOP + cell * i}" width="{cell}" height="{cell}"'
                told = say("row {row}, column {column}: {value:.2f}", row=rows[i], column=columns[j], value=value)
                parts.append(
                    f'<rect class="on" {place} fill-opacity="{min(value, 1):.2f}"><title>{html.escape(told)}</title></rect>'
                )
    frame = f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{size[0] - LEFT}" height="{size[1] - TOP}"></rect>'
    start = f'<svg viewBox="0 0 {size[0] + 1} {size[1] + 1}" width="{size[0] + 1}" role="img" aria-label="{html.escape(name)}">'
    return f"{start}{frame}{''.join(parts)}</svg>"


def curve(losses: Sequence[float], marks: Sequence[int] = (), name: str = "") -> str:
    """Return losses, or what else `name` says, over steps as a line, with marked steps."""
    finite = [loss for loss in losses if math.isfinite(loss)]
    if len(finite) < 2:
        return note(say("There are no losses to draw."))
    low, high = min(finite), max(finite)
    x = [40 + (WIDE - 50) * step / (len(losses) - 1) for step in range(len(losses))]
    y = [10 + (HIGH - 40) * (high - loss) / ((high - low) or 1.0) for loss in losses]
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True) if math.isfinite(b))
    dots = [
        f'<circle class="on" cx="{x[m]:.1f}" cy="{y[m]:.1f}" r="4"></circle>' for m in marks if 0 <= m < len(losses)
    ]
    labels = [_label(18, 16, f"{high:.2f}"), _label(18, HIGH - 28, f"{low:.2f}"), _label(40, HIGH - 8, "1")]
    labels.append(_label(WIDE - 20, HIGH - 8, str(len(losses))))
    told = say("{name} over steps, from {high:.2f} to {low:.2f}", name=name or say("loss"), high=high, low=low)
    start = f'<svg viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" role="img" aria-label="{html.escape(told)}">'
    return f'{start}<polyline points="{line}"></polyline>{"".join(dots)}{"".join(labels)}</svg>'


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle">{html.escape(text)}</text>'
