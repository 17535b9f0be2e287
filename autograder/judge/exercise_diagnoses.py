"""The diagnosis of every failing exercise, each looked at alone."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from autograder.judge.blame import OWN_FAULT, diagnosis_of
from autograder.judge.outcomes_alike import agrees
from autograder.judge.reasons import Diagnosis, Mistake
from autograder.judge.trials import Facts, Judged


class Named(Mapping[str, Diagnosis | None]):
    """The diagnosis of every failing exercise, each looked at alone, and looked for when it is first asked for.

    Unless it is `thorough`, only those by a single mistake of the exercise, which are found in no time. `reached` returns the
    exercises that the student's code of one calls.
    """

    def __init__(
        self,
        oracle: Facts,
        judged: Sequence[Judged],
        reached: Callable[[str], Collection[str]] = lambda _: (),
        *,
        thorough: bool = True,
    ) -> None:
        failing = {j.trial.case.exercise for j in judged if j.status in OWN_FAULT}
        self._oracle, self._judged, self._reached = oracle, judged, reached
        self._names = [e.name for e in oracle.assignment.exercises if e.name in failing]
        self._find = functools.cache(
            lambda name: self._believed(name, diagnosis_of(oracle, name, judged, thorough=thorough))
        )

    def _believed(self, name: str, found: Diagnosis | None) -> Diagnosis | None:
        """Return a diagnosis without the mistakes of exercises that this one calls and whose own cases show no such mistake."""
        if not found or all(m.exercise == name for mistakes in found.alternatives for m in mistakes):
            return found
        called = self._reached(name)
        kept = [
            mistakes
            for mistakes in found.alternatives
            if all(m.exercise == name or m.exercise not in called or self._is_made(m) for m in mistakes)
        ]
        return replace(found, alternatives=tuple(kept)) if kept else None

    def _is_made(self, mistake: Mistake) -> bool:
        """Whether an exercise gives in its own cases what it would give with a mistake."""
        mine = (j for j in self._judged if j.trial.case.exercise == mistake.exercise)
        return all(agrees(self._oracle, (mistake.name,), j.trial, j.outcomes) for j in mine)

    def __getitem__(self, name: str) -> Diagnosis | None:
        """Return an exercise's diagnosis. Raises KeyError where it does not fail."""
        if name not in self._names:
            raise KeyError(name)
        return self._find(name)

    def __iter__(self) -> Iterator[str]:
        """Yield the failing exercises in their order."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return how many exercises fail."""
        return len(self._names)
