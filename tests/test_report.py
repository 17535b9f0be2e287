"""The pages: nothing hostile survives in them, and their numbers are right."""

from __future__ import annotations

import json
import random
from html.parser import HTMLParser
from typing import Any

import pytest

from autograder.course.spec import Status
from autograder.publish.report import (
    HARDEST,
    distribution,
    exercise_rates,
    feedback_html,
    feedback_line,
    hardest_cases,
    headline,
    looks,
    mistakes,
    report_html,
    visible,
)

Json = dict[str, Any]

HOSTILE = "\"><script>alert(1)</script></pre><img src=x onerror=alert(2)>'\u202egnp.exe\x00\x1b[31m\ud800"
TAGS = (
    "html head meta title style body a header nav main footer section p h1 h2 h3 bdi b small span br code pre details "
    "summary ul ol li dl dt dd div table thead tbody tr th td figure figcaption svg desc line rect text"
)
ATTRIBUTES = (
    "lang charset http-equiv content name href class id aria-label aria-labelledby aria-hidden role tabindex dir open "
    "style scope viewbox x y x1 x2 y1 y2 width height rx text-anchor"
)

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
    Status.TIMEOUT: "Stopped after 2 s without an answer. Does a loop never end?",
    Status.MEMORY: "It asked for more than the 1024 MB a submission may use.",
    Status.OUTPUT: "What it returned is too large to be read (64 MB).",
    Status.MISSING: "Not written yet.",
    Status.SKIPPED: "It builds on `attention`, which is not written yet.",
    Status.GRADER_ERROR: "The grader itself failed here, which costs you nothing: the worker did not start",
}
MISSING: Json = dict.fromkeys(EXERCISES, (Status.MISSING,))


def _case(name: str, claim: str, visibility: str, status: Status, mistake: tuple[str, str] = ("", "")) -> Json:
    message = TEXT.get(status, "")
    if visibility == "hidden" and status is Status.FAILED:
        message = "The values differ from the reference's."
    return {
        "name": name, "claim": claim, "visibility": visibility, "status": str(status), "message": message,
        "diagnosis": mistake[0], "says": mistake[1], "seconds": 0.002, "picture": None,
    }  # fmt: skip


def _exercise(name: str, wrong: dict[str, Status] | Status | None = None, mistake: tuple[str, str] = ("", "")) -> Json:
    """Make one exercise's result: all right, all with one status, or some cases with theirs."""
    points, cases = EXERCISES[name]
    wrong = wrong or {}
    made = []
    for case, claim, visibility in cases:
        status = wrong.get(case, Status.PASSED) if isinstance(wrong, dict) else wrong
        named = mistake if status in (Status.FAILED, Status.CRASHED) else ("", "")
        made.append(_case(case, claim, visibility, status, named))
    passed = sum(case["status"] == Status.PASSED for case in made)
    first = next((case["status"] for case in made if case["status"] != Status.PASSED), str(Status.PASSED))
    score = round(points * passed / len(made), 4)
    return {"name": name, "score": score, "max_score": points, "status": first, "cases": made}


def _result(student: str, status: str = "graded", problem: str = "", notes: tuple[str, ...] = (), **wrong: Any) -> Json:
    exercises = [_exercise(name, *wrong.get(name, ())) for name in EXERCISES] if status != "unreadable" else []
    if status == "not_importable":
        exercises = [_exercise(name, Status.CRASHED) for name in EXERCISES]
    return {
        "schema": 1,
        "assignment": "a5_attention",
        "title": "Attention: from averaging to softmax(QKᵀ/√d_k)V",
        "student": student,
        "origin": f"class.zip: {student}/attention.py",
        "score": round(sum(e["score"] for e in exercises), 2),
        "max_score": 15.0,
        "status": status,
        "problem": problem,
        "notes": list(notes),
        "seed": 20240917,
        "seconds": 0.21,
        "isolation": {"level": "C", "mechanisms": ["process", "rlimits"], "residual_risks": ["can open connections"]},
        "exercises": exercises,
    }


