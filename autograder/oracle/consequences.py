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
from autograder.oracle.scrambled import as_called, scrambled
from autograder.oracle.stand_ins import right_among_stand_ins
from autograder.oracle.student_calls import Question
from autograder.sandbox.job import Ending, Job, Outcome, Sandbox, Source
from autograder.sandbox.time_limits import Rationed

SHARE = 0.25  # of the time for all cases, for questions


@dataclass(frozen=True)
class Followed:
    """A failed trial whose outcome is the reference's on top of the student's version of other exercises."""

    names: tuple[str, ...]  # of the other exercises
    used: tuple[Question, ...]  # the questions that its replay asked them
    says: bool  # whether it returned values that are not all one number


@dataclass(frozen=True)
class BuiltOn:
    """What trials come to on top of what the student's code of other exercises answers."""

    followed: Mapping[Trial, Followed]
    clear: frozenset[Trial]  # of the followed ones, those by answers that depend on what is asked
    own: frozenset[Trial]  # those that plainly do not follow


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
    blamed = {j.trial for j in failed}
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
    alone = right_among_stand_ins(oracle, replay, source, sandbox, [j.trial for j in (*stopped, *failed)])
    # What gave numbers may be right although stand-ins find it wrong: it may call otherwise, and get the same.
    unlike = frozenset(j.trial for j in failed if _says_numbers(j) and not alone.follows.get(j.trial, ("",)))
    settled = alone.follows.keys() - unlike
    # What gives a helper a generator cannot be asked about; there a known mistake that has the same numbers is enough.
    doubtful = alone.undecided | {t for t in unlike if not any(call.lacks_generator for call in replay.calls(t))}
    open_trials = [
        j.trial for j in failed if j.trial not in settled and (j.trial not in excused or j.trial in doubtful)
    ]
    alike = {t: Followed(names, (), says=True) for t, names in alone.follows.items() if names}
    known_so_far = alike.keys() | (set(excused) - doubtful)
    built_on = _built_on(
        oracle, source, sandbox, wrong, blamed - known_so_far, open_trials, unlike.intersection(excused)
    )
    followed = {**built_on.followed, **alike}
    shown = frozenset(t for t, f in followed.items() if f.says and (t in built_on.clear or t in alike))
    known = _all_known(judged, followed, excused, named)
    found = _with_evidence(oracle, judged, followed, shown, known, doubtful)
    wrong_alone = {t: () for t in settled if not alone.follows[t]}
    # Were it enough that nothing is decided, code would make sure of that.
    charged = dict.fromkeys(doubtful - found.keys(), ())
    return Origins({**charged, **found, **wrong_alone}, built_on.own.union(wrong_alone))


def _says_numbers(judged: Judged) -> bool:
    return judged.status is Status.FAILED and not is_all_overflow(judged.outcomes)


def _others_used(oracle: Reference, trial: Trial) -> frozenset[str]:
    exercise = trial.case.exercise
    return frozenset(oracle.assignment.uses(exercise)) - {exercise}


def _built_on(
    oracle: Reference,
    source: Source,
    sandbox: Sandbox,
    wrong: frozenset[str],
    blamed: Collection[Trial],
    trials: Sequence[Trial],
    named: Collection[Trial],
) -> BuiltOn:
    """Return which of several trials build on what the student's code of other exercises answers as the reference does.

    First the answers of all wrong exercises are scrambled, then those alone that do not themselves follow from others: code may
    call what a helper calls, and not the helper. `blamed` are the failed trials of which nothing explains where they come from;
    the numbers of `named` are those of known mistakes in the others, which code may have once more instead of a call.
    """
    limits = oracle.assignment.limits
    rationed = Rationed(sandbox, limits.import_seconds + SHARE * limits.total_seconds, patient=True)
    found, names, before = BuiltOn({}, frozenset(), frozenset()), wrong, frozenset[str]()
    while trials and names != before:
        replay = Replay(oracle, wrong, names)
        followed, own = _ask(oracle, replay, source, rationed, trials, named)
        evidence = weigh_answers(oracle, replay, {t: f.used for t, f in followed.items()}, source, sandbox)
        followed = {t: f for t, f in followed.items() if t in evidence.steady}
        found = BuiltOn({**found.followed, **followed}, found.clear | evidence.clear, own)
        trials = [t for t in trials if t not in followed]
        left = {t.case.exercise for t in blamed if t not in found.followed}
        before, names = names, names & left
    return found


def _ask(
    oracle: Reference,
    replay: Replay,
    source: Source,
    sandbox: Sandbox,
    trials: Sequence[Trial],
    named: Collection[Trial],
) -> tuple[dict[Trial, Followed], frozenset[Trial]]:
    """Return the open trials that follow from other exercises, as the student's code answers them, and those that plainly do not.

    The answers are scrambled, for the student's code as for the reference. When the time for all questions is used up, they
    stay unanswered and their trials are not excused.
    """
    mine = _on_scrambled_answers(oracle, replay, source, sandbox, trials)

    def work(ask: Ask) -> tuple[dict[Trial, Followed], frozenset[Trial]]:
        followed, own = {}, set()
        replay.begin(mine, ask)
        for trial, got in mine.items():
            outcomes = replay.outcomes(trial, ask)
            whole = all(o.ending is Ending.RETURNED for o in outcomes)
            if replay.asked and (trial in named or _same_work(oracle, trial, got, outcomes)):
                says = whole and informative(outcomes)
                followed[trial] = Followed(tuple(sorted(replay.asked)), tuple(replay.used), says)
            elif replay.asked and whole:
                own.add(trial)
        return followed, frozenset(own)

    return converse(oracle.assignment, source, sandbox, replay.scrambled, work)


def _on_scrambled_answers(
    oracle: Reference, replay: Replay, source: Source, sandbox: Sandbox, trials: Sequence[Trial]
) -> dict[Trial, tuple[Outcome, ...]]:
    """Return what the student's code gives for trials on top of scrambled answers of what is wrong."""
    plain = [(trial, request) for trial in trials for request in trial.requests]
    requests = tuple(scrambled(request, replay.scrambled - {trial.case.exercise}) for trial, request in plain)
    limits, shortcuts = oracle.assignment.limits, oracle.assignment.shortcuts
    ran = sandbox.run(Job(source, requests, limits, shortcuts, oracle.assignment.torch)).outcomes
    outcomes = iter([as_called(outcome, request) for outcome, (_, request) in zip(ran, plain, strict=True)])
    return {trial: tuple(next(outcomes) for _ in trial.requests) for trial in trials}


def _same_work(oracle: Reference, trial: Trial, got: tuple[Outcome, ...], outcomes: tuple[Outcome, ...]) -> bool:
    """Whether a trial ended as it would on top of the student's version.

    A crash has to be inside another exercise, at the same line at which that crashed when it was called alone.
    """
    if not same_outcomes(trial, got, outcomes):
        return False
    ended = ((m, t) for m, t in zip(got, outcomes, strict=True) if m.ending is not Ending.RETURNED)
    for mine, theirs in ended:
        frames = [outcome.trouble.frames[-1:] if outcome.trouble else () for outcome in (mine, theirs)]
        return bool(frames[0]) and frames[0] == frames[1] and bool(place_of(oracle, trial, mine))
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
