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
from dataclasses import dataclass, field, replace
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
# Says what came out, from the harness's own names, a run's arguments and its value.
Look = Callable[[dict[str, Any], tuple[Any, ...], Any], dict[str, Any]]


def norm(gradient: dict[str, np.ndarray]) -> float:
    """Return the norm of all arrays of a gradient together."""
    return float(np.sqrt(sum((g**2).sum() for g in gradient.values())))


def clipping_watched(bptt: ModuleType, seen: Watched) -> Any:
    """Hear of every gradient's norm, before and after it is clipped."""

    def clip_grad_norm(grads: Any, max_norm: float) -> Any:
        clipped = bptt.clip_grad_norm(grads, max_norm)
        seen.norms.append(norm(grads))
        seen.more.setdefault("clipped", []).append(norm(clipped[0]))
        return clipped

    return SimpleNamespace(**{**vars(bptt), "clip_grad_norm": clip_grad_norm})


def spelled(harness: dict[str, Any], _: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return the letters that are said, each from those before it."""
    return {"said": "".join(harness["LETTERS"][i] for i in harness["spell"](value["params"], 0, 4))}


def gates_watched(gates: ModuleType, seen: Watched) -> Any:
    """Hear of every gradient, and of how far back the first one reaches: its norm at each step that was read."""

    def lstm_backward(*args: Any) -> Any:
        back = gates.lstm_backward(*args)
        seen.norms.append(norm(back[3]))
        seen.more.setdefault("reach", np.sqrt((back[0] ** 2).sum(axis=(0, 2))).tolist())
        return back

    return SimpleNamespace(**{**vars(gates), "lstm_backward": lstm_backward})


def gates_said(_: dict[str, Any], args: tuple[Any, ...], value: Any) -> dict[str, Any]:
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


LABS = {
    "a2_bptt": Lab("train_hello", clipping_watched, spelled),
    "a3_gates": Lab("train_adding", gates_watched, gates_said),
}


def measure(slug: str) -> None:
    """Make every run of a lab, the healthy one too, and write them down."""
    lab, assignment = LABS[slug], load_assignment(ROOT, slug)
    training = next(t for t in assignment.trainings if t.exercise == lab.training)
    oracle = Oracle(assignment, SEED)
    training = replace(training, draw=training.at_home or training.draw)
    args, runs = training.args(SEED), {}
    harness: dict[str, Any] = {"__name__": "training"}
    exec(compile(assignment.harness, "training.py", "exec"), harness)  # noqa: S102 (the course's own)
    for name in (HEALTHY, *(q.answer.mistake for q in assignment.questions if q.answer.mistake)):
        program = oracle.own_reference() if name == HEALTHY else oracle.variant(name)
        assert program, f"the reference cannot be had with {name}"
        seen = Watched()
        student = lab.watch(program.module, seen)
        with np.errstate(all="ignore"):
            made = harness[training.function](student, lambda *_: None, training.steps, *args)
        value = as_arrays(made)
        losses = losses_of(Outcome(Ending.RETURNED, made))
        assert losses is not None
        series = {"losses": losses.tolist(), "norms": seen.norms[: training.steps], **seen.more}
        runs[name] = {key: rounded(numbers) for key, numbers in (series | lab.look(harness, args, value)).items()}
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
