"""The order in which a person looks at a class: who needs a look first, then the students behind failures without a name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from autograder.classroom.record import Record
from autograder.classroom.unnamed_failures import Group
from autograder.pages import needs_a_look


@dataclass(frozen=True)
class Place:
    """Who stands before and after a student in the queue; a page tells no more of it, so that few pages change with it."""

    before: str = ""
    after: str = ""
    name_before: str = ""  # theirs on the roster
    name_after: str = ""


def queue_of(results: Iterable[Record], groups: Iterable[Group]) -> tuple[str, ...]:
    """Return the students to look at, the most urgent first; members of a group stand together, the largest group first."""
    urgent = (student for rows in needs_a_look.looks(results).values() for student, _ in rows)
    unnamed = (student for group in groups for student in group.students)
    return tuple(dict.fromkeys([*urgent, *unnamed]))


def places(queue: Sequence[str], people: Mapping[str, str]) -> Mapping[str, Place]:
    """Return the place of each student in the queue; `people` are names on the roster."""
    around = zip(queue, ["", *queue], [*queue[1:], ""], strict=False)
    return {who: Place(one, two, people.get(one, ""), people.get(two, "")) for who, one, two in around}


def moved(before: Sequence[str], after: Sequence[str]) -> frozenset[str]:
    """Return the students whose neighbours in the queue are others than before, also by joining or leaving it."""
    pairs = set(pairwise(("", *before, ""))) ^ set(pairwise(("", *after, "")))
    return frozenset(student for pair in pairs for student in pair if student)


def stored_queue(queue: Sequence[str]) -> str:
    """Return a queue as it is kept beside the pages that were made from it."""
    return json.dumps(queue, indent=0)


def queue_in(text: str) -> tuple[str, ...]:
    """Return the queue that was kept; none where the text is not one."""
    try:
        found = json.loads(text)
    except ValueError:
        return ()
    return tuple(str(student) for student in found) if isinstance(found, list) else ()
