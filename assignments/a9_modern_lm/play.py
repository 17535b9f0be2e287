"""Let your model count on in a row of your own, with and without its cache, and see what its heads look at.

    python play.py 7 30 12 10 31 13    trains once (some ten seconds), then goes on with these numbers from 0 to 31
    python play.py 1 2 3 --write 40    loads what was kept in play.pt; --fresh trains again

It uses your ModernLM, rotary, label_smoothed_nll and adamw_step, and the training of training.py. play.html is one page with the
row, the next numbers, each head's attention weights and the speed with and without a cache; it needs no network.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from training import BACK, SIZES, STEPS, VOCAB, begin, train

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "engine"))  # a handout's; in a course the autograder is installed
from autograder.handout.kit.play import Told, kept_or_learned, student_module  # noqa: E402
from autograder.handout.kit.play_page import bars, beside, curve, heat_map, note, page, written  # noqa: E402

WINDOW = SIZES[-1]
BEST = 8  # numbers in the bars
SPEED_TOKENS = 200  # that are written to measure the speed


def learn(student: Any, steps: int) -> dict[str, Any]:
    """Train as training.py does; return the parameters and the losses."""
    net = begin(student.ModernLM(*SIZES))
    losses = train(student, net, Told(steps), steps, torch.Generator().manual_seed(1), "cpu")
    return {"state": net.state_dict(), "losses": losses}


@torch.no_grad()
def count_on(net: Any, ids: Tensor, count: int, *, cached: bool) -> tuple[Tensor, float]:
    """Add the most likely numbers one by one; return all of them, and how many a second came."""
    began, cache, new = time.perf_counter(), None, ids
    for _ in range(count):
        logits, made = net(new if cached else ids, cache)
        best = logits[:, -1:].argmax(dim=-1)
        ids = torch.cat([ids, best], dim=1)
        if cached:
            cache, new = made, best
    return ids, count / (time.perf_counter() - began)


@torch.no_grad()
def attention(student: Any, net: Any, ids: Tensor) -> list[Tensor]:
    """Return each layer's attention weights (head, time, time): what your grouped_attention gives with one-hot values."""
    found: list[Tensor] = []
    own = student.grouped_attention

    def heard(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
        found.append(own(q, k, torch.eye(k.shape[2]).expand(*k.shape[:3], -1), mask)[0])
        return own(q, k, v, mask)

    student.grouped_attention = heard
    try:
        net(ids)
    finally:
        student.grouped_attention = own
    return found


@torch.no_grad()
def sections(
    student: Any, net: Any, losses: list[float], given: list[int], chosen: argparse.Namespace
) -> dict[str, str]:
    """Return the parts of the page."""
    ids = torch.tensor([given])
    row, _ = count_on(net, ids, chosen.write, cached=True)
    alone, _ = count_on(net, ids, chosen.write, cached=False)
    said = " ".join(map(str, row[0, len(given) :].tolist()))
    print(f"\n{' '.join(map(str, given))} -> {said}")
    shares, best = net(ids)[0][0, -1].softmax(dim=-1).topk(BEST)
    names = [str(number) for number in row[0].tolist()]
    maps = {
        f"layer {layer + 1}, head {head + 1}": heat_map(
            weights.tolist(), names, names, f"layer {layer + 1}, head {head + 1}"
        )
        for layer, heads in enumerate(attention(student, net, row))
        for head, weights in enumerate(heads)
    }
    same = (
        "the same numbers"
        if torch.equal(row, alone)
        else "OTHER numbers: something behind the cache is counted wrongly"
    )
    speeds = {
        name: count_on(net, ids, SPEED_TOKENS, cached=cached)[1]
        for name, cached in (("without a cache", False), ("with your cache", True))
    }
    wanted = f"Each number follows from the one {BACK} places before it, plus 1, 2 or 3; behind {VOCAB - 1} comes 0."
    return {
        "It counts on": note(f"{wanted} Without the cache it says {same}.")
        + written(f"{' '.join(map(str, given))} ", said),
        "What may come next": note(
            "Behind what you typed. Three numbers are equally likely; with smoothed targets the best model gives each 30.3 %."
        )
        + bars({str(int(i)): 100 * float(share) for i, share in zip(best, shares, strict=True)}, " %"),
        "What each head looks at": note(
            f"A row is a place that looks, a column one that is looked at, with the numbers that stand there. A window of {WINDOW} "
            f"hides what is further back. Look for a head whose dark cells lie {BACK - 1} places left of the diagonal: the next "
            f"number follows from there."
        )
        + (
            beside(maps, "maps")
            if maps
            else note("Your model does not call grouped_attention, so its weights are not seen here.")
        ),
        "Numbers per second": note(f"While it writes {SPEED_TOKENS} numbers behind yours.") + bars(speeds),
        "How it learned": note("With targets smoothed by .1. ln 32 = 3.47 is a guess.") + curve(losses),
    }


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Load tensors and numbers, and no code."""
    return torch.load(path, weights_only=True)


def main() -> None:
    """Train or load, count on, and make the page."""
    parser = argparse.ArgumentParser(description="Let your model count on.")
    parser.add_argument("numbers", nargs="*", type=int, default=[7, 30, 12, 10, 31, 13], help=f"from 0 to {VOCAB - 1}")
    parser.add_argument("--write", type=int, default=12, help="numbers to write behind them")
    parser.add_argument("--steps", type=int, default=STEPS, help="of training")
    parser.add_argument("--fresh", action="store_true", help="train again, and keep that")
    parser.add_argument("--page", type=Path, default=HERE / "play.html")
    chosen = parser.parse_args()
    if len(chosen.numbers) < BACK or not all(0 <= number < VOCAB for number in chosen.numbers):
        parser.error(f"Type {BACK} numbers or more, each from 0 to {VOCAB - 1}: no model can know the first {BACK}.")
    torch.set_num_threads(1)  # the tensors are small: more threads would mostly wait for each other
    student = student_module(HERE, "modern_lm.py")

    def from_rows() -> dict[str, Any]:
        print(f"Training {chosen.steps} steps on rows that are woven of three:")
        return learn(student, chosen.steps)

    kept = kept_or_learned(HERE / "play.pt", from_rows, load_checkpoint, torch.save, fresh=chosen.fresh)
    net = student.ModernLM(*SIZES).eval()
    net.load_state_dict(kept["state"])
    parts = sections(student, net, kept["losses"], chosen.numbers, chosen)
    chosen.page.write_text(page("Your model counts", parts), encoding="utf-8")
    print(f"{chosen.page} has all of it; open it in a browser.")


if __name__ == "__main__":
    main()
