"""The checks of a quiz: every question has one of the letters, and one question has the reference's letter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from autograder.course.spec import Answer, Finding
from autograder.judge.by_value import Answers, Calls
from autograder.judge.compare import difference
from autograder.sandbox.child.tree import Opaque

_LETTER = Opaque("letter")  # replaces an answer in what students get; equal to nothing that they can return


def _letter(answer: Any) -> str:
    """Return the letter of an answer, also of one written as "b)" or "(b)."."""
    return answer.strip().lower().strip("().:") if isinstance(answer, str) else "?"


def _shown(answer: Any) -> str:
    """Return how a message shows an answer that is not one of the letters."""
    return repr(answer)[:40] if isinstance(answer, str | int | float) else "what you wrote"


@dataclass(frozen=True)
class answered:
    """A quiz returns a dict with every question's key and one of the letters each."""

    sees_arguments: ClassVar[bool] = False
    options: tuple[str, ...]

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        value, wanted = got[0].value, expected[0].value
        if not isinstance(value, dict) or not isinstance(wanted, dict):
            return difference(value, wanted)
        given = {question: value.get(question, "") for question in wanted}
        others = {question: answer for question, answer in given.items() if _letter(answer) not in self.options}
        if not others:
            return None
        nothing = [question for question, answer in others.items() if answer is None or _letter(answer) == ""]
        letters = ", ".join(self.options)
        told = [f"{q}: {_shown(answer)} is not one of {letters}." for q, answer in others.items() if q not in nothing]
        if nothing:
            told.insert(0, f"No answer yet to {', '.join(nothing)}. Write one of {letters} for each.")
        return Finding("unanswered", " ".join(told))

    def public(self, expected: Answers) -> Answers:
        """Return the questions without their letters."""
        wanted = expected[0].value
        return (Answer(dict.fromkeys(wanted, _LETTER)),) if isinstance(wanted, dict) else ()

    def alike(self, got: Answers, other: Answers) -> bool:
        """Whether both answer every question, which says nothing about mistakes."""
        return self.judge((), got, other) is None


@dataclass(frozen=True)
class choice:
    """One question of a quiz is answered as the reference answers it."""

    sees_arguments: ClassVar[bool] = False
    question: str

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        mine = self._answer(got)
        if mine == "":
            return Finding("unanswered", "This question has no answer yet.", self.question)
        if mine != self._answer(expected):
            return Finding("wrong_choice", "This answer is not the best one.", self.question)
        return None

    def public(self, expected: Answers) -> Answers:
        """Return nothing: a public case would show the answer."""
        return ()

    def alike(self, got: Answers, other: Answers) -> bool:
        """Whether both have the same letter for this question."""
        return self._answer(got) == self._answer(other)

    def _answer(self, answers: Answers) -> str:
        value = answers[0].value
        answer = value.get(self.question, "") if isinstance(value, dict) else ""
        return _letter(answer)
