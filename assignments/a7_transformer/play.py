"""Let your Transformer reverse a row of digits that you type, and see where each head of its cross-attention looks.

    python play.py 31415926        trains once (under a minute), then answers
    python play.py 9999900000      loads what was kept in play.pt; --fresh trains again

It uses your Transformer and greedy_translate, and the training of training.py. play.html is one page with the answer, the
attention maps and what the model said while it learned; it needs no network.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from training import BOS, END, FIRST, LONGEST, PAD, SHORTEST, STEPS, fresh_model, train

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "engine"))  # a handout's; in a course the autograder is installed
from autograder.handout.kit.play import Told, kept_or_learned, student_module  # noqa: E402
from autograder.handout.kit.play_page import beside, curve, heat_map, note, page, written  # noqa: E402

SAMPLED = (40, 80, 160)  # steps after which it answers while it learns
LEARNED_ON = "3141592653"


def source(digits: str) -> Tensor:
    """Return a row as the model reads it: padding, END, and the digits at the right."""
    row = [END, *(FIRST + int(digit) for digit in digits)]
    return torch.tensor([[PAD] * (LONGEST + 1 - len(row)) + row])


@torch.no_grad()
def answer(student: Any, net: nn.Module, digits: str) -> str:
    """Return what the model says, reading only what it has said itself."""
    (said,) = student.greedy_translate(net, source(digits), BOS, END, LONGEST)
    return "".join(str(int(word) - FIRST) if word >= FIRST else "?" for word in said)


@torch.no_grad()
def alignments(net: Any, digits: str, said: str) -> dict[str, str]:
    """Return a map for each head of each block: what your forward asks of its cross-attention, asked again with weights."""
    asked: list[tuple[Any, ...]] = []

    def note_call(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        named = [kwargs[name] for name in ("query", "key", "value", "mask") if name in kwargs]
        asked.append((module.heads, *args, *named))

    hooks = [block.cross_attention.register_forward_pre_hook(note_call, with_kwargs=True) for block in net.decoder]
    words = [BOS, *(FIRST + int(digit) for digit in said if digit != "?")]
    net(source(digits), torch.tensor([words]))
    for hook in hooks:
        hook.remove()
    columns = ["·"] * (LONGEST - len(digits)) + ["⊣", *digits]
    rows = ["⊢", *(str(word - FIRST) for word in words[1:])]
    maps = {}
    for layer, (heads, query, key, value, *mask) in enumerate(asked):
        hidden = (
            ~mask[0].expand(1, len(words), key.shape[1]).repeat_interleave(heads.num_heads, dim=0) if mask else None
        )
        _, weights = heads(query, key, value, attn_mask=hidden, need_weights=True, average_attn_weights=False)
        for head, shown in enumerate(weights[0]):
            name = f"block {layer + 1}, head {head + 1}"
            maps[name] = heat_map(shown.tolist(), rows, columns, name)
    return maps


def learn(student: Any, steps: int) -> dict[str, Any]:
    """Train as training.py does; return the parameters, the losses, and what it said on the way."""
    model = fresh_model(student)
    told, samples, losses = Told(steps), {"0": answer(student, model.eval(), LEARNED_ON)}, []

    def report(step: int, loss: float) -> None:
        told(step, loss)
        losses.append(float(loss))
        if step + 1 in SAMPLED or step + 1 == steps:
            samples[str(step + 1)] = answer(student, model.eval(), LEARNED_ON)
            model.train()

    train(model, report, steps, torch.Generator().manual_seed(1), "cpu")
    return {"state": model.state_dict(), "losses": losses, "samples": samples}


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Load tensors, numbers and texts, and no code."""
    return torch.load(path, weights_only=True)


def main() -> None:
    """Train or load, answer, and make the page."""
    parser = argparse.ArgumentParser(description="Let your model reverse a row of digits.")
    parser.add_argument("digits", nargs="?", default="31415926", help=f"{SHORTEST} to {LONGEST} digits")
    parser.add_argument("--steps", type=int, default=STEPS, help="of training")
    parser.add_argument("--fresh", action="store_true", help="train again, and keep that")
    parser.add_argument("--page", type=Path, default=HERE / "play.html")
    chosen = parser.parse_args()
    if not (chosen.digits.isdecimal() and chosen.digits.isascii() and SHORTEST <= len(chosen.digits) <= LONGEST):
        parser.error(f"{chosen.digits!r} is no row of {SHORTEST} to {LONGEST} digits, as the model has learned from.")
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the tensors are small: more threads would mostly wait for each other
    student = student_module(HERE, "transformer.py")

    def from_rows() -> dict[str, Any]:
        print(f"Training {chosen.steps} steps on rows of digits:")
        return learn(student, chosen.steps)

    kept = kept_or_learned(HERE / "play.pt", from_rows, load_checkpoint, torch.save, fresh=chosen.fresh)
    model = fresh_model(student)
    model.load_state_dict(kept["state"])
    said = answer(student, model.eval(), chosen.digits)
    print(
        f"\n{chosen.digits} -> {said}   ({'right' if said == chosen.digits[::-1] else 'right is ' + chosen.digits[::-1]})"
    )
    parts = {
        "It reverses": written(chosen.digits, f" → {said}"),
        "Where it looks": note(
            "Rows are what the decoder has read, from the start sign on; columns are the source, with its end sign before the first digit. The row that says the next digit should look at that digit."
        )
        + beside(alignments(model, chosen.digits, said), "maps"),
        "How it learned": note(f"What it said of {LEARNED_ON}, which is {LEARNED_ON[::-1]} in reverse.")
        + curve(kept["losses"], [int(step) - 1 for step in kept["samples"]])
        + beside({f"after {step} steps": written("", text) for step, text in kept["samples"].items()}),
    }
    chosen.page.write_text(page("Your Transformer reads from right to left", parts), encoding="utf-8")
    print(f"{chosen.page} shows where it looked; open it in a browser.")


if __name__ == "__main__":
    main()
