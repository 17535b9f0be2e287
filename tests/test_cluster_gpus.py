"""Trainings on the GPUs of a cluster: each worker packs its own, one that loses it grades no more, and kinds are not mixed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pretended_gpus import Gpus, make_gpus
from test_cluster import Cluster
from test_packing import ALIKE, course_on, graded, trained, write_class

from autograder.classroom import cluster as cluster_module
from autograder.classroom.cluster import connected

PRELOAD = Path(__file__).with_name("forked_in_workers.py")
WORKER = (
    *("--nworkers", "1", "--nthreads", "2", "--no-dashboard", "--death-timeout", "60", "--resources", "GPU=1"),
    *("--preload", PRELOAD.stem),
)
STUDENTS = [f"s{number}" for number in range(4)]


@pytest.fixture(scope="module")
def gpus(tmp_path_factory: pytest.TempPathFactory) -> Gpus:
    """Return two pretended GPUs."""
    return make_gpus(tmp_path_factory.mktemp("machine") / "gpus", ALIKE)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, gpus: Gpus) -> Iterator[str]:
    """Return the scheduler of two workers with a GPU each."""
    path = f"{gpus.tools}{os.pathsep}{os.environ['PATH']}"
    found = {"PATH": path, "PYTHONPATH": str(PRELOAD.parent)}
    own = [{**found, "CUDA_VISIBLE_DEVICES": str(number)} for number in (0, 1)]
    cluster = Cluster(tmp_path_factory.mktemp("cluster"), WORKER, own)
    try:
        with connected(cluster.address(), 60) as client:
            client.wait_for_workers(2, timeout=60)
        yield cluster.address()
    finally:
        cluster.close()


@pytest.fixture
def course(course_copy: Path, gpus: Gpus, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a course with a class of four, in tasks of two."""
    monkeypatch.setattr(cluster_module, "LEAST", 2)
    monkeypatch.setattr(cluster_module, "MOST", 2)
    gpus.forget()
    gpus.be_of(ALIKE)
    write_class(course_on(course_copy, gpus), **dict.fromkeys(STUDENTS, ""))
    return course_copy


def on_cluster(course: Path, address: str, *words: str) -> Any:
    """Grade the class on workers with a GPU."""
    return graded(course, "--device", "cuda", "--cluster", address, "--resources", "GPU=1", *words)


def test_each_worker_packs_its_gpu(course: Path, gpus: Gpus, address: str) -> None:
    """One task is sent to it at a time, and its threads train what is in that beside each other."""
    gpus.plan(fills=250, meets=2)
    done = on_cluster(course, address)
    assert done.exit_code == 0, done.output
    found = [trained(course, student) for student in STUDENTS]
    assert [(entry["score"], entry["device"]) for entry in found] == [(3, "cuda")] * 4
    assert {entry["gpu"] for entry in gpus.log()} == {"cuda_0", "cuda_1"}
    assert {entry["beside"] for entry in gpus.log() if entry["name"]} == {2}


def test_gpus_of_workers_are_of_one_kind(course: Path, gpus: Gpus, address: str) -> None:
    """Where they are not, the run ends before a second kind gives anyone points, and both are named."""
    gpus.be_of(["NVIDIA A100-SXM4-40GB", "Tesla T4"])
    gpus.plan(fills=250, patience=0)
    done = on_cluster(course, address)
    assert done.exit_code == 2, done.output
    assert "a Tesla T4" in done.output
    assert "a NVIDIA A100-SXM4-40GB" in done.output
    assert "Use GPUs of one kind" in done.output


def test_a_worker_that_loses_its_gpu_loses_no_training(course: Path, gpus: Gpus, address: str) -> None:
    """What it had is trained by the others, and a line says so."""
    gpus.plan(fills=250, patience=0, loses="cuda_1")
    done = on_cluster(course, address)
    assert done.exit_code == 0, done.output
    assert [trained(course, student)["score"] for student in STUDENTS] == [3] * 4
    told = "gets no more work, since cuda (CUDA error: unspecified launch failure) is lost"
    assert " ".join(done.output.split()).count(told) == 1


def test_a_class_stays_on_the_kind_that_a_cluster_trained_it_on(course: Path, gpus: Gpus, address: str) -> None:
    """The gradebook keeps it, so that a later run on another kind is refused before it gives anyone points."""
    gpus.plan(fills=250, patience=0)
    assert on_cluster(course, address).exit_code == 0
    before = [trained(course, student) for student in STUDENTS]
    gpus.be_of(["Tesla T4"] * 2)
    later = on_cluster(course, address, "--regrade", "train_line")
    assert later.exit_code == 2, later.output
    told = " ".join(later.output.split())
    assert f"This class was trained on a {ALIKE[0]}, and the GPU at tcp://" in told
    assert "is a Tesla T4" in told
    gpus.be_of(ALIKE)
    assert on_cluster(course, address).exit_code == 0
    assert [trained(course, student)["score"] for student in STUDENTS] == [entry["score"] for entry in before]
