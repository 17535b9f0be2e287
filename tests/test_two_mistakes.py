"""At home two known mistakes of an exercise are named together: by the fingerprints of what any two give, which a handout holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment
from autograder.handout.kit.bundle import Bundle, read_bundle
from autograder.handout.kit.self_check import check
from autograder.handout.kit.two_mistakes import NO_PAIRS, PAIRS, Pairs, read_pairs
from autograder.handout.on_all_cores import on_all_cores
from autograder.handout.pairs_of_mistakes import LEAST, MORE, ROWS, pairs_file
from autograder.handout.public_data import public_bundle, public_files, public_oracle
from autograder.judge.answer_fingerprints import Fingerprint, fingerprint_of
from autograder.judge.reasons import Diagnosis
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.tree import Tensor
from autograder.sandbox.job import Ending, Outcome, Source

ROOT = Path(__file__).parents[1]
X, Y = np.arange(6.0).reshape(2, 3) / 7, np.arange(4.0)
NOISE = 1 + 1e-7


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    """Return what a2 gives away of its last exercises but some."""
    whole = load_assignment(ROOT, "a2_bptt")
    some = tuple(m for m in whole.misconceptions if m.exercise in ("rnn_step_backward", "rnn_backward"))
    return public_oracle(replace(whole, misconceptions=some))


@pytest.fixture(scope="module")
def data(oracle: Oracle) -> dict[str, bytes]:
    """Return the files of its data, with those of pairs."""
    return public_files(oracle) | {PAIRS: pairs_file(oracle)[f"engine/{PAIRS}"]}


@pytest.fixture
def bundle(data: dict[str, bytes], tmp_path: Path) -> Bundle:
    """Return it as a student's laptop reads it."""
    for name, content in data.items():
        (tmp_path / name).write_bytes(content)
    return read_bundle(tmp_path)


@pytest.fixture(scope="module")
def trial(oracle: Oracle) -> Trial:
    """Return a trial of one call whose check looks at the value alone."""
    return next(t for t in oracle.trials if len(t.calls) == 1 and not t.case.check.sees_arguments)


def gives(value: object, **kwargs: object) -> tuple[Outcome, ...]:
    """Return the outcome of one call."""
    return (replace(Outcome(Ending.RETURNED, value), **kwargs),)


def alike(trial: Trial, one: object, other: object) -> bool:
    """Whether two values have the same fingerprint."""
    mine, theirs = (fingerprint_of(trial, gives(value)) for value in (one, other))
    assert mine is not None
    assert theirs is not None
    return bool(mine.is_like(np.array([theirs.form]), theirs.sums[None])[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((X, Y), [X * NOISE, Y]),
        ({"a": X, "b": [Y, 2]}, {"b": (Y, 2), "a": X}),
        (X, Tensor(X.astype(np.float32))),
        ((X, 1), (X, np.int64(1))),
        (1e9 * X, 1e9 * X * NOISE),
    ],
)
def test_what_differs_by_noise_or_form_alone_has_one_fingerprint(one: object, other: object, trial: Trial) -> None:
    """Order in a dict, a list for a tuple, and the type of numbers say nothing."""
    assert alike(trial, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (X, 2 * X),
        (X, -X),
        (X, X.T),
        (X, X[::-1]),
        ((X, Y), (X, Y, None)),
        ((X, Y), (Y, X)),
        (X, X + np.eye(2, 3)),
        ((X, "a"), (X, "b")),
        ((X, np.zeros(3)), (X, np.zeros((3, 1)))),
    ],
)
def test_all_else_has_another(one: object, other: object, trial: Trial) -> None:
    """So do a factor, which a scale by itself would hide, and one entry."""
    assert not alike(trial, one, other)


def test_what_is_nearly_right_does_not_tell_itself_from_what_is(trial: Trial) -> None:
    """A score of -10 for a hidden key gives shares that are right to four digits: a case finds them wrong, and a fingerprint does not."""
    right, nearly, wrong = (fingerprint_of(trial, gives(value)) for value in (X, X * (1 + 2e-5), X * 1.01))
    assert right is not None
    assert nearly is not None
    assert wrong is not None
    assert not nearly.tells_from(right)
    assert wrong.tells_from(right)
    assert wrong.tells_from(None)


