"""The commands for those who write assignments: prove one, also whenever it is saved, or begin one."""

from __future__ import annotations

import contextlib
import difflib
import itertools
import json
import re
import sys
import time
import tomllib
from dataclasses import dataclass, replace
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
    load_assignment,
    some_slugs,
)
from autograder.course.course_file import FILE
from autograder.course.places import CourseError, public_folder, secret_folder
from autograder.sandbox.child.device import CPU, DeviceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from autograder.course.spec import Assignment
    from autograder.proof.kept_gradings import KeptGradings
    from autograder.proof.soundness import Proof
    from autograder.sandbox.job import Sandbox

POLL_SECONDS = 0.5
Saved = dict[Path, tuple[int, int]]


def doctor(
    assignments: SlugsArgument = None,
    write_stub: Annotated[
        bool, typer.Option("--write-stub", help="First render the stubs from the references")
    ] = False,
    exercise: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Prove only what concerns this exercise; repeat it for several"),
    ] = None,
    draft: Annotated[
        bool, typer.Option("--draft", help="List missing parts without failing, and prove the rest")
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch", help="Examine again whenever a file of it is saved; what no change concerns is not graded again"
        ),
    ] = False,
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

    --exercise proves a part of it: the cases, known mistakes, hints and texts of that exercise, with the reference and the other
    correct solutions on its cases. --draft is for an assignment that is half written: a missing case, known mistake or section
    of the README breaks no promise, and the exit code is 1 only where something that is written breaks one.
    """
    from autograder.sandbox.machine import cores

    folder = course_of(course)
    names = assignments or some_slugs(folder)
    if device and not training:
        fail("--device is for what is trained. Add --training.")
    only = _chosen(folder, names, exercise or ())
    examination = _Examination(folder, jobs or cores(), write_stub, training, device or "auto", as_json, only, draft)
    if watch:
        _watch_the_one(examination, names)
    raise typer.Exit(0 if examination.of(names) else 1)


def _watch_the_one(examination: _Examination, names: Sequence[str]) -> NoReturn:
    """Examine an assignment at every save, until Ctrl-C."""
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
    _tell_written(written, slug, course)


def import_otter(
    notebook: Annotated[Path, typer.Argument(metavar="NOTEBOOK", help="The master notebook that otter assign reads")],
    slug: Annotated[
        str | None, typer.Option(metavar="ASSIGNMENT", show_default="the notebook's name", help="What to call it here")
    ] = None,
    course: CourseOption = None,
) -> None:
    """Draft a new assignment from a master notebook of otter-grader, which is read and never run.

    Questions whose solution is a function become exercises, and tests that compare its value with written-out data become
    cases. What is not carried over is listed here and in the hidden cases.py.
    """
    from autograder.command.scaffold import ScaffoldError, file_of_new, next_order, write_new
    from autograder.course.stub import StubError
    from autograder.integrations.otter_draft import draft_of
    from autograder.integrations.otter_master import OtterMasterError

    slug = slug or re.sub(r"\W+|_+", "_", notebook.stem.lower()).strip("_")
    folder = course or course_of(None, "To begin a course in a new folder, add --course my-course.")
    try:
        draft = draft_of(notebook, slug, file_of_new(folder, slug), next_order(folder))
        written = write_new(folder, slug, draft.public, draft.secret)
    except ScaffoldError as error:
        fail(str(error))
    except (OtterMasterError, StubError) as error:
        fail(f"{error} Nothing was written.")
    except OSError as error:
        fail(f"{error}. Nothing was written.")
    if draft.left_over:
        print("\n".join(["Not carried over:", *(f"- {line}" for line in draft.left_over), ""]))
    print("\n".join(["Left to do:", *(f"- {line}" for line in draft.to_do), ""]))
    _tell_written(written, slug, course)


def _tell_written(written: Sequence[Path], slug: str, course: Path | None) -> None:
    """Print the files of a new assignment, and what to do with them."""
    print("\n".join(map(str, written)))
    where = f" --course {course}" if course else ""
    print("Next: edit these files, and let this examine them whenever you save:")
    print(f"autograder doctor {slug} --write-stub --watch{where}")


def _chosen(folder: Path, slugs: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the named exercises, each once; refuse one that the assignment does not have, with the nearest that it has."""
    if names and len(slugs) != 1:
        fail(f"Name the one assignment of --exercise {names[0]}: autograder doctor {slugs[0]} --exercise {names[0]}")
    known = [e.name for e in load_assignment(folder, slugs[0]).exercises] if names else []
    for name in (name for name in names if name not in known):
        near = difflib.get_close_matches(name, known, 1)
        hint = f"Did you mean {near[0]}?" if near else f"It has {', '.join(known)}."
        fail(f"{slugs[0]} has no exercise {name}. {hint}")
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class _Examination:
    """What `doctor` was asked to do."""

    course: Path
    slots: int
    write_stub: bool
    training: bool
    device: str
    as_json: bool
    only: tuple[str, ...] = ()  # the exercises that are looked at; all where none is named
    draft: bool = False

    def of(self, names: list[str], kept: KeptGradings | None = None) -> bool:
        """Examine assignments, show what was found, and return whether every promise holds."""
        from rich.console import Console

        from autograder.command.proofs_shown import show_part, show_proofs
        from autograder.command.terminal import show_isolation
        from autograder.course.stub import StubError
        from autograder.course.torch_needed import why_torch_is_missing
        from autograder.proof import doctor as proofs
        from autograder.proof.parts import not_looked_at
        from autograder.proof.texts import speaks_of_torch
        from autograder.proof.write_stub import write_stub
        from autograder.sandbox.levels import open_sandbox

        sound, answers = True, dict[str, object]()
        for slug in names:
            if self.write_stub:
                try:
                    write_stub(self.course, load_assignment(self.course, slug), draft=self.draft)
                except StubError as error:
                    raise CourseError(str(error)) from None
            if kept:
                kept.begin(self.course, slug)  # before files are read: one saved meanwhile makes another round new
            assignment = load_assignment(self.course, slug)
            if speaks_of_torch(self.course, assignment) and (told := why_torch_is_missing(f"The proof of {slug}")):
                raise CourseError(told)
            there = self._settled(assignment) if self.training else assignment
            with open_sandbox(self.slots, torch=assignment.torch) as sandbox:
                found = proofs.examine(
                    assignment, sandbox, self.slots, self.course, only=self.only, draft=self.draft, kept=kept
                )
                if self.training:
                    wanted = (t for t in there.trainings if not self.only or t.exercise in self.only)
                    found = itertools.chain(found, self._trained(replace(there, trainings=tuple(wanted)), sandbox))
                left_out = not_looked_at(assignment, self.only, training=self.training)
                if self.as_json:
                    known = list(found)
                    answers[slug] = self._answer(known, left_out)
                    sound = sound and all(proof.holds for proof in known)
                else:
                    known = []
                    sound = show_proofs(Console(), slug, _kept(found, known)) and sound
                    show_part(Console(), slug, [line for proof in known for line in proof.to_write], left_out)
        if self.as_json:
            print(json.dumps(answers, indent=1))
        else:
            show_isolation(Console(), sandbox.isolation)
        return sound

    def _answer(self, found: Sequence[Proof], left_out: Sequence[str]) -> object:
        """Return an assignment's proofs as data; of a part or a draft, with what else there is to say of it."""
        proved = [{"promise": proof.promise, "broken": list(proof.broken)} for proof in found]
        if not (self.only or self.draft):
            return proved
        to_write = [line for proof in found for line in proof.to_write]
        return {"proofs": proved, "still_to_write": to_write, "not_looked_at": list(left_out)}

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
        stubs = _stubs(self.course, slug) if self.write_stub else ()
        found = {}
        course_file = self.course / FILE
        for home in (public_folder(self.course, slug), secret_folder(self.course, slug)):
            for path in (*home.rglob("*"), course_file):
                if path not in stubs and "__pycache__" not in path.parts:
                    with contextlib.suppress(OSError):  # editors that write a new file leave none for a moment
                        status = path.stat()
                        found[path] = (status.st_mtime_ns, status.st_size)
        return found


def _kept(found: Iterable[Proof], known: list[Proof]) -> Iterator[Proof]:
    """Yield proofs as they are made, and keep them in a list."""
    for proof in found:
        known.append(proof)
        yield proof


def _stubs(course: Path, slug: str) -> tuple[Path, ...]:
    """Return where an assignment's stub lies, in one file or several; nothing while its settings cannot be read."""
    from autograder.course.declared_files import file_names

    home = public_folder(course, slug)
    try:
        return tuple(
            home / name for name in file_names(tomllib.loads((home / "assignment.toml").read_text("utf-8-sig")))
        )
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def _watch(examination: _Examination, slug: str) -> NoReturn:
    """Examine whenever a file is saved, until Ctrl-C; a file that is broken for the moment is told and waited for."""
    from autograder.proof.kept_gradings import KeptGradings

    kept = KeptGradings()
    while True:
        seen = examination.saved(slug)
        print("\x1b[2J\x1b[H" if sys.stdout.isatty() else "", end="")
        try:
            examination.of([slug], kept)
        except CourseError as error:
            print(error)
        print(f"\nWatching {slug}; save a file of it to examine it again, Ctrl-C to stop.", flush=True)
        while examination.saved(slug) == seen:
            time.sleep(POLL_SECONDS)
