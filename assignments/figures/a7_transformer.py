"""Draw the figures of a7_transformer as SVG: python assignments/figures/a7_transformer.py

The gradients of the
last one are computed with the reference, so this runs in the repository only; it prints the table of the README as well.
"""

import math
from collections.abc import Callable
from functools import partial

import svg
import torch
from a7_transformer_lab import debugging_lab
from attention_map import attention_map, hand_made_map
from svg import EDGE, INK, PALE, Point, figure, filled, knot, line, power, reference, text

NORM, LOOK, THINK = svg.GREEN, svg.BLUE, svg.AMBER
arrow = partial(line, tip=True)
plus = partial(knot, sign="+", radius=12)


def box(
    x: float, y: float, label: str, *, width: float = 96, ink: str = INK, height: float = 36, below: str = ""
) -> str:
    """Return a box around a point, with a label and perhaps a second, smaller one."""
    rect = svg.box(x - width / 2, y - height / 2, width, height, ink=ink)
    if not below:
        return rect + text(x, y + 5, label, ink=ink)
    return rect + text(x, y - 2, label, ink=ink) + text(x, y + 13, below, size=12, ink=PALE)


def dot(x: float, y: float) -> str:
    """Return the place where a line divides."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="{INK}"/>'


def sublayer(start: float, end: float, top: float, low: float, parts: list[tuple[str, str]]) -> list[str]:
    """Return a sublayer: it leaves the residual stream, goes through boxes, and comes back to a sum."""
    width, gap = 112, (end - start) / len(parts)
    places = [start + gap * (n + 0.5) for n in range(len(parts))]
    drawn = [dot(start, top)]
    before: list[Point] = [(start, top), (start, low)]
    for place, (label, ink) in zip(places, parts, strict=True):
        drawn += [arrow(*before, (place - width / 2, low)), box(place, low, label, width=width, ink=ink)]
        before = [(place + width / 2, low)]
    return [*drawn, arrow(*before, (end, low), (end, top + 13)), plus(end, top)]


def encoder_block() -> None:
    """Draw one layer of the encoder as here, and as in the paper."""
    top, low = 92, 168
    first = [("norm_1", NORM), ("attention", LOOK)]
    second = [("norm_2", NORM), ("feed_forward", THINK)]
    parts = [
        text(24, 34, "pre-norm, as here: only sums on the residual stream", size=15, anchor="start"),
        arrow((52, top), (730, top), width=3),
        *sublayer(90, 370, top, low, first),
        *sublayer(410, 690, top, low, second),
        text(36, top + 6, "x", size=17),
        text(390, top - 14, "h", size=17),
        text(744, top + 6, "y", size=17),
        arrow((300, low + 50), (300, low + 20)),
        text(300, low + 66, "mask", size=13, ink=PALE),
    ]
    top, low = 336, 412
    parts += [
        line((24, 254), (744, 254), ink=EDGE),
        text(24, 284, "post-norm, as in the first paper: every sum goes through a norm", size=15, anchor="start"),
        arrow((52, top), (290, top), width=3),
        arrow((388, top), (612, top), width=3),
        arrow((710, top), (738, top), width=3),
        *sublayer(90, 260, top, low, [("attention", LOOK)]),
        *sublayer(420, 590, top, low, [("feed_forward", THINK)]),
        box(340, top, "norm_1", ink=NORM),
        box(662, top, "norm_2", ink=NORM),
        text(36, top + 6, "x", size=17),
        text(744, top + 6, "y", size=17),
    ]
    figure("a7_transformer", "encoder_block", 768, 452, "An encoder block, pre-norm and post-norm", parts)


def decoder_block() -> None:
    """Draw one layer of the decoder."""
    top, low, source = 70, 150, 240
    parts = [
        arrow((48, top), (1000, top), width=3),
        *sublayer(76, 346, top, low, [("norm_1", NORM), ("self_attention", LOOK)]),
        *sublayer(390, 660, top, low, [("norm_2", NORM), ("cross_attention", LOOK)]),
        *sublayer(704, 974, top, low, [("norm_3", NORM), ("feed_forward", THINK)]),
        text(34, top + 6, "x", size=17),
        text(368, top - 14, "g", size=17),
        text(682, top - 14, "h", size=17),
        text(1014, top + 6, "y", size=17),
        arrow((278, low + 44), (278, low + 20)),
        text(278, low + 60, "target_mask", ink=PALE),
        arrow((96, source), (585, source), (585, low + 20), width=2.5),
        text(84, source + 5, "memory", size=15, anchor="end"),
        text(460, source - 8, "keys and values", ink=PALE),
        arrow((650, source), (606, source - 36), (606, low + 20), ink=PALE),
        text(656, source + 5, "memory_mask", ink=PALE, anchor="start"),
        text(525, low + 36, "queries", ink=PALE),
    ]
    figure("a7_transformer", "decoder_block", 1032, 272, "A decoder block", parts)


def architecture() -> None:
    """Draw the whole model."""
    left, right = 170, 560
    rows = {"ids": 560, "words": 496, "places": 432, "blocks": 330, "norm": 236, "output": 160, "logits": 96}
    parts = []
    for x, side, block, words in (
        (left, "encoder", "EncoderBlock", "src_embedding"),
        (right, "decoder", "MaskedDecoderBlock", "tgt_embedding"),
    ):
        ids = "src  (batch, T_s)" if side == "encoder" else "tgt  (batch, T_t)"
        parts += [
            text(x, rows["ids"] + 5, ids),
            arrow((x, rows["ids"] - 14), (x, rows["words"] + 19)),
            box(x, rows["words"], words, width=150),
            text(x + 86, rows["words"] + 5, "\N{MULTIPLICATION SIGN} \N{SQUARE ROOT}d_model", size=13, anchor="start"),
            arrow((x, rows["words"] - 19), (x, rows["places"] + 13)),
            plus(x, rows["places"]),
            arrow((x + 70, rows["places"]), (x + 14, rows["places"])),
            text(x + 76, rows["places"] + 5, "positions", size=13, anchor="start"),
            arrow((x, rows["places"] - 13), (x, rows["blocks"] + 39)),
            svg.box(x - 85, rows["blocks"] - 34, 170, 70),
            *(
                line(
                    (x - 85 + 6 * n, rows["blocks"] - 28 - 6 * n),
                    (x - 85 + 6 * n, rows["blocks"] - 34 - 6 * n),
                    (x + 85 + 6 * n, rows["blocks"] - 34 - 6 * n),
                    (x + 85 + 6 * n, rows["blocks"] + 36 - 6 * n),
                    (x + 79 + 6 * n, rows["blocks"] + 36 - 6 * n),
                )
                for n in (1, 2)
            ),
            text(x, rows["blocks"] + 6, block),
            text(x + 104, rows["blocks"] + 34, "n_layers", size=13, ink=PALE, anchor="start"),
            arrow((x, rows["blocks"] - 46), (x, rows["norm"] + 19)),
            box(x, rows["norm"], f"{side}_norm", width=150, ink=NORM),
        ]
    parts += [
        arrow(
            (left, rows["norm"] - 19),
            (left, 170),
            (370, 170),
            (370, rows["blocks"]),
            (right - 88, rows["blocks"]),
            width=3,
        ),
        text(270, 160, "memory"),
        text(270, 190, "(batch, T_s, d_model)", size=12, ink=PALE),
        arrow((right, rows["norm"] - 19), (right, rows["output"] + 19)),
        box(right, rows["output"], "output", width=150, below="d_model to tgt_vocab", height=38),
        arrow((right, rows["output"] - 20), (right, rows["logits"] + 14)),
        text(right, rows["logits"], "logits  (batch, T_t, tgt_vocab)"),
        text(left, 50, "encode", size=18),
        text(right, 50, "decode", size=18),
    ]
    figure("a7_transformer", "transformer", 740, 590, "The Transformer", parts)


def grid(x: float, y: float, rows: list[str], columns: list[str], allowed: Callable[[int, int], bool]) -> list[str]:
    """Return a mask as a table: a row for each query, a column for each key."""
    size = 34
    parts = []
    for i, row in enumerate(rows):
        parts.append(text(x - 8, y + size * i + 22, row, size=13, anchor="end"))
        for j in range(len(columns)):
            parts.append(svg.cell(x + size * j, y + size * i, size, filled(LOOK, 0.2 if allowed(i, j) else 0)))
            if allowed(i, j):
                parts.append(
                    f'<circle cx="{x + size * (j + 0.5):g}" cy="{y + size * (i + 0.5):g}" r="7" fill="{LOOK}"/>'
                )
    for j, column in enumerate(columns):
        place = x + size * (j + 0.5) + 4
        parts.append(
            text(place, y - 8, column, size=13, anchor="start", extra=f' transform="rotate(-40 {place:g} {y - 8:g})"')
        )
    return parts


def masks() -> None:
    """Draw the three masks of one sentence."""
    source, target = ["ich", "mag", "Pizza", "pad"], ["bos", "i", "pad", "like", "pizza"]
    size, top = 34, 120
    parts = [
        text(150, 34, "encoder: source looks at source", size=14),
        *grid(82, top, source, source, lambda _, j: j < 3),
        text(420, 34, "decoder: target looks at target", size=14),
        *grid(335, top, target, target, lambda i, j: j <= i and j != 2),
        text(690, 34, "decoder: target looks at source", size=14),
        *grid(622, top, target, source, lambda _, j: j < 3),
        text(150, top + size * 4 + 30, "not padding: (batch, 1, T_s)", size=12, ink=PALE),
        text(420, top + size * 5 + 30, "causal and not padding: (batch, T_t, T_t)", size=12, ink=PALE),
        text(690, top + size * 5 + 30, "not padding: (batch, 1, T_s)", size=12, ink=PALE),
    ]
    figure("a7_transformer", "masks", 816, 344, "The three masks of a Transformer", parts)


def norms() -> None:
    """Draw which numbers share a mean and a variance."""
    size = 30

    def batch(x: float, inside: Callable[[int, int, int], bool]) -> list[str]:
        parts = []
        for n in range(2):
            for t in range(3):
                for k in range(4):
                    fill, edge = (filled(LOOK, 0.35), LOOK) if inside(n, t, k) else (filled(LOOK, 0), EDGE)
                    parts.append(svg.cell(x + size * k, 70 + 112 * n + size * t, size, fill, edge))
                parts.append(text(x - 8, 90 + 112 * n + size * t, f"t = {t}", size=12, ink=PALE, anchor="end"))
            parts.append(text(x + 4 * size + 10, 120 + 112 * n, f"sequence {n}", size=12, ink=PALE, anchor="start"))
        return parts

    parts = [
        text(140, 34, "layer_norm", size=16),
        *batch(80, lambda n, t, _: n == 0 and t == 1),
        text(140, 304, "the features of one position", size=13),
        text(430, 34, "batch_norm", size=16),
        *batch(370, lambda *place: place[2] == 2),
        text(430, 304, "one feature at all positions of all sequences", size=13),
    ]
    figure("a7_transformer", "norms", 600, 324, "Which numbers share a mean and a variance", parts)


# The configuration of the table: untrained blocks of width 32 on random vectors; everything is drawn from this seed.
WIDTH, HEADS, DEPTHS, SEED = 32, 4, (1, 2, 4, 8, 16, 32), 0


def left_of_its_own(kind: str, depth: int) -> float:
    """Return how much of a vector behind a stack of blocks is its own, and not the mean of its sequence."""
    model = reference("a7_transformer", "transformer.py")
    torch.manual_seed(SEED)
    blocks = [model.EncoderBlock(WIDTH, HEADS, 4 * WIDTH) for _ in range(depth)]
    h = torch.randn(4, 10, WIDTH)
    with torch.no_grad():
        for block in blocks:
            if kind == "pre-norm":
                h = block(h)
            elif kind == "post-norm":
                h = block.norm_1(h + block.attention(h, h, h))
                h = block.norm_2(h + block.feed_forward(h))
            else:
                n = block.norm_1(h)
                h = block.feed_forward(block.norm_2(block.attention(n, n, n)))
        return float((h - h.mean(dim=1, keepdim=True)).norm() / h.norm())


def collapse() -> None:
    """Draw how alike the positions of a sequence become in stacks of blocks."""
    left, right, top, bottom, low = 76, 520, 70, 330, -6  # below 10^low is rounding, which differs between processors
    inks = {"pre-norm": NORM, "post-norm": LOOK, "no residual": THINK}

    def place(n: int, value: float) -> Point:
        exponent = math.log10(max(value, 10.0**low))
        return left + (right - left) * n / (len(DEPTHS) - 1), top + (bottom - top) * exponent / low

    parts = [text(left, 34, "share of a vector that is its own, not common to its whole sequence", anchor="start")]
    for exponent in range(0, low - 1, -2):
        _, y = place(0, 10.0**exponent)
        parts.append(line((left, y), (right, y), ink=EDGE, width=1))
        parts.append(power(left - 8, y + 5, exponent))
    for n, blocks in enumerate(DEPTHS):
        parts.append(text(place(n, 1.0)[0], bottom + 20, str(blocks), size=13, ink=PALE))
    parts.append(text((left + right) / 2, bottom + 42, "blocks", size=13, ink=PALE))
    table = {kind: [left_of_its_own(kind, blocks) for blocks in DEPTHS] for kind in inks}
    for kind, values in table.items():
        points = [place(n, value) for n, value in enumerate(values)]
        parts.append(line(*points, ink=inks[kind], width=2.5))
        shift = {"pre-norm": -4, "post-norm": 12}.get(kind, 5)
        parts.append(text(right + 10, points[-1][1] + shift, kind, ink=inks[kind], anchor="start"))
        print(f"| {kind} |", " | ".join(f"{value:.2g}" if value > 10.0**low else "below 1e-6" for value in values), "|")
    figure("a7_transformer", "collapse", 640, 390, "How alike the positions of a sequence become", parts)


if __name__ == "__main__":
    encoder_block()
    decoder_block()
    architecture()
    masks()
    norms()
    collapse()
    from_right_to_left = "Set by hand: from right to left"
    hand_made_map("a7_transformer", lambda row, columns: columns - 1 - row, from_right_to_left, "said", size=40)
    attention_map("a7_transformer", "Trained: a head of the cross-attention", "said", size=40)
    debugging_lab()
