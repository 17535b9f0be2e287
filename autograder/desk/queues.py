"""What waits for a person, by exercise: requests, flags, answers to grade, what needs a look, failures without a name.

What the records call for is found once and kept until a result changes. What persons did about it is read each time.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from autograder.classroom.decisions import decided_as_handed_in
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_view import records
from autograder.classroom.marks import Kind, Mark, marks
from autograder.classroom.record import Record
from autograder.classroom.requests import requests
from autograder.classroom.unnamed_failures import groups
from autograder.course.spec import Status
from autograder.pages import needs_a_look

_AGAIN = "It was handed in again since a person graded it, so the points are those of what was there before."
WHOLE = ""  # in place of an exercise: the submission as a whole


class Reason(StrEnum):
    """Why something waits; the most urgent first."""

    REQUEST = "request"
    FLAGGED = "flagged"
    MANUAL = "manual"
    LOOK = "look"
    UNNAMED = "unnamed"


@dataclass(frozen=True)
class Item:
    """A student in a queue, why, and whether a person has been there."""

    student: str
    why: str
    done: bool = False


@dataclass(frozen=True)
class Queue:
    """The students who wait for one reason in one exercise, in the order to look at them."""

    exercise: str
    reason: Reason
    items: tuple[Item, ...]

    @property
    def left(self) -> int:
        """How many still wait."""
        return sum(not item.done for item in self.items)

    def item(self, student: str) -> Item | None:
        """Return a student's item, if there is one."""
        return next((item for item in self.items if item.student == student), None)

    def beside(self, student: str, taken: Collection[str], *, back: bool = False) -> str:
        """Return the next student after one, or before; those open at another desk come last. "" where the queue is empty."""
        items = tuple(reversed(self.items)) if back else self.items
        place = next((n for n, item in enumerate(items, 1) if item.student == student), 0)
        waiting = [one.student for one in (*items[place:], *items[:place]) if not one.done and one.student != student]
        return next((who for who in waiting if who not in taken), waiting[0] if waiting else "")


Candidates = Mapping[tuple[str, Reason], tuple[Item, ...]]


class ClassQueues:
    """The queues of one class. For several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._digest = ""
        self._candidates: Candidates = {}

    def read(self, book: Gradebook) -> tuple[Queue, ...]:
        """Return all queues, by exercise in the order of the report; the submission as a whole comes first."""
        current = decided_as_handed_in(book.db)
        noted, decided = marks(book), {(who, name) for who, found in book.overrides().items() for name in found}
        found: dict[tuple[str, Reason], tuple[Item, ...]] = {}
        for (exercise, reason), items in self._called_for(book).items():
            seen = {who for who, name in decided if name == exercise}
            if reason is Reason.MANUAL:  # an answer that was only seen, or flagged, still has no points
                found[exercise, reason] = tuple(
                    _answer(one.student, graded=one.student in seen, current=(one.student, exercise) in current)
                    for one in items
                )
                continue
            seen |= {who for who, name in noted if name == exercise}  # who is flagged waits in a queue of its own
            found[exercise, reason] = tuple(Item(one.student, one.why, one.student in seen) for one in items)
        for exercise in (WHOLE, *book.points):
            found[exercise, Reason.REQUEST] = tuple(_asked(book, exercise))
            found[exercise, Reason.FLAGGED] = tuple(_flagged(noted, exercise))
        return tuple(
            Queue(exercise, reason, found[exercise, reason])
            for exercise in (WHOLE, *book.points)
            for reason in Reason
            if found.get((exercise, reason))
        )

    def _called_for(self, book: Gradebook) -> Candidates:
        digest = _digest(book)
        with self._lock:
            if digest != self._digest:
                self._candidates, self._digest = _candidates(tuple(records(book))), digest
            return self._candidates


def _digest(book: Gradebook) -> str:
    """Return a digest of what results there are, and of which code."""
    made = hashlib.sha256()
    for query in (
        "SELECT student, content, present FROM submission ORDER BY student",
        "SELECT student, name, key, score, run FROM exercise ORDER BY student, name",
        "SELECT student, run, problem FROM grading ORDER BY student",
    ):
        for row in book.db.execute(query):
            made.update(repr(row).encode())
    return made.hexdigest()


def _candidates(graded: Iterable[Record]) -> Candidates:
    graded = tuple(graded)
    found: dict[tuple[str, Reason], dict[str, str]] = {}
    for record in graded:
        for answered in (exercise for exercise in record.exercises if exercise.status is Status.MANUAL):
            found.setdefault((answered.name, Reason.MANUAL), {})[record.student] = ""
        for exercise, why in needs_a_look.places(record):
            told = found.setdefault((exercise, Reason.LOOK), {})
            told[record.student] = f"{told[record.student]} {why}" if record.student in told else why
    for group in groups(graded):
        told = found.setdefault((group.exercise, Reason.UNNAMED), {})
        others = len(group.students) - 1
        alike = f"{others} more fail alike" if others else "No other code fails like this"
        told |= dict.fromkeys(group.students, f"{alike}. Cases without a name: {', '.join(group.cases)}.")
    return {key: tuple(Item(who, why) for who, why in told.items()) for key, told in found.items()}


def _answer(student: str, *, graded: bool, current: bool) -> Item:
    """Return an answer in its queue: done when a person graded it as it is now."""
    return Item(student, _AGAIN if graded and not current else "", current)


def _asked(book: Gradebook, exercise: str) -> Iterator[Item]:
    """Yield who asks about an exercise, the earliest first; done when all that a student asks is answered."""
    told: dict[str, list[bool]] = {}
    words: dict[str, str] = {}
    for one in requests(book):
        if one.exercise == exercise:
            told.setdefault(one.student, []).append(one.answer is not None)
            words[one.student] = one.asks
    yield from (Item(who, words[who], all(answered)) for who, answered in told.items())


def _flagged(noted: Mapping[tuple[str, str], Mark], exercise: str) -> Iterator[Item]:
    for (who, name), mark in noted.items():
        if name == exercise and mark.kind is Kind.FLAGGED:
            yield Item(who, f"{mark.who}: {mark.words}" if mark.words else f"Flagged by {mark.who}.")
