"""Smaller calls: which are tried, what stays a call of the same kind, and what a student and a grader read of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from autograder.course.spec import Assignment, Call, Case, Check, Module, Visibility, call, call_module
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.checks import close, same_prefix
from autograder.judge.grade import grade
from autograder.judge.result import ExerciseResult
from autograder.oracle.oracle import Oracle
from autograder.oracle.resized_calls import (
    Resizing,
    count,
    has_values,
    resize,
    rounded,
    shaken_down,
    shaken_up,
    sizes_of,
)
from autograder.oracle.smaller_calls import SMALL, smaller
from autograder.sandbox.child.tree import Tensor
from autograder.sandbox.job import Chunk, Job, JobResult, Sandbox, Source
from autograder.sandbox.time_limits import WALL

RNG = np.random.default_rng(3)
DRAWN = RNG.normal(size=(4, 7, 11))


def with_case(
    assignment: Assignment, name: str, calls: tuple[Call, ...], visibility: Visibility, check: Check | None = None
) -> Assignment:
    """Return an assignment with a case of row_means more."""
    made = Case(name, "row_means", "A claim.", check or close(), lambda _: iter(calls), visibility=visibility)
    return replace(assignment, cases=(*assignment.cases, made))


def shapes(made: Call) -> list[tuple[int, ...]]:
    """Return the shapes of a call's arguments."""
    return [np.shape(argument) for argument in made.args]


def test_axes_of_one_size_shrink_together() -> None:
    """What was one axis stays one: a product that fitted fits."""
    made = call(DRAWN, RNG.normal(size=(11, 5)), RNG.normal(size=5))
    assert sizes_of(made) == [4, 5, 7, 11]
    assert shapes(resize(made, Resizing({11: 2, 5: 1}))) == [(4, 7, 2), (2, 1), (1,)]


def test_whole_numbers_that_say_a_size_follow_it_and_tokens_do_not() -> None:
    """An argument 11 beside an axis of 11 is its size; a 11 in a list is a value."""
    made = call_module(DRAWN, 11, [11, 3], module=Module(init=(11, True), state={"w": Tensor(DRAWN[0])}))
    small = resize(made, Resizing({4: 1, 7: 2, 11: 2}), rounded)
    assert small.args[1:] == (2, [11, 3])
    assert small.module is not None
    assert small.module.init == (2, True)
    assert small.module.state["w"].array.shape == (2, 2)
    np.testing.assert_array_equal(small.args[0], DRAWN[:1, :2, :2].round(1))


def test_the_last_entries_can_stay() -> None:
    """Where the padding is: a short row, a hidden place, and their length."""
    made = call(np.arange(6.0).reshape(2, 3), np.array([[True, True], [True, False]]), np.array([3, 2]))
    small = resize(made, Resizing({2: 1, 3: 2}, (("wrap", 3, 2),), last=True))
    assert [argument.tolist() for argument in small.args] == [[[4, 5]], [[False]], [1]]


def test_a_square_can_lose_its_rows_alone() -> None:
    """The scores of one query, with as many keys as before."""
    small = resize(call(np.arange(9.0).reshape(3, 3), DRAWN), Resizing({3: 2}, one_row=True))
    assert shapes(small) == [(1, 2), DRAWN.shape]


def test_rows_that_sum_to_one_still_do() -> None:
    """Weights and probabilities stay such when some are cut away or rounded: correct code may rely on it."""
    shares = np.array([[[0.26, 0.64, 0.1], [0, 0, 1]], [[0.5, 0.25, 0.25], [1, 0, 0]]])
    small = resize(call(shares, torch.from_numpy(shares).float()), Resizing({3: 2}), rounded)
    np.testing.assert_array_equal(small.args[0], [[[0.3, 0.7], [1, 0]], [[0.8, 0.2], [1, 0]]])
    np.testing.assert_allclose(small.args[1].numpy(), small.args[0], atol=1e-7)
    assert shares[0, 0, 0] == 0.26
    many = np.full(16, 0.0625)
    np.testing.assert_allclose(
        resize(call(many), Resizing(), rounded).args[0], many
    )  # for .1 sixteen times is too much


