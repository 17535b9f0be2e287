"""Write the files of one student: results, feedback and Gradescope's, which students may read, and the page for graders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.exports import gradescope_results
from autograder.classroom.gradebook import Facts
from autograder.classroom.record_json import lined, told_record
from autograder.classroom.requests import Request, told_request
from autograder.classroom.stored_record import StoredRecord
from autograder.classroom.whole_files import write_whole
from autograder.pages.feedback import feedback_html
from autograder.pages.review_queue import Place
from autograder.pages.staff import staff_html

# By folder and ending.
STUDENT_FILES = (("results", ".json"), ("feedback", ".html"), ("exports/gradescope", ".json"), ("staff", ".html"))


@dataclass(frozen=True)
class OneStudent:
    """What the files of one student are made from."""

    stored: StoredRecord
    asked: tuple[Request, ...]
    place: Place | None  # in the queue of those to look at


def write_student(out: Path, facts: Facts, one: OneStudent) -> None:
    """Write all of a student's files."""
    record, source = one.stored.record(), one.stored.source
    more = {"requests": [told_request(request) for request in one.asked]} if one.asked else {}
    texts = (  # a line for each case, and for each test of Gradescope's a line for each of its fields
        lined(told_record(record) | more, 4),
        feedback_html(
            record,
            facts.questions if facts.reasons_told else (),
            one.asked,
            source.pictures if source else (),
        ),
        lined(gradescope_results(record), 3),
        staff_html(record, source, out, one.place),
    )
    for (folder, suffix), text in zip(STUDENT_FILES, texts, strict=True):
        write_whole(out / folder / f"{record.student}{suffix}", text)


def write_page_for_graders(out: Path, one: OneStudent) -> None:
    """Write that page alone, as when a student's neighbours in the queue changed."""
    folder, suffix = STUDENT_FILES[-1]
    text = staff_html(one.stored.record(), one.stored.source, out, one.place)
    write_whole(out / folder / f"{one.stored.student}{suffix}", text)
