"""Judge every case, then decide which exercise each failure is charged to.

A failure that only follows from another exercise (`oracle/consequences.py`) is charged there alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from autograder.course.language import say
from autograder.course.quiz_checks import choice
from autograder.course.spec import Finding, Status
from autograder.judge.checks import untouched
from autograder.judge.compare import identical
from autograder.judge.diagnose import diagnose, diagnose_all_but_one
from autograder.judge.outcome_keys import once_for_all
from autograder.judge.outcomes_alike import UNCOMPARABLE, agrees, answers_of
from autograder.judge.reasons import Diagnosis
from autograder.judge.trials import Facts, Judged, Origins, Trial
from autograder.sandbox.child.tree import Tensor, as_arrays, leaves
from autograder.sandbox.job import Ending, JobResult, Outcome

STATUS = {
    Ending.RAISED: Status.CRASHED,
    Ending.DIED: Status.CRASHED,
    Ending.ABSENT: Status.MISSING,
    Ending.UNWRITTEN: Status.MISSING,
    Ending.TIMEOUT: Status.TIMEOUT,
    Ending.MEMORY: Status.MEMORY,
    Ending.SHORTCUT: Status.FAILED,
    Ending.OUTPUT: Status.OUTPUT,
    Ending.NOT_RUN: Status.SKIPPED,
    Ending.FAULT: Status.GRADER_ERROR,
}


MOST_JUDGED = 5_000  # sets of a trial's outcomes whose judgement is kept
MOST_PARTS, MAX_GROWTH = (
    100,
    4,
)  # of answers: parts that may be compared with every mistake, and times the right answer's parts
NOT_FOLLOWED = Origins({})
TOLD_APART = ("mutated", "dtype")  # findings that have nothing to do with wrong values beside them
OWN_FAULT = (Status.FAILED, Status.CRASHED, Status.MEMORY)  # statuses that a mistake in the student's code can cause


@dataclass(frozen=True)
class Verdict:
    """The diagnosis of each failing exercise, and the failed trials that are charged to other exercises."""

    diagnoses: Mapping[str, Diagnosis | None]
    excused: Mapping[Trial, tuple[str, ...]]
    inside: Mapping[Trial, str]  # trials that crashed inside another failing exercise, with its name
    again: frozenset[Trial] = frozenset()  # excused trials whose own code repeats a mistake that is charged elsewhere
    own: frozenset[Trial] = frozenset()  # trials that are wrong beside what other exercises do to them, too
    # Excused trials, with the mistake of their own that is charged elsewhere.
    repeats: Mapping[Trial, Diagnosis] = field(default_factory=dict)

    def may_charge_twice(self, judged: Sequence[Judged]) -> bool:
        """Whether more than one exercise is charged, so that one mistake may be charged twice."""
        return len({j.trial.case.exercise for j in judged if j.status in OWN_FAULT and j.trial not in self.excused}) > 1


def assign_blame(
    oracle: Facts,
    judged: tuple[Judged, ...],
    named: Mapping[str, Diagnosis | None],
    origins: Origins = NOT_FOLLOWED,
) -> Verdict:
    """Return the verdict, given what `Knowledge.follow` returned.

    A trial that `origins` leave out is excused where known mistakes of other exercises give exactly the student's outcomes.
    """
    names, followed = [e.name for e in oracle.assignment.exercises], origins.follows
    excused = {trial: places for trial, places in followed.items() if places}
    failed = {name: [j for j in judged if j.trial.case.exercise == name and j.status in OWN_FAULT] for name in names}
    failed = {name: [j for j in trials if j.trial not in excused] for name, trials in failed.items()}
    diagnoses: dict[str, Diagnosis | None] = {}
    own: dict[str, tuple[str, ...]] = {}

    def own_of(name: str) -> tuple[str, ...]:
        if name not in own:
            diagnoses[name] = named[name] if failed[name] else None
            own[name] = _own_mistakes(diagnoses[name])
        return own[name]

    explained = set()
    for name in names:
        others = [own_of(other) for other in oracle.assignment.uses(name) if own_of(other)]
        for upstream in dict.fromkeys([*others, tuple(itertools.chain(*others))]):
            if failed[name] and upstream and all(agrees(oracle, upstream, j.trial, j.outcomes) for j in failed[name]):
                places = tuple(dict.fromkeys(oracle.misconception(mistake).exercise for mistake in upstream))
                excused |= {j.trial: places for j in failed[name] if j.trial not in followed}
                own[name], diagnoses[name] = (), None
                explained.add(name)  # a mistake of its own that would give the same is none, and is not looked for
                failed[name] = [j for j in failed[name] if j.trial in followed]
    own = {name: own_of(name) for name in names}
    diagnoses = {name: diagnoses[name] for name in names}
    for name in names:
        charged = itertools.chain(*(mistakes for other, mistakes in own.items() if other != name))
        upstream = tuple(m for m in charged if any(oracle.matters(m, j.trial) for j in failed[name]))
        known = diagnoses[name]
        open_one = known is None or known.cases or len(known.own) > 1  # one of several may be the other exercise's
        if failed[name] and upstream and open_one and name not in explained:
            diagnoses[name] = diagnosis_of(oracle, name, judged, upstream) or known
            excused = _without_carried(oracle, judged, name, diagnoses[name], excused)
    return Verdict(diagnoses, excused, _crashed_elsewhere(oracle, judged, excused), own=origins.own)


def _without_carried(
    oracle: Facts,
    judged: Sequence[Judged],
    exercise: str,
    diagnosis: Diagnosis | None,
    excused: dict[Trial, tuple[str, ...]],
) -> dict[Trial, tuple[str, ...]]:
    """Return the excused trials after an exercise with mistakes of its own and of others is charged for its own alone."""
    own = _own_mistakes(diagnosis)
    if not own or not diagnosis or diagnosis.tentative:
        return excused
    places = tuple(dict.fromkeys(mistake.exercise for mistake in diagnosis.alternatives[0]))
    others = tuple(place for place in places if place != exercise)
    for j in judged:
        alone = oracle.answers(own, j.trial) if j.trial.case.exercise == exercise and j.status in OWN_FAULT else None
        if alone and agrees(oracle, diagnosis.names, j.trial, j.outcomes):
            passes = judge_trial(oracle, j.trial, alone, oracle.expected(j.trial)).status is Status.PASSED
            excused = {trial: names for trial, names in excused.items() if trial is not j.trial}
            excused |= {j.trial: others} if passes else {}
    return excused


def _crashed_elsewhere(oracle: Facts, judged: tuple[Judged, ...], excused: Mapping[Trial, object]) -> dict[Trial, str]:
    """Return the trials that crashed inside another failing exercise, with its name."""
    failing = {j.trial.case.exercise for j in judged if j.status is not Status.PASSED and j.trial not in excused}
    inside = {}
    for j in judged:
        if j.status is Status.CRASHED and j.trial not in excused:
            crash = next(outcome for outcome in j.outcomes if outcome.ending is not Ending.RETURNED)
            place, name = place_of(oracle, j.trial, crash), j.trial.case.exercise
            if place in failing and name not in oracle.assignment.uses(place):  # else they call each other without end
                inside[j.trial] = place
    return inside


def _own_mistakes(diagnosis: Diagnosis | None) -> tuple[str, ...]:
    """Return the names of the mistakes of a diagnosis that are in the exercise itself."""
    return tuple(mistake.name for mistake in diagnosis.own) if diagnosis else ()


def judge_all(oracle: Facts, ran: JobResult) -> tuple[Judged, ...]:
    """Judge every trial by its own check, in report order."""
    outcomes = iter(ran.outcomes)
    judged = []
    for trial in oracle.trials:
        mine = tuple(next(outcomes) for _ in trial.requests)
        judged.append(_judged_once(oracle, trial, mine))
    return tuple(judged)


def _judged_once(oracle: Facts, trial: Trial, mine: tuple[Outcome, ...]) -> Judged:
    """Judge one trial's outcomes; what came as the same bytes before is judged as it was."""

    def judged() -> Judged:
        return judge_trial(oracle, trial, mine, oracle.expected(trial))

    data = tuple(outcome.data for outcome in mine)
    if not all(data):
        return judged()
    found = oracle.kept(("judged", trial, *data), judged, MOST_JUDGED)
    return found if found.outcomes is mine else Judged(trial, mine, found.status, found.finding, found.waits_for)


