"""Compare a class with its gradebook: what is to be graded, and what a stopped run has left to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.gradebook_view import find_exercise
from autograder.classroom.result_keys import builds_on, exercise_keys
from autograder.classroom.seed import draw_seed
from autograder.classroom.shards import Shard
from autograder.classroom.standing import adopt, handed_in_anew, keep, owe, see_class, stale_results
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment
from autograder.oracle.oracle import Oracle
from autograder.submission.archives import printable


@dataclass(frozen=True)
class Choices:
    """What a grader may say beside the class itself; nothing said means as the gradebook has it."""

    seed: int | None = None
    regrade: tuple[str, ...] = ()  # exercises
    only: tuple[str, ...] = ()  # students
    shard: Shard | None = None  # the part of the class that is graded here
    facts: Mapping[str, Any] | None = None  # roster and due date, where they are given
    device: str | None = None  # what models are trained on


@dataclass(frozen=True)
class Plan:
    """What is to be graded: the submissions, and of each the exercises whose results are new."""

    oracle: Oracle
    keys: Mapping[str, str]
    stale: Mapping[str, frozenset[str]]
    tasks: tuple[Submission, ...]
    kept: int
    decided: tuple[str, ...] = ()  # students who resubmitted after a manual override


def make_plan(book: Gradebook, assignment: Assignment, submissions: Sequence[Submission], choices: Choices) -> Plan:
    """Compare a class with its gradebook. A new book gets a seed, which later runs use too. Raises GradebookError."""
    known = book.fact("seed")
    facts = _part(book, choices, known)
    if choices.shard:
        submissions = choices.shard.of(submissions)
    seed = next((seed for seed in (choices.seed, known) if seed is not None), draw_seed())
    if choices.only and known not in (None, seed):
        raise GradebookError(
            f"This class has the seed {known}. Another one for some of it would not be fair; grade all."
        )
    if choices.only and assignment.trainings and book.fact("device") not in (None, assignment.device):
        raise GradebookError(
            f"This class is trained on {book.fact('device')}. Another device for some of it would not be fair; grade all."
        )
    oracle = Oracle(assignment, seed)
    keys = exercise_keys(oracle)
    again = builds_on(assignment, [find_exercise(keys, name) for name in choices.regrade])
    chosen = _chosen(submissions, choices.only)
    book.set_facts(facts | ({"device": assignment.device} if assignment.trainings else {}))
    adopt(book, submissions)
    owed = stale_results(book, submissions, keys)
    owe(book, submissions, owed.keys(), whole=not choices.only)
    book.describe(assignment, seed)
    if not choices.only:
        see_class(book, submissions)
    keep(book, submissions)
    stale = {s.student: owed.get(s.student, frozenset()) | again for s in chosen if again or s.student in owed}
    tasks = tuple(submission for submission in chosen if submission.student in stale)
    decided = tuple(sorted(handed_in_anew(book, tasks) & {who for who, made in book.overrides().items() if made}))
    return Plan(oracle, keys, stale, tasks, len(chosen) - len(tasks), decided)


def _part(book: Gradebook, choices: Choices, seed: int | None) -> dict[str, Any]:
    """Return the facts of a grading, its shard among them. Raises GradebookError where the book is of another part."""
    part, held = str(choices.shard) if choices.shard else None, book.fact("shard")
    if book.fact("assignment") and part != held:
        what = f"shard {held} of a class" if held else "a whole class"
        raise GradebookError(f"{book.folder} holds {what}. Name another folder.")
    if part and choices.seed is None and seed is None:
        raise GradebookError(
            "All shards need the same hidden inputs: add the same --seed to each, a number that students cannot guess, "
            f"such as {draw_seed()}."
        )
    return {**(choices.facts or {}), **({"shard": part} if part else {})}


def _chosen(submissions: Sequence[Submission], only: Iterable[str]) -> Sequence[Submission]:
    """Return the submissions of the students named, by the names in the grades or on the roster."""
    wanted = {name.casefold(): name for name in only}
    found = {}
    for submission in submissions:
        person = submission.person
        names = {submission.student, *((person.id, person.email, person.name) if person else ())}
        for name in {name.casefold() for name in names} & wanted.keys():
            found[name] = submission
    for name in wanted.keys() - found.keys():
        raise GradebookError(f"There is no student {printable(wanted[name])} in this class. grades.csv lists everyone.")
    return list({s.student: s for s in found.values()}.values()) if wanted else submissions
