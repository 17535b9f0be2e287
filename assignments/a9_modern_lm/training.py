"""Train your ModernLM to count in rows that are woven of three, and set decoders beside each other that differ in one thing.

    place     0  1  2    3  4  5    6  7  8         every number is the one three places before it plus 1, 2 or 3,
    number    7 30 12   10 31 13   11  2 15         and behind 31 comes 0

The step is random, so a model can know no more than that three numbers are equally likely: a loss of ln 3 = 1.10.
A uniform guess among the 32 numbers has 3.47.

    python training.py                 trains with the modern_lm.py beside this file, then compares
    python training.py --device cuda   on a GPU: auto, cpu, cuda, mps or the number of one

The graded training uses your ModernLM, label_smoothed_nll and adamw_step. It begins from parameters that are given, so that all
students' first losses are alike. The comparisons set torch's own blocks, as in GPT-2, beside each other and beside your model.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

VOCAB, TIME, BACK = 32, 24, 3  # numbers, places in a row, and how many of these make a round
SIZES = (VOCAB, 48, 4, 2, 66, 2, 8)  # of the model: d_model, n_heads, n_kv_heads, d_ff, n_layers, window
STEPS, WARM_UP, BATCH, RATE, SMOOTHING = 200, 20, 32, 1e-2, 0.1

Report = Callable[[int, float], None]


def draw_rows(generator: torch.Generator, count: int, time: int = TIME) -> Tensor:
    """Draw rows of numbers: (count, time + 1), a target more than there are inputs."""
    row = list(torch.randint(VOCAB, (count, BACK), generator=generator).unbind(1))
    while len(row) <= time:
        row.append((row[-BACK] + torch.randint(1, BACK + 1, (count,), generator=generator)) % VOCAB)
    return torch.stack(row, dim=1)


def asked(logits: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logits and targets of all places but the first, which no model can know."""
    return logits[:, BACK - 1 :], rows[:, BACK:]


def train(
    student: Any,
    net: nn.Module,
    report: Report,
    steps: int,
    generator: torch.Generator,
    device: str,
    smoothing: float = SMOOTHING,
    warm_up: int = WARM_UP,
) -> list[float]:
    """Train by your adamw_step on fresh rows at every step; return the losses. Rows are drawn on the CPU, alike for every device."""
    named = dict(net.named_parameters())
    states = {name: (torch.zeros_like(p), torch.zeros_like(p), 0) for name, p in named.items()}
    losses = []
    for step in range(steps):
        rows = draw_rows(generator, BATCH).to(device)
        logits, targets = asked(net(rows[:, :-1])[0], rows)
        loss = student.label_smoothed_nll(logits, targets, smoothing)
        net.zero_grad()
        loss.backward()
        rate = RATE * min((step + 1) / warm_up, 1 - step / STEPS)  # quickly up, slowly down
        for name, parameter in named.items():
            weights = parameter.detach()  # shares its numbers with the parameter, and takes no part in gradients
            moved, states[name] = student.adamw_step(weights, parameter.grad, states[name], rate)
            weights.copy_(moved)
        losses.append(loss.item())
        report(step, losses[-1])
    return losses


@torch.no_grad()
def in_pieces(net: nn.Module, ids: Tensor) -> Tensor:
    """Read rows as a model that writes does: five numbers at once, then one by one behind the cache; return all logits."""
    cache, logits = None, []
    for piece in ids.split([5] + [1] * (ids.shape[1] - 5), dim=1):
        some, cache = net(piece, cache)
        logits.append(some)
    return torch.cat(logits, dim=1)


def train_counting(
    student: Any,
    report: Report,
    steps: int,
    state: dict[str, Tensor],
    seed: int,
    held_out: Tensor,
    changed: Tensor,
    device: str = "cpu",
) -> dict[str, Any]:
    """Train from given parameters; look at held-out rows, at the same rows with other ends, and at some of them in pieces."""
    net = student.ModernLM(*SIZES)
    net.load_state_dict(net.state_dict() | state)  # with buffers of your own, if there are any
    net.to(device)
    losses = train(student, net, report, steps, torch.Generator().manual_seed(seed), device)
    with torch.set_grad_enabled(False):
        logits, moved = (net(ids.to(device))[0] for ids in (held_out, changed))
    pieces = in_pieces(net, changed.to(device))
    return {"losses": losses, "logits": logits, "changed": moved, "in_pieces": pieces}


