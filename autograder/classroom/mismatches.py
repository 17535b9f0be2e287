"""Find a class that matches nothing: another class's roster, another assignment's submissions, aliases of students who are not in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_view import source_of
from autograder.classroom.roster import Roster
from autograder.classroom.student_names import Aliases
from autograder.classroom.submissions import Submission
from autograder.classroom.summary import Summary
from autograder.sandbox.job import Source
from autograder.submission.archives import several

ALIASES = "--alias FILE.csv, which begins with the line name,id, says whose of the roster each name of the export is"
_DEFINITION = re.compile(r"^(?:async )?(?:def|class) +(\w+)", re.MULTILINE)
_SOME = 100  # submissions that are looked into for what they define


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
    if not any(person.name for person in roster.people):
        advice = f"It has no column of names, and finds students by id, login and email alone. {advice}"
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
    exercises = list(book.points)
    sources = [source_of(book, student) for student in islice(book.students(), _SOME)]
    defined, unreadable = defined_in(sources), sources.count(None)
    told = f"No student in this class has a point. Are these the submissions of {summary.assignment}?"
    if unreadable:
        told += f" {unreadable} of them cannot be read."
    if defined and not set(defined) & set(exercises):
        names = defined[:5]
        told += f" They define {' and '.join(names) if len(names) < 3 else several(names)}, and none of "
        told += f"{several(exercises)}."
    where = (
        f"The grades were written all the same: {book.folder}. Look at a few in report.html before anyone gets them."
    )
    return Mismatch("points", f"{told} {where}")


def defined_in(sources: Iterable[Source | None]) -> list[str]:
    """Return the functions and classes that sources define, those that most of them do first."""
    defined = Counter[str]()
    for source in islice(sources, _SOME):
        texts = [chunk.text for chunk in source.chunks] if source else []
        defined.update({name for text in texts for name in _DEFINITION.findall(text)})
    return sorted(defined, key=lambda name: (-defined[name], name))
