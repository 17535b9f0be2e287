"""Predict, then run: what happens to attention when scores are not divided by sqrt(d_k)?

Random queries look at 16 random keys. The experiment measures the largest of each query's 16 weights, on average.

    python experiment.py                      what is asked
    python experiment.py predict 1 1 1 1      your prediction, kept before anything runs
    python experiment.py run                  what happens beside it
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

QUERIES, KEYS = 200, 16
KINDS = ((4, False), (64, False), (1024, False), (1024, True))  # d_k, and whether scores are scaled

ASKS = (
    "Queries and keys are random, with features of mean 0 and variance 1, so no key deserves more attention than another. Each "
    "query has 16 keys; equal weights would be 1/16 = .0625. How large is the largest of a query's weights, on average, for "
    "some widths d_k, without the scale and with it?"
)
SETTINGS = tuple(f"d_k = {d_k}, {'scaled' if scaled else 'not scaled'}" for d_k, scaled in KINDS)
MEASURED = "the mean of each query's largest weight"
WHY = (
    "The spread of a dot product grows with sqrt(d_k), and a softmax over scores that are 30 apart gives everything to one key, "
    "by chance. Such a softmax is saturated: its gradient is nearly 0, so nothing tells the queries and keys to change. With "
    "the scale, d_k does not matter any more: the weights stay soft at the start, and become sharp where training wants them to."
)


def measure(student: Any) -> Iterator[float]:
    """Yield the mean of the largest weights for each width, with and without the scale."""
    for d_k, scaled in KINDS:
        rng = np.random.default_rng(5)
        Q, K = rng.normal(size=(QUERIES, d_k)), rng.normal(size=(KEYS, d_k))
        scores = student.attention_scores(Q, K) if scaled else Q @ K.T
        yield float(student.attention_weights(scores).max(axis=-1).mean())


if __name__ == "__main__":
    import sys

    from check import predict_then_run

    sys.exit(predict_then_run(sys.modules[__name__], sys.argv[1:]))
