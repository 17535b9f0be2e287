"""Why a case fails, as data: a message in its parts, and known mistakes by name. `messages.py` puts mistakes in words."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

LINE = 74  # characters that a terminal of 80 columns has for a line of a message


@dataclass(frozen=True)
class Detail:
    """A part of what shows a failure, and versions of it that take fewer and fewer lines; an empty one leaves it out."""

    text: str
    shorter: tuple[str, ...] = ()

    def at(self, step: int) -> str:
        """Return the text after so many steps of shortening; after the last version it stays as it is."""
        return (self.text, *self.shorter)[min(step, len(self.shorter))]


@dataclass(frozen=True)
class Message:
    """What a student reads about a case: what happened, in one line, and what shows it."""

    headline: str = ""
    details: str = ""
    more: str = ""  # what is too long to be shown unless it is asked for; never stored
    parts: tuple[Detail, ...] = field(
        default=(), compare=False
    )  # the details where they can be shortened; never stored

    @property
    def text(self) -> str:
        """The whole message."""
        return "\n".join(filter(None, [self.headline, self.details]))

    def then(self, *blocks: str | Detail) -> Message:
        """Return the message with more details."""
        parts = (*self._parts, *(block if isinstance(block, Detail) else Detail(block) for block in blocks))
        return replace(self, details="\n".join(filter(None, (part.text for part in parts))), parts=parts)

    def below(self, headline: str) -> Message:
        """Return the message with another line in front of what happened."""
        line = textwrap.shorten(self.headline, LINE, placeholder=" ...")
        return replace(
            Message(headline).then(Detail(self.headline, (self.headline, line, line, "")), *self._parts), more=self.more
        )

    def shortened(self, step: int) -> str:
        """Return the details after so many steps of shortening, for a reader with little room."""
        return "\n".join(filter(None, (part.at(step) for part in self._parts)))

    @property
    def _parts(self) -> tuple[Detail, ...]:
        return self.parts or (Detail(self.details),)


@dataclass(frozen=True)
class Mistake:
    """A known mistake as it is told: its name, the exercise that it is in, and its sentence."""

    name: str
    exercise: str
    sentence: str


@dataclass(frozen=True)
class Diagnosis:
    """The mistakes that explain why an exercise fails: one or more made together, or a choice between such sets."""

    exercise: str
    alternatives: tuple[tuple[Mistake, ...], ...]  # each explains the failures; the likeliest is first
    tentative: bool = False  # no value supports it, only the same exceptions
    cases: frozenset[str] = frozenset()  # the failing cases that it explains, where these are not all

    def explains(self, case: str) -> bool:
        """Whether a failing case of the exercise is among those that it explains."""
        return not self.cases or case in self.cases

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the first alternative's mistakes."""
        return tuple(mistake.name for mistake in self.alternatives[0])

    @property
    def own(self) -> tuple[Mistake, ...]:
        """The first alternative's mistakes that are in the exercise itself."""
        return tuple(mistake for mistake in self.alternatives[0] if mistake.exercise == self.exercise)

    @property
    def is_only_one(self) -> bool:
        """Whether there is no other explanation."""
        return len(self.alternatives) == 1


class Hint(StrEnum):
    """What can be said where no known mistake explains a failure."""

    MEND_FIRST = "mend_first"  # an exercise that this one uses does not pass yet
    ALSO_WRONG = "also_wrong"  # so is this one, whatever that one gives
    UNNAMED = "unnamed"  # no single known mistake gives these answers
    REMEMBERS = "remembers"  # the same call is right alone, and wrong after others
    FORBIDDEN = "forbidden"  # its code uses what the exercise may not, as the message says
    TOO_GOOD = "too_good"  # a training's loss falls faster than the reference's


@dataclass(frozen=True)
class Advice:
    """Where to look when no known mistake explains a failure."""

    hint: Hint
    exercise: str = ""  # that it uses


Key = tuple[str, ...]  # a kind of relation, and what its sentence names


PARTS = ", "


@dataclass(frozen=True)
class Relation:
    """How an exercise's wrong values are related to the right ones, where no known mistake gives them."""

    exercise: str
    key: Key
    part: str = ""  # of the answer, where it is not all of it; several with PARTS between them
    beside: Mistake | None = None  # a known one that is made as well: without it a slip does not give them


class Slipped(NamedTuple):
    """A small change to right code that gives an exercise's outcomes: what is told of it, and the known mistake that it takes beside it."""

    key: Key
    beside: str = ""


@dataclass(frozen=True)
class Turn:
    """Where failing public calls turn from right to wrong: the last value that is right, and the statements after it."""

    file: str
    name: str  # of the variable that is right
    line: int  # which set it
    lines: tuple[int, ...]  # the first lines of the statements among which the mistake is
    passes: int = 0  # of a loop after which the variable is wrong; 0 where it stays right


Reason = Diagnosis | Advice | Relation
NOTHING = Message()
