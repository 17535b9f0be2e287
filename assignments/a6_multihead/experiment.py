"""Predict, then run: what can attention learn when positions are removed?

A layer of your MultiHeadAttention reads 8 tokens and is to say which one stands first. It learns for a few seconds with each way
to tell it positions, and then answers about sequences that it has not seen.

    python experiment.py                      what is asked
    python experiment.py predict 1 1 1        your prediction, kept before anything runs
    python experiment.py run                  what happens beside it
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

TOKENS, TIME, WIDTH, HEADS = 10, 8, 32, 4
STEPS, BATCH = 300, 64

ASKS = (
    "A layer of multi-head attention reads 8 tokens, all different, out of 10; the mean of its outputs goes into a linear layer "
    "that is to say which token stands first. It learns from 19,200 sequences. Which share of new sequences does it "
    "get right without any positions, with sinusoidal_encoding, and with timing_signal?"
)
SETTINGS = ("no positions", "sinusoidal_encoding", "timing_signal")
MEASURED = "the share of new sequences whose first token is named"
WHY = (
    "Without positions a sequence is a set: attention gives the same outputs for every order, so the layer can only guess "
    "among the 8 tokens that it sees, and 1/8 is the best that there is. No training, width or depth changes that. Positions "
    "that are added to the tokens give each place a direction of its own, which queries and keys can learn to look for. The two "
    "layouts of the same waves hold the same columns in another order, and a linear map can undo an order."
)


def measure(student: Any) -> Iterator[float]:
    """Yield the share that is right for each way to tell positions."""
    torch.set_num_threads(1)  # for matrices this small, more threads mostly wait for each other
    for name in SETTINGS:
        torch.manual_seed(6)
        places = torch.zeros(TIME, WIDTH) if name == "no positions" else getattr(student, name)(TIME, WIDTH).float()
        embedding, attention = nn.Embedding(TOKENS, WIDTH), student.MultiHeadAttention(WIDTH, HEADS)
        answer = nn.Linear(WIDTH, TOKENS)
        layers = nn.ModuleList([embedding, attention, answer])
        adam = torch.optim.Adam(layers.parameters(), lr=3e-3)
        draw = torch.Generator().manual_seed(7)
        for _ in range(STEPS):
            ids = _sequences(BATCH, draw)
            x = embedding(ids) + places
            loss = nn.functional.cross_entropy(answer(attention(x, x, x).mean(dim=1)), ids[:, 0])
            adam.zero_grad()
            loss.backward()
            adam.step()
        with torch.no_grad():
            ids = _sequences(1000, draw)
            x = embedding(ids) + places
            said = answer(attention(x, x, x).mean(dim=1)).argmax(dim=-1)
        yield (said == ids[:, 0]).float().mean().item()


def _sequences(count: int, draw: torch.Generator) -> torch.Tensor:
    """Draw sequences of different tokens."""
    return torch.rand(count, TOKENS, generator=draw).argsort(dim=1)[:, :TIME]


if __name__ == "__main__":
    import sys

    from check import predict_then_run

    sys.exit(predict_then_run(sys.modules[__name__], sys.argv[1:]))
