"""Name the mistake of an exercise that is wrong whatever the others give that it uses, where none of these has a name or is written.

Its cases cannot show it: they have the numbers of both, or none. Without those others they do.
"""

from __future__ import annotations

from dataclasses import replace

from autograder.course.spec import Status
from autograder.judge.blame import OWN_FAULT, Verdict, diagnosis_of, judge_trial
from autograder.judge.reasons import Diagnosis
from autograder.judge.trials import Judged, Knowledge, Trial
from autograder.sandbox.job import Sandbox, Source


def named_without_others(
    oracle: Knowledge, source: Source, sandbox: Sandbox, judged: tuple[Judged, ...], verdict: Verdict
) -> tuple[tuple[Judged, ...], Verdict]:
    """Return what was judged, and the verdict with the mistakes that are found so.

    What passes with these alone is charged to what it uses. What waits and does not pass with them is wrong.
    """
    charged = [j for j in judged if j.status in OWN_FAULT or _waits(j) if j.trial not in verdict.excused]
    names = dict.fromkeys(j.trial.case.exercise for j in charged if j.trial in verdict.own or _waits(j))
    wrong = set[Trial]()
    for name in (name for name in names if not verdict.diagnoses.get(name)):
        alone = oracle.without_others(source, sandbox, name, judged)
        found = diagnosis_of(oracle, name, tuple(alone.values()))
        if not found or found.tentative or found.cases:
            continue
        mine = {j.trial: j for j in charged if j.trial.case.exercise == name and j.trial in alone}
        failing = {j.trial.case.exercise for j in judged if j.status is not Status.PASSED}
        places = tuple(other for other in oracle.assignment.uses(name) if other in failing)
        passing = [trial for trial in mine if alone[trial].trial is not trial and _passes(oracle, found, trial)]
        wrong |= {trial for trial in mine if alone[trial].status is Status.FAILED}.difference(passing)
        # Of few numbers some came near the right ones by chance.
        lucky = {j.trial for j in judged if j.trial.case.exercise == name and _waits(j) and j.trial in verdict.excused}
        lucky = {trial for trial in lucky if not _passes(oracle, found, trial)}
        wrong |= lucky
        excused = {trial: where for trial, where in verdict.excused.items() if trial not in lucky}
        verdict = replace(
            verdict,
            diagnoses={**verdict.diagnoses, name: found},
            excused={**excused, **dict.fromkeys(passing, places)},
        )
    return tuple(replace(j, status=Status.FAILED) if _waits(j) and j.trial in wrong else j for j in judged), verdict


def _waits(judged: Judged) -> bool:
    """Whether a trial stopped inside an exercise that is not written."""
    return judged.status is Status.SKIPPED and bool(judged.waits_for)


def _passes(oracle: Knowledge, diagnosis: Diagnosis, trial: Trial) -> bool:
    """Whether a case passes with the mistakes of a diagnosis and nothing else."""
    answers = oracle.answers(diagnosis.names, trial) or ()
    return bool(answers) and judge_trial(oracle, trial, answers, oracle.expected(trial)).status is Status.PASSED
