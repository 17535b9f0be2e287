"""Write what a graded class came to, and say it: on a terminal, in a log, or as events; say where it matches nothing."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from rich.console import Console

from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_view import records, source_of
from autograder.classroom.plan import Plan
from autograder.classroom.roster import Roster
from autograder.classroom.student_names import Aliases
from autograder.classroom.submissions import Submission
from autograder.classroom.summary import Summary, told_summary
from autograder.command.progress import Events
from autograder.command.terminal import show_class, show_isolation
from autograder.pages.class_files import Published, publish
from autograder.submission.archives import several

ALIASES = "--alias FILE.csv, which begins with the line name,id, says whose of the roster each name of the export is"
_DEFINITION = re.compile(r"^(?:async )?(?:def|class) +(\w+)", re.MULTILINE)
_SOME = 100  # submissions that are looked into for what they define


def close_class(book: Gradebook, plan: Plan, console: Console, events: Events | None) -> bool:
    """Write the files of the class, if this is all of it, and say what came of it; return whether we did not fail."""
    done, shard = len(plan.tasks), book.facts.shard
    if shard:
        return _close_shard(book, plan, events, shard)
    if done:
        console.print("writing the files of the class", highlight=False)
    published = publish(book)
    summary = published.summary
    if events:
        sound = is_sound(book, summary, events)
        events.tell("done", graded=done, kept=plan.kept, decided=plan.decided, **told_summary(summary))
        return sound
    if done:
        show_records(console, book, published, f"{summary.assignment}: {summary.submissions} submissions")
    _tell_decided(plan)
    console.print(f"{done} graded" + f", {plan.kept} unchanged" * bool(plan.kept), highlight=False)
    say_where(console, book.folder, summary)
    return is_sound(book, summary, events)


def _close_shard(book: Gradebook, plan: Plan, events: Events | None, shard: str) -> bool:
    """Say what came of a part of a class, which has no files of its own; return whether we did not fail."""
    done = len(plan.tasks)
    failed = sum(record.status == "grader_error" for record in records(book))
    if events:
        events.tell("done", graded=done, kept=plan.kept, shard=shard, failed=failed)
    else:
        title = f"{book.facts.assignment}: {done + plan.kept} submissions in shard {shard}"
        print(f"{title}, {done} graded. All shards together: autograder merge ... -o DIR")
    return not failed


def _tell_decided(plan: Plan) -> None:
    """Name the students who resubmitted after a person had decided."""
    if plan.decided:
        told = "resubmitted after a manual override, which still counts"
        print(
            f"autograder: {len(plan.decided)} {told}: {several(plan.decided)}. Look at it again; "
            "autograder override STUDENT EXERCISE --withdraw goes back to the computed points.",
            file=sys.stderr,
        )


def show_records(console: Console, book: Gradebook, published: Published, title: str) -> None:
    """Print the table of a class."""
    show_class(console, title, published.records or tuple(records(book)))


def say_where(console: Console, out: Path, summary: Summary) -> None:
    """Print what it took, what is unfinished, and where the files are."""
    console.print(f"{summary.seconds:g} s, seed {summary.seed}", highlight=False)
    show_isolation(console, summary.isolation)
    tell_unfinished(summary)
    tell_unmatched(summary)
    if summary.undated:
        told = "the export does not say when, so they are late only where it marks them so"
        console.print(f"{summary.undated} handed in, and {told}", highlight=False, soft_wrap=True)
    if summary.problems:
        console.print(f"[red]The grader failed on {len(summary.problems)} submissions;[/] grade them again.")
    places = ("report.html", "grades.csv", "feedback", "results", "exports")
    print("\n".join(f"{name.partition('.')[0]:<10}{out / name}" for name in places))


def tell_mismatch(mismatch: Mismatch, events: Events | None) -> None:
    """Say that a class matches nothing."""
    print(f"autograder: {mismatch.message}", file=sys.stderr)
    if events:
        events.tell("mismatch", **asdict(mismatch))


def is_sound(book: Gradebook, summary: Summary, events: Events | None) -> bool:
    """Return whether a class was graded as it should be; say so where it is without a point."""
    if mismatch := points_mismatch(book, summary):
        tell_mismatch(mismatch, events)
    return not (summary.problems or mismatch)


def tell_unfinished(summary: Summary) -> None:
    """Say what is not graded yet and who is gone, so that nobody takes the grades for those of the whole class."""
    parts = (
        (summary.not_graded, "not graded yet"),
        (summary.outdated, "to be graded again, since something changed"),
    )
    told = " and ".join(f"{len(students)} {what}" for students, what in parts if students)
    if told:
        print(f"autograder: {told}. Run autograder grade again for all of the class.", file=sys.stderr)
    if gone := summary.left:
        told = f"graded before, but not among the latest submissions and so not in the grades: {several(gone)}"
        advice = "If that is not meant, grade again with the whole class's submissions; their results are still there."
        print(f"autograder: {len(gone)} {told}. {advice}", file=sys.stderr)


def tell_unmatched(summary: Summary) -> None:
    """Say who of the roster handed in nothing, and which submissions are of nobody on it."""
    absent, strangers = summary.not_submitted, summary.not_on_roster
    if absent:
        people = summary.submissions - len(strangers) + len(summary.not_graded) + len(absent)
        names = several(person.name or person.id for _, person in absent)
        print(f"autograder: {len(absent)} of {people} on the roster handed in nothing: {names}.", file=sys.stderr)
    if strangers:
        told = f"{len(strangers)} of {summary.submissions} submissions are not on the roster: {several(strangers)}"
        print(f"autograder: {told}. If they are of people on it, {ALIASES}.", file=sys.stderr)


@dataclass(frozen=True)
class Mismatch:
    """What does not match, in words and for programs."""

    what: str
    message: str
    submissions: tuple[str, ...] = ()
    roster: tuple[str, ...] = ()


def roster_mismatch(submissions: Sequence[Submission], roster: Roster | None) -> Mismatch | None:
    """Return what to say where a roster is given and no submission is of a student on it."""
    if not roster or any(submission.person for submission in submissions):
        return None
    names = tuple(submission.student for submission in submissions)
    people = [f"{person.id} ({person.name})" if person.name else person.id for person in roster.people]
    told = f"None of the {len(names)} submissions is on the roster."
    advice = (
        f"The submissions are called {several(names)}; on the roster are {several(people)}. If both are of one class, "
        f"{ALIASES}; else give the roster or the submissions of the other."
    )
    if all(s.owner.system and not (s.owner.name or s.owner.sid or s.owner.email) for s in submissions):
        told = f"The export is anonymous, so none of the {len(names)} submissions can be found on the roster."
        advice = f"Grade it without a roster, into a folder whose gradebook holds none. Or map the names: {ALIASES}."
    message = f"{told} Nothing was graded or written. {advice}"
    return Mismatch("roster", message, names, tuple(person.id for person in roster.people))


def unmatched_aliases(submissions: Sequence[Submission], roster: Roster) -> str:
    """Say which names of the aliases belong to no submission, if any."""
    here = [submission.person.id for submission in submissions if submission.person]
    names = Aliases(roster).unmatched([submission.owner for submission in submissions], here)
    if not names:
        return ""
    told = "1 name of the aliases is" if len(names) == 1 else f"{len(names)} names of the aliases are"
    return f"{told} not among the submissions: {several(names)}. Check how the export, or grades.csv, writes them."


def points_mismatch(book: Gradebook, summary: Summary) -> Mismatch | None:
    """Return what to say where a whole class has no point."""
    if not summary.without_points:
        return None
    exercises, defined, unreadable = list(book.points), Counter[str](), 0
    for student in islice(book.students(), _SOME):
        source = source_of(book, student)
        unreadable += source is None
        texts = (chunk.text for chunk in source.chunks) if source else ()
        defined.update({name for text in texts for name in _DEFINITION.findall(text)})
    told = f"No student in this class has a point. Are these the submissions of {summary.assignment}?"
    if unreadable:
        told += f" {unreadable} of them cannot be read."
    if defined and not defined.keys() & set(exercises):
        names = sorted(name for name, _ in defined.most_common(5))
        told += f" They define {' and '.join(names) if len(names) < 3 else several(names)}, and none of "
        told += f"{several(exercises)}."
    where = (
        f"The grades were written all the same: {book.folder}. Look at a few in report.html before anyone gets them."
    )
    return Mismatch("points", f"{told} {where}")
