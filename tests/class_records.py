"""Classes of results as other modules' tests need them: small enough to count by hand, or as classes are."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from autograder.classroom.record import ExerciseRecord, Override, Record, exercise_record
from autograder.classroom.roster import Person
from autograder.classroom.summary import Summary
from autograder.course.spec import Status, Visibility
from autograder.judge.picture import Heat, Lines, Picture
from autograder.judge.reasons import Diagnosis, Message, Mistake
from autograder.judge.result import CaseResult, ExerciseResult
from autograder.pages.report import report_parts
from autograder.sandbox.job import Isolation

TITLE = "Attention: from averaging to softmax(QKᵀ/√d_k)V"

HOSTILE = "\"><script>alert(1)</script></pre><img src=x onerror=alert(2)>'\u202egnp.exe\x00\x1b[31m\ud800"

DATA = """The values differ from what is expected, first at [0, 1].
  got                       expected
  [[0.4223 0.2892 0.2885]   [[0.3838 0.3084 0.3078]
   [0.2119 0.5761 0.2119]    [0.2741 0.4519 0.2741]
   [0.1554 0.1554 0.6892]]   [0.2248 0.2248 0.5504]]
The call was attention(Q, K, V) with
  Q = array (3, 2) float64
      [[1. 0.]
       [0. 1.]
       [1. 1.]]"""
CRASH = """ValueError: operands could not be broadcast together with shapes (4,6) (4,5)
  attention.py, line 87, in attention
    return weights * V"""
NO_SCALE = "Your scores are not divided by `sqrt(d_k)`."
WRONG_AXIS = "Your softmax runs over the queries: each row of weights must sum to one, so use `axis=-1`."

EXERCISES: dict[str, tuple[float, list[tuple[str, str, str]]]] = {
    "average_context": (
        2,
        [
            ("three_numbers", "The worked example: 2, 4, 6 average to 2, 3, 4.", "public"),
            ("averages_of_any_shape", "Every position is the mean of itself and all before it.", "hidden"),
            ("one_token_averages_to_itself", "A sequence of one token comes back as it was.", "hidden"),
        ],
    ),
    "attention": (
        5,
        [
            ("i_like_pizza", "The worked example with the tokens I, like, pizza.", "public"),
            ("matches_reference", "Random queries, keys and values give what `softmax(QKᵀ/√d_k)V` gives.", "hidden"),
            ("rows_of_weights_sum_to_one", "Every query spreads exactly one unit of attention.", "hidden"),
            ("arguments_untouched", "`Q`, `K` and `V` are as they were afterwards.", "hidden"),
        ],
    ),
    "causal_mask": (
        2,
        [
            ("four_by_four", "The mask for four tokens.", "public"),
            ("future_cannot_leak", "Changing token 3 leaves outputs 0..2 as they were.", "hidden"),
        ],
    ),
    "attention_backward": (
        6,
        [
            ("one_query", "The worked example with one query.", "public"),
            ("agrees_with_differences", "The gradients agree with finite differences.", "hidden"),
            ("masked_keys_get_nothing", "A key that no query may see has a gradient of zero.", "hidden"),
        ],
    ),
}
TEXT = {
    Status.FAILED: DATA,
    Status.CRASHED: CRASH,
    Status.TIMEOUT: "It gave no answer within 2 s of computing and was stopped. Does a loop never end?",
    Status.MEMORY: "It asked for more than the 1024 MB a submission may use.",
    Status.OUTPUT: "What it returned cannot be read (64 MB); mostly it is too large.",
    Status.MISSING: "Not written yet.",
    Status.SKIPPED: "It builds on `attention`, which is not written yet.",
    Status.GRADER_ERROR: "The grader itself failed here, which costs you nothing: the worker did not start",
}
MISSING: dict[str, Any] = dict.fromkeys(EXERCISES, (Status.MISSING,))
Mistakes = tuple[Mistake, ...]
SCALE = (Mistake("no_scale", "attention", NO_SCALE),)
AXIS = (Mistake("wrong_axis", "attention", WRONG_AXIS),)


def make_case(name: str, claim: str, visibility: str, status: Status, mistakes: Mistakes = ()) -> CaseResult:
    """Make one case's result."""
    message = TEXT.get(status, "")
    if visibility == "hidden" and status is Status.FAILED:
        message = "The values differ from the reference's."
    headline, _, details = message.partition("\n")
    reason = Diagnosis("attention", (mistakes,)) if mistakes else None
    picture = _picture(visibility, status) if mistakes else None
    told = Message(headline, details)
    return CaseResult(name, claim, Visibility(visibility), status, told, reason, 0.002, picture=picture)


