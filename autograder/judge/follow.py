"""Follow a mistake through, so that it is charged once.

Some exercises call others. Where one that is called is wrong, the calling one is judged against what the reference
would give *if it called the student's version*: the reference of the calling exercise runs here, and wherever it calls
the wrong one, the question goes to the student's code through the sandbox, like any other call. No reference code
leaves this process. What comes back is used as the value of that call; a case whose outcome is the one so found is the
work of the called exercise, not of the calling one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from autograder.course.spec import Status
from autograder.judge.attribute import OWN_FAULT, diagnosis_of
from autograder.judge.likeness import same_outcomes
from autograder.judge.reference import Reference
from autograder.judge.replay import Replay, informative
from autograder.judge.trials import Judged, Trial
from autograder.sandbox.job import Ending, Job, Sandbox, Source
from autograder.sandbox.machine import patience

MAX_ROUNDS = 64  # of questions and answers: a recurrence asks for its steps one after another


def follow(
    oracle: Reference, source: Source, sandbox: Sandbox, judged: Sequence[Judged]
) -> dict[Trial, tuple[str, ...]]:
    """Return the failed trials that only follow from other exercises, with the names of those."""
    wrong = {j.trial.case.exercise for j in judged if j.status in OWN_FAULT}
    open_trials = [j for j in judged if j.status in OWN_FAULT and wrong - {j.trial.case.exercise}]
    if not open_trials:
        return {}
    replay = Replay(oracle, wrong)
    excused: dict[Trial, tuple[str, ...]] = {}
    limits, spent = oracle.assignment.limits, 0.0
    for _ in range(MAX_ROUNDS):
        waiting = []
        for j in open_trials:
            outcomes = replay.outcomes(j.trial)
            if outcomes is None:
                waiting.append(j)
            elif replay.asked and informative(outcomes) and same_outcomes(j.trial, j.outcomes, outcomes):
                excused[j.trial] = tuple(sorted(replay.asked))
        questions = replay.take_questions()
        # What is open when the student's own code has run as long as it may for all cases is not excused. Time in which
        # the reference ran here, or waited for others, is not the student's.
        if not questions or spent > limits.total_seconds:
            break
        began = time.monotonic()
        asked = tuple(questions.values())
        ran = sandbox.run(Job(source, asked, limits, oracle.assignment.shortcuts, oracle.assignment.torch))
        spent += (time.monotonic() - began) / patience()
        replay.learn(dict(zip(questions, ran.outcomes, strict=True)))
        open_trials = waiting
    return _with_evidence(oracle, judged, excused)


def _with_evidence(
    oracle: Reference, judged: Sequence[Judged], excused: dict[Trial, tuple[str, ...]]
) -> dict[Trial, tuple[str, ...]]:
    """Leave out what merely crashes as it should, unless something else speaks for the exercise.

    That is a hidden case in which it returns what it should, or that the mistake which makes it crash is a known one.
    Otherwise whoever lets the first exercise crash, and all others call it, would earn the others.
    """
    returned = {j.trial for j in judged if all(outcome.ending is Ending.RETURNED for outcome in j.outcomes)}
    shown = {
        j.trial.case.exercise
        for j in judged
        if oracle.is_hidden(j.trial) and j.trial in returned and (j.status is Status.PASSED or j.trial in excused)
    }
    diagnoses = {
        name: diagnosis_of(oracle, name, judged) for name in {name for names in excused.values() for name in names}
    }
    known = {name for name, diagnosis in diagnoses.items() if diagnosis and not diagnosis.tentative}
    return {
        trial: names
        for trial, names in excused.items()
        if trial in returned or trial.case.exercise in shown or known.issuperset(names)
    }
