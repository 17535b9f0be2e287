"""Draw the figures of a6_multihead as SVG: python assignments/figures/a6_multihead.py

What is shown as
numbers is computed with the reference, so this runs in the repository only.
"""

import math
from functools import partial

import numpy as np
import torch
from svg import AMBER, BLUE, EDGE, GREEN, INK, PALE, cell, figure, filled, line, numbered, reference, text

HEADS = (BLUE, AMBER, GREEN)
LOW, HIGH = BLUE, AMBER
arrow = partial(line, tip=True)


def block(x: float, y: float, rows: int, columns: int, ink: str, size: float = 20) -> list[str]:
    """Return a grid of cells in a tint of one ink."""
    return [cell(x + c * size, y + r * size, size, filled(ink, 0.3), ink) for r in range(rows) for c in range(columns)]


def of_step(step: int) -> str:
    """Return the fill of a number of sixths from -1 to 1: blue below zero, orange above, clear at zero."""
    return filled(HIGH if step > 0 else LOW, abs(step) / 6)


def heads() -> None:
    """Draw how features are split among heads, read by each on its own, and merged."""
    left, middle, size = 56, 130, 20
    parts = []
    for h, ink in enumerate(HEADS):
        top = 46 + 84 * h
        parts += block(left + 2 * h * size, middle, 3, 2, ink)
        parts += block(250, top, 3, 2, ink)
        parts.append(text(270, top - 8, f"head {h}", size=15, ink=ink))
        shares = np.random.default_rng(h).dirichlet([0.5] * 3, size=3)
        parts += [
            cell(396 + c * size, top + r * size, size, filled(ink, float(shares[r, c])), ink)
            for r in range(3)
            for c in range(3)
        ]
        parts += block(524, top, 3, 2, ink)
        parts += block(650 + 2 * h * size, middle, 3, 2, ink)
        parts.append(arrow((182, middle + 10 + 20 * h), (240, top + 30), ink=PALE))
        parts.append(arrow((302, top + 30), (384, top + 30), ink=ink))
        parts.append(arrow((468, top + 30), (514, top + 30), ink=ink))
        parts.append(arrow((576, top + 30), (640, middle + 10 + 20 * h), ink=PALE))
        parts.append(text(343, top + 22, "softmax", size=14, ink=PALE))
        parts.append(text(491, top + 22, "times v", size=14, ink=PALE))
    parts.append(arrow((784, middle + 30), (844, middle + 30)))
    parts.append(text(814, middle + 22, "W_o", size=15))
    parts += [
        cell(856 + c * size, middle + r * size, size, filled(INK, 0.15), PALE) for r in range(3) for c in range(6)
    ]
    for row, word in enumerate(("I", "like", "pizza")):
        parts.append(text(left - 6, middle + 14 + row * size, word, size=14, ink=PALE, anchor="end"))
    parts.append(text(left + 60, middle - 12, "q, k or v", size=15))
    parts.append(text(left + 60, middle + 82, "(time, d_model)", size=14, ink=PALE))
    parts.append(text(188, 250, "split", size=15))
    parts.append(text(270, 304, "(time, d_head)", size=14, ink=PALE))
    parts.append(text(426, 304, "weights (T_q, T_k)", size=14, ink=PALE))
    parts.append(text(634, 250, "merge", size=15))
    parts.append(text(710, middle - 12, "side by side", size=15))
    parts.append(text(916, middle - 12, "output", size=15))
    parts.append(text(916, middle + 82, "every feature from all heads", size=14, ink=PALE))
    figure("a6_multihead", "heads", 1020, 322, "Features split among three heads, read by each, and merged", parts)


WORDS = ("the", "monkey", "ate", "the", "banana", "it", "was", "ripe")
# What each word asks of a noun, and what each noun offers: an animal, a fruit.
ASKS = {"ate": (1.0, 0.4), "it": (0.2, 1.0), "was": (0.3, 0.8), "ripe": (0.0, 1.0), "the": (0.6, 0.6)}
OFFERS = {"monkey": (1.0, 0.0), "banana": (0.0, 1.0)}


