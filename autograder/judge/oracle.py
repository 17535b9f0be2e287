"""All that a judge can know at home, with the reference at hand; see `judge.trials.Knowledge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograder.judge.follow import follow
from autograder.judge.reference import Reference
from autograder.judge.smaller import smaller
from autograder.judge.trials import Judged, Small, Trial
from autograder.sandbox.job import Sandbox, Source


class Oracle(Reference):
    """A run's trials, what the reference answers, what follows from a mistake, and what smaller calls should give."""

    def follow(self, source: Source, sandbox: Sandbox, judged: Sequence[Judged]) -> Mapping[Trial, tuple[str, ...]]:
        """Return the failed trials that only follow from unnamed mistakes in other exercises, with the names of those."""
        return follow(self, source, sandbox, judged)

    def smaller(self, trial: Trial) -> tuple[Small, ...]:
        """Return the same call with smaller inputs, the smallest first; none where it is small, or no value case."""
        return smaller(self, trial)
