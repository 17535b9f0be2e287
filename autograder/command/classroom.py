"""The commands that grade a class: here, a part of it here, or on a cluster; and that put the parts together."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.machines import Machines, parse_gpus, parse_resources
from autograder.command.options import (
    AcceptMismatchOption,
    AliasOption,
    ClusterOption,
    CourseOption,
    DeviceOption,
    DueOption,
    EventsOption,
    GpusOption,
    JobsOption,
    NeverLowerOption,
    NewOutOption,
    OnlyOption,
    PreviewOption,
    RegradeOption,
    ResourcesOption,
    RosterOption,
    SeedOption,
    ShardOption,
    SlugArgument,
    SubmissionsArgument,
    TrainingOption,
    TrustOption,
    check_course,
    course_of,
    fail,
    is_course_here,
)

if TYPE_CHECKING:
    from rich.console import Console

    from autograder.classroom.gradebook import Facts
    from autograder.classroom.roster import Roster
    from autograder.classroom.shards import Shard


def grade(
    slug: SlugArgument,
    submissions: SubmissionsArgument,
    out: NewOutOption,
    seed: SeedOption = None,
    jobs: JobsOption = 0,
    roster: RosterOption = None,
    alias: AliasOption = None,
    due: DueOption = None,
    only: OnlyOption = None,
    regrade: RegradeOption = None,
    preview: PreviewOption = False,
    never_lower: NeverLowerOption = False,
    training: TrainingOption = True,
    device: DeviceOption = None,
    gpus: GpusOption = "",
    shard: ShardOption = "",
    cluster: ClusterOption = "",
    resources: ResourcesOption = None,
    accept_mismatch: AcceptMismatchOption = False,
    accept_unsandboxed: TrustOption = False,
    course: CourseOption = None,
    as_json: EventsOption = False,
) -> None:
    """Grade a class, or what changed since: gradebook, grades, results, feedback and a report."""
    from rich.console import Console

    from autograder.classroom.gradebook_lock import copied
    from autograder.classroom.still_to_grade import Choices
    from autograder.command.class_grading import grade_into
    from autograder.command.progress import Events
    from autograder.sandbox.machine import cores

    needs, shared = parse_resources(resources, cluster), parse_gpus(gpus, device, cluster)
    console = Console(stderr=as_json)
    events = Events(sys.stdout) if as_json else None
    with _stopping_well(out, console, preview=preview), copied(out) if preview else nullcontext(out) as place:
        rules = course_of(course) if course else _course_as_before(out, place)
        where = Machines(rules, slug, jobs or cores(), training, accept_unsandboxed, cluster, needs, shared)
        people, facts = _class_facts(place, roster, alias, due)
        facts = replace(facts, course=str(rules))
        said = tuple(regrade or ()), tuple(only or ()), _shard(shard, only)
        choices = Choices(seed, *said, facts, device, never_lower, accept_mismatch)
        sound = grade_into(place, where, choices, submissions, people, console, events, preview=preview)
    raise typer.Exit(0 if sound else 1)


def _course_as_before(out: Path, place: Path) -> Path:
    """Return the nearest course, or where there is none the one whose rules graded `out` before, as the gradebook in `place` knows.

    Refuse to grade by the rules of the nearest one what was graded by those of another one that is still there.
    """
    from autograder.classroom.gradebook_lock import known_facts

    before = Path(known_facts(place).course)
    is_there = before.is_absolute() and before.is_dir()
    if is_there and not is_course_here():
        return course_of(before)
    here = course_of(None)
    if is_there and before != here:
        fail(
            f"{out} was graded with the course {before}. Add --course {before}, or --course {here} to grade by that one."
        )
    return here


@contextmanager
def _stopping_well(out: Path, console: Console, *, preview: bool) -> Iterator[None]:
    """Say why a grading stopped, and how it goes on."""
    from autograder.classroom.gradebook import GradebookError
    from autograder.classroom.roster import RosterError
    from autograder.classroom.submissions import SubmissionsError

    try:
        yield
    except (SubmissionsError, RosterError, GradebookError) as error:
        fail(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        kept = "Nothing was written" if preview else f"What was graded is in {out}"
        fail(f"{error}. {kept}; mend that, and the same command {'begins again' if preview else 'goes on from there'}.")
    except KeyboardInterrupt:
        kept = f"What was graded is in {out}; the same command goes on from there, and writes sheets and report."
        console.print(f"Stopped. {f'{out} is as it was.' if preview else kept}", highlight=False)
        raise


def merge(
    parts: Annotated[list[Path], typer.Argument(help="Folders that `grade --shard` wrote, all of them")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the class as a whole")],
    course: CourseOption = None,
) -> None:
    """Put the shards of a class together: one gradebook, and everything that is made from it."""
    from rich.console import Console

    from autograder.classroom import history
    from autograder.classroom.gradebook import GradebookError
    from autograder.classroom.gradebook_lock import open_for, open_gradebook
    from autograder.classroom.shards import check_parts, leave_out, read_part, take_over
    from autograder.command.class_outcome import is_sound, say_where, show_records, submissions_of, tell_changes
    from autograder.pages.class_files import publish
    from autograder.sandbox.machine import cores

    check_course(course)
    if out.resolve() in {part.resolve() for part in parts}:
        fail(f"{out} is one of the parts. Name another folder for the whole.")
    try:
        found = []
        for folder in parts:
            with open_gradebook(folder) as part:
                found.append(read_part(part))
        check_parts(found)
        facts = found[0].facts
        with open_for(facts.assignment, out) as book:
            if book.facts.shard or book.facts.seed not in (None, facts.seed):
                fail(f"{out} holds another grading, with other hidden inputs or of a shard. Name another folder.")
            book.set_facts(facts)
            with book.db:
                history.begin_round(book.db)
            students: set[str] = set()
            for folder in parts:
                with open_gradebook(folder) as part:
                    students |= take_over(book, part, students)
            leave_out(book, students)
            if not students:
                fail("There is no submission in any of them.")
            published = publish(book, jobs=cores())
            show_records(Console(), book, published, f"{facts.assignment}: {submissions_of(len(students))}")
            tell_changes(Console(), book)
            say_where(Console(), book, published.summary)
            sound = is_sound(book, published.summary, None)
    except GradebookError as error:
        fail(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        fail(f"{error}. Mend that, and merge again.")
    raise typer.Exit(0 if sound else 1)


def _class_facts(out: Path, roster: Path | None, alias: Path | None, due: str | None) -> tuple[Roster | None, Facts]:
    """Return the class's roster, the one given or else the gradebook's, and what is to be written down as new."""
    from autograder.classroom.gradebook import Facts, GradebookError
    from autograder.classroom.gradebook_lock import known_roster
    from autograder.classroom.lateness import DateError, parse_time
    from autograder.classroom.platform_maximum import maximum_in
    from autograder.classroom.roster import Roster, RosterError, read_roster
    from autograder.classroom.student_names import read_aliases

    facts = Facts()
    try:
        known = known_roster(out)
        given = read_roster(roster) if roster else None
        if given and given.remark:
            print(f"autograder: {given.remark}", file=sys.stderr)
        people = Roster(given.people, known.aliases if known else None) if given else known
        if alias and not people:
            fail("--alias maps names to ids of a roster, and there is none. Add --roster FILE.csv.")
        if alias and people:
            people = Roster(people.people, read_aliases(alias, people))
            facts = replace(facts, aliases=people.aliases)
        if roster and people:
            facts = replace(facts, roster=people.people, maximum=maximum_in(roster))
        if due is not None:
            facts = replace(facts, due=parse_time(due).isoformat())
    except (RosterError, DateError, GradebookError) as error:
        fail(str(error))
    return people, facts


def _shard(said: str, only: list[str] | None) -> Shard | None:
    from autograder.classroom.shards import ShardError, parse_shard

    if said and only:
        fail("--shard grades a part of the class, and --only some of it by name. Say one of them.")
    try:
        return parse_shard(said) if said else None
    except ShardError as error:
        fail(str(error))
