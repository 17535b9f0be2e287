"""Trainings that share GPUs: how many at a time, which first, what a lost GPU costs, and that no grade depends on any of it."""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pretended_gpus import TOTAL_MB, Gpus, make_gpus
from test_device import edit
from typer.testing import CliRunner

from autograder.cli import app
from autograder.oracle import gpus as oracle_gpus
from autograder.proof import trainings
from autograder.sandbox.gpu_watch import WatchedChild
from autograder.sandbox.job import Ending

pytestmark = pytest.mark.usefixtures("forked_preloaders")
SECONDS = 0.4  # that a training takes: several times what lies between two looks at the memory
ALIKE = ["NVIDIA H100 80GB HBM3"] * 2


def course_on(course: Path, gpus: Gpus) -> Path:
    """Have a copy of the tiny course learn its line on pretended GPUs."""
    harness = course / "assignments" / "t3_learning" / "training.py"
    harness.write_text(gpus.harness(), encoding="utf-8")
    edit(harness.with_name("assignment.toml"), 'file = "line.py"', 'file = "line.py"\ntorch = true')
    edit(course / "solutions" / "t3_learning" / "training.py", "seconds=5", "seconds=60")  # it imports torch
    return course


def write_class(course: Path, **texts: str) -> Path:
    """Write a class that hands in the reference, each with a few lines of its own."""
    folder = course.parent / "class"
    folder.mkdir()
    reference = (course / "solutions" / "t3_learning" / "line.py").read_text(encoding="utf-8")
    for student, text in texts.items():
        (folder / f"{student}.py").write_text(f"{reference}\nNAME = {student!r}\n{text}\n", encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a GPU's memory measured often, so that trainings may be short."""
    monkeypatch.setattr(oracle_gpus, "Gpus", functools.partial(oracle_gpus.Gpus, look_seconds=0.1))


@pytest.fixture
def gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gpus:
    """Return two pretended GPUs of one kind, whose memory `nvidia-smi` tells."""
    made = make_gpus(tmp_path / "gpus", ALIKE)
    monkeypatch.setenv("PATH", f"{made.tools}{os.pathsep}{os.environ['PATH']}")
    return made


def graded(course: Path, *words: str) -> Any:
    """Grade the class."""
    told = ["grade", "t3_learning", str(course.parent / "class"), "-o", str(course.parent / "out")]
    return CliRunner().invoke(app, [*told, "--course", str(course), "--accept-unsandboxed", *words])


def trained(course: Path, student: str) -> Any:
    """Return a student's result for the exercise that is trained."""
    path = course.parent / "out" / "results" / f"{student}.json"
    return json.loads(path.read_text(encoding="utf-8"))["exercises"][-1]


def test_a_class_shares_the_gpus_that_are_named(course_copy: Path, gpus: Gpus) -> None:
    """The first training runs alone; then as many run at a time as their measured memory lets, on both, and no more."""
    course = course_on(course_copy, gpus)
    students = [f"s{number}" for number in range(6)]
    write_class(course, **dict.fromkeys(students, ""))
    gpus.plan(fills=220, meets=3, seconds=SECONDS)
    done = graded(course, "--gpus", "0,1", "--jobs", "6")
    assert done.exit_code == 0, done.output
    assert [(e["score"], e["device"]) for e in (trained(course, student) for student in students)] == [(3, "cuda")] * 6
    first, *others = gpus.log()
    assert (first["beside"], first["name"]) == (1, "")
    assert Counter(other["name"] for other in others) == Counter(students)
    assert {other["device"] for other in others} == {"cuda:0", "cuda:1"}
    assert max(other["beside"] for other in others) == 3
    assert max(other["used"] for other in others) <= TOTAL_MB


def test_kinds_of_gpus_are_not_mixed(course_copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No grade may depend on which of two kinds it was computed; both are named, and nothing is graded."""
    mixed = make_gpus(tmp_path / "gpus", ["NVIDIA A100-SXM4-40GB", "Tesla T4"])
    monkeypatch.setenv("PATH", f"{mixed.tools}{os.pathsep}{os.environ['PATH']}")
    course = course_on(course_copy, mixed)
    write_class(course, ada="")
    mixed.plan(fills=250, seconds=SECONDS)
    done = graded(course, "--gpus", "0,1")
    assert done.exit_code == 2
    assert "cuda:0 is a NVIDIA A100-SXM4-40GB and cuda:1 a Tesla T4" in done.output
    assert "Use GPUs of one kind" in done.output
    assert not (mixed.home / "log").exists()
    assert graded(course, "--gpus", "1").exit_code == 0
    assert {entry["device"] for entry in mixed.log()} == {"cuda:1"}
    later = graded(course, "--gpus", "0", "--regrade", "train_line")
    assert later.exit_code == 2
    assert "This class was trained on a Tesla T4, and cuda:0 is a NVIDIA A100-SXM4-40GB" in later.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--gpus", "0,x"), "'0,x' names no GPUs. Write their numbers: --gpus 0,1"),
        (("--gpus", "0,0"), "names cuda:0 twice"),
        (("--gpus", "0,1", "--device", "cuda"), "Say --device for one device, or --gpus"),
        (("--gpus", "0,1", "--cluster", "tcp://127.0.0.1:1"), "each worker of a cluster"),
        (("--gpus", "0,7"), "--gpus 0,7: There is no device cuda:7"),
    ],
)
def test_gpus_that_cannot_be_meant_are_refused(
    course_copy: Path, gpus: Gpus, words: tuple[str, ...], said: str
) -> None:
    """The message says which, and what to write."""
    course = course_on(course_copy, gpus)
    write_class(course, ada="")
    gpus.plan(fills=250, seconds=SECONDS)
    done = graded(course, *words)
    assert done.exit_code == 2
    assert said in done.output


def test_a_lost_gpu_costs_nobody_a_point(course_copy: Path, gpus: Gpus) -> None:
    """What ran there runs again on the other, and a line says so once."""
    course = course_on(course_copy, gpus)
    students = [f"s{number}" for number in range(6)]
    write_class(course, **dict.fromkeys(students, ""))
    gpus.plan(fills=250, meets=2, patience=2.0, seconds=SECONDS, loses="cuda_1")
    done = graded(course, "--gpus", "0,1", "--jobs", "6")
    assert done.exit_code == 0, done.output
    assert [trained(course, student)["score"] for student in students] == [3] * 6
    assert done.output.count("cuda:1 is lost (CUDA error: unspecified launch failure)") == 1
    assert done.output.count("What ran there is trained again on cuda:0.") == 1
    assert done.output.count("cuda:1") == 1, done.output


def test_where_a_killed_process_stays_nothing_more_is_trained(
    course_copy: Path, gpus: Gpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a GPU is lost as one that does not compute is: what ran there runs on another, and code that crashes has crashed."""
    obituary = WatchedChild.obituary

    def stay(child: WatchedChild) -> tuple[Ending, str]:
        child._watch.held_on.update([] if child._watch.held_on else [child._device])
        return obituary(child)

    monkeypatch.setattr(WatchedChild, "obituary", stay)
    course = course_on(course_copy, gpus)
    students = [f"s{number}" for number in range(4)]
    write_class(course, **dict.fromkeys(students, ""), adele="def gradient(w, x, y):\n    import os\n    os._exit(3)\n")
    gpus.plan(fills=250, patience=0.0, seconds=0.0)
    done = graded(course, "--gpus", "0,1", "--jobs", "1")
    assert [trained(course, student)["score"] for student in students] == [3] * 4, done.output
    assert trained(course, "adele")["status"] == "CRASHED"
    assert done.output.count("a process that was killed there did not end") == 1


def test_where_every_gpu_is_lost_trainings_wait_for_the_next_run(course_copy: Path, gpus: Gpus) -> None:
    """They are the grader's failure, said with the reason; other exercises are graded, and the next run does the rest."""
    course = course_on(course_copy, gpus)
    write_class(course, ada="", bob="")
    gpus.plan(fills=250, seconds=SECONDS, loses="cuda_0")
    done = graded(course, "--gpus", "0", "--jobs", "2")
    assert done.exit_code == 1, done.output
    for student in ("ada", "bob"):
        entry = trained(course, student)
        assert {case["status"] for case in entry["cases"]} == {"GRADER_ERROR"}
        assert "every GPU is lost" in entry["cases"][0]["message"]
    results = json.loads((course.parent / "out" / "results" / "ada.json").read_text(encoding="utf-8"))
    assert results["exercises"][0]["score"] == 1
    gpus.plan(fills=250, seconds=SECONDS)
    gpus.forget()
    assert graded(course, "--gpus", "0").exit_code == 0
    assert [trained(course, student)["score"] for student in ("ada", "bob")] == [3, 3]


def test_code_that_breaks_gpus_takes_two_and_no_classmate(
    course_copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ran on a lost GPU runs alone on another; what is alone when that is lost, too, is tried no more."""
    three = make_gpus(tmp_path / "gpus", ALIKE * 2)
    monkeypatch.setenv("PATH", f"{three.tools}{os.pathsep}{os.environ['PATH']}")
    course = course_on(course_copy, three)
    students = [f"s{number}" for number in range(5)]
    write_class(course, **dict.fromkeys(students, ""), eve="BREAKS = True")
    three.plan(fills=250, seconds=SECONDS)
    done = graded(course, "--gpus", "0,1,2", "--jobs", "6")
    assert done.exit_code == 1, done.output
    assert [trained(course, student)["score"] for student in students] == [3] * 5
    assert {case["status"] for case in trained(course, "eve")["cases"]} == {"GRADER_ERROR"}
    assert len(list(three.home.glob("cuda_*/lost"))) == 2


def test_running_out_of_memory_beside_others_is_no_verdict(course_copy: Path, gpus: Gpus) -> None:
    """Students whose models fill more than the reference's did are trained again, each alone, and lose nothing."""
    course = course_on(course_copy, gpus)
    students = [f"s{number}" for number in range(3)]
    write_class(course, **dict.fromkeys(students, "FILLS = 350"))
    gpus.plan(fills=200, meets=3, patience=3.0, seconds=SECONDS)
    done = graded(course, "--gpus", "0", "--jobs", "3")
    assert done.exit_code == 0, done.output
    assert [trained(course, student)["score"] for student in students] == [3] * 3
    assert [entry["used"] > TOTAL_MB for entry in gpus.log()].count(True) == 3


def test_a_doctor_trains_on_a_gpu(course_copy: Path, gpus: Gpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its trainings share it as a class's do: where two do not fit, none is beside another, and the promises hold."""
    course = course_on(course_copy, gpus)
    gpus.plan(fills=600, meets=2, patience=0.2, seconds=SECONDS)
    whole = trainings.examine_trainings

    def at_two_seeds(*words: Any, **more: Any) -> Any:
        assignment, sandbox, jobs, seeds, *others = words
        return whole(assignment, sandbox, jobs, seeds[:2], *others, **more)

    monkeypatch.setattr(trainings, "examine_trainings", at_two_seeds)
    told = ["doctor", "t3_learning", "--training", "--device", "cuda", "--jobs", "2", "--json", "--course", str(course)]
    done = CliRunner().invoke(app, told)
    proofs = [proof for proof in json.loads(done.stdout)["t3_learning"] if proof["promise"].startswith("train_line")]
    assert len(proofs) == 3
    assert not [proof["broken"] for proof in proofs if proof["broken"]]
    assert {entry["device"] for entry in gpus.log()} == {"cuda"}
    assert max(entry["used"] for entry in gpus.log()) <= TOTAL_MB


def test_without_a_measure_trainings_run_one_at_a_time(
    course_copy: Path, gpus: Gpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is packed by guess, and a line says why. What two hand in alike is trained once."""
    (gpus.tools / "nvidia-smi").unlink()
    course = course_on(course_copy, gpus)
    folder = write_class(course, ada="", bob="")
    shutil.copy(folder / "ada.py", folder / "eve.py")
    gpus.plan(fills=100, meets=2, patience=0.5, seconds=SECONDS)
    done = graded(course, "--device", "cuda", "--jobs", "3")
    assert done.exit_code == 0, done.output
    assert max(entry["beside"] for entry in gpus.log()) == 1
    assert sorted(entry["name"] for entry in gpus.log()) == ["", "ada", "bob"]
    assert trained(course, "eve")["score"] == 3
    assert "nvidia-smi" in done.output
    monkeypatch.delenv("PATH")
    refused = graded(course, "--gpus", "0,1")
    assert refused.exit_code == 2
    assert "what kind they are is not known" in refused.output
