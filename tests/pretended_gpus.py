"""Pretended GPUs: trainings that say what they fill, a program `nvidia-smi` that adds it up, and GPUs that can be lost.

A training is a file in the folder of its GPU while it runs, named by its process, that holds how many MB it fills. A file
`lost` there is a GPU that answers no more.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PRETENDED = Path(__file__).with_name("pretended_device.py").read_text(encoding="utf-8")
TOTAL_MB, IDLE_MB = 1000, 10
SMI = """#!{python} -IS
import json, os, pathlib

def is_there(pid):
    try:
        os.kill(pid, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True

for index, name in enumerate(json.loads(pathlib.Path({home!r}, "kinds").read_text())):
    said = [(int(file.name), file.read_text()) for file in pathlib.Path({home!r}, f"cuda_{{index}}").glob("[0-9]*")]
    used = {idle} + sum(int(text) for pid, text in said if is_there(pid))
    print(f"{{index}}, GPU-{{index}}, {{name}}, {total}, {{used}}")
"""
HARNESS = """

import json
import os
import pathlib
import time

HOME, TOTAL_MB, IDLE_MB = pathlib.Path({home!r}), {total}, {idle}
VISIBLE = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")


def place_of(device):
    return HOME / ("cuda_" + VISIBLE[int(str(device).partition(":")[2] or 0)])


class Losable(Pretended):
    def named(self, device):
        if str(device) != "cpu" and not place_of(device).exists():
            raise RuntimeError("CUDA error: invalid device ordinal. CUDA kernel errors might be reported later")
        if str(device) != "cpu" and (place_of(device) / "lost").exists():
            raise RuntimeError("CUDA error: unspecified launch failure. CUDA kernel errors might be reported later")
        return super().named(device)


if os.environ.get("CUBLAS_WORKSPACE_CONFIG"):
    Losable().__enter__()


def note(**words):
    with (HOME / "log").open("a") as log:
        log.write(json.dumps(words) + "\\n")


def beside(folder):
    return sum(1 for _ in folder.glob("[0-9]*"))


def fit(student, report, steps, w, x, y, held_out, device="cpu"):
    # On a GPU beside as many others as are planned, if they come. The first training of all does not wait for others, and
    # none waits any more where some have met.
    if device == "cpu":
        return learn(student, report, steps, w, x, y, held_out, device)
    plan, first = json.loads((HOME / "plan").read_text()), not (HOME / "log").exists()
    folder, met = place_of(device), place_of(device) / "met"
    mine = folder / str(os.getpid())
    written = folder / f"of_{{os.getpid()}}"
    written.write_text(str(getattr(student, "FILLS", plan["fills"])))
    written.rename(mine)  # whole at once: another that counts its megabytes never meets it empty
    try:
        until, most = time.monotonic() + plan["patience"], beside(folder)
        while not (first or steps <= 20 or most >= plan["meets"] or met.exists() or time.monotonic() > until):
            time.sleep(0.01)
            most = max(most, beside(folder))
        if most >= plan["meets"]:
            met.touch()
        used = IDLE_MB + sum(int(file.read_text()) for file in folder.glob("[0-9]*"))
        note(device=device, gpu=folder.name, beside=most, used=used, name=getattr(student, "NAME", ""))
        time.sleep(plan["seconds"])
        if used > TOTAL_MB:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")  # what a GPU raises, by its class
        if getattr(student, "BREAKS", False) or (plan["loses"] == folder.name and not first):
            (folder / "lost").touch()
        return learn(student, report, steps, w, x, y, held_out, device)
    finally:
        mine.unlink()


def learn(student, report, steps, w, x, y, held_out, device):
    import torch

    losses = []
    for step in range(steps):
        error = student.predict(w, x) - y
        losses.append(torch.tensor((error**2).mean() / 2, device=device))
        report(step, losses[-1].item())
        w = w - 0.1 * student.gradient(w, x, y)
    return {{"losses": torch.stack(losses), "values": torch.from_numpy(student.predict(w, held_out)).to(device)}}
"""


@dataclass(frozen=True)
class Gpus:
    """A machine's pretended GPUs, by their folder."""

    home: Path

    @property
    def tools(self) -> Path:
        """The folder of its `nvidia-smi`, for PATH."""
        return self.home / "bin"

    def log(self) -> list[dict[str, Any]]:
        """Return what trainings noted: their device, how many ran there, and how much they filled together."""
        return [json.loads(line) for line in (self.home / "log").read_text(encoding="utf-8").splitlines()]

    def forget(self) -> None:
        """Begin a new log, with all GPUs there."""
        for path in (*self.home.glob("log"), *self.home.glob("cuda_*/lost"), *self.home.glob("cuda_*/met")):
            path.unlink()

    def harness(self) -> str:
        """Return the harness of the tiny course's line, for these GPUs."""
        return PRETENDED + HARNESS.format(home=str(self.home), total=TOTAL_MB, idle=IDLE_MB)

    def be_of(self, kinds: Sequence[str]) -> None:
        """Have `nvidia-smi` say of what kind each is."""
        (self.home / "kinds").write_text(json.dumps(list(kinds)), encoding="utf-8")

    def plan(
        self, *, fills: int, meets: int = 1, patience: float = 20.0, seconds: float = 0.8, loses: str = ""
    ) -> None:
        """Say what a training fills, with how many it runs before it goes on, for how long, and which GPU is lost."""
        words = {"fills": fills, "meets": meets, "patience": patience, "seconds": seconds, "loses": loses}
        (self.home / "plan").write_text(json.dumps(words), encoding="utf-8")


def make_gpus(home: Path, names: Sequence[str]) -> Gpus:
    """Make a machine's GPUs, of the kinds that are named."""
    made = Gpus(home)
    for index in range(len(names)):
        (home / f"cuda_{index}").mkdir(parents=True)
    made.tools.mkdir()
    smi = made.tools / "nvidia-smi"
    made.be_of(names)
    text = SMI.format(python=sys.executable, home=str(home), total=TOTAL_MB, idle=IDLE_MB)
    smi.write_text(text, encoding="utf-8")
    smi.chmod(0o755)
    return made
