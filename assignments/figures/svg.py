"""What all figures are drawn with: lines of text, lines and boxes, on no ground of their own.

A page may be light or dark, and may be darkened by a switch that no picture hears of. So pictures are transparent, and every
ink is of middle lightness: its contrast is about 4 to 1 on white and on a dark page alike. Text on a filled cell is white, and the
fill is as dark as the inks; lighter fills let the page through.

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
EDGE, INK, PALE, WHITE = "#9aa3ad", "#737b85", "#757d87", "#ffffff"
# Told apart by labels, dashes and places too, not by colour alone.
BLUE, AMBER, GREEN, RED = "#2f74e8", "#bd6a10", "#138a5e", "#e0315a"
COLUMN, SMALLEST = 830, 11  # the width of a README's column, and the smallest text that is legible in it
FAINT = 0.15  # the least share that fills a cell with a number
MONO = ' font-family="Menlo, Consolas, monospace"'
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
    small = f'<tspan dy="4" font-size="{max(size - 4, 12)}">{escape(index)}</tspan>' if index else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{ink}" text-anchor="middle" font-style="italic">'
        f"{escape(letter)}{small}</text>"
    )


def power(x: float, y: float, exponent: int | str, *, size: int = 13, ink: str = PALE, before: str = "") -> str:
    """Return a power of ten that ends at a point, its exponent raised, with a factor `before` it."""
    shown = str(exponent).replace("-", "\N{MINUS SIGN}")
    raised = f'{before}10<tspan dy="-5" font-size="{max(size - 2, 11)}">{shown}</tspan>'
    return f'<text x="{x:g}" y="{y:.1f}" font-size="{size}" fill="{ink}" text-anchor="end">{raised}</text>'


def line(*points: Point, ink: str = INK, width: float = 1.5, tip: bool = False, dash: str = "") -> str:
    """Return a line through points, perhaps with an arrow's tip."""
    path = " ".join(f"{x:g},{y:g}" for x, y in ((round(x, 1), round(y, 1)) for x, y in points))
    end = f' marker-end="url(#tip{ink[1:]})"' if tip else ""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="{width:g}"{dashes}{end}/>'


def box(
    x: float, y: float, width: float, height: float, *, ink: str = INK, share: float = 0.1, dash: str = "", rx: int = 6
) -> str:
    """Return a rounded rectangle, given by its upper left corner, with a share of its ink in it."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{rx}" {filled(ink, share)} stroke="{ink}" '
        f'stroke-width="1.5"{dashes}/>'
    )


def cell(x: float, y: float, size: float, fill: str, edge: str = EDGE) -> str:
    """Return a square of a map; `fill` is what `filled` or `numbered` says."""
    return f'<rect x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}" {fill} stroke="{edge}" stroke-width="1"/>'


def knot(x: float, y: float, sign: str, *, radius: float = 13, ink: str = INK) -> str:
    """Return a circle in which two things are added or multiplied; it hides a line that passes under it."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{ink}"/>' + text(x, y + 6, sign, size=18, ink=WHITE)


def filled(ink: str, share: float) -> str:
    """Return how a shape is filled that lets the page through, the less the larger the share."""
    return f'fill="{ink}" fill-opacity="{share:.3g}"' if share > 0 else 'fill="none"'


def numbered(ink: str, share: float) -> tuple[str, str]:
    """Return how a cell is filled that holds a number, the stronger the larger the share, and the ink of the number.

    No number would be legible on a fill between the page and an ink. So small shares let the page through, and larger ones are
    solid, from a greyish tone to the ink.
    """
    if share < FAINT:
        return filled(ink, share), INK
    strength = 0.3 + 0.7 * min(share, 1)
    pairs = ((int(INK[i : i + 2], 16), int(ink[i : i + 2], 16)) for i in (1, 3, 5))
    return f'fill="#{"".join(f"{round(a + (b - a) * strength):02x}" for a, b in pairs)}"', WHITE


def figure(slug: str, name: str, width: int, height: int, title: str, parts: Sequence[str]) -> None:
    """Write a figure of an assignment. Raises ValueError where its text would be too small in a README's column."""
    body = "\n".join(parts)
    least = min(map(float, re.findall(r'font-size="([\d.]+)"', body)), default=SMALLEST) * min(1, COLUMN / width)
    if least < SMALLEST:
        raise ValueError(f"{slug}/{name}: text of {least:.1f} px in a column of {COLUMN} px")
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
        f"<title>{escape(title)}</title>\n<defs>{tips}</defs>\n"
        f"{body}\n</svg>\n",
        encoding="utf-8",
    )
