"""The next step of a student: one exercise, where its stub is, what fails of it, and how far the course has come."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.language import say
from autograder.course.sections import Section, section_of
from autograder.course.spec import Assignment, Exercise, Status
from autograder.handout.kit.handouts import Handout
from autograder.handout.kit.progress import keep_passed, passed_before
from autograder.judge.result import ExerciseResult, Result
from autograder.sandbox.job import Source


@dataclass(frozen=True)
class Count:
    """How many exercises pass, of how many."""

    done: int
    of: int


@dataclass(frozen=True)
class Step:
    """One exercise to work on, or none where all of an assignment pass."""

    handout: Handout
    path: Path
    result: Result
    exercise: Exercise | None
    line: int  # of its definition; 0 where there is none
    cell: str  # of a notebook, where the definition is in one
    section: Section | None
    fresh: tuple[Exercise, ...]  # those that passed for the first time
    own: Count
    course: Count

    @property
    def place(self) -> str:
        """File and line of the definition, as editors and terminals link them."""
        if self.cell:
            return say("{file}, {cell}, line {line}", file=self.path.name, cell=self.cell, line=self.line)
        return f"{self.path.name}:{self.line}" if self.line else self.path.name


def make_step(
    handout: Handout, course: Sequence[Handout], assignment: Assignment, path: Path, source: Source, result: Result
) -> Step:
    """Return the step that a check leads to, and keep which exercises pass."""
    before = passed_before(handout.folder, handout.slug)
    passing = frozenset(each.name for each in result.exercises if each.status in (Status.PASSED, Status.MANUAL))
    if result.problem:  # nothing of the file was run, so what passed before stands
        passing = before or frozenset()
    else:
        keep_passed(handout.folder, handout.slug, passing)
    exercise = next_exercise(assignment, result.exercises, passing)
    name = (exercise.blanks or (exercise.name,))[0] if exercise else ""
    label, line = definition_of(source, name) if exercise else ("", 0)
    if home := label if source.several and label else dict(source.homes).get(name.partition(".")[0], ""):
        path = path.with_name(home)
    own = Count(len(passing), len(handout.exercises))
    counts = [own if each is handout else Count(len(each.passed()), len(each.exercises)) for each in course]
    return Step(
        handout,
        path,
        result,
        exercise,
        line,
        label if source.notebook else "",
        _section(handout, exercise),
        tuple(e for e in assignment.exercises if before is not None and e.name in passing - before),
        own,
        Count(sum(count.done for count in counts), sum(count.of for count in counts)),
    )


def next_exercise(
    assignment: Assignment, results: Iterable[ExerciseResult], passing: frozenset[str]
) -> Exercise | None:
    """Return the first exercise that is open and builds on none that is; None where all pass."""
    names = [result.name for result in results]
    still_open = [e for e in assignment.exercises if e.name in names and e.name not in passing]
    ready = (e for e in still_open if passing.issuperset(assignment.uses(e.name)))
    return next(ready, still_open[0] if still_open else None)


def definition_of(source: Source, path: str) -> tuple[str, int]:
    """Return the file or cell that defines a function, class or method, or assigns to a name, and the line; 0 where none does."""
    home = dict(source.homes).get(path.partition(".")[0], "")
    for chunk in sorted(source.chunks, key=lambda chunk: chunk.label != home):
        begin = 0
        for depth, name in enumerate(path.split(".")):
            indent = r"[ \t]+" if depth else ""
            own = re.escape(name)
            head = re.compile(rf"^{indent}(?:(?:async\s+)?(?:def|class)\s+{own}\b|{own}[ \t]*=)", re.MULTILINE)
            found = head.search(chunk.text, begin)
            if not found:
                break
            begin = found.start()
        else:
            return chunk.label, chunk.text.count("\n", 0, begin) + 1
    return "", 0


def _section(handout: Handout, exercise: Exercise | None) -> Section | None:
    try:
        readme = handout.readme()
    except (OSError, UnicodeDecodeError):
        return None
    return section_of(readme, exercise.section) if exercise else None
