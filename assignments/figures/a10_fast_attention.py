"""Draw the figure of a10_fast_attention as SVG: python assignments/figures/a10_fast_attention.py

It shows the roofline of the README's worked example, with the reference's numbers.
"""

import math

from svg import AMBER, BLUE, EDGE, GREEN, INK, PALE, figure, line, reference, text

PEAK, BANDWIDTH = 300e12, 2e12
LEFT, TOP, WIDE, HIGH = 92, 48, 620, 270
LOWEST, FARTHEST = 0.25, 4096.0  # of the intensities
SLOWEST, FASTEST = 0.5, 1000.0  # of the speeds, in Tera-operations


def at(intensity: float, speed: float) -> tuple[float, float]:
    """Return where a program of an intensity and a speed stands; both axes are logarithmic."""
    right = math.log(intensity / LOWEST) / math.log(FARTHEST / LOWEST)
    up = math.log(speed / 1e12 / SLOWEST) / math.log(FASTEST / SLOWEST)
    return LEFT + right * WIDE, TOP + (1 - up) * HIGH


def roofline() -> None:
    """Draw the slope, the roof, and three programs."""
    a10 = reference("a10_fast_attention", "fast_attention.py")
    bottom, ridge = TOP + HIGH, PEAK / BANDWIDTH
    parts = [line((LEFT, TOP), (LEFT, bottom), (LEFT + WIDE, bottom), ink=PALE)]
    for intensity in (1, 10, 100, 1000):
        x, _ = at(intensity, 1e12)
        parts += [line((x, TOP), (x, bottom - 28), ink=EDGE, width=0.5), text(x, bottom + 20, f"{intensity}", ink=PALE)]
    for speed in (1, 10, 100, 1000):
        _, y = at(1, speed * 1e12)
        parts += [line((LEFT, y), (LEFT + WIDE, y), ink=EDGE, width=0.5)]
        parts.append(text(LEFT - 10, y + 5, f"{speed}", ink=PALE, anchor="end"))
    ends = [at(i, float(a10.roofline(i, PEAK, BANDWIDTH))) for i in (LOWEST, ridge, FARTHEST)]
    parts.append(line(*ends, ink=INK, width=3))
    x, y = ends[1]
    parts += [line((x, y), (x, bottom), ink=INK, dash="5 4"), text(x, TOP - 6, f"ridge: {ridge:g}", size=15)]
    parts += [text(x - 12, bottom - 12, "memory-bound", ink=PALE, anchor="end")]
    parts += [text(x + 12, bottom - 12, "compute-bound", ink=PALE, anchor="start")]
    programs = (
        ("writing a token", a10.arithmetic_intensity(1, 4096, 64), AMBER, 16, 14, "start"),
        ("a prompt, plain", a10.arithmetic_intensity(4096, 4096, 64), BLUE, -10, -24, "end"),
        ("a prompt, fused", a10.arithmetic_intensity(4096, 4096, 64, fused=True), GREEN, 50, 28, "end"),
    )
    for name, intensity, ink, aside, below, anchor in programs:
        speed = float(a10.roofline(intensity, PEAK, BANDWIDTH))
        x, y = at(intensity, speed)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="{ink}"/>')
        shown = ", ".join(f"{number:.2f}".removesuffix(".00") for number in (intensity, speed / 1e12))
        parts.append(text(x + aside, y + below, f"{name}: {shown}", size=15, ink=ink, anchor=anchor))
    parts.append(text(LEFT + WIDE / 2, bottom + 46, "operations for each byte", size=15))
    turned = f' transform="rotate(-90 30 {TOP + HIGH / 2:g})"'
    parts.append(text(30, TOP + HIGH / 2, "Tera-operations a second", size=15, extra=turned))
    figure("a10_fast_attention", "roofline", 744, 386, "The roofline, and three programs of attention under it", parts)


if __name__ == "__main__":
    roofline()