def test_rounding_makes_no_infinity() -> None:
    """Half precision cannot hold ten times 9000, which rounding makes on its way; a hidden score of minus infinity hinders nothing."""
    half = np.array([9000.0, 0.25], dtype=np.float16)
    np.testing.assert_array_equal(resize(call(half), Resizing(), rounded).args[0], half)
    scores = np.array([-np.inf, 1.26])
    np.testing.assert_array_equal(resize(call(scores), Resizing(), rounded).args[0], [-np.inf, 1.3])


def test_noise_makes_no_nan() -> None:
    """Of a hidden score, in either direction; the two directions are opposite."""
    scores = np.array([-np.inf, 1.25, 0.0])
    up, down = shaken_up(scores), shaken_down(scores)
    np.testing.assert_array_equal([up[0], down[0], up[2], down[2]], [-np.inf, -np.inf, 0, 0])
    assert up[1] != 1.25
    np.testing.assert_allclose(up[1] + down[1], 2.5, rtol=1e-12)


def test_nothing_becomes_less_than_nothing() -> None:
    """-0. is no number that a student could follow by hand."""
    assert str(resize(call(np.array([-0.04, 0.5])), Resizing(), rounded).args[0]) == "[0.  0.5]"


def test_lengths_do_not_become_zero() -> None:
    """Where no length or token was zero, none is afterwards: an empty row may be nothing that code has to take."""
    for new in (1, 2, 3):
        small = resize(call(DRAWN, [6, 3, 1, 2]), Resizing({7: new}, (("wrap", 7, new),)))
        assert min(small.args[1]) == 1
        assert max(small.args[1]) <= max(1, new - 1)


def test_a_draw_below_one_stays_below_one() -> None:
    """What samples with numbers from [0, 1) need not know what to do with 1."""
    small = resize(call(np.array([0.98, 0.2]), np.array([1.98, 0.2])), Resizing(), rounded)
    assert [argument.tolist() for argument in small.args] == [[0.98, 0.2], [2.0, 0.2]]
    last = np.full((3, 1), 1 - 2**-24)
    assert resize(call(last), Resizing({3: 1}), rounded).args[0].tolist() == [[1 - 2**-24]]  # no share of one


def test_tokens_and_lengths_come_down_with_what_they_count() -> None:
    """A token below a size goes round, a length up to it is cut; what is beyond it is something else, and stays."""
    made = call(DRAWN, np.array([[0, 6], [5, 2]]), [7, 3], [12, -1])
    assert has_values(made, "wrap", 7, 2)
    assert not has_values(made, "cut", 4, 2)
    wrapped = resize(made, Resizing({7: 2}, (("wrap", 7, 2),)))
    assert wrapped.args[1].tolist() == [[0, 0], [1, 0]]
    assert wrapped.args[2:] == ([7, 3], [12, -1])
    assert resize(made, Resizing({7: 2}, (("cut", 7, 2),))).args[2:] == ([2, 2], [12, -1])


@pytest.fixture
def larger(assignment: Assignment) -> Assignment:
    """Return the tiny assignment with a large public case of row_means and a hidden one."""
    shown = with_case(assignment, "a_large_call", (call(DRAWN),), Visibility.PUBLIC)
    return with_case(shown, "a_large_hidden_call", (call(DRAWN),), Visibility.HIDDEN)


def found(assignment: Assignment, made: Call, needs: str = "True") -> list[Call]:
    """Return the smaller calls of row_means, which takes any arguments and needs something of its first, x."""
    body = f"    assert {needs}\n    total = x"
    text = assignment.reference.replace("row_means(x: np.ndarray)", "row_means(x, *more)").replace(
        "    total = x", body
    )
    oracle = Oracle(with_case(replace(assignment, reference=text), "a_large_call", (made,), Visibility.PUBLIC), 0)
    (trial,) = [t for t in oracle.trials if t.case.name == "a_large_call"]
    return [small.trial.calls[0] for small in smaller(oracle, trial)]


