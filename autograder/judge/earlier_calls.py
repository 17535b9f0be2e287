"""Find out whether an exercise is wrong only after other calls, because its code remembers something of them.

A call that is wrong among the others is made again in a new process, where the exercise is asked nothing else. Where that answer
is right, the arguments cannot be what the code gets wrong. Each call gets arguments of its own and random numbers begin
again with each case, so a generator or a state that is handed in changes nothing here. Code whose text has no place to remember
anything is not run again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from autograder.course.spec import Status
from autograder.judge.blame import OWN_FAULT, Verdict, judge_trial
from autograder.judge.forbidden import Reading
from autograder.judge.trials import Judged, Knowledge
from autograder.sandbox.job import Ending, Job, Outcome, Sandbox, Source

TIMES = 2  # that a call is right alone, each in a process of its own: what is right by chance is not told
WRONG = frozenset({"values", "not_finite", "property", "constant", "shape"})  # findings that memory may explain


def exercises_that_remember(
    oracle: Knowledge, judged: Sequence[Judged], verdict: Verdict, reading: Reading, sandbox: Sandbox
) -> frozenset[str]:
    """Return the exercises without a diagnosis whose first wrong call is right when it is made alone.

    What uses another failing exercise is left out: that one is to be mended first. All others are asked in one process, each a
    single question.
    """
    elsewhere = verdict.excused.keys() | verdict.inside.keys()
    failing = {
        j.trial.case.exercise for j in judged if j.status is not Status.PASSED and j.trial not in verdict.excused
    }
    asked = {}
    for name, diagnosis in verdict.diagnoses.items():
        wrong = _first_wrong([j for j in judged if j.trial.case.exercise == name], elsewhere)
        if wrong and diagnosis is None and not failing & set(oracle.assignment.uses(name)):
            asked[name] = wrong
    if not asked or not reading.has_memory():
        return frozenset()
    for _ in range(TIMES):
        answers = _alone(oracle, asked, reading.source, sandbox)
        asked = {name: wrong for name, wrong in asked.items() if _is_right(oracle, wrong, answers[name])}
    return frozenset(asked)


def _first_wrong(judged: Sequence[Judged], elsewhere: Collection[object]) -> Judged | None:
    """Return the first case of an exercise that fails by a wrong value or an exception of its own."""
    return next((j for j in judged if j.status in OWN_FAULT and j.trial not in elsewhere and _may_remember(j)), None)


def _may_remember(judged: Judged) -> bool:
    """Whether memory can be why a case fails; other failures say by themselves what is wrong."""
    ended = next((o.ending for o in judged.outcomes if o.ending is not Ending.RETURNED), None)
    return ended is Ending.RAISED or bool(ended is None and judged.finding and judged.finding.kind in WRONG)


def _wrong_call(judged: Judged) -> int:
    """Return the place of the first call that ended without a value, else of the one that the check found wrong."""
    ended = (i for i, outcome in enumerate(judged.outcomes) if outcome.ending is not Ending.RETURNED)
    return next(ended, judged.finding.call if judged.finding else 0)


def _alone(oracle: Knowledge, asked: Mapping[str, Judged], source: Source, sandbox: Sandbox) -> Mapping[str, Outcome]:
    """Return what the first wrong call of each exercise gives in a new process."""
    if not asked:
        return {}
    assignment, requests = oracle.assignment, tuple(j.trial.requests[_wrong_call(j)] for j in asked.values())
    ran = sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch))
    return dict(zip(asked, ran.outcomes, strict=True))


def _is_right(oracle: Knowledge, judged: Judged, alone: Outcome) -> bool:
    """Whether a case passes with another outcome of its wrong call, or comes further than that call."""
    place, trial = _wrong_call(judged), judged.trial
    if alone.ending is not Ending.RETURNED:
        return False
    outcomes = (*judged.outcomes[:place], alone, *judged.outcomes[place + 1 :])
    again = judge_trial(oracle, trial, outcomes, oracle.expected(trial))
    return again.status is Status.PASSED or _wrong_call(again) > place
