"""Draw the figures of a3_gates as SVG: python assignments/figures/a3_gates.py

Every figure is a light card with dark ink, so that it reads the same on white and on dark pages. The gradients are
computed with the reference, so this runs in the repository only; it prints the table of the README as well.
"""

import importlib.util
import math
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "assignments" / "a3_gates" / "figures"
PAPER, EDGE, INK, PALE = "#f6f8fa", "#c8d0d8", "#1f2933", "#5b6875"
COLOURS = {0: "#b45309", 1: "#1d4ed8", 3: "#047857"}  # by forget bias; told apart by labels too, not by colour alone
GATE, CONTENT = "#1d4ed8", "#b45309"
TIMES, MINUS, SIGMA = "\N{MULTIPLICATION SIGN}", "\N{MINUS SIGN}", "\N{GREEK SMALL LETTER SIGMA}"

Point = tuple[float, float]


def reference() -> ModuleType:
    """Load the reference solution."""
    spec = importlib.util.spec_from_file_location("a3_gates_reference", ROOT / "solutions" / "a3_gates" / "gates.py")
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


# The configuration of the table: 32 units, 16 features, 100 steps; everything is drawn from this seed, in this order.
HIDDEN, FEATURES, STEPS, SEED = 32, 16, 100, 0


def cell_gradients(bias: float) -> tuple[np.ndarray, np.ndarray]:
    """Return |dc_T/dc_{T-k}| for k = 0 ... T: of the whole network, and along the cell state alone.

    The length of a matrix is its largest singular value: how much it can lengthen a vector.
    """
    gates = reference()
    rng = np.random.default_rng(SEED)
    params: dict[str, Any] = {
        f"W_{gate}": rng.normal(size=(HIDDEN, HIDDEN + FEATURES)) / math.sqrt(HIDDEN + FEATURES) for gate in "fioc"
    }
    params |= {f"b_{gate}": np.full(HIDDEN, bias if gate == "f" else 0.0) for gate in "fioc"}
    x, c0 = rng.normal(size=(STEPS, FEATURES)), rng.normal(size=HIDDEN)
    # One row for each entry of c_T: the rows compute the same, and their gradients are the rows of the Jacobian.
    h, c = np.zeros((HIDDEN, HIDDEN)), np.tile(c0, (HIDDEN, 1))
    caches = []
    for x_t in np.repeat(x[:, None], HIDDEN, axis=1):
        f, i, o, c_tilde = gates.lstm_gates(x_t, h, params)
        cache = {"x_t": x_t, "h_prev": h, "c_prev": c, "f": f, "i": i, "o": o, "c_tilde": c_tilde, "params": params}
        h, c = gates.lstm_step(x_t, h, c, params)
        caches.append(cache | {"c_t": c})
    dh, dc, along = np.zeros((HIDDEN, HIDDEN)), np.eye(HIDDEN), np.ones(HIDDEN)
    whole, direct = [1.0], [1.0]
    for cache in reversed(caches):
        _, dh, dc, _ = gates.lstm_step_backward(dh, dc, cache)
        along = along * cache["f"][0]
        whole.append(float(np.linalg.norm(dc, 2)))
        direct.append(float(along.max()))
    return np.array(whole), np.array(direct)


def text(x: float, y: float, content: str, *, size: int = 15, ink: str = INK, anchor: str = "middle") -> str:
    """Return a line of text, centred on a point unless said otherwise."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{ink}" text-anchor="{anchor}">{escape(content)}</text>'


def symbol(x: float, y: float, letter: str, index: str, *, size: int = 18, ink: str = INK) -> str:
    """Return a letter with a small index below it."""
    small = f'<tspan dy="4" font-size="{size - 6}">{escape(index)}</tspan>'
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{ink}" text-anchor="middle" font-style="italic">'
        f"{escape(letter)}{small}</text>"
    )


def line(*points: Point, ink: str = INK, width: float = 1.5, tip: bool = True, dash: str = "") -> str:
    """Return an arrow (or, without a tip, a line) through points; it passes over what was drawn before."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    end = ' marker-end="url(#tip)"' if tip else ""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    halo = f'<polyline points="{path}" fill="none" stroke="{PAPER}" stroke-width="{width + 6:g}"/>' if tip else ""
    return f'{halo}<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="{width:g}"{dashes}{end}/>'


def gate(x: float, y: float, name: str, function: str, *, ink: str = GATE) -> str:
    """Return a box for a gate or a candidate."""
    rect = (
        f'<rect x="{x - 34:g}" y="{y - 20:g}" width="68" height="40" rx="6" fill="#ffffff" stroke="{ink}" '
        'stroke-width="1.5"/>'
    )
    if not function:
        return rect + text(x, y + 5, name, size=16, ink=ink)
    return rect + text(x, y - 2, name, size=16, ink=ink) + text(x, y + 14, function, size=12, ink=PALE)


def knot(x: float, y: float, sign: str) -> str:
    """Return a circle in which two things are multiplied or added."""
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="14" fill="#ffffff" stroke="{INK}" stroke-width="1.5"/>'
        f"{text(x, y + 6, sign, size=18)}"
    )


