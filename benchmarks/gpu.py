"""Prove on a GPU what is promised of trainings there, and measure it: one command, which writes benchmarks/gpu.json.

    agreement   first losses and metrics of references and correct solutions on the GPU, beside the CPU's
    larger      what the model for a GPU reaches and in which time, correct solutions and known mistakes beside it
    promises    what `doctor --training` proves: references and correct solutions learn, known mistakes do not
    packing     submissions a minute, by how many may train at once
    hostile     kernels that never end or fail, hogs, killed processes; the GPU has to answer after each

Each step is written down as soon as it is done; --only does some, and the others stay as an earlier run on the same GPU left them.
Where there is no GPU it says so and exits with 1. With --device cpu, or --device pretended, which computes on the CPU and
refuses to mix devices, it rehearses every step at a small size; that measures nothing, and nothing of it gets into docs/gpu.md.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gpu_table
import numpy as np
from gpu_larger import REFERENCE, larger_runs
from gpu_runs import Row, compared, run_of, side_by_side, source_of
from gpu_table import STEPS

from autograder.classroom.run import grade_class
from autograder.classroom.submissions import Submission
from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.course.spec import Assignment, Drawn, Training
from autograder.oracle.carried_mistakes import Carried
from autograder.oracle.device_choice import device_trouble, on_device, open_for, takes_device
from autograder.oracle.gpus import open_gpus
from autograder.oracle.larger_run import figures
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.oracle.training_losses import KnownLosses
from autograder.proof.trainings import examine_trainings
from autograder.sandbox.child.device import CPU, DeviceError, parse_device, refusal
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Job
from autograder.sandbox.machine import cores

ROOT = Path(__file__).resolve().parents[1]
CLASS = "a8_language_model"
MANY, FASTER, CLASS_SIZE = (
    32,
    8,
    300,
)  # so many at once are to be so many times as fast, and a class of that size takes an hour
PRETENDED = ROOT / "tests" / "pretended_device.py"
ENTER = "\nimport os\n\nif os.environ.get('CUBLAS_WORKSPACE_CONFIG'):\n    Pretended().__enter__()\n\n"

NONSENSE = """import fcntl, os
    for name in ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0"):
        try:
            node = os.open(name, os.O_RDWR)
        except OSError:
            continue
        for number in range(4096):
            try:
                fcntl.ioctl(node, 0xC0004600 | number, os.urandom(64))
            except OSError:
                pass
    raise ValueError"""
# What a submission may do instead of a loss, and the statuses that may come of it.
ATTACKS = {
    "never ends": (
        "logits = logits.detach()\n    while True:\n        logits = logits @ logits.transpose(-2, -1) @ logits",
        ("TIMEOUT",),
    ),
    "takes all memory": (
        "held = []\n    while True:\n        held.append(torch.ones(1 << 26, device=logits.device))",
        ("MEMORY", "CRASHED"),
    ),
    "reads past an end": (
        "logits[torch.full((9,), 10**6, device=logits.device)].sum().item()\n    return logits.sum()",
        ("CRASHED",),
    ),
    "aborts in a kernel": ("logits @ logits.transpose(-2, -1)\n    __import__('os').abort()", ("CRASHED",)),
    "tells the driver nonsense": (NONSENSE, ("CRASHED", "TIMEOUT", "MEMORY")),
}


@dataclass(frozen=True)
class Scale:
    """How much is done: all of it on a GPU, little in a rehearsal."""

    seeds: Sequence[int]
    at_once: Sequence[int]
    fewest: int  # submissions at each number
    attack_seconds: float
    jobs: int


REAL = Scale(range(5), (1, 2, 4, 8, 16, 32), 2, 30.0, cores())
SMALL = Scale((0,), (1, 2), 2, 10.0, 1)
REHEARSALS = {CPU: SMALL, "pretended": replace(SMALL, attack_seconds=60.0)}  # a pretended device is slow to fill memory


def main() -> int:
    """Do every step on a device; return 1 where there is none or something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cuda, the number of a GPU, or cpu or pretended to rehearse")
    parser.add_argument("-o", dest="out", type=Path, help="where to write the figures (default: gpu.json, of a GPU)")
    parser.add_argument(
        "--only", nargs="+", choices=STEPS, default=list(STEPS), metavar="STEP", help=f"of {', '.join(STEPS)}"
    )
    parser.add_argument("--at-once", nargs="+", type=int, metavar="N", help="what packing measures, instead of 1 to 32")
    parser.add_argument("--seeds", type=int, metavar="N", help="how many seeds, instead of 5")
    chosen = parser.parse_args()
    rehearsal = chosen.device in REHEARSALS
    try:
        device = "cuda" if chosen.device == "pretended" else parse_device(chosen.device)
    except DeviceError as error:
        parser.error(str(error))
    course = [load_assignment(ROOT, slug) for slug in ([CLASS] if rehearsal else slugs(ROOT))]
    course = [on_device(a, device) for a in course if any(takes_device(a, t) for t in a.trainings)]
    if rehearsal:
        course = [shortened(a, pretended=chosen.device == "pretended") for a in course]
    last = next(a for a in course if a.slug == CLASS)
    with open_for(last, 1, ROOT / "solutions") as sandbox:
        if device != CPU and (reason := device_trouble(last, device, sandbox)):
            told = refusal(device, "here", reason).partition(" Say --device")[0]
            print(f"{told} Nothing was measured; --device cpu rehearses every step.", file=sys.stderr)
            return 1
        isolation = sandbox.isolation
    where = {
        "gpu": gpu_name(),
        "torch": version("torch"),
        "python": platform.python_version(),
        "level": isolation.level,
    }
    out = chosen.out or (None if rehearsal else ROOT / "benchmarks" / "gpu.json")
    found: Row = {
        **earlier(out, where),
        "rehearsal": rehearsal,
        "where": {**where, "remains": isolation.residual_risks, "missing": isolation.missing},
    }
    scale = REHEARSALS.get(chosen.device, REAL)
    seeds = range(chosen.seeds or len(scale.seeds))
    scale = replace(scale, seeds=seeds, at_once=chosen.at_once or scale.at_once)
    for name, rows in measured(chosen.only, course, last, scale):
        found[name] = rows
        if out:
            out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    left = [name for name in STEPS if name not in found]
    if not rehearsal:
        gpu_table.write_figures(found, gpu_table.PAGE, gpu_table.README)
    holds = all(row.get("holds", True) for name in chosen.only for row in found[name])
    print("All steps ran to their end." if holds else "All steps ran; what did not hold stands above.")
    if left:
        print(f"Still to do: --only {' '.join(left)}")
    return int(not holds)


