"""What one process finds out about an assignment, for others that were forked from the same one.

Known mistakes and correct solutions give every process the same answers, so that of several processes that judge one class
each would compute what another has already. Trials and requests, which are themselves by identity alone, go as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from autograder.judge.trials import Found
from autograder.oracle.reference import Reference

KINDS = frozenset({"changing", "diagnosis", "relation", "right values", "signature"})  # of what is kept: plain data


@dataclass(frozen=True)
class Numbered:
    """A trial or a request, by its number."""

    number: int


class SharedFindings:
    """What a process has found out since it last told, and a way to take what others tell. Make it before the fork."""

    def __init__(self, oracle: Reference) -> None:
        self._findings = oracle.findings
        requests = (request for trial in oracle.trials for request in trial.requests)
        self._things: tuple[Hashable, ...] = (*oracle.trials, *requests)
        self._numbers: dict[Hashable, Hashable] = {thing: Numbered(n) for n, thing in enumerate(self._things)}

    def begin(self) -> None:
        """Note what this process finds out from now on."""
        self._findings.noted = KINDS

    def told(self) -> Sequence[Found]:
        """Return what this process has found out since it was last asked."""
        number = self._numbers
        news = self._findings.news()
        return [(_mapped(key, lambda leaf: number.get(leaf, leaf)), made, most) for key, made, most in news]

    def take(self, told: Sequence[Found]) -> None:
        """Keep what another process told."""
        self._findings.put((_mapped(key, self._thing), made, most) for key, made, most in told)

    def _thing(self, leaf: Hashable) -> Hashable:
        return self._things[leaf.number] if isinstance(leaf, Numbered) else leaf


def _mapped(key: tuple[Hashable, ...], change: Callable[[Hashable], Hashable]) -> tuple[Hashable, ...]:
    """Return a key with its leaves changed."""
    return tuple(_mapped(part, change) if isinstance(part, tuple) else change(part) for part in key)
