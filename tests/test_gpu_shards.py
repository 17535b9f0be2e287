"""Parts of a class that jobs train on a GPU each, as Slurm gives them with --gres, and how they become one class."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from pretended_gpus import Gpus, make_gpus
from test_packing import ALIKE, course_on, graded, trained, write_class
from typer.testing import CliRunner

from autograder.classroom.shards import parse_shard
from autograder.classroom.submissions import Submission
from autograder.cli import app

pytestmark = pytest.mark.usefixtures("forked_preloaders")
ROOT = Path(__file__).parents[1]
STUDENTS = ["ada", "bob", "eve", "ida"]


@pytest.fixture
def gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gpus:
    """Return two pretended GPUs of one kind."""
    made = make_gpus(tmp_path / "gpus", ALIKE)
    monkeypatch.setenv("PATH", f"{made.tools}{os.pathsep}{os.environ['PATH']}")
    made.plan(fills=220)
    return made


@pytest.fixture
def course(course_copy: Path, gpus: Gpus) -> Path:
    """Return a course with a class of which each of two parts has some."""
    write_class(course_on(course_copy, gpus), **dict.fromkeys(STUDENTS, ""))
    parts = [parse_shard(f"{n}/2").of(Submission(s, "line.py", None) for s in STUDENTS) for n in (1, 2)]
    assert all(parts)
    return course_copy


def in_jobs(course: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Grade two parts as a job array does, each of which sees its own GPU."""
    done = []
    for job in (1, 2):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", str(job - 1))  # what Slurm sets for --gres=gpu:1
        part = str(course.parent / "parts" / str(job))
        done.append(graded(course, *("-o", part), *("--device", "cuda"), *("--seed", "8124"), *("--shard", f"{job}/2")))
    return done


def merged(course: Path) -> Any:
    """Merge the parts."""
    parts = [str(course.parent / "parts" / str(job)) for job in (1, 2)]
    return CliRunner().invoke(app, ["merge", *parts, "-o", str(course.parent / "out"), "--course", str(course)])


def test_jobs_train_on_their_own_gpu_and_become_one_class(
    course: Path, gpus: Gpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part says cuda, which is another GPU in each."""
    assert [done.exit_code for done in in_jobs(course, monkeypatch)] == [0, 0]
    assert {(entry["device"], entry["gpu"]) for entry in gpus.log()} == {("cuda", "cuda_0"), ("cuda", "cuda_1")}
    whole = merged(course)
    assert whole.exit_code == 0, whole.output
    found = [trained(course, student) for student in STUDENTS]
    assert [(entry["score"], entry["device"]) for entry in found] == [(3, "cuda")] * 4


def test_parts_on_gpus_of_two_kinds_are_no_class(course: Path, gpus: Gpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """No grade may depend on which of them a job was given."""
    gpus.be_of(["NVIDIA A100-SXM4-40GB", "Tesla T4"])
    in_jobs(course, monkeypatch)
    refused = merged(course)
    assert refused.exit_code == 2, refused.output
    assert "differ in gpu" in " ".join(refused.output.split())


def test_the_job_that_the_docs_show_takes_what_the_command_takes() -> None:
    """With the options that are added for GPUs; a job that Slurm starts has no one to read an error."""
    page = (ROOT / "docs" / "many-machines.md").read_text(encoding="utf-8")
    script = re.search(r"```bash\n(#!/bin/bash\n#SBATCH .*?)```", page, re.DOTALL)
    assert script
    assert "--gres=gpu:" in page
    command = script[1].replace("\\\n", " ").splitlines()[-1]
    words = [word for word in shlex.split(command) if word.startswith("--")]
    told = CliRunner().invoke(app, ["grade", "--help"], env={"COLUMNS": "200"}).output
    assert {"--shard", "--seed", "--jobs"} <= set(words)
    assert not [word for word in (*words, "--device", "--resources", "--cluster") if word not in told]