def test_a_pair_that_is_right_where_code_is_nearly_right_is_not_named(tmp_path: Path) -> None:
    """Of two mistakes that leave the shares of a masked row right, one hides the other; of code that fills in -10 both are untrue."""
    whole = load_assignment(ROOT, "a5_attention")
    names = ("subtracts_the_minimum_of_the_masked", "subtracts_the_magnitude_of_the_masked")
    oracle = public_oracle(replace(whole, misconceptions=tuple(m for m in whole.misconceptions if m.name in names)))
    for name, content in (public_files(oracle) | pairs_file(oracle)).items():
        (tmp_path / name.rpartition("/")[2]).write_bytes(content)
    text = whole.reference.replace(
        "scores = np.where(mask, scores, -np.inf)", "scores = np.where(mask, scores, -10.0)", 1
    )
    exercises = check(Source.of(whole.file, text), read_bundle(tmp_path)).exercises
    (told,) = (exercise for exercise in exercises if exercise.name == "attention_weights")
    assert told.score < told.max_score
    assert not any(isinstance(case.reason, Diagnosis) for case in told.cases)


@pytest.mark.parametrize(
    "outcomes", [gives(X + np.inf), gives(None, ending=Ending.RAISED), gives((np.arange(4), [1, 2]))]
)
def test_what_says_too_little_has_none(outcomes: tuple[Outcome, ...], trial: Trial) -> None:
    """Integers, and what is not finite, are those of many mistakes."""
    assert fingerprint_of(trial, outcomes) is None


def test_a_pair_gives_all_of_which_it_has_a_row() -> None:
    """One of them at least in a case that failed."""
    mine = Fingerprint(7, np.array([0.5, 0.25], np.float32))
    rows = [(0, 0, 7), (1, 0, 7), (1, 1, 8), (2, 1, 7)]
    pairs = Pairs(
        ("a", "b", "c"),
        ("first", "second"),
        np.array([[0, 1], [0, 2], [1, 2]]),
        np.array([row[:2] for row in rows]),
        np.array([form for *_, form in rows]),
        np.array([mine.sums] * len(rows)),
    )

    def giving(got: dict[str, Fingerprint | None], *failed: str) -> dict[tuple[str, str], set[str]]:
        return dict(pairs.giving(got, failed))

    assert giving({"first": mine, "second": mine}, "first") == {("a", "b"): {"first"}}
    both = giving({"first": mine, "second": mine}, "first", "second")
    assert both == {("a", "b"): {"first"}, ("b", "c"): {"second"}}
    assert giving({"first": None, "second": mine}, "first", "second") == {("b", "c"): {"second"}}
    assert giving({"first": mine}, "first") == {("a", "b"): {"first"}, ("a", "c"): {"first"}}
    assert giving({}, "first") == {}


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    """Two mistakes have no name then, and all else is as it was."""
    assert read_pairs(tmp_path) is NO_PAIRS
    for content in (b"nonsense", NO_PAIRS.to_bytes()[:-9]):
        (tmp_path / PAIRS).write_bytes(content)
        assert read_pairs(tmp_path) is NO_PAIRS


@pytest.mark.parametrize(
    "names",
    [
        ("dh_next_not_added", "dh0_dropped"),  # in parts of their own
        ("dh0_of_the_first_state", "dx_of_the_first_step_only"),
        ("weights_without_tanh", "dx_without_tanh"),
        ("first_step_left_out", "dx_in_reverse_order"),  # in the same numbers
    ],
)
def test_two_mistakes_are_named_at_home(names: tuple[str, ...], bundle: Bundle, oracle: Oracle) -> None:
    """By `check.py`, which has no reference, as by `autograder check`, which has."""
    assignment = oracle.assignment
    made = tuple(m for m in assignment.misconceptions if m.name in names)
    source = Source.of(assignment.file, apply_edits(assignment.reference, made) or "")
    for judge in (bundle, public_bundle(oracle)):
        exercise = next(e for e in check(source, judge).exercises if e.name == made[0].exercise)
        (told, *_) = (c.reason for c in exercise.cases if c.reason)
        alternatives = [{mistake.name for mistake in alternative} for alternative in told.alternatives]
        assert set(names) in alternatives
        assert not told.tentative


