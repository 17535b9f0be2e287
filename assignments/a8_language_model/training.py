"""Train your language model twice: to sort six digits, and to write like Shakespeare, character by character.

    python training.py                 trains with the language_model.py beside this file, and prints the loss
    python training.py my_text.txt     learns from a text of yours
    python training.py --device cuda   on a GPU: auto, cpu, cuda, mps or the number of one

Sorting uses your TransformerLM and lm_loss, and a plain loop that stands here. Shakespeare uses your train, and with it
get_batch, learning_rate and lm_loss. Both begin from parameters that are given, so that all students' first losses are alike.
"""

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

DIGITS, SORTED = 6, 10  # how many digits there are to sort; the token between question and answer
RATE = 3e-3  # of the plain loop

Report = Callable[[int, float], None]


def make_model(student: Any, sizes: tuple[int, ...], state: dict[str, Tensor], device: str) -> nn.Module:
    """Make a model of the given sizes and parameters on a device."""
    net = student.TransformerLM(*sizes)
    net.load_state_dict(net.state_dict() | state)  # with buffers of your own, if there are any
    return net.to(device)


def question_and_answer(digits: Tensor) -> Tensor:
    """Return a row of tokens for each row of digits: the digits, the token SORTED, the digits in order."""
    between = torch.full((len(digits), 1), SORTED, device=digits.device)
    return torch.cat([digits, between, digits.sort(dim=1).values], dim=1)


@torch.no_grad()
def answers(net: nn.Module, digits: Tensor) -> Tensor:
    """Let a model write the answers by itself: it reads its own tokens, and is never told a right one."""
    rows = torch.cat([digits, torch.full((len(digits), 1), SORTED, device=digits.device)], dim=1)
    for _ in range(DIGITS):
        best = net(rows)[:, -1:].argmax(dim=-1)
        rows = torch.cat([rows, best], dim=1)
    return rows[:, DIGITS + 1 :]


@torch.no_grad()
def look(net: nn.Module, ids: Tensor, device: str) -> Tensor:
    """Return a model's logits, in evaluation mode."""
    return net.eval()(ids.to(device))


def train_sort(
    student: Any,
    report: Report,
    steps: int,
    sizes: tuple[int, ...],
    state: dict[str, Tensor],
    digits: Tensor,
    asked: Tensor,
    probe: Tensor,
    device: str = "cpu",
) -> dict[str, Any]:
    """Learn to sort; then answer what is asked, and look at a probe of two rows that differ in their last tokens only.

    `digits` holds a batch for each step, (steps, batch, 6). Only the answers are asked for: what comes next inside a
    question, no model can know.
    """
    net = make_model(student, sizes, state, device)
    adam = torch.optim.Adam(net.parameters(), lr=RATE)
    losses = []
    for step, batch in enumerate(digits[:steps]):
        rows = question_and_answer(batch.long().to(device))
        wanted = rows[:, 1:].clone()
        wanted[:, :DIGITS] = student.IGNORE
        for group in adam.param_groups:
            group["lr"] = RATE * min((step + 1) / 20, 1 - step / len(digits))  # quickly up, slowly down
        surprise = student.lm_loss(net(rows[:, :-1]), wanted)
        adam.zero_grad()
        surprise.backward()
        adam.step()
        losses.append(surprise.item())
        report(step, losses[-1])
    return {"losses": losses, "answers": answers(net.eval(), asked.to(device)), "probe": look(net, probe, device)}


def train_shakespeare(
    student: Any,
    report: Report,
    steps: int,
    sizes: tuple[int, ...],
    state: dict[str, Tensor],
    data: Tensor,
    seed: int,
    held_out: Tensor,
    changed: Tensor,
    device: str = "cpu",
) -> dict[str, Any]:
    """Learn from a text; then look at pieces of another one, and at the same pieces with other characters at their ends.

    Model and text are on the device. The generator stays on the CPU, so that the batches are the same on every device.
    """
    net = make_model(student, sizes, state, device)
    draw = torch.Generator().manual_seed(seed)
    history = student.train(
        net,
        data.long().to(device),
        steps,
        batch=48,
        time=sizes[1],
        generator=draw,
        peak=1e-2,
        warmup=10,
        final=1e-3,
        report=report,
    )
    logits, moved = (look(net, ids.long(), device) for ids in (held_out, changed))
    return {"losses": history["losses"], "logits": logits, "changed": moved}


