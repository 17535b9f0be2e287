"""Predict, then run: what is a quiet beginning worth?

Your ModernLM learns to count in small steps, from your init_ and from torch's own first parameters, with your adamw_step.

    python experiment.py                      what is asked
    python experiment.py predict 1 1 1 1      your prediction, kept before anything runs
    python experiment.py run                  what happens beside it
"""

from collections.abc import Iterator
from typing import Any

import torch

VOCAB, TIME, BATCH, STEPS, RATE = 64, 24, 16, 40, 0.003
SIZES = (VOCAB, 64, 4, 2, 96, 2, 16)  # of the model, in the order of its constructor

ASKS = (
    "A ModernLM with tied embeddings of 64 features reads numbers modulo 64, each larger than the one before by 1, 2 or 3. A uniform "
    "guess among 64 tokens has a loss of 4.16 nats, and nothing can do better than 1.10. What is the loss of the first batch, "
    "and the mean loss of the last 10 of 40 steps of AdamW: from init_, and from torch's own standard normal embeddings?"
)
SETTINGS = ("init_, first", "init_, last", "torch's own, first", "torch's own, last")
MEASURED = "the loss in nats, of the first batch or of the last 10 of 40 steps"
WHY = (
    "With tied embeddings the logit of a token is a dot product with its vector. Standard normal vectors of 64 features have a dot "
    "product of about 64 with themselves and of about 8 with each other, and the residual stream of an untrained model is "
    "mostly the vector of the token itself. So it is almost certain that every token repeats, which is always wrong here, and it "
    "pays dozens of nats until AdamW has unlearned it in steps of one learning rate. From small vectors the logits are near zero, "
    "the first loss is that of a uniform guess, and every step learns."
)


def measure(student: Any) -> Iterator[float]:
    """Yield the first loss and the mean of the last ones, for both beginnings."""
    torch.set_num_threads(1)  # for matrices this small, more threads mostly wait for each other
    for quiet in (True, False):
        torch.manual_seed(0)
        model = student.ModernLM(*SIZES)
        if quiet:
            student.init_(model, torch.Generator().manual_seed(5))
        losses = list(_trained(student, model))
        yield losses[0]
        yield sum(losses[-10:]) / 10


def _trained(student: Any, model: Any) -> Iterator[float]:
    """Train a model, and yield the loss of each step."""
    draw = torch.Generator().manual_seed(6)
    named = dict(model.named_parameters())
    states = {name: (torch.zeros_like(p), torch.zeros_like(p), 0) for name, p in named.items()}
    for _ in range(STEPS):
        steps = torch.randint(1, 4, (BATCH, TIME), generator=draw)
        ids = (torch.randint(VOCAB, (BATCH, 1), generator=draw) + steps.cumsum(dim=1)) % VOCAB
        loss = student.label_smoothed_nll(model(ids[:, :-1])[0], ids[:, 1:], 0.0)
        model.zero_grad()
        loss.backward()
        for name, parameter in named.items():
            weights = parameter.detach()  # shares its numbers with the parameter, and takes no part in gradients
            moved, states[name] = student.adamw_step(weights, parameter.grad, states[name], RATE)
            weights.copy_(moved)
        yield loss.item()


if __name__ == "__main__":
    import sys

    from check import predict_then_run

    sys.exit(predict_then_run(sys.modules[__name__], sys.argv[1:]))
