"""What other systems read: grade sheets as CSV, and Gradescope's results.json. Plain functions from records.

How a platform's own sheet looks is the business of its module in `lms/`. Where markup is read, everything is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from autograder.classroom.record import NOT_GRADED, NOT_SUBMITTED, Json
from autograder.course.spec import Status
from autograder.lms.platform import Row
from autograder.lms.recognition import platforms
from autograder.lms.sheets import write_sheet

_BAD = {
    "unreadable": "It could not be read.",
    "not_importable": "It could not be imported.",
    "grader_error": "The grader failed. Nothing is wrong with what you handed in; tell your instructor.",
    NOT_SUBMITTED: "Nothing was handed in.",
    NOT_GRADED: "It is not graded yet.",
}


def grades_csv(records: Sequence[Json]) -> str:
    """Return the class: a row a student, a column an exercise; further columns where a roster or due dates say more."""
    exercises = list(dict.fromkeys(e["name"] for entry in records for e in entry["exercises"]))
    roster = [key for key in ("id", "name", "email", "section") if any((e["person"] or {}).get(key) for e in records)]
    late = any(entry["late"] for entry in records)
    changed = any(e["override"] for entry in records for e in entry["exercises"])
    rows: list[list[object]] = [["student", "score", "max_score", "status", *exercises, *roster]]
    rows[0] += ["late_hours"] * late + ["overridden"] * changed
    for entry in records:
        scores = {e["name"]: e["score"] for e in entry["exercises"]}
        row = [entry["student"], entry["score"], entry["max_score"], entry["status"]]
        row += [scores.get(name, 0) for name in exercises]
        row += [(entry["person"] or {}).get(key, "") for key in roster]
        row += [_late(entry)] * late + [" ".join(e["name"] for e in entry["exercises"] if e["override"])] * changed
        rows.append(row)
    return write_sheet(rows)


def sheet_names() -> tuple[str, ...]:
    """Return the platforms that take a grade sheet, by the names of these sheets."""
    return tuple(platform.name for platform in platforms() if platform.sheet)


def platform_sheets(rows: Sequence[Row]) -> dict[str, str]:
    """Return the class as each platform imports it, by the platform's name."""
    return {platform.name: platform.sheet(rows) for platform in platforms() if platform.sheet}


def platform_row(entry: Mapping[str, Any]) -> Row:
    """Return a record as what platforms need of it; records of earlier versions have no place."""
    person, lms = entry["person"] or {}, entry["lms"]
    return Row(
        student=entry["student"],
        name=person.get("name") or lms["name"] or entry["student"],
        id=person.get("id", ""),
        email=person.get("email", ""),
        login=person.get("login", ""),
        section=person.get("section", ""),
        system=lms["system"],
        number=str(lms["number"]),
        place=lms.get("place", ""),
        title=str(entry["title"]),
        score=entry["score"],
        max_score=entry["max_score"],
        feedback=_comment(entry),
    )


def gradescope_results(entry: Mapping[str, Any]) -> Json:
    """Return results.json as Gradescope specifies it. A test is an exercise, since points are given by exercise.

    Every test is visible: what they say is what a student may read, and one hidden test would hide the total.
    """
    tests = [
        {
            "name": exercise["name"],
            "name_format": "text",
            "number": str(number),
            "score": exercise["score"],
            "max_score": exercise["max_score"],
            "status": "passed" if exercise["score"] >= exercise["max_score"] else "failed",
            "output": _told("\n\n".join(_exercise_lines(exercise, bool(entry["problem"])))),
            "output_format": "text",
            "visibility": "visible",
        }
        for number, exercise in enumerate(entry["exercises"], 1)
    ]
    return {
        "score": entry["score"],
        "execution_time": entry["seconds"],
        "output": _told("\n".join(filter(None, [_BAD.get(entry["status"], ""), entry["problem"], *entry["notes"]]))),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"assignment": entry["assignment"], "status": entry["status"], "late_hours": entry["late_hours"]},
        "tests": tests,
    }


def _exercise_lines(exercise: Mapping[str, Any], whole: bool) -> list[str]:
    """Say what a student may know of an exercise: a person's decision, and each case that does not pass.

    Where something is wrong with the file as a `whole`, that is said once, above.
    """
    lines = [f"{exercise['override']['because']} (decided by a person)"] if exercise["override"] else []
    for case in exercise["cases"]:
        if case["status"] != Status.PASSED and not whole:
            told = "\n".join(filter(None, [case["message"], case["says"]]))
            lines.append(f"{case['name']}: {case['status']}\n{case['claim']}\n{told}".strip())
    return lines


def _comment(entry: Mapping[str, Any]) -> str:
    """Return the feedback as the little markup that Moodle shows."""
    parts = [_BAD.get(entry["status"], ""), entry["problem"], *entry["notes"]]
    paragraphs = "".join(f"<p>{_markup(part)}</p>" for part in parts if part)
    items = "".join(
        f"<li><strong>{_markup(e['name'])}</strong> {e['score']:g} / {e['max_score']:g}{_why(e, bool(entry['problem']))}</li>"
        for e in entry["exercises"]
        if e["score"] is not None
    )
    return f"{paragraphs}<ul>{items}</ul>"


def _why(exercise: Mapping[str, Any], whole: bool) -> str:
    """Say in a sentence or two what is wrong first; where it is the file as a `whole`, that is said once, above."""
    if exercise["override"]:
        return f": {_markup(exercise['override']['because'])}"
    case = next((case for case in exercise["cases"] if case["status"] != Status.PASSED), None)
    if case is None or whole:
        return ""
    told = case["says"] or case["message"].partition("\n")[0]
    return f": {_markup(case['claim'])} <em>{_markup(case['status'])}</em> {_markup(told)}".rstrip()


def _late(entry: Mapping[str, Any]) -> object:
    return entry["late_hours"] if entry["late_hours"] is not None else "late" if entry["late"] else ""


def _markup(text: str) -> str:
    return escape(_told(text))


def _told(text: str) -> str:
    """Return a text without what does not print, apart from line ends."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
