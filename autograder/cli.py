"""The command line, thin: parse, call, print, choose an exit code.

Exit codes: 0 done, 1 something did not pass, 2 wrong use.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from autograder import __version__
from autograder.course.catalog import CourseError, find_course, load_assignment, slugs

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    help="Check and grade assignments on sequence models.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

CourseOption = Annotated[
    Path | None,
    typer.Option("--course", show_default="nearest above", help="Folder that holds assignments/ and solutions/"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the answer as JSON")]
SlugArgument = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="Its folder's name, such as a5_attention")]


def main() -> None:
    """Run the command line; known errors end in one line and exit code 2."""
    try:
        app()
    except CourseError as error:
        fail(str(error))


def fail(message: str) -> NoReturn:
    """Say what is wrong with the call, and leave."""
    print(f"autograder: {message}", file=sys.stderr)
    raise SystemExit(2)


def _course(folder: Path | None) -> Path:
    return find_course(folder or Path.cwd())


def _version(wanted: bool) -> None:
    if wanted:
        print(f"autograder {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version")] = False,
) -> None:
    """Check and grade assignments on sequence models."""


@app.command()
def check(
    slug: SlugArgument,
    file: Annotated[
        Path | None, typer.Argument(show_default="the one in this folder", help="Your .py file or notebook")
    ] = None,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the public cases on one file and say what is wrong, and why."""
    from rich.console import Console

    from autograder.batch.submissions import UnreadableError, read_source
    from autograder.judge.grade import grade
    from autograder.judge.oracle import Oracle
    from autograder.sandbox.process import ProcessSandbox
    from autograder.terminal import show_check

    assignment = load_assignment(_course(course), slug)
    path = file or Path(assignment.file)
    if not path.is_file():
        fail(f"There is no file {path}. Name the file to check: autograder check {slug} FILE")
    try:
        source = read_source(path, assignment.file)
    except UnreadableError as error:
        fail(str(error))
    result = grade(source, Oracle(assignment, seed=0, public_only=True), ProcessSandbox())
    if as_json:
        print(json.dumps(asdict(result), indent=1))
    else:
        show_check(Console(), f"{slug}: {path}", result)
    raise typer.Exit(0 if result.all_passed else 1)


