"""Say where to look where no known mistake explains what failed: at an exercise to mend first, or at how values are related."""

from __future__ import annotations

from collections.abc import Collection

from autograder.course.spec import Call, Status, Visibility
from autograder.judge.blame import OWN_FAULT, Verdict, gave_nothing
from autograder.judge.crashing_calls import CRASHES, what_crashing_calls_share
from autograder.judge.failure_fingerprint import crash_of
from autograder.judge.forbidden import Reading
from autograder.judge.reasons import Advice, Diagnosis, Hint, Key, Reason, Relation
from autograder.judge.relations import find_relation, find_slip
from autograder.judge.right_so_far import RIGHT_SO_FAR, right_so_far
from autograder.judge.trials import Judged, Knowledge, Trial
from autograder.sandbox.child.left_undone import KINDS, SURE
from autograder.sandbox.child.tree import array_of, leaves
from autograder.sandbox.job import Sandbox

SAYS_ITSELF = frozenset({"container", "keys", "length", "mutated", "unanswered", "uncomparable", "wrong_choice"})
ARGUMENT = "argument_not_read"
BRANCH = "branch_not_written"
SQUEEZED = "every_axis_squeezed"
NOT_ALL = "argument_not_read_either"  # where calls that leave it out fail, too
WITH_CRASHES = frozenset({BRANCH, SQUEEZED})  # told of calls that end in a crash, too
NEVER_READ = frozenset({"part_not_used", ARGUMENT})
NOT_READ = ("part_not_used", ARGUMENT, "setting_not_used", "value_not_used")
# What is told before what a wrong answer says by itself.
FIRST = frozenset({*RIGHT_SO_FAR, *KINDS}.difference(NOT_READ))
WRONG_VALUES = frozenset({"values", "not_finite", "property", "constant"})
# Kinds of crash that no value has a part in.
_OWN_WORDS = frozenset(
    {"undefined_name", "read_before_assignment", "left_in_the_debugger", "placeholder_left", "asks_the_keyboard"}
)
RELATED = WRONG_VALUES | {"shape"}  # findings that a relation to the right values may explain


def relations_of(
    oracle: Knowledge, judged: tuple[Judged, ...], verdict: Verdict, reading: Reading, remembering: Collection[str]
) -> dict[str, Relation]:
    """Return how wrong values are related to the right ones, or what code leaves undone, for exercises whose mistakes have no name.

    Of those that give no wrong value, what only the calls have that crash; of those with a choice of names, what they never read.
    Cases that are charged elsewhere have no say in it.
    """
    found = {}
    for name, diagnosis in verdict.diagnoses.items():
        if diagnosis and not _takes_several(diagnosis) and not _is_a_choice(oracle, diagnosis):
            continue
        mine = [j for j in judged if j.trial.case.exercise == name and j.trial not in verdict.excused]
        if not any(j.status in OWN_FAULT for j in mine):
            continue
        not_done = (_told_of(oracle, key, mine) for key in reading.undone(name))
        undone = next((Relation(name, key) for key in not_done if key), None)
        if diagnosis and _takes_several(diagnosis):
            told = find_slip(oracle, name, mine)  # one small change is likelier than two known mistakes
        elif diagnosis:
            told = undone if undone and undone.key[0] in NEVER_READ else None
        elif any(j.finding for j in mine):
            related = None if name in remembering else _related(oracle, name, mine, undone)
            told = related or right_so_far(oracle, name, mine) or undone
        else:
            shared = None if name in remembering else what_crashing_calls_share(oracle, mine)
            told = Relation(name, shared) if shared else None
            told = undone if undone and undone.key[0] in WITH_CRASHES else told
        if told:
            found[name] = told
    return found


def _takes_several(diagnosis: Diagnosis) -> bool:
    """Whether every explanation takes several mistakes of the exercise itself, and values support it."""
    whole = not diagnosis.tentative and not diagnosis.cases
    return whole and all(
        len([m for m in mistakes if m.exercise == diagnosis.exercise]) > 1 for mistakes in diagnosis.alternatives
    )


def _is_a_choice(oracle: Knowledge, diagnosis: Diagnosis) -> bool:
    """Whether several mistakes would be told, no twins, of which one may be made; that code never reads an argument is so."""
    first, *others = diagnosis.alternatives
    twins = {name for mistake in first for name in oracle.misconception(mistake.name).twins}
    told = {mistake.sentence for mistake in first}
    return any(m.name not in twins and m.sentence not in told for alternative in others for m in alternative)


