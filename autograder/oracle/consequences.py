"""Find failures that only follow from a mistake in another exercise, so that the mistake is charged once.

Some exercises call others. Where the called one is wrong, the caller is judged against what the reference would give *if it
called the student's version*. The reference of the caller runs here. Wherever it calls the wrong exercise, the student's
version is called in the sandbox and its answer is used (`built_on.py`). A case whose outcome is the one found in this way is
charged to the called exercise, if its answers can be trusted (`evidence.py`). Before, `stand_ins.py` looks whether the caller is
right whatever it calls; where it gave nothing, or NaN alone, this decides. No reference code leaves this process.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from autograder.course.spec import Status
from autograder.judge.blame import OWN_FAULT, gave_nothing, has_stopped
from autograder.judge.compare import difference
from autograder.judge.outcomes_alike import is_all_overflow
from autograder.judge.trials import Judged, Origins, Trial
from autograder.oracle.built_on import Followed, find_built_on
from autograder.oracle.calls_inside import right_inside
from autograder.oracle.circles import without_circles
from autograder.oracle.earnest_answers import reads_less
from autograder.oracle.equal_calls import right_by_equal_calls, wrong_by_equal_calls
from autograder.oracle.evidence import informative
from autograder.oracle.given_classes import broken_classes, right_with_given_classes
from autograder.oracle.noise import alike_but_for_noise
from autograder.oracle.other_ways import may_use
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay
from autograder.oracle.stand_ins import Alone, right_among_stand_ins
from autograder.sandbox.job import Sandbox, Source

EXACT = 1e-10  # by how much a right answer may be off from which nothing wrong can follow
NOTHING_KNOWN: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(frozen=True)
class _Asked:
    """What is to be found out of a submission."""

    wrong: frozenset[str]  # exercises that fail or give nothing
    unwritten: frozenset[str]
    failed: tuple[Judged, ...]  # of these and the next, those that may come of another exercise
    stopped: tuple[Judged, ...]
    waiting: Mapping[Trial, tuple[str, ...]]  # by trial, the exercise that is not written


def _asked_of(oracle: Reference, judged: Sequence[Judged]) -> _Asked:
    failed = [j for j in judged if j.status in OWN_FAULT]
    mute = frozenset(j.trial.case.exercise for j in judged if gave_nothing(j))
    wrong = mute.union(j.trial.case.exercise for j in failed)
    unwritten = frozenset(j.trial.case.exercise for j in judged if j.status is Status.MISSING)
    failed = [j for j in failed if (wrong | unwritten) & may_use(oracle, j.trial.case.exercise)]
    stopped = (j for j in judged if _gave_no_answer(j) and mute & may_use(oracle, j.trial.case.exercise))
    waiting = {j.trial: (j.waits_for,) for j in judged if j.waits_for}
    return _Asked(wrong, unwritten, tuple(failed), tuple(stopped), waiting)


def follow(
    oracle: Reference,
    source: Source,
    sandbox: Sandbox,
    judged: Sequence[Judged],
    excused: Collection[Trial] = (),
    named: Mapping[str, tuple[str, ...]] = NOTHING_KNOWN,
) -> Origins:
    """Return where failures come from; `judge.trials.Knowledge.follow` is the contract."""
    asked = _asked_of(oracle, judged)
    wrong, unwritten, failed, waiting = asked.wrong, asked.unwritten, asked.failed, asked.waiting
    if not failed and not asked.stopped and not waiting:
        return Origins({})
    replay = Replay(oracle, wrong)
    blamed = {j.trial for j in judged if j.status in OWN_FAULT}
    alone = _alone(oracle, replay, asked, judged, source, sandbox)
    # What gave numbers may be right although stand-ins find it wrong: it may call otherwise, and get the same.
    unlike = frozenset(j.trial for j in failed if _says_numbers(j) and not alone.follows.get(j.trial, ("",)))
    settled = alone.follows.keys() - unlike
    # What gives a helper a generator or a model cannot be asked about; there a known mistake that has the same numbers is enough.
    doubtful = alone.undecided | {t for t in unlike if not any(call.lacks_objects for call in replay.calls(t))}
    open_trials = [
        j.trial for j in failed if j.trial not in settled and (j.trial not in excused or j.trial in doubtful)
    ]
    alike = {t: Followed(waiting.get(t, names), (), says=True) for t, names in alone.follows.items() if names}
    known_so_far = alike.keys() | (set(excused) - doubtful)
    built_on = find_built_on(
        oracle,
        source,
        sandbox,
        wrong,
        blamed - known_so_far,
        open_trials,
        named=unlike.intersection(excused),
        doubted=unlike | alone.undecided,
        mistakes=frozenset(itertools.chain(*named.values())),
    )
    # A wrong helper that does not read what code leaves out does not make that code right.
    lenient = [t for t, f in built_on.followed.items() if t in doubtful and reads_less(oracle, f.used, named)]
    refuted = wrong_by_equal_calls(_beside(replay, unwritten, waiting), source, sandbox, lenient)
    followed = {**{t: f for t, f in built_on.followed.items() if t not in refuted}, **alike}
    shown = frozenset(t for t, f in followed.items() if f.says and (t in built_on.clear or t in alike))
    known = _all_known(judged, followed, excused, named)
    found = _with_evidence(oracle, judged, followed, shown, known, doubtful)
    wrong_alone = {t: () for t in settled if not alone.follows[t]}
    # Were it enough that nothing is decided, code would make sure of that.
    charged = dict.fromkeys(doubtful - found.keys(), ())
    found |= _large_ones(failed, found)
    found = without_circles(replay, source, sandbox, found)
    return Origins({**charged, **found, **wrong_alone}, built_on.own.union(wrong_alone))


def _alone(
    oracle: Reference, replay: Replay, asked: _Asked, judged: Sequence[Judged], source: Source, sandbox: Sandbox
) -> Alone:
    """Return what trials come to by themselves, without what only seems to be right there."""
    not_passed = [j.trial for j in judged if j.status is not Status.PASSED]
    trials = [j.trial for j in (*asked.stopped, *asked.failed)]
    broken = broken_classes(oracle, judged)
    alone = _right_by_themselves(replay, asked.unwritten, broken, source, sandbox, trials, asked.waiting, not_passed)
    alone = _without_nearly_right(oracle, judged, alone)
    return _without_wrong_beside_right(oracle, source, sandbox, judged, alone)


def _right_by_themselves(
    replay: Replay,
    unwritten: frozenset[str],
    broken: frozenset[str],
    source: Source,
    sandbox: Sandbox,
    trials: Sequence[Trial],
    waiting: Collection[Trial],
    not_passed: Sequence[Trial],
) -> Alone:
    """Return what trials come to without what is wrong; and `waiting` ones, and all of them, without what is not written.

    Then with arguments that come to the same, and with `broken` classes as they are given.
    """
    alone = _among_stand_ins(replay, source, sandbox, trials, not_passed)
    beside = _beside(replay, unwritten, waiting)

    def left() -> list[Trial]:
        return [trial for trial in (*waiting, *trials) if not alone.follows.get(trial)]

    if unwritten:
        # What is wrong elsewhere may be right where it is called here.
        for less in (beside, Replay(replay.oracle, unwritten)):
            alone = alone.after(_among_stand_ins(less, source, sandbox, left(), not_passed))
    alone = alone.after(Alone(right_by_equal_calls(beside, source, sandbox, left())))
    return alone.after(Alone(right_with_given_classes(beside, broken, source, sandbox, left())))


def _beside(replay: Replay, unwritten: frozenset[str], waiting: Collection[Trial]) -> Replay:
    """Return the replay without what is not written as well, and what waits for it."""
    return Replay(replay.oracle, replay.wrong.union(unwritten, (trial.case.exercise for trial in waiting)))


def _among_stand_ins(
    replay: Replay, source: Source, sandbox: Sandbox, trials: Sequence[Trial], not_passed: Sequence[Trial]
) -> Alone:
    """Return what trials come to among stand-ins for all that is wrong, and then for that alone which does not itself follow.

    Code may call what a helper calls, and not the helper.
    """
    alone = right_among_stand_ins(replay.oracle, replay, source, sandbox, trials)
    names = replay.wrong
    while left := [trial for trial in trials if not alone.follows.get(trial)]:
        roots = names & {trial.case.exercise for trial in not_passed if not alone.follows.get(trial)}
        if roots == names:
            break
        names = roots
        again = right_among_stand_ins(replay.oracle, Replay(replay.oracle, roots), source, sandbox, left)
        alone = alone.after(again)
    return alone


def _without_nearly_right(oracle: Reference, judged: Sequence[Judged], alone: Alone) -> Alone:
    """Return the same without what is nearly right beside exercises that give what is right and only change their arguments.

    Stand-ins look less closely than cases do, so there they do not tell it from what is right. They do tell whether arguments
    are changed without those exercises.
    """
    off = {j.trial.case.exercise for j in judged if j.status is not Status.PASSED and not _changes_alone(j)}
    failed = {j.trial: j for j in judged if j.status in OWN_FAULT and not _changes_alone(j)}
    follows = {
        trial: () if trial in failed and off.isdisjoint(names) and _is_nearly_right(oracle, failed[trial]) else names
        for trial, names in alone.follows.items()
    }
    return replace(alone, follows=follows)


def _without_wrong_beside_right(
    oracle: Reference, source: Source, sandbox: Sandbox, judged: Sequence[Judged], alone: Alone
) -> Alone:
    """Return the same without what calls other exercises only where these are right, so that it is wrong by itself.

    Random answers of stand-ins do not show a mistake that shows with certain answers alone, such as a probability of 0. It is
    looked for where both have cases that pass.
    """
    passed = {j.trial.case.exercise for j in judged if j.status is Status.PASSED}
    changing = {j.trial.case.exercise for j in judged if _changes_alone(j)}
    following = defaultdict[str, list[Trial]](list)
    for j in judged:
        behind, called = alone.follows.get(j.trial), alone.called.get(j.trial, frozenset())
        if behind and called.issuperset(behind) and j.trial.case.exercise in passed and _says_numbers(j):
            following[j.trial.case.exercise].append(j.trial)
    wrong: dict[Trial, tuple[str, ...]] = {}
    for trials in following.values():
        names = frozenset(itertools.chain(*(alone.follows[trial] for trial in trials)))
        right = (right_inside(oracle, source, sandbox, trials, name, EXACT) for name in names)
        if names <= passed - changing and all(right):
            wrong |= dict.fromkeys(trials, ())
    return replace(alone, follows={**alone.follows, **wrong})


def _changes_alone(judged: Judged) -> bool:
    return judged.finding is not None and judged.finding.kind == "mutated"


def _is_nearly_right(oracle: Reference, judged: Judged) -> bool:
    """Whether the values are right, as closely as stand-ins look; arguments may have been changed."""
    right = oracle.expected(judged.trial)
    mine = tuple(replace(mine, args=theirs.args) for mine, theirs in zip(judged.outcomes, right, strict=True))
    return alike_but_for_noise(judged.trial, mine, right)


def _large_ones(failed: Sequence[Judged], found: Mapping[Trial, tuple[str, ...]]) -> dict[Trial, tuple[str, ...]]:
    """Return from what large trials follow that gave other numbers: from what all other failures of their exercise follow from.

    A large one may call another exercise thousands of times, which are too many to look at.
    """
    behind = defaultdict[str, list[tuple[str, ...]]](list)  # by exercise, what each other failure follows from
    for j in failed:
        if not j.trial.is_large:
            behind[j.trial.case.exercise].append(found.get(j.trial, ()))
    large = [j.trial for j in failed if j.trial.is_large and _says_numbers(j) and not found.get(j.trial)]
    others = {trial: behind[trial.case.exercise] for trial in large}
    return {t: tuple(sorted({*itertools.chain(*names)})) for t, names in others.items() if names and all(names)}


def _gave_no_answer(judged: Judged) -> bool:
    return has_stopped(judged) or judged.status is Status.OUTPUT


def _says_numbers(judged: Judged) -> bool:
    return judged.status is Status.FAILED and not is_all_overflow(judged.outcomes)


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
