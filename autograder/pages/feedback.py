"""One student's feedback: HTML that needs nothing but itself, made from the record of `results/STUDENT.json`."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.classroom.record import Record
from autograder.course.questions import Question
from autograder.course.spec import Status
from autograder.pages import class_statistics
from autograder.pages.page import hours, moment, render


def feedback_html(result: Record, questions: Sequence[Question] = ()) -> str:
    """Return the page one student may read, with the reasons of the options of these questions."""
    return render(
        "feedback.html",
        result=result,
        line=feedback_line(result),
        handing_in=handing_in_line(result),
        decisions=class_statistics.decisions([result]),
        questions=questions,
        chosen=chosen_options(result, questions),
    )


def chosen_options(result: Record, questions: Sequence[Question]) -> dict[tuple[str, str], str]:
    """Return the letters that a student chose, as options are written, by exercise and question; of wrong ones by their name."""
    found = {}
    cases = {(exercise.name, case.name): case for exercise in result.exercises for case in exercise.cases}
    for question in questions:
        case = cases.get((question.exercise, question.name))
        if case and case.status is Status.PASSED:
            found[question.exercise, question.name] = question.right
        for name in case.mistakes if case else ():
            of, _, letter = name.rpartition("_")
            if of == question.name:
                found[question.exercise, question.name] = letter
    return found


def feedback_line(result: Record) -> str:
    """Sum up a student's result in one kind sentence."""
    match result.status:
        case "grader_error":
            return "Something went wrong on our side. It costs you nothing; your work will be graded again."
        case "unreadable":
            return "We could not read what you handed in, so nothing in it is graded yet."
        case "not_importable":
            return "Your file could not be imported, so nothing in it is graded yet. Often it is one small thing."
    exercises = result.exercises
    total = len(exercises)
    right = sum(e.status == Status.PASSED for e in exercises)
    partly = sum(e.status != Status.PASSED and e.points > 0 for e in exercises)
    missing = sum(e.status == Status.MISSING and not e.score for e in exercises)
    if right == total:
        return f"All {total} exercises are right. Well done!" if total > 1 else "Everything is right. Well done!"
    if missing == total:
        return "Nothing is written yet. Start with the first exercise; every one counts by itself."
    parts = [f"{right} of {total} exercises {_is(right)} right"]
    parts += [f"{partly} {_is(partly)} partly right"] * bool(partly)
    wrong = total - right - partly - missing
    parts += [f"{wrong} {_is(wrong)} not right yet"] * bool(wrong)
    parts += [f"{missing} {_is(missing)} not written yet"] * bool(missing)
    return ", ".join(parts[:-1]) + " and " * (len(parts) > 1) + parts[-1] + "."


def handing_in_line(result: Record) -> str:
    """Say when a submission came, and whether that was late; nothing where nobody knows."""
    when = f"{moment(result.submitted)}" if result.submitted else ""
    due = f"due {moment(result.due)}" if result.due else ""
    if result.late:
        by = f" {hours(result.late_hours)}" if result.late_hours else ""
        return f"Handed in{by} late" + f" ({', '.join(filter(None, [when, due]))})" * bool(when or due) + "."
    return f"Handed in {when}" + f", in time ({due})" * bool(due) + "." if when else ""


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
