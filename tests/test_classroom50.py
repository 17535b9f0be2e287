"""Classroom 50's runner calls our autograder.py in a student's checkout and reads what it leaves there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.course.spec import Assignment, Visibility
from tests.conftest import COURSE, SLUG, Cli

GIT = ["git", "-c", "user.name=ada", "-c", "user.email=ada@example.org"]
URL = "https://github.com/cs1/cs1-means-ada"
GIVEN = {
    "CLASSROOM": "cs1",
    "ASSIGNMENT": "means",
    "USERNAME": "ada",
    "SUBMISSION_TAG": "submit/2026-09-01T12-00-00Z-a1b2c3d",
    "COMMIT_URL": f"{URL}/commit/a1b2c3d",
    "RELEASE_URL": f"{URL}/releases/tag/submit",
}


@pytest.fixture
def folder(cli: Cli, tmp_path: Path) -> Path:
    """Return the folder that the command makes."""
    code, out, err = cli("classroom50", SLUG, "-o", tmp_path / "dist", "--course", COURSE)
    assert (code, err) == (0, "")
    assert Path(out.strip()) == tmp_path / "dist" / f"{SLUG}-classroom50"
    assert cli("classroom50", SLUG, "-o", tmp_path / "dist", "--course", COURSE)[0] == 2  # it is not overwritten
    return tmp_path / "dist" / f"{SLUG}-classroom50"


def _pushed(folder: Path, checkout: Path, files: dict[str, str]) -> tuple[dict[str, Any], str]:
    """Run the folder's program in a checkout with these files, as the runner does; return what it reads."""
    checkout.mkdir()
    for name, text in files.items():
        (checkout / name).write_text(text, encoding="utf-8")
    day = {"GIT_COMMITTER_DATE": "2026-09-01T14:00:00+0200"}
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "--allow-empty", "-m", "done"]):
        subprocess.run([*GIT, *words], cwd=checkout, env={**os.environ, **day}, check=True)
    program = [sys.executable, str(folder / "autograder.py")]
    subprocess.run(program, cwd=checkout, env={**os.environ, **GIVEN, "PIP_NO_INDEX": "1"}, check=True)
    told = (checkout / "release-body.md").read_text(encoding="utf-8")
    return json.loads((checkout / "result.json").read_text(encoding="utf-8")), told


def test_every_public_case_is_a_test(folder: Path, assignment: Assignment, tmp_path: Path) -> None:
    """Scores are whole numbers, and the moment is that of the commit."""
    result, told = _pushed(folder, tmp_path / "right", {assignment.file: assignment.reference})
    public = [f"{c.exercise}.{c.name}" for c in assignment.cases if c.visibility is Visibility.PUBLIC]
    assert result["tests"] == [{"test-name": name, "passed": True, "score": 1, "max-score": 1} for name in public]
    assert (result["score"], result["max-score"]) == (len(public), len(public))
    assert (result["schema"], result["classroom"], result["assignment"]) == ("classroom50/result/v1", "cs1", "means")
    assert (result["submission"], result["review"]) == (GIVEN["SUBMISSION_TAG"], GIVEN["COMMIT_URL"])
    assert result["datetime"] == "2026-09-01T12:00:00Z" < result["graded_at"]
    assert told.startswith(f"{len(public)} of {len(public)} public cases pass.")


def test_what_is_wrong_is_told_and_nothing_can_leave_its_block(
    folder: Path, assignment: Assignment, tmp_path: Path
) -> None:
    """The page of a release is Markdown, and what a student's code prints stands on it."""
    wrong = 'print("```\\n# Full marks")\n    return mean_square'
    text = assignment.reference.replace("return np.sqrt(mean_square)", wrong)
    result, told = _pushed(folder, tmp_path / "wrong", {assignment.file: text})
    assert 0 < result["score"] < result["max-score"]
    fence = told.splitlines()[2].removesuffix("text")
    assert fence == "````" == told.splitlines()[-1]
    assert "# Full marks" in told
    assert "spread" in told


def test_a_checkout_without_the_file_has_no_points(folder: Path, assignment: Assignment, tmp_path: Path) -> None:
    """That is a result, and not a failure of the runner."""
    result, told = _pushed(folder, tmp_path / "empty", {"notes.txt": "not yet"})
    assert result["score"] == 0 < result["max-score"]
    assert assignment.file in told


def test_the_folder_holds_the_handout_alone(folder: Path) -> None:
    """Classroom 50 publishes it: no line of the reference, and no hidden case."""
    assert {path.name for path in folder.iterdir()} <= {
        "autograder.py",
        "engine",
        "requirements.txt",
        "LICENSE-CONTENT",
    }
    texts = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert any(b"row_means" in text for text in texts)
    assert not any(b"row_means(squares)" in text or b'"visibility": "hidden"' in text for text in texts)