def judge_trial(oracle: Facts, trial: Trial, mine: tuple[Outcome, ...], expected: tuple[Outcome, ...]) -> Judged:
    """Judge one trial's outcomes by its own check, whatever other exercises did."""
    ended = [outcome for outcome in mine if outcome.ending is not Ending.RETURNED]
    if ended:
        first = ended[0]
        if first.ending is Ending.UNWRITTEN and (upstream := place_of(oracle, trial, first)):
            return Judged(trial, mine, Status.SKIPPED, waits_for=upstream)
        return Judged(trial, mine, STATUS[first.ending])
    if all(identical(a.value, b.value) and identical(a.args, b.args) for a, b in zip(mine, expected, strict=True)):
        return Judged(trial, mine, Status.PASSED)  # what the reference itself gives needs no second look
    try:
        finding = trial.case.check.judge(trial.calls, answers_of(mine), answers_of(expected))
    except UNCOMPARABLE as error:
        told = say("What you returned cannot be compared with what was expected ({error}).", error=error)
        finding = Finding("uncomparable", told)
    return Judged(trial, mine, Status.FAILED if finding else Status.PASSED, finding)


def has_stopped(judged: Judged) -> bool:
    """Whether a trial hung, or was not run since others of its exercise did."""
    return judged.status is Status.TIMEOUT or (judged.status is Status.SKIPPED and not judged.waits_for)