def earlier(path: Path | None, where: Mapping[str, str]) -> Row:
    """Return the steps that a file holds from a run in the same place."""
    if path is None or not path.exists():
        return {}
    kept: Row = json.loads(path.read_text(encoding="utf-8"))
    same = where.items() <= kept["where"].items()
    return {name: kept[name] for name in STEPS if same and name in kept}


def measured(
    chosen: Sequence[str], course: Sequence[Assignment], last: Assignment, scale: Scale
) -> Iterator[tuple[str, list[Row]]]:
    """Do the chosen steps, tell what comes of each, and yield it."""
    steps = {
        "agreement": (row for assignment in course for row in agreement(assignment, scale)),
        "larger": (row for assignment in course for row in larger_runs(assignment, scale.seeds, scale.jobs)),
        "promises": (row for assignment in course for row in promises(assignment, scale)),
        "packing": packing(last, scale),
        "hostile": hostile(last, scale),
    }
    for name in chosen:
        found = []
        for row in steps[name]:
            print(f"{name}: {json.dumps(row)}", flush=True)
            found.append(row)
        yield name, found


def shortened(assignment: Assignment, *, pretended: bool) -> Assignment:
    """Return an assignment for a rehearsal: one training of a few steps, nothing asked of its metrics, one other solution."""
    harness = assignment.harness
    if pretended:
        harness = PRETENDED.read_text(encoding="utf-8") + ENTER + harness
    (training,) = (_short(t) for t in assignment.trainings if bool(t.larger) == pretended)
    exercises = tuple(replace(e, uses=()) for e in assignment.exercises if e.name == training.exercise)
    few = replace(assignment, exercises=exercises, cases=(), trainings=(training,), correct=assignment.correct[:1])
    return replace(few, harness=harness, points=sum(e.points for e in exercises))


def _short(training: Training) -> Training:
    metrics = tuple(replace(metric, low=-math.inf, high=math.inf) for metric in training.metrics)
    larger = training.larger and replace(training.larger, draw=_tiny(training.larger), steps=6, first_steps=5)
    catches = training.catches[:1]
    return replace(training, steps=6, first_steps=5, metrics=metrics, catches=catches, larger=larger, seconds=120)


def _tiny(larger: Training) -> Callable[[np.random.Generator], tuple[Any, ...] | Drawn]:
    """Return how to draw the large run's arguments for a model and pieces that a CPU can hold; a secret stays as it is."""

    def draw(rng: np.random.Generator) -> tuple[Any, ...] | Drawn:
        drawn = larger.draw(rng)
        return replace(drawn, args=_few(drawn.args)) if isinstance(drawn, Drawn) else _few(drawn)

    return draw


def _few(args: tuple[Any, ...]) -> tuple[Any, ...]:
    (vocab, time, *_), _, half, seed, data, begun, uniforms, held_out, changed = args
    sizes = (vocab, time, 16, 2, 32, 1)
    return sizes, 2, half, seed, data, begun, uniforms[:, :20], held_out[:2], changed[:1]


