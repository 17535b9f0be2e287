"""Grade a class into its gradebook: what is new of it, and the files made from the book."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from rich.console import Console

from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.mismatches import roster_mismatch, unmatched_aliases
from autograder.classroom.one_file import as_theirs, is_one_file, note_replaced, with_files_kept
from autograder.classroom.platform_maximum import is_of_this, other_maximum
from autograder.classroom.roster import Roster
from autograder.classroom.still_to_grade import Choices, Extent, make_plan
from autograder.classroom.submissions import Submission, read_class
from autograder.classroom.wrong_class import class_mismatch
from autograder.command.class_outcome import close_class, close_preview, tell_mismatch
from autograder.command.machines import Machines
from autograder.command.progress import Events, watch_on
from autograder.course.spec import Assignment
from autograder.submission.archives import several
from autograder.submission.written_exercises import Stub


def grade_into(
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
    assignment = where.assignment()
    found = read_class(submissions, Stub.of(assignment), people)
    for line in [f"read as an export of {name}" for name in found.platforms] + [*found.remarks]:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    alone = is_one_file(found.submissions, submissions, choices)
    if mismatch := None if alone else roster_mismatch(found.submissions, people):
        tell_mismatch(mismatch, events)
        return False
    if people and choices.facts.aliases and (told := unmatched_aliases(found.submissions, people)):
        print(f"autograder: {told}", file=sys.stderr)
    with open_gradebook(out, assignment) as book:
        handed_in, choices = as_theirs(book, found.submissions, submissions, choices)
        if alone:
            note_replaced(book, handed_in, choices)
        else:
            handed_in, kept = with_files_kept(book, handed_in)
            _tell_kept(kept, console)
        extent = _grade_new(book, where, assignment, choices, handed_in, people, console, events)
        del found, handed_in
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


def _tell_kept(students: Sequence[str], console: Console) -> None:
    """Say of whom a file counts that came alone, since the class's export has what it replaced."""
    if students:
        told = f"what a single file replaced came again; that file still counts: {several(students)}"
        console.print(told, highlight=False, markup=False, soft_wrap=True)


def _of_roster(people: Roster) -> str:
    """Say how many people a roster has, and what it says of them."""
    known = [key for key in asdict(people.people[0]) if any(getattr(one, key) for one in people.people)]
    if all(one.id == one.email for one in people.people):
        known.remove("id")  # the file has none, and students go by their addresses
    count = "1 person" if len(people.people) == 1 else f"{len(people.people)} people"
    return f"roster: {count}, with {', '.join(known)}"


def _on_device(
    where: Machines, book: Gradebook, assignment: Assignment, choices: Choices, console: Console
) -> Assignment:
    """Return the assignment on the device that was asked for, else on that of the gradebook; say what is to be said of it."""
    assignment, told = where.settle(assignment, choices.device or book.facts.device or "auto")
    if told:
        console.print(told, highlight=False, markup=False, soft_wrap=True)
    return assignment
