"""Draw the figures of a8_language_model as SVG: python assignments/figures/a8_language_model.py

The losses of the last
one were measured with the assignment's training.py, at the settings of train_shakespeare.
"""

import math

import numpy as np
import svg
from a8_language_model_lab import debugging_lab
from attention_map import attention_map, hand_made_map
from svg import AMBER, BLUE, EDGE, GREEN, INK, PALE, RED, Point, figure, filled, line

CLEAR, SHADE, NEW = filled(BLUE, 0), filled(BLUE, 0.2), filled(AMBER, 0.2)
MONO = "Menlo, Consolas, monospace"


def text(
    x: float,
    y: float,
    content: str,
    *,
    size: int = 14,
    ink: str = INK,
    anchor: str = "middle",
    mono: bool = False,
    turned: bool = False,
) -> str:
    """Return a line of text."""
    family = f' font-family="{MONO}"' if mono else ""
    turn = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
    return svg.text(x, y, content, size=size, ink=ink, anchor=anchor, extra=family + turn)


def cell(
    x: float, y: float, label: str = "", *, width: float = 34, height: float = 30, fill: str = CLEAR, ink: str = EDGE
) -> str:
    """Return a box whose upper left corner is at a point, with a label."""
    rect = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {fill} stroke="{ink}"/>'
    return rect + (text(x + width / 2, y + height / 2 + 5, label, mono=True) if label else "")


def sight() -> None:
    """Draw what each position of a piece sees, and what it is asked for."""
    piece, size, left, top = "First Ci", 40, 150, 66
    shown = [c if c != " " else "␣" for c in piece]
    inputs, targets = shown[:-1], shown[1:]
    parts = [text(left + size * 3.5, 30, "may look at the input", size=14, ink=PALE)]
    parts += [text(left + size * (i + 0.5), 54, c, mono=True, size=16) for i, c in enumerate(inputs)]
    parts += [text(left + size * 7 + 96, 30, "has to predict", size=14, ink=PALE)]
    for row, (token, target) in enumerate(zip(inputs, targets, strict=True)):
        y = top + row * size
        parts.append(text(left - 14, y + 26, f"position {row}, {token}", anchor="end", size=13, ink=PALE))
        for column in range(7):
            seen = column <= row
            parts.append(cell(left + column * size, y, width=size, height=size, fill=SHADE if seen else CLEAR))
            if seen:
                parts.append(text(left + (column + 0.5) * size, y + 26, inputs[column], mono=True, size=16, ink=BLUE))
        parts.append(line((left + 7 * size + 10, y + 20), (left + 7 * size + 66, y + 20), tip=True))
        parts.append(cell(left + 7 * size + 76, y + 4, target, width=40, height=32, fill=NEW, ink=AMBER))
    figure("a8_language_model", "sight", 590, 364, "What each position sees, and what it has to predict", parts)


def cache() -> None:
    """Draw how the cache grows while a model writes."""
    parts, left, width = [], 210, 62
    rows = [("read a, b", ["a", "b"], 0), ("read c", ["c"], 2), ("read d", ["d"], 3)]
    for number, (label, new, past) in enumerate(rows):
        y = 56 + number * 116
        parts.append(text(24, y + 22, f"step {number + 1}", anchor="start", size=15))
        parts.append(text(24, y + 42, label, anchor="start", size=13, ink=PALE))
        tokens = ["a", "b", "c", "d"][: past + len(new)]
        for kind, low in (("keys", 0), ("values", 36)):
            parts.append(text(left - 12, y + low + 20, kind, anchor="end", size=13, ink=PALE))
            for place, token in enumerate(tokens):
                fresh = place >= past
                fill, ink = (NEW, AMBER) if fresh else (SHADE, BLUE)
                name = f"{kind[0]}({token})"
                parts.append(cell(left + place * width, y + low, name, width=width - 6, fill=fill, ink=ink))
        x = left + 4 * width + 16
        asking = " and ".join(f"q({t})" for t in new)
        parts.append(
            text(
                x,
                y + 24,
                f"{asking} look{'s' * (len(new) == 1)}, then {'is' if len(new) == 1 else 'are'} forgotten",
                anchor="start",
                size=13,
            )
        )
        parts.append(text(x, y + 46, f"logits behind {' and '.join(new)}", anchor="start", size=13))
        if number < 2:
            parts.append(line((left + 30, y + 74), (left + 30, y + 108), tip=True))
            parts.append(text(left + 44, y + 96, "the cache goes on", anchor="start", size=12, ink=PALE))
    parts.append(text(left, 32, "amber: computed in this step; blue: handed on", anchor="start", size=13, ink=PALE))
    figure("a8_language_model", "cache", 740, 372, "The cache of one block, step by step", parts)


