"""Write what a graded class came to, and say it: on a terminal, in a log, or as events."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console

from autograder.classroom import history
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_view import absentees, outlines, records, waiting
from autograder.classroom.history import Change
from autograder.classroom.mismatches import ALIASES, Mismatch, points_mismatch
from autograder.classroom.still_to_grade import Extent
from autograder.classroom.summary import Summary, told_summary
from autograder.command.progress import Events
from autograder.command.terminal import MAX_LINES, changes_table, show_class, show_isolation
from autograder.judge.points import points_of, points_text
from autograder.pages.class_changes import changed_line
from autograder.pages.class_files import Published, publish
from autograder.submission.archives import printable, several


def close_class(book: Gradebook, extent: Extent, console: Console, events: Events | None, jobs: int = 1) -> bool:
    """Write the files of the class, if this is all of it, and say what came of it; return whether we did not fail."""
    done, shard = extent.graded, book.facts.shard
    if shard:
        return _close_shard(book, extent, events, shard)
    if done:
        console.print("writing the files of the class", highlight=False)
    published = publish(book, jobs=jobs)
    summary = published.summary
    if events:
        sound = is_sound(book, summary, events)
        changed = told_changes(_changes(book, extent))
        other = decided_for_other_points(book)
        told = {"decided": extent.decided, "decided_for_other_points": other}
        events.tell("done", graded=done, kept=extent.kept, **told, **changed, **told_summary(summary))
        return sound
    if done:
        show_records(console, book, published, f"{summary.assignment}: {submissions_of(summary.submissions)}")
    _tell_decided(extent)
    _tell_other_points(book)
    console.print(f"{done} graded" + f", {extent.kept} unchanged" * bool(extent.kept), highlight=False)
    if extent.regraded:
        tell_changes(console, book)
    say_where(console, book, summary, graded=done)
    return is_sound(book, summary, events)


def submissions_of(number: int) -> str:
    """Say how many submissions there are."""
    return f"{number} submission{'s' * (number != 1)}"


def close_preview(book: Gradebook, extent: Extent, console: Console, events: Events | None) -> bool:
    """Say which scores would change; return whether we did not fail."""
    changes, would_fail = _changes(book, extent), any(r.status == "grader_error" for r in outlines(book))
    if events:
        other = decided_for_other_points(book)
        about = {"preview": True, "kept": extent.kept, "decided_for_other_points": other}
        events.tell("done", graded=extent.graded, **about, **told_changes(changes))
        return not would_fail
    console.print(f"{extent.graded} would be graded, {extent.regraded} of them again", highlight=False)
    if changes:
        console.print(changes_table(changes))
    _tell_decided(extent)
    _tell_other_points(book)
    tell_changes(console, book, would=True)
    console.print("Preview: nothing was written. The same command without --preview does it.", highlight=False)
    return not would_fail


def _changes(book: Gradebook, extent: Extent) -> tuple[Change, ...]:
    """Return what a grading changed, also before it was stopped and went on."""
    return history.changes(book.db, history.current_round(book.db)) if extent.graded else ()


def told_changes(changes: Sequence[Change]) -> dict[str, object]:
    """Return the changes of a grading as the event `done` tells them."""
    down = sum(change.by < 0 for change in changes)
    return {"changed": len(changes), "went_down": down, "changes": [asdict(change) for change in changes]}


def tell_changes(console: Console, book: Gradebook, *, would: bool = False) -> None:
    """Say how many scores the latest grading changed, or would change, and how many were kept."""
    number = history.current_round(book.db)
    changes, kept = history.changes(book.db, number), history.kept_in(book.db, number)
    line = changed_line(len(changes), sum(change.by < 0 for change in changes), would=would)
    more = f"; {kept} kept by --never-lower" if kept else ""
    where = f": {book.folder / 'changes.csv'}" if changes and not would else ""
    console.print(f"{line}{more}{where}", highlight=False, markup=False, soft_wrap=True)


def _close_shard(book: Gradebook, extent: Extent, events: Events | None, shard: str) -> bool:
    """Say what came of a part of a class, which has no files of its own; return whether we did not fail."""
    done = extent.graded
    failed = sum(record.status == "grader_error" for record in outlines(book))
    if events:
        events.tell("done", graded=done, kept=extent.kept, shard=shard, failed=failed)
    else:
        title = f"{book.facts.assignment}: {submissions_of(done + extent.kept)} in shard {shard}"
        print(f"{title}, {done} graded. All shards together: autograder merge ... -o DIR")
    return not failed


def _tell_decided(extent: Extent) -> None:
    """Name the students who resubmitted after a person had decided."""
    if extent.decided:
        told = "resubmitted after a manual override, which still counts"
        print(
            f"autograder: {len(extent.decided)} {told}: {several(extent.decided)}. Look at it again; "
            "autograder override STUDENT EXERCISE --withdraw goes back to the computed points.",
            file=sys.stderr,
        )


def decided_for_other_points(book: Gradebook) -> list[str]:
    """Return the decisions of persons on exercises that were worth other points then, each as a line."""
    return [
        f"{printable(record.student)}, {e.name}: {points_of(e.points, e.max_score)}, "
        f"decided when it was worth {points_text(e.override.worth or 0.0)}"
        for record in itertools.chain(outlines(book), absentees(book), waiting(book))
        for e in record.exercises
        if e.override and e.decided_for_other_points
    ]


def _tell_other_points(book: Gradebook) -> None:
    """Name the decisions on exercises that were worth other points then."""
    if lines := decided_for_other_points(book):
        were = "1 decision was" if len(lines) == 1 else f"{len(lines)} decisions were"
        told = (
            f"autograder: {were} made when the exercise was worth other points; none counts above what it is worth now:"
        )
        more = [f"... and {len(lines) - MAX_LINES} more, which grade --json lists"] * (len(lines) > MAX_LINES)
        advice = "Look at each again, and decide with autograder override or at the desk; the same points confirm it."
        print(told, *(f"    {line}" for line in (*lines[:MAX_LINES], *more)), advice, sep="\n", file=sys.stderr)


def show_records(console: Console, book: Gradebook, published: Published, title: str) -> None:
    """Print the table of a class."""
    show_class(console, title, published.records or tuple(records(book)))


def say_where(console: Console, book: Gradebook, summary: Summary, *, graded: int = 0) -> None:
    """Print what it took, if anything was `graded` just now, what is unfinished, and where the files are."""
    took = f"{summary.seconds:g} s, " * bool(graded)
    console.print(f"{took}seed {summary.seed}", highlight=False)
    show_isolation(console, summary.isolation)
    tell_unfinished(summary)
    tell_unmatched(summary, len(book.facts.roster))
    if summary.undated:
        told = "the export does not say when, so they are late only where it marks them so"
        console.print(f"{summary.undated} handed in, and {told}", highlight=False, soft_wrap=True)
    if summary.problems:
        console.print(f"[red]The grader failed on {submissions_of(len(summary.problems))};[/] grade again.")
    places = ("report.html", "grades.csv", "feedback", "staff", "results", "exports")
    print("\n".join(f"{name.partition('.')[0]:<10}{book.folder / name}" for name in places))


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
    """Say what is not graded yet and who is gone: these are not the grades of the whole class."""
    parts = (
        (summary.not_graded, "not graded yet"),
        (summary.outdated, "to be graded again, since something changed"),
    )
    if summary.waiting:
        answers = f"point{'s' * (summary.points_waiting != 1)} not graded yet, which a person gives, in the answers of {summary.waiting} student{'s' * (summary.waiting != 1)}"
        told = "They are in no score. Grade them with autograder desk."
        print(f"autograder: {points_text(summary.points_waiting)} {answers}. {told}", file=sys.stderr)
    told = " and ".join(f"{len(students)} {what}" for students, what in parts if students)
    if told:
        print(f"autograder: {told}. Run autograder grade again for all of the class.", file=sys.stderr)
    if gone := summary.left:
        told = f"graded before, but not among the latest submissions and so not in the grades: {several(gone)}"
        advice = (
            "Their results are still there. Where what they handed in lies elsewhere, as what came late, put both into one folder "
            "and grade that: the latest of each counts. Where these are some of the class, grade them with --only STUDENT for "
            "each, and all others stay as they are."
        )
        print(f"autograder: {len(gone)} {told}. {advice}", file=sys.stderr)


def tell_unmatched(summary: Summary, people: int) -> None:
    """Say who of the roster handed in nothing, and which submissions are by students who are not on it."""
    absent, strangers = summary.not_submitted, summary.not_on_roster
    if absent:
        names = several(person.name or person.id for _, person in absent)
        print(f"autograder: {len(absent)} of {people} on the roster handed in nothing: {names}.", file=sys.stderr)
    if summary.unclear:
        told = f"{len(summary.unclear)} of {people} on the roster have a name that is not theirs alone, and submissions bear it"
        print(
            f"autograder: {told}: {several(summary.unclear)}. They have no points until you map them.", file=sys.stderr
        )
    if strangers:
        told = f"{len(strangers)} of {summary.submissions} submissions fit no student on the roster, or more than one: {several(strangers)}"
        print(f"autograder: {told}. If they are of people on it, {ALIASES}.", file=sys.stderr)
