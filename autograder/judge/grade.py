"""Grade one submission: run its cases in a sandbox, judge what comes back, and say why each did not pass."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from autograder.course.language import marked, say, speaking
from autograder.course.quiz_checks import choice
from autograder.course.spec import Assignment, Call, Exercise, Finding, Status, Visibility
from autograder.judge.blame import OWN_FAULT, STATUS, Verdict, assign_blame, gave_nothing, judge_all, place_of
from autograder.judge.crash_reasons import reason_of_crash
from autograder.judge.diagnose import chosen_option
from autograder.judge.earlier_calls import exercises_that_remember
from autograder.judge.ease import ease_of
from autograder.judge.exercise_diagnoses import Named
from autograder.judge.failure_fingerprint import crash_of, fingerprint_of, raised_at
from autograder.judge.forbidden import Reading, explain_shortcut, name_in, rule_for
from autograder.judge.loading_messages import explain_loading, explain_note, explain_repeated
from autograder.judge.manual_answers import with_answers
from autograder.judge.messages import (
    MAX_LINE,
    explain_ending,
    explain_excuse,
    explain_finding,
    explain_unwritten,
)
from autograder.judge.names_without_others import named_without_others
from autograder.judge.not_run import with_not_run
from autograder.judge.outcomes_alike import answers_of
from autograder.judge.picture import Picture, heat_map, plotted
from autograder.judge.points import points_earned, refused, without_points, worth
from autograder.judge.reasons import Advice, Detail, Hint, Message, Relation
from autograder.judge.repeated_mistakes import charge_repeats
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.judge.shape_trails import shapes_on_the_way
from autograder.judge.smallest_failure import with_smallest
from autograder.judge.terminal_text import without_folders
from autograder.judge.trials import Judged, Knowledge
from autograder.judge.turns import with_turn
from autograder.judge.unnamed_mistakes import first_to_mend, relations_of, used_beside, without_name
from autograder.sandbox.job import Ending, Job, JobResult, Outcome, Sandbox, Source
from autograder.sandbox.memory import fitting
from autograder.sandbox.time_limits import Rationed

MAX_PRINTED = 10  # lines of what a case printed
FEW = 4  # definitions; with fewer it is not said that a file is another assignment's


def grade(
    source: Source, oracle: Knowledge, sandbox: Sandbox, *, smallest: bool = False, own_work: bool = False
) -> Result:
    """Grade a submission on the oracle's trials; with `smallest`, show failures by the smallest call that fails.

    `own_work` says that the person who runs this wrote the code: then this process reads its text.
    """
    assignment = oracle.assignment
    limits = assignment.limits
    rationed = Rationed(sandbox, limits.import_seconds + limits.total_seconds)
    reading = Reading(source, assignment, sandbox, own_work)
    requests = tuple(request for trial in oracle.trials for request in trial.requests)
    ran = rationed.run(Job(source, requests, limits, assignment.shortcuts, assignment.torch))
    result = judge_run(reading, oracle, rationed, ran, smallest=smallest)
    return with_answers(result, source, assignment, sandbox)


def judge_run(
    reading: Reading, oracle: Knowledge, sandbox: Sandbox, ran: JobResult, *, smallest: bool = False
) -> Result:
    """Judge what a run of a submission came to, in its assignment's language; `sandbox` is for following mistakes further."""
    with speaking(oracle.assignment.language):
        return _judged(reading, oracle, sandbox, ran, smallest=smallest)