def three_heads() -> np.ndarray:
    """Return the weights of three heads, set by hand: the word before, the same word, the noun that fits."""
    multihead = reference("a6_multihead", "multihead.py")
    T, d_head = len(WORDS), 8
    vocabulary = sorted(set(WORDS))
    x = torch.zeros(1, T, 3 * d_head)
    x[0, :, :d_head] = multihead.sinusoidal_encoding(T, d_head)
    for t, word in enumerate(WORDS):
        x[0, t, d_head + vocabulary.index(word)] = 1.0
        x[0, t, 16:18] = torch.tensor(ASKS.get(word, OFFERS.get(word, (0.0, 0.0))))
        x[0, t, 18:20] = torch.tensor(OFFERS.get(word, (0.0, 0.0)))
    layer = multihead.MultiHeadAttention(3 * d_head, 3)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        layer.W_q.weight[:d_head, :d_head] = 60 * multihead.shift_matrix(-1, d_head)
        layer.W_k.weight[:d_head, :d_head] = torch.eye(d_head)
        layer.W_q.weight[d_head:16, d_head:16] = 12 * torch.eye(d_head)
        layer.W_k.weight[d_head:16, d_head:16] = torch.eye(d_head)
        layer.W_q.weight[16:18, 16:18] = 10 * torch.eye(2)
        layer.W_k.weight[16:18, 18:20] = torch.eye(2)
        _, weights = layer(x, x, x, need_weights=True)
    return weights[0].numpy()


def head_maps() -> None:
    """Draw the weights of three heads on one sentence."""
    size, top, parts = 28, 96, []
    titles = ("head 0: the word before", "head 1: the same word", "head 2: the noun that fits")
    for h, (weights, ink) in enumerate(zip(three_heads(), HEADS, strict=True)):
        left = 76 + 312 * h
        parts.append(text(left + 4 * size, 30, titles[h], size=16, ink=ink))
        for i, word in enumerate(WORDS):
            parts.append(text(left - 8, top + i * size + 19, word, size=14, anchor="end"))
            x = left + i * size + 18
            parts.append(
                text(x, top - 8, word, size=14, anchor="start", extra=f' transform="rotate(-50 {x:g} {top - 8})"')
            )
            for j in range(len(WORDS)):
                share = float(weights[i, j])
                shown = share >= 0.1
                fill, letters = numbered(ink, share)
                parts.append(cell(left + j * size, top + i * size, size, fill))
                if shown:
                    number = f"{share:.2f}"[1:] if share < 0.995 else "1"
                    parts.append(text(left + (j + 0.5) * size, top + i * size + 19, number, ink=letters))
    parts.append(text(500, 346, "rows ask, columns are looked at; each row of each head sums to 1", size=15, ink=PALE))
    figure("a6_multihead", "head_maps", 1000, 364, "Weights of three heads on one sentence", parts)


def bands() -> None:
    """Draw sinusoidal_encoding and timing_signal for 40 positions and 32 features."""
    multihead = reference("a6_multihead", "multihead.py")
    T, d_model, size, top = 40, 32, 11, 64
    parts = []
    tables = (
        ("sinusoidal_encoding: the formula", multihead.sinusoidal_encoding(T, d_model)),
        ("timing_signal: the well-known figure", multihead.timing_signal(T, d_model)),
    )
    for number, (title, table) in enumerate(tables):
        left = 66 + 430 * number
        parts.append(text(left + d_model * size / 2, 30, title, size=15))
        steps = np.round(table.numpy() * 6).astype(int)
        for step in range(-6, 7):
            path = "".join(
                f"M{left + c * size} {top + r * size}h{size}v{size}h-{size}z" for r, c in np.argwhere(steps == step)
            )
            if path and step:
                parts.append(f'<path d="{path}" {of_step(step)}/>')
        parts.append(
            f'<rect x="{left}" y="{top}" width="{d_model * size}" height="{T * size}" fill="none" stroke="{PALE}"/>'
        )
        parts += [text(left - 8, top + t * size + 10, str(t), size=13, ink=PALE, anchor="end") for t in range(0, T, 10)]
        bottom = top + T * size + 18
        if number:
            parts.append(text(left + d_model * size / 4, 54, "sines", size=13, ink=PALE))
            parts.append(text(left + 3 * d_model * size / 4, 54, "cosines", size=13, ink=PALE))
        else:
            parts.append(text(left + d_model * size / 2, 54, "sine, cosine, sine, cosine, ...", size=13, ink=PALE))
        parts.append(text(left + d_model * size / 2, bottom, "feature", size=13, ink=PALE))
        parts.append(
            text(
                left - 36,
                top + T * size / 2,
                "position",
                size=13,
                ink=PALE,
                extra=f' transform="rotate(-90 {left - 36} {top + T * size // 2})"',
            )
        )
    for step in range(-6, 7):
        parts.append(cell(356 + 14 * (step + 6), 542, 14, of_step(step)))
    parts.append(text(348, 554, "-1", size=13, ink=PALE, anchor="end"))
    parts.append(text(546, 554, "1", size=13, ink=PALE, anchor="start"))
    figure("a6_multihead", "bands", 900, 572, "Two layouts of sinusoidal positions", parts)


