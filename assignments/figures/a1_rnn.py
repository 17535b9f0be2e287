"""Draw the figures of a1_rnn as SVG: python assignments/figures/a1_rnn.py"""

from functools import partial

import numpy as np
import svg
from svg import INK, PALE, box, figure, line, symbol

INPUT, STATE, OUTPUT = svg.AMBER, svg.BLUE, svg.GREEN
text = partial(svg.text, size=15)
arrow = partial(line, tip=True)

# The model of the worked example, as in the README and in the public cases.
TOKENS = "ehlo"
W_X = np.array([[-0.5, 1.0, -0.5, 0.5], [1.0, 0.0, 0.0, -0.5], [0.5, -2.0, 1.0, 0.0]])
W_H = np.array([[1.0, 0.5, -1.5], [0.0, 1.0, -0.5], [1.0, 2.0, 0.0]])
B = np.array([0.5, 0.5, -0.5])
W_Y = np.array([[1.0, 0.0, -1.0], [-1.0, -0.5, 0.5], [0.5, 1.0, 1.0], [-1.0, 0.0, 1.5]])
B_Y = np.array([0.0, -1.5, -0.5, -0.5])


def unrolled() -> None:
    """Draw the network with its loop, and the same network unrolled over four steps."""
    low, mid, high = 190, 120, 50  # where inputs, states and predictions stand
    parts = [text(95, 236, "one network with a loop", size=13, ink=PALE)]
    parts += [
        text(470, 236, "the same network, unrolled: one copy for each step, the same weights in all", size=13, ink=PALE)
    ]

    def column(x: float, index: str) -> list[str]:
        return [
            symbol(x, low + 6, "x", index, ink=INPUT),
            arrow((x, low - 14), (x, mid + 22)),
            symbol(x + 17, low - 26, "W", "x", size=14, ink=PALE),
            box(x - 24, mid - 20, 48, 40, ink=STATE),
            symbol(x, mid + 5, "h", index, ink=STATE),
            arrow((x, mid - 20), (x, high + 14)),
            symbol(x + 17, mid - 38, "W", "y", size=14, ink=PALE),
            symbol(x, high + 4, "p", index, ink=OUTPUT),
        ]

    parts += column(80, "t")
    parts += [
        arrow((104, mid + 8), (138, mid + 8), (138, mid - 12), (106, mid - 12)),
        symbol(154, mid + 2, "W", "h", size=14, ink=PALE),
    ]
    parts += [text(212, mid + 8, "=", size=26)]
    parts += [symbol(268, mid + 5, "h", "0", ink=STATE), arrow((284, mid), (326, mid))]
    parts += [symbol(303, mid - 10, "W", "h", size=14, ink=PALE)]
    for step in range(4):
        x = 352 + 108 * step
        parts += column(x, str(step + 1))
        if step < 3:
            parts += [arrow((x + 24, mid), (x + 82, mid)), symbol(x + 52, mid - 10, "W", "h", size=14, ink=PALE)]
    parts += [arrow((352 + 324 + 24, mid), (352 + 324 + 58, mid))]
    figure("a1_rnn", "unrolled", 760, 254, "A recurrent network with its loop, and unrolled over four steps", parts)