def _judged(reading: Reading, oracle: Knowledge, sandbox: Sandbox, ran: JobResult, *, smallest: bool) -> Result:
    source, ran = reading.source, without_folders(ran)
    assignment = oracle.assignment
    notes = (*_of_another(assignment, source), *(explain_note(note, source) for note in ran.notes))
    if ran.loading.ending is not Ending.RETURNED:
        return replace(_unloadable(ran.loading, oracle, source), notes=notes)
    if source.chunks and not source.notebook and not any(chunk.text.strip() for chunk in source.chunks):
        empty = say("There is nothing in your file.")
        return replace(without_points(oracle, Status.MISSING, empty), problem=empty)
    judged = with_not_run(oracle, source, sandbox, judge_all(oracle, ran))
    named = Named(oracle, judged, reading.reached)
    verdict = charge_repeats(oracle, judged, named, _blamed(oracle, source, sandbox, judged, named), reading)
    judged, verdict = named_without_others(oracle, source, sandbox, judged, verdict)
    if smallest:
        judged = with_smallest(source, oracle, sandbox, judged, verdict)
    remembering = exercises_that_remember(oracle, judged, verdict, reading, sandbox)
    related: dict[str, Advice | Relation] = {
        **relations_of(oracle, judged, verdict, reading, remembering),
        **{name: Advice(Hint.REMEMBERS, name) for name in remembering},
        **used_beside(oracle, judged, verdict, reading, sandbox),
    }
    exercises = tuple(
        _exercise(e, oracle, judged, verdict, reading, related.get(e.name))
        for e in assignment.exercises
        if not e.training
    )
    exercises = tuple(with_turn(e, judged, oracle, source, sandbox) for e in exercises)
    notes = (*explain_repeated(source, assignment, {e.name for e in exercises if e.failing}), *notes)
    shortcuts = reading.shortcuts()
    exercises = tuple(refused(e, shortcuts[e.name]) if e.name in shortcuts else e for e in exercises)
    return Result(assignment.slug, exercises, printed=ran.loading.printed, notes=notes)


def _of_another(assignment: Assignment, source: Source) -> tuple[str, ...]:
    """Say where next to nothing of the assignment is defined, as a quiz that each has, and more else."""
    asked = {blank.partition(".")[0] for exercise in assignment.exercises for blank in exercise.blanks}
    there = asked.intersection(source.names())
    if len(there) > 1 or len(asked) < FEW or len(source.names()) < FEW:
        return ()
    return (say("Next to nothing of this assignment is defined in your file. Is it the file of another one?"),)


def _blamed(oracle: Knowledge, source: Source, sandbox: Sandbox, judged: tuple[Judged, ...], named: Named) -> Verdict:
    """Return the verdict, after mistakes were followed into the exercises that build on them."""
    open_ones = any(j.waits_for or (named and j.status is Status.MISSING) for j in judged)
    if len(named) < 2 and not open_ones and not any(map(gave_nothing, judged)):
        return assign_blame(oracle, judged, named)
    # What follows from another exercise needs no name, and to look for two mistakes at once takes longest.
    soon = Named(oracle, judged, thorough=False)
    first = assign_blame(oracle, judged, soon)
    known = _known(judged, soon, first)
    origins = oracle.follow(source, sandbox, judged, first.excused.keys(), known)
    verdict = assign_blame(oracle, judged, named, origins)
    known_by_now = _known(judged, named, verdict)
    has_new_name = verdict.may_charge_twice(judged) and known_by_now.keys() - known.keys()
    # What explained others is itself found to follow from another one, or what others may follow from has got its name.
    if first.excused.keys() - verdict.excused.keys() or has_new_name:
        more = oracle.follow(source, sandbox, judged, verdict.excused.keys(), known_by_now)
        verdict = assign_blame(oracle, judged, named, origins.after(more))
    return verdict


def _known(judged: tuple[Judged, ...], named: Named, verdict: Verdict) -> dict[str, tuple[str, ...]]:
    """Return the known mistakes of charged exercises. What known mistakes of exercises they use explain is not looked at."""
    charged = {j.trial.case.exercise for j in judged if j.status in OWN_FAULT and j.trial not in verdict.excused}
    return {name: told.names for name in charged if (told := named[name]) and not told.tentative and not told.cases}


def _exercise(
    exercise: Exercise,
    oracle: Knowledge,
    judged: tuple[Judged, ...],
    verdict: Verdict,
    reading: Reading,
    related: Advice | Relation | None,
) -> ExerciseResult:
    mine = [j for j in judged if j.trial.case.exercise == exercise.name]
    unwritten = {j.trial.case.exercise for j in judged if j.status is Status.MISSING}
    cases = tuple(
        _excused_case(j, verdict, unwritten)
        if j.trial in verdict.excused
        else _case(j, oracle, verdict, reading, judged, related)
        for j in mine
    )
    points = worth(exercise, [j.trial for j in mine])
    score = points_earned(points, [j.trial.case.weight for j in mine], cases)
    answer = "" if exercise.manual else None
    later = exercise.points - points
    return ExerciseResult(exercise.name, score, points, cases, answer=answer, bonus=exercise.bonus, later=later)


