"""Draw the figures of a3_gates as SVG: python assignments/figures/a3_gates.py

The gradients are computed with the reference, so this runs in the repository only; it prints the table of the README as well.
The runs of the debugging lab were measured by broken_runs.py.
"""

import math
from functools import partial
from typing import Any

import numpy as np
import svg
from run_panels import Panel, Run, draw_lab
from svg import EDGE, INK, PALE, Point, box, figure, line, power, reference

COLOURS = {0: svg.AMBER, 1: svg.BLUE, 3: svg.GREEN}  # by forget bias
GATE, CONTENT = svg.BLUE, svg.AMBER
text, symbol = partial(svg.text, size=15), partial(svg.symbol, size=18)
arrow = partial(line, tip=True)
knot = partial(svg.knot, radius=14)
TIMES, MINUS, SIGMA = "\N{MULTIPLICATION SIGN}", "\N{MINUS SIGN}", "\N{GREEK SMALL LETTER SIGMA}"


# The configuration of the table: 32 units, 16 features, 100 steps; everything is drawn from this seed, in this order.
HIDDEN, FEATURES, STEPS, SEED = 32, 16, 100, 0


def cell_gradients(bias: float) -> tuple[np.ndarray, np.ndarray]:
    """Return |dc_T/dc_{T-k}| for k = 0 ... T: of the whole network, and along the cell state alone.

    The length of a matrix is its largest singular value: how much it can lengthen a vector.
    """
    gates = reference("a3_gates", "gates.py")
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


def gate(x: float, y: float, name: str, function: str, *, ink: str = GATE) -> str:
    """Return a box for a gate or a candidate."""
    rect = box(x - 34, y - 20, 68, 40, ink=ink)
    if not function:
        return rect + text(x, y + 5, name, size=16, ink=ink)
    return rect + text(x, y - 2, name, size=16, ink=ink) + text(x, y + 14, function, size=12, ink=PALE)


def dot(x: float, y: float) -> str:
    """Return the place where a line divides."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="{INK}"/>'


def lstm_cell() -> None:
    """Draw one step of an LSTM: the cell state above, the gates below."""
    top, bottom, boxes = 70, 310, 240
    parts = [
        arrow((60, bottom), (510, bottom), (510, boxes + 22)),
        *(arrow((x, bottom), (x, boxes + 22)) for x in (150, 270, 390)),
        *(dot(x, bottom) for x in (90, 150, 270, 390)),
        line((90, 356), (90, bottom)),
        arrow((60, top), (134, top), width=3),
        arrow((150, boxes - 20), (150, top + 16)),
        arrow((166, top), (314, top), width=3),
        arrow((270, boxes - 20), (270, 150), (314, 150)),
        arrow((390, boxes - 20), (390, 150), (346, 150)),
        arrow((330, 136), (330, top + 16)),
        arrow((346, top), (684, top), width=3),
        arrow((600, top), (600, 108)),
        arrow((600, 150), (600, 174)),
        arrow((510, boxes - 20), (510, 190), (584, 190)),
        arrow((600, 204), (600, bottom), (684, bottom)),
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
    figure("a3_gates", "lstm_cell", 744, 396, "One step of an LSTM", parts)


def gru_cell() -> None:
    """Draw one step of a GRU: the state above, the gates below."""
    top, bus, low, boxes = 70, 300, 340, 240
    parts = [
        arrow((70, top), (70, bus), (470, bus), (470, boxes + 22)),
        line((110, 376), (110, bus)),
        arrow((150, bus), (150, boxes + 22)),
        arrow((110, low), (310, low), (310, boxes + 22)),
        arrow((60, top), (384, top), width=3),
        arrow((150, top), (150, 134)),
        arrow((150, boxes - 20), (150, 166)),
        arrow((166, 150), (236, 150), (236, boxes), (274, boxes)),
        line((470, boxes - 20), (470, 116), (418, 116)),
        arrow((310, boxes - 20), (310, 160), (524, 160)),
        arrow((470, 196), (540, 196), (540, 176)),
        arrow((400, 102), (400, top + 16)),
        arrow((416, top), (524, top), width=3),
        arrow((540, 146), (540, top + 16)),
        arrow((556, top), (684, top), width=3),
        *(dot(x, y) for x, y in ((70, top), (150, top), (110, bus), (150, bus), (110, low), (470, 196))),
        gate(150, boxes, "r", SIGMA),
        gate(310, boxes, "h̃", "tanh", ink=CONTENT),
        gate(470, boxes, "z", SIGMA),
        knot(150, 150, TIMES),
        knot(400, top, TIMES),
        f'<circle cx="400" cy="116" r="16" fill="none" stroke="{GATE}" stroke-width="1.5"/>',
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
    figure("a3_gates", "gru_cell", 744, 416, "One step of a GRU", parts)


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
        parts.append(line((left, y), (right, y), ink=EDGE, width=1))
        parts.append(power(left - 8, y + 5, exponent))
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
        parts.append(line(*points, ink=ink, width=2.5))
        parts.append(line(*dashed, ink=ink, width=1.5, dash="5 4"))
        parts.append(text(right + 10, points[-1][1] + 2, f"forget bias {bias}", size=14, ink=ink, anchor="start"))
        shift = 20 if bias == max(COLOURS) else 5
        parts.append(text(right + 10, dashed[-1][1] + shift, "cell alone", size=12, ink=ink, anchor="start"))
    figure("a3_gates", "cell_gradient", 690, 430, "The gradient along an LSTM by forget bias", parts)


def debugging_lab() -> None:
    """Draw the runs of the lab: the loss, the norm of the gradient, and how far back the first gradient reaches."""
    panels = (
        Panel("losses", "loss", "step of training", log=False, mean=20),
        Panel("norms", "norm of the gradient", "step of training", mean=10),
        Panel("reach", "norm of the first dx", "step of the sequence"),
    )
    heads = ("first loss", "first norm", "error in the end", "answers to two new sequences")
    draw_lab("a3_gates", panels, heads, numbers)


def numbers(run: Run) -> list[str]:
    """Return what stands in the table of a run of the lab."""
    said = ", ".join(f"{run['said'][i]:.2f} for {run['wanted'][i]:.2f}" for i in (0, -1))
    norm = run["norms"][0]
    return [f"{run['losses'][0]:.3f}", f"{norm:.2f}" if norm < 100 else f"{norm:.0e}", f"{run['held_out']:.4f}", said]


if __name__ == "__main__":
    lstm_cell()
    gru_cell()
    cell_gradient()
    debugging_lab()
