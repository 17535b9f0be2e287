"""Predict, then run: how many tokens does one run of the large model give, when a small one guesses ahead?

A small model drafts four tokens at a time. The experiment counts how many tokens each draft gives in the end, on average.

    python experiment.py                      what is asked
    python experiment.py predict 1 1 1 1      your prediction, kept before anything runs
    python experiment.py run                  what happens beside it
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

DRAFTS, LENGTH, VOCAB = 4000, 4, 8
STAYS = (1.0, 0.9, 0.7, 0.4)  # the chance that a token of the draft stays

ASKS = (
    "A small model drafts four tokens, and one run of the large model reads all of them. Those that stay are written, and one "
    "more token is always drawn, so a run gives 1 to 5 tokens. How many does it give on average, when a token of the draft "
    "stays with the probability that is named?"
)
SETTINGS = tuple(f"a token stays with {chance:g}" for chance in STAYS)
MEASURED = "the mean number of tokens for each run of the large model"
WHY = (
    "A draft ends at its first token that does not stay, so the later ones hardly ever count: the mean is 1 + a + a^2 + a^3 + "
    "a^4 for the chance a. From .7 to .9 it rises from 2.8 to 4.1, and below .5 there is less than one token to gain. So a good "
    "draft model is worth more than a long draft, and what you gain on text that is easy to guess you do not gain on text that "
    "is hard."
)


def measure(student: Any) -> Iterator[float]:
    """Yield the mean number of tokens for each chance."""
    rng = np.random.default_rng(5)
    for chance in STAYS:
        p = np.zeros((LENGTH + 1, 2 * VOCAB))
        p[:, :VOCAB] = rng.dirichlet(np.ones(VOCAB), size=LENGTH + 1)
        q = chance * p[:LENGTH] + (1 - chance) * np.roll(
            p[:LENGTH], VOCAB, axis=1
        )  # the rest are tokens that the large one excludes
        written = 0
        for _ in range(DRAFTS):
            draft = np.array([rng.choice(2 * VOCAB, p=row) for row in q])
            written += len(student.accept(draft, p, q, rng.random(LENGTH + 1)))
        yield written / DRAFTS


if __name__ == "__main__":
    import sys

    from check import predict_then_run

    sys.exit(predict_then_run(sys.modules[__name__], sys.argv[1:]))
