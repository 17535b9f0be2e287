"""Compare a gradebook with a class: who is in it, whose results still stand, and who is still to be graded.

Names in the grades change, as when a roster or another Ada comes. A student is known by the id on the roster, and else by
the export's own words. No student may get the results, and above all the decisions, of another.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.classroom.gradebook import Gradebook
from autograder.classroom.record import head
from autograder.classroom.record_json import head_of, stored_head
from autograder.classroom.result_keys import result_key
from autograder.classroom.submissions import Submission

_BY_STUDENT = ("submission", "grading", "exercise", "override", "written", "todo")


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
    """Return the new names of rows that are `held`: those of their students, or spare ones to make room."""
    here = {submission.student: whose(submission) for submission in submissions}
    stays = {name for name, known in held.items() if name in here and not known.differs(here[name])}
    by_owner = {known.owner: name for name, known in held.items() if known.owner}
    moves = {}
    for student, known in here.items():
        earlier = by_owner.get(known.owner)
        if student not in stays and earlier and earlier not in stays:
            moves[earlier] = student
    taken = {*held, *here}
    for name in (held.keys() & here.keys()) - stays - moves.keys():
        moves[name] = next(new for n in itertools.count(2) if (new := f"{name[:70]}-{n}") not in taken)
        taken.add(moves[name])
    return moves


def adopt(book: Gradebook, submissions: Sequence[Submission]) -> None:
    """Let results follow students whose name changed since, as when a roster was added."""
    held = {}
    for table in ("todo", "submission"):
        for student, owner, known in book.db.execute(f"SELECT student, owner, head FROM {table}"):  # noqa: S608 (ours)
            person = head_of(known).person
            held[student] = Known(owner, person.id if person else "")
    moves = renames(held, submissions)
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
    held = dict[str, dict[str, str]]()
    for student, name, key in book.db.execute("SELECT student, name, key FROM exercise"):
        held.setdefault(student, {})[name] = key
    found = {}
    for submission in submissions:
        mine = held.get(submission.student, {})
        found[submission.student] = frozenset(
            name for name, key in keys.items() if mine.get(name) != result_key(key, submission.key)
        )
    return {student: names for student, names in found.items() if names}


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
    due, seed = book.due, book.fact("seed")
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
