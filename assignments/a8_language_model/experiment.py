"""Predict, then run: what is a warm-up good for?

Your train lets a small model of yours learn from Shakespeare for 60 steps, with a moderate and a large learning rate, with a
warm-up and without.

    python experiment.py                      what is asked
    python experiment.py predict 1 1 1 1      your prediction, kept before anything runs
    python experiment.py run                  what happens beside it
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

SIZES = (32, 48, 4, 192, 4)  # block size, d_model, heads, d_ff, layers
STEPS, BATCH = 60, 16
KINDS = ((0.003, 0), (0.003, 20), (0.1, 0), (0.1, 20))  # the peak of the learning rate, and the steps of the warm-up

ASKS = (
    "A model of 4 blocks learns from the characters of Shakespeare for 60 steps. The loss of a uniform guess is 4.1 nats; that of "
    "the mere frequencies of the characters is 3.3. How large is the mean loss of the last 10 steps, for a learning rate with "
    "the peak .003 and with .1, without a warm-up and with one of 20 steps?"
)
SETTINGS = tuple(f"peak {peak:g}, {f'warm-up of {warmup} steps' if warmup else 'no warm-up'}" for peak, warmup in KINDS)
MEASURED = "the mean loss of the last 10 of 60 steps"
WHY = (
    "AdamW divides by an average of squared gradients. In the first steps this average rests on a few batches and is unreliable, so "
    "every parameter moves by about the full learning rate, in directions that mean little. With a moderate rate the model "
    "recovers, and a warm-up only costs steps. With a large one it is thrown to a place from which it learns slowly; after a "
    "warm-up the same rate learns fastest of all. The larger and deeper the model, the smaller the rate at which this begins."
)


def measure(student: Any) -> Iterator[float]:
    """Yield the mean of the last losses for each learning rate and warm-up."""
    torch.set_num_threads(1)  # for matrices this small, more threads mostly wait for each other
    text = (Path(__file__).parent / "data" / "shakespeare.txt").read_text(encoding="utf-8")
    letters = sorted(set(text))
    data = torch.tensor([letters.index(letter) for letter in text[:100_000]])
    for peak, warmup in KINDS:
        torch.manual_seed(10)
        model = student.TransformerLM(len(letters), *SIZES)
        draw = torch.Generator().manual_seed(11)
        history = student.train(model, data, STEPS, BATCH, SIZES[0], draw, peak=peak, warmup=warmup, final=peak / 10)
        yield sum(history["losses"][-10:]) / 10


if __name__ == "__main__":
    import sys

    from check import predict_then_run

    sys.exit(predict_then_run(sys.modules[__name__], sys.argv[1:]))
