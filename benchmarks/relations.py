"""What is told where the bank has no name: every known mistake is taken out of it, with its twins, and judged as a stranger.

`python benchmarks/relations.py a5_attention` says how many of its mistakes with wrong values get another's name, a relation to
the right values, or neither, and the CPU time of looking for a relation; `--show` writes every mistake beside what is told.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from autograder.course.catalog import load_assignment
from autograder.course.spec import Misconception
from autograder.judge.blame import diagnosis_of, judge_trial
from autograder.judge.reason_sentences import explain_reason
from autograder.judge.reasons import Reason
from autograder.judge.relations import find_relation
from autograder.judge.trials import Judged
from autograder.judge.unnamed_mistakes import RELATED, SAYS_ITSELF
from autograder.oracle.oracle import Oracle

ROOT = Path(__file__).parents[1]
SEED = 3


def strangers(oracle: Oracle) -> Iterator[tuple[Misconception, list[Judged]]]:
    """Yield every known mistake that gives wrong values, and how its exercise's cases judge it."""
    for m in oracle.assignment.misconceptions:
        answers = ((trial, oracle.answers((m.name,), trial)) for trial in oracle.trials_of(m.exercise))
        judged = [judge_trial(oracle, t, mine, oracle.expected(t)) for t, mine in answers if mine is not None]
        if any(j.finding and j.finding.kind in RELATED for j in judged):
            yield m, judged


def told_without(oracle: Oracle, m: Misconception, judged: list[Judged], *, names: bool) -> tuple[Reason | None, float]:
    """Return what is told of a mistake that the bank does not hold, and the CPU seconds of looking for a relation."""
    bank = tuple(other for other in oracle.assignment.misconceptions if other.name not in (m.name, *m.twins))
    without = copy.copy(oracle)
    without.assignment = replace(oracle.assignment, misconceptions=bank)
    if names and (name := diagnosis_of(without, m.exercise, judged)):
        return name, 0.0
    start = time.process_time()
    shown = [j for j in judged if not j.finding or j.finding.kind not in SAYS_ITSELF]
    return find_relation(without, m.exercise, shown), time.process_time() - start


def main() -> None:
    """Measure assignments and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("slugs", nargs="+")
    parser.add_argument("--names", action="store_true", help="look for other names first, which takes long")
    parser.add_argument("--show", action="store_true", help="write every mistake beside what is told")
    options = parser.parse_args()
    for slug in options.slugs:
        oracle = Oracle(load_assignment(ROOT, slug).without_training(), SEED)
        kinds: Counter[str] = Counter()
        seconds = 0.0
        for m, judged in strangers(oracle):
            reason, spent = told_without(oracle, m, judged, names=options.names)
            seconds += spent
            kinds[type(reason).__name__ if reason else "nothing"] += 1
            if options.show:
                print(f"{m.exercise} {m.name}: {m.says}\n    {explain_reason(reason) if reason else '-'}")
        print(f"{slug}: {kinds.total()} strangers, {dict(kinds)}, {1000 * seconds / kinds.total():.1f} ms each")


if __name__ == "__main__":
    main()