def test_a_pair_is_named_where_a_case_shows_both_that_one_alone_leaves_right(tmp_path: Path) -> None:
    """Differences that are twice too large leave the largest error 1 where the gradient is 0, and change the mean beside it."""
    whole = load_assignment(ROOT, "a2_bptt")
    names = ("divided_by_eps_once", "mean_error")
    oracle = public_oracle(
        replace(whole, misconceptions=tuple(m for m in whole.misconceptions if m.exercise == "grad_check"))
    )
    for name, content in (public_files(oracle) | pairs_file(oracle)).items():
        (tmp_path / name.rpartition("/")[2]).write_bytes(content)
    made = tuple(m for m in whole.misconceptions if m.name in names)
    source = Source.of(whole.file, apply_edits(whole.reference, made) or "")
    (told,) = (e for e in check(source, read_bundle(tmp_path)).exercises if e.name == "grad_check")
    (reason, *_) = (case.reason for case in told.cases if case.reason)
    assert isinstance(reason, Diagnosis)
    assert [{mistake.name for mistake in alternative} for alternative in reason.alternatives] == [{*names}]


@pytest.mark.parametrize(
    "names", [("aligned_at_start", "sees_next_token"), ("masks_padded_queries", "padding_is_smallest_id")]
)
def test_two_mistakes_in_a_mask_are_named_at_home(names: tuple[str, str], tmp_path: Path) -> None:
    """A mask of some size says enough, though it holds no numbers."""
    whole = load_assignment(ROOT, "a5_attention")
    made = tuple(m for m in whole.misconceptions if m.name in names)
    same = tuple(m for m in whole.misconceptions if m.exercise == made[0].exercise)
    oracle = public_oracle(replace(whole, misconceptions=same))
    for name, content in (public_files(oracle) | pairs_file(oracle)).items():
        (tmp_path / name.rpartition("/")[2]).write_bytes(content)
    source = Source.of(whole.file, apply_edits(whole.reference, made) or "")
    (told,) = (e for e in check(source, read_bundle(tmp_path)).exercises if e.name == made[0].exercise)
    (reason, *_) = (case.reason for case in told.cases if case.reason)
    assert isinstance(reason, Diagnosis)
    assert set(names) in [{mistake.name for mistake in alternative} for alternative in reason.alternatives]


def test_a_pair_is_not_named_where_one_case_speaks_against_it(bundle: Bundle, oracle: Oracle) -> None:
    """Also a case of which the handout has no fingerprint, since one of the two alone changes it."""
    names = ("first_step_left_out", "dh_next_not_added")
    got = {
        t: oracle.answers(names, known) or ()
        for t in bundle.trials_of("rnn_backward")
        for known in oracle.trials
        if known.name == t.name
    }
    (told,) = [pair for pair in bundle.pairs_giving(got, got) if set(pair) == set(names)]
    table = bundle.pairs
    rows = {
        table.trials[trial] for pair, trial in table.places if tuple(table.names[i] for i in table.pairs[pair]) == told
    }
    assert len(rows) == ROWS
    for t, outcomes in got.items():
        alone = sum(bundle.matters(name, t) for name in names) < len(names)
        if alone or t.name in rows:
            wrong = {**got, t: tuple(replace(outcome, value=None) for outcome in outcomes)}
            assert told not in bundle.pairs_giving(wrong, got)


def test_pairs_that_are_alike_have_more_rows(bundle: Bundle) -> None:
    """What two cases do not tell apart a third one may."""
    table = bundle.pairs
    rows = np.bincount(table.places[:, 0])
    assert set(rows) <= set(range(1, MORE + 1))
    told = [(int(table.places[i, 1]), int(table.forms[i]), *table.sums[i].round(3)) for i in range(len(table.places))]
    by_pair = [tuple(told[i] for i in np.flatnonzero(table.places[:, 0] == n)) for n in range(len(rows))]
    short = [each for each, count in zip(by_pair, rows, strict=True) if count == ROWS]
    assert len(set(short)) > 0.9 * len(short)
    assert (rows == MORE).any()


def test_one_process_and_several_make_the_same_file(
    data: dict[str, bytes], oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On all cores where processes can be forked, and in this one elsewhere."""
    whole = oracle.assignment
    some = tuple(m for m in whole.misconceptions if m.exercise == "rnn_step_backward")
    few = replace(whole, misconceptions=some)
    files = set()
    for cores in (1, 2):
        monkeypatch.setattr(f"{on_all_cores.__module__}.cores", lambda cores=cores: cores)
        files |= set(pairs_file(public_oracle(few)).values())
    assert len(some) ** 2 / 2 > 2 * LEAST
    assert len(files) == 1


def test_pairs_are_dropped_as_they_are_done(assignment: Assignment) -> None:
    """The programs of all pairs of a bank would be a gigabyte."""
    oracle = public_oracle(assignment)
    pairs_file(oracle)
    assert max(map(len, oracle._programs)) == 1