def softmax(logits: list[float], temperature: float) -> list[float]:
    """Return the probabilities of logits at a temperature."""
    powers = [math.exp(value / temperature) for value in logits]
    return [power / sum(powers) for power in powers]


def temperature() -> None:
    """Draw one set of logits at three temperatures, and with top_k = 2."""
    logits = [2.0, 1.0, 0.0, -1.0]
    panels = [(f"temperature {t:g}", softmax(logits, t)) for t in (0.5, 1.0, 2.0)]
    two = softmax(logits[:2], 1.0)
    panels.append(("1, top_k = 2", [*two, 0.0, 0.0]))
    parts = []
    for number, (label, shares) in enumerate(panels):
        left, base, high = 30 + number * 178, 220, 150
        parts.append(text(left + 72, 34, label, size=15))
        for token, share in enumerate(shares):
            x = left + token * 38
            tall = high * share
            parts.append(f'<rect x="{x}" y="{base - tall:.1f}" width="28" height="{tall:.1f}" fill="{BLUE}"/>')
            shown = f"{share:.3f}".lstrip("0") if share else "0"
            parts.append(text(x + 14, base - tall - 7, shown, size=12))
            parts.append(text(x + 14, base + 18, str(token), size=13, ink=PALE, mono=True))
        parts.append(line((left - 6, base), (left + 148, base), ink=PALE))
        cut, y = left, base + 34
        for token, share in enumerate(shares):
            wide = 142 * share
            if wide:
                parts.append(cell(cut, y, width=wide, height=20, fill=(SHADE, CLEAR)[token % 2], ink=BLUE))
            if wide > 12:
                parts.append(text(cut + wide / 2, y + 15, str(token), size=12, mono=True))
            cut += wide
        mark = left + 142 * 0.7
        parts.append(line((mark, y + 46), (mark, y + 23), ink=INK, tip=True))
        parts.append(text(mark, y + 62, "u = .7", size=12))
    figure(
        "a8_language_model",
        "temperature",
        744,
        330,
        "The logits 2, 1, 0, -1 at three temperatures, and with top_k = 2",
        parts,
    )


class Plot:
    """Axes that turn numbers into places."""

    def __init__(self, box: tuple[float, float, float, float], x_range: Point, y_range: Point) -> None:
        self.left, self.top, self.right, self.bottom = box
        self.x_range, self.y_range = x_range, y_range

    def at(self, x: float, y: float) -> Point:
        """Return where a point lies."""
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        across = self.left + (x - x0) / (x1 - x0) * (self.right - self.left)
        return across, self.bottom - (y - y0) / (y1 - y0) * (self.bottom - self.top)

    def axes(self, xs: dict[float, str], ys: dict[float, str], x_label: str, y_label: str) -> list[str]:
        """Return both axes with marks and labels."""
        parts = [line((self.left, self.top), (self.left, self.bottom), (self.right, self.bottom), ink=PALE)]
        for x, label in xs.items():
            place = self.at(x, self.y_range[0])
            parts += [line(place, (place[0], place[1] + 5), ink=PALE), text(place[0], place[1] + 20, label, size=12)]
        for y, label in ys.items():
            place = self.at(self.x_range[0], y)
            parts += [line(place, (place[0] - 5, place[1]), ink=PALE)]
            parts.append(text(place[0] - 9, place[1] + 4, label, size=12, anchor="end"))
        parts.append(text((self.left + self.right) / 2, self.bottom + 42, x_label, size=13, ink=PALE))
        parts.append(text(self.left - 54, (self.top + self.bottom) / 2, y_label, size=13, ink=PALE, turned=True))
        return parts


