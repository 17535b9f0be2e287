"""Train the broken runs of a debugging lab, and keep what they gave: python assignments/figures/broken_runs.py a3_gates

A run is the assignment's own training, by the reference with one known mistake in it, from the start that students have at
home. Which mistakes, `debugging_lab.toml` says: those of its right options. What the runs gave goes to
`solutions/SLUG/debugging_lab.json`, from which the assignment's script draws. So pictures are drawn again without training,
and `doctor` can compare the first losses with those of the mistake that the key names. Where learning rates depend on how
many steps there will be, these are `first_losses`, of a run as short as those that `doctor` makes. For an author who looks
for mistakes, `broken_runs.py a3_gates MISTAKE ...` says what these give, and keeps nothing.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType, SimpleNamespace
from typing import Any

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # the arrays are small: more threads would mostly wait for each other
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from counting_runs import Counting, counted_rows
from run_panels import HEALTHY
from svg import ROOT
from two_translators import TwoTranslators, translated_rows

from autograder.course.catalog import load_assignment
from autograder.handout.kit.bundle import SEED
from autograder.judge.training_outcome import losses_of
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome

DIGITS = 6
# a8: what of the held-out play a run is evaluated on, and after how many steps; from what it goes on, and how far
HELD_OUT, EVERY, BEGUN, WRITTEN = 20_000, 20, "ROMEO:", 40


@dataclass
class Watched:
    """What is seen of a run from outside, while it is made."""

    norms: list[float] = field(default_factory=list)  # of the gradient at each step, before it is clipped
    more: dict[str, list[float]] = field(default_factory=dict)
    told: dict[str, Any] = field(default_factory=dict)  # what came out


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


def reversing_watched(transformer: ModuleType, seen: Watched) -> Any:
    """Hear of every gradient's norm, of the whole model and of its encoder."""
    return watching_steps(transformer, "Transformer", seen, {"encoder": "encoder"})


def watching_steps(module: ModuleType, name: str, seen: Watched, parts: dict[str, str]) -> Any:
    """Hear of the gradients of the models that a class makes; `parts` are series by what their parameters' names begin with."""
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    def made(*sizes: Any) -> Any:
        net = getattr(module, name)(*sizes)
        first = next(net.parameters())

        def before(optimizer: Any, *_: Any) -> None:
            if optimizer.param_groups[0]["params"][0] is not first:
                return
            grads = {n: p.grad.numpy() if p.grad is not None else np.zeros(1) for n, p in net.named_parameters()}
            seen.norms.append(norm(grads))
            for series, start in parts.items():
                inside = {n: grad for n, grad in grads.items() if n.startswith(start)}
                seen.more.setdefault(series, []).append(norm(inside))

        register_optimizer_step_pre_hook(before)
        return net

    return SimpleNamespace(**{**vars(module), name: made})