def _excused_case(judged: Judged, verdict: Verdict, unwritten: Collection[str]) -> CaseResult:
    case, upstream, again = judged.trial.case, verdict.excused[judged.trial], judged.trial in verdict.again
    told = explain_excuse(upstream, unwritten, again=again, gave_values=judged.status is Status.FAILED)
    return CaseResult(
        case.name,
        case.claim,
        case.visibility,
        Status.PASSED,
        told,
        reason=verdict.repeats.get(judged.trial),
        seconds=sum(outcome.seconds for outcome in judged.outcomes),
        follows=upstream,
        again=again,
        grader_note="".join(outcome.printed for outcome in judged.outcomes),
    )


def _case(
    judged: Judged,
    oracle: Knowledge,
    verdict: Verdict,
    reading: Reading,
    every: tuple[Judged, ...],
    related: Advice | Relation | None,
) -> CaseResult:
    case = judged.trial.case
    printed = "".join([outcome.printed for outcome in judged.outcomes])
    result = CaseResult(
        case.name,
        case.claim,
        case.visibility,
        Status.SKIPPED if judged.trial in verdict.inside else judged.status,
        seconds=round(sum([outcome.seconds for outcome in judged.outcomes]), 4),
        picture=_picture(judged, oracle) if case.plot or case.visibility is Visibility.PUBLIC else None,
        smaller=judged.smallest is not None and case.visibility is Visibility.PUBLIC,
        grader_note=printed,
    )
    if judged.status is Status.PASSED:
        return result
    index = next((i for i, o in enumerate(judged.outcomes) if o.ending is not Ending.RETURNED), 0)
    bad = judged.outcomes[index]
    told = _message(judged, index, oracle, verdict, reading.source, every)
    if case.visibility is Visibility.PUBLIC and printed:
        lines = ("  " + line[:MAX_LINE] for line in printed.splitlines()[:MAX_PRINTED])
        told = told.then(say("Your code printed"), *lines)
    crash = crash_of(bad) if result.status is Status.CRASHED else ""
    note = "\n".join(filter(None, [bad.trouble.text if bad.trouble else "", printed]))
    result = replace(result, told=told, crash=crash, grader_note=note)
    if result.status in OWN_FAULT:
        result = replace(result, fingerprint=fingerprint_of(judged), raised_at=raised_at(bad, reading.source))
    if bad.ending is Ending.SHORTCUT:
        return replace(result, reason=Advice(Hint.FORBIDDEN))
    if isinstance(case.check, choice) and result.status is Status.FAILED:
        return replace(result, reason=chosen_option(oracle, judged.trial, judged.outcomes))
    diagnosis = verdict.diagnoses[case.exercise] if result.status in OWN_FAULT else None
    if isinstance(related, Advice) and (diagnosis or related.hint is Hint.MEND_FIRST):
        return replace(result, reason=related, waits_for=related.exercise)
    if diagnosis and isinstance(related, Relation):
        return replace(result, reason=related)
    if diagnosis:
        diagnosis = replace(diagnosis, cases=frozenset()) if diagnosis.explains(case.name) else None
    reason = diagnosis or without_name(judged, every, oracle, verdict, reading, related)
    used = first_to_mend(reason, case.exercise, every)
    return replace(
        result,
        reason=reason,
        ease=ease_of(judged, in_words=reason == Advice(Hint.UNNAMED)),
        waits_for=""
        if diagnosis and judged.waits_for
        else judged.waits_for or verdict.inside.get(judged.trial, "") or used,
    )


def _picture(judged: Judged, oracle: Knowledge) -> Picture | None:
    """Return what to draw of a case: where it differs, or the row of numbers that it is about."""
    plot = judged.trial.case.plot
    if plot:
        return plotted(plot, answers_of(judged.outcomes), answers_of(oracle.expected(judged.trial)))
    return heat_map(judged.finding, judged.trial.case.words) if judged.finding else None


