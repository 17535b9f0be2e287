"""Write the skeleton of a known mistake from one student's code: the smallest change of the reference's lines to theirs.

The code is compared as text and tried in the sandbox alone. Nothing of it may run in the grader's process, as the bank does,
before a person has read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.classroom.appeal import Case
from autograder.classroom.code_lines import code_of
from autograder.classroom.gradebook import GradebookError
from autograder.course.mistakes import TO_BE_SAID
from autograder.course.spec import Assignment, Status, Visibility
from autograder.course.stub import BEGIN, END
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Sandbox, Source

_MARKS = (BEGIN, END)
_INDENT = "    "


@dataclass(frozen=True)
class Change:
    """What an edit replaces in the reference, where it occurs once, and the student's lines in its place."""

    old: str
    new: str


@dataclass(frozen=True)
class Tried:
    """How the reference with a change in it was graded: which failures are the student's own, and which are not."""

    caught_by: str  # the case that is to catch it, or nothing where every case passes
    alike: tuple[str, ...]
    unlike: tuple[str, ...]
    elsewhere: tuple[str, ...]  # other exercises that it costs points in
    problem: str = ""  # what was wrong with the file as a whole

    @property
    def is_sound(self) -> bool:
        """Whether doctor may accept it: it fails as the student does, and nowhere else."""
        return not (self.unlike or self.elsewhere)


def change_of(case: Case, assignment: Assignment) -> Change:
    """Return what turns the reference's definition of an exercise into the student's. Raises GradebookError where nothing does."""
    name, reference = case.exercise.partition(".")[0], assignment.reference
    if any(question.exercise == case.exercise for question in assignment.questions):
        raise GradebookError(
            f"The known mistakes of a quiz follow from solutions/{assignment.slug}/{case.exercise}.toml."
        )
    ours, theirs = code_of(Source.of(assignment.file, reference), name), code_of(case.source, name)
    if not ours or not theirs:
        whose = "the reference" if not ours else case.record.student
        raise GradebookError(f"{whose} has no {name} at the top level of its code, so no mistake can be made of it.")
    found = _changed(ours.split("\n"), [line for line in theirs.split("\n") if line.strip() not in _MARKS], reference)
    if not found:
        raise GradebookError(
            f"{case.record.student}'s {name} is line by line the reference's. What goes wrong is in something that it calls."
        )
    return found


def _changed(ours: list[str], theirs: list[str], reference: str) -> Change | None:
    """Return the lines that differ, and so many around them that they occur once in the reference."""
    places = [i for i, line in enumerate(ours) if line.strip() not in _MARKS]
    bare = [ours[i].rstrip() for i in places]
    theirs = [line.rstrip() for line in theirs]
    if bare == theirs:
        return None
    before = _shared(bare, theirs)
    after = _shared(bare[before:][::-1], theirs[before:][::-1])
    while True:
        old = "\n".join(ours[places[before] : places[len(bare) - after - 1] + 1]) if before + after < len(bare) else ""
        if (old and reference.count(old) == 1) or before == after == 0:
            return Change(old, "\n".join(theirs[before : len(theirs) - after]))
        before, after = max(before - 1, 0), after if before else max(after - 1, 0)


def _shared(one: list[str], other: list[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))


def try_out(change: Change, case: Case, assignment: Assignment, sandbox: Sandbox) -> Tried:
    """Grade the reference with the change in it, on the student's inputs, and compare with how the student failed."""
    oracle = Oracle(assignment.without_training(), case.seed)
    text = assignment.reference.replace(change.old, change.new)
    result = grade(Source.of(assignment.file, text), oracle, sandbox)
    failing = {e.name: [c for c in e.cases if c.status is not Status.PASSED] for e in result.exercises}
    own = failing.pop(case.exercise, [])
    catching = sorted(
        own, key=lambda c: c.visibility is Visibility.PUBLIC
    )  # a hidden case catches more than its numbers
    same = {c.name: c.fingerprint for c in own}
    theirs = _fingerprints(case)
    alike = tuple(name for name, fingerprint in theirs.items() if same.get(name) == fingerprint)
    unlike = tuple(name for name in {**theirs, **same} if name not in alike)
    elsewhere = tuple(name for name, cases in failing.items() if cases)
    return Tried(catching[0].name if catching else "", alike, unlike, elsewhere, result.problem)


def in_words(tried: Tried, case: Case, assignment: Assignment) -> str:
    """Say what came of trying it out, and what to do next."""
    whose = f"{case.record.student}'s {case.exercise}"
    if tried.problem:
        return f"The reference with {whose} in it cannot be imported: {tried.problem}"
    if not tried.caught_by:
        return (
            f"The reference with {whose} in it passes every case. What goes wrong is in something else of the file, "
            "such as a helper or a changed import."
        )
    told = f"The reference with this change fails {len(tried.alike)} of {len(tried.alike) + len(tried.unlike)} cases as {whose} does."
    used = [
        e.name for e in case.record.exercises if e.name in assignment.uses(case.exercise) and e.points < e.max_score
    ]
    if tried.unlike and used:
        helper = " and ".join(used)
        return f"{told} It uses their {helper}, which is wrong, too. Look for a student who failed alike and whose {helper} is right."
    if tried.unlike:
        told += f" Not alike: {', '.join(tried.unlike)}; the code may rest on more of the file, such as a helper or an import."
    if tried.elsewhere:
        told += f" It also costs points in {', '.join(tried.elsewhere)}, which doctor refuses."
    if not case.current:
        told += " The class was graded with another version of the assignment; grade it again to compare."
    return f"{told} Write its sentence, add it to MISCONCEPTIONS, and run autograder doctor {case.record.assignment}."


def _fingerprints(case: Case) -> Mapping[str, str]:
    return {c.name: c.fingerprint for c in case.result.cases if c.status is not Status.PASSED}


def skeleton(change: Change, name: str, student: str, exercise: str, caught_by: str) -> str:
    """Return the known mistake as it stands in a bank, for a person to read and to give a sentence."""
    parts = (change.old, change.new, caught_by, TO_BE_SAID)
    return "\n".join(
        [
            f"# From the code of {_literal(student)}. Read it before you run anything: the bank runs outside the sandbox.",
            "*mistakes_of(",
            f"{_INDENT}{_literal(exercise)},",
            f"{_INDENT}{name}=edit(",
            *(f"{_INDENT * 2}{line}" for part in parts for line in _lines(part)),
            f"{_INDENT}),",
            "),",
        ]
    )


def _lines(text: str) -> list[str]:
    """Return a text as Python writes it, a line of code for each of its lines."""
    lines = text.splitlines(keepends=True) or [""]
    return [*map(_literal, lines[:-1]), f"{_literal(lines[-1])},"]


def _literal(text: str) -> str:
    """Return a text between double quotes; what does not print, and could hide something, stands there as its number."""
    plain = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in plain)
