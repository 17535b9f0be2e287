"""All that a judge can know at home, with the reference at hand; see `judge.trials.Knowledge`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from autograder.judge.trials import Judged, Small, Trial
from autograder.oracle.charged_once import follow
from autograder.oracle.reference import Reference
from autograder.oracle.smaller_calls import smaller
from autograder.sandbox.job import Sandbox, Source


class Oracle(Reference):
    """A run's trials, what the reference answers, what follows from a mistake, and what smaller calls should give."""

    def follow(
        self,
        source: Source,
        sandbox: Sandbox,
        judged: Sequence[Judged],
        excused: Collection[Trial] = (),
        named: Collection[str] = (),
    ) -> Mapping[Trial, tuple[str, ...]]:
        """Return the failed trials, but for excused ones, that only follow from other exercises, with their names.

        `named` are the exercises all of whose mistakes are known ones.
        """
        return follow(self, source, sandbox, judged, excused, named)

    def smaller(self, trial: Trial) -> tuple[Small, ...]:
        """Return the same call with smaller inputs, the smallest first; none where it is small, or no value case."""
        return smaller(self, trial)
