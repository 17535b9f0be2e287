"""What all figures are drawn with: lines of text, lines, boxes, and a light card around them that turns dark on dark pages.

The scripts beside this one draw an assignment each: python assignments/figures/a5_attention.py. Numbers that they show are
computed with the references, so they run in the repository only.
"""

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[2]
ASSIGNMENTS = ROOT / "assignments"  # where figures are written
PAPER, EDGE, INK, PALE, WHITE = "#f6f8fa", "#c8d0d8", "#1f2933", "#5b6875", "#ffffff"
# Told apart by labels, dashes and places too, not by colour alone.
BLUE, AMBER, GREEN = "#1d4ed8", "#b45309", "#047857"
MONO = ' font-family="Menlo, Consolas, monospace"'
DARK = "@media (prefers-color-scheme: dark) { svg { filter: invert(.9) hue-rotate(180deg); } }"
TIP = re.compile(r"url\(#tip([0-9a-f]{6})\)")

Point = tuple[float, float]


def reference(slug: str, file: str) -> ModuleType:
    """Load the reference solution of an assignment."""
    spec = importlib.util.spec_from_file_location(f"{slug}_reference", ROOT / "solutions" / slug / file)
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def text(
    x: float, y: float, content: str, *, size: int = 14, ink: str = INK, anchor: str = "middle", extra: str = ""
) -> str:
    """Return a line of text, centred on a point unless said otherwise; `extra` are further attributes."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{ink}" text-anchor="{anchor}"{extra}>'
        f"{escape(content)}</text>"
    )


def symbol(x: float, y: float, letter: str, index: str, *, size: int = 16, ink: str = INK) -> str:
    """Return a letter with a small index below it."""
    small = f'<tspan dy="4" font-size="{size - 5}">{escape(index)}</tspan>' if index else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{ink}" text-anchor="middle" font-style="italic">'
        f"{escape(letter)}{small}</text>"
    )


def line(
    *points: Point, ink: str = INK, width: float = 1.5, tip: bool = False, dash: str = "", halo: bool = False
) -> str:
    """Return a line through points, perhaps with an arrow's tip; with a halo an arrow passes over what was drawn before."""
    path = " ".join(f"{x:g},{y:g}" for x, y in ((round(x, 1), round(y, 1)) for x, y in points))
    end = f' marker-end="url(#tip{ink[1:]})"' if tip else ""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    under = (
        f'<polyline points="{path}" fill="none" stroke="{PAPER}" stroke-width="{width + 6:g}"/>' if halo and tip else ""
    )
    return f'{under}<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="{width:g}"{dashes}{end}/>'


def box(
    x: float, y: float, width: float, height: float, *, ink: str = INK, fill: str = WHITE, dash: str = "", rx: int = 6
) -> str:
    """Return a rounded rectangle, given by its upper left corner."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{rx}" fill="{fill}" stroke="{ink}" '
        f'stroke-width="1.5"{dashes}/>'
    )


def cell(x: float, y: float, size: float, fill: str, edge: str = EDGE) -> str:
    """Return a square of a map."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}" fill="{fill}" stroke="{edge}" stroke-width="1"/>'
    )


def mixed(one: str, other: str, share: float) -> str:
    """Return a colour between two."""
    pairs = ((int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def tinted(ink: str, share: float) -> str:
    """Return an ink on white, the stronger the larger the share."""
    return mixed(WHITE, ink, share)


def figure(slug: str, name: str, width: int, height: int, title: str, parts: Sequence[str]) -> None:
    """Write a figure of an assignment."""
    body = "\n".join(parts)
    tips = "".join(
        f'<marker id="tip{ink}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="#{ink}"/></marker>'
        for ink in sorted(set(TIP.findall(body)))
    )
    folder = ASSIGNMENTS / slug / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" font-family="Helvetica, Arial, sans-serif">\n'
        f"<title>{escape(title)}</title>\n<style>{DARK}</style>\n<defs>{tips}</defs>\n"
        f'<rect x="1" y="1" width="{width - 2}" height="{height - 2}" rx="10" fill="{PAPER}" stroke="{EDGE}"/>\n'
        f"{body}\n</svg>\n",
        encoding="utf-8",
    )
