"""The checks of a quiz: every question has the letter of an option, and one question has that of the right option."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from autograder.course.cases import Answer, Call, Finding
from autograder.course.letters import option_of
from autograder.sandbox.child.leaf import Opaque

_LETTER = Opaque("letter")  # replaces an answer in what students get; equal to nothing that they can return


def _letter(answer: Any) -> str:
    """Return the letter of an answer, also of one written as "b)" or "(b)."."""
    return answer.strip().lower().strip("().:") if isinstance(answer, str) else "?"


def _shown(answer: Any) -> str:
    """Return how a message shows an answer that is not one of the letters."""
    return repr(answer)[:40] if isinstance(answer, str | int | float) else "what you wrote"


@dataclass(frozen=True)
class answered:
    """A quiz returns a dict with every question's key and the letter of an option each.

    `letters` names for a question other letters than `options`: those of the copy that a student has, or of all copies.
    """

    sees_arguments: ClassVar[bool] = False
    options: tuple[str, ...]
    letters: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def judge(self, calls: tuple[Call, ...], got: tuple[Answer, ...], expected: tuple[Answer, ...]) -> Finding | None:
        value, wanted = got[0].value, expected[0].value
        if not isinstance(value, dict) or not isinstance(wanted, dict):
            return Finding("container", "You did not return a dict with a letter for each question.")
        letters = {**dict.fromkeys(wanted, self.options), **dict(self.letters)}
        others = {q: value.get(q, "") for q in wanted if _letter(value.get(q, "")) not in letters[q]}
        if not others:
            return None
        nothing = [question for question, answer in others.items() if answer is None or _letter(answer) == ""]
        told = [
            f"{q}: {_shown(answer)} is not {self._one_of(letters[q])}."
            for q, answer in others.items()
            if q not in nothing
        ]
        if nothing:
            usual = self._one_of(self.options) if not self.letters else "the letter of an option"
            told.insert(0, f"No answer yet to {', '.join(nothing)}. Write {usual} for each.")
        return Finding("unanswered", " ".join(told))

    def _one_of(self, letters: tuple[str, ...]) -> str:
        return f"one of {', '.join(letters)}" if len(letters) <= len(self.options) else "the letter of an option"

    def public(self, expected: tuple[Answer, ...]) -> tuple[Answer, ...]:
        """Return the questions without their letters."""
        wanted = expected[0].value
        return (Answer(dict.fromkeys(wanted, _LETTER)),) if isinstance(wanted, dict) else ()

    def alike(self, got: tuple[Answer, ...], other: tuple[Answer, ...]) -> bool:
        """Whether both answer every question, which says nothing about mistakes."""
        return self.judge((), got, other) is None


@dataclass(frozen=True)
class choice:
    """One question of a quiz is answered as the reference answers it, by the letter that any copy gives that option."""

    sees_arguments: ClassVar[bool] = False
    question: str
    options: tuple[str, ...] = ("a", "b", "c", "d")

    def judge(self, calls: tuple[Call, ...], got: tuple[Answer, ...], expected: tuple[Answer, ...]) -> Finding | None:
        mine = self._answer(got)
        if mine == "":
            return Finding("unanswered", "This question has no answer yet.", self.question)
        if mine != self._answer(expected):
            return Finding("wrong_choice", "This answer is not the best one.", self.question)
        return None

    def public(self, expected: tuple[Answer, ...]) -> tuple[Answer, ...]:
        """Return nothing: a public case would show the answer."""
        return ()

    def alike(self, got: tuple[Answer, ...], other: tuple[Answer, ...]) -> bool:
        """Whether both chose the same option of this question."""
        return self._answer(got) == self._answer(other)

    def _answer(self, answers: tuple[Answer, ...]) -> str:
        value = answers[0].value
        answer = value.get(self.question, "") if isinstance(value, dict) else ""
        return option_of(self.question, _letter(answer), self.options)