def schedule() -> None:
    """Draw the learning rate over a short training."""
    steps, peak, warmup, final = 100, 0.01, 10, 0.002
    plot = Plot((90, 36, 660, 236), (0, 110), (0, 0.011))
    fall = np.linspace(0, 1, 50)
    down = zip(warmup + fall * (steps - warmup), final + (peak - final) * np.cos(fall * np.pi / 2) ** 2, strict=True)
    first = plot.at(0, peak / warmup)
    curve = [first, plot.at(warmup - 1, peak), *(plot.at(x, y) for x, y in down)]
    rest = [plot.at(steps, final), plot.at(109, final)]
    marks = {0: "0", warmup: "warmup", 55: "half way", steps: "steps"}
    parts = plot.axes(marks, {0: "0", final: "final", (peak + final) / 2: "", peak: "peak"}, "step", "learning rate")
    parts += [line(*curve, ink=BLUE, width=2.5), line(*rest, ink=BLUE, width=2.5, dash="4 4")]
    middle = plot.at(55, (peak + final) / 2)
    parts.append(f'<circle cx="{middle[0]:.1f}" cy="{middle[1]:.1f}" r="4" fill="{BLUE}"/>')
    parts.append(text(middle[0] + 12, middle[1] - 8, "(peak + final) / 2", size=13, anchor="start"))
    parts.append(f'<circle cx="{first[0]:.1f}" cy="{first[1]:.1f}" r="4" fill="{BLUE}"/>')
    parts.append(text(first[0] + 12, first[1] - 2, "peak / warmup", size=13, anchor="start"))
    figure(
        "a8_language_model", "schedule", 700, 294, "The learning rate: a straight line up, half a cosine down", parts
    )


EVERY = 15  # steps that each of these means is over
HONEST = [
    3.4, 2.72, 2.56, 2.49, 2.41, 2.36, 2.27, 2.26, 2.2, 2.16, 2.12, 2.08, 2.08, 2.03, 2.02, 1.99, 1.95, 1.94, 1.93, 1.89,
    1.89, 1.89, 1.86, 1.86, 1.84, 1.83, 1.81, 1.8, 1.77, 1.79, 1.77, 1.75, 1.76, 1.75, 1.75, 1.74, 1.72, 1.71, 1.75, 1.7,
]  # fmt: skip
WITHOUT_MASK = [
    3.37, 2.57, 1.27, 0.29, 0.14, 0.1, 0.09, 0.1, 0.09, 0.09, 0.09, 0.09, 0.09, 0.09, 0.09, 0.09, 0.09, 0.08, 0.08, 0.08,
    0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07,
]  # fmt: skip
WITHOUT_POSITIONS = [
    3.2, 2.59, 2.49, 2.46, 2.42, 2.42, 2.36, 2.37, 2.35, 2.32, 2.31, 2.29, 2.3, 2.27, 2.28, 2.25, 2.23, 2.24, 2.22, 2.18,
    2.2, 2.19, 2.19, 2.18, 2.18, 2.15, 2.15, 2.14, 2.11, 2.12, 2.12, 2.11, 2.11, 2.1, 2.11, 2.11, 2.07, 2.06, 2.1, 2.06,
]  # fmt: skip


def curves() -> None:
    """Draw the training losses of an honest model, one without a mask, and one without positions."""
    plot = Plot((84, 30, 560, 280), (0, 600), (0, 4.4))
    parts = plot.axes(
        {step: str(step) for step in range(0, 601, 100)},
        {y: str(y) for y in range(5)},
        "step",
        "loss, nats per character",
    )
    knows_nothing = math.log(63)
    parts.append(line(plot.at(0, knows_nothing), plot.at(600, knows_nothing), ink=PALE, dash="3 4"))
    parts.append(
        text(570, plot.at(0, knows_nothing)[1] + 4, "log 63: knows nothing", size=13, anchor="start", ink=PALE)
    )
    for losses, ink, label, low in (
        (HONEST, GREEN, "as it should be", 14),
        (WITHOUT_POSITIONS, AMBER, "without positions", 0),
        (WITHOUT_MASK, RED, "without the mask", -6),
    ):
        steps = EVERY * (np.arange(len(losses)) + 0.5)
        parts.append(line(*(plot.at(s, loss) for s, loss in zip(steps, losses, strict=True)), ink=ink, width=2.2))
        parts.append(text(570, plot.at(0, losses[-1])[1] + low, label, size=13, anchor="start", ink=ink))
    figure(
        "a8_language_model",
        "curves",
        720,
        338,
        "Training losses on Shakespeare: right, without positions, and without the mask",
        parts,
    )


if __name__ == "__main__":
    for draw in (sight, cache, temperature, schedule, curves, debugging_lab):
        draw()
    hand_made_map(
        "a8_language_model",
        lambda row, _: max(row - 1, 0),
        "Set by hand: one place back",
        "who looks",
        size=26,
        numbers=False,
    )
    attention_map("a8_language_model", "Trained: a head of layer 1", "who looks", size=26, numbers=False)