def dot(x: float, y: float) -> str:
    """Return the place where a line divides."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="{INK}"/>'


def figure(name: str, width: int, height: int, title: str, parts: list[str]) -> None:
    """Write a figure."""
    body = "\n".join(parts)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" font-family="Helvetica, Arial, sans-serif">\n'
        f"<title>{escape(title)}</title>\n"
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0 0 L10 5 L0 10 z" fill="{INK}"/></marker></defs>\n'
        f'<rect x="1" y="1" width="{width - 2}" height="{height - 2}" rx="10" fill="{PAPER}" stroke="{EDGE}"/>\n'
        f"{body}\n</svg>\n",
        encoding="utf-8",
    )


def lstm_cell() -> None:
    """Draw one step of an LSTM: the cell state above, the gates below."""
    top, bottom, boxes = 70, 310, 240
    parts = [
        line((60, bottom), (510, bottom), (510, boxes + 22)),
        *(line((x, bottom), (x, boxes + 22)) for x in (150, 270, 390)),
        *(dot(x, bottom) for x in (90, 150, 270, 390)),
        line((90, 356), (90, bottom), tip=False),
        line((60, top), (134, top), width=3),
        line((150, boxes - 20), (150, top + 16)),
        line((166, top), (314, top), width=3),
        line((270, boxes - 20), (270, 150), (314, 150)),
        line((390, boxes - 20), (390, 150), (346, 150)),
        line((330, 136), (330, top + 16)),
        line((346, top), (684, top), width=3),
        line((600, top), (600, 108)),
        line((600, 150), (600, 174)),
        line((510, boxes - 20), (510, 190), (584, 190)),
        line((600, 204), (600, bottom), (684, bottom)),
        dot(600, top),
        gate(150, boxes, "f", SIGMA),
        gate(270, boxes, "i", SIGMA),
        gate(390, boxes, "c̃", "tanh", ink=CONTENT),
        gate(510, boxes, "o", SIGMA),
        gate(600, 130, "tanh", "", ink=CONTENT),
        knot(150, top, TIMES),
        knot(330, top, "+"),
        knot(330, 150, TIMES),
        knot(600, 190, TIMES),
        symbol(34, top + 5, "c", "t-1"),
        symbol(710, top + 5, "c", "t"),
        symbol(34, bottom + 5, "h", "t-1"),
        symbol(710, bottom + 5, "h", "t"),
        symbol(90, 376, "x", "t"),
        text(150, 44, "erase", size=14, ink=PALE),
        text(330, 44, "write", size=14, ink=PALE),
        text(622, 195, "reveal", size=14, ink=PALE, anchor="start"),
        text(470, 60, "the cell state: no matrix, no tanh on the way", size=12, ink=PALE),
        text(300, bottom + 22, "all four read [h; x]", size=12, ink=PALE),
    ]
    figure("lstm_cell", 744, 396, "One step of an LSTM", parts)


def gru_cell() -> None:
    """Draw one step of a GRU: the state above, the gates below."""
    top, bus, low, boxes = 70, 300, 340, 240
    parts = [
        line((70, top), (70, bus), (470, bus), (470, boxes + 22)),
        line((110, 376), (110, bus), tip=False),
        line((150, bus), (150, boxes + 22)),
        line((110, low), (310, low), (310, boxes + 22)),
        line((60, top), (384, top), width=3),
        line((150, top), (150, 134)),
        line((150, boxes - 20), (150, 166)),
        line((166, 150), (236, 150), (236, boxes), (274, boxes)),
        line((470, boxes - 20), (470, 116), (418, 116), tip=False),
        line((310, boxes - 20), (310, 160), (524, 160)),
        line((470, 196), (540, 196), (540, 176)),
        line((400, 102), (400, top + 16)),
        line((416, top), (524, top), width=3),
        line((540, 146), (540, top + 16)),
        line((556, top), (684, top), width=3),
        *(dot(x, y) for x, y in ((70, top), (150, top), (110, bus), (150, bus), (110, low), (470, 196))),
        gate(150, boxes, "r", SIGMA),
        gate(310, boxes, "h̃", "tanh", ink=CONTENT),
        gate(470, boxes, "z", SIGMA),
        knot(150, 150, TIMES),
        knot(400, top, TIMES),
        f'<circle cx="400" cy="116" r="16" fill="#ffffff" stroke="{GATE}" stroke-width="1.5"/>',
        text(400, 121, f"1{MINUS}z", size=13, ink=GATE),
        knot(540, top, "+"),
        knot(540, 160, TIMES),
        symbol(34, top + 5, "h", "t-1"),
        symbol(710, top + 5, "h", "t"),
        symbol(110, 398, "x", "t"),
        text(132, 128, "reset", size=14, ink=PALE, anchor="end"),
        text(400, 44, "keep", size=14, ink=PALE),
        text(540, 44, "take", size=14, ink=PALE),
        text(322, low + 4, "the candidate reads [r * h; x]", size=12, ink=PALE, anchor="start"),
        text(484, bus + 4, "both gates read [h; x]", size=12, ink=PALE, anchor="start"),
    ]
    figure("gru_cell", 744, 416, "One step of a GRU", parts)


def cell_gradient() -> None:
    """Draw |dc_T/dc_{T-k}| over k for three forget biases, on a logarithmic scale."""
    left, right, top, bottom = 76, 560, 50, 370
    high, low = 4, -32

    def place(k: float, value: float) -> Point:
        exponent = max(math.log10(value), low)
        return left + (right - left) * k / STEPS, top + (bottom - top) * (high - exponent) / (high - low)

    parts = []
    for exponent in range(high, low - 1, -4):
        _, y = place(0, 10.0**exponent)
        parts.append(line((left, y), (right, y), ink=EDGE, width=1, tip=False))
        power = str(exponent).replace("-", MINUS)
        label = f'10<tspan dy="-5" font-size="10">{power}</tspan>'
        parts.append(
            f'<text x="{left - 8}" y="{y + 5:.1f}" font-size="13" fill="{PALE}" text-anchor="end">{label}</text>'
        )
    for k in range(0, STEPS + 1, 20):
        x, _ = place(k, 1.0)
        parts.append(text(x, bottom + 20, str(k), size=13, ink=PALE))
    parts.append(text((left + right) / 2, bottom + 42, "steps back from the end, k", size=13, ink=PALE))
    parts.append(text(left, 30, "how much of a change of c, k steps back, arrives at the end", size=14, anchor="start"))
    for bias, ink in COLOURS.items():
        whole, direct = cell_gradients(bias)
        print(f"| {bias} | {whole[-1]:.1e} | {direct[-1]:.1e} | {1 / (1 + math.exp(-bias)):.2f} |")
        points = [place(k, value) for k, value in enumerate(whole)]
        dashed = [place(k, value) for k, value in enumerate(direct)]
        parts.append(line(*points, ink=ink, width=2.5, tip=False))
        parts.append(line(*dashed, ink=ink, width=1.5, tip=False, dash="5 4"))
        parts.append(text(right + 10, points[-1][1] + 2, f"forget bias {bias}", size=14, ink=ink, anchor="start"))
        shift = 20 if bias == max(COLOURS) else 5
        parts.append(text(right + 10, dashed[-1][1] + shift, "cell alone", size=12, ink=ink, anchor="start"))
    figure("cell_gradient", 690, 430, "The gradient along an LSTM by forget bias", parts)


if __name__ == "__main__":
    lstm_cell()
    gru_cell()
    cell_gradient()
