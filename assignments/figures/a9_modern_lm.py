"""Draw the figures of a9_modern_lm as SVG: python assignments/figures/a9_modern_lm.py

The masks are computed with the reference, so this runs in the repository only. The runs of the debugging lab were measured by
broken_runs.py.
"""

from a9_modern_lm_lab import debugging_lab
from svg import AMBER, BLUE, INK, PALE, box, cell, figure, filled, line, reference, text

GROUPS = (BLUE, AMBER)


def groups() -> None:
    """Draw which key-value head each query head reads, rightly and as if heads took turns."""
    parts = []
    for top, title, of in (
        (60, "neighbours form a group", lambda h: h // 3),
        (260, "not: heads take turns", lambda h: h % 2),
    ):
        parts.append(text(40, top - 24, title, size=14, anchor="start"))
        for h in range(6):
            x, ink = 150 + 90 * h, GROUPS[of(h)]
            parts.append(line((x, top + 34), (240 + 270 * of(h), top + 100), ink=ink))
            parts.append(box(x - 30, top, 60, 34, ink=ink))
            parts.append(text(x, top + 22, f"q {h}", ink=INK))
        for j in range(2):
            parts.append(box(200 + 270 * j, top + 100, 80, 34, ink=GROUPS[j], share=0.25))
            parts.append(text(240 + 270 * j, top + 122, f"k, v {j}", ink=INK))
    figure("a9_modern_lm", "groups", 680, 420, "Six query heads and two key-value heads", parts)


def window() -> None:
    """Draw the causal mask and a sliding window beside it."""
    model = reference("a9_modern_lm", "modern_lm.py")
    size, parts = 28, []
    for left, width, title in ((70, 7, "causal"), (380, 3, "a window of 3")):
        parts.append(text(left + 3.5 * size, 34, title, size=14))
        parts.append(text(left + 3.5 * size, 78 + 7 * size, "keys", size=12, ink=PALE))
        parts.append(text(left - 34, 60 + 3.5 * size, "queries", size=12, ink=PALE))
        for i, row in enumerate(model.sliding_mask(7, width).tolist()):
            parts += [
                cell(left + j * size, 50 + i * size, size, filled(BLUE, 0.8 if seen else 0))
                for j, seen in enumerate(row)
            ]
    figure("a9_modern_lm", "window", 620, 280, "A causal mask and a sliding window", parts)


if __name__ == "__main__":
    groups()
    window()
    debugging_lab()
