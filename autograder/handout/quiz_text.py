"""The questions of quizzes as the README shows them: between `<!-- EXERCISE -->` and `<!-- /EXERCISE -->`, without answers."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import groupby

from autograder.course.letters import shuffled
from autograder.course.questions import Question

_WIDTH = 118


def with_questions(readme: str, questions: Sequence[Question], term: str = "") -> str:
    """Return a README with each exercise's questions in their place, in the order of options that a term's copies have."""
    for exercise, asked in groupby(questions, lambda q: q.exercise):
        text = "\n\n".join(_told(question, term) for question in asked)
        before, start, rest = readme.partition(f"<!-- {exercise} -->\n")
        _, end, after = rest.partition(f"<!-- /{exercise} -->")
        readme = f"{before}{start}{text}\n\n{end}{after}" if end else readme
    return readme


def _told(question: Question, term: str) -> str:
    texts = {option.letter: option.text for option in question.options}
    copy = shuffled(question.name, question.letters, term)
    picture = [f"\n![{question.shows}]({question.picture})\n"] if question.shows else []  # one line, however long
    options = [_filled(f"- {letter}. {texts[option]}", "  ") for letter, option in copy.items()]
    return "\n".join([_filled(f"**{question.name}.** {question.asks}"), *picture, *options])


def _filled(line: str, indent: str = "") -> str:
    return textwrap.fill(line, _WIDTH, subsequent_indent=indent, break_on_hyphens=False)
