"""Questions with options, of which one is right: what a quiz asks, as read from `solutions/SLUG/EXERCISE.toml`.

The file is the only place where questions are written. The README shows them, the cases that judge them and the known
mistakes of wrong options follow from them. It holds the answers and the reasons, so it never ships.

A debugging lab is a quiz whose questions each show a broken run, in `figures/QUESTION.svg`. Its options name causes, and the
right one also names the known mistake with which that run was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from autograder.course.cases import Call, Case, Check, Visibility, call
from autograder.course.language import say
from autograder.course.letters import letters_of
from autograder.course.quiz_checks import answered, choice

if TYPE_CHECKING:
    import numpy as np

_KEYS = frozenset({"name", "asks", "right", "computed", "shows"})


@dataclass(frozen=True)
class Option:
    """One option of a question, and why it is right or wrong; in a lab also the known mistake that it describes."""

    letter: str
    text: str
    reason: str
    mistake: str = ""


@dataclass(frozen=True)
class Question:
    """A question of an exercise; `computed` is the code that gives the number or the shape that it asks for.

    `shows` says in words what its picture shows, where it has one.
    """

    exercise: str
    name: str
    asks: str
    right: str
    options: tuple[Option, ...]
    computed: str = ""
    shows: str = ""

    @property
    def picture(self) -> str:
        """The picture of the question beside the README, if it has one."""
        return f"figures/{self.name}.svg" if self.shows else ""

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters that the options are written with."""
        return tuple(option.letter for option in self.options)

    @property
    def answer(self) -> Option:
        """The right option."""
        return next(option for option in self.options if option.letter == self.right)


def question_of(stored: Mapping[str, Any]) -> Question:
    """Return the question that a gradebook holds."""
    return Question(**{**stored, "options": tuple(Option(**option) for option in stored["options"])})


def read_questions(exercise: str, document: Mapping[str, Any]) -> tuple[Question, ...]:
    """Return the questions of a document. Raises ValueError where one is not written as it should be."""
    if document.keys() != {"question"}:
        raise ValueError("it holds something other than [[question]]")
    return tuple(_read_question(exercise, entry) for entry in document["question"])


def _read_question(exercise: str, entry: Mapping[str, Any]) -> Question:
    letters = sorted(entry.keys() - _KEYS)
    name = str(entry.get("name", "?"))
    for key in (key for key in letters if len(key) > 1):
        known = ", ".join(sorted(_KEYS))
        raise ValueError(f"question {name}: unknown key {key}; known are {known}, and a letter for each option")
    if letters != list(ascii_lowercase[: len(letters)]) or entry.get("right") not in letters:
        raise ValueError(
            f'question {name}: its options are a, b, c and so on, each ["text", "reason"], and `right` is one'
        )
    for letter in letters:
        if not isinstance(entry[letter], list) or len(entry[letter]) not in (2, 3):
            raise ValueError(f'question {name}: option {letter} is not ["text", "reason"]')
    options = tuple(Option(letter, *map(_line, entry[letter])) for letter in letters)
    shows = _line(entry.get("shows", ""))
    return Question(exercise, name, _line(entry["asks"]), entry["right"], options, entry.get("computed", ""), shows)


def _line(text: str) -> str:
    return " ".join(text.split())


def cases_in(questions: Sequence[Question]) -> Iterator[Case]:
    """Yield the cases of one exercise's questions: a public one that each has an answer, and a hidden one for each.

    The public one weighs nothing, so that an empty answer costs what a wrong one costs.
    """
    if not questions:
        return
    letters = {
        q.name: tuple(letter for option in q.letters for letter in letters_of(q.name, option, q.letters))
        for q in questions
    }
    claim = say("Every question has the letter of one of its options; whether it is the right one, grading tells.")
    one_copy = len({q.letters for q in questions}) == 1  # else a letter may be a first one here and a later one there
    check = answered(questions[0].letters, tuple(letters.items()), one_copy)
    keeps = "tells a student at home which question is still open"
    yield _case(
        "every_question_has_a_letter", questions[0].exercise, claim, check, Visibility.PUBLIC, keeps, weight=0.0
    )
    for q in questions:
        yield _case(q.name, q.exercise, q.asks, choice(q.name, q.letters, one_copy), Visibility.HIDDEN)


def _case(
    name: str, exercise: str, claim: str, check: Check, visibility: Visibility, keeps: str = "", *, weight: float = 1.0
) -> Case:
    return Case(name, exercise, claim, check, _called_once, weight, keeps, visibility=visibility)


def _called_once(_: np.random.Generator) -> Iterator[Call]:
    yield call()