def circle(x: float, y: float, radius: float) -> list[str]:
    """Return a circle with its axes: cosine to the right, sine upwards."""
    return [
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="none" stroke="{EDGE}" stroke-width="1.5"/>',
        line((x - radius - 14, y), (x + radius + 14, y), ink=EDGE, width=1),
        line((x, y + radius + 14), (x, y - radius - 14), ink=EDGE, width=1),
        text(x + radius + 28, y + 5, "cos", size=12, ink=PALE, anchor="start"),
        text(x, y - radius - 18, "sin", size=12, ink=PALE),
    ]


def arc(x: float, y: float, radius: float, start: float, end: float, ink: str) -> str:
    """Return an arrow along a circle, from one angle to a larger one."""
    steps = [start + (end - start) * s / 24 for s in range(25)]
    return arrow(*((x + radius * math.cos(a), y - radius * math.sin(a)) for a in steps), ink=ink, width=2.5)


def rotation() -> None:
    """Draw two pairs of the encoding on their circles, and the turn that two positions make."""
    parts = []
    for number, frequency in enumerate((1.0, 0.1)):
        x, y, radius = 190 + 400 * number, 190, 110
        parts += circle(x, y, radius)
        parts.append(text(x, 34, f"pair {number}: frequency {frequency:g}", size=15))
        for start, ink in ((0, HEADS[0]), (4, HEADS[1])):
            parts.append(arc(x, y, radius - 26, start * frequency, (start + 2) * frequency, ink))
            for t in (start, start + 2):
                end = (x + (radius - 4) * math.cos(t * frequency), y - (radius - 4) * math.sin(t * frequency))
                parts.append(line((x, y), end, ink=EDGE, width=1.5))
        for t in range(7):
            angle = t * frequency
            parts.append(
                f'<circle cx="{x + radius * math.cos(angle):.1f}" cy="{y - radius * math.sin(angle):.1f}" r="4" fill="{INK}"/>'
            )
            reach = radius + 15
            label = (x + reach * math.cos(angle), y - reach * math.sin(angle) + 5)
            if number == 0 or t % 2 == 0:
                parts.append(text(round(label[0]), round(label[1]), str(t), size=12))
        degrees = 2 * frequency * 180 / math.pi
        parts.append(text(x, 346, f"two positions on: {degrees:.1f} degrees, from 0 as from 4", size=13, ink=PALE))
    figure("a6_multihead", "rotation", 800, 368, "Moving on by two positions turns each pair by one angle", parts)


def rope() -> None:
    """Draw a query and a key, turned at two places that are equally far apart."""
    parts = []
    q, k, speed = 0.2, 0.9, 0.5
    panels = (
        ("as projected", None),
        ("query at 3, key at 1", (3, 1)),
        ("query at 7, key at 5", (7, 5)),
    )
    for number, (title, places) in enumerate(panels):
        x, y, radius = 150 + 270 * number, 180, 100
        m, n = places or (0, 0)
        parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="none" stroke="{EDGE}" stroke-width="1.5"/>')
        parts.append(text(x, 34, title, size=15))
        angles = {"q": q + m * speed, "k": k + n * speed}
        for (name, angle), ink in zip(angles.items(), HEADS, strict=False):
            end = (x + radius * math.cos(angle), y - radius * math.sin(angle))
            parts.append(arrow((x, y), end, ink=ink, width=2.5))
            parts.append(
                text(
                    round(x + (radius + 16) * math.cos(angle)),
                    round(y - (radius + 16) * math.sin(angle) + 5),
                    name,
                    size=15,
                    ink=ink,
                )
            )
        if places:
            for plain, turned, ink, reach in (
                (q, angles["q"], HEADS[0], 70),
                (k, angles["k"], HEADS[1], 50),
            ):
                start = (x + radius * math.cos(plain), y - radius * math.sin(plain))
                parts.append(line((x, y), start, ink=ink, width=1, dash="4 4"))
                parts.append(arc(x, y, reach, plain, turned, ink).replace('stroke-width="2.5"', 'stroke-width="1.5"'))
        between = math.degrees(angles["q"] - angles["k"])
        shown = f"{between:.0f}".replace("-", "\N{MINUS SIGN}")
        parts.append(text(x, 318, f"from k to q: {shown} degrees", size=13, ink=PALE))
    figure("a6_multihead", "rope", 840, 340, "Turned by their positions, query and key keep their angle", parts)


if __name__ == "__main__":
    heads()
    head_maps()
    bands()
    rotation()
    rope()