def _told_of(oracle: Knowledge, key: Key, judged: Collection[Judged]) -> Key | None:
    """Return what is told of code that is not done; nothing where no failure may come of it.

    An argument that nothing reads is not all, where wrong calls leave it out.
    """
    kind, function, names = key
    if kind == SQUEEZED and not _fails_with_axes_of_one(judged):
        return None
    wrong = (j.trial for j in judged if j.status is not Status.PASSED and j.trial.case.visibility is Visibility.PUBLIC)
    if kind != ARGUMENT or all(any(_gives(oracle, t, made, names) for made in t.calls) for t in wrong):
        return key
    return NOT_ALL, function, names


def _fails_with_axes_of_one(judged: Collection[Judged]) -> bool:
    """Whether all public cases that fail have an array with an axis of length one, and some that pass have none."""
    public = [j for j in judged if j.trial.case.visibility is Visibility.PUBLIC]
    passed = [_has_axis_of_one(j.trial) for j in public if j.status is Status.PASSED]
    return not all(passed) and all(_has_axis_of_one(j.trial) for j in public if j.status is not Status.PASSED)


def _has_axis_of_one(trial: Trial) -> bool:
    parts = (array_of(leaf) for call in trial.calls for leaf in leaves([call.args, dict(call.kwargs)]))
    return any(1 in part.shape for part in parts if part is not None)


def _gives(oracle: Knowledge, trial: Trial, call: Call, names: str) -> bool:
    """Whether a call hands over one of some arguments, or its parameters are not known."""
    parameters = oracle.signatures.get(call.path(trial.case.exercise), ())
    given = dict(zip(parameters, call.args, strict=False)) | dict(call.kwargs)
    return not parameters or any(f"`{name}`" in names for name, value in given.items() if value is not None)


def _related(oracle: Knowledge, exercise: str, judged: list[Judged], undone: Relation | None) -> Relation | None:
    """Return how wrong values are related to the right ones. Cases that say by themselves what is wrong have no say in it.

    It says little of code that is not done; where an argument is never read, what stands in its place says more.
    """
    if undone and undone.key[0] == ARGUMENT:
        return find_slip(oracle, exercise, judged)
    squeezed = undone and undone.key[0] == SQUEEZED and any(j.finding and j.finding.kind == "shape" for j in judged)
    if squeezed or (undone and undone.key[0] in SURE):
        return None
    mine = [j for j in judged if not j.finding or j.finding.kind not in SAYS_ITSELF]
    open_ones = any(j.finding and j.finding.kind in RELATED for j in mine)
    return find_relation(oracle, exercise, mine) if open_ones else None


def used_beside(
    oracle: Knowledge, judged: tuple[Judged, ...], verdict: Verdict, reading: Reading, sandbox: Sandbox
) -> dict[str, Advice]:
    """Return for exercises with a name the one to mend first, which has a known mistake and which the reference does not use there.

    What goes wrong may come from there, and the same values from a mistake of the exercise's own. Where all its calls give
    what is right, they do not.
    """
    charged = [j.trial for j in judged if j.status in OWN_FAULT and j.trial not in verdict.excused]
    known = [name for name, diagnosis in verdict.diagnoses.items() if diagnosis]
    found = {}
    for name in known:
        failed = [trial for trial in charged if trial.case.exercise == name]
        beside = set(known) & {trial.case.exercise for trial in charged} - {name, *oracle.assignment.uses(name)}
        used = (n for n in known if n in beside and n in reading.reached(name) and name not in reading.reached(n))
        wrong = (n for n in used if not oracle.right_inside(reading.source, sandbox, failed, n))
        if first := next(wrong, ""):
            found[name] = Advice(Hint.MEND_FIRST, first)
    return found if oracle.replays else found | _built_on_nothing(oracle, judged, verdict, reading)


def _built_on_nothing(
    oracle: Knowledge, judged: tuple[Judged, ...], verdict: Verdict, reading: Reading
) -> dict[str, Advice]:
    """Return for exercises the one they call that is to be mended first, as far as the judgements alone show it.

    Code that crashes, or gives something of a wrong type, cannot be judged at home around what gives nothing but wrong types or
    shapes; there a name that rests on a crash alone says less. And a mistake that has a name may not be one, around wrong values
    that have none, or that have one by which what this code gives would be another.
    """
    charged = [j for j in judged if j.status in OWN_FAULT and j.trial not in verdict.excused]
    failing = {j.trial.case.exercise: set[str]() for j in charged}
    for j in charged:
        failing[j.trial.case.exercise].add(j.finding.kind if j.finding else "")
    wrong_types = [name for name, kinds in failing.items() if kinds <= {"container", "shape"}]
    unnamed = [n for n, kinds in failing.items() if kinds <= WRONG_VALUES and verdict.diagnoses[n] is None]
    found = {}
    for name, kinds in failing.items():
        told = verdict.diagnoses[name]
        ended = kinds <= {"container", ""} and (told is None or told.tentative)
        behind = wrong_types if ended else unnamed if told and kinds <= WRONG_VALUES else ()
        changing = _changing(oracle, verdict, [j.trial for j in charged if j.trial.case.exercise == name])
        behind = [*behind, *(n for n in changing if told and kinds <= WRONG_VALUES)]
        used = (n for n in behind if n in reading.reached(name) and name not in reading.reached(n))
        if first := next((n for n in used if n != name), ""):
            found[name] = Advice(Hint.MEND_FIRST, first)
    return found


