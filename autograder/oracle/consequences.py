"""Find failures that only follow from a mistake in another exercise, so that the mistake is charged once.

Some exercises call others. Where the called one is wrong, the caller is judged against what the reference would give *if it
called the student's version*. The reference of the caller runs here. Wherever it calls the wrong exercise, the student's
version is called in the sandbox and its answer is used. A case whose outcome is the one found in this way is charged to the
called exercise, if its answers can be trusted (`evidence.py`). Where the caller gave nothing, or NaN alone, `stand_ins.py`
decides, if it can. No reference code leaves this process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.spec import Status
from autograder.judge.blame import OWN_FAULT, gave_nothing, has_stopped, place_of
from autograder.judge.compare import difference
from autograder.judge.outcomes_alike import is_all_overflow, same_outcomes
from autograder.judge.trials import Judged, Origins, Trial
from autograder.oracle.conversation import Ask, converse
from autograder.oracle.evidence import weigh_answers
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay, informative
from autograder.oracle.stand_ins import right_among_stand_ins
from autograder.oracle.student_calls import Question
from autograder.sandbox.job import Ending, Outcome, Sandbox, Source
from autograder.sandbox.time_limits import Rationed

SHARE = 0.25  # of the time for all cases, for questions


@dataclass(frozen=True)
class Followed:
    """A failed trial whose outcome is the reference's on top of the student's version of other exercises."""

    names: tuple[str, ...]  # of the other exercises
    used: tuple[Question, ...]  # the questions that its replay asked them
    says: bool  # whether it returned values that are not all one number


def follow(
    oracle: Reference,
    source: Source,
    sandbox: Sandbox,
    judged: Sequence[Judged],
    excused: Collection[Trial] = (),
    named: Collection[str] = (),
) -> Origins:
    """Return where failures come from; `judge.trials.Knowledge.follow` is the contract."""
    failed = [j for j in judged if j.status in OWN_FAULT]
    mute = frozenset(j.trial.case.exercise for j in judged if gave_nothing(j))
    wrong = mute.union(j.trial.case.exercise for j in failed)
    failed = [j for j in failed if wrong.intersection(oracle.assignment.uses(j.trial.case.exercise))]
    stopped = [
        j
        for j in judged
        if (has_stopped(j) or j.status is Status.OUTPUT) and mute.intersection(_others_used(oracle, j.trial))
    ]
    if not failed and not stopped:
        return Origins({})
    replay = Replay(oracle, wrong)
    ended = (Status.CRASHED, Status.MEMORY)
    silent = stopped + [
        j for j in failed if j.status in ended or (j.trial not in excused and is_all_overflow(j.outcomes))
    ]
    alone = right_among_stand_ins(oracle, replay, source, sandbox, [j.trial for j in silent])
    open_trials = [j for j in failed if j.trial not in excused and j.trial not in alone.follows]
    followed, own = _ask(oracle, replay, source, sandbox, open_trials)
    evidence = weigh_answers(oracle, replay, {t: f.used for t, f in followed.items()}, source, sandbox)
    followed = {t: f for t, f in followed.items() if t in evidence.steady}
    followed |= {t: Followed(names, (), says=True) for t, names in alone.follows.items() if names}
    shown = frozenset(t for t, f in followed.items() if f.says and (t in evidence.clear or t in alone.follows))
    known = _all_known(judged, followed, excused, named)
    found = _with_evidence(oracle, judged, followed, shown, known, alone.undecided)
    wrong_alone = {t: () for t, names in alone.follows.items() if not names}
    # Were it enough that nothing is decided, code would make sure of that.
    charged = dict.fromkeys(alone.undecided - found.keys(), ())
    return Origins({**charged, **found, **wrong_alone}, own.union(wrong_alone))


def _others_used(oracle: Reference, trial: Trial) -> frozenset[str]:
    exercise = trial.case.exercise
    return frozenset(oracle.assignment.uses(exercise)) - {exercise}


def _ask(
    oracle: Reference, replay: Replay, source: Source, sandbox: Sandbox, open_trials: Sequence[Judged]
) -> tuple[dict[Trial, Followed], frozenset[Trial]]:
    """Return the open trials that follow from other exercises, as the student's code answers them, and those that plainly do not.

    When the time for all questions is used up, they stay unanswered and their trials are not excused.
    """
    limits = oracle.assignment.limits
    rationed = Rationed(sandbox, limits.import_seconds + SHARE * limits.total_seconds, patient=True)

    def work(ask: Ask) -> tuple[dict[Trial, Followed], frozenset[Trial]]:
        followed, own = {}, set()
        replay.begin((j.trial for j in open_trials), ask)
        for j in open_trials:
            outcomes = replay.outcomes(j.trial, ask)
            whole = all(o.ending is Ending.RETURNED for o in outcomes)
            if replay.asked and _same_work(oracle, j, outcomes):
                says = whole and informative(outcomes)
                followed[j.trial] = Followed(tuple(sorted(replay.asked)), tuple(replay.used), says)
            elif replay.asked and whole:
                own.add(j.trial)
        return followed, frozenset(own)

    return converse(oracle.assignment, source, rationed, work)


def _same_work(oracle: Reference, judged: Judged, outcomes: tuple[Outcome, ...]) -> bool:
    """Whether a trial ended as it would on top of the student's version.

    A crash has to be inside another exercise, at the same line at which that crashed when it was called alone.
    """
    if not same_outcomes(judged.trial, judged.outcomes, outcomes):
        return False
    ended = ((m, t) for m, t in zip(judged.outcomes, outcomes, strict=True) if m.ending is not Ending.RETURNED)
    for mine, theirs in ended:
        frames = [outcome.trouble.frames[-1:] if outcome.trouble else () for outcome in (mine, theirs)]
        return bool(frames[0]) and frames[0] == frames[1] and bool(place_of(oracle, judged.trial, mine))
    return True


def _all_known(
    judged: Sequence[Judged], followed: Mapping[Trial, Followed], excused: Collection[Trial], named: Collection[str]
) -> frozenset[str]:
    """Return the exercises whose failures are all explained by known mistakes, their own or those of called exercises."""
    known, failed = set(named), defaultdict[str, list[Trial]](list)
    for j in judged:
        if j.status in OWN_FAULT and j.trial not in excused:
            failed[j.trial.case.exercise].append(j.trial)
    known |= {j.trial.case.exercise for j in judged if j.trial in excused} - failed.keys()
    for _ in failed:
        known |= {
            n for n, ts in failed.items() if all(t in followed and known.issuperset(followed[t].names) for t in ts)
        }
    return frozenset(known)


def _with_evidence(
    oracle: Reference,
    judged: Sequence[Judged],
    followed: Mapping[Trial, Followed],
    shown: Collection[Trial],
    named: frozenset[str],
    undecided: Collection[Trial],
) -> dict[Trial, tuple[str, ...]]:
    """Return the trials to excuse, each with the names of the exercises that it follows from.

    A predicted crash, or a result built on answers that ignore the question, can be had by calling the wrong exercise and
    doing nothing else. Such a trial needs further evidence: hidden cases of its exercise that show something (`shown`, or
    right values) weigh as much as the others, or all mistakes behind it are known and no value contradicts it; this is not
    enough where stand-ins could have decided and the code, by what it does, left it `undecided`.
    """
    wrong = {j.trial.case.exercise for j in judged if j.status is Status.FAILED and j.trial not in followed}
    speak, silent = defaultdict[str, float](float), defaultdict[str, float](float)  # weights by exercise
    for j in judged:
        if oracle.is_hidden(j.trial):
            speaks = j.trial in shown or _right_by_value(oracle, j)
            speak[j.trial.case.exercise] += j.trial.case.weight * speaks
            silent[j.trial.case.exercise] += j.trial.case.weight * (j.trial in followed and not speaks)
    earned = {name for name, weight in speak.items() if weight >= silent[name] and weight > 0}
    return {
        trial: f.names
        for trial, f in followed.items()
        if trial in shown
        or trial.case.exercise in earned
        or (named.issuperset(f.names) and trial.case.exercise not in wrong and trial not in undecided)
    }


def _right_by_value(oracle: Reference, judged: Judged) -> bool:
    """Whether a hidden case passed with the reference's values, and these are not all one number."""
    expected = oracle.expected(judged.trial)
    if judged.status is not Status.PASSED or not oracle.is_hidden(judged.trial) or not informative(expected):
        return False
    pairs = zip(judged.outcomes, expected, strict=True)
    return all(difference(mine.value, theirs.value) is None for mine, theirs in pairs)