class TorchBlocks(nn.Module):
    """A decoder of torch's own blocks, as in GPT-2: layer norms, learned positions, all heads with keys of their own, GELU, biases.

    With `pre_norm` every sublayer reads a normed stream, as in GPT-2 and in your model; without, the sums are normed.
    """

    def __init__(self, d_model: int, n_heads: int, d_ff: int, n_layers: int, *, pre_norm: bool) -> None:
        nn.Module.__init__(self)
        sizes = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": pre_norm}
        self.embedding = nn.Embedding(VOCAB, d_model)
        self.positions = nn.Embedding(TIME, d_model)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, n_heads, d_ff, **sizes) for _ in range(n_layers)
        )
        self.final_norm = nn.LayerNorm(d_model) if pre_norm else nn.Identity()

    def forward(self, ids: Tensor) -> tuple[Tensor, None]:
        """Return logits, and no cache."""
        x = self.embedding(ids) + self.positions.weight[: ids.shape[1]]
        hidden = nn.Transformer.generate_square_subsequent_mask(ids.shape[1], device=ids.device)
        for block in self.blocks:
            x = block(x, src_mask=hidden)
        return self.final_norm(x) @ self.embedding.weight.T, None


@torch.no_grad()
def begin(net: nn.Module) -> nn.Module:
    """Draw a model's matrices from a seed, those that write into the residual stream smaller; gains are 1 and biases 0."""
    draw = torch.Generator().manual_seed(1)
    for name, parameter in net.named_parameters():
        if parameter.dim() > 1:
            writes = name.endswith(("W_o.weight", "W_down.weight", "out_proj.weight", "linear2.weight"))
            scale = (2 * len(net.blocks)) ** -0.5 if writes else 1.0
            parameter.copy_(0.1 * scale * torch.randn(parameter.shape, generator=draw))
        elif name.endswith("bias"):
            parameter.zero_()
    return net


def compare(student: Any, models: dict[str, nn.Module], device: str, warm_up: int) -> None:
    """Train models on the same rows, and print the mean losses of ten steps at a time."""
    marks = (10, 50, 100, 150, STEPS)
    print(f"{'mean loss of ten steps up to step':34}" + "".join(f"{mark:7}" for mark in marks))
    for name, net in models.items():
        draw = torch.Generator().manual_seed(1)
        losses = train(student, begin(net).to(device), lambda *_: None, STEPS, draw, device, 0.0, warm_up)
        print(f"{name:34}" + "".join(f"{sum(losses[mark - 10 : mark]) / 10:7.2f}" for mark in marks), flush=True)


def main() -> None:
    """Train with the modern_lm.py beside this file, then compare."""
    import sys
    from pathlib import Path

    import modern_lm as student

    sys.path.append(str(Path(__file__).parent / "engine"))  # a handout's; in a course the autograder is installed
    from autograder.sandbox.child.device import device_of_words

    def show(step: int, loss: float) -> None:
        """Print a loss now and then."""
        if step == 0 or step % 40 == 39:
            print(f"step {step + 1:3}   loss {loss:.3f}", flush=True)

    torch.set_num_threads(1)  # the tensors are small: more threads would mostly wait for each other
    device, _ = device_of_words(sys.argv[1:])
    model = begin(student.ModernLM(*SIZES)).to(device)
    print("Your model, with targets smoothed by .1:")
    train(student, model, show, STEPS, torch.Generator().manual_seed(1), device)

    print("\nSix blocks, pre-norm and post-norm, without warm-up:")
    orders = {"pre-norm": True, "post-norm": False}
    stacks = {name: TorchBlocks(32, 4, 64, 6, pre_norm=pre_norm) for name, pre_norm in orders.items()}
    compare(student, stacks, device, warm_up=1)

    print("\nTwo blocks with as many parameters:")
    rivals = {"as in GPT-2": TorchBlocks(48, 4, 64, 2, pre_norm=True), "yours": student.ModernLM(*SIZES)}
    sizes = {name: sum(parameter.numel() for parameter in net.parameters()) for name, net in rivals.items()}
    compare(student, {f"{name}, {sizes[name]} parameters": net for name, net in rivals.items()}, device, WARM_UP)
    far = draw_rows(torch.Generator().manual_seed(2), 100, 4 * TIME).to(device)
    with torch.set_grad_enabled(False):
        loss = student.label_smoothed_nll(*asked(rivals["yours"](far[:, :-1])[0], far), 0.0)
    print(f"yours on rows four times as long: {loss:.2f}; the other one has no positions there")


if __name__ == "__main__":
    main()
