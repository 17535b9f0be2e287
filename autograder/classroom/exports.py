"""What other systems read: grade sheets as CSV, and Gradescope's results.json. Plain functions from records.

How a platform's own sheet looks is the business of its module in `lms/`. Where markup is read, everything is escaped.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import partial
from html import escape

from autograder.classroom.history import Change
from autograder.classroom.record import NOT_GRADED, NOT_SUBMITTED, UNCLEAR, ExerciseRecord, Override, Record
from autograder.classroom.roster import Person
from autograder.classroom.settled import is_settled
from autograder.course.language import marked, say, say_many, speaking
from autograder.course.spec import Status
from autograder.judge.points import points_text
from autograder.judge.result_json import Json
from autograder.lms.platform import Row, sheet_lines, write_sheet
from autograder.lms.recognition import platforms

_BAD = marked({
    "unreadable": "It could not be read.",
    "not_importable": "It could not be imported.",
    "grader_error": "The grader failed. Nothing is wrong with what you handed in; tell your instructor.",
    NOT_SUBMITTED: "Nothing was handed in.",
    NOT_GRADED: "It is not graded yet.",
    UNCLEAR: "It is not clear which submission is yours; tell your instructor.",
})  # fmt: skip


_NOT_YET, _PARTLY = "not graded yet", "partly_graded"  # where a person still has to grade an answer


def grades_csv(records: Sequence[Record]) -> str:
    """Return the class: a row a student, a column an exercise; further columns where a roster or due dates say more."""
    exercises = list(dict.fromkeys(e.name for record in records for e in record.exercises))
    roster = [key for key in ("id", "name", "email", "section") if any(getattr(r.person, key, "") for r in records)]
    late = any(record.late for record in records)
    changed = any(e.override for record in records for e in record.exercises)
    by_person = any(e.by_person for record in records for e in record.exercises)
    more = [*["waiting"] * by_person, *["late_hours"] * late, *["overridden"] * changed]

    def row_of(record: Record) -> list[object]:
        scores = {e.name: _NOT_YET if e.waits else e.score for e in record.exercises}
        status = _PARTLY if record.waiting and record.status == "graded" else record.status
        row: list[object] = [record.student, record.score, record.max_score, status]
        row += [scores.get(name, 0) for name in exercises]
        row += [getattr(record.person, key, "") for key in roster]
        row += [record.waiting] * by_person
        return row + [_late(record)] * late + [" ".join(e.name for e in record.exercises if e.override)] * changed

    head = ["student", "score", "max_score", "status", *exercises, *roster, *more]
    return write_sheet(itertools.chain([head], map(row_of, records)))


def changes_csv(changes: Sequence[Change]) -> str:
    """Return the history: a row for each score that changed, the earliest first."""
    rows: list[list[object]] = [
        ["when", "student", "exercise", "old", "new", "change", "cause", "who", "because", "grading"]
    ]
    rows += [
        [c.made, c.student, c.exercise, c.old, c.new, c.by, " ".join(c.causes), c.who, c.because, c.round or ""]
        for c in changes
    ]
    return write_sheet(rows)


def sheet_names() -> tuple[str, ...]:
    """Return the platforms that take a grade sheet, by the names of these sheets."""
    return tuple(platform.name for platform in platforms() if platform.sheet)


def platform_sheets(rows: Sequence[Row]) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the name of each platform and, line by line, the CSV of the class as it imports it."""
    return ((platform.name, sheet_lines(platform.sheet(rows))) for platform in platforms() if platform.sheet)


def platform_row(record: Record) -> Row:
    """Return a record as what platforms need of it."""
    person, lms = record.person or Person(""), record.lms
    return Row(
        student=record.student,
        name=person.name or lms.name or record.student,
        id=person.id,
        email=person.email,
        login=person.login,
        section=person.section,
        system=lms.system,
        number=lms.number,
        participant=person.participant,
        place=lms.place,
        title=record.title,
        score=record.score if is_settled(record) else None,  # a platform cannot say how many points still wait
        max_score=record.max_score,
        feedback=partial(_comment, record),
    )


def gradescope_results(record: Record) -> Json:
    """Return results.json as Gradescope specifies it. A test is an exercise, since points are given by exercise.

    Every test is visible: what they say is what a student may read, and one hidden test would hide the total.
    """
    with speaking(record.language):
        tests = [gradescope_test(e, number, whole=bool(record.problem)) for number, e in enumerate(record.exercises, 1)]
        above = _above(record)
    return {
        "score": record.score,
        "execution_time": record.seconds,
        "output": _told("\n".join(above)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"assignment": record.assignment, "status": record.status, "late_hours": record.late_hours},
        "tests": tests,
    }


