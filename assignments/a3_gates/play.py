"""Let your LSTM add two numbers of a sequence, and see its gates over time.

    python play.py 7 40            trains once (under a minute), then adds the numbers at steps 7 and 40
    python play.py 20 30           loads what was kept in play.npz; --fresh trains again

It uses your lstm_forward, lstm_gates and lstm_backward, and the training of training.py. play.html is one page with the answer
and every gate of every unit at every step; it needs no network.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from training import HIDDEN, STEPS, TIME, first_params, run, sums, train  # first: it sets numpy's threads

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "engine"))  # a handout's; in a course the autograder is installed
from autograder.handout.kit.play import Told, kept_or_learned, student_module  # noqa: E402
from autograder.handout.kit.play_page import bars, beside, curve, heat_map, note, page  # noqa: E402

GATES = {"f": "forget gate: 1 keeps the cell", "i": "input gate: 1 writes", "o": "output gate: 1 reveals"}


def sequence(first: int, second: int, seed: int) -> np.ndarray:
    """Return one sequence with random numbers and two marks, at steps counted from 1: (1, TIME, 2)."""
    marks = np.zeros(TIME)
    marks[[first - 1, second - 1]] = 1
    return np.stack([np.random.default_rng(seed).random(TIME), marks], axis=1)[None]


def learn(student: Any, steps: int) -> dict[str, np.ndarray]:
    """Train as training.py does; return the parameters and the losses."""
    losses, params = train(student, Told(steps), steps, first_params(np.random.default_rng(2)), seed=2)
    return {**params, "losses": np.array(losses)}


def load_checkpoint(path: Path) -> dict[str, np.ndarray]:
    """Load arrays, and no code."""
    with np.load(path, allow_pickle=False) as kept:
        return dict(kept)


def gate_maps(cache: dict[str, Any]) -> dict[str, str]:
    """Return a map for each gate: a row for each unit, a column for each step, with + over the marked ones."""
    marks = ["+" if mark else "" for mark in cache["x"][0, :, 1]]
    units = [str(unit + 1) for unit in range(HIDDEN)]
    return {name: heat_map(cache[gate][0].T.tolist(), units, marks, name) for gate, name in GATES.items()}


def main() -> None:
    """Train or load, add, and make the page."""
    parser = argparse.ArgumentParser(description="Let your LSTM add two numbers that stand far apart.")
    parser.add_argument("first", nargs="?", type=int, default=7, help=f"the first marked step, 1 to {TIME // 2}")
    parser.add_argument("second", nargs="?", type=int, default=40, help=f"the second one, {TIME // 2 + 1} to {TIME}")
    parser.add_argument("--seed", type=int, default=1, help="of the numbers")
    parser.add_argument("--steps", type=int, default=STEPS, help="of training")
    parser.add_argument("--fresh", action="store_true", help="train again, and keep that")
    parser.add_argument("--page", type=Path, default=HERE / "play.html")
    chosen = parser.parse_args()
    if not 1 <= chosen.first <= TIME // 2 < chosen.second <= TIME:
        parser.error(
            f"the first mark stands at 1 to {TIME // 2}, the second at {TIME // 2 + 1} to {TIME}, as in training."
        )
    student = student_module(HERE, "gates.py")

    def from_sequences() -> dict[str, np.ndarray]:
        print(f"Training {chosen.steps} steps on sequences of {TIME} numbers:")
        return learn(student, chosen.steps)

    kept = kept_or_learned(
        HERE / "play.npz",
        from_sequences,
        load_checkpoint,
        lambda made, path: np.savez(path, **made),
        fresh=chosen.fresh,
    )
    x = sequence(chosen.first, chosen.second, chosen.seed)
    params = {name: array for name, array in kept.items() if name != "losses"}
    said, cache = run(student, x, params)
    one, other = (float(x[0, step - 1, 0]) for step in (chosen.first, chosen.second))
    print(f"\n{one:.3f} + {other:.3f} = {sums(x)[0]:.3f}; your LSTM says {said[0]:.3f}")
    cell = np.abs(cache["c"][0]).T
    parts = {
        "It adds": note(f"The number at step {chosen.first} is {one:.3f}, that at step {chosen.second} is {other:.3f}.")
        + bars({"the sum": float(sums(x)[0]), "your LSTM says": float(said[0])}),
        "Its gates over time": note(
            f"A column is a step, a row one of {HIDDEN} units, and + stands over the two marked steps. Look for units that write "
            "at a mark, and keep until the end what they have written."
        )
        + beside(gate_maps(cache), "maps"),
        "What its cells hold": note("The absolute value of each cell, as a share of the largest.")
        + heat_map(
            (cell / max(cell.max(), 1e-12)).tolist(),
            [str(unit + 1) for unit in range(HIDDEN)],
            ["+" if mark else "" for mark in x[0, :, 1]],
            "cells",
        ),
        "How it learned": note("The squared error on each batch; a model that always says 1 has .167.")
        + curve(kept["losses"].tolist()),
    }
    chosen.page.write_text(page("Your LSTM adds", parts), encoding="utf-8")
    print(f"{chosen.page} shows its gates; open it in a browser.")


if __name__ == "__main__":
    main()
