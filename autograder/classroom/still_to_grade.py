"""Compare a class with its gradebook: who is in it, whose results still stand, and what is to be graded.

Names in the grades change, as when a roster or another Ada comes. A student is known by the id on the roster, and else by
the export's own words. No student may get the results, and above all the decisions, of another.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.classroom import history
from autograder.classroom.gradebook import Facts, Gradebook, GradebookError
from autograder.classroom.gradebook_view import find_exercise
from autograder.classroom.record import head
from autograder.classroom.record_json import head_of, stored_head
from autograder.classroom.result_keys import Basis, builds_on, exercise_bases, result_key
from autograder.classroom.seed import draw_seed
from autograder.classroom.shards import Shard
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment
from autograder.oracle.oracle import Oracle
from autograder.submission.archives import printable, several

_BY_STUDENT = (
    "submission", "grading", "exercise", "override", "written", "todo", "history", "kept", "request", "replaced",
)  # fmt: skip


@dataclass(frozen=True)
class Choices:
    """What a grader may say beside the class itself; nothing said means as the gradebook has it."""

    seed: int | None = None
    regrade: tuple[str, ...] = ()  # exercises
    only: tuple[str, ...] = ()  # students
    shard: Shard | None = None  # the part of the class that is graded here
    facts: Facts = field(default_factory=Facts)  # roster, aliases and due date, where they are given
    device: str | None = None  # what models are trained on
    never_lower: bool = False  # whether points for the same code stay where they would be fewer
    accept_mismatch: bool = False  # whether other students' or another assignment's files may replace the class


@dataclass(frozen=True)
class Extent:
    """How much of a class a run grades."""

    graded: int  # submissions
    kept: int  # results that still hold
    regraded: int  # of the submissions those whose students have results already
    decided: tuple[str, ...]  # students who resubmitted after a manual override


@dataclass(frozen=True)
class Plan:
    """What is to be graded: the submissions, and of each the exercises whose results are new."""

    oracle: Oracle
    keys: Mapping[str, str]
    stale: Mapping[str, frozenset[str]]
    tasks: tuple[Submission, ...]
    kept: int
    decided: tuple[str, ...] = ()  # students who resubmitted after a manual override
    regraded: int = 0  # of the submissions those whose students have results already
    never_lower: bool = False

    @property
    def extent(self) -> Extent:
        """How much there is to grade; a large class itself takes megabytes, which its pages need once it is graded."""
        return Extent(len(self.tasks), self.kept, self.regraded, self.decided)


def make_plan(book: Gradebook, assignment: Assignment, submissions: Sequence[Submission], choices: Choices) -> Plan:
    """Compare a class with its gradebook. A new book gets a seed, which later runs use too. Raises GradebookError.

    The seed is written down before anything takes long, so that a run that is killed keeps the one it was given.
    """
    facts = _part(book, choices, book.facts.seed)
    if choices.shard:
        submissions = choices.shard.of(submissions)
    seed = _seed_for(book, assignment, choices)
    regrade = [find_exercise([e.name for e in assignment.exercises], name) for name in choices.regrade]
    chosen = choose(submissions, choices.only)
    goes_on = bool(book.db.execute("SELECT 1 FROM todo").fetchone())
    book.set_facts(replace(facts, device=assignment.device if assignment.trainings else ""))
    adopt(book, submissions)
    if seed != book.facts.seed:
        owe(book, submissions, {submission.student for submission in submissions}, whole=not choices.only)
        book.set_facts(Facts(seed=seed))
    oracle = Oracle(assignment, seed)
    bases = exercise_bases(oracle)
    keys, again = {name: basis.key for name, basis in bases.items()}, builds_on(assignment, regrade)
    owed = stale_results(book, submissions, keys)
    owe(book, submissions, owed.keys(), whole=not choices.only)
    book.describe(assignment, seed)
    if not choices.only:
        see_class(book, submissions)
    keep(book, submissions)
    alike = dict[frozenset[str], frozenset[str]]()  # of a new class all owe the same: one object for all of them
    names = {s.student: owed.get(s.student, frozenset()) | again for s in chosen if again or s.student in owed}
    stale = {student: alike.setdefault(theirs, theirs) for student, theirs in names.items()}
    tasks = tuple(submission for submission in chosen if submission.student in stale)
    _begin(book, bases.values(), new=bool(tasks) and not goes_on)
    held = {student for (student,) in book.db.execute("SELECT student FROM submission")}
    decided = tuple(sorted(handed_in_anew(book, tasks) & {who for who, made in book.overrides().items() if made}))
    regraded = sum(task.student in held for task in tasks)
    return Plan(oracle, keys, stale, tasks, len(chosen) - len(tasks), decided, regraded, choices.never_lower)


def _seed_for(book: Gradebook, assignment: Assignment, choices: Choices) -> int:
    """Return the seed of a grading. Raises GradebookError where some of a class would be graded unlike the others."""
    known = book.facts.seed
    seed = next((seed for seed in (choices.seed, known) if seed is not None), draw_seed())
    if choices.only and known not in (None, seed):
        raise GradebookError(
            f"This class has the seed {known}. Another one for some of it would not be fair; grade all."
        )
    if choices.only and assignment.trainings and book.facts.device not in ("", assignment.device):
        raise GradebookError(
            f"This class is trained on {book.facts.device}. Another device for some of it would not be fair; grade all."
        )
    return seed


def _begin(book: Gradebook, bases: Iterable[Basis], *, new: bool) -> None:
    """Note what results are going to depend on, and that a `new` round of gradings begins."""
    with book.db:
        history.note_bases(book.db, bases)
        if new:
            history.begin_round(book.db)


def _part(book: Gradebook, choices: Choices, seed: int | None) -> Facts:
    """Return the facts of a grading, its shard among them. Raises GradebookError where the book is of another part."""
    part, held = str(choices.shard) if choices.shard else "", book.facts.shard
    if book.facts.assignment and part != held:
        what = f"shard {held} of a class" if held else "a whole class"
        raise GradebookError(f"{book.folder} holds {what}. Name another folder.")
    if part and choices.seed is None and seed is None:
        raise GradebookError(
            "All shards need the same hidden inputs: add the same --seed to each, a number that students cannot guess, "
            f"such as {draw_seed()}."
        )
    return replace(choices.facts, shard=part)


def choose(submissions: Sequence[Submission], only: Iterable[str]) -> Sequence[Submission]:
    """Return the submissions of the students named, by the names in the grades or on the roster."""
    wanted = {name.casefold(): name for name in only}
    found: dict[str, list[Submission]] = {name: [] for name in wanted}
    for submission in submissions:
        person = submission.person
        of_export = (submission.owner.name, submission.owner.key)
        names = {submission.student, *of_export, *((person.id, person.email, person.name) if person else ())}
        for name in {name.casefold() for name in names} & wanted.keys():
            found[name].append(submission)
    here = [submission.student for submission in submissions]
    chosen = (_the_one(wanted[name], people, here) for name, people in found.items())
    return list({one.student: one for one in chosen}.values()) if wanted else submissions


def _the_one(wanted: str, people: Sequence[Submission], here: Sequence[str]) -> Submission:
    """Return the only one of those who go by a name, or who has it in the grades. Raises GradebookError."""
    people = [one for one in people if one.student.casefold() == wanted.casefold()] or people
    if not people:
        near = difflib.get_close_matches(wanted, here, 3, 0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"It has {several(here)}."
        raise GradebookError(f"There is no student {printable(wanted)} in this class. {hint}")
    if len(people) > 1:
        fitting = several(sorted(one.student for one in people))
        raise GradebookError(f"{printable(wanted)} may be any of {fitting}. Name one of them.")
    return people[0]


@dataclass(frozen=True)
class Known:
    """Whose a row of a gradebook is: the export's key for its owner, and the id on the roster, or nothing."""

    owner: str
    person: str = ""

    def differs(self, other: Known) -> bool:
        """Whether two of one name are surely not the same; a roster may have come or gone in between."""
        if self.person and other.person:
            return self.person != other.person
        return not (self.person or other.person) and bool(self.owner and other.owner) and self.owner != other.owner


