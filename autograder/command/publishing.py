"""The commands that make what leaves the house."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.options import (
    CourseOption,
    SlugArgument,
    TrainingOption,
    course_of,
    fail,
    load_assignment,
    load_for_use,
    some_slugs,
)

if TYPE_CHECKING:
    from autograder.course.spec import Assignment
    from autograder.handout.repository import Update

SeedOption = Annotated[
    int | None, typer.Option(min=0, show_default="a new one", help="Seed of the hidden inputs, the same for everyone")
]
TermOption = Annotated[str, typer.Option(metavar="TEXT", help="The --term of the handouts, for the letters of quizzes")]


def handout(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the zips")],
    slug: Annotated[str, typer.Argument(metavar="[ASSIGNMENT]", help="Its folder's name, such as a5_attention")] = "",
    every: Annotated[bool, typer.Option("--all", help="Every assignment of the course")] = False,
    repository: Annotated[
        bool,
        typer.Option("--repository", help="Also a folder to push as a template repository; updates one that is there"),
    ] = False,
    term: Annotated[
        str,
        typer.Option(metavar="TEXT", help="Shuffle the options of quizzes, another way for each TEXT, such as 2026S"),
    ] = "",
    roster: Annotated[
        Path | None,
        typer.Option(
            help="CSV of the class: a zip for each student, whose quiz is shuffled another way than all others; "
            "not with --repository, which is one for all"
        ),
    ] = None,
    course: CourseOption = None,
) -> None:
    """Make what students get: a zip that needs numpy, and torch if the assignment does.

    Its requirements.txt has pytest, Jinja and rich, too: for its tests, for pages, and for the colors of `check.py next`. Without
    them it works, too.
    """
    from autograder.handout.handout import handout_zip
    from autograder.handout.repository import write_repository

    folder = course_of(course)
    if bool(slug) == every:
        fail("Name one assignment, or say --all.")
    if out.suffix == ".zip" and not out.is_dir():
        fail(f"-o names the folder in which {slug or 'ASSIGNMENT'}.zip is written; say -o {out.parent} for it.")
    if roster and repository:
        fail("A template repository is the same for all students: say --repository or --roster.")
    copies = _copies(roster, term) if roster else {}
    for name in some_slugs(folder) if every else (slug,):
        if roster:
            _write_copies(folder, name, copies, out)
            continue
        files = _handout_files(folder, name, term)
        _write(out / f"{name}.zip", handout_zip(files, name))
        if repository:
            update = write_repository(files, out / f"{name}-repository")
            print("\n".join([str(out / f"{name}-repository"), *(_updated(update) if update else ())]))


def solutions(
    slug: SlugArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the zip")],
    term: TermOption = "",
    course: CourseOption = None,
) -> None:
    """Make what students get after the deadline: all is written, quizzes are answered.

    Zip with the file and the notebook as the reference has them, each claim with its answer, the reasons of all options, and
    the sentences of all known mistakes.
    """
    from autograder.handout.handout import handout_zip
    from autograder.handout.kit.bundle import BundleError
    from autograder.handout.public_data import public_oracle
    from autograder.handout.solutions import folder_name, solution_files

    folder = course_of(course)
    try:
        files = solution_files(folder, public_oracle(load_assignment(folder, slug)), term)
    except BundleError as error:
        fail(f"{slug}: {error}")
    _write(out / f"{folder_name(slug)}.zip", handout_zip(files, folder_name(slug)))
    print("It holds every answer: for students, after the deadline only.")


def gradescope(
    slug: SlugArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the zip")],
    hidden_visibility: Annotated[
        str, typer.Option(metavar="WHEN", help="Hidden cases: hidden, after_due_date, after_published or visible")
    ] = "hidden",
    seed: SeedOption = None,
    training: TrainingOption = True,
    course: CourseOption = None,
) -> None:
    """Make the zip that Gradescope takes as its autograder."""
    from autograder.integrations.gradescope import VISIBILITIES, gradescope_zip
    from autograder.integrations.one_submission import Settings

    if hidden_visibility not in VISIBILITIES:
        fail(f"--hidden-visibility {hidden_visibility} is none of {', '.join(VISIBILITIES)}.")
    folder = course_of(course)
    assignment, seed = _sound(folder, slug, seed)
    settings = Settings(slug, seed, hidden_visibility, training and bool(assignment.trainings))
    _write(out / f"{slug}-gradescope.zip", gradescope_zip(folder, assignment, settings))
    print(
        f"For Gradescope alone: it holds hidden cases and solutions. There the assignment has {assignment.points:g} points."
    )


def classroom50(
    slug: SlugArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the folder SLUG-classroom50")],
    term: TermOption = "",
    course: CourseOption = None,
) -> None:
    """Make the folder that Classroom 50 takes as its autograder: the public cases, checked on every push."""
    from autograder.handout.handout import write_new
    from autograder.integrations.classroom50 import classroom50_files

    made = out / f"{slug}-classroom50"
    write_new(classroom50_files(_handout_files(course_of(course), slug, term)), made)
    print(made)


def otter(
    slug: SlugArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the folder SLUG-otter")],
    seed: SeedOption = None,
    training: TrainingOption = True,
    course: CourseOption = None,
) -> None:
    """Make a master notebook, run `otter assign` on it, and keep hidden cases out of the student's kernel."""
    from autograder.command.progress import tracked
    from autograder.handout.public_data import public_oracle
    from autograder.integrations.one_submission import Settings
    from autograder.integrations.otter import make_otter

    folder = course_of(course)
    assignment, seed = _sound(folder, slug, seed)
    settings = Settings(slug, seed, training=training and bool(assignment.trainings))
    made = make_otter(folder, public_oracle(assignment), settings, out / f"{slug}-otter", tracked)
    print("\n".join(map(str, made)))
    print("Students get what lies in student/ and nothing else: solution/ holds hidden cases and answers.")


