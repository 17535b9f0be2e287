"""Who of a gradebook is who of a class: names in the grades change, as when a roster or another Ada comes.

Somebody is known by the id on the roster, and else by the export's own words. Nobody may get the results, and above all
the decisions, that were somebody else's.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.classroom.submissions import Submission


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
