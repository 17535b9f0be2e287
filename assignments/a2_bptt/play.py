"""Let your network go on with what you type, and see how its gradients were.

    python play.py hel             trains once (a second), then says what may come next, letter by letter
    python play.py he --write 6    loads what was kept in play.npz; --fresh trains again

It uses your loss_backward, rnn_backward, embedding_backward and clip_grad_norm, and the training of training.py. play.html is one
page with probabilities, losses and gradient norms; it needs no network.
"""

import argparse
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from training import AIM, COUNTED, LETTERS, MAX_NORM, READ, first_params, forward, spell, train_hello

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "engine"))  # a handout's; in a course the autograder is installed
from autograder.handout.kit.play import Told, kept_or_learned, student_module  # noqa: E402
from autograder.handout.kit.play_page import bars, beside, curve, note, page, written  # noqa: E402


def learn(student: Any, steps: int) -> dict[str, np.ndarray]:
    """Train as training.py does; return the parameters, the losses, and the norm of each gradient before it is clipped."""
    norms: list[float] = []

    def clip_grad_norm(gradient: dict[str, np.ndarray], max_norm: float) -> Any:
        norms.append(float(np.sqrt(sum((part**2).sum() for part in gradient.values()))))
        return student.clip_grad_norm(gradient, max_norm)

    watched = SimpleNamespace(**{**vars(student), "clip_grad_norm": clip_grad_norm})
    made = train_hello(watched, Told(steps), steps, first_params(np.random.default_rng(1)), READ, AIM, COUNTED)
    return {**made["params"], "losses": np.array(made["losses"]), "norms": np.array(norms)}


def load_checkpoint(path: Path) -> dict[str, np.ndarray]:
    """Load arrays, and no code."""
    with np.load(path, allow_pickle=False) as kept:
        return dict(kept)


def next_letters(params: dict[str, np.ndarray], text: str) -> dict[str, dict[str, float]]:
    """Return the probabilities, in percent, of every letter behind each beginning of a text."""
    *_, logits = forward(np.array([[LETTERS.index(letter) for letter in text]]), params)
    shares = np.exp(logits[0] - logits[0].max(axis=1, keepdims=True))
    shares *= 100 / shares.sum(axis=1, keepdims=True)
    return {text[: n + 1]: dict(zip(LETTERS, map(float, row), strict=True)) for n, row in enumerate(shares)}


def go_on(params: dict[str, np.ndarray], text: str, count: int) -> str:
    """Return what the network says behind a text, each letter the most likely one behind all before it."""
    for _ in range(count):
        shares = next_letters(params, text)[text]
        text += max(shares, key=lambda letter: shares[letter])
    return text


def main() -> None:
    """Train or load, write, and make the page."""
    parser = argparse.ArgumentParser(description="Let your network spell.")
    parser.add_argument(
        "text", nargs="?", default="hel", help=f"what to go on with, of the letters {' '.join(LETTERS)}"
    )
    parser.add_argument("--write", type=int, default=4, help="letters to say behind it")
    parser.add_argument("--steps", type=int, default=500, help="of training")
    parser.add_argument("--fresh", action="store_true", help="train again, and keep that")
    parser.add_argument("--page", type=Path, default=HERE / "play.html")
    chosen = parser.parse_args()
    if not chosen.text or set(chosen.text) - set(LETTERS):
        parser.error(f"The network knows the letters {' '.join(LETTERS)} alone; type some of them.")
    student = student_module(HERE, "bptt.py")

    def from_hello() -> dict[str, np.ndarray]:
        print(f"Training {chosen.steps} steps on hello:")
        return learn(student, chosen.steps)

    kept = kept_or_learned(
        HERE / "play.npz", from_hello, load_checkpoint, lambda made, path: np.savez(path, **made), fresh=chosen.fresh
    )
    params = {name: array for name, array in kept.items() if name not in ("losses", "norms")}
    said = go_on(params, chosen.text, chosen.write)
    print(f"\n{chosen.text} -> {said}")
    clipped = int((kept["norms"] > MAX_NORM).sum())
    parts = {
        "It goes on": note(
            f"From h alone it spells h{''.join(LETTERS[i] for i in spell(params, LETTERS.index('h'), 4))}."
        )
        + written(chosen.text, said[len(chosen.text) :]),
        "What may come next": note(
            "Behind each beginning of what you typed. It was trained on hello, so it has never read a text that begins with "
            "another letter than h: there it guesses, and may be sure all the same."
        )
        + beside({f"after {text}": bars(shares, " %") for text, shares in next_letters(params, chosen.text).items()}),
        "How it learned": note("The loss of each step; ln 4 = 1.39 is a guess among four letters.")
        + curve(kept["losses"].tolist()),
        "How long its gradients were": note(
            f"The norm of all gradients together, before clip_grad_norm shortens what is longer than {MAX_NORM:g}: "
            f"{clipped} of {len(kept['norms'])} steps."
        )
        + curve(kept["norms"].tolist(), name="gradient norm"),
    }
    chosen.page.write_text(page("Your network spells", parts), encoding="utf-8")
    print(f"{chosen.page} shows the probabilities; open it in a browser.")


if __name__ == "__main__":
    main()