def _changing(oracle: Knowledge, verdict: Verdict, trials: Collection[Trial]) -> list[str]:
    """Return the exercises whose known mistakes change one of some trials, and are certain."""
    certain = {n: told for n, told in verdict.diagnoses.items() if told and not told.tentative and not told.cases}
    return [n for n, told in certain.items() if any(oracle.matters(m, t) for m in told.names for t in trials)]


def without_name(
    judged: Judged,
    every: tuple[Judged, ...],
    oracle: Knowledge,
    verdict: Verdict,
    reading: Reading,
    related: Advice | Relation | None,
) -> Reason | None:
    """Return where to look where no mistake has a name: at what the case uses, else at how the values are related.

    A crash, or a call that never ends, may come of what that gives it, too. Where any failure of the exercise says by itself what
    is wrong, the values that are wrong need no other reason.
    """
    ended = judged.status is Status.CRASHED or gave_nothing(judged)
    silent = not ended or judged.trial in verdict.inside
    # What nothing reads is said where nothing else is: half an answer says by itself what it lacks.
    undone = isinstance(related, Relation) and related.key[0] in FIRST
    if silent and (not judged.finding or (judged.finding.kind in SAYS_ITSELF and not undone)):
        return None
    wrong = [j for j in every if j.status is not Status.PASSED and j.trial not in verdict.excused]
    name, failing = judged.trial.case.exercise, {j.trial.case.exercise for j in wrong}
    reached = reading.reached(name)
    open_ones = (
        other
        for other in oracle.assignment.uses(name)
        if other in failing and other in reached and not _is_its_own(judged, verdict, wrong, other)
    )
    used = next((other for other in open_ones if _meets(oracle, judged.trial, other)), "")
    used = used or next(
        (other for other in sorted(reached & failing) if _is_called_alone(oracle, reading, name, other)), ""
    )
    if used:
        return Advice(Hint.ALSO_WRONG if judged.trial in verdict.own else Hint.MEND_FIRST, used)
    crashes = isinstance(related, Relation) and related.key[0] in {*CRASHES, *WITH_CRASHES}
    if (
        crashes
        or isinstance(related, Advice)
        or (related and judged.finding and (undone or judged.finding.kind in RELATED))
    ):
        return related
    alone = all(j.finding and j.finding.kind in WRONG_VALUES for j in wrong if j.trial.case.exercise == name)
    unnamed = alone and not verdict.diagnoses[name] and oracle.misconceptions_of(name)
    return Advice(Hint.UNNAMED) if unnamed else None


def first_to_mend(reason: Reason | None, exercise: str, every: Collection[Judged]) -> str:
    """Return the other exercise that a failure waits for, by its reason, or nothing.

    One that is explained by mistakes of another exercise alone waits for that, unless all is right there.
    """
    if isinstance(reason, Advice):
        return reason.exercise if reason.hint is Hint.MEND_FIRST else ""
    made = reason.alternatives if isinstance(reason, Diagnosis) else ()
    others = {mistake.exercise for mistakes in made for mistake in mistakes}
    failing = {j.trial.case.exercise for j in every if j.status is not Status.PASSED}
    return others.pop() if len(others) == 1 and exercise not in others and others <= failing else ""


def _is_its_own(judged: Judged, verdict: Verdict, wrong: Collection[Judged], other: str) -> bool:
    """Whether what failed cannot come of another exercise: words that are wrong by themselves, or a shape where that one's are right."""
    if judged.status is Status.CRASHED:
        own = [o for o in judged.outcomes if crash_of(o) in _OWN_WORDS and o.trouble and other not in o.trouble.text]
        return judged.trial not in verdict.inside and bool(own)
    kinds = {j.finding.kind if j.finding else "" for j in wrong if j.trial.case.exercise == other}
    return judged.finding is not None and judged.finding.kind == "shape" and kinds <= WRONG_VALUES


def _is_called_alone(oracle: Knowledge, reading: Reading, exercise: str, other: str) -> bool:
    """Whether the code of an exercise calls another one which the reference does not use there, and which does not call it back."""
    mine = oracle.assignment.uses(exercise)
    return other not in {exercise, *mine} and exercise not in reading.reached(other)


def _meets(oracle: Knowledge, trial: Trial, exercise: str) -> bool:
    """Whether a case's calls come through another exercise, as its known mistakes show; where it has none, they may."""
    known = oracle.misconceptions_of(exercise)
    return not known or any(oracle.matters(m.name, trial) for m in known)
