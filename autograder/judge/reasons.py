"""Why a case fails, as data: a message in its parts, and known mistakes by name. `messages.py` puts mistakes in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


@dataclass(frozen=True)
class Message:
    """What a student reads about a case: what happened, in one line, and what shows it."""

    headline: str = ""
    details: str = ""
    more: str = ""  # what is too long to be shown unless it is asked for; never stored

    @property
    def text(self) -> str:
        """The whole message."""
        return "\n".join(filter(None, [self.headline, self.details]))

    def then(self, *blocks: str) -> Message:
        """Return the message with more details."""
        return replace(self, details="\n".join(filter(None, [self.details, *blocks])))


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
    UNNAMED = "unnamed"  # no single known mistake gives these answers
    REMEMBERS = "remembers"  # the same call is right alone, and wrong after others
    TOO_GOOD = "too_good"  # a training's loss falls faster than the reference's


@dataclass(frozen=True)
class Advice:
    """Where to look when no known mistake explains a failure."""

    hint: Hint
    exercise: str = ""  # what to mend first


Key = tuple[str, ...]  # a kind of relation, and what its sentence names


@dataclass(frozen=True)
class Relation:
    """How an exercise's wrong values are related to the right ones, where no known mistake gives them."""

    exercise: str
    key: Key
    part: str = ""  # of the answer, where it is not all of it


Reason = Diagnosis | Advice | Relation
NOTHING = Message()