def whose(submission: Submission) -> Known:
    """Return whose a submission is."""
    key = submission.owner.key.encode("utf-8", "replace").decode()  # as a database takes it
    return Known(key, submission.person.id if submission.person else "")


def renames(held: Mapping[str, Known], submissions: Sequence[Submission]) -> dict[str, str]:
    """Return the new names of rows that are `held`: those of their students, or spare ones to make room, whatever the case."""
    here = {submission.student: whose(submission) for submission in submissions}
    stays = {name for name, known in held.items() if name in here and not known.differs(here[name])}
    by_owner = {known.owner: name for name, known in held.items() if known.owner}
    moves = {}
    for student, known in here.items():
        earlier = by_owner.get(known.owner)
        if student not in stays and earlier and earlier not in stays:
            moves[earlier] = student
    names = {name.casefold() for name in here}
    taken = {name.casefold() for name in held} | names
    for name in sorted(name for name in held.keys() - stays - moves.keys() if name.casefold() in names):
        moves[name] = next(new for n in itertools.count(2) if (new := f"{name[:70]}-{n}").casefold() not in taken)
        taken.add(moves[name].casefold())
    return moves


def earlier_names(held: Mapping[str, Known], submissions: Sequence[Submission]) -> dict[str, str]:
    """Return by what name each student of a class that a gradebook knows is `held` there."""
    moves, here = renames(held, submissions), {submission.student for submission in submissions}
    return {new: old for old in held if (new := moves.get(old, old)) in here}