@torch.no_grad()
def begin(net: nn.Module, seed: int) -> None:
    """Draw a model's parameters from a seed, as GPT-2 does: small weights, no biases, norms that change nothing."""
    draw = torch.Generator().manual_seed(seed)
    for parameter in net.parameters():
        if parameter.dim() > 1:
            parameter.copy_(0.02 * torch.randn(parameter.shape, generator=draw))
    for layer in net.modules():
        if isinstance(layer, nn.Linear):
            layer.bias.zero_()


def train_large(
    student: Any,
    report: Report,
    steps: int,
    sizes: tuple[int, ...],
    batch: int,
    half: bool,
    seed: int,
    data: Tensor,
    begun: Tensor,
    uniforms: Tensor,
    held_out: Tensor,
    changed: Tensor,
    device: str = "cpu",
) -> dict[str, Any]:
    """Learn from a text with a model for a GPU; look at pieces of another one as above, and write as many characters as uniforms.

    With `half`, matrices are multiplied in bfloat16 while it learns; all else, and what is looked at, is in full precision. The
    weights are rounded in every step; with autocast's cache the first step's would be used to the end.
    """
    net = student.TransformerLM(*sizes)
    begin(net, seed)
    net = net.to(device)
    settings = {"peak": 1e-3, "warmup": steps // 10, "final": 1e-4, "report": report}
    draw = torch.Generator().manual_seed(seed)
    kind = torch.device(device).type
    with torch.autocast(kind, torch.bfloat16, cache_enabled=False) if half else contextlib.nullcontext():
        history = student.train(net, data.long().to(device), steps, batch, sizes[1], draw, **settings)
    logits, moved = (look(net, ids.long(), device) for ids in (held_out, changed))
    written = student.generate(net, begun.to(device), uniforms.shape[1], 0.8, None, uniforms.to(device))
    return {"losses": history["losses"], "logits": logits, "changed": moved, "written": written}


def watch(step: int, loss: float) -> None:
    """Print every fiftieth loss."""
    if step % 50 == 0:
        print(f"step {step:4d}   loss {loss:.3f}", flush=True)


def main() -> None:
    """Train with the language_model.py beside this file; the parameters to begin from are torch's own here."""
    import sys
    from pathlib import Path

    import language_model as student

    sys.path.append(str(Path(__file__).parent / "engine"))  # a handout's; in a course the autograder is installed
    from autograder.sandbox.child.device import device_of_words

    device, words = device_of_words(sys.argv[1:])
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the tensors are small: more threads would mostly wait for each other
    sizes = (11, 2 * DIGITS, 48, 4, 96, 2)
    asked = torch.randint(10, (200, DIGITS))
    state = student.TransformerLM(*sizes).state_dict()
    print("Sorting six digits:")
    result = train_sort(student, watch, 500, sizes, state, torch.randint(10, (500, 64, DIGITS)), asked, asked, device)
    right = (result["answers"].cpu() == asked.sort(dim=1).values).all(dim=1).float().mean()
    print(f"of {len(asked)} answers, {right:.1%} are right; the first is {result['answers'][0].tolist()}\n")

    book = Path(words[0]) if words else Path(__file__).parent / "data" / "shakespeare.txt"
    text = book.read_text(encoding="utf-8")
    characters = sorted(set(text))
    ids = torch.tensor([characters.index(character) for character in text], device=device)
    model = student.TransformerLM(len(characters), 32, 64, 4, 256, 2).to(device)
    draw = torch.Generator().manual_seed(1)
    cut = len(ids) * 9 // 10
    print(f"Writing, after {cut} characters:")
    settings = {"peak": 1e-2, "warmup": 10, "final": 1e-3, "held_out": ids[cut:][:20_000], "every": 100}
    history = student.train(model, ids[:cut], 600, 48, 32, draw, report=watch, **settings)
    print("held out:", *(f"{loss:.3f}" for loss in history["held_out"]))
    begun = torch.tensor([[characters.index("\n")]], device=device)
    uniforms = torch.rand(1, 400, generator=draw).to(device)
    written = student.generate(model.eval(), begun, 400, 0.8, None, uniforms)
    print("".join(characters[i] for i in written[0].tolist()))


if __name__ == "__main__":
    main()
