"""Draw the figures of a4_seq2seq as SVG: python assignments/figures/a4_seq2seq.py"""

import math
from functools import partial

import numpy as np
import svg
from a4_seq2seq_lab import debugging_lab
from attention_map import attention_map
from svg import EDGE, INK, PALE, Point, figure, line, symbol

SOURCE, TARGET, LOOK = svg.AMBER, svg.BLUE, svg.GREEN
text = partial(svg.text, size=15)
arrow = partial(line, tip=True)


# The heat map: scores that we made up for this figure, a row for each target word and a column for each source word.
SRC = ("the", "white", "cat", "is", "asleep", "pad")
TGT = ("le", "chat", "blanc", "dort", "EOS")
SCORES = np.array(
    [
        [3.2, 0.6, 1.4, -0.4, -0.8, 0.0],
        [0.4, 1.2, 3.6, -0.2, 0.5, 0.0],
        [-0.3, 3.4, 1.0, 0.2, -0.5, 0.0],
        [-0.8, -0.6, 0.7, 2.1, 3.0, 0.0],
        [-0.2, -0.5, 0.1, 0.8, 1.3, 0.0],
    ]
)
REAL = np.array([True, True, True, True, True, False])

# The beam: the table of the README, one row for the word before, one column for the next word.
WORDS = ("EOS", "yes", "ok")
TABLE = {"BOS": (0.1, 0.5, 0.4), "yes": (0.3, 0.45, 0.25), "ok": (0.9, 0.04, 0.06)}
WIDTH, STEPS = 2, 3


def weights() -> np.ndarray:
    """Return the attention weights of the heat map: a softmax over what is real."""
    raised = np.exp(SCORES) * REAL
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def box(x: float, y: float, width: float, height: float, *, ink: str = INK, share: float = 0.1) -> str:
    """Return a rounded rectangle, centred on a point."""
    return svg.box(x - width / 2, y - height / 2, width, height, ink=ink, share=share)


def chains(y: float) -> list[str]:
    """Return the encoder at the left and the decoder at the right, which both figures in one have in common."""
    parts = []
    for number, word in enumerate(("the", "white", "cat")):
        x = 70 + 92 * number
        parts += [box(x, y, 52, 36, ink=SOURCE), symbol(x, y + 5, "s", str(number + 1), ink=SOURCE)]
        parts += [arrow((x, y + 46), (x, y + 20)), text(x, y + 62, word, size=14)]
        if number:
            parts.append(arrow((x - 64, y), (x - 28, y)))
    for number, (read, said) in enumerate((("BOS", "le"), ("le", "chat"), ("chat", "blanc"), ("blanc", "EOS"))):
        x = 436 + 88 * number
        parts += [box(x, y, 52, 36, ink=TARGET), symbol(x, y + 5, "h", str(number + 1), ink=TARGET)]
        parts += [arrow((x, y + 46), (x, y + 20)), text(x, y + 62, read, size=14)]
        parts += [arrow((x, y - 20), (x, y - 42)), text(x, y - 50, said, size=14)]
        if number:
            parts.append(arrow((x - 60, y), (x - 28, y)))
    return parts


def bottleneck() -> None:
    """Draw the same sentence through one context vector, and with attention."""
    top, low = 130, 396
    parts = [text(24, 34, "One context vector: all of the source has to fit into c", size=15, anchor="start")]
    parts += chains(top)
    parts += [
        arrow((282, top), (321, top)),
        f'<circle cx="340" cy="{top}" r="17" fill="none" stroke="{LOOK}" stroke-width="2.5"/>',
        symbol(340, top + 5, "c", "", ink=LOOK),
        arrow((359, top), (408, top)),
        line((340, top - 19), (340, top - 34), (666, top - 34), ink=LOOK, width=1.2),
    ]
    for x in (436, 524, 612, 700):
        parts.append(arrow((x - 34, top - 34), (x - 34, top - 26), (x - 24, top - 19), ink=LOOK, width=1.2))
    parts.append(f'<line x1="24" y1="232" x2="742" y2="232" stroke="{EDGE}"/>')
    parts.append(text(24, 262, "Attention: every step looks at all source states again", size=15, anchor="start"))
    # The weights of "chat", the second step, among the three words that are drawn.
    shares = np.exp(SCORES[1, :3])
    shares = shares / shares.sum()
    for number, share in enumerate(shares):
        x = 70 + 92 * number
        parts.append(
            f'<path d="M{x} {low - 20} C{x} {low - 122} 490 {low - 146} 502 {low - 20}" fill="none" stroke="{LOOK}" '
            f'stroke-width="{1 + 6 * share:.1f}" stroke-opacity="{0.45 + 0.55 * share:.2f}"/>'
        )
        parts.append(text(x - 8, low - 26, f"{share:.2f}".lstrip("0"), size=13, ink=LOOK, anchor="end"))
    parts += chains(low)
    parts += [arrow((282, low), (408, low))]
    parts.append(
        text(384, low + 90, "thick: much weight. Each of the other steps has weights of its own.", size=13, ink=PALE)
    )
    figure("a4_seq2seq", "bottleneck", 766, 506, "One context vector, and attention", parts)


