"""Draw the figures of a2_bptt as SVG, and print the table of its README: python assignments/figures/a2_bptt.py

The norms of gradients come from the reference solution, which has to lie beside the assignments. The runs of the debugging
lab were measured by broken_runs.py.
"""

import math
import runpy

import numpy as np
import svg
from run_panels import Panel, Run, draw_lab
from svg import EDGE, INK, PALE, box, figure, line, power, symbol, text

REFERENCE = svg.ROOT / "solutions" / "a2_bptt" / "bptt.py"
STATE, BACK, HELD = svg.BLUE, svg.RED, svg.AMBER
GAINS, LENGTHS = (0.9, 1.5), (10, 50, 100)


def measure(gain: float, length: int, reference: dict) -> np.ndarray:
    """Return the gradient norm at each state, for the network that the README describes."""
    rng = np.random.default_rng(0)
    W_h = gain * np.linalg.qr(rng.normal(size=(64, 64)))[0]
    W_x = 0.02 * rng.normal(size=(64, 16))
    dh_last = rng.normal(size=(1, 64))
    dh_last /= np.linalg.norm(dh_last)
    x, h0 = rng.normal(size=(1, length, 16)), np.zeros((1, 64))
    h = reference["_states"](x, h0, {"W_x": W_x, "W_h": W_h, "b": np.zeros(64)})
    return reference["gradient_norms"](dh_last, (x, h0, h, W_x, W_h))


def table(reference: dict) -> list[str]:
    """Return the rows of the README's table: what is left at the first state."""
    rows = []
    for gain in GAINS:
        cells = [scientific(measure(gain, length, reference)[0]) for length in LENGTHS]
        rows.append(f"| {gain} | {' | '.join(cells)} |")
    return rows


def scientific(value: float) -> str:
    """Write a number with three digits, as people do."""
    if 0.01 <= value < 10000:
        return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
    exponent = math.floor(math.log10(value))
    return f"{value / 10**exponent:.2f}·{power_of_ten(exponent)}"


def power_of_ten(exponent: int) -> str:
    """Write a power of ten with its exponent raised."""
    return f"10{str(exponent).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def there_and_back() -> None:
    """Draw three steps forward, and the gradients that come back through them."""
    mid, parts = 150, []
    parts += [symbol(62, mid + 6, "h", "0", ink=STATE)]
    parts += [
        line((78, mid - 6), (146, mid - 6), tip=True),
        line((146, mid + 8), (78, mid + 8), ink=BACK, tip=True, dash="6 4"),
    ]
    parts += [text(112, mid + 28, "dh0", ink=BACK, size=13)]
    for step in (1, 2, 3):
        x = 180 + 190 * (step - 1)
        parts += [box(x - 30, mid - 26, 60, 52, ink=STATE), symbol(x, mid + 6, "h", str(step), ink=STATE, size=18)]
        parts += [symbol(x - 7, 246, "x", str(step)), line((x - 7, 228), (x - 7, mid + 30), tip=True)]
        parts += [line((x + 9, mid + 30), (x + 9, 228), ink=BACK, tip=True, dash="6 4")]
        parts += [text(x + 16, 212, "to dx, and to the", ink=BACK, size=12, anchor="start")]
        parts += [text(x + 16, 227, "sums dW_x, dW_h, db", ink=BACK, size=12, anchor="start")]
        parts += [symbol(x - 7, 62, "L", str(step)), line((x - 7, mid - 26), (x - 7, 72), tip=True)]
        parts += [line((x + 9, 72), (x + 9, mid - 30), ink=BACK, tip=True, dash="6 4")]
        parts += [text(x + 18, 96, f"dh[:, {step - 1}]", ink=BACK, size=13, anchor="start")]
        if step < 3:
            parts += [line((x + 30, mid - 6), (x + 156, mid - 6), tip=True)]
            parts += [line((x + 156, mid + 8), (x + 34, mid + 8), ink=BACK, tip=True, dash="6 4")]
            parts += [text(x + 95, mid + 28, "dh_next", ink=BACK, size=13)]
    parts += [
        text(375, 28, "solid: forward · dashed: gradients, which meet and add up at each state", ink=PALE, size=13)
    ]
    figure("a2_bptt", "there_and_back", 760, 270, "Three steps forward, and the gradients on their way back", parts)