def reversed_rows(harness: dict[str, Any], args: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return the share of new rows that are right, and what is said of a short one and a long one."""
    first, signs = harness["FIRST"], {harness["PAD"]: "_", harness["BOS"]: "B", harness["END"]: "E"}
    rows = [[word for word in row if word >= first] for row in args[2].tolist()]
    said = [list(map(int, row)) for row in value["said"]]
    right = sum(own == row[::-1] for own, row in zip(said, rows, strict=True)) / len(rows)
    shown = [min(range(len(rows)), key=lambda i: (len(rows[i]) != length, i)) for length in (5, 8)]
    texts = {"read": [rows[i] for i in shown], "said": [said[i] for i in shown]}
    texts = {k: ["".join(signs.get(w, str(w - first)) for w in row) for row in found] for k, found in texts.items()}
    return {"right": right, **texts}


def translating_watched(seq2seq: ModuleType, seen: Watched) -> Any:
    """Hear of the losses and gradients of both models, and of where the one with attention looks."""
    return TwoTranslators(seq2seq, seen.norms, seen.more).student


def writing_watched(lm: ModuleType, seen: Watched) -> Any:
    """Hear of the norms and the held-out losses that `train` returns, and of how the trained model goes on from some words."""
    import torch

    texts = [
        ROOT / "assignments/a8_language_model/data/shakespeare.txt",
        ROOT / "solutions/a8_language_model/data/held_out.txt",
    ]
    learned, held_out = (path.read_text(encoding="utf-8") for path in texts)
    letters = sorted(set(learned))
    play, begun = (torch.tensor([letters.index(letter) for letter in text]) for text in (held_out[:HELD_OUT], BEGUN))

    def train(model: Any, *args: Any, **settings: Any) -> Any:
        history = lm.train(model, *args, **settings, held_out=play, every=EVERY)
        seen.norms += history["gradient_norms"]
        seen.more["held_out"] = history["held_out"]
        uniforms = torch.rand(1, WRITTEN, generator=torch.Generator().manual_seed(SEED))
        with torch.no_grad():
            ids = lm.generate(model.eval(), begun[None], WRITTEN, 0.8, None, uniforms)[0]
        seen.told["said"] = "".join(letters[i] for i in ids[len(BEGUN) :].tolist())
        return history

    return SimpleNamespace(**{**vars(lm), "train": train})


def counting_watched(modern_lm: ModuleType, seen: Watched) -> Any:
    """Hear of the norm of every gradient, and of how much every step changes."""
    return Counting(modern_lm, seen.norms, seen.more).student


@dataclass(frozen=True)
class Lab:
    """How the runs of an assignment's lab are made."""

    training: str
    watch: Watch
    look: Look = lambda *_: {}


LABS = {
    "a2_bptt": Lab("train_hello", clipping_watched, spelled),
    "a3_gates": Lab("train_adding", gates_watched, gates_said),
    "a4_seq2seq": Lab("train_reverse", translating_watched, translated_rows),
    "a7_transformer": Lab("train_reverse", reversing_watched, reversed_rows),
    "a8_language_model": Lab("train_shakespeare", writing_watched),
    "a9_modern_lm": Lab("train_counting", counting_watched, counted_rows),
}


def measure(slug: str, names: Sequence[str] = ()) -> None:
    """Make every run of a lab, the healthy one too, and write them down; of other `names` only say what they give."""
    lab, assignment = LABS[slug], load_assignment(ROOT, slug)
    training = next(t for t in assignment.trainings if t.exercise == lab.training)
    training = replace(training, draw=training.at_home or training.draw)
    oracle, args, runs = Oracle(assignment, SEED), training.args(SEED), {}
    harness: dict[str, Any] = {"__name__": "training"}
    exec(compile(assignment.harness, "training.py", "exec"), harness)  # noqa: S102 (the course's own)
    for name in names or (HEALTHY, *(q.answer.mistake for q in assignment.questions if q.answer.mistake)):
        program = oracle.own_reference() if name == HEALTHY else oracle.variant(name)
        assert program, f"the reference cannot be had with {name}"
        seen = Watched()
        student = lab.watch(program.module, seen)
        with np.errstate(all="ignore"):
            made = harness[training.function](student, lambda *_: None, training.steps, *args)
            short = harness[training.function](program.module, lambda *_: None, training.first_steps, *args)
        losses, first = (losses_of(Outcome(Ending.RETURNED, run)) for run in (made, short))
        assert losses is not None
        assert first is not None
        series = {"losses": losses.tolist(), "norms": seen.norms[: training.steps], **seen.more}
        if not np.allclose(first, losses[: training.first_steps], equal_nan=True):
            series["first_losses"] = first.tolist()
        told = seen.told | lab.look(harness, args, as_arrays(made))
        runs[name] = {key: rounded(numbers) for key, numbers in (series | told).items()}
        marks = {k: [f"{v[i]:.2g}" for i in (0, 1, 9, len(v) // 4, len(v) // 2, -1)] for k, v in series.items()}
        print(name, marks, told, flush=True)
    if not names:
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(run)}" for name, run in runs.items())
        text = f'{{"training": "{training.exercise}", "seed": {SEED}, "runs": {{\n{lines}\n}}}}\n'
        (ROOT / "solutions" / slug / "debugging_lab.json").write_text(text, encoding="utf-8")


def rounded(tree: Any) -> Any:
    """Return numbers with as many digits as are worth keeping."""
    if isinstance(tree, list):
        return [rounded(item) for item in tree]
    return float(f"{tree:.{DIGITS}g}") if isinstance(tree, float) else tree


if __name__ == "__main__":
    measure(sys.argv[1], sys.argv[2:])