def _copies(roster: Path, term: str) -> dict[str, str]:
    """Return what the options of each student's quizzes are shuffled by, under a name for files; or say what is wrong."""
    from autograder.classroom.roster import RosterError, read_roster
    from autograder.classroom.student_names import student_names

    try:
        names = student_names([person.id for person in read_roster(roster).people])
    except RosterError as error:
        fail(str(error))
    return {name: f"{term}:{student}" for student, name in names.items()}


def _write_copies(folder: Path, slug: str, copies: Mapping[str, str], out: Path) -> None:
    """Write an assignment's zip for each student, into a folder of its own."""
    from autograder.handout.handout import handout_zip

    for name, files in zip(copies, _handouts(folder, slug, copies.values()), strict=True):
        _write(out / slug / f"{slug}-{name}.zip", handout_zip(files, slug))


def _handout_files(folder: Path, slug: str, term: str) -> dict[str, bytes]:
    """Return the files of an assignment's handout, or say why it cannot be made."""
    return next(_handouts(folder, slug, [term]))


def _handouts(folder: Path, slug: str, terms: Iterable[str]) -> Iterator[dict[str, bytes]]:
    """Yield the files of an assignment's handout for each term, or say why it cannot be made."""
    from autograder.command.progress import tracked
    from autograder.course.stub import StubError
    from autograder.handout.handout import handout_files
    from autograder.handout.kit.bundle import BundleError
    from autograder.handout.named_at_home import named_at_home
    from autograder.handout.public_data import public_oracle

    assignment = load_for_use(folder, slug)
    oracle = public_oracle(assignment)  # one for all: it keeps its answers
    try:
        named: dict[str, bytes] = {}
        for term in terms:
            files = handout_files(folder, oracle, term)  # first: what is wrong shows before minutes of work
            named = named or named_at_home(oracle, tracked)
            yield files | named
    except (BundleError, StubError) as error:
        fail(f"{slug}: {error}")


def _updated(update: Update) -> Iterator[str]:
    """Yield what an update of a repository did: files by name, those of its engine as counts."""
    acts = {"changed": update.changed, "new": update.new, "removed": update.removed}
    inside = {act: [name for name in names if name.startswith("engine/")] for act, names in acts.items()}
    for act, names in acts.items():
        if outside := [name for name in names if name not in inside[act]]:
            yield f"  {act}: {', '.join(outside)}"
    if counts := [f"{len(names)} {act}" for act, names in inside.items() if names]:
        yield f"  in engine/: {', '.join(counts)}"
    yield from (f"  kept: {name}, in which something is written" for name in update.kept)
    if any(acts.values()):
        yield "  Nothing else was touched. Look at the changes with git diff, then commit and push them."
    else:
        yield "  It is up to date; nothing was written."


def _write(archive: Path, data: bytes) -> None:
    """Write a zip and say where it lies, or why it could not be written."""
    from autograder.classroom.whole_files import draft_of

    try:
        with draft_of(archive) as draft:
            draft.write_bytes(data)
    except OSError as error:
        fail(f"{archive} cannot be written: {error.strerror}. Name another folder with --out.")
    print(archive)


def _sound(folder: Path, slug: str, seed: int | None) -> tuple[Assignment, int]:
    """Return the assignment, whose reference answers every case, and its seed: better to know now than in the term."""
    from autograder.classroom.seed import draw_seed
    from autograder.oracle.oracle import Oracle
    from autograder.oracle.reference import BrokenReferenceError

    assignment = load_for_use(folder, slug)
    oracle = Oracle(assignment, draw_seed() if seed is None else seed)
    try:
        for trial in oracle.trials:
            oracle.expected(trial)
    except BrokenReferenceError as error:
        fail(f"{slug}: {error}. Mend that first; autograder doctor {slug} looks for more.")
    return assignment, oracle.seed
