"""The commands for those who write assignments: prove one, also whenever it is saved, or begin one."""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
import time
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from autograder.command.options import (
    CourseOption,
    DeviceOption,
    JobsOption,
    JsonOption,
    SlugArgument,
    SlugsArgument,
    course_of,
    fail,
    some_slugs,
)
from autograder.course.catalog import CourseError, load_assignment
from autograder.sandbox.child.device import CPU, DeviceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autograder.course.spec import Assignment
    from autograder.proof.soundness import Proof
    from autograder.sandbox.job import Sandbox

POLL_SECONDS = 0.5
Saved = dict[Path, tuple[int, int]]


def doctor(
    assignments: SlugsArgument = None,
    write_stub: Annotated[
        bool, typer.Option("--write-stub", help="First render the stubs from the references")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Examine again whenever a file of it is saved")] = False,
    training: Annotated[
        bool, typer.Option("--training", help="Also train the reference at ten seeds, and known mistakes: minutes")
    ] = False,
    device: DeviceOption = None,
    jobs: JobsOption = 0,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prove every promise an assignment makes; exit 1 when one is broken.

    The reference gets full marks at five seeds, the stub zero, and every alternative full marks. The case that is named in
    the bank catches each known mistake; the mistake gets its own name and costs its own exercise only; a second mistake raises
    no score; every case catches something. The handout can be made, gives nothing away, and judges as `check` does. Every file
    is read by something. Names, points, links, worked examples and numbers in the texts are true.
    """
    from autograder.sandbox.machine import cores

    folder = course_of(course)
    names = assignments or some_slugs(folder)
    if device and not training:
        fail("--device is for what is trained. Add --training.")
    examination = _Examination(folder, jobs or cores(), write_stub, training, device or "auto", as_json)
    if not watch:
        raise typer.Exit(0 if examination.of(names) else 1)
    if len(names) != 1:
        fail(f"Name the one assignment to watch: autograder doctor {names[0]} --watch")
    try:
        _watch(examination, names[0])
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def new(slug: SlugArgument, course: CourseOption = None) -> None:
    """Scaffold a new assignment: both folders, with one small exercise to replace. With --course also a new course."""
    from autograder.command.scaffold import ScaffoldError, scaffold

    folder = course or course_of(None, f"To begin a course in a new folder: autograder new {slug} --course my-course")
    try:
        written = scaffold(folder, slug)
    except ScaffoldError as error:
        fail(str(error))
    print("\n".join(map(str, written)))
    where = f" --course {course}" if course else ""
    print("Next: edit these files, and let this examine them whenever you save:")
    print(f"autograder doctor {slug} --write-stub --watch{where}")


@dataclass(frozen=True)
class _Examination:
    """What `doctor` was asked to do."""

    course: Path
    slots: int
    write_stub: bool
    training: bool
    device: str
    as_json: bool

    def of(self, names: list[str]) -> bool:
        """Examine assignments, show what was found, and return whether every promise holds."""
        from rich.console import Console

        from autograder.command.terminal import show_isolation, show_proofs
        from autograder.course.stub import StubError
        from autograder.proof import doctor as proofs
        from autograder.sandbox.levels import open_sandbox

        sound, answers = True, {}
        for slug in names:
            assignment = load_assignment(self.course, slug)
            if self.write_stub:
                try:
                    proofs.write_stub(self.course, assignment)
                except StubError as error:
                    raise CourseError(str(error)) from None
                assignment = load_assignment(self.course, slug)
            there = self._settled(assignment) if self.training else assignment
            with open_sandbox(self.slots, torch=assignment.torch) as sandbox:
                found = proofs.examine(assignment, sandbox, self.slots, self.course)
                if self.training:
                    found = itertools.chain(found, self._trained(there, sandbox))
                if self.as_json:
                    answers[slug] = [asdict(proof) for proof in found]
                    sound = sound and not any(proof["broken"] for proof in answers[slug])
                else:
                    sound = show_proofs(Console(), slug, found) and sound
        if self.as_json:
            print(json.dumps(answers, indent=1))
        else:
            show_isolation(Console(), sandbox.isolation)
        return sound

    def _settled(self, assignment: Assignment) -> Assignment:
        """Return the assignment on the device that was asked for. Raises CourseError where it is not there."""
        from autograder.oracle.device_choice import settle_device

        try:
            there, told = settle_device(assignment, self.device)
        except DeviceError as error:
            raise CourseError(f"--device {self.device}: {error}") from None
        if told:
            print(told, file=sys.stderr)
        return there

    def _trained(self, assignment: Assignment, sandbox: Sandbox) -> Iterator[Proof]:
        """Yield the proofs of trainings, in a sandbox of their own where they run on another device than the CPU."""
        from autograder.oracle.device_choice import open_for
        from autograder.oracle.gpus import open_gpus
        from autograder.proof.trainings import examine_trainings

        if assignment.device == CPU:
            yield from examine_trainings(assignment, sandbox, self.slots, range(10))
            return
        gpus = open_gpus((assignment.device,), self.slots, lambda line: print(line, file=sys.stderr))
        with open_for(assignment, self.slots) as apart:
            yield from examine_trainings(assignment, apart, self.slots, range(10), gpus)

    def saved(self, slug: str) -> Saved:
        """Return what changes when a file of an assignment is saved; a stub that is written here is none of them."""
        stub = _stub(self.course, slug) if self.write_stub else None
        found = {}
        for side in ("assignments", "solutions"):
            for path in (self.course / side / slug).rglob("*"):
                if path != stub and "__pycache__" not in path.parts:
                    with contextlib.suppress(OSError):  # editors that write a new file leave none for a moment
                        status = path.stat()
                        found[path] = (status.st_mtime_ns, status.st_size)
        return found


def _stub(course: Path, slug: str) -> Path | None:
    """Return where an assignment's stub lies, or None while its settings cannot be read."""
    home = course / "assignments" / slug
    try:
        return home / str(tomllib.loads((home / "assignment.toml").read_text(encoding="utf-8-sig"))["file"])
    except (OSError, ValueError, KeyError):
        return None


def _watch(examination: _Examination, slug: str) -> NoReturn:
    """Examine whenever a file is saved, until Ctrl-C; a file that is broken for the moment is told and waited for."""
    while True:
        seen = examination.saved(slug)
        print("\x1b[2J\x1b[H" if sys.stdout.isatty() else "", end="")
        try:
            examination.of([slug])
        except CourseError as error:
            print(error)
        print(f"\nWatching {slug}; save a file of it to examine it again, Ctrl-C to stop.", flush=True)
        while examination.saved(slug) == seen:
            time.sleep(POLL_SECONDS)
