"""Predict, then run: what do 16 blocks learn with the norm before each sublayer, and with the norm after each sum?

Stacks of your EncoderBlock, which is pre-norm, and of the same parts in post-norm order learn to turn a row of digits round.

    python experiment.py                      what is asked
    python experiment.py predict 1 1 1 1      your prediction, kept before anything runs
    python experiment.py run                  what happens beside it
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

DIGITS, TIME, WIDTH, HEADS = 10, 6, 32, 4
STEPS, BATCH, RATE = 100, 16, 5e-3
KINDS = ((2, False), (2, True), (16, False), (16, True))  # how many blocks, and whether the norm stands after the sum

ASKS = (
    "A stack of encoder blocks reads 6 digits and is to say them in reverse order. It learns for 100 steps, with Adam and "
    "without warm-up. A guess has a loss of ln(10) = 2.30. How large is the mean loss of the last 20 steps, for 2 and 16 blocks, in "
    "pre-norm order, x + f(norm(x)), and in post-norm order, norm(x + f(x))?"
)
SETTINGS = tuple(f"{blocks} blocks, {'post' if post else 'pre'}-norm" for blocks, post in KINDS)
MEASURED = "the mean loss of the last 20 of 100 steps"
WHY = (
    "In pre-norm order the residual stream holds additions alone, so a gradient reaches the first block unchanged however deep the "
    "stack is. In post-norm order every sum goes through a norm, and 32 norms stand in the gradient's way: the top blocks get "
    "large gradients and the first ones small ones, and steps that suit one end harm the other. Post-norm works for a few "
    "blocks; a deep stack of it needs a warm-up of many steps. That is why nearly all models since GPT-2 are pre-norm."
)


class _PostNorm(nn.Module):
    """The sublayers of an EncoderBlock with the norm after each sum."""

    def __init__(self, block: nn.Module) -> None:
        super().__init__()
        self.block: Any = block

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return norm_2(h + feed_forward(h)) for h = norm_1(x + attention(x))."""
        h = self.block.norm_1(x + self.block.attention(x, x, x))
        return self.block.norm_2(h + self.block.feed_forward(h))


def measure(student: Any) -> Iterator[float]:
    """Yield the mean of the last losses for each depth and order."""
    torch.set_num_threads(1)  # for matrices this small, more threads mostly wait for each other
    for blocks, post in KINDS:
        torch.manual_seed(8)
        stack = [student.EncoderBlock(WIDTH, HEADS, 4 * WIDTH) for _ in range(blocks)]
        places = student.position_table(TIME, WIDTH)
        embedding, layers = nn.Embedding(DIGITS, WIDTH), nn.Sequential(*map(_PostNorm, stack) if post else stack)
        answer = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, DIGITS))
        adam = torch.optim.Adam(nn.ModuleList([embedding, layers, answer]).parameters(), lr=RATE)
        draw, losses = torch.Generator().manual_seed(9), []
        for _ in range(STEPS):
            ids = torch.randint(DIGITS, (BATCH, TIME), generator=draw)
            logits = answer(layers(embedding(ids) + places))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids.flip(1).flatten())
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses.append(loss.item())
        yield sum(losses[-20:]) / 20


if __name__ == "__main__":
    import sys

    from check import predict_then_run

    sys.exit(predict_then_run(sys.modules[__name__], sys.argv[1:]))
