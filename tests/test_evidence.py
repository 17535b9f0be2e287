"""What a name needs: a finite wrong value that fits, in all failing cases or in all but one, and numbers that are not refuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Misconception, Visibility, call, case
from autograder.judge.checks import close
from autograder.judge.grade import grade
from autograder.judge.reason_sentences import explain_reason
from autograder.judge.reasons import Diagnosis, Mistake, Relation
from autograder.judge.result import CaseResult, Result
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Chunk, Sandbox, Source

ROOT = Path(__file__).parents[1]
Edited = Callable[..., str]
Cases = Callable[[Result, str], Mapping[str, CaseResult]]


def means(text: str) -> Source:
    """Return a submission to the tiny course."""
    return Source("means", (Chunk("means.py", text),))


@pytest.mark.slow
def test_nan_agrees_with_no_mistake(sandbox: Sandbox) -> None:
    """What is NaN wherever a mask is given, as 0 times infinity is NaN, is no inverted mask, and costs nothing in what builds on it."""
    attention = load_assignment(ROOT, "a5_attention")
    right = "scores = np.where(mask, scores, -np.inf)"
    text = attention.reference.replace(right, "scores = scores + ~np.asarray(mask, bool) * -np.inf")
    result = grade(Source("attention", (Chunk(attention.file, text),)), Oracle(attention, 3), sandbox)
    assert {case.diagnosis for e in result.exercises for case in e.cases} == {""}
    lost = {e.name for e in result.exercises if e.score < e.max_score}
    assert lost == {"attention_weights"}
    (says,) = {c.says for e in result.exercises for c in e.cases if c.says}
    assert "whenever `mask` is given" in says


@pytest.mark.parametrize(("at", "named"), [(5, {"skips_the_first", ""}), (0, {""})])
def test_a_name_that_explains_all_but_one_case_is_told_for_those(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases, at: int, named: set[str]
) -> None:
    """The one that is left has another reason, or none; where all others but one are left, too, there is no name."""

    @case("row_means", check=close())
    def wide(rng: np.random.Generator) -> Iterator[Any]:
        """Wide rows."""
        yield call(rng.normal(size=(3, 7)))

    oracle = Oracle(replace(assignment, cases=(*assignment.cases, replace(wide, visibility=Visibility.PUBLIC))), 0)
    text = edited(row_means=f"y = x[..., 1:].sum(-1) / x.shape[-1]\nreturn y if x.shape[-1] <= {at} else y + x.max(-1)")
    found = cases(grade(means(text), oracle, sandbox), "row_means")
    assert {c.diagnosis for c in found.values()} == named
    assert found["wide"].diagnosis == ""


def test_a_choice_of_names_explains_all_but_one_case(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases
) -> None:
    """At home, where cases are few, more than one name may give what they show; none of them is held back for that."""

    @case("row_means", check=close())
    def wide(rng: np.random.Generator) -> Iterator[Any]:
        """Wide rows."""
        yield call(rng.normal(size=(3, 7)))

    last = Misconception(
        "mean_of_the_rest", "row_means", old="return total / x.shape[-1]", new="return (total - x[..., 0]) / x.shape[-1]",
        caught_by="two_rows", says="You take the first entry from the sum.",
    )  # fmt: skip
    known = replace(
        assignment,
        cases=(*assignment.cases, replace(wide, visibility=Visibility.PUBLIC)),
        misconceptions=(*assignment.misconceptions, last),
    )
    text = edited(row_means="y = x[..., 1:].sum(-1) / x.shape[-1]\nreturn y if x.shape[-1] <= 5 else y + x.max(-1)")
    found = cases(grade(means(text), Oracle(known, 0), sandbox), "row_means")
    choice = "One of these: Your sum leaves out the first entry. Or: You take the first entry from the sum."
    assert {name: c.says for name, c in found.items()} == {"two_rows": choice, "means_of_any_shape": choice, "wide": ""}


@pytest.mark.parametrize(("at", "named"), [(5, {"skips_the_first+one_too_many", ""}), (3, {""})])
def test_two_names_that_explain_all_but_one_case_are_told_for_those(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases, at: int, named: set[str]
) -> None:
    """Where another reason is left in two of the cases there is no name."""

    @case("row_means", check=close())
    def wide(rng: np.random.Generator) -> Iterator[Any]:
        """Wide rows."""
        yield call(rng.normal(size=(3, 7)))

    @case("row_means", check=close())
    def low(rng: np.random.Generator) -> Iterator[Any]:
        """Two rows."""
        yield call(rng.normal(size=(2, 4)))

    one = Misconception(
        "one_too_many", "row_means", old="total / x.shape[-1]", new="total / x.shape[-1] + 1",
        caught_by="two_rows", says="You add one.",
    )  # fmt: skip
    more = tuple(replace(each, visibility=Visibility.PUBLIC) for each in (wide, low))
    known = replace(assignment, cases=(*assignment.cases, *more), misconceptions=(*assignment.misconceptions, one))
    text = edited(
        row_means=f"y = x[..., 1:].sum(-1) / x.shape[-1] + 1\nreturn y if x.shape[-1] <= {at} else y + x.max(-1)"
    )
    found = cases(grade(means(text), Oracle(known, 0), sandbox), "row_means")
    assert {"+".join(c.mistakes) for c in found.values()} == named
    assert found["wide"].mistakes == ()


def test_a_mistake_that_only_scales_what_another_gives_is_named_with_it(sandbox: Sandbox) -> None:
    """Neither shows in any number: what one gives is wrong everywhere, and the other takes a factor off that."""
    attention = load_assignment(ROOT, "a5_attention")
    text = attention.reference.replace("weights * (dweights - along)", "weights * (1 - weights) * dweights")
    text = text.replace("ddots = dscores / np.sqrt(Q.shape[-1])", "ddots = dscores")
    result = grade(Source("attention", (Chunk(attention.file, text),)), Oracle(attention, 3), sandbox)
    named = {case.mistakes for e in result.exercises if e.name == "attention_backward" for case in e.cases if case.says}
    assert named == {("softmax_jacobian_diagonal_only", "backward_without_scale")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edits", "named"),
    [
        (
            {"self.attention(n, n, n, mask)": "self.attention(n, n, x, mask)", "self.norm_2(h))": "self.norm_1(h))"},
            {"encoder_values_unnormed", "encoder_one_norm_for_both"},
        ),
        (
            {"memory, memory, memory_mask": "memory, memory", "residual(h, lambda _: self.feed_forward(self.norm_3(h)))": "self.feed_forward(self.norm_3(h))"},
            {"memory_mask_unused", "decoder_no_residual_around_feed_forward"},
        ),
        (
            {"torch.relu(self.expand(x))": "torch.tanh(self.expand(x))", "return self.contract(inner)": "return x + self.contract(inner)"},
            {"tanh_for_relu", "feed_forward_adds_its_input"},
        ),
    ],
    ids=["encoder", "decoder", "feed_forward"],
)  # fmt: skip
def test_two_mistakes_in_one_block_are_named(sandbox: Sandbox, edits: Mapping[str, str], named: set[str]) -> None:
    """They stand in lines of their own, though a block is short."""
    a7 = load_assignment(ROOT, "a7_transformer").without_training()
    text = a7.reference
    for old, new in edits.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    result = grade(Source("transformer", (Chunk(a7.file, text),)), Oracle(a7, 3), sandbox)
    assert {name for e in result.exercises for case in e.cases for name in case.mistakes} == named


def test_wrong_values_and_changed_arguments_are_told_apart(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases
) -> None:
    """The values have their name although the argument is changed as well, which no known mistake does so."""
    text = edited(center="y = x + x.mean(-1, keepdims=True)\nx *= 2\nreturn y")
    found = cases(grade(means(text), Oracle(assignment, 0), sandbox), "center")
    assert {c.diagnosis for c in found.values()} == {"adds_the_mean"}


def test_what_the_numbers_refute_is_no_alternative(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases
) -> None:
    """Of two mistakes within the tolerance of a case, only that counts which is as close as float noise lets it be."""
    near = Misconception(
        "nearly_doubled", "spread", old="np.sqrt(mean_square)", new="2.00003 * np.sqrt(mean_square)",
        caught_by="two_spreads", says="Nearly twice.",
    )  # fmt: skip
    twice = replace(near, name="doubled", new="2 * np.sqrt(mean_square)", says="Twice.")
    known = replace(assignment, misconceptions=(*assignment.misconceptions, near, twice))
    found = cases(grade(means(edited(spread="return 2 * x.std(-1)")), Oracle(known, 0), sandbox), "spread")
    assert {c.says for c in found.values() if c.says} == {"Twice."}


def test_what_explanations_share_is_said_once() -> None:
    """Before the choice between the rest."""
    a, b, c = (Mistake(name, "center", f"You did {name}.") for name in "abc")
    assert explain_reason(Diagnosis("center", ((a, b), (a, c)))) == (
        "You did a. Also: One of these: You did b. Or: You did c."
    )
    assert (
        explain_reason(Diagnosis("center", ((a,), (a, c))))
        == "One of these: (1) You did a. (2) You did a. Also: You did c."
    )


def test_what_one_mistake_leaves_right_another_may_spoil() -> None:
    """So a sentence claims it of a mistake alone."""
    said = "You write into x. {} but x is gone."
    alone, other = Mistake("a", "center", said.format("The sums are right,")), Mistake("b", "center", "You did b.")
    assert explain_reason(Diagnosis("center", ((alone,),))) == alone.sentence
    spoiled = said.format("The sums may be right,")
    assert explain_reason(Diagnosis("center", ((alone, other),))) == f"{spoiled} Also: You did b."
    assert explain_reason(Diagnosis("center", ((alone, other), (alone, replace(other, name="c"))))).startswith(spoiled)
    assert explain_reason(Relation("center", ("slip_lacks_factor", "o", ""), beside=alone)).startswith(spoiled)
