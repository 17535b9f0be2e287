"""Draw the figures of a5_attention as SVG: python assignments/figures/a5_attention.py

Both show "I like pizza", the worked example of the README.
"""

import numpy as np
from svg import AMBER, BLUE, GREEN, INK, PALE, cell, figure, line, numbered, reference, text

WORDS = ("I", "like", "pizza")
X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
W_V = np.array([[1.0, 1.0], [1.0, 0.0]])
SIZE = 46  # of a cell


def grid(
    x: float, y: float, values: np.ndarray, ink: str, *, most: float, hidden: np.ndarray | None = None
) -> list[str]:
    """Return a map of numbers, the stronger its ink the larger the number; a hidden one is a dot."""
    parts = []
    for (row, column), value in np.ndenumerate(values):
        left, top = x + column * SIZE, y + row * SIZE
        out = hidden is not None and bool(hidden[row, column])
        fill, letters = numbered(ink, 0 if out else max(value, 0) / most)
        parts.append(cell(left, top, SIZE, fill))
        shown = "·" if out else f"{value:.0f}" if value == round(value) else f"{value:.2f}".lstrip("0")
        parts.append(text(left + SIZE / 2, top + SIZE / 2 + 5, shown, size=15, ink=letters))
    return parts


def words(x: float, y: float, *, above: bool = False) -> list[str]:
    """Return the words beside the rows of a map, or above its columns."""
    if above:
        return [text(x + (n + 0.5) * SIZE, y - 8, word, size=14, ink=PALE) for n, word in enumerate(WORDS)]
    return [
        text(x - 8, y + (n + 0.5) * SIZE + 5, word, size=14, ink=PALE, anchor="end") for n, word in enumerate(WORDS)
    ]


def attention() -> None:
    """Draw the way from queries, keys and values to the output, with every number."""
    a5 = reference("a5_attention", "attention.py")
    scores = a5.attention_scores(X, X)
    weights = a5.attention_weights(scores)
    values = X @ W_V
    top, low = 74, 306
    parts = [*grid(70, top, X, BLUE, most=2), *words(70, top), text(116, top - 34, "Q: what each word asks", size=15)]
    parts += [
        *grid(70, low, X, AMBER, most=2),
        *words(70, low),
        text(116, low - 16, "K: what each word offers", size=15),
    ]
    parts += [line((172, top + 69), (310, top + 69), tip=True), line((172, low + 69), (240, low + 69), (240, top + 69))]
    parts += [text(240, top + 56, "Q Kᵀ / √2", size=14)]
    parts += [*grid(322, top, scores, GREEN, most=2), *words(322, top, above=True)]
    parts += [text(391, top - 34, "scores", size=15)]
    parts += [
        line((391, top + 146), (391, low - 34), tip=True),
        text(401, 248, "softmax of each row", size=14, anchor="start"),
    ]
    parts += [*grid(322, low, weights, GREEN, most=0.6), *words(322, low, above=True)]
    parts += [text(391, low + 166, "weights: each row sums to 1", size=15)]
    parts += [*grid(620, top, values, AMBER, most=3), *words(620, top)]
    parts += [text(666, top - 34, "V: what each word hands over", size=15)]
    parts += [
        line((468, low + 69), (572, low + 69), tip=True),
        line((666, top + 146), (666, 258), (520, 258), (520, low + 69)),
    ]
    parts += [text(520, low + 90, "weights V", size=14)]
    parts += [*grid(620, low, weights @ values, INK, most=3), *words(620, low)]
    parts += [text(666, low + 166, "output: a mixture of values", size=15)]
    figure("a5_attention", "attention", 800, 500, "Attention on I like pizza, number by number", parts)


def causal() -> None:
    """Draw how the causal mask changes the weights of each row."""
    a5 = reference("a5_attention", "attention.py")
    scores = a5.attention_scores(X, X)
    mask = a5.causal_mask(3, 3)
    top, lefts = 92, (84, 336, 588)
    shown = (
        (a5.attention_weights(scores), None, 1, "without a mask"),
        (mask.astype(float), ~mask, 3, "causal mask: 1 may be read"),
        (a5.attention_weights(scores, mask), ~mask, 1, "with it"),
    )
    parts = []
    for left, (values, hidden, most, title) in zip(lefts, shown, strict=True):
        parts += [
            *grid(left, top, values, GREEN, most=most, hidden=hidden),
            *words(left, top),
            *words(left, top, above=True),
        ]
        parts.append(text(left + 69, 40, title, size=15))
    parts.append(
        text(400, top + 172, "Each row is one query: its weights sum to 1, whatever may be read.", size=14, ink=PALE)
    )
    figure(
        "a5_attention", "causal", 800, 288, "Attention weights on I like pizza, without and with the causal mask", parts
    )


if __name__ == "__main__":
    attention()
    causal()
