"""The commands that grade a class: here, a part of it here, or on a cluster; and that put the parts together."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
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
    from collections.abc import Sequence

    from rich.console import Console

    from autograder.classroom.gradebook import Facts, Gradebook
    from autograder.classroom.roster import Roster
    from autograder.classroom.shards import Shard
    from autograder.classroom.still_to_grade import Choices, Extent
    from autograder.classroom.submissions import Submission
    from autograder.command.progress import Events
    from autograder.course.spec import Assignment


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
        sound = _grade_into(place, where, choices, submissions, people, console, events, preview=preview)
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


def _grade_into(
    out: Path,
    where: Machines,
    choices: Choices,
    submissions: Path,
    people: Roster | None,
    console: Console,
    events: Events | None,
    *,
    preview: bool,
) -> bool:
    """Grade what is new into the class's gradebook, and write its files; return whether we did not fail.

    For a `preview` the gradebook is a copy, and no file is written.
    """
    from autograder.classroom.gradebook_lock import open_gradebook
    from autograder.classroom.mismatches import roster_mismatch, unmatched_aliases
    from autograder.classroom.submissions import read_class
    from autograder.command.class_outcome import close_class, close_preview, tell_mismatch
    from autograder.submission.written_exercises import Stub

    assignment = where.assignment()
    found = read_class(submissions, Stub.of(assignment), people)
    for line in [f"read as an export of {name}" for name in found.platforms] + [*found.remarks]:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    if mismatch := roster_mismatch(found.submissions, people):
        tell_mismatch(mismatch, events)
        return False
    if people and choices.facts.aliases and (told := unmatched_aliases(found.submissions, people)):
        print(f"autograder: {told}", file=sys.stderr)
    with open_gradebook(out, assignment) as book:
        extent = _grade_new(book, where, assignment, choices, found.submissions, people, console, events)
        del found
        if not extent:
            return False
        if preview:
            return close_preview(book, extent, console, events)
        return close_class(book, extent, console, events, where.jobs)


def _grade_new(
    book: Gradebook,
    where: Machines,
    assignment: Assignment,
    choices: Choices,
    submissions: Sequence[Submission],
    people: Roster | None,
    console: Console,
    events: Events | None,
) -> Extent | None:
    """Grade what is new and return how much that was; None where they are submissions of another class, which is said."""
    from autograder.classroom.platform_maximum import is_of_this, other_maximum
    from autograder.classroom.still_to_grade import make_plan
    from autograder.classroom.wrong_class import class_mismatch
    from autograder.command.class_outcome import tell_mismatch
    from autograder.command.progress import watch_on
    from autograder.submission.written_exercises import Stub

    if mismatch := class_mismatch(book, Stub.of(assignment), submissions, choices):
        tell_mismatch(mismatch, events)
        return None
    assignment = _on_device(where, book, assignment, choices, console)
    if not is_of_this(submissions):
        choices = replace(choices, facts=replace(choices.facts, maximum=0.0))
    plan = make_plan(book, assignment, submissions, choices)
    if told := other_maximum(book.facts.maximum, assignment.max_score):
        print(f"autograder: {told}", file=sys.stderr)
    if people and choices.facts.roster:
        console.print(_of_roster(people), highlight=False)
    if plan.tasks:
        where.grade(book, plan, events or watch_on(console))
    return plan.extent


def _of_roster(people: Roster) -> str:
    """Say how many people a roster has, and what it says of them."""
    known = [key for key in asdict(people.people[0]) if any(getattr(one, key) for one in people.people)]
    if all(one.id == one.email for one in people.people):
        known.remove("id")  # the file has none, and students go by their addresses
    return f"roster: {len(people.people)} people, with {', '.join(known)}"


def _on_device(
    where: Machines, book: Gradebook, assignment: Assignment, choices: Choices, console: Console
) -> Assignment:
    """Return the assignment on the device that was asked for, else on that of the gradebook; say what is to be said of it."""
    assignment, told = where.settle(assignment, choices.device or book.facts.device or "auto")
    if told:
        console.print(told, highlight=False, markup=False, soft_wrap=True)
    return assignment


def _class_facts(out: Path, roster: Path | None, alias: Path | None, due: str | None) -> tuple[Roster | None, Facts]:
    """Return the class's roster, the one given or else the gradebook's, and what is to be written down as new."""
    from autograder.classroom.gradebook import Facts, GradebookError
    from autograder.classroom.gradebook_lock import known_roster
    from autograder.classroom.platform_maximum import maximum_in
    from autograder.classroom.roster import Roster, RosterError, parse_time, read_roster
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
    except (RosterError, GradebookError) as error:
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
