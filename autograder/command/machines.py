"""Where a class is graded: in sandboxes on this machine, or on the workers of a cluster."""

from __future__ import annotations

import functools
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.command.options import class_sandbox, fail, load_for_use
from autograder.course.places import secret_folder
from autograder.sandbox.child.device import CPU, CUDA, DeviceError
from autograder.sandbox.machine import cores

if TYPE_CHECKING:
    from autograder.classroom.gradebook import Gradebook
    from autograder.classroom.still_to_grade import Plan
    from autograder.classroom.watch import Watch
    from autograder.course.spec import Assignment

MISSING = "The cluster needs Dask: pip install 'sequence-autograder[cluster]', here and on every worker."


@dataclass(frozen=True)
class Machines:
    """What was said about where to grade, and how much of the assignment."""

    course: Path
    slug: str
    jobs: int
    training: bool = True
    accept_unsandboxed: bool = False
    cluster: str = ""  # address of a scheduler, or this machine
    resources: Mapping[str, float] | None = None  # of the workers that may take part
    gpus: tuple[str, ...] = ()  # that share the trainings; none where one device was named

    def assignment(self) -> Assignment:
        """Return the assignment as it is to be graded."""
        whole = load_for_use(self.course, self.slug)
        return whole if self.training else whole.without_training()

    def settle(self, assignment: Assignment, said: str) -> tuple[Assignment, str]:
        """Return the assignment on the device that was asked for, and a line on it or nothing; refuse what is not there.

        On a cluster every worker tries it for itself.
        """
        from autograder.oracle.device_choice import on_device, settle_device, wanted_device
        from autograder.oracle.nvidia_smi import NvidiaSmi, check_one_kind

        try:
            if self.cluster:
                name, told = wanted_device(assignment, said)
                return on_device(assignment, name), told
            for name in self.gpus or (said,):
                there, told = settle_device(assignment, name, secret_folder(self.course, self.slug).parent)
            if self.gpus and there.device != CPU:
                check_one_kind({name: NvidiaSmi().kind(name) for name in self.gpus})
                there = on_device(assignment, CUDA)
        except DeviceError as error:
            named = (
                f"--gpus {','.join(name.partition(':')[2] for name in self.gpus)}" if self.gpus else f"--device {said}"
            )
            fail(f"{named}: {error}")
        if there.device != CPU:
            with class_sandbox(1, there, self.course, accept_unsandboxed=self.accept_unsandboxed):
                pass  # refused now, before the gradebook knows of the device
        return there, told

    def grade(self, book: Gradebook, plan: Plan, watch: Watch) -> None:
        """Grade what a plan says and write it down."""
        from autograder.classroom.run import carry_out

        if self.cluster:
            self._on_cluster(book, plan, watch)
            return
        from autograder.oracle.gpus import open_gpus
        from autograder.oracle.nvidia_smi import NvidiaSmi

        assignment, slots = plan.oracle.assignment, self.jobs
        names, gpus = self.gpus or (assignment.device,), None
        if assignment.trainings:
            _keep_kind(book, names[0], CPU if assignment.device == CPU else NvidiaSmi().kind(names[0]))
        if assignment.device != CPU:
            gpus = open_gpus(names, self.jobs, tell)
            slots += cores()  # while others train, cases are graded
        with class_sandbox(slots, assignment, self.course, accept_unsandboxed=self.accept_unsandboxed) as sandbox:
            carry_out(book, plan, sandbox, slots, watch, gpus, apart=gpus is None)

    def _on_cluster(self, book: Gradebook, plan: Plan, watch: Watch) -> None:
        try:
            from autograder.classroom.cluster import ClusterError, connected, grade_on_cluster
            from autograder.classroom.cluster_worker import Crew, Orders, course_files
        except ImportError as error:
            fail(f"{MISSING} ({error})")
        from autograder.classroom.run import write_down
        from autograder.oracle.training import Trainer

        files = course_files(self.course, self.slug)
        device = plan.oracle.assignment.device
        orders = Orders(self.slug, files, plan.oracle.seed, self.training, plan.keys, self.accept_unsandboxed, device)
        crew = Crew(orders, f"autograder-{secrets.token_hex(4)}")
        trainer, keep_kind = Trainer(plan.oracle), functools.partial(_keep_kind, book)
        if plan.oracle.assignment.trainings and device == CPU:
            keep_kind(CPU, CPU)
        try:
            with connected(self.cluster) as client:
                told = (self.resources, tell, keep_kind)
                coming = grade_on_cluster(client, crew, trainer, plan.tasks, plan.stale, *told)
                write_down(book, plan, coming, watch)
        except ClusterError as error:
            fail(f"{error} What was graded until then is in {book.folder}.")


def _keep_kind(book: Gradebook, device: str, kind: str) -> None:
    """Note of what kind a class's GPUs are, and refuse another kind than it was trained on before."""
    from autograder.classroom.gradebook import Facts

    known = book.facts.gpu
    if known not in ("", CPU) and kind not in ("", CPU, known):
        fail(
            f"This class was trained on a {known}, and {device} is a {kind}, which need not compute alike. Name GPUs of that "
            "kind, or grade the whole class in another folder."
        )
    if known or kind != CPU:
        book.set_facts(Facts(gpu=kind))


def tell(line: str) -> None:
    """Tell the grader something of the run."""
    print(f"autograder: {line}", file=sys.stderr, flush=True)


def parse_gpus(said: str, device: str | None, cluster: str) -> tuple[str, ...]:
    """Read which GPUs trainings share, such as 0,1."""
    if not said:
        return ()
    if device:
        fail("Say --device for one device, or --gpus for GPUs that share the trainings.")
    if cluster:
        fail("--gpus is about this machine; each worker of a cluster uses its own. Say --device cuda.")
    words = [word.strip() for word in said.split(",")]
    if not all(word.isdecimal() and len(word) < 4 for word in words):
        fail(f"{said!r} names no GPUs. Write their numbers: --gpus 0,1")
    names = tuple(f"{CUDA}:{int(word)}" for word in words)
    for name in names:
        if names.count(name) > 1:
            fail(f"--gpus {said} names {name} twice.")
    return names


def parse_resources(said: list[str] | None, cluster: str) -> dict[str, float] | None:
    """Read what workers must have, such as GPU=1."""
    if said and not cluster:
        fail("--resources is about the workers of a cluster. Name one with --cluster tcp://host:8786.")
    found = {}
    for text in said or ():
        name, _, amount = text.partition("=")
        try:
            found[name.strip()] = float(amount)
        except ValueError:
            fail(f"{text!r} is no resource. Write its name and how much of it a task takes: GPU=1.")
    return found or None
