"""Predict, then run: how long does a network remember its first token?

Two texts differ in their first token alone. Your rnn_forward reads both, and the experiment measures how far apart the two
states are after 40 steps, divided by how far apart they were after the first.

    python experiment.py                      what is asked
    python experiment.py predict 1 1 1        your prediction, kept before anything runs
    python experiment.py run                  what happens beside it
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

STEPS, HIDDEN, INPUTS, PAIRS = 40, 32, 8, 50
GAINS = (0.5, 1.0, 3.0)

ASKS = (
    "Two texts differ in their first token alone. W_h is a random matrix that is scaled to a spectral radius: .5, 1 or 3. A "
    "network of 32 tanh units reads both texts. How much of the difference between the two states after the first step "
    "is left after 40 steps? 1 means all of it, 0 nothing, and it may also grow."
)
SETTINGS = tuple(f"spectral radius {gain:g}" for gain in GAINS)
MEASURED = "which share of the first difference is left after 40 steps"
WHY = (
    "What the states have lost, no output layer can bring back. With a small radius each step shrinks every difference, and "
    "after 40 steps nothing is left of the first token. With a large one the tanh keeps states from exploding, and "
    "differences do not die out; but the network is chaotic there: any other small difference grows in the same way, so that "
    "the first token is in the state without being readable. In between lies little room, and a2 shows that gradients "
    "meet the same factors on their way back."
)


def measure(student: Any) -> Iterator[float]:
    """Yield the share that is left for each spectral radius, the median over some pairs of texts."""
    for gain in GAINS:
        rng = np.random.default_rng(1)
        W_h = rng.normal(size=(HIDDEN, HIDDEN))
        W_h *= gain / np.abs(np.linalg.eigvals(W_h)).max()
        W_x, b = 0.5 * rng.normal(size=(HIDDEN, INPUTS)), np.zeros(HIDDEN)
        ids = rng.integers(1, INPUTS, size=(PAIRS, STEPS + 1))
        one, other = np.eye(INPUTS)[ids], np.eye(INPUTS)[np.where(np.arange(STEPS + 1) == 0, 0, ids)]
        h0 = np.zeros((PAIRS, HIDDEN))
        apart = np.linalg.norm(
            student.rnn_forward(one, h0, W_x, W_h, b) - student.rnn_forward(other, h0, W_x, W_h, b), axis=2
        )
        yield float(np.median(apart[:, -1] / apart[:, 0]))


if __name__ == "__main__":
    import sys

    from check import predict_then_run

    sys.exit(predict_then_run(sys.modules[__name__], sys.argv[1:]))
