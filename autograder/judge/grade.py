"""Grade one submission: run its cases in a sandbox, judge what comes back, diagnose, give points.

Every exercise stands on its own. Where one exercise calls another, a named mistake in the first is charged once: the
second is judged against what the reference would give with that mistake in it ("error carried forward").
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

from autograder.course.spec import Assignment, Exercise, Finding, Status, Visibility
from autograder.judge.diagnose import Diagnosis, agrees, answers_of, diagnose
from autograder.judge.explain import explain_ending, explain_finding, explain_loading, explain_trouble
from autograder.judge.oracle import Oracle, Trial
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.sandbox.job import Ending, Job, JobResult, Outcome, Sandbox, Source

_STATUS = {
    Ending.RAISED: Status.CRASHED,
    Ending.DIED: Status.CRASHED,
    Ending.ABSENT: Status.MISSING,
    Ending.UNWRITTEN: Status.MISSING,
    Ending.TIMEOUT: Status.TIMEOUT,
    Ending.MEMORY: Status.MEMORY,
    Ending.OUTPUT: Status.OUTPUT,
    Ending.NOT_RUN: Status.SKIPPED,
    Ending.FAULT: Status.GRADER_ERROR,
}


_OWN = (Status.FAILED, Status.CRASHED, Status.MEMORY)  # what a mistake in the student's own code looks like


@dataclass(frozen=True)
class _Judged:
    """One trial as first judged, before diagnosis and carrying forward."""

    trial: Trial
    outcomes: tuple[Outcome, ...]
    status: Status
    finding: Finding | None = None
    note: str = ""


def grade(source: Source, oracle: Oracle, sandbox: Sandbox) -> Result:
    """Grade a submission on the oracle's trials."""
    assignment = oracle.assignment
    requests = tuple(request for trial in oracle.trials for request in trial.requests)
    ran = sandbox.run(Job(source, requests, assignment.limits))
    notes = tuple(explain_trouble(note, source) for note in ran.notes)
    if ran.loading.ending is not Ending.RETURNED:
        return replace(_unloadable(ran.loading, oracle, source), notes=notes)
    judged = _judge_all(oracle, ran)
    verdict = _attribute(oracle, judged)
    exercises = tuple(_exercise(e, oracle, judged, verdict, source) for e in assignment.exercises)
    return Result(assignment.slug, exercises, printed=ran.loading.printed, notes=notes)


@dataclass(frozen=True)
class _Verdict:
    """Which mistakes explain which exercise, and which failed trials follow from a mistake made in another one."""

    diagnoses: Mapping[str, Diagnosis | None]
    excused: Mapping[Trial, tuple[str, ...]]


def _attribute(oracle: Oracle, judged: tuple[_Judged, ...]) -> _Verdict:
    """Charge every named mistake to one exercise.

    An exercise is first diagnosed by its own misconceptions. Then, where the mistakes of other exercises already
    explain all its failures, it only follows from them; where they explain some, those cases do.
    """
    names = [e.name for e in oracle.assignment.exercises]
    diagnoses = {name: _diagnose(oracle, name, judged) for name in names}
    own = {name: _own_mistakes(oracle, name, diagnosis) for name, diagnosis in diagnoses.items()}
    excused: dict[Trial, tuple[str, ...]] = {}
    for name in names:
        failed = [j for j in judged if j.trial.case.exercise == name and j.status in _OWN]
        others = [mistakes for other, mistakes in own.items() if other != name and mistakes]
        for upstream in dict.fromkeys([*others, tuple(itertools.chain(*others))]):
            if failed and upstream and all(agrees(oracle, upstream, j.trial, j.outcomes) for j in failed):
                excused |= {j.trial: upstream for j in failed}
                own[name], diagnoses[name] = (), None
                break
    for name in names:
        failed = [j for j in judged if j.trial.case.exercise == name and j.status in _OWN and j.trial not in excused]
        upstream = tuple(itertools.chain(*(mistakes for other, mistakes in own.items() if other != name)))
        if not failed or not upstream:
            continue
        excused |= {j.trial: upstream for j in failed if agrees(oracle, upstream, j.trial, j.outcomes)}
        diagnoses[name] = diagnoses[name] or _diagnose(oracle, name, judged, upstream)
    return _Verdict(diagnoses, excused)


def _own_mistakes(oracle: Oracle, exercise: str, diagnosis: Diagnosis | None) -> tuple[str, ...]:
    """Return the misconceptions of a diagnosis that lie in the exercise itself."""
    names = diagnosis.candidates[0] if diagnosis else ()
    return tuple(name for name in names if oracle.misconception(name).exercise == exercise)


def _judge_all(oracle: Oracle, ran: JobResult) -> tuple[_Judged, ...]:
    outcomes = iter(ran.outcomes)
    judged = []
    for trial in oracle.trials:
        mine = tuple(next(outcomes) for _ in trial.requests)
        judged.append(_judge(oracle, trial, mine, oracle.expected(trial)))
    return tuple(judged)


def _judge(oracle: Oracle, trial: Trial, mine: tuple[Outcome, ...], expected: tuple[Outcome, ...]) -> _Judged:
    ended = [outcome for outcome in mine if outcome.ending is not Ending.RETURNED]
    if ended:
        first = ended[0]
        if first.ending is Ending.UNWRITTEN and (upstream := _unwritten_upstream(oracle, trial, first)):
            return _Judged(trial, mine, Status.SKIPPED, note=f"It builds on `{upstream}`, which is not written yet.")
        return _Judged(trial, mine, _STATUS[first.ending])
    finding = trial.case.check.judge(trial.calls, answers_of(mine), answers_of(expected))
    return _Judged(trial, mine, Status.FAILED if finding else Status.PASSED, finding)


