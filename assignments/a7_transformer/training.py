"""Train a small Transformer to read rows of up to ten digits from right to left.

    source    PAD PAD PAD END 3 1 4 1 5 9 2      rows are lined up at the right, and END stands before the first digit
    told      BOS 2 9 5 1 4 1 3 END PAD PAD      what the decoder reads: at each place the right word of the one before
    target    2 9 5 1 4 1 3 END PAD PAD PAD      what it has to say: the row from right to left, END included

What belongs to place t always stands at the same place of the source, however long the row is. The model has to find out
which place that is, from the positions alone, and to stop in time. It is your Transformer, with all its parts and its
three masks, and your greedy_translate lets it answer rows that it has never seen, reading only what it says itself.

    python training.py                 trains with the transformer.py beside this file, and prints the loss
    python training.py --device cuda   on a GPU: auto, cpu, cuda, mps or the number of one
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

PAD, BOS, END, FIRST = 0, 1, 2, 3  # the digits 0 to 9 are the ids 3 to 12
SHORTEST, LONGEST, BATCH = 5, 10, 64
SIZES = (13, 13, 32, 4, 64, 2)  # src_vocab, tgt_vocab, d_model, n_heads, d_ff, n_layers
STEPS, WARM_UP, RATE = 240, 20, 5e-3
RENAMED = 100  # rows that are translated once more

Report = Callable[[int, float], None]


def draw_rows(generator: torch.Generator, count: int) -> Tensor:
    """Draw sources: (count, LONGEST + 1), each row with at least SHORTEST digits."""
    words = torch.randint(FIRST, FIRST + 10, (count, LONGEST + 1), generator=generator)
    ends = torch.randint(LONGEST - SHORTEST + 1, (count, 1), generator=generator)
    places = torch.arange(LONGEST + 1)
    return torch.where(places > ends, words, torch.where(places == ends, END, PAD))


def told_and_target(src: Tensor) -> tuple[Tensor, Tensor]:
    """Return what the decoder reads, and what it has to say."""
    target = src.flip(1)
    told = torch.cat([torch.full((len(src), 1), BOS, device=src.device), target[:, :-1]], dim=1)
    return told, target


def train(net: nn.Module, report: Report, steps: int, generator: torch.Generator, device: str) -> list[float]:
    """Train by Adam on fresh rows at every step; return the losses. The rows are drawn on the CPU, alike for every device."""
    adam = torch.optim.Adam(net.parameters())
    losses = []
    for step in range(steps):
        src = draw_rows(generator, BATCH).to(device)
        told, target = told_and_target(src)
        logits = net(src, told)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)
        for group in adam.param_groups:
            group["lr"] = RATE * min((step + 1) / WARM_UP, 1 - step / STEPS)  # quickly up, slowly down
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
        report(step, losses[-1])
    return losses


@torch.no_grad()
def rename_words(net: nn.Module, names: Tensor) -> None:
    """Give the words of the target other ids: the model says names[w] where it said w, and reads that as it read w."""
    state = net.state_dict()
    moved = {key: state[key].clone() for key in ("tgt_embedding.weight", "output.weight", "output.bias")}
    for key, parameter in moved.items():
        parameter[names] = state[key]
    net.load_state_dict(state | moved)


def train_reverse(
    student: Any,
    report: Report,
    steps: int,
    state: dict[str, Tensor],
    seed: int,
    src: Tensor,
    probe: tuple[Tensor, Tensor],
    names: Tensor,
    device: str = "cpu",
) -> dict[str, Any]:
    """Train from given parameters; translate held-out rows; look at a probe of targets that differ at their ends only.

    At last the words get other names, and some rows are translated once more: a translation says what the model says.
    """
    net = student.Transformer(*SIZES)
    net.load_state_dict(net.state_dict() | state)  # with buffers of your own, if there are any
    net.to(device)
    losses = train(net, report, steps, torch.Generator().manual_seed(seed), device)
    said = student.greedy_translate(net, src.to(device, copy=True), BOS, END, LONGEST)
    logits = net(*(ids.to(device) for ids in probe)).detach()
    rename_words(net, names.to(device))
    renamed = student.greedy_translate(net, src[:RENAMED].to(device, copy=True), BOS, END, LONGEST)
    return {"losses": losses, "said": said, "probe": logits, "renamed": renamed}


def translate_alone(
    student: Any, report: Report, steps: int, states: list[dict[str, Tensor]], src: Tensor, device: str = "cpu"
) -> dict[str, Any]:
    """Translate with models that have not learned, some of the rows with each: what they say, and nothing else, is the translation.

    This is asked only where greedy_translate fails a case of its own.
    """
    said = []
    for state, rows in zip(states, src.to(device).chunk(len(states)), strict=True):
        net = student.Transformer(*SIZES)
        net.load_state_dict(net.state_dict() | state)
        said += student.greedy_translate(net.to(device), rows.clone(), BOS, END, LONGEST)
    return {"said": said}


@torch.no_grad()
def fresh_model(student: Any) -> nn.Module:
    """Make a model to begin from. torch draws longer word vectors; times the root of d_model they would drown positions."""
    net = student.Transformer(*SIZES)
    for embedding in (net.src_embedding, net.tgt_embedding):
        embedding.weight /= SIZES[2] ** 0.5
    return net


if __name__ == "__main__":
    import sys
    from pathlib import Path

    import transformer

    sys.path.append(str(Path(__file__).parent / "engine"))  # a handout's; in a course the autograder is installed
    from autograder.sandbox.child.device import device_of_words

    def show(step: int, loss: float) -> None:
        """Print a loss now and then."""
        if step == 0 or step % 40 == 39:
            print(f"step {step + 1:3}   loss {loss:.3f}", flush=True)

    torch.manual_seed(1)
    torch.set_num_threads(1)  # the tensors are small: more threads would mostly wait for each other
    device, _ = device_of_words(sys.argv[1:])
    model = fresh_model(transformer).to(device)
    rng = torch.Generator().manual_seed(1)
    train(model, show, STEPS, rng, device)
    rows = draw_rows(rng, 200).to(device)
    answers = transformer.greedy_translate(model, rows, BOS, END, LONGEST)
    digits = [[word for word in row if word >= FIRST] for row in rows.flip(1).tolist()]
    print(f"rows that are right: {sum(map(list.__eq__, answers, digits))} of {len(rows)}")