@app.command("grade")
def grade_command(
    slug: SlugArgument,
    submissions: Annotated[Path, typer.Argument(help="A folder or zip of submissions, or a single file")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for grades, results and feedback")],
    seed: Annotated[
        int | None, typer.Option(min=0, show_default="a new one, recorded", help="Seed of the hidden inputs")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, show_default="one per core", help="Submissions at a time")] = 0,
    accept_unsandboxed: Annotated[
        bool, typer.Option("--accept-unsandboxed", help="Grade hidden cases even where student code cannot be isolated")
    ] = False,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Grade a class: grades.csv, results, feedback and a report."""
    from rich.console import Console

    from autograder.batch.gradebook import read_records
    from autograder.batch.submissions import SubmissionsError, read_submissions
    from autograder.judge.oracle import Oracle
    from autograder.pipeline import OutputError, grade_into
    from autograder.sandbox.probe import cores, open_sandbox
    from autograder.terminal import show_class

    folder = _course(course)
    assignment = load_assignment(folder, slug)
    try:
        found = read_submissions(submissions, assignment.file)
    except SubmissionsError as error:
        fail(str(error))
    console = Console(stderr=as_json)
    slots = jobs or cores()
    oracle = Oracle(assignment, secrets.randbits(32) if seed is None else seed)
    with open_sandbox(slots, torch=assignment.torch, secret=folder / "solutions") as sandbox:
        if sandbox.isolation.level == "C" and not accept_unsandboxed:
            fail(
                f"This machine cannot isolate student code ({'; '.join(sandbox.isolation.missing)}). "
                "Submissions could read the hidden cases and the solutions. "
                "If you trust every one of them, add --accept-unsandboxed."
            )
        try:
            summary = grade_into(out, oracle, found, sandbox, slots, console)
        except OutputError as error:
            fail(str(error))
    if as_json:
        print(json.dumps(summary, indent=1))
    else:
        show_class(console, f"{slug}: {len(found)} submissions", read_records(out))
        _say_where(console, out, summary)
    raise typer.Exit(1 if summary["problems"] else 0)


def _say_where(console: Console, out: Path, summary: Mapping[str, Any]) -> None:
    from autograder.sandbox.job import Isolation
    from autograder.terminal import show_isolation

    console.print(f"{summary['seconds']:g} s, seed {summary['seed']}", highlight=False)
    show_isolation(console, Isolation(**summary["isolation"]))
    if summary["problems"]:
        console.print(f"[red]The grader failed on {len(summary['problems'])} submissions;[/] grade them again.")
    print(
        f"report    {out / 'report.html'}\ngrades    {out / 'grades.csv'}\nfeedback  {out / 'feedback'}\nresults   {out / 'results'}"
    )


@app.command()
def report(out: Annotated[Path, typer.Argument(help="The folder a `grade` wrote")]) -> None:
    """Rebuild the reports of a graded class from its results."""
    from autograder.pipeline import OutputError, write_reports

    if not (out / "summary.json").is_file():
        fail(f"{out} holds no graded class (no summary.json). Run autograder grade ... -o {out} first.")
    try:
        write_reports(out)
    except OutputError as error:
        fail(str(error))
    print(out / "report.html")


@app.command()
def doctor(
    assignments: Annotated[
        list[str] | None, typer.Argument(metavar="[ASSIGNMENT]...", show_default="all", help="Assignments to examine")
    ] = None,
    write_stub: Annotated[
        bool, typer.Option("--write-stub", help="First render the stubs from the references")
    ] = False,
    jobs: Annotated[int, typer.Option(min=0, show_default="one per core", help="Submissions at a time")] = 0,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prove every promise an assignment makes; exit 1 when one is broken."""
    from rich.console import Console

    from autograder import doctor as proofs
    from autograder.course.stub import StubError
    from autograder.sandbox.probe import cores, open_sandbox
    from autograder.terminal import show_isolation, show_proofs

    folder = _course(course)
    names = assignments or slugs(folder)
    if not names:
        fail(f"There is no assignment in {folder / 'assignments'} yet; autograder new makes one.")
    sound, answers = True, {}
    slots = jobs or cores()
    for slug in names:
        assignment = load_assignment(folder, slug)
        if write_stub:
            try:
                proofs.write_stub(folder, assignment)
            except StubError as error:
                fail(f"{slug}: {error}")
            assignment = load_assignment(folder, slug)
        with open_sandbox(slots, torch=assignment.torch) as sandbox:
            found = proofs.examine(assignment, sandbox, slots)
            if as_json:
                answers[slug] = [asdict(proof) for proof in found]
                sound = sound and not any(proof["broken"] for proof in answers[slug])
            else:
                sound = show_proofs(Console(), slug, found) and sound
    if not as_json:
        show_isolation(Console(), sandbox.isolation)
    if as_json:
        print(json.dumps(answers, indent=1))
    raise typer.Exit(0 if sound else 1)


@app.command()
def new(slug: SlugArgument, course: CourseOption = None) -> None:
    """Scaffold a new assignment: both folders, with one small exercise to replace."""
    from autograder.scaffold import ScaffoldError, scaffold

    try:
        written = scaffold(_course(course), slug)
    except ScaffoldError as error:
        fail(str(error))
    print("\n".join(map(str, written)))
    print(f"Next: edit solutions/{slug}/, then run: autograder doctor {slug} --write-stub")


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the class and its results")] = Path("demo-class"),
    course: CourseOption = None,
) -> None:
    """Write a class of generated submissions, grade it, and say where the report lies."""
    from autograder.demo import write_class

    folder = _course(course)
    slug = "a5_attention"
    archive = write_class(load_assignment(folder, slug), out)
    print(f"A class of generated submissions: {archive}\n$ autograder grade {slug} {archive} -o {out / 'graded'}")
    grade_command(slug, archive, out / "graded", seed=0, jobs=0, accept_unsandboxed=True, course=folder, as_json=False)


if __name__ == "__main__":
    main()
