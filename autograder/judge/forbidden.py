"""Find forbidden library code, the exercises that each exercise uses, and shared state in a submission's source before it runs."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from autograder.course.language import marked, say
from autograder.course.spec import Assignment, Shortcut
from autograder.judge.read_in_sandbox import read_here, read_in_sandbox
from autograder.judge.reasons import Key
from autograder.sandbox.child import names_used as reading
from autograder.sandbox.child.left_undone import KINDS
from autograder.sandbox.child.names_used import LONGEST_NAME, forbids
from autograder.sandbox.job import Sandbox, Source

# Other ways to the same library code, which no exercise needs.
BACK_DOORS = ("torch.ops.**", "torch._ops.**", "torch._C.**", "torch._VF.**", "torch._refs.**", "torch._decomp.**")
UNREADABLE = marked(
    "Your code could not be looked through: that took too long, or too much memory. "
    "Is there generated code, or data written out as code, in your file? Take it out and hand in the solution alone."
)


@dataclass(frozen=True)
class _Found:
    """What the child found in a source, by exercise."""

    used: Mapping[str, tuple[str, str, int]]  # the first forbidden name, and in which file and line
    reached: Mapping[str, frozenset[str]]
    builds_on: Mapping[str, frozenset[str]]
    has_memory: bool
    undone: Mapping[str, tuple[Key, ...]]


@dataclass(frozen=True)
class Reading:
    """Facts about a submission's source. A child reads it, without running it, when the first fact is asked for.

    People's own work, which they have run before, is read in this process, unless that fails.
    """

    source: Source
    assignment: Assignment
    sandbox: Sandbox
    own_work: bool = False  # whether the person who runs this wrote the code

    def shortcuts(self) -> Mapping[str, str]:
        """Return a message to the student for each exercise that uses forbidden code.

        A source without any of the words is not parsed; most are without.
        """
        rules = _with_back_doors(self.assignment)
        if not any(self._may_use(rule) for rule in rules):
            return {}
        if self._found is None:
            return dict.fromkeys((exercise for rule in rules for exercise in rule.exercises), say(UNREADABLE))
        told = {}
        for exercise, (name, label, line) in self._found.used.items():
            rule = rule_for(self.assignment, exercise, name)
            told[exercise] = explain_shortcut(
                name, rule.instead if rule else "", say(" ({label}, line {line})", label=label, line=line)
            )
        return told

    def _may_use(self, rule: Shortcut) -> bool:
        """Whether the source holds the words that any use of the rule's names needs."""
        names = [name.split(".") for name in rule.names]
        last = {word.partition("*")[0] for *_, word in names if word != "**"}
        doors = {mark + word for *_, word, below in names if below == "**" for mark in ". '\""}
        return any(map(self.source.holds, {root for root, *_ in names})) and any(map(self.source.holds, last | doors))

    def reached(self, exercise: str) -> frozenset[str]:
        """Return the exercises that an exercise's code mentions, directly or in what it calls."""
        return self._found.reached[exercise] if self._found else frozenset()

    def builds_on(self) -> Mapping[str, frozenset[str]]:
        """Return for each exercise the others that its code mentions or shares own definitions with; all where unknown."""
        names = frozenset(e.name for e in self.assignment.exercises)
        if self._found is None:
            return {name: names - {name} for name in names}
        return self._found.builds_on

    def has_memory(self) -> bool:
        """Whether anything in the code can outlive a call, as far as its text shows; true where that is unknown."""
        return self._found is None or self._found.has_memory

    def undone(self, exercise: str) -> tuple[Key, ...]:
        """Return what an exercise's functions leave undone, the surest first, as keys of relations."""
        return self._found.undone[exercise] if self._found else ()

    @functools.cached_property
    def _found(self) -> _Found | None:
        """Return what `names_used.read` finds, or None where the source stops or misleads it. Raises ReadingError."""
        if not self.source.chunks:
            return None
        exercises = [(e.name, e.blanks) for e in self.assignment.exercises]
        rules = [(rule.names, rule.exercises) for rule in _with_back_doors(self.assignment)]
        arguments = exercises, rules, list(self.assignment.given)
        value = None
        if self.own_work:
            with contextlib.suppress(Exception):
                value = read_here(reading, self.source, arguments)
        if value is None:
            value = read_in_sandbox(reading, self.source, arguments, self.sandbox, self.assignment.limits)
        return None if value is None else _understood(value, frozenset(e.name for e in self.assignment.exercises))


def _understood(value: Any, names: frozenset[str]) -> _Found | None:
    """Return the child's answer, or None where it has another form: a hostile source may have made it up."""
    try:
        used = {name: value["used"][name] for name in names if name in value["used"]}
        return _Found(
            {name: (str(full_name), str(label), int(line)) for name, (full_name, label, line) in used.items()},
            {name: names.intersection(value["reached"][name]) for name in names},
            {name: names.intersection(value["builds_on"][name]) for name in names},
            bool(value["has_memory"]),
            {name: tuple(_undone(*one) for one in value["undone"][name]) for name in names},
        )
    except (LookupError, TypeError, ValueError):
        return None


def _undone(kind: str, function: str, *names: str) -> Key:
    """Return what a function leaves undone as a relation's key. Raises ValueError where it is not as the child tells it."""
    if kind not in KINDS or not all(
        str(name).isidentifier() and len(name) <= LONGEST_NAME for name in (function, *names)
    ):
        raise ValueError
    return kind, function, ", ".join(f"`{name}`" for name in names)


def explain_shortcut(name: str, instead: str, place: str = "") -> str:
    """Say what was used and what is allowed instead."""
    told = marked("You use `{name}`{place}, which does what this exercise asks you to write yourself. {instead}")
    return say(told, name=name, place=place, instead=instead)


def rule_for(assignment: Assignment, exercise: str, name: str) -> Shortcut | None:
    """Return the rule that forbids a full name to an exercise, or None."""
    rules = (rule for rule in _with_back_doors(assignment) if exercise in rule.exercises)
    return next((rule for rule in rules if any(forbids(pattern, name) for pattern in rule.names)), None)


def name_in(rule: Shortcut, name: str) -> str:
    """Return the rule's own pattern for a name that a child reported; the name itself could hold anything."""
    return next(pattern for pattern in rule.names if forbids(pattern, name))


def _with_back_doors(assignment: Assignment) -> tuple[Shortcut, ...]:
    return tuple(replace(rule, names=(*rule.names, *BACK_DOORS)) for rule in assignment.shortcuts)