def gave_nothing(judged: Judged) -> bool:
    """Whether a trial hung, took too much memory, returned what cannot be read, or ended its process."""
    nothing = (Status.TIMEOUT, Status.MEMORY, Status.OUTPUT)
    return judged.status in nothing or any(outcome.ending is Ending.DIED for outcome in judged.outcomes)


def place_of(oracle: Facts, trial: Trial, outcome: Outcome) -> str:
    """Return the name of the other exercise in whose code a call ended, or an empty text."""
    own = {blank: e.name for e in oracle.assignment.exercises for blank in (e.name, *e.blanks)}  # a method may be one
    frames = outcome.trouble.frames if outcome.trouble else ()
    places = (own.get(frame.function) or own.get(frame.function.partition(".")[0], "") for frame in reversed(frames))
    innermost = next(filter(None, places), "")
    return "" if innermost == trial.case.exercise else innermost


def diagnosis_of(
    oracle: Facts, exercise: str, judged: Sequence[Judged], carried: tuple[str, ...] = (), *, thorough: bool = True
) -> Diagnosis | None:
    """Return the known mistakes that explain an exercise's failures, or all of them but one, or None.

    Arguments that were changed in place, and values of another dtype, are told by themselves, and wrong values beside them are
    looked at alone. Questions of a quiz are no part of it: the answer to each has a reason of its own. Nor is what takes too much
    memory for long arguments: known mistakes run without a limit.
    """
    mine = [j for j in judged if j.trial.case.exercise == exercise and not isinstance(j.trial.case.check, choice)]
    ran = [j for j in mine if all(o.ending in _comparable(j.trial) for o in j.outcomes)]
    if all(j.status is Status.PASSED for j in ran) or any(_has_far_more_parts(oracle, j) for j in ran):
        return None
    return once_for_all(
        oracle,
        ("diagnosis", exercise, thorough, *carried),
        ran,
        lambda: _diagnosis_of(oracle, exercise, ran, carried, thorough=thorough),
    )


def _comparable(trial: Trial) -> tuple[Ending, ...]:
    """Return the endings of a trial's calls that known mistakes may have, too."""
    return (Ending.RETURNED, Ending.RAISED) if trial.is_large else (Ending.RETURNED, Ending.RAISED, Ending.MEMORY)


def _has_far_more_parts(oracle: Facts, judged: Judged) -> bool:
    """Whether an answer has far more parts than the right one. No mistake gives that, and comparing it with all takes minutes."""
    for mine, right in zip(judged.outcomes, oracle.expected(judged.trial), strict=True):
        most = max(MOST_PARTS, MAX_GROWTH * _parts(right))
        if _parts(mine) > most:
            return True
    return False


def _parts(outcome: Outcome) -> int:
    return sum(1 for _ in leaves([outcome.value, list(outcome.args)]))


def _diagnosis_of(
    oracle: Facts, exercise: str, ran: Sequence[Judged], carried: tuple[str, ...], *, thorough: bool
) -> Diagnosis | None:
    failed = [j.trial for j in ran if j.status is not Status.PASSED]
    got = {j.trial: j.outcomes for j in ran}
    found = diagnose(oracle, exercise, got, failed, carried, thorough=thorough)
    if found or carried:
        return found
    changed = {j.trial for j in ran if j.finding and j.finding.kind in TOLD_APART}
    unchanged = {
        t: _with_truths(_with_arguments(t, o, oracle.expected(t)), oracle.expected(t))
        for t, o in got.items()
        if t not in changed
    }
    wrong = [trial for trial in failed if trial not in changed]
    if wrong and (changed or any(unchanged[trial] is not got[trial] for trial in wrong)):
        found = diagnose(oracle, exercise, unchanged, wrong, thorough=thorough)
        if found:
            return replace(found, cases=frozenset(trial.case.name for trial in wrong))
    return diagnose_all_but_one(oracle, exercise, unchanged, wrong, thorough=thorough)


def _with_arguments(trial: Trial, got: tuple[Outcome, ...], right: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """Return outcomes as if arguments had been left as they were, where that is what a case asks beside the value."""
    left = all(identical(mine.args, theirs.args) for mine, theirs in zip(got, right, strict=True))
    if left or not isinstance(trial.case.check, untouched) or any(o.ending is not Ending.RETURNED for o in got):
        return got
    return tuple(replace(mine, args=theirs.args) for mine, theirs in zip(got, right, strict=True))


def _with_truths(got: tuple[Outcome, ...], right: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """Return outcomes with truth values for zeros and ones, where truth values were expected."""
    pairs = [(as_arrays(mine.value), as_arrays(theirs.value)) for mine, theirs in zip(got, right, strict=True)]
    if not all(
        isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and b.dtype == bool != a.dtype for a, b in pairs
    ):
        return got
    if not all(np.isin(a, (0, 1)).all() for a, _ in pairs):
        return got
    return tuple(
        replace(mine, value=Tensor(a.astype(bool)) if isinstance(mine.value, Tensor) else a.astype(bool))
        for mine, (a, _) in zip(got, pairs, strict=True)
    )