def gpu_name() -> str:
    """Return what NVIDIA's driver calls the GPUs, its version and their memory; nothing where there is none."""
    asked = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def agreement(assignment: Assignment, scale: Scale) -> Iterator[Row]:
    """Yield how far each training's first losses and metrics on the device are from the CPU's."""
    here = on_device(assignment, CPU)
    texts = {a.name: f"{assignment.reference}\n{a.source}" for a in assignment.correct}
    drawn = {seed: KnownLosses(Oracle(assignment, seed)) for seed in scale.seeds}
    secret, jobs = ROOT / "solutions", scale.jobs
    with open_for(assignment, jobs, secret) as there, open_for(here, jobs, secret) as cpu:

        def row(training: Training, plain: Training, seed: int, name: str, text: str, known: Row) -> Row:
            losses = drawn[seed]
            whole = name == REFERENCE
            ran = run_of(losses, assignment, training, text, there, training.steps if whole else training.first_steps)
            own = figures(training, as_arrays(losses.args(training)), ran) if whole else {}
            told = {"training": training.exercise, "solution": name, "seed": seed}
            beside = {metric: [known.get(metric), value] for metric, value in own.items()}
            return {**told, **compared(training, ran, losses.first(plain)), "metrics": beside}

        def of_reference(training: Training, plain: Training, seed: int) -> Row:
            losses = drawn[seed]
            ran = run_of(losses, here, plain, assignment.reference, cpu, plain.steps)
            known = dict(figures(plain, as_arrays(losses.args(plain)), ran))
            return row(training, plain, seed, REFERENCE, assignment.reference, known)

        pairs = [*zip(assignment.trainings, here.trainings, strict=True)]
        calls: list[Callable[[], Row]] = []
        for seed in scale.seeds:
            calls += [partial(of_reference, *pair, seed) for pair in pairs]
            calls += [partial(row, *pair, seed, name, text, {}) for pair in pairs for name, text in texts.items()]
        yield from side_by_side(calls, jobs)


def promises(assignment: Assignment, scale: Scale) -> Iterator[Row]:
    """Yield what `doctor --training` proves on the device, which trainings share as they do there."""
    gpus = None if assignment.device == CPU else open_gpus((assignment.device,), scale.jobs)
    with open_for(assignment, scale.jobs, ROOT / "solutions") as sandbox:
        for proof in examine_trainings(assignment, sandbox, scale.jobs, scale.seeds, gpus):
            yield {"promise": f"{assignment.slug}, {proof.promise}", "broken": proof.broken, "holds": proof.holds}


def packing(assignment: Assignment, scale: Scale) -> Iterator[Row]:
    """Yield how long a class of correct submissions takes, no two the same, by how many may train at once.

    The last row holds if that many are FASTER times as fast as one after another, and a class of CLASS_SIZE takes an hour at most.
    """
    alone = 0.0
    numbers, oracle = itertools.count(), Oracle(assignment, 0)
    for at_once in scale.at_once:
        texts = [f"{assignment.reference}\n# {next(numbers)}\n" for _ in range(max(at_once, scale.fewest))]
        submissions = [Submission(f"s{i}", assignment.file, source_of(assignment, t)) for i, t in enumerate(texts)]
        gpus = None if assignment.device == CPU else open_gpus((assignment.device,), at_once)
        jobs = at_once + scale.jobs * bool(gpus)  # cases are graded while others train
        with open_for(assignment, jobs, ROOT / "solutions") as sandbox:
            began = time.monotonic()
            graded = list(grade_class(oracle, submissions, sandbox, jobs, gpus=gpus))
            seconds = time.monotonic() - began
        right = sum(each.result.all_passed for each in graded)
        row = {"at_once": at_once, "submissions": len(texts), "seconds": round(seconds, 1), "right": right}
        each = seconds / len(texts)
        alone = alone or each
        reached = at_once < MANY or (alone / each >= FASTER and CLASS_SIZE * each <= 3600)
        yield {**row, "holds": right == len(texts) and reached}


def hostile(assignment: Assignment, scale: Scale) -> Iterator[Row]:
    """Yield what comes of attacks in the middle of a training, and whether the device computes as before after each."""
    training = assignment.trainings[0]
    training = replace(training, steps=training.first_steps, seconds=scale.attack_seconds, metrics=())
    losses, trainer = KnownLosses(Oracle(assignment, 0)), Trainer(Oracle(assignment, 0))
    expected = losses.first(training)
    with open_for(assignment, 1, ROOT / "solutions") as sandbox:

        def answers() -> bool:
            ran = run_of(
                losses, assignment, replace(training, seconds=120), assignment.reference, sandbox, training.steps
            )
            return bool(compared(training, ran, expected)["holds"])

        for name, (body, statuses) in ATTACKS.items():
            text = f"{assignment.reference}\n\ndef lm_loss(logits, targets):\n    {body}\n"
            status = trainer.train(training, source_of(assignment, text), sandbox, Carried(("lm_loss",))).status
            after = answers()
            yield {"attack": name, "status": status, "answers_afterwards": after, "holds": after and status in statuses}
        request = losses.request(training, training.steps, training.device)
        job = Job(source_of(assignment, assignment.reference), (request,), assignment.limits, (), assignment.torch)
        job = replace(job, watch=lambda step, _: step >= 2, device=training.device, device_mb=training.device_mb)
        (killed,) = sandbox.run(job).outcomes
        after = answers()
        row = {"attack": "is killed by us in a step", "status": str(killed.ending), "answers_afterwards": after}
        yield {**row, "holds": after and killed.ending is Ending.TIMEOUT}


if __name__ == "__main__":
    sys.exit(main())
