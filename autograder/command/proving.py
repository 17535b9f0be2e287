"""The commands that prove a grader fair beyond `doctor`, and take minutes or an hour: tolerances, mutants, unforeseen code."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from autograder.command.options import CourseOption, JsonOption, SlugsArgument, course_of, load_assignment, some_slugs

if TYPE_CHECKING:
    from rich.console import Console

    from autograder.course.spec import Assignment

IN_A_FILE = 120  # columns of a table that goes into a file


def _console() -> Console:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else IN_A_FILE)


def calibrate(assignments: SlugsArgument = None, course: CourseOption = None, as_json: JsonOption = False) -> None:
    """Measure float noise and the nearest known mistake for every case.

    It exits with 1 where the tolerance is not between them, or luck decides.

    Noise is how far the reference in another precision or with other threads, and other correct solutions, are off at 20 seeds. It has
    to lie a decade below the tolerance, and the nearest known mistake a decade above; "margins" are both distances, in decades.
    A case notices a known mistake at every seed, or at none.
    """
    from autograder.command.terminal import show_readings
    from autograder.proof.calibration import calibrated, nothing_to_measure

    sound, answers = True, {}
    for slug, assignment in _named(assignments, course):
        readings, missing = calibrated(assignment), tuple(nothing_to_measure(assignment))
        sound = sound and not missing and not any(reading.broken for reading in readings)
        answers[slug] = [{**asdict(reading), "broken": reading.broken} for reading in readings]
        if not as_json:
            show_readings(_console(), slug, readings)
        for line in missing:
            print(f"autograder: {slug}: {line}", file=sys.stderr)
    _conclude(sound, answers if as_json else None)


def mutants(
    assignments: SlugsArgument = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at a time")] = 2,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change every line of every reference and see which cases notice.

    It exits with 1 where too few do, or one that none notices has no reason.

    At least 99 % of the changes (mutants) that are mistakes have to be noticed, 85 % by public cases. One that no case notices
    becomes a case, or gets its reason in solutions/ASSIGNMENT/mutants.toml.
    """
    from autograder.command.terminal import show_mutants
    from autograder.proof.mutant_report import read_reasons, report
    from autograder.proof.mutant_runs import fates
    from autograder.proof.mutants import nothing_to_try

    folder, sound, answers = course_of(course), True, {}
    for slug, assignment in _named(assignments, course):
        found = report(
            fates(folder, slug, jobs), read_reasons(folder, slug, assignment.reference), nothing_to_try(assignment)
        )
        sound = sound and not found.broken
        answers[slug] = {**asdict(found), "total": asdict(found.total)}
        if not as_json:
            show_mutants(_console(), slug, found)
    _conclude(sound, answers if as_json else None)


def fairness(
    assignments: SlugsArgument = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds at which unusual correct code is graded")] = 20,
    jobs: Annotated[int, typer.Option(min=1, help="Submissions at a time")] = 2,
    pairs: Annotated[int, typer.Option(min=0, help="Pairs of known mistakes; 0 for all there are")] = 100,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Grade unusual correct code, known mistakes rewritten, and pairs of them.

    It exits with 1 where a verdict is unfair.

    Unusual correct code (solutions/ASSIGNMENT/correct/unusual/, and the reference restyled in ten ways) gets full marks and no
    diagnosis, at every seed and isolation level; it learns in every training, and passes every smaller call. Of the known
    mistakes written in other words (solutions/ASSIGNMENT/mistaken/), nine in ten get their own name, and one in a hundred at
    most another's. Of two known mistakes at once, the second never raises the score.
    """
    from autograder.command.terminal import show_fairness
    from autograder.proof.fairness import broken, measure

    folder = course_of(course)
    measured = {
        slug: measure(folder, assignment, range(seeds), jobs, pairs=pairs or None)
        for slug, assignment in _named(assignments, course)
    }
    found = broken(measured)
    if not as_json:
        show_fairness(_console(), measured, found)
    _conclude(not found, {slug: asdict(one) for slug, one in measured.items()} if as_json else None)


def _named(assignments: list[str] | None, course: Path | None) -> Iterator[tuple[str, Assignment]]:
    """Yield the assignments that were asked for, all of them if none was."""
    from rich.console import Console
    from rich.progress import track

    folder = course_of(course)
    watched = Console(stderr=True)
    wanted = assignments or some_slugs(folder)
    for slug in track(wanted, "assignments", console=watched, transient=True, disable=not watched.is_terminal):
        yield slug, load_assignment(folder, slug)


def _conclude(sound: bool, answers: Mapping[str, object] | None) -> NoReturn:
    """Print what was found where it is wanted as JSON, and exit."""
    if answers is not None:
        print(json.dumps(answers, indent=1))
    raise typer.Exit(0 if sound else 1)
