"""Follow a mistake through, so that it is charged once.

Some exercises call others. Where one that is called is wrong, the calling one is judged against what the reference
would give *if it called the student's version*: the reference of the calling exercise runs here, and wherever it calls
the wrong one, the question goes to the student's code through the sandbox, like any other call. No reference code
leaves this process. What comes back is used as the value of that call; a case whose outcome is the one so found is the
work of the called exercise, not of the calling one, if the answers may be built on (`evidence.py`).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.spec import Status
from autograder.judge.blame import OWN_FAULT, place_of
from autograder.judge.compare import difference
from autograder.judge.outcomes_alike import same_outcomes
from autograder.judge.trials import Judged, Trial
from autograder.oracle.evidence import weigh_answers
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay, informative
from autograder.oracle.student_calls import Question
from autograder.sandbox.job import Ending, Job, Outcome, Sandbox, Source
from autograder.sandbox.machine import patience

SHARE = 0.25  # of the time for all cases, for answering questions: each round imports the submission anew
MAX_ROUNDS = 64  # of questions and answers: a recurrence asks for its steps one after another


@dataclass(frozen=True)
class Followed:
    """A failed trial that gives what the reference gives on top of the student's version of other exercises."""

    names: tuple[str, ...]  # of these
    used: tuple[Question, ...]  # what they were asked
    says: bool  # it returned something, and not only one number


def follow(
    oracle: Reference,
    source: Source,
    sandbox: Sandbox,
    judged: Sequence[Judged],
    excused: Collection[Trial] = (),
    named: Collection[str] = (),
) -> dict[Trial, tuple[str, ...]]:
    """Return the failed trials, but for excused ones, that only follow from other exercises, with their names.

    `named` are the exercises all of whose mistakes are known ones.
    """
    wrong = {j.trial.case.exercise for j in judged if j.status in OWN_FAULT}
    open_trials = [j for j in judged if j.status in OWN_FAULT and j.trial not in excused]
    open_trials = [j for j in open_trials if wrong.intersection(oracle.assignment.uses(j.trial.case.exercise))]
    if not open_trials:
        return {}
    replay = Replay(oracle, wrong)
    followed = _ask(oracle, replay, source, sandbox, open_trials)
    if not followed:
        return {}
    evidence = weigh_answers(oracle, replay, {t: f.used for t, f in followed.items()}, source, sandbox)
    followed = {t: f for t, f in followed.items() if t in evidence.steady}
    shown = frozenset(t for t, f in followed.items() if f.says and t in evidence.clear)
    return _with_evidence(oracle, judged, followed, shown, _all_known(judged, followed, excused, named))


def _ask(
    oracle: Reference, replay: Replay, source: Source, sandbox: Sandbox, open_trials: Sequence[Judged]
) -> dict[Trial, Followed]:
    """Ask the student's code what the reference would ask it, a process for each round of questions."""
    followed: dict[Trial, Followed] = {}
    limits, spent = oracle.assignment.limits, 0.0
    for _ in range(MAX_ROUNDS):
        waiting = []
        for j in open_trials:
            outcomes = replay.outcomes(j.trial)
            if outcomes is None:
                waiting.append(j)
            elif replay.asked and _same_work(oracle, j, outcomes):
                says = all(o.ending is Ending.RETURNED for o in outcomes) and informative(outcomes)
                followed[j.trial] = Followed(tuple(sorted(replay.asked)), tuple(replay.used), says)
        questions = replay.take_questions()
        # What is open when the student's own code has had its time is not excused. Time in which the reference ran here,
        # or waited for others, is not the student's.
        if not questions or spent > SHARE * limits.total_seconds:
            break
        requests = tuple(asked.request(number) for number, asked in enumerate(questions.values()))
        began = time.monotonic()
        ran = sandbox.run(Job(source, requests, limits, oracle.assignment.shortcuts, oracle.assignment.torch))
        spent += (time.monotonic() - began) / patience()
        replay.learn(dict(zip(questions, ran.outcomes, strict=True)))
        open_trials = waiting
    return followed


def _same_work(oracle: Reference, judged: Judged, outcomes: tuple[Outcome, ...]) -> bool:
    """Whether a trial ended as it would on top of the student's version; a crash has to be inside of that.

    Its innermost line is then in another exercise, and the one at which that crashed when it was asked by itself.
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
    """Return the exercises behind all of whose failures are known mistakes, their own or those that they build on."""
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
) -> dict[Trial, tuple[str, ...]]:
    """Leave out what says nothing of the calling exercise, unless as much else speaks for it.

    A trial that crashes as it should, or is built on answers that ignore what was asked, may be had by calling the wrong
    exercise and nothing more. It counts where hidden cases that show something weigh as much as those that do not, or
    where all the mistakes behind it are known ones and no value speaks against the calling exercise.
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
        or (named.issuperset(f.names) and trial.case.exercise not in wrong)
    }


def _right_by_value(oracle: Reference, judged: Judged) -> bool:
    """Whether a hidden case passed with the reference's very values, and these are not all one number."""
    expected = oracle.expected(judged.trial)
    if judged.status is not Status.PASSED or not oracle.is_hidden(judged.trial) or not informative(expected):
        return False
    pairs = zip(judged.outcomes, expected, strict=True)
    return all(difference(mine.value, theirs.value) is None for mine, theirs in pairs)