def _picture(visibility: str, status: Status) -> Picture | None:
    """Draw a heat map for a public case that fails with a known mistake, and curves for a hidden one."""
    if status is not Status.FAILED:
        return None
    if visibility == "public":
        return Heat(((1.5, -2.0, None), (0, 4, 1)), ((1, -2.0, 3), (0, 4, 1)), "[0]")
    curves = (("yours, W = 1", ((0, 10), (9, 1.5))), ("expected, W = 1", ((0, 10), (9, 0.5))))
    return Lines((*curves, ("yours, W = 2", ((0, 3),))), "t", "norm", log=True)


def make_exercise(
    name: str, wrong: dict[str, Status] | Status | None = None, mistakes: Mistakes = ()
) -> ExerciseRecord:
    """Make one exercise's result: all right, all with one status, or some cases with theirs."""
    points, cases = EXERCISES[name]
    wrong = wrong or {}
    made = []
    for case, claim, visibility in cases:
        status = wrong.get(case, Status.PASSED) if isinstance(wrong, dict) else wrong
        named = mistakes if status in (Status.FAILED, Status.CRASHED) else ()
        made.append(make_case(case, claim, visibility, status, named))
    passed = sum(case.status is Status.PASSED for case in made)
    return exercise_record(ExerciseResult(name, round(points * passed / len(made), 4), points, tuple(made)))


def make_result(
    student: str, status: str = "graded", problem: str = "", notes: tuple[str, ...] = (), **wrong: Any
) -> Record:
    """Make a student's result: all right but for what is said to be wrong, by exercise."""
    exercises = [make_exercise(name, *wrong.get(name, ())) for name in EXERCISES] if status != "unreadable" else []
    if status == "not_importable":
        exercises = [make_exercise(name, Status.CRASHED) for name in EXERCISES]
    return Record(
        f"class.zip: {student}/attention.py",
        problem,
        notes,
        assignment="a5_attention",
        title=TITLE,
        seed=20240917,
        student=student,
        score=round(sum(e.points for e in exercises), 2),
        max_score=15.0,
        status=status,
        seconds=0.21,
        isolation=Isolation("C", ("process", "rlimits"), ("can open connections",)),
        exercises=tuple(exercises),
        late_hours=0.0,
    )


def small_class() -> list[Record]:
    """Return six submissions whose figures are easily counted by hand."""
    scale = ({"i_like_pizza": Status.FAILED, "matches_reference": Status.FAILED}, SCALE)
    both = (Status.FAILED, (*SCALE, *AXIS))
    return [
        make_result("s001"),
        make_result("s002", attention=scale),
        make_result("s003", attention=both, notes=("Handed in twice; the latest was graded.",)),
        make_result("s004", average_context=(Status.TIMEOUT,), attention=(Status.CRASHED,)),
        make_result("s005", "unreadable", "The zip is damaged: attention.py ends in the middle."),
        make_result("s006", "not_importable", "Your file cannot be imported.\nSyntaxError: '(' was never closed"),
    ]


def report_html(*of: Any, **more: Any) -> str:
    """Return the report on a class as one text."""
    return "".join(report_parts(*of, **more))


def summary(**changes: Any) -> Summary:
    """Return what holds for a class as a whole."""
    found = Summary(
        assignment="a5_attention",
        title=TITLE,
        seed=20240917,
        due=None,
        engine="0.1.0",
        libraries="python 3.11.7, numpy 2.4.6",
        isolation=Isolation(
            "C",
            ("process", "rlimits"),
            ("can read files of the grader's user", "can open network connections"),
        ),
        seconds=133.2,
        submissions=6,
        problems=(),
        without_points=False,
        late=0,
        undated=0,
        overrides=0,
        waiting=0,
        points_waiting=0.0,
        not_submitted=(),
        unclear=(),
        not_graded=(),
        outdated=(),
        left=(),
        not_on_roster=(),
    )
    return replace(found, **changes)


