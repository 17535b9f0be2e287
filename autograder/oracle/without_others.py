"""Judge an exercise without the others that are wrong: the same calls among stand-ins, each case as a trial of its own.

What is wrong elsewhere changes nothing there, so a mistake gives the numbers that it gives with no other beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autograder.course.spec import Status
from autograder.judge.blame import judge_trial
from autograder.judge.checks import close
from autograder.judge.trials import Judged, Trial
from autograder.oracle.noise import NEAR
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay
from autograder.oracle.stand_ins import asked_among_stand_ins
from autograder.sandbox.child.stand_ins import OTHER_SHAPES
from autograder.sandbox.job import Job, Sandbox, Source


def without_others(
    oracle: Reference, source: Source, sandbox: Sandbox, exercise: str, judged: Sequence[Judged]
) -> Mapping[Trial, Judged]:
    """Return the trials of an exercise without others that fail; `judge.trials.Knowledge.without_others` is the contract.

    Those that call none of these come as they are. Left out are those about which nothing can be asked, and those in which code
    calls others with arguments that the reference does not give them.
    """
    replay = Replay(oracle, frozenset(j.trial.case.exercise for j in judged if j.status is not Status.PASSED))
    mine = [j for j in judged if j.trial.case.exercise == exercise]
    found = {j.trial: j for j in mine if not replay.wrong_in(j.trial)}
    asked = {j.trial: among for j in mine if j.trial not in found and (among := _among_stand_ins(replay, j.trial))}
    requests = tuple(request for among in asked.values() for request in among.requests)
    assignment = oracle.assignment
    job = Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch)
    outcomes = iter(sandbox.run(job).outcomes if requests else ())
    for trial, among in asked.items():
        got = tuple(next(outcomes) for _ in among.requests)
        if not any(outcome.trouble and outcome.trouble.text == OTHER_SHAPES for outcome in got):
            found[trial] = judge_trial(oracle, among, got, oracle.expected(among))
    return found


def _among_stand_ins(replay: Replay, trial: Trial) -> Trial | None:
    """Return a trial's calls among stand-ins as a trial, if they can be made there and their values alone decide."""
    check = trial.case.check
    if not getattr(check, "alike_by_value", False):
        return None

    def made() -> Trial | None:
        requests, _ = asked_among_stand_ins(replay, trial)
        if not requests:
            return None
        at = (0, *getattr(check, "at", ()))  # beside the value it is told which stand-ins were called
        name = " ".join([trial.case.name, "without", *sorted(replay.wrong_in(trial))])
        case = replace(trial.case, name=name, check=close(at=at, tolerance=NEAR, because="stand-ins multiply rounding"))
        return Trial(case, trial.calls * (len(requests) // len(trial.requests)), requests, drawn=True)

    return replay.kept(("without others", trial, replay.wrong_in(trial)), made, None)