def known_students(book: Gradebook) -> dict[str, Known]:
    """Return whose each row of a gradebook is, also of students who left the class."""
    held = {}
    for table in ("todo", "submission"):
        for student, owner, known in book.db.execute(f"SELECT student, owner, head FROM {table}"):  # noqa: S608 (ours)
            person = head_of(known).person
            held[student] = Known(owner, person.id if person else "")
    return held


def adopt(book: Gradebook, submissions: Sequence[Submission]) -> None:
    """Let results follow students whose name changed since, as when a roster was added."""
    moves = renames(known_students(book), submissions)
    aside = {old: f"/{new}" for old, new in moves.items()}  # two may trade names, and no name has a slash
    with book.db:
        for old, new in [*aside.items(), *((aside[old], new) for old, new in moves.items())]:
            for table in _BY_STUDENT:
                change = f"UPDATE OR REPLACE {table} SET student = ? WHERE student = ?"  # noqa: S608 (ours)
                book.db.execute(change, (new, old))
            book.changed(new)


def stale_results(
    book: Gradebook, submissions: Iterable[Submission], keys: Mapping[str, str]
) -> dict[str, frozenset[str]]:
    """Return by student the exercises whose results are missing or stale."""
    found, shared = dict[str, frozenset[str]](), dict[frozenset[str], frozenset[str]]()
    for submission in submissions:
        mine = dict(book.db.execute("SELECT name, key FROM exercise WHERE student = ?", (submission.student,)))
        names = frozenset(name for name, key in keys.items() if mine.get(name) != result_key(key, submission.key))
        if names:
            found[submission.student] = shared.setdefault(names, names)
    return found


def handed_in_anew(book: Gradebook, submissions: Iterable[Submission]) -> set[str]:
    """Return the students whose code is not what was graded before."""
    held = dict(book.db.execute("SELECT student, content FROM submission"))
    return {s.student for s in submissions if held.get(s.student, s.key) != s.key}


def is_current(book: Gradebook, student: str, name: str, key: str) -> bool:
    """Whether a student's result for an exercise is the one that its key would give today."""
    row = book.db.execute(
        "SELECT e.key, s.content FROM exercise e JOIN submission s USING (student) WHERE student = ? AND name = ?",
        (student, name),
    ).fetchone()
    return row is not None and row[0] == result_key(key, row[1])


def see_class(book: Gradebook, submissions: Sequence[Submission]) -> None:
    """Note who is in the class now and what is new about those who are graded already.

    Students who are not in it any more leave the grades, and their results stay in the gradebook.
    """
    here = {submission.student for submission in submissions}
    with book.db:
        for student, present in book.db.execute("SELECT student, present FROM submission").fetchall():
            if present != (student in here):
                book.db.execute("UPDATE submission SET present = ? WHERE student = ?", (student in here, student))
                book.changed(student)


def keep(book: Gradebook, submissions: Iterable[Submission]) -> None:
    """Bring up to date what is known of submissions that are graded already, code unchanged."""
    held = {row[0]: row[1:] for row in book.db.execute("SELECT student, content, head FROM submission")}
    due = book.due
    with book.db:
        for submission in submissions:
            content, known = held.get(submission.student, ("", ""))
            text = stored_head(head(submission, due))
            if content == submission.key and known != text:
                book.db.execute("UPDATE submission SET head = ? WHERE student = ?", (text, submission.student))
                book.changed(submission.student)


def owe(book: Gradebook, submissions: Sequence[Submission], stale: Collection[str], *, whole: bool) -> None:
    """Note who is still to be graded, until `save`: a run may be killed, or be about some of the class only.

    It is noted before the book gets another seed, since results that wait keep theirs. Where `submissions` are not
    the `whole` class, nothing changes for the others.
    """
    due, seed = book.due, book.facts.seed
    before = {student: row for student, *row in book.db.execute("SELECT student, owner, head, seed FROM todo")}
    here = {submission.student for submission in submissions}
    after = {} if whole else {student: row for student, row in before.items() if student not in here}
    for submission in submissions:
        student = submission.student
        if student in stale:
            owner = whose(submission).owner  # by which `adopt` knows it again
            its_seed = before[student][-1] if student in before else seed
            after[student] = [owner, stored_head(head(submission, due)), its_seed]
    with book.db:
        for student in before.keys() | after.keys():
            if before.get(student) != after.get(student):
                book.changed(student)
        book.db.execute("DELETE FROM todo")
        book.db.executemany("INSERT INTO todo VALUES (?, ?, ?, ?)", [(who, *row) for who, row in after.items()])
