"""Predict, then run: how far back does the gradient of an untrained LSTM reach, by its forget bias?

A loss at the last of 50 steps sends a gradient of norm 1 into the last state. Your lstm_backward carries it to the first cell.

    python experiment.py                      what is asked
    python experiment.py predict 1 1 1        your prediction, kept before anything runs
    python experiment.py run                  what happens beside it
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

STEPS, HIDDEN, INPUTS = 50, 32, 4
BIASES = (0.0, 1.0, 3.0)

ASKS = (
    "An LSTM is untrained: its weights are small and its forget bias is 0, 1 or 3, so that its forget gates are about "
    ".5, .73 or .95. A gradient of norm 1 starts at the last of 50 hidden states. Which norm arrives at the cell state before the "
    "first step?"
)
SETTINGS = tuple(f"forget bias {bias:g}" for bias in BIASES)
MEASURED = "the norm of the gradient at the first cell state"
WHY = (
    "Along the cell a gradient is multiplied by the forget gates alone, so the norm is close to f to the 50: .5 leaves nothing, "
    ".95 leaves a tenth. An untrained network with bias 0 cannot find out that something 50 steps ago mattered, since no "
    "gradient tells it; with bias 3 it can, and may still learn to close the gate. The training of this assignment starts "
    "from bias 3. Jozefowicz et al. 2015 found this one number to matter more than most changes to the cell."
)


def measure(student: Any) -> Iterator[float]:
    """Yield the norm at the first cell state for each forget bias."""
    for bias in BIASES:
        rng = np.random.default_rng(3)
        params = {f"W_{gate}": 0.02 * rng.normal(size=(HIDDEN, HIDDEN + INPUTS)) for gate in "fioc"}
        params |= {f"b_{gate}": np.full(HIDDEN, bias if gate == "f" else 0.0) for gate in "fioc"}
        x, zeros = rng.normal(size=(1, STEPS, INPUTS)), np.zeros((1, HIDDEN))
        h, c = student.lstm_forward(x, zeros, zeros, params)
        before = np.concatenate([zeros[:, None], h[:, :-1]], axis=1)
        gates = [student.lstm_gates(x[:, t], before[:, t], params) for t in range(STEPS)]
        cache = {"x": x, "h0": zeros, "c0": zeros, "h": h, "c": c, "params": params}
        cache |= {
            name: np.stack(found, axis=1)
            for name, found in zip(("f", "i", "o", "c_tilde"), zip(*gates, strict=True), strict=True)
        }
        start = np.zeros_like(h)
        start[:, -1] = rng.normal(size=HIDDEN)
        start /= np.linalg.norm(start)
        yield float(np.linalg.norm(student.lstm_backward(start, np.zeros_like(c), cache)[2]))


if __name__ == "__main__":
    import sys

    from check import predict_then_run

    sys.exit(predict_then_run(sys.modules[__name__], sys.argv[1:]))
