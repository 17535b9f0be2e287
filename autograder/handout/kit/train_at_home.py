"""Train at home what a grading trains: the assignment's own training.py as a program, on a student's code as it is graded."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from autograder.judge import tensors_made
from autograder.judge.messages import explain_trouble
from autograder.judge.picture import Lines, losses_picture
from autograder.judge.stray_tensors import explain_devices, strays_in
from autograder.sandbox.child.program import Program, describe
from autograder.sandbox.job import Frame, Source, Trouble


def train_at_home(source: Source, module: str, harness: Path, device: str) -> Lines | None:
    """Run a training.py on a student's code, under the name that it imports, and let it print.

    Return the losses that it leaves as `curves`, or None where the code breaks, after its lines are shown. A device that is
    not there ends the program.
    """
    program = Program(module, source.notebook)
    before, namesake = sys.argv, sys.modules.get(module)
    sys.argv = [str(harness), "--device", device]
    try:
        program.load([(chunk.label, chunk.text) for chunk in source.chunks])
        return losses_picture(runpy.run_path(str(harness), run_name="__main__").get("curves", {}))
    except Exception as error:  # noqa: BLE001 (it is the student's code)
        told = describe(error, program.texts)
        trouble = Trouble(told["type"], told["text"], tuple(Frame(*frame) for frame in told["frames"]))
        found = tensors_made.read([(chunk.label, chunk.text.encode()) for chunk in source.chunks])
        devices = explain_devices(trouble, tuple(strays_in(found)))
        print(*filter(None, [devices, explain_trouble(trouble, source).text]), sep="\n", file=sys.stderr)
        return None
    finally:
        sys.argv = before
        del sys.modules[module]
        if namesake:
            sys.modules[module] = namesake