def large_class(size: int = 120) -> list[Record]:
    """Return a class as classes are: most do well, some make known mistakes, a few break things."""
    random_ = random.Random(5)
    axis = (Status.FAILED, AXIS)
    scale = ({"i_like_pizza": Status.FAILED, "matches_reference": Status.FAILED}, SCALE)
    partial = ({"agrees_with_differences": Status.FAILED, "masked_keys_get_nothing": Status.FAILED},)
    choices: list[tuple[float, dict[str, Any]]] = [
        (30, {}),
        (25, {"attention_backward": partial}),
        (15, {"attention": scale, "attention_backward": (Status.MISSING,)}),
        (10, {"attention": axis, "attention_backward": (Status.MISSING,)}),
        (
            8,
            {
                "attention": axis,
                "attention_backward": (Status.CRASHED,),
                "causal_mask": ({"future_cannot_leak": Status.FAILED},),
            },
        ),
        (5, {"average_context": (Status.TIMEOUT,), "attention": scale}),
        (4, MISSING),
        (3, {"attention": (Status.MEMORY,), "attention_backward": (Status.SKIPPED,)}),
        (2, {"average_context": (Status.OUTPUT,)}),
        (1, {"causal_mask": (Status.GRADER_ERROR,)}),
    ]
    picked = random_.choices([c for _, c in choices], [w for w, _ in choices], k=size)
    made = [make_result(f"s{i:03}", **wrong) for i, wrong in enumerate(picked, start=1)]
    made[7] = make_result("s008", "unreadable", "The zip is damaged: attention.py ends in the middle.")
    made[20] = make_result(
        "s021", "not_importable", f"Your file cannot be imported, so nothing in it is graded.\n{CRASH}"
    )
    made[33] = make_result("s034", "grader_error", "the worker did not start")
    twice = "Handed in twice (attention.py, attention-1.py); the latest was graded."
    made[40] = replace(made[40], notes=(twice,))
    made.append(make_result(HOSTILE, "not_importable", HOSTILE, (HOSTILE,)))
    return made


def alike(text: str = "", size: int = 2) -> list[Record]:
    """Return students whose code fails alike, without a name, each called after a text."""
    wrong = make_result("", attention=({"i_like_pizza": Status.FAILED, "matches_reference": Status.CRASHED},))
    for case in (0, 1):
        wrong = with_case(wrong, 1, case, fingerprint="abc", raised_at=("attention.py", 2))
    return [replace(wrong, student=f"{text}{number}") for number in range(size)]


def on_roster(result: Record, section: str = "", name: str = "", extension: str = "") -> Record:
    """Put a student on the roster."""
    number = result.student
    person = Person(number, name or f"Name of {number}", f"{number}@example.edu", section, extension)
    return replace(result, person=person)


def handed_in(result: Record, hours: float) -> Record:
    """Let a submission come so many hours after it was due."""
    due = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
    submitted = (due + timedelta(hours=hours)).isoformat()
    late_hours = max(hours, 0.0)
    return replace(result, submitted=submitted, due=due.isoformat(), late=hours > 0, late_hours=late_hours)


def decided(result: Record, exercise: str, points: float, because: str) -> Record:
    """Let a person give an exercise other points."""
    made = Override(points, because, "2026-03-05T10:00:00+00:00")
    exercises = tuple(
        replace(e, score=points, override=replace(made, computed=e.points)) if e.name == exercise else e
        for e in result.exercises
    )
    return replace(result, exercises=exercises, score=round(sum(e.points for e in exercises), 2))


def absentee(student: str, section: str = "") -> Record:
    """Return the line of a student who handed in nothing."""
    result = on_roster(make_result(student, "not_submitted", **MISSING), section)
    return replace(result, exercises=tuple(replace(e, cases=()) for e in result.exercises))


def with_case(result: Record, exercise: int, case: int, **changes: Any) -> Record:
    """Change one case of a result."""
    exercises = list(result.exercises)
    cases = list(exercises[exercise].cases)
    cases[case] = replace(cases[case], **changes)
    exercises[exercise] = replace(exercises[exercise], cases=tuple(cases))
    return replace(result, exercises=tuple(exercises))


def spoiled(value: Any, text: str, ours: Collection[str]) -> Any:
    """Return a record, or anything in it, with every text but those in the fields that are `ours` replaced."""
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        changed = {n: spoiled(getattr(value, n), text, ours) for n in names if n not in ours}
        return replace(value, **changed)
    if isinstance(value, tuple):
        return tuple(spoiled(item, text, ours) for item in value)
    return text if type(value) is str else value
