"""Grade one submission with otter and always leave a results file.

`otter run` leaves none where a notebook is damaged, where there are several files, or where it is killed. In otter's container
the zip's run_otter.py calls `grade_in`; anywhere else

    python -m autograder.integrations.otter_run autograder.zip SUBMISSION OUT

does what `otter run -a autograder.zip -o OUT SUBMISSION` does. Otter never gets an unreadable submission.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from autograder.classroom.whole_files import write_whole
from autograder.integrations.gradescope import nothing, results
from autograder.integrations.one_submission import handed_in, open_desk
from autograder.integrations.otter_judge import HANDED_IN
from autograder.submission.written_exercises import Stub

_MARGIN = 60  # seconds that otter itself may take
_OTTER = "import sys; from otter.run.run_autograder import main; main(sys.argv[1], otter_run=True, logo=False)"


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