def run(text_read: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the states and probabilities of the worked example's model while it reads."""
    h, states, probs = np.zeros(3), [], []
    for character in text_read:
        h = np.tanh(W_X[:, TOKENS.index(character)] + W_H @ h + B)
        raised = np.exp(W_Y @ h + B_Y)
        states.append(h)
        probs.append(raised / raised.sum())
    return np.array(states), np.array(probs)


def hello() -> None:
    """Draw the worked example: what is read, the states, the predictions, and the targets, shifted by one."""
    states, probs = run("hell")
    parts = []
    for y, label in ((358, "reads"), (282, "state"), (150, "predicts"), (46, "target")):
        parts.append(text(24, y, label, size=14, ink=PALE, anchor="start"))
    for step, (character, target) in enumerate(zip("hell", "ello", strict=True)):
        x = 160 + 150 * step
        parts += [box(x - 22, 336, 44, 34, ink=INPUT), text(x, 359, character, size=20, ink=INPUT)]
        parts += [arrow((x, 336), (x, 310))]
        parts += [box(x - 46, 246, 92, 62, ink=STATE)]
        parts += [
            text(
                x + 22, 265 + 17 * unit, f"{value:.3f}".replace("-", "\N{MINUS SIGN}"), size=14, ink=STATE, anchor="end"
            )
            for unit, value in enumerate(states[step])
        ]
        parts += [arrow((x, 246), (x, 220))]
        for token, share in enumerate(probs[step]):
            y, right = 92 + 30 * token, TOKENS[token] == target
            parts += [text(x - 50, y + 16, TOKENS[token], size=15, ink=OUTPUT if right else INK)]
            width = max(1.5, 62 * share)
            fill = OUTPUT if right else PALE
            parts += [f'<rect x="{x - 38}" y="{y + 2}" width="{width:.1f}" height="18" fill="{fill}"/>']
            parts += [
                text(x - 34 + width, y + 16, f"{share:.3f}"[1:], size=13, ink=OUTPUT if right else PALE, anchor="start")
            ]
        parts += [box(x - 22, 24, 44, 34, ink=OUTPUT), text(x, 47, target, size=20, ink=OUTPUT)]
        parts += [arrow((x, 86), (x, 62), ink=PALE)]
        if step < 3:
            parts += [arrow((x + 46, 277), (x + 102, 277))]
    parts += [arrow((72, 277), (112, 277)), text(70, 300, "0 0 0", size=12, ink=STATE)]
    figure("a1_rnn", "hello", 720, 388, 'The network reads "hell" and learns to predict "ello"', parts)


def hi_class() -> None:
    """Draw "Hi, class" as nine character tokens with their ids."""
    line = "Hi, class"
    vocab = sorted(set(line))
    parts = [
        text(20, 50, "text", size=14, ink=PALE, anchor="start"),
        text(20, 112, "ids", size=14, ink=PALE, anchor="start"),
    ]
    for place, character in enumerate(line):
        x = 100 + 60 * place
        parts += [
            box(x - 22, 26, 44, 38, ink=INPUT),
            text(x, 52, "␣" if character == " " else character, size=20, ink=INPUT),
        ]
        parts += [arrow((x, 64), (x, 90)), text(x, 113, str(vocab.index(character)), size=18)]
    figure("a1_rnn", "hi_class", 640, 134, '"Hi, class" as nine character tokens', parts)


def inversion() -> None:
    """Draw how a uniform number picks a token: the line from 0 to 1, cut into pieces as long as the probabilities."""
    probs = run("hel")[1][-1]
    left, length, top = 40, 600, 62
    edges = np.concatenate([[0.0], np.cumsum(probs)])
    parts = []
    for token, (start, share) in enumerate(zip(edges, probs, strict=False)):
        fill = svg.filled(STATE, (0.25, 0.1)[token % 2])
        x, width = left + length * start, length * share
        parts += [f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="44" {fill} stroke="{INK}"/>']
        parts += [text(x + width / 2, top + 28, TOKENS[token], size=18)]
    for edge, shift in zip(edges, (0, -8, 10, 0, 0), strict=True):
        label = f"{edge:.3f}"[1:] if 0 < edge < 0.9999 else f"{edge:.0f}"
        parts += [text(left + length * edge + shift, top + 62, label, size=13, ink=PALE)]
    for u, note in ((0.3, "u = .3 draws l"), (0.7, "u = .7 draws o")):
        parts += [
            arrow((left + length * u, 36), (left + length * u, top - 2)),
            text(left + length * u, 28, note, size=14),
        ]
    figure("a1_rnn", "inversion", 680, 142, "A uniform number picks a token by the cumulative probabilities", parts)


if __name__ == "__main__":
    for draw in (unrolled, hello, hi_class, inversion):
        draw()
