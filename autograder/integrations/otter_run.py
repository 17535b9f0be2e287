"""Grade one submission with otter, with no student code in otter's kernel, and always leave a results file.

`otter run` leaves none where a notebook is damaged, where there are several files, or where it is killed. In otter's container
the zip's run_otter.py calls `grade_in`; anywhere else

    python -m autograder.integrations.otter_run autograder.zip SUBMISSION OUT

does what `otter run -a autograder.zip -o OUT SUBMISSION` does. Otter never gets an unreadable submission.

Otter unpickles a submission's log and starts a kernel in its folder. Before that it calls `Judge`, a plugin, which is any class
with these methods; otter is not imported here. The judge runs the submission at the desk in the zip, in a process and a sandbox
of its own. It then empties the folder and leaves otter's tests, an empty submission and the verdicts. The tests in the kernel
read the verdicts, so otter still decides on points and visibility.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.classroom.whole_files import write_whole
from autograder.integrations.gradescope import nothing, results
from autograder.integrations.one_submission import handed_in, open_desk, read_settings
from autograder.submission.written_exercises import Stub

_MARGIN = 60  # seconds that otter itself may take
_OTTER = "import sys; from otter.run.run_autograder import main; main(sys.argv[1], otter_run=True, logo=False)"
HANDED_IN = "handed_in"  # beside submission/: where `otter_run` moves the submission
_CHECK = Path(__file__).resolve().parent / "templates" / "otter" / "check.py.txt"
_EMPTY = {
    ".py": "",
    ".ipynb": json.dumps(
        {
            "cells": [],
            "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ),
}


def grade_in(root: str) -> None:
    """Grade the submission in a container's submission/ and write results/results.json."""
    home = Path(root)
    answer = home / "results" / "results.json"
    write_whole(answer, json.dumps(nothing()))
    desk = open_desk(home / "source" / "files" / "desk")
    submission = handed_in(home / "submission", Stub.of(desk.assignment))
    if submission.source is None:
        write_whole(answer, json.dumps(results(desk.judge(submission), desk.weights(), desk.settings.hidden), indent=1))
        return
    (home / "submission").rename(home / HANDED_IN)
    (home / "submission").mkdir()
    shown = (
        home / "submission" / f"{Path(desk.assignment.file).stem}.py"
    )  # otter needs a file; the judge reads the one that was moved
    shown.touch()
    seconds = desk.settings.seconds + _MARGIN
    try:
        subprocess.run([sys.executable, "-c", _OTTER, str(home.resolve())], check=False, timeout=seconds, cwd=home)
    except subprocess.TimeoutExpired:
        print(f"otter was stopped after {seconds} s")


class Judge:
    """The plugin that otter calls."""

    def __init__(self, submission_path: str, submission_metadata: object, plugin_config: object) -> None:
        del submission_metadata, plugin_config
        self._path = Path(submission_path)
        self._told = ""

    def before_grading(self, config: object) -> None:
        """Judge the submission and replace it by the verdicts."""
        del config
        folder = self._path.parent
        source = folder.parent / "source"
        apart = folder.parent / HANDED_IN
        entry = ask(source / "files" / "desk", apart if apart.is_dir() else self._path)
        self._told = "\n".join(filter(None, [entry["problem"], *entry["notes"]]))
        self._empty(source / "tests")
        (folder / "verdicts.json").write_text(json.dumps(verdicts(entry)), encoding="utf-8")
        (folder / "check.py").write_bytes(_CHECK.read_bytes())

    def after_grading(self, results: Any) -> None:
        """Add the problem of the submission as a whole, if it has one, to otter's output."""
        if self._told:
            results.set_output(self._told)

    def _empty(self, tests: Path) -> None:
        """Leave an empty submission of the same name and otter's own tests."""
        folder = self._path.parent
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        self._path.write_text(_EMPTY[self._path.suffix], encoding="utf-8")
        shutil.copytree(tests, folder / "tests")


def ask(desk: Path, submission: Path) -> Mapping[str, Any]:
    """Return the record of a submission, judged in another process, or one without verdicts where that fails."""
    seconds = read_settings(desk).seconds
    with tempfile.TemporaryDirectory() as name:
        answer = Path(name) / "record.json"
        command = [
            sys.executable,
            "-P",
            "-m",
            "autograder.integrations.one_submission",
            str(desk),
            str(submission),
            str(answer),
        ]
        try:
            subprocess.run(command, check=True, timeout=seconds, capture_output=True)
            entry: Mapping[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        except subprocess.TimeoutExpired:
            return _nothing(f"The autograder was stopped after {seconds} s.")
        except subprocess.CalledProcessError as error:
            print(error.stderr.decode(errors="replace"), file=sys.stderr)
            return _nothing("The autograder failed.")
    return entry


def _nothing(why: str) -> Mapping[str, Any]:
    return {
        "problem": f"{why} Nothing is wrong with what you handed in; tell your instructor.",
        "notes": [],
        "exercises": [],
    }


def verdicts(entry: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the status and the student's message of each case."""
    return {
        f"{exercise['name']}.{case['name']}": (
            case["status"],
            "\n".join(filter(None, [f"→ {case['says']}" if case["says"] else "", case["claim"], case["message"]])),
        )
        for exercise in entry["exercises"]
        for case in exercise["cases"]
    }


def main() -> None:
    """Do as `otter run` does: `python -m autograder.integrations.otter_run autograder.zip SUBMISSION OUT`."""
    archive, submission, out = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "autograder"
        for part in ("source", "submission", "results"):
            (root / part).mkdir(parents=True)
        (root / "submission_metadata.json").write_text("{}", encoding="utf-8")
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(root / "source")  # our own zip
        shutil.copy(submission, root / "submission")
        grade_in(str(root))
        out.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / "results" / "results.json", out)


if __name__ == "__main__":
    main()
