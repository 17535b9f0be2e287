"""Whether a score is the student's, or still open: platforms and the grade of a whole course take no other."""

from __future__ import annotations

from autograder.classroom.record import NOT_GRADED, UNCLEAR, Record
from autograder.course.spec import Status


def is_settled(record: Record) -> bool:
    """Return whether nothing of it waits for a grading or a person, and no undecided exercise for a grader that failed."""
    if record.status in (NOT_GRADED, UNCLEAR) or record.waiting:
        return False
    undecided = [exercise for exercise in record.exercises if not exercise.override]
    return not any(Status.GRADER_ERROR in (e.status, *(case.status for case in e.cases)) for e in undecided)
