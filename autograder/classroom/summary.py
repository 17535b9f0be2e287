"""What holds for a graded class as a whole: `summary.json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_view import left, outdated
from autograder.classroom.record import UNCLEAR, Record
from autograder.classroom.roster import Person
from autograder.sandbox.job import Isolation


@dataclass(frozen=True)
class Summary:
    """The run, and the students for whom there is something to do or to know. Students are named as in the grades."""

    assignment: str
    title: str
    seed: int
    due: str | None
    engine: str
    libraries: str
    isolation: Isolation
    seconds: float
    submissions: int
    problems: tuple[str, ...]
    without_points: bool  # the whole class is graded and has no point
    late: int
    undated: int
    overrides: int
    waiting: int  # students with answers that a person has not graded yet
    points_waiting: float  # of all of these answers together
    not_submitted: tuple[tuple[str, Person], ...]
    not_graded: tuple[str, ...]
    unclear: tuple[str, ...]  # on the roster, of a name that several have and that submissions bear
    outdated: tuple[str, ...]
    left: tuple[str, ...]
    not_on_roster: tuple[str, ...]


def summarize(
    book: Gradebook, records: Sequence[Record], missing: Sequence[Record], later: Sequence[Record]
) -> Summary:
    """Sum up a class: who was graded, who handed in nothing, and who is still to be graded."""
    failed = [record for record in records if record.status == "grader_error"]
    run, last = book.run, book.last_run()
    return Summary(
        assignment=run.assignment,
        title=run.title,
        seed=run.seed,
        due=book.facts.due or None,
        engine=last.engine,
        libraries=last.libraries,
        isolation=last.isolation,
        seconds=last.seconds,
        submissions=len(records),
        problems=tuple(f"{record.student}: {record.problem}" for record in failed),
        without_points=len(records) > 1 and not (later or failed or any(record.points for record in records)),
        late=sum(record.late for record in records),
        undated=sum(bool(record.due and not record.submitted) for record in records),
        overrides=sum(len(decided) for decided in book.overrides().values()),
        waiting=sum(record.waiting > 0 for record in records),
        points_waiting=round(sum(record.waiting for record in records), 2),
        not_submitted=tuple((record.student, record.person) for record in missing if record.person),
        not_graded=tuple(record.student for record in later if record.status != UNCLEAR),
        unclear=tuple(record.student for record in later if record.status == UNCLEAR),
        outdated=tuple(outdated(book)),
        left=tuple(left(book)),
        not_on_roster=tuple(r.student for r in records if not r.person) if book.facts.roster else (),
    )


def told_summary(summary: Summary) -> dict[str, object]:
    """Return a summary as summary.json tells it."""
    missing = [{"student": student, **asdict(person)} for student, person in summary.not_submitted]
    return {**asdict(summary), "not_submitted": missing}