def alignment() -> None:
    """Draw attention weights as a heat map."""
    left, top, cell = 110, 76, 62
    parts = [text(left + 3 * cell, 30, "source: what is looked at (each row sums to 1)", size=14, ink=PALE)]
    for column, word in enumerate(SRC):
        parts.append(text(left + cell * (column + 0.5), top - 12, word, ink=INK if REAL[column] else PALE))
    for row, (word, shares) in enumerate(zip(TGT, weights(), strict=True)):
        parts.append(text(left - 14, top + cell * (row + 0.5) + 5, word, anchor="end"))
        for column, share in enumerate(shares):
            x, y = left + cell * column, top + cell * row
            fill, ink = svg.numbered(TARGET, share)
            parts.append(svg.cell(x, y, cell, fill))
            label = f"{share:.2f}".lstrip("0") if REAL[column] else "0"
            parts.append(text(x + cell / 2, y + cell / 2 + 5, label, size=14, ink=ink))
    x = 34
    y = top + cell * len(TGT) / 2
    parts.append(
        f'<text x="{x}" y="{y:g}" font-size="14" fill="{PALE}" text-anchor="middle" '
        f'transform="rotate(-90 {x} {y:g})">target: what is said</text>'
    )
    bottom = top + cell * len(TGT)
    parts.append(text(left + 3 * cell, bottom + 28, "padding is masked, so its column is zero", size=13, ink=PALE))
    figure("a4_seq2seq", "alignment", 520, bottom + 48, "Attention weights as an alignment", parts)


def beam_levels() -> list[list[tuple[str, str, float, bool]]]:
    """Return for every step all extensions as (hypothesis, parent, probability, kept)."""
    alive, places = {"": 1.0}, WIDTH
    levels = []
    for _ in range(STEPS):
        extended = [
            (f"{past} {word}".strip(), past, total * probability)
            for past, total in alive.items()
            for word, probability in zip(WORDS, TABLE[past.split(" ")[-1] or "BOS"], strict=True)
        ]
        kept = {name for name, _, _ in sorted(extended, key=lambda item: -item[2])[:places]}
        levels.append([(name, past, total, name in kept) for name, past, total in extended])
        alive = {name: total for name, _, total in extended if name in kept and not name.endswith("EOS")}
        places -= sum(name.endswith("EOS") for name in kept)
    return levels


def beam() -> None:
    """Draw the tree of the worked example with the two hypotheses that are kept at every step."""
    columns, first = (40, 200, 400, 610), 60
    places: dict[str, Point] = {"": (columns[0] + 26, 200)}
    rows = {1: (90, 210, 330), 2: (60, 110, 160, 240, 290, 340), 3: (60, 110, 160)}
    parts = [box(places[""][0], 200, 56, 32), text(places[""][0], 205, "BOS", size=14)]
    for number, level in enumerate(beam_levels(), start=1):
        x = columns[number]
        parts.append(text(x + 30, first - 34, f"step {number}", size=13, ink=PALE))
        order = sorted(level, key=lambda item: (places[item[1]][1], WORDS.index(item[0].split(" ")[-1])))
        for (name, parent, total, kept), y in zip(order, rows[number], strict=True):
            ended = name.endswith("EOS")
            places[name] = (x + 30, y)
            ink = (LOOK if ended else TARGET) if kept else PALE
            begin = places[parent]
            end_x = begin[0] + (30, 34, 84)[number - 1]
            word = name.split(" ")[-1]
            probability = TABLE[parent.split(" ")[-1] or "BOS"][WORDS.index(word)]
            share = f"{probability:g}".lstrip("0")
            slope = (y - begin[1]) / (x - 6 - end_x)
            gap = 17 / math.hypot(1, slope)  # the line is open around its probability
            middle = end_x + 0.6 * (x - 6 - end_x), begin[1] + 0.6 * (y - begin[1])
            for one, other in (((end_x, begin[1]), -gap), ((x - 6, y), gap)):
                near = middle[0] + other, middle[1] + other * slope
                parts.append(line(one, near, ink=ink, width=2.5 if kept else 1))
            parts.append(text(middle[0], middle[1] + 4, share, size=12))
            parts.append(box(x + 28, y, 68, 32, ink=ink, share=0.15 if kept else 0))
            parts.append(text(x + 28, y + 5, word, size=14, ink=ink))
            product = f"{total:.3g}".lstrip("0")
            parts.append(text(x + 68, y + 5, f"= {product}" if number > 1 else "", size=13, ink=ink, anchor="start"))
    parts.append(text(columns[2] + 124, 245, "finished: the best", size=13, ink=LOOK, anchor="start"))
    parts.append(text(columns[3] + 68, 132, "cut off", size=13, ink=TARGET, anchor="start"))
    parts.append(text(24, 398, "bold: kept, with two places in all; thin: dropped", size=13, ink=PALE, anchor="start"))
    figure("a4_seq2seq", "beam", 776, 416, "A beam of two", parts)


if __name__ == "__main__":
    bottleneck()
    alignment()
    beam()
    attention_map("a4_seq2seq", "Trained: weights of AttentionDecoder", "said", size=44)
    debugging_lab()
    print(np.round(weights(), 2))
    print(f"log P of ok EOS: {math.log(0.4 * 0.9):.4f}")
