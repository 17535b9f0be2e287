"""Train the broken runs of debugging labs, and keep what they gave: python assignments/figures/broken_runs.py a3_gates

A run is the assignment's own training, by the reference with one known mistake in it, from the start that students have at
home. Which mistakes, `debugging_lab.toml` says: those of its right options. What the runs gave goes to
`solutions/SLUG/debugging_lab.json`, from which the assignment's script draws. So pictures are drawn anew without training,
and `doctor` can compare the first losses with those of the mistake that the key names.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from run_panels import HEALTHY
from svg import ROOT

from autograder.course.catalog import load_assignment
from autograder.handout.kit.bundle import SEED
from autograder.judge.training_outcome import losses_of
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome

DIGITS = 6


@dataclass
class Watched:
    """What is seen of a run from outside, while it is made."""

    norms: list[float] = field(default_factory=list)  # of the gradient at each step, before it is clipped
    more: dict[str, list[float]] = field(default_factory=dict)


Watch = Callable[[ModuleType, Watched], Any]  # returns the student's module with something around it
Look = Callable[[tuple[Any, ...], Any], dict[str, Any]]  # says what came out of a run's arguments and value


def gates_watched(gates: ModuleType, seen: Watched) -> Any:
    """Hear of every gradient, and of how far back the first one reaches: its norm at each step that was read."""

    def lstm_backward(*args: Any) -> Any:
        back = gates.lstm_backward(*args)
        seen.norms.append(float(np.sqrt(sum((g**2).sum() for g in back[3].values()))))
        seen.more.setdefault("reach", np.sqrt((back[0] ** 2).sum(axis=(0, 2))).tolist())
        return back

    return SimpleNamespace(**{**vars(gates), "lstm_backward": lstm_backward})


def gates_said(args: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return the error on new sequences, and what is said of three of them."""
    x = args[-1]
    wanted = (x[:, :, 0] * x[:, :, 1]).sum(axis=1)
    rows = np.argsort(wanted)[[len(wanted) // 10, len(wanted) // 2, -len(wanted) // 10]]
    said = {"wanted": wanted[rows], "said": value["lstm"][rows]}
    return {"held_out": float(np.mean((value["lstm"] - wanted) ** 2)), **{k: v.tolist() for k, v in said.items()}}


@dataclass(frozen=True)
class Lab:
    """How the runs of an assignment's lab are made."""

    training: str
    watch: Watch
    look: Look


LABS = {"a3_gates": Lab("train_adding", gates_watched, gates_said)}


def measure(slug: str) -> None:
    """Make every run of a lab, the healthy one too, and write them down."""
    lab, assignment = LABS[slug], load_assignment(ROOT, slug)
    training = next(t for t in assignment.trainings if t.exercise == lab.training)
    oracle = Oracle(assignment, SEED)
    args = training.args(SEED)
    runs = {}
    for name in (HEALTHY, *(q.answer.mistake for q in assignment.questions if q.answer.mistake)):
        program = oracle.own_reference() if name == HEALTHY else oracle.variant(name)
        assert program, f"the reference cannot be had with {name}"
        seen = Watched()
        student = lab.watch(program.module, seen)
        with np.errstate(all="ignore"):
            made = program.harnessed(assignment.harness, training.function)(
                student, lambda *_: None, training.steps, *args
            )
        value = as_arrays(made)
        losses = losses_of(Outcome(Ending.RETURNED, made))
        assert losses is not None
        series = {"losses": losses.tolist(), "norms": seen.norms[: training.steps], **seen.more}
        runs[name] = {key: rounded(numbers) for key, numbers in (series | lab.look(args, value)).items()}
        print(f"{name}: from {losses[0]:.3g} to {losses[-20:].mean():.3g}", flush=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(run)}" for name, run in runs.items())
    text = f'{{"training": "{training.exercise}", "seed": {SEED}, "runs": {{\n{lines}\n}}}}\n'
    (ROOT / "solutions" / slug / "debugging_lab.json").write_text(text, encoding="utf-8")


def rounded(tree: Any) -> Any:
    """Return numbers with as many digits as are worth keeping."""
    if isinstance(tree, list):
        return [rounded(item) for item in tree]
    return float(f"{tree:.{DIGITS}g}") if isinstance(tree, float) else tree


if __name__ == "__main__":
    for named in sys.argv[1:]:
        measure(named)
