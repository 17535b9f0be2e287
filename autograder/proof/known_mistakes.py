"""Whether the bank of known mistakes is sound: each edits the reference once, can be run, and is caught where it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from autograder.course.mistakes import TO_BE_SAID
from autograder.course.questions import Question
from autograder.course.spec import Assignment, Misconception, Status
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.proof.gradings import Ungraded
from autograder.proof.soundness import Proof, StillToWrite
from autograder.sandbox.job import Trouble

Verdicts = Mapping[Misconception, Result]
MOST_PLACES = 4  # that a line names where an old text stands too often


def bank_of(assignment: Assignment) -> str:
    """Return where an assignment's known mistakes are written."""
    return f"solutions/{assignment.slug}/misconceptions.py"


def bank_is_sound(assignment: Assignment, every: Sequence[Misconception] = ()) -> Proof:
    """Prove that every misconception edits the reference once and names what there is.

    Twins may be any of `every` misconception, where the assignment has only some of them.
    """
    names = {m.name: m for m in every or assignment.misconceptions}
    exercises = {exercise.name for exercise in assignment.exercises}
    cases = {(case.exercise, case.name) for case in assignment.cases}
    none = StillToWrite(f"there is no known mistake; write one for each case in {bank_of(assignment)}")
    broken: list[str] = [] if assignment.misconceptions else [none]
    asked = {(q.exercise, q.name): q for q in assignment.questions}
    broken += dict.fromkeys(
        _misplaced(assignment, m, asked.get((m.exercise, m.caught_by)))
        for m in assignment.misconceptions
        if assignment.reference.count(m.old) != 1
    )
    for m in assignment.misconceptions:
        if m.exercise not in exercises:
            broken.append(f"{m.name}: there is no exercise {m.exercise}")
        elif (m.exercise, m.caught_by) not in cases and not assignment.has_left_out_the_case_of(m):
            broken.append(f"{m.name}: {m.exercise} has no case {m.caught_by}")
        if m.says.strip() in ("", TO_BE_SAID):
            broken.append(StillToWrite(f"{m.name}: says nothing to the student"))
        broken += [
            f"{m.name}: its twin {twin} does not exist or does not name it back"
            for twin in m.twins
            if twin not in names or m.name not in names[twin].twins
        ]
    return Proof("every misconception edits the reference in one place", tuple(broken))


def _misplaced(assignment: Assignment, m: Misconception, question: Question | None) -> str:
    """Say how often the text stands that an edit replaces, and what to do; the same for all options of a `question`."""
    reference = assignment.reference
    places = [reference.count("\n", 0, found.start()) + 1 for found in re.finditer(re.escape(m.old), reference)]
    others = f" and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
    where = f" (now in lines {', '.join(map(str, places[:MOST_PLACES]))}{others})" if places else ""
    if question:
        return (
            f"{question.name}: {question.exercise}.toml says that {question.right} is right; write {m.old} in "
            f"{question.exercise} of {assignment.file}, once, between # BEGIN SOLUTION and # END SOLUTION{where}"
        )
    copied = f"copy it from {assignment.file}, with its spaces and line breaks"
    mend = "add the code before or behind it" if places else copied
    return f"{m.name}: its old text occurs {len(places)} times in the reference, not once{where}; {mend}"


def uncaught(verdicts: Verdicts, file: str) -> Iterator[str]:
    """Yield the known mistakes that could not be graded, cannot be imported, or pass the case that has to catch them."""
    for m, result in verdicts.items():
        cases = {c.name: c for e in result.exercises if e.name == m.exercise for c in e.cases}
        if result.problem and isinstance(result, Ungraded):
            yield f"{m.name}: {result.problem}"
        elif result.problem:
            yield f"{m.name}: with this mistake in it {file} cannot be imported: {_reason(result.problem)}"
        elif result.no_python:
            told = result.no_python[0].partition(": ")[2].replace("\n", " ")
            yield f"{m.name}: with this mistake in it a part of {file} is no Python: {' '.join(told.split())}"
        elif cases[m.caught_by].status is Status.PASSED:
            failed = [name for name, case in cases.items() if case.status is not Status.PASSED]
            others = f"; of its exercise it fails {', '.join(failed[:MOST_PLACES])}" if failed else "; it fails no case"
            yield f"{m.name} passes {m.exercise}.{m.caught_by}{others}"


def _reason(problem: str) -> str:
    """Return what a student reads of a file that cannot be imported, without the first sentence, which is about students."""
    return " ".join(problem.partition("\n")[2].split())


def misspelt(oracle: Oracle) -> Iterator[str]:
    """Yield the known mistakes that call what does not exist: every case seems to catch them, and no student makes them."""
    for m in oracle.assignment.misconceptions:
        trials = (trial for trial in oracle.trials_of(m.exercise) if trial.case.name == m.caught_by)
        answers = (oracle.answers((m.name,), trial) or () for trial in trials)
        troubles = (outcome.trouble for outcomes in answers for outcome in outcomes)
        for trouble in (t for t in troubles if _names_nothing(t)):
            yield f"{m.name} raises {trouble.type_name}: {trouble.text}; is its new text misspelt?"
            break


def _names_nothing(trouble: Trouble | None) -> TypeGuard[Trouble]:
    """Whether an exception says that there is no such variable, or nothing of that name in a module."""
    if trouble is None:
        return False
    in_module = trouble.type_name == AttributeError.__name__ and trouble.text.startswith("module ")
    return in_module or trouble.type_name == NameError.__name__