def _message(
    judged: Judged, index: int, oracle: Knowledge, verdict: Verdict, source: Source, every: tuple[Judged, ...]
) -> Message:
    """Say why a case did not pass; `index` is the call that says most."""
    case, bad = judged.trial.case, judged.outcomes[index]
    if judged.waits_for:
        return Message(say("It builds on `{name}`, which is not written yet.", name=judged.waits_for))
    if bad.ending is Ending.UNWRITTEN:
        mine = [j for j in every if j.trial.case.exercise == case.exercise]
        others = [outcome for j in mine if not j.waits_for for outcome in j.outcomes]
        return explain_unwritten(bad, source, others, partly=any(j.status is Status.PASSED for j in mine))
    if judged.finding:
        return _explain_finding(judged, judged.finding, oracle)
    if bad.ending is Ending.SHORTCUT and bad.trouble:
        rule = rule_for(oracle.assignment, case.exercise, bad.trouble.text)
        name = name_in(rule, bad.trouble.text) if rule else ""
        return Message(explain_shortcut(name, rule.instead) if rule else say("It uses what this exercise may not."))
    told = _explain_ending(judged, bad, judged.trial.calls[index], oracle, source)
    if judged.trial in verdict.inside:
        place = verdict.inside[judged.trial]
        first = marked("It fails inside your `{name}`, which does not pass its own cases yet; mend that one first.")
        if judged.trial in verdict.own:
            first = marked(
                "It fails inside your `{name}`, which does not pass its own cases yet. Judged without it, your `{own}` is not right "
                "either."
            )
        return told.below(say(first, name=place, own=case.exercise))
    place = place_of(oracle, judged.trial, bad) if judged.status is Status.CRASHED else ""
    if place and all(j.status is Status.PASSED for j in every if j.trial.case.exercise == place):
        fits = marked("It fails inside your `{name}`, whose own cases pass: look at what your `{own}` hands to it.")
        fits = say(fits, name=place, own=case.exercise)
        return replace(told, headline=f"{fits} {told.headline}") if crash_of(bad) else told.below(fits)
    return told


def _explain_ending(judged: Judged, bad: Outcome, call: Call, oracle: Knowledge, source: Source) -> Message:
    """Say why a call gave nothing to judge; where a smaller one raises the same, by that one."""
    case, small = judged.trial.case, judged.smallest
    if small and case.visibility is Visibility.PUBLIC:
        bad, call = small.outcomes[0], small.trial.calls[0]
    limits, known = fitting(oracle.assignment.limits), oracle.signatures
    told = explain_ending(bad, case.visibility, source, limits, call, case.exercise, known, smaller=small is not None)
    if bad.ending is not Ending.RAISED or not bad.trouble:
        return told
    stub = oracle.assignment.stub
    reason = reason_of_crash(bad.trouble, case.visibility, source, call, case.exercise, stub, known)
    return told.below(reason) if reason else told


def _explain_finding(judged: Judged, finding: Finding, oracle: Knowledge) -> Message:
    """Say what is wrong with a value; where a smaller call fails as well, by that one alone."""
    case, small = judged.trial.case, judged.smallest
    public = case.visibility is Visibility.PUBLIC
    shown = small if small and public else judged
    told = explain_finding(
        shown.finding or finding,
        case.visibility,
        shown.trial.calls,
        case.exercise,
        oracle.signatures,
        smaller=shown is small,
        stub=oracle.assignment.stub,
    )
    shapes = shapes_on_the_way(judged.trail) if public else ""
    told_shapes = say("Shapes on the way: {shapes}", shapes=shapes) if shapes else ""
    return told.then(Detail(told_shapes, (told_shapes, "")))


def _unloadable(loading: Outcome, oracle: Knowledge, source: Source) -> Result:
    """Grade a submission that could not be imported: every case has that one reason."""
    result = without_points(oracle, STATUS[loading.ending], say("The file could not be imported."))
    note = loading.trouble.text if loading.trouble else ""
    problem = explain_loading(loading, source, oracle.assignment.limits)
    return replace(result, problem=problem, printed=loading.printed or note)
