"""The checks of a quiz: every question has the letter of an option, and one question has that of the right option."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from autograder.course.cases import Answer, Call, Finding
from autograder.course.language import marked, say
from autograder.course.letters import is_on_no_sheet_with, option_of
from autograder.sandbox.child.leaf import Opaque

_NO_OPTION = "?"  # in place of an option, where the letter is none of the copy that is answered
_LETTER = Opaque("letter")  # replaces an answer in what students get; equal to nothing that they can return


def _letter(answer: Any) -> str:
    """Return the letter of an answer, also of one written as "b)" or "(b)."."""
    return answer.strip().lower().strip("().:") if isinstance(answer, str) else "?"


def _shown(answer: Any) -> str:
    """Return how a message shows an answer that is not one of the letters."""
    return repr(answer)[:40] if isinstance(answer, str | int | float) else say("what you wrote")


def _slipped(answers: dict[Any, Any], letter: str, options: tuple[str, ...]) -> bool:
    """Whether a letter of some copy's option stands among answers that are of other copies."""
    return is_on_no_sheet_with(map(_letter, answers.values()), letter, options)


@dataclass(frozen=True)
class answered:
    """A quiz returns a dict with every question's key and the letter of an option each.

    `letters` names for a question other letters than `options`: those of the copy that a student has, or of all copies. Of
    these, with `one_copy`, only those count that can stand in one copy with most of the other answers.
    """

    sees_arguments: ClassVar[bool] = False
    options: tuple[str, ...]
    letters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    one_copy: bool = False

    def judge(self, calls: tuple[Call, ...], got: tuple[Answer, ...], expected: tuple[Answer, ...]) -> Finding | None:
        value, wanted = got[0].value, expected[0].value
        if not isinstance(value, dict) or not isinstance(wanted, dict):
            return Finding("container", say("You did not return a dict with a letter for each question."))
        letters = {**dict.fromkeys(wanted, self.options), **dict(self.letters)}
        others = {q: value.get(q, "") for q in wanted if not self._is_answer(value, q, letters[q])}
        if not others:
            return None
        nothing = [question for question, answer in others.items() if answer is None or _letter(answer) == ""]
        told = [self._not_a_letter(q, answer, letters[q]) for q, answer in others.items() if q not in nothing]
        return Finding("unanswered", " ".join([*self._open(nothing), *told]))

    def _is_answer(self, value: dict[Any, Any], question: str, letters: tuple[str, ...]) -> bool:
        """Whether a question has one of its letters, and in the copy that is answered."""
        mine = _letter(value.get(question, ""))
        return mine in letters and not (self.one_copy and _slipped(value, mine, self.options))

    def _open(self, questions: list[str]) -> list[str]:
        """Say which questions have no answer, if any."""
        names = ", ".join(questions)
        if not questions:
            return []
        if self.letters:
            return [say("No answer yet to {questions}. Write the letter of an option for each.", questions=names)]
        told = marked("No answer yet to {questions}. Write one of {letters} for each.")
        return [say(told, questions=names, letters=", ".join(self.options))]

    def _not_a_letter(self, question: str, answer: Any, letters: tuple[str, ...]) -> str:
        """Say that an answer is no letter of its question."""
        shown = _shown(answer)
        if len(letters) > len(self.options):
            return say("{question}: {answer} is not the letter of an option.", question=question, answer=shown)
        told = marked("{question}: {answer} is not one of {letters}.")
        return say(told, question=question, answer=shown, letters=", ".join(letters))

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
    one_copy: bool = False  # as in `answered`

    def judge(self, calls: tuple[Call, ...], got: tuple[Answer, ...], expected: tuple[Answer, ...]) -> Finding | None:
        mine = self._answer(got)
        if mine == "":
            return Finding("unanswered", say("This question has no answer yet."), self.question)
        if mine != self._answer(expected):
            return Finding("wrong_choice", say("This answer is not the best one."), self.question)
        return None

    def public(self, expected: tuple[Answer, ...]) -> tuple[Answer, ...]:
        """Return nothing: a public case would show the answer."""
        return ()

    def alike(self, got: tuple[Answer, ...], other: tuple[Answer, ...]) -> bool:
        """Whether both chose the same option of this question."""
        return self._answer(got) == self._answer(other)

    def _answer(self, answers: tuple[Answer, ...]) -> str:
        value = answers[0].value
        letter = _letter(value.get(self.question, "")) if isinstance(value, dict) else ""
        option = option_of(self.question, letter, self.options)
        slipped = self.one_copy and option in self.options and _slipped(value, letter, self.options)
        return _NO_OPTION if slipped else option