def small_class() -> list[Json]:
    """Return six submissions whose figures are easily counted by hand."""
    scale = ({"i_like_pizza": Status.FAILED, "matches_reference": Status.FAILED}, ("no_scale", NO_SCALE))
    both = (Status.FAILED, ("no_scale+wrong_axis", f"{NO_SCALE} Also: {WRONG_AXIS}"))
    return [
        _result("s001"),
        _result("s002", attention=scale),
        _result("s003", attention=both, notes=("Handed in twice; the latest was graded.",)),
        _result("s004", average_context=(Status.TIMEOUT,), attention=(Status.CRASHED,)),
        _result("s005", "unreadable", "The zip is damaged: attention.py ends in the middle."),
        _result("s006", "not_importable", "Your file cannot be imported.\nSyntaxError: '(' was never closed"),
    ]


def summary(**changes: Any) -> Json:
    """Return what stands about a run as a whole."""
    return {
        "assignment": "a5_attention",
        "title": "Attention: from averaging to softmax(QKᵀ/√d_k)V",
        "seed": 20240917,
        "seconds": 133.2,
        "isolation": {
            "level": "C",
            "mechanisms": ["process", "rlimits"],
            "residual_risks": ["can read files of the grader's user", "can open network connections"],
        },
        "problems": [],
        "engine": "0.1.0",
        **changes,
    }


