"""Let your decoder with attention reverse a row of digits that you type, and see where it looks at each step.

    python play.py 31415926        trains once (under a minute), then answers
    python play.py 99990000        loads what was kept in play.pt; --fresh trains again

It uses your Encoder, AttentionDecoder, decoder_inputs, masked_nll and greedy_decode, and the training of training.py. play.html
is one page with the answer, the alignment and what the model said while it learned; it needs no network.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from training import BOS, EOS, LONGEST, SHORTEST, STEPS, Looking, train, write

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "engine"))  # a handout's; in a course the autograder is installed
from autograder.handout.kit.play import Told, kept_or_learned, student_module  # noqa: E402
from autograder.handout.kit.play_page import beside, curve, heat_map, note, page, written  # noqa: E402

FIRST = 3  # the id of the digit 0
SAMPLED = (40, 80, 160)  # steps after which it answers while it learns
LEARNED_ON = "3141592653"


def source(digits: str) -> tuple[Tensor, Tensor]:
    """Return a row as the model reads it, padded, and its length."""
    row = torch.zeros(1, LONGEST, dtype=torch.int64)
    row[0, : len(digits)] = torch.tensor([FIRST + int(digit) for digit in digits])
    return row, torch.tensor([len(digits)])


def answer(student: Any, model: Looking, digits: str) -> str:
    """Return what the model says, reading only what it has said itself."""
    said = write(student, model, *source(digits))[0].tolist()
    return "".join(
        str(word - FIRST) if word >= FIRST else "?" for word in said[: said.index(EOS) if EOS in said else None]
    )


@torch.no_grad()
def alignments(model: Looking, digits: str, said: str) -> dict[str, str]:
    """Return the map of the attention weights that your step gives while it says these words."""
    row, lengths = source(digits)
    states, state = model.encoder(row, lengths)
    real = torch.arange(LONGEST)[None] < lengths[:, None]
    words, weights = [BOS, *(FIRST + int(digit) for digit in said if digit != "?")], []
    for word in words:
        _, state, looked = model.decoder.step(torch.tensor([word]), state, states, real)
        weights.append(looked[0, : len(digits)].tolist())
    rows = [*(str(word - FIRST) for word in words[1:]), "⊣"]
    return {"rows: what it says; columns: what it reads": heat_map(weights, rows, digits, "alignment")}


def learn(student: Any, steps: int) -> dict[str, Any]:
    """Train as training.py does; return the parameters, the losses, and what it said on the way."""
    model = Looking(student)
    told, samples, losses = Told(steps), {"0": answer(student, model.eval(), LEARNED_ON)}, []

    def report(step: int, loss: float) -> None:
        told(step, loss)
        losses.append(float(loss))
        if step + 1 in SAMPLED or step + 1 == steps:
            samples[str(step + 1)] = answer(student, model.eval(), LEARNED_ON)
            model.train()

    train(student, report, steps, [model], 1, "cpu")
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
    student = student_module(HERE, "seq2seq.py")

    def from_rows() -> dict[str, Any]:
        print(f"Training {chosen.steps} steps on rows of digits:")
        return learn(student, chosen.steps)

    kept = kept_or_learned(HERE / "play.pt", from_rows, load_checkpoint, torch.save, fresh=chosen.fresh)
    model = Looking(student)
    model.load_state_dict(kept["state"])
    said = answer(student, model.eval(), chosen.digits)
    print(
        f"\n{chosen.digits} -> {said}   ({'right' if said == chosen.digits[::-1] else 'right is ' + chosen.digits[::-1]})"
    )
    parts = {
        "It reverses": written(chosen.digits, f" → {said}"),
        "Where it looks": note(
            "Each row is a step of the decoder, with the digit it says there; it should look at that digit in the source, or at the state behind it, which has read it, too."
        )
        + beside(alignments(model, chosen.digits, said), "maps"),
        "How it learned": note(f"What it said of {LEARNED_ON}, which is {LEARNED_ON[::-1]} in reverse.")
        + curve(kept["losses"], [int(step) - 1 for step in kept["samples"]])
        + beside({f"after {step} steps": written("", text) for step, text in kept["samples"].items()}),
    }
    chosen.page.write_text(page("Your decoder looks back", parts), encoding="utf-8")
    print(f"{chosen.page} shows where it looked; open it in a browser.")


if __name__ == "__main__":
    main()
