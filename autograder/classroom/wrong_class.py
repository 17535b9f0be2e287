"""Find submissions that are surely not the class of a gradebook: other students' files, another assignment's, or a few alone.

Only what is evident stops a grading, since an error is a nuisance where the work is honest: a student who hands in an empty
file, a class that grows, one who leaves it.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from autograder.classroom.gradebook import Gradebook
from autograder.classroom.mismatches import Mismatch, defined_in
from autograder.classroom.still_to_grade import Choices, choose, earlier_names, known_students
from autograder.classroom.stored_source import unpacked
from autograder.classroom.submissions import Submission
from autograder.sandbox.job import Source
from autograder.submission.archives import several
from autograder.submission.written_exercises import Stub, written

_A_CLASS = 3  # students: fewer come and go
_SAME = 5  # classes of which less than one student in five is the same are different ones
_LEFT = 4  # a file has lost an assignment that has a quarter of the exercises it had: many assignments have a quiz
_FEW = 2  # students who may both hand in a wrong file
_TO_TYPE = 30  # options that are written out
ANYWAY = "--accept-mismatch"


def class_mismatch(book: Gradebook, stub: Stub, submissions: Sequence[Submission], choices: Choices) -> Mismatch | None:
    """Return what to say where submissions are evidently not those of the class that was graded before, unless that is accepted."""
    if choices.accept_mismatch:
        return None
    held = known_students(book)
    if choices.shard:
        submissions = choices.shard.of(submissions)
    chosen = choose(submissions, choices.only)
    same = earlier_names(held, chosen)
    others = None if choices.only else _other_students(book, chosen, len(same)) or _some_alone(book, chosen, same)
    return others or _other_assignment(book, stub, chosen, same)


def _other_students(book: Gradebook, submissions: Sequence[Submission], same: int) -> Mismatch | None:
    """Return what to say of a whole class of other students; a roster says by itself who belongs to it."""
    before, now = book.students(), [submission.student for submission in submissions]
    least = min(len(before), len(now))
    a_few = least < _A_CLASS or _are_few(now, before)
    by_roster = book.facts.roster or any(one.person for one in submissions)
    if a_few or by_roster or _SAME * same >= least:
        return None
    none = f"Only {same}" if same else "None"
    told = (
        f"{none} of the {len(now)} submissions {'are' if same > 1 else 'is'} of a student who is in the grades of "
        f"{book.folder}. Those are {several(before)}, and the submissions are of {several(now)}. Nothing was graded or "
        f"written, as {len(before) - same} students would leave the grades. For another class, name another folder with "
        f"-o. For one class, give the submissions of all together. To replace the class all the same, add {ANYWAY}."
    )
    return Mismatch("students", told, tuple(now))


def _some_alone(book: Gradebook, submissions: Sequence[Submission], same: dict[str, str]) -> Mismatch | None:
    """Return what to say of a part of the class, such as a late submission alone: all others would leave the grades."""
    before, now = book.students(), [submission.student for submission in submissions]
    if len(before) < _A_CLASS or not _are_few(now, before):
        return None
    leave = sorted(set(before) - set(same.values()))
    names = " ".join(f"--only {shlex.quote(name)}" for name in now[:_TO_TYPE])
    options = names if len(now) <= _TO_TYPE else "--only STUDENT for each of them"
    many = "is 1 submission" if len(now) == 1 else f"are {len(now)} submissions"
    told = (
        f"There {many}, and {book.folder} holds the grades of {len(before)} students. Nothing was graded or written, as "
        f"{len(leave)} students would leave the grades: {several(leave)}. To grade {'this one' if len(now) == 1 else 'these'} "
        f"and leave all others as they are, add {options}. If the class is so small now, add {ANYWAY}."
    )
    return Mismatch("part", told, tuple(now))


def _are_few(now: Sequence[str], before: Sequence[str]) -> bool:
    """Whether there are less than two thirds of the students there were, which no class loses between two exports."""
    return 3 * len(now) < 2 * len(before)


def _other_assignment(
    book: Gradebook, stub: Stub, submissions: Sequence[Submission], same: dict[str, str]
) -> Mismatch | None:
    """Return what to say where most students had work of this assignment before, and have next to nothing of it now."""
    codes = {student: row for student, *row in book.db.execute("SELECT student, content, code FROM submission")}
    lost, known = list[Submission](), 0
    for submission in submissions:
        content, code = codes.get(same.get(submission.student, ""), (None, None))
        if content is None:
            continue
        if content == submission.key:
            known += 1
        elif had := _exercises(unpacked(code), stub):
            known += 1
            if _LEFT * len(_exercises(submission.source, stub) & had) <= len(had):
                lost.append(submission)
    if len(lost) < _FEW or 2 * len(lost) <= known:
        return None
    names = tuple(submission.student for submission in lost)
    slug = book.facts.assignment
    defined = defined_in([submission.source for submission in lost])
    told = (
        f"{len(lost)} of {known} students whose work on {slug} is graded in {book.folder} have next to nothing of it in "
        f"these files: {several(names)}. {f'They define {several(defined)}. ' if defined else ''}"
        f"Are these the submissions of {slug}? Nothing was graded or written. To grade them all the same, add {ANYWAY}."
    )
    return Mismatch("assignment", told, names)


def _exercises(source: Source | None, stub: Stub) -> frozenset[str]:
    return written(source, stub).exercises if source else frozenset()
