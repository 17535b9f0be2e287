"""One student's feedback: HTML that needs nothing but itself, made from the record of `results/STUDENT.json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.classroom.record import ExerciseRecord, Record
from autograder.classroom.requests import Request
from autograder.course.language import marked, say, speaking
from autograder.course.questions import Question
from autograder.course.spec import Status
from autograder.feedback.check_page import exercises_line, unfolded
from autograder.feedback.page_format import moment
from autograder.pages import class_statistics
from autograder.pages.page import hours, render


def feedback_html(
    result: Record,
    questions: Sequence[Question] = (),
    requests: Sequence[Request] = (),
    pictures: Sequence[tuple[str, bytes]] = (),
) -> str:
    """Return the page one student may read, with the reasons of the options of these questions and what was asked for.

    `pictures` are the plots that were handed in, by exercise.
    """
    with speaking(result.language):
        return _feedback_html(result, questions, requests, pictures)


def _feedback_html(
    result: Record,
    questions: Sequence[Question],
    requests: Sequence[Request],
    pictures: Sequence[tuple[str, bytes]],
) -> str:
    decisions = class_statistics.decisions([result])
    answered = {(r.exercise, r.answer.because) for r in requests if r.answer and r.answer.points is not None}
    return render(
        "graded.html",
        title=result.title,
        who=(result.person and result.person.name) or result.lms.name or result.student,
        result=result,
        line=feedback_line(result),
        handing_in=handing_in_line(result),
        decisions=[
            (r, e)
            for r, e in decisions
            if not e.by_person and (e.name, e.override and e.override.because) not in answered
        ],
        pictures={e.name: dict(pictures).get(e.name) for e in result.exercises},
        requests=requests,
        kept=[exercise for exercise in result.exercises if exercise.kept and not exercise.override],
        decided=[exercise.name for _, exercise in decisions],
        unfolded=unfolded(result.exercises),
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
    """Sum up a student's result in one kind sentence, and name what a person decided."""
    decided = decisions_line(result)
    match result.status:
        case "grader_error":
            line = say("Something went wrong on our side. It costs you nothing; your work will be graded again.")
        case "unreadable" | "not_importable":
            line = say(_WHOLE[result.status, bool(decided)])
        case _:
            line = exercises_line([*map(_as_computed, result.exercises)])
    return f"{line} {decided}".rstrip()


# What is said of the file as a whole, by its status and whether a person gave points all the same.
_WHOLE = marked({
    ("unreadable", False): "We could not read what you handed in, so nothing in it is graded yet.",
    ("unreadable", True): "We could not read what you handed in, so your code did not run.",
    ("not_importable", False): "Your file could not be imported, so nothing in it is graded yet. Often it is one small thing.",
    ("not_importable", True): "Your file could not be imported, so no case ran. Often it is one small thing.",
})  # fmt: skip


def decisions_line(result: Record) -> str:
    """Name the exercises whose points a person decided beside the cases, and which of these decisions are about earlier submissions."""
    decided = [(e.name, e.override.earlier) for e in result.exercises if e.override and e.status is not Status.MANUAL]
    told = [
        say(sentence, exercises=", ".join(f"`{name}`" for name, is_earlier in decided if is_earlier == earlier))
        for earlier, sentence in _DECIDED.items()
        if earlier in dict(decided).values()
    ]
    return " ".join(told)


# By whether the decision is about an earlier submission.
_DECIDED = marked({
    False: "A person decided the points of {exercises}.",
    True: "A person decided the points of {exercises}, for an earlier submission.",
})  # fmt: skip


def _as_computed(exercise: ExerciseRecord) -> ExerciseRecord:
    """Return an exercise as its cases show it; answers have no points but a person's."""
    if exercise.override is None or exercise.status is Status.MANUAL:
        return exercise
    return replace(exercise, score=exercise.override.computed)


def handing_in_line(result: Record) -> str:
    """Say when a submission came, and whether that was late; nothing where that is unknown."""
    when = moment(result.submitted) if result.submitted else ""
    due = moment(result.due) if result.due else ""
    if result.late:
        times = ", ".join(filter(None, [when, say("due {due}", due=due) if due else ""]))
        by = hours(result.late_hours) if result.late_hours else ""
        return say(_LATE[bool(by), bool(times)], by=by, times=times)
    if when and due:
        return say("Handed in {when}, in time (due {due}).", when=when, due=due)
    return say("Handed in {when}.", when=when) if when else ""


# By whether it is known by how much, and when.
_LATE = marked({
    (True, True): "Handed in {by} late ({times}).",
    (True, False): "Handed in {by} late.",
    (False, True): "Handed in late ({times}).",
    (False, False): "Handed in late.",
})  # fmt: skip
