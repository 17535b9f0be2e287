"""Write the known mistakes of an exercise: the smallest edits of its reference, each by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.course.questions import Question
from autograder.course.spec import Misconception

TO_BE_SAID = "Say in one or two sentences what this code does, and what it should do."  # in a skeleton, until its author writes the sentence


@dataclass(frozen=True)
class Edit:
    """What a mistake changes in the reference, the case that catches it, and what a student reads."""

    old: str
    new: str
    caught_by: str
    says: str
    twins: tuple[str, ...] = ()


def edit(old: str, new: str, caught_by: str, says: str, *twins: str) -> Edit:
    """Return the mistake of having `new` where the reference has `old`; see `Misconception` for the rest."""
    return Edit(old, new, caught_by, says, twins)


def mistakes_of(exercise: str, /, **edits: Edit) -> tuple[Misconception, ...]:
    """Return the misconceptions of an exercise, called by their keywords, in order."""
    return tuple(
        Misconception(name, exercise, e.old, e.new, caught_by=e.caught_by, says=e.says, twins=e.twins)
        for name, e in edits.items()
    )


def mistakes_in(questions: Sequence[Question]) -> Iterator[Misconception]:
    """Yield the mistake of choosing each wrong option, called by its question and its letter."""
    for q in questions:
        line = f'answers["{q.name}"] = '
        for option in q.options:
            if option.letter != q.right:
                chosen = f'{line}"{option.letter}"'
                says = f"`{q.name}`: {option.reason}"
                yield Misconception(f"{q.name}_{option.letter}", q.exercise, f'{line}"{q.right}"', chosen, q.name, says)