def large_class(size: int = 120) -> list[Json]:
    """Return a class as classes are: most do well, some make known mistakes, a few break things."""
    random_ = random.Random(5)
    axis = (Status.FAILED, ("wrong_axis", WRONG_AXIS))
    scale = ({"i_like_pizza": Status.FAILED, "matches_reference": Status.FAILED}, ("no_scale", NO_SCALE))
    partial = ({"agrees_with_differences": Status.FAILED, "masked_keys_get_nothing": Status.FAILED},)
    choices: list[tuple[float, Json]] = [
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
    made = [_result(f"s{i:03}", **wrong) for i, wrong in enumerate(picked, start=1)]
    made[7] = _result("s008", "unreadable", "The zip is damaged: attention.py ends in the middle.")
    made[20] = _result("s021", "not_importable", f"Your file cannot be imported, so nothing in it is graded.\n{CRASH}")
    made[33] = _result("s034", "grader_error", "the worker did not start")
    made[40]["notes"] = ["Handed in twice (attention.py, attention-1.py); the latest was graded."]
    made.append(_result(HOSTILE, "not_importable", HOSTILE, (HOSTILE,)))
    return made


class Page(HTMLParser):
    """What a browser would find in a page: tags, attributes and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data


def _pages() -> list[str]:
    return [report_html(large_class(), summary(problems=[HOSTILE])), *map(feedback_html, [*small_class(), _hostile()])]


def _hostile(value: Any = None) -> Json:
    """Return a result in which every string that is not one of ours is hostile."""
    result = value or _result("x", notes=("x",), attention=(Status.FAILED, ("x", "x")))
    ours = {"status", "visibility"}
    for key, item in result.items():
        if isinstance(item, str) and key not in ours:
            result[key] = HOSTILE
        elif isinstance(item, list):
            result[key] = [_hostile(part) if isinstance(part, dict) else HOSTILE for part in item]
    return result


def test_nothing_hostile_survives() -> None:
    """Only our own tags and attributes stand in a page, and links lead to feedback or within."""
    for html in [*_pages(), report_html([_hostile()], summary(title=HOSTILE, seed=HOSTILE, engine=HOSTILE))]:
        page = Page(html)
        assert set(page.tags) <= set(TAGS.split())
        assert {name for name, _ in page.attributes} <= set(ATTRIBUTES.split())
        assert all(value.startswith(("#", "feedback/")) for name, value in page.attributes if name == "href")
        assert all(value.startswith("width:") for name, value in page.attributes if name == "style")
        assert html.count("</pre>") == page.tags.count("pre")
        assert "<script" not in html.lower()


def test_pages_ask_for_nothing_outside_themselves() -> None:
    """No address stands in a page, and the browser is told to refuse any."""
    for html in _pages():
        assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in html
        assert not any(word in html for word in ("http:", "https:", "//", "url(", "@import", "srcset"))


def test_characters_that_do_not_print_are_shown() -> None:
    """Controls, text direction and lone surrogates are named; a page is always valid UTF-8."""
    for html in _pages():
        html.encode()
        assert all(c.isprintable() or c in "\n\u00a0" for c in html)
    assert visible("a\x00b\u202ec\ud800\x7f\r\nd\te") == "a[U+0000]b[U+202E]c[U+D800][U+007F]\nd\te"
    assert visible("naïve 注意 🍕") == "naïve 注意 🍕"


def test_feedback_shows_the_first_failing_case_only() -> None:
    """A failing exercise is open, says its mistake once and shows one message; the right ones are closed."""
    html = feedback_html(small_class()[1])
    page = Page(html)
    assert page.text.count("Your scores are not divided by") == 1
    assert page.tags.count("pre") == 1
    assert page.tags.count("details") == 5
    assert sum(name == "open" for name, _ in page.attributes) == 1
    assert DATA in page.text
    assert "1 more case is not right yet" in page.text
    assert "of 15 points" in page.text


def test_of_a_hidden_case_only_its_message_is_shown() -> None:
    """Nothing beside name, claim, status and message of a hidden case reaches the student."""
    result = _result("s001", attention=({"matches_reference": Status.FAILED}, ("no_scale", NO_SCALE)))
    case = result["exercises"][1]["cases"][1]
    case |= {"grader_note": "SECRET-NOTE", "got": "SECRET-GOT", "expected": "SECRET-EXPECTED"}
    result |= {"seed": 987654321}
    html = feedback_html(result)
    assert case["message"].replace("'", "&#39;") in html
    assert "SECRET" not in html
    assert "987654321" not in html
    assert "can open connections" not in html


@pytest.mark.parametrize("status", Status)
def test_every_status_has_its_word(status: Status) -> None:
    """Each status can be shown, with a sign, a word and an explanation."""
    html = feedback_html(_result("s001", attention=(status,)))
    page = Page(html)
    assert page.tags.count("dt") == page.tags.count("dd") == len(Status)
    assert str(status) not in page.text
    report_html([_result("s001", attention=(status,))], summary())


@pytest.mark.parametrize("status", ["graded", "not_importable", "unreadable", "grader_error"])
def test_every_kind_of_submission_can_be_shown(status: str) -> None:
    """A problem stands at the top of the page, and then no exercise is unfolded."""
    page = Page(feedback_html(_result("s001", status, "" if status == "graded" else "What was wrong.")))
    assert ("What was wrong." in page.text) == (status != "graded")
    assert "open" not in dict(page.attributes)
    assert "s001" in Page(report_html([_result("s001", status)], summary())).text


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (_result("s"), "All 4 exercises are right. Well done!"),
        (_result("s", **MISSING), "Nothing is written yet."),
        (small_class()[1], "3 of 4 exercises are right and 1 is partly right."),
        (
            _result("s", attention=({"i_like_pizza": Status.FAILED},), causal_mask=(Status.MISSING,)),
            "2 of 4 exercises are right, 1 is partly right and 1 is not written yet.",
        ),
        (_result("s", "grader_error"), "Something went wrong on our side."),
    ],
)
def test_one_line_sums_up(result: Json, line: str) -> None:
    """The sentence at the top is kind, and counts right."""
    assert feedback_line(result).startswith(line)


def test_headline_numbers() -> None:
    """Mean and median are over what could be graded: 15, 12.5, 10 and 8 points."""
    top = headline(small_class())
    assert (top.submissions, top.graded, top.look, top.max_score) == (6, 4, 4, 15)
    assert (top.mean, top.median) == (11.375, 11.25)
    assert "<dd>11.38 <small>of 15</small></dd>" in report_html(small_class(), summary())


def test_distribution_counts_tenths() -> None:
    """Shares of 100, 83, 67 and 53 percent; full points stand in the last bar, 70 percent in the eighth."""
    assert distribution(small_class()) == (0, 0, 0, 0, 0, 1, 1, 0, 1, 1)
    seven = _result("s") | {"score": 7.000000000001, "max_score": 10}
    assert distribution([seven]) == (0, 0, 0, 0, 0, 0, 0, 1, 0, 0)


def test_exercise_rates() -> None:
    """Mean points and pass rates are per graded submission, in the assignment's order."""
    rates = exercise_rates(small_class())
    assert [rate.exercise for rate in rates] == list(EXERCISES)
    assert [(rate.passed, rate.judged) for rate in rates] == [(3, 4), (1, 4), (4, 4), (4, 4)]
    assert rates[1].points == (5 + 2.5) / 4


def test_hardest_cases_come_first() -> None:
    """Lowest pass rate first, ties in the assignment's order; what all pass, and our own errors, do not count."""
    rates = hardest_cases(small_class())
    assert [(rate.case, rate.passed) for rate in rates[:3]] == [
        ("i_like_pizza", 1),
        ("matches_reference", 1),
        ("rows_of_weights_sum_to_one", 2),
    ]
    assert "four_by_four" not in {rate.case for rate in rates}
    ours = [_result("s1"), _result("s2", causal_mask=(Status.GRADER_ERROR,))]
    assert hardest_cases(ours) == ()
    assert len(hardest_cases(large_class())) <= HARDEST


def test_mistakes_are_ranked_and_named() -> None:
    """Two mistakes in one submission count for both, once for each student; a guess between two stays whole."""
    first, second = mistakes(small_class())
    assert (first.name, first.says, first.students) == ("no_scale", NO_SCALE, ("s002", "s003"))
    assert (second.name, second.says, second.students) == ("wrong_axis", WRONG_AXIS, ("s003",))
    says = "One of these: It is this. Or: It is that."
    (guess,) = mistakes([_result("s", attention=(Status.FAILED, ("this", says)))])
    assert (guess.name, guess.says, guess.exercises) == ("this", says, ("attention",))


def test_who_needs_a_look() -> None:
    """Each has a reason; a file that could not be imported is not also counted as crashed."""
    found = looks(small_class())
    assert [(heading, [student for student, _ in rows]) for heading, rows in found.items()] == [
        ("Could not be read", ["s005"]),
        ("Could not be imported", ["s006"]),
        ("Timed out", ["s004"]),
        ("Crashed", ["s004"]),
        ("Notes, such as a second submission", ["s003"]),
    ]
    assert found["Crashed"] == (("s004", "`attention`"),)


def test_report_says_how_it_was_graded() -> None:
    """Isolation with its residual risks, seed, engine and time are told; students link to their pages."""
    html = report_html(small_class(), summary())
    text = " ".join(Page(html).text.split())
    for expected in (
        "Level C: process, rlimits",
        "can open network connections",
        "20240917",
        "autograder 0.1.0",
        "2 min 13 s",
    ):
        assert expected in text
    assert 'href="feedback/s003.html"' in html
    assert 'href="feedback/..%2Fa%20b.html"' in report_html([_result("../a b")], summary())


def test_an_empty_class_has_a_report() -> None:
    """Nothing handed in is no error."""
    text = Page(report_html([], summary())).text
    assert "Nothing could be graded yet." in text
    assert "None" not in text.replace("None: every case", "")


def test_tables_have_headers_with_scope() -> None:
    """Every header cell says what it heads, and sections have names."""
    for html in _pages():
        assert html.count("<th ") == html.count('scope="row"') + html.count('scope="col"')
        assert "<th>" not in html
        ids = [value for name, value in Page(html).attributes if name == "id"]
        labels = " ".join(value for name, value in Page(html).attributes if name == "aria-labelledby").split()
        assert len(ids) == len(set(ids))
        assert set(labels) <= set(ids)


def test_pages_are_rebuilt_alike_from_json() -> None:
    """What is written and read back gives the same pages, whatever the order of the results."""
    results = large_class()
    again = json.loads(json.dumps(results))
    assert report_html(results, summary()) == report_html(again[::-1], summary())
    assert [feedback_html(r) for r in results] == [feedback_html(r) for r in again]
