"""Predict, then run: how long is the gradient at the first step, by the spectral radius of W_h?

A loss at the last of 50 steps sends a gradient of norm 1 back. Your gradient_norms measures what arrives at the first.

    python experiment.py                      what is asked
    python experiment.py predict 1 1 1 1      your prediction, kept before anything runs
    python experiment.py run                  what happens beside it
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

STEPS, HIDDEN = 50, 32
KINDS = (
    (0.9, False),
    (1.0, False),
    (1.0, True),
    (1.5, False),
)  # the factor of an orthogonal W_h, and whether inputs are large

ASKS = (
    "W_h is an orthogonal matrix times a gain, so each step back multiplies a gradient by the gain and by tanh'. A gradient of "
    "norm 1 starts at the last of 50 steps. With small inputs the units stay near 0, where tanh' is nearly 1; with large ones "
    "they saturate. Which norm arrives at the first step?"
)
SETTINGS = tuple(f"gain {gain:g}, {'large' if large else 'small'} inputs" for gain, large in KINDS)
MEASURED = "the norm of the gradient at the first step"
WHY = (
    "Fifty factors make a power, so a little less than 1 is nearly nothing in the end, and .9 to the 50 is half a percent. The gain "
    "alone does not decide: an orthogonal matrix with gain 1 keeps the norm only while the units stay near 0, and real inputs "
    "drive them away from it. A gain above 1 explodes, and nothing holds W_h at the border while "
    "it is trained. That is why a3 builds a path on which no matrix and no tanh stands."
)


def measure(student: Any) -> Iterator[float]:
    """Yield the norm at the first step for each gain and size of inputs."""
    for gain, large in KINDS:
        rng = np.random.default_rng(2)
        W_h = gain * np.linalg.qr(rng.normal(size=(HIDDEN, HIDDEN)))[0]
        W_x = 0.3 * rng.normal(size=(HIDDEN, 3))
        x, h0 = (1.0 if large else 1e-3) * rng.normal(size=(1, STEPS, 3)), np.zeros((1, HIDDEN))
        states, h = [], h0
        for t in range(STEPS):
            h = np.tanh(x[:, t] @ W_x.T + h @ W_h.T)
            states.append(h)
        start = rng.normal(size=(1, HIDDEN))
        cache = (x, h0, np.stack(states, axis=1), W_x, W_h)
        yield float(student.gradient_norms(start / np.linalg.norm(start), cache)[0])


if __name__ == "__main__":
    import sys

    from check import predict_then_run

    sys.exit(predict_then_run(sys.modules[__name__], sys.argv[1:]))