def windows() -> None:
    """Draw seven steps in windows of three: the state crosses the borders, the gradient does not."""
    mid, parts = 104, []
    left = [70 + 92 * step for step in range(7)]
    for first, last in ((0, 2), (3, 5), (6, 6)):
        parts += [box(left[first] - 34, 50, left[last] - left[first] + 68, 116, ink=HELD, dash="2 4", share=0)]
        name = f"window of {last - first + 1}" if last > first else "the rest"
        parts += [text((left[first] + left[last]) / 2, 40, name, ink=HELD, size=13)]
    for step, x in enumerate(left):
        parts += [box(x - 20, mid - 22, 40, 44, ink=STATE), symbol(x, mid + 5, "h", str(step + 1), ink=STATE)]
        if step < 6:
            parts += [line((x + 20, mid - 8), (x + 70, mid - 8), tip=True)]
            if step % 3 < 2:
                parts += [line((x + 72, mid + 10), (x + 24, mid + 10), ink=BACK, tip=True, dash="6 4")]
            else:
                parts += [text(x + 46, mid + 18, "✕", ink=BACK, size=16)]
    parts += [
        text(
            346,
            192,
            "solid: the state goes on across every border · dashed: the gradient stops there",
            ink=PALE,
            size=13,
        )
    ]
    figure("a2_bptt", "windows", 692, 212, "Truncated backpropagation: seven steps in windows of three", parts)


def norms(reference: dict) -> None:
    """Draw the gradient norm at each state, on its way back from the last one."""
    left, right, top, bottom, low, high = 150, 700, 50, 380, -6, 4
    parts = []

    def place(t: float, norm: float) -> tuple[float, float]:
        return left + (right - left) * (t - 1) / 99, bottom - (bottom - top) * (math.log10(norm) - low) / (high - low)

    for exponent in range(low, high + 1, 2):
        y = place(1, 10.0**exponent)[1]
        parts += [line((left, y), (right, y), ink=EDGE, width=1)]
        parts += [power(56, y + 5, exponent) if exponent else text(56, y + 5, "1", size=13, ink=PALE, anchor="end")]
    for t in (1, 10, 50, 100):
        x = place(t, 1)[0]
        parts += [line((x, bottom), (x, bottom + 6), ink=PALE), text(x, bottom + 22, str(t), size=12, ink=PALE)]
    for gain, ink, dash in ((0.9, STATE, ""), (1.5, BACK, "7 3")):
        for length in LENGTHS:
            curve = measure(gain, length, reference)
            points = [place(t, value) for t, value in enumerate(curve, start=1)]
            parts += [line(*points, ink=ink, dash=dash, width=2)]
            parts += [f'<circle cx="{points[-1][0]:.1f}" cy="{points[-1][1]:.1f}" r="4" fill="{INK}"/>']
            number, ten, _ = scientific(curve[0]).partition("·10")
            y, exponent = points[0][1] + 5, math.floor(math.log10(curve[0]))
            far = power(left - 8, y, exponent, ink=ink, before=f"{number}·")
            parts += [far if ten else text(left - 8, y, number, size=13, ink=ink, anchor="end")]
    parts += [text(560, place(60, 2000)[1], "W_h = 1.5 · orthogonal: it explodes", ink=BACK, anchor="middle")]
    parts += [text(560, place(60, 3e-5)[1], "W_h = 0.9 · orthogonal: it vanishes", ink=STATE, anchor="middle")]
    parts += [
        text(
            425,
            420,
            "t, the state at which the gradient is measured; each curve begins at its dot, where the loss is",
            size=13,
            ink=PALE,
        )
    ]
    parts += [
        text(
            20,
            30,
            "gradient norm at state t (at the left end: what is left at the first state)",
            size=13,
            ink=PALE,
            anchor="start",
        )
    ]
    figure(
        "a2_bptt",
        "gradient_norms",
        744,
        436,
        "Gradients over 10, 50 and 100 steps: vanishing with gain 0.9, exploding with 1.5",
        parts,
    )


def debugging_lab() -> None:
    """Draw the runs of the lab: the loss, and the norm of the gradient before and after clipping."""
    panels = (
        Panel("losses", "loss", "step of training", mean=5),
        Panel("norms", "norm before clipping", "step of training", mean=5),
        Panel("clipped", "norm after clipping", "step of training", mean=5),
    )
    draw_lab("a2_bptt", panels, ("first norm before", "after", "last loss", "says, from h on"), numbers)


def numbers(run: Run) -> list[str]:
    """Return what stands in the table of a run of the lab."""
    return [f"{run['norms'][0]:.2f}", f"{run['clipped'][0]:.2f}", f"{run['losses'][-1]:.2g}", run["said"]]


if __name__ == "__main__":
    solved = runpy.run_path(str(REFERENCE))
    there_and_back()
    windows()
    norms(solved)
    print("\n".join(table(solved)))
    debugging_lab()
