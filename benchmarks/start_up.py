"""What a command takes before it has done anything: a cold `check` beside the imports that it needs, and `--help`.

All take turns, so that whatever else the machine does falls on all alike. Of each the least CPU time counts, which is the one
with the fewest interruptions; Python writes its bytecode in a first round that is not counted.

    python benchmarks/start_up.py
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.course.catalog import load_assignment
from autograder.handout.handout import handout_files, write_files
from autograder.handout.public_data import public_oracle

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
BESIDE = {  # what each is compared with
    "check of a7_transformer": "import torch",
    "check of a5_attention": "import numpy",
    "autograder --help": "import typer",
}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    rounds = parser.parse_args().rounds
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start\n")
    with tempfile.TemporaryDirectory() as name:
        commands = _commands(Path(name))
        for command in commands.values():
            _cpu(*command)
        every = [{what: _cpu(*commands[what]) for what in commands} for _ in range(rounds)]
    took = {what: min(each[what] for each in every) for what in commands}
    print("| cold | CPU, seconds | beside |\n|---|---|---|")
    for what, beside in BESIDE.items():
        print(f"| `{what}` | {took[what]:.2f} | {took[what] / took[beside]:.2f} times `{beside}`, {took[beside]:.2f} |")


def _commands(folder: Path) -> dict[str, tuple[list[str], Path]]:
    """Return the command of each, with the folder to run it in; a check gets the reference."""
    found: dict[str, tuple[list[str], Path]] = {}
    for what, beside in BESIDE.items():
        found[beside] = [sys.executable, "-c", beside], folder
        found[what] = [sys.executable, "-m", *what.split()], folder
        if what.startswith("check of "):
            assignment = load_assignment(ROOT, what.split()[-1])
            home = folder / assignment.slug
            write_files(handout_files(ROOT, public_oracle(assignment)), home)
            (home / assignment.file).write_text(assignment.reference)
            found[what] = [sys.executable, "check.py"], home
    return found


def _cpu(command: list[str], folder: Path) -> float:
    """Return the CPU seconds of a command and of all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
