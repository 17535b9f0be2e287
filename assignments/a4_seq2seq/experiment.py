"""Predict, then run: how often does a beam of some width find the best sentence that there is?

A small random decoder has 6 words and EOS, and writes sentences of at most 5. All of them can be listed, so the best is known.
Your beam_search looks for it.

    python experiment.py                      what is asked
    python experiment.py predict 1 1 1 1      your prediction, kept before anything runs
    python experiment.py run                  what happens beside it
"""

import itertools
from collections.abc import Iterator
from typing import Any

import torch

WORDS, LENGTH, DECODERS = 6, 5, 100
EOS, BOS = WORDS, WORDS + 1
WIDTHS = (1, 2, 4, 16)

ASKS = (
    "A random decoder chooses among 6 words and EOS, by the word before alone, and stops after 5 words. There are thousands of "
    "sentences, and one of them is the most probable. In which share of 100 such decoders does a beam search without length "
    "penalty find it?"
)
SETTINGS = tuple("width 1, greedy decoding" if width == 1 else f"width {width}" for width in WIDTHS)
MEASURED = "the share of decoders whose best sentence is found"
WHY = (
    "Greedy decoding takes the best first word, and the best first word need not begin the best sentence. A beam of two "
    "already repairs much of that, since few prefixes compete for a place; each doubling adds less. And a wider beam finds "
    "what is probable, not what is good: without a length penalty the most probable sentence is often the shortest, which "
    "a translation model makes worse the wider its beam is."
)


def measure(student: Any) -> Iterator[float]:
    """Yield the share of decoders whose most probable sentence a beam of each width finds."""
    torch.set_num_threads(1)  # for matrices this small, more threads mostly wait for each other
    draw = torch.Generator().manual_seed(4)
    tables = [1.5 * torch.randn(WORDS + 2, WORDS + 1, generator=draw) for _ in range(DECODERS)]
    best = [_best(torch.log_softmax(table, dim=-1)) for table in tables]
    for width in WIDTHS:
        found = [_searched(student, table, width) for table in tables]
        yield sum(abs(mine - most) < 1e-4 for mine, most in zip(found, best, strict=True)) / DECODERS


def _searched(student: Any, table: torch.Tensor, width: int) -> float:
    def step(last: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return table[last], state

    return student.beam_search(step, torch.zeros(1, 1), BOS, EOS, LENGTH, width, 0.0)[1]


def _best(log_p: torch.Tensor) -> float:
    """Return the log-probability of the best sentence: at each length the best way to each word, then EOS or the cut."""
    ways, most = log_p[BOS], float(log_p[BOS, EOS])
    for _ in itertools.repeat(None, LENGTH - 1):
        ways = (ways[:WORDS, None] + log_p[:WORDS]).max(dim=0).values
        most = max(most, float(ways[EOS]))
    return max(most, float(ways[:WORDS].max()))


if __name__ == "__main__":
    import sys

    from check import predict_then_run

    sys.exit(predict_then_run(sys.modules[__name__], sys.argv[1:]))
