"""Find which calls of a student's code build on its own wrong exercises as the reference does.

The reference runs on top of what the student's version of them answers, and so does the student's code. All these answers are
scrambled on their way (`scrambled.py`), so that code which makes nothing of them is not taken for code that does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from autograder.judge.blame import place_of
from autograder.judge.outcomes_alike import same_outcomes
from autograder.judge.trials import Trial
from autograder.oracle.conversation import Ask, converse
from autograder.oracle.earnest_answers import answered_in_earnest
from autograder.oracle.evidence import informative, weigh_answers
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay
from autograder.oracle.scrambled import run_scrambled
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


@dataclass(frozen=True)
class BuiltOn:
    """What trials come to on top of what the student's code of other exercises answers."""

    followed: Mapping[Trial, Followed]
    clear: frozenset[Trial]  # of the followed ones, those by answers that depend on what is asked
    own: frozenset[Trial]  # those that plainly do not follow


def find_built_on(
    oracle: Reference,
    source: Source,
    sandbox: Sandbox,
    wrong: frozenset[str],
    blamed: Collection[Trial],
    trials: Sequence[Trial],
    named: Collection[Trial],
    doubted: Collection[Trial],
    mistakes: Collection[str],
) -> BuiltOn:
    """Return which of several trials build on what the student's code of other exercises answers as the reference does.

    First the answers of all wrong exercises are scrambled, then those alone that do not themselves follow from others: code may
    call what a helper calls, and not the helper. `blamed` are the failed trials of which nothing explains where they come from;
    the numbers of `named` are those of known mistakes in the others, which code may have once more instead of a call. Of the
    `doubted`, stand-ins have found that they are wrong whatever they call, or what the code does has kept them from it. It may
    call otherwise, or be made right by a helper that was written for it: such a helper is neither nearly right nor wrong by the known `mistakes`.
    """
    limits = oracle.assignment.limits
    rationed = Rationed(sandbox, limits.import_seconds + SHARE * limits.total_seconds, patient=True)
    found, names, before = BuiltOn({}, frozenset(), frozenset()), wrong, frozenset[str]()
    while trials and names != before:
        replay = Replay(oracle, wrong, names)
        followed, own = _ask(oracle, replay, source, rationed, trials, named)
        evidence = weigh_answers(oracle, replay, {t: f.used for t, f in followed.items()}, source, sandbox)
        followed = {
            t: f
            for t, f in followed.items()
            if t in evidence.steady
            and (t not in doubted or t in named or answered_in_earnest(oracle, replay, f.used, mistakes))
        }
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
    asked = [(request, replay.scrambled - {trial.case.exercise}) for trial in trials for request in trial.requests]
    outcomes = iter(run_scrambled(oracle.assignment, source, sandbox, asked))
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