def gradescope_test(exercise: ExerciseRecord, number: int, *, whole: bool) -> Json:
    """Return an exercise as a test of Gradescope's."""
    return {
        "name": gradescope_name(exercise),
        "name_format": "text",
        "number": str(number),
        **_points_of(exercise),
        "output": exercise_output(exercise, whole=whole),
        "output_format": "text",
        "visibility": "visible",
    }


def gradescope_name(exercise: ExerciseRecord) -> str:
    """Return what an exercise is called there."""
    return say("{exercise} (bonus)", exercise=exercise.name) if exercise.bonus else exercise.name


def _above(record: Record) -> list[str]:
    """Return what is said of the file as a whole."""
    return [told for told in (say(_BAD.get(record.status, "")), record.problem, *record.notes) if told]


def _points_of(exercise: ExerciseRecord) -> Json:
    """Return the points of an exercise as Gradescope takes them; what is not graded yet has none, and the total is without it."""
    if exercise.waits:
        return {}
    status = "passed" if exercise.points >= exercise.max_score else "failed"
    return {"score": exercise.score, "max_score": exercise.max_score, "status": status}


def exercise_output(exercise: ExerciseRecord, *, whole: bool) -> str:
    """Say what a student may know of an exercise: a person's decision, and each case that does not pass.

    Where something is wrong with the file as a `whole`, that is said once, above.
    """
    lines = [say("{decision} (decided by a person)", decision=_said(exercise.override))] if exercise.override else []
    if exercise.waits:
        lines.append(_waits(exercise.max_score))
    if (kept := exercise.kept) and not exercise.override:
        told = marked("The {points} points of the earlier grading stay; this one gives {computed}.")
        lines.append(say(told, points=points_text(kept.points), computed=points_text(kept.computed)))
    for case in exercise.cases:
        if case.status is not Status.PASSED and not whole:
            told = "\n".join(filter(None, [case.message, case.says, case.where]))
            lines.append(f"{case.name}: {case.status}\n{case.claim}\n{told}".strip())
    lines += [exercise.again] if exercise.again else []
    return _told("\n\n".join(lines))


def _comment(record: Record) -> str:
    """Return the feedback as the little markup that Moodle shows; nothing while it is not graded, which would replace earlier words."""
    if record.status == NOT_GRADED:
        return ""
    with speaking(record.language):
        paragraphs = "".join(f"<p>{_markup(part)}</p>" for part in _above(record))
        if record.waiting:
            so_far = say("So far: {points}.", points=points_text(record.points))
            paragraphs += f"<p>{_waits(record.waiting)} {so_far}</p>"
        items = "".join(
            f"<li><strong>{_markup(e.name)}</strong> {points_text(e.score)} / {points_text(e.max_score)}{_why(e, whole=bool(record.problem))}</li>"
            for e in record.exercises
            if e.score is not None
        )
    return f"{paragraphs}<ul>{items}</ul>"


def _why(exercise: ExerciseRecord, *, whole: bool) -> str:
    """Say in a sentence or two what is wrong first; where it is the file as a `whole`, that is said once, above."""
    if exercise.override:
        return f": {_markup(_said(exercise.override))}"
    case = next((case for case in exercise.cases if case.status is not Status.PASSED), None)
    if case is None or whole:
        return f": {_markup(exercise.again)}" if exercise.again else ""
    return (
        f": {_markup(case.claim)} <em>{_markup(case.status)}</em> {_markup(case.says or case.told.headline)}".rstrip()
    )


def _said(decision: Override) -> str:
    """Return what a person said: the items of a rubric that an answer does and does not do, and the reason."""
    items = [f"{'+' if item.ticked else '-'} {item.item} ({points_text(item.points)})" for item in decision.rubric]
    earlier = say("The decision was about an earlier submission.") if decision.earlier else ""
    return "\n".join(filter(None, [*items, decision.because, earlier]))


def _waits(points: float) -> str:
    return say_many(
        "Not graded yet: {points} point, which a person gives.",
        "Not graded yet: {points} points, which a person gives.",
        1 if points == 1 else 2,
        points=points_text(points),
    )


def _late(record: Record) -> object:
    return record.late_hours if record.late_hours is not None else "late" if record.late else ""


def _markup(text: str) -> str:
    return escape(_told(text))


def _told(text: str) -> str:
    """Return a text without what does not print, apart from line ends."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