def _unwritten_upstream(oracle: Oracle, trial: Trial, outcome: Outcome) -> str:
    """Return the other exercise whose stub a call ran into, if it did."""
    last = outcome.trouble.frames[-1].function if outcome.trouble and outcome.trouble.frames else ""
    others = {e.name for e in oracle.assignment.exercises} - {trial.case.exercise}
    return last if last in others else ""


def _diagnose(oracle: Oracle, exercise: str, judged: tuple[_Judged, ...], carried: tuple[str, ...] = ()) -> Diagnosis | None:
    comparable = (Ending.RETURNED, Ending.RAISED, Ending.MEMORY)
    ran = [j for j in judged if j.trial.case.exercise == exercise and all(o.ending in comparable for o in j.outcomes)]
    failed = [j.trial for j in ran if j.status is not Status.PASSED]
    if not failed:
        return None
    return diagnose(oracle, exercise, {j.trial: j.outcomes for j in ran}, failed, carried)


def _exercise(
    exercise: Exercise, oracle: Oracle, judged: tuple[_Judged, ...], verdict: _Verdict, source: Source
) -> ExerciseResult:
    mine = [j for j in judged if j.trial.case.exercise == exercise.name]
    cases = tuple(
        _excused_case(j, verdict.excused[j.trial], oracle)
        if j.trial in verdict.excused
        else _case(j, oracle, verdict.diagnoses[exercise.name], source)
        for j in mine
    )
    weights = [j.trial.case.weight for j in mine]
    earned = sum(w for w, c in zip(weights, cases, strict=True) if c.status is Status.PASSED)
    score = round(exercise.points * earned / sum(weights), 4) if weights else 0.0
    return ExerciseResult(exercise.name, score, exercise.points, cases)


def _excused_case(judged: _Judged, upstream: tuple[str, ...], oracle: Oracle) -> CaseResult:
    case = judged.trial.case
    places = ", ".join(dict.fromkeys(f"`{oracle.misconception(name).exercise}`" for name in upstream))
    text = f"Right, given your {places}: a mistake made there is not charged again here."
    return CaseResult(
        case.name, case.claim, case.visibility, Status.PASSED, text, seconds=sum(o.seconds for o in judged.outcomes)
    )


def _case(judged: _Judged, oracle: Oracle, diagnosis: Diagnosis | None, source: Source) -> CaseResult:
    case, calls = judged.trial.case, judged.trial.calls
    parameters = oracle.parameters.get(case.exercise, ())
    seconds = sum(outcome.seconds for outcome in judged.outcomes)
    result = CaseResult(case.name, case.claim, case.visibility, judged.status, seconds=round(seconds, 6))
    printed = "".join(outcome.printed for outcome in judged.outcomes)
    if judged.status is Status.PASSED:
        return replace(result, grader_note=printed)
    index = next((i for i, o in enumerate(judged.outcomes) if o.ending is not Ending.RETURNED), 0)
    bad = judged.outcomes[index]
    if judged.note:
        message = judged.note
    elif bad.ending is Ending.UNWRITTEN:
        message = "Not written yet."
    elif judged.finding:
        message = explain_finding(judged.finding, case.visibility, calls, case.exercise, parameters)
    else:
        message = explain_ending(
            bad, case.visibility, source, oracle.assignment.limits, calls[index], case.exercise, parameters
        )
    if case.visibility is Visibility.PUBLIC and printed:
        message += "\nYour code printed\n" + "\n".join("  " + line for line in printed.splitlines()[:10])
    explained = diagnosis and judged.status in _OWN
    return replace(
        result,
        message=message,
        diagnosis=diagnosis.name if diagnosis and explained and not diagnosis.tentative else "",
        says=_says(diagnosis, oracle) if diagnosis and explained else "",
        grader_note="\n".join(filter(None, [bad.trouble.text if bad.trouble else "", printed])),
    )


def _says(diagnosis: Diagnosis, oracle: Oracle) -> str:
    """Put a diagnosis in sentences: one mistake, several at once, or a choice between explanations."""
    sentences = [" Also: ".join(oracle.misconception(name).says for name in names) for names in diagnosis.candidates]
    if diagnosis.tentative:
        return f"Perhaps: {sentences[0]}"
    if diagnosis.certain:
        return sentences[0]
    return "One of these: " + " Or: ".join(dict.fromkeys(sentences))


def _unloadable(loading: Outcome, oracle: Oracle, source: Source) -> Result:
    """Grade a submission that could not be imported: every case has that one reason."""
    problem = explain_loading(loading, source, oracle.assignment.limits)
    status = _STATUS[loading.ending]
    exercises = tuple(
        ExerciseResult(
            exercise.name,
            0.0,
            exercise.points,
            tuple(
                CaseResult(t.case.name, t.case.claim, t.case.visibility, status, "The file could not be imported.")
                for t in oracle.trials_of(exercise.name)
            ),
        )
        for exercise in oracle.assignment.exercises
    )
    note = loading.trouble.text if loading.trouble else ""
    return Result(oracle.assignment.slug, exercises, problem=problem, printed=loading.printed or note)