def test_the_smallest_come_first(assignment: Assignment) -> None:
    """So that the first that fails is the smallest that does; each size is two once, and all are three."""
    calls = found(assignment, call(DRAWN))
    counts = [count(made) for made in calls]
    assert counts == sorted(counts)
    tried = {np.shape(made.args[0]) for made in calls}
    assert {(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (1, 2, 2), (2, 2, 2), (3, 3, 3)} <= tried


@pytest.mark.parametrize(
    ("made", "needs", "smallest"),
    [
        (call(DRAWN[0, :, :4], RNG.normal(size=(12, 4))), "more[0].shape[0] == 3 * x.shape[1]", [(1, 1), (3, 1)]),
        (call(DRAWN[0], RNG.normal(size=(4, 11))), "x.shape[1] == x.shape[0] + more[0].shape[0]", [(1, 2), (1, 2)]),
        (call(DRAWN[0], np.array([10, 3])), "max(more[0]) < x.shape[1]", [(1, 2), (1,)]),
        (call(DRAWN[0], [7, 2]), "0 < max(more[0]) <= x.shape[0]", [(1, 1), (2,)]),
    ],
)
def test_sizes_that_depend_on_others_come_down_with_them(
    assignment: Assignment, made: Call, needs: str, smallest: list[tuple[int, ...]]
) -> None:
    """Packed gates, states beside inputs, tokens of a vocabulary, lengths: nobody says so, but the reference fails else."""
    assert shapes(found(assignment, made, needs)[0]) == smallest


@pytest.mark.parametrize(
    ("made", "tried"),
    [
        (call(DRAWN[0, 0, :SMALL]), False),  # few numbers
        (call(DRAWN[0]), True),
        (call(np.ones((2, 3))), True),
        (call(np.ones((7, 70)), *(np.ones(n) for n in range(11, 20))), False),  # nobody knows which axis is which
    ],
)
def test_only_large_calls_need_smaller_ones(assignment: Assignment, made: Call, tried: bool) -> None:
    """What can be followed by hand stays as it is."""
    assert bool(found(assignment, made)) == tried


def test_only_value_cases_have_smaller_calls(assignment: Assignment) -> None:
    """Calls of a property belong together."""
    oracle = Oracle(
        with_case(assignment, "rows_alone", (call(DRAWN),) * 2, Visibility.PUBLIC, same_prefix(axis=0, upto=1)), 0
    )
    assert [smaller(oracle, trial) for trial in oracle.trials if trial.case.name == "rows_alone"] == [()]


def test_what_the_reference_cannot_answer_is_left_out(assignment: Assignment) -> None:
    """A call that has become meaningless shows nothing."""
    columns = {made.args[0].shape[-1] for made in found(assignment, call(DRAWN), "x.shape[-1] > 1")}
    assert columns == {2, 3}


def test_one_row_is_tried_where_the_answer_loses_its_rows_too(assignment: Assignment) -> None:
    """Scores of three queries beside their mask come down to those of one; a matrix of weights stays square, and so do scores alone."""
    scores, mask = np.arange(9.0).reshape(3, 3), np.tri(3, dtype=bool)
    assert (1, 2) in {np.shape(made.args[0]) for made in found(assignment, call(scores, mask))}
    assert (1, 2) not in {np.shape(made.args[0]) for made in found(assignment, call(scores))}
    weighted = replace(
        assignment, reference=assignment.reference.replace("return total", "return (x @ more[0].T).sum(-1) * 0 + total")
    )
    weights = {np.shape(made.args[1]) for made in found(weighted, call(np.ones((5, 4)), np.ones((4, 4))))}
    assert all(rows == columns for rows, columns in weights)


def test_a_dict_of_all_ids_comes_down_with_them(assignment: Assignment) -> None:
    """Code may go through the words of a vocabulary, each of which needs its number."""
    words = dict(enumerate("abcde"))
    for made in found(assignment, call(np.arange(5.0)[None], words)):
        assert set(made.args[1]) == set(range(made.args[0].shape[-1]))


def test_padding_at_the_end_is_not_cut_away(assignment: Assignment) -> None:
    """Of two rows, the second with a hidden place at its end, a call stays in which something is hidden."""
    mask = np.array([[True, True, True], [True, True, False]])
    calls = found(assignment, call(DRAWN[0, :2, :3], mask))
    assert any(made.args[1].tolist() == [[True, False]] for made in calls)


def test_what_is_no_number_is_left_out(assignment: Assignment) -> None:
    """The mean of nothing is told neither as an array nor as a single number."""
    mean = replace(
        assignment,
        reference=assignment.reference.replace("return total / x.shape[-1]", "return float(x[more[0]].mean())"),
    )
    mask = np.array([[True, True, True], [True, True, False]])
    assert all(made.args[1].any() for made in found(mean, call(DRAWN[0, :2, :3], mask)))


def test_ties_are_left_out(assignment: Assignment) -> None:
    """Rounded numbers are often equal, and which of two equals is the largest, correct code need not agree on."""
    near = call(DRAWN * 1e-3 + 0.5)
    assert found(assignment, near)[0].args[0].tolist() == [[[0.5]]]
    argmax = replace(
        assignment, reference=assignment.reference.replace("return total / x.shape[-1]", "return x.argmax(axis=-1)")
    )
    for made in found(argmax, near):
        x = made.args[0]
        assert x.shape[-1] == 1 or not (x == 0.5).all()


def told(assignment: Assignment, body: str, sandbox: Sandbox, *, smallest: bool = True) -> dict[str, str]:
    """Return the messages of row_means when it is written so."""
    cases = written(assignment, body, sandbox, smallest=smallest).cases
    return {case.name: case.message for case in cases}


def written(assignment: Assignment, body: str, sandbox: Sandbox, *, smallest: bool = True) -> ExerciseResult:
    """Return the result of row_means when it is written so."""
    text = assignment.reference.replace("return total / x.shape[-1]", body)
    source = Source("means", (Chunk(assignment.file, text),))
    return grade(source, public_bundle(public_oracle(assignment)), sandbox, smallest=smallest).exercises[0]


def test_a_failure_is_shown_by_the_smallest_call_that_fails(larger: Assignment, sandbox: Sandbox) -> None:
    """A student sees one row of two numbers, not 28 rows of twelve."""
    message = told(larger, "return total / 5", sandbox)["a_large_call"]
    value = DRAWN[0, 0, 0].round(1)
    assert "The smallest call that fails is row_means(x) with" in message
    assert "x = np.array([[[2.]]])" in message
    assert f"[[[{value:g}" in message
    assert "(4, 7, 11)" not in message


def test_one_that_is_right_on_one_number_needs_two(larger: Assignment, sandbox: Sandbox) -> None:
    """The smallest call is the smallest on which this student is wrong."""
    message = told(larger, "return x[..., 0]", sandbox)["a_large_call"]
    assert "x = np.array([[[ 2. , -2.6]]])" in message


def test_a_smaller_call_that_fails_in_another_way_says_nothing(larger: Assignment, sandbox: Sandbox) -> None:
    """Here a single column gives another shape, but what is wrong with the case is its values."""
    body = "return (total / 5).reshape(x.shape[:-1]) if x.shape[-1] > 1 else total[..., None]"
    message = told(larger, body, sandbox)["a_large_call"]
    assert "x = np.array([[[ 2. , -2.6]]])" in message


def test_a_crash_is_shown_by_the_smallest_call_that_raises_it(larger: Assignment, sandbox: Sandbox) -> None:
    """With arrays to paste; a smaller call that is right says nothing."""
    message = told(larger, "return np.linalg.norm(x) if x.shape[-1] == 1 else total / np.ones(5)", sandbox)[
        "a_large_call"
    ]
    assert "The smallest call that fails is row_means(x) with\n  x = np.array([[[ 2. , -2.6],\n" in message


def test_the_shapes_are_those_of_the_call_that_is_shown(larger: Assignment, sandbox: Sandbox) -> None:
    """One screen has one call."""
    assert "Shapes on the way: x (1,1,1)" in told(larger, "return total / 5", sandbox)["a_large_call"]


def test_of_several_calls_the_shapes_are_those_of_the_wrong_one(assignment: Assignment, sandbox: Sandbox) -> None:
    """The first call of this case is right, the one that is shown is the second."""
    calls = (call(np.array([1.0, 2.0, 6.0])), call(np.array([4.0, 2.0])))
    two = with_case(assignment, "two_calls", calls, Visibility.PUBLIC)
    message = told(two, "return total / 3", sandbox)["two_calls"]
    assert "x = np.array([4., 2.])" in message
    assert "Shapes on the way: x (2,)" in message


def test_the_case_with_the_fewest_axes_is_shown(larger: Assignment, sandbox: Sandbox) -> None:
    """Of cases that fail alike, and of those one whose positions have words."""
    cases = {name: call(DRAWN[0, :2, :2]) for name in ("plain", "words")}
    for name, made in cases.items():
        larger = with_case(larger, name, (made,), Visibility.PUBLIC)
    larger = replace(
        larger, cases=tuple(replace(c, words=("a", "b")) if c.name == "words" else c for c in larger.cases)
    )
    shown = written(larger, "return total / 5", sandbox).shown
    assert shown is not None
    assert shown.name == "words"


def test_a_mistake_that_only_large_calls_show_is_told_by_those(larger: Assignment, sandbox: Sandbox) -> None:
    """Where no smaller call fails, the call itself is shown."""
    message = told(larger, "return total / x.shape[-1] + (x.shape[-1] == 11)", sandbox)["a_large_call"]
    assert "smallest" not in message
    assert "x = array (4, 7, 11) float64" in message


def test_a_hang_on_smaller_calls_is_not_waited_for_long(larger: Assignment, sandbox: Sandbox) -> None:
    """They only illustrate: all of them together have the time that one call may take on the wall."""
    seconds = []

    class Watched:
        isolation = sandbox.isolation

        def run(self, job: Job) -> JobResult:
            if job.source.module != "reading":  # which runs nothing of the student's
                seconds.append(job.limits.total_seconds)
            return sandbox.run(job)

    told(larger, "return total / 5", Watched())
    followed = WALL * larger.limits.case_seconds  # to say where it turns wrong
    assert seconds == [larger.limits.total_seconds, WALL * larger.limits.case_seconds, followed]


def test_grading_a_class_does_not_look_for_it(larger: Assignment, sandbox: Sandbox) -> None:
    """It takes another run of the student's code."""
    assert "smallest" not in told(larger, "return x[..., 0]", sandbox, smallest=False)["a_large_call"]


def test_a_hidden_case_does_not_show_it(larger: Assignment, sandbox: Sandbox) -> None:
    """A smaller hidden call is hidden as well."""
    text = larger.reference.replace("return total / x.shape[-1]", "return x[..., 0]")
    result = grade(Source("means", (Chunk(larger.file, text),)), Oracle(larger, 0), sandbox, smallest=True)
    (case,) = [case for case in result.exercises[0].cases if case.name == "a_large_hidden_call"]
    assert "smallest" not in case.message
    assert "array" not in case.message
    assert "Shapes" not in case.message


def test_at_home_they_are_read_from_the_bundle(larger: Assignment, tmp_path: Path) -> None:
    """A handout has no reference to ask."""
    from autograder.handout.kit.bundle import read_bundle
    from autograder.handout.public_data import public_files

    oracle = public_oracle(larger)
    for name, data in public_files(oracle).items():
        (tmp_path / name).write_bytes(data)
    bundle = read_bundle(tmp_path)
    for trial, original in zip(bundle.trials, oracle.trials, strict=True):
        read, made = bundle.smaller(trial), oracle.smaller(original)
        assert [s.trial.case.name for s in read] == [s.trial.case.name for s in made]
        for one, other in zip(read, made, strict=True):
            np.testing.assert_array_equal(one.trial.calls[0].args[0], other.trial.calls[0].args[0])
            np.testing.assert_array_equal(one.expected[0].value, other.expected[0].value)
    assert sum(len(bundle.smaller(trial)) for trial in bundle.trials) > 3
