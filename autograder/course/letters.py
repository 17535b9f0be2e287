"""Letters that say by themselves which option of a question they mean, in whichever order a copy shows the options.

The first letters of the alphabet are the options as they are written. Each later letter belongs to one option of a question
for good, and an option has several. A copy for a term shows one of each option's later letters, in the order of the alphabet. So
grading needs to know neither whose copy an answer comes from nor of which term, and answers from any copy are graded alike. First
and later letters stand on no sheet together: among many of one kind, the few of the other are a slip.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Sequence
from string import ascii_lowercase

_UNCLEAR = frozenset("ilo")  # read as digits or as one another


def option_of(question: str, letter: str, options: Sequence[str]) -> str:
    """Return the option that a letter means, as it is written; what is no such letter stays as it is."""
    return next((option for option in options if letter in letters_of(question, option, options)), letter)


def is_on_no_sheet_with(others: Iterable[str], letter: str, options: Sequence[str]) -> bool:
    """Whether most letters that a quiz is answered with are of the other kind than this one: first ones, or later ones."""
    answers = [other for other in others if other in ascii_lowercase and len(other) == 1]
    first = sum(answer in options for answer in answers)
    same = first if letter in options else len(answers) - first
    return same < len(answers) - same


def letters_of(question: str, option: str, options: Sequence[str]) -> tuple[str, ...]:
    """Return all letters of an option: the one that it is written with, and the later ones."""
    later = [letter for letter in ascii_lowercase if letter not in _UNCLEAR and letter not in options]
    later.sort(key=lambda letter: _drawn(question, letter))
    return option, *later[options.index(option) :: len(options)]


def shuffled(question: str, options: Sequence[str], term: str) -> dict[str, str]:
    """Return the options that a copy shows, by their letters in order; without a term as they are written."""
    if not term:
        return {option: option for option in options}
    drawn = {
        min(letters_of(question, o, options)[1:], key=lambda letter: _drawn(term, question, letter)): o for o in options
    }
    return dict(sorted(drawn.items()))


@functools.cache  # of few questions: every grading asks for the same letters
def _drawn(*parts: str) -> str:
    return hashlib.sha256(":".join(parts).encode()).hexdigest()
