"""What a wrong submission may cost: little is found out twice, and nothing that tells a mistake is left out for that.

Nothing is timed here: runs, jobs and comparisons are counted. `make bench` measures seconds.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Status
from autograder.judge import diagnose, mistake_pairs, outcomes_alike
from autograder.judge.blame import diagnosis_of
from autograder.judge.grade import grade
from autograder.judge.outcomes_alike import Likeness, agrees, is_mere_crash, likeness, same_outcomes
from autograder.judge.result import Result
from autograder.judge.result_json import told_result
from autograder.judge.sieve import candidates
from autograder.judge.trials import Judged, Trial
from autograder.oracle import calls_here
from autograder.oracle.oracle import Oracle
from autograder.proof.gradings import Watched
from autograder.sandbox.job import Ending, Outcome, Sandbox, Source

ROOT = Path(__file__).parents[1]
SCALE = "np.sqrt(d_k)"  # in attention_scores of a5


@dataclass
class Desk:
    """Grades files of one assignment and counts what that takes."""

    oracle: Oracle
    sandbox: Sandbox
    monkeypatch: pytest.MonkeyPatch
    counts: dict[str, int] = field(default_factory=dict)
    jobs: int = 0

    def __post_init__(self) -> None:
        self._count(calls_here, "answer")
        self._count(outcomes_alike, "same_outcomes")
        self._count(diagnose, "likeness")

    def _count(self, module: object, name: str) -> None:
        function: Callable[..., object] = getattr(module, name)

        def counted(*args: object, **kwargs: object) -> object:
            self.counts[name] = self.counts.get(name, 0) + 1
            return function(*args, **kwargs)

        self.monkeypatch.setattr(module, name, counted)

    def grade(self, old: str, new: str, text: str = "") -> Result:
        """Grade the reference, or another text, with an edit; counts are of this grading alone."""
        text = text or self.oracle.assignment.reference
        assert text.count(old) == 1
        self.counts.clear()
        watched = Watched(self.sandbox)
        result = grade(Source.of(self.oracle.assignment.file, text.replace(old, new)), self.oracle, watched)
        self.jobs = len(watched.runs)
        assert not result.all_passed
        return result


@pytest.fixture
def desk(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Desk]:
    """Return what opens a desk for an assignment."""
    return lambda slug: Desk(Oracle(load_assignment(ROOT, slug).without_training(), 3), sandbox, monkeypatch)


@pytest.mark.slow
def test_a_recurrence_is_asked_in_one_child(desk: Callable[[str], Desk]) -> None:
    """Each step's question depends on the answer before; a child for each would import the submission as often."""
    counter = desk("a2_bptt")
    result = counter.grade("dz = dh * (1 - h_t**2)", "dz = dh * (1 - 2)")
    assert {e.name for e in result.exercises if e.score < e.max_score} == {"rnn_step_backward"}
    assert counter.jobs <= 5  # the last follows the values of the exercise itself, whose mistake has no name


@pytest.mark.slow
def test_the_next_unknown_mistake_does_not_run_the_reference(desk: Callable[[str], Desk]) -> None:
    """Callers are judged among stand-ins, and what the reference gives there depends on no student: it is found once for a class."""
    counter = desk("a5_attention")
    counter.grade(SCALE, "np.cbrt(d_k)")
    result = counter.grade(SCALE, "d_k**0.4")
    assert any(c.follows for e in result.exercises for c in e.cases)
    assert "answer" not in counter.counts


@pytest.mark.slow
def test_who_calls_otherwise_costs_the_reference_one_run_of_each_call(desk: Callable[[str], Desk]) -> None:
    """Once for each failing call that uses the wrong exercise, where stand-ins do not tell."""
    counter = desk("a5_attention")
    whole = counter.oracle.assignment.reference
    turned = whole.replace("scores = attention_scores(Q, K)", "scores = np.swapaxes(attention_scores(K, Q), -1, -2)")
    assert turned != whole
    counter.grade(SCALE, "np.cbrt(d_k)", turned)
    result = counter.grade(SCALE, "d_k**0.4", turned)
    failing = {(e.name, c.name) for e in result.exercises for c in e.cases if c.follows}
    uses = [t for t in counter.oracle.trials if "attention_scores" in counter.oracle.assignment.uses(t.case.exercise)]
    follow = [len(t.requests) for t in uses if (t.case.exercise, t.case.name) in failing]
    assert 0 < counter.counts["answer"] <= sum(follow) < 50


@pytest.mark.slow
def test_few_known_mistakes_are_compared_whole(desk: Callable[[str], Desk]) -> None:
    """Some numbers of each, compared as one array, leave out nearly all."""
    counter = desk("a5_attention")
    counter.grade(SCALE, "np.cbrt(d_k)")
    counter.grade(SCALE, "d_k**0.4")
    assert counter.counts["same_outcomes"] <= 100


@pytest.mark.slow
def test_the_same_wrong_output_is_diagnosed_once(desk: Callable[[str], Desk]) -> None:
    """Students copy, and share mistakes; each still gets all of the answer."""
    counter = desk("a5_attention")
    first = counter.grade(SCALE, "np.cbrt(d_k)")
    again = counter.grade(SCALE, "np.cbrt(d_k)  # a copy")
    assert counter.counts.keys() <= {"answer"}
    assert _without_times(again) == _without_times(first)


def _without_times(result: Result) -> object:
    told = told_result(result)
    for exercise in told["exercises"]:
        for case in exercise["cases"]:
            case["seconds"] = 0
    return told


class Noting(Oracle):
    """Notes of which mistakes answers were asked for."""

    noted: ClassVar[set[tuple[str, ...]]] = set()

    def answers(self, names: tuple[str, ...], trial: Trial) -> tuple[Outcome, ...] | None:
        """Return the answers, and note the names."""
        self.noted.add(names)
        return super().answers(names, trial)


def test_two_mistakes_are_tried_mostly_where_one_explains_a_part() -> None:
    """Two that a student made are still found; where no known one gives a number that is wrong, few are combined."""
    oracle = Noting(load_assignment(ROOT, "a5_attention").without_training(), 3)
    pair = ("backward_without_scale", "weights_without_the_mask")
    trials = oracle.trials_of("attention_backward")
    got = {trial: oracle.answers(pair, trial) or () for trial in trials}
    failed = [trial for trial in trials if not same_outcomes(trial, got[trial], oracle.expected(trial))]
    found = diagnose.diagnose(oracle, "attention_backward", got, failed)
    assert found is not None
    assert set(found.names) == set(pair)
    oracle.noted.clear()
    contexts = oracle.trials_of("similarity_context")
    wrong = {t: tuple(replace(o, value=o.value * 1.013) for o in oracle.expected(t)) for t in contexts}
    assert diagnose.diagnose(oracle, "similarity_context", wrong, contexts) is None
    assert sum(len(names) > 1 for names in oracle.noted) <= mistake_pairs.MAX_HIDDEN


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["a2_bptt", "a5_attention"])
def test_two_mistakes_at_once_are_among_the_few_that_are_tried(slug: str) -> None:
    """Whichever two of an exercise a student makes, if some case shows more than one of them alone would."""
    oracle, draw = Oracle(load_assignment(ROOT, slug).without_training(), 3), random.Random(1)
    among, tried = list[bool](), list[int]()
    for exercise in (e for e in oracle.assignment.exercises if e.name != "quiz"):
        own = [(m.name,) for m in oracle.misconceptions_of(exercise.name)]
        trials = [t for t in oracle.trials_of(exercise.name) if not t.is_large]
        for one, other in draw.sample(list(itertools.combinations(own, 2)), k=30):
            got = {t: oracle.answers(one + other, t) or () for t in trials}
            failed = tuple(t for t in trials if got[t] and not same_outcomes(t, got[t], oracle.expected(t)))
            alone = any(all(agrees(oracle, names, t, got[t]) for t in failed) for names in own)
            if not failed or alone or any(map(is_mere_crash, itertools.chain(*got.values()))):
                continue
            likely, unlikely = mistake_pairs.pairs_to_try(oracle, own, got, failed)
            among.append(one + other in likely + unlikely)
            tried.append(len(likely))
    assert len(among) > 30
    assert sum(among) >= 0.9 * len(among)
    assert sum(tried) <= 75 * len(tried)


def test_two_mistakes_are_found_in_whatever_order_a_dict_is() -> None:
    """What is wrong with gradients by name does not depend on which was written down first."""
    oracle, pair = (
        Oracle(load_assignment(ROOT, "a3_gates").without_training(), 3),
        {"tanh_prime_at_c", "biases_averaged_over_the_batch"},
    )

    def turned_round(outcome: Outcome) -> Outcome:
        *others, grads = outcome.value
        return replace(outcome, value=(*others, dict(reversed(grads.items()))))

    trials = [t for t in oracle.trials_of("lstm_step_backward") if not t.is_large]
    got = {t: tuple(map(turned_round, oracle.answers(tuple(pair), t) or ())) for t in trials}
    failed = tuple(t for t in trials if not same_outcomes(t, got[t], oracle.expected(t)))
    own = [(m.name,) for m in oracle.misconceptions_of("lstm_step_backward")]
    likely, _ = mistake_pairs.pairs_to_try(oracle, own, got, failed)
    assert pair == set(likely[0])


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["a2_bptt", "a5_attention"])
def test_what_is_left_out_would_not_have_agreed(slug: str) -> None:
    """Of all known mistakes, each taken as a student's, none is left out that comparing whole would keep."""
    oracle = Oracle(load_assignment(ROOT, slug).without_training(), 3)
    left_out = 0
    for trial in oracle.trials:
        own = [(m.name,) for m in oracle.misconceptions_of(trial.case.exercise)]
        for mine in own[::3]:
            got, right = oracle.answers(mine, trial) or (), oracle.expected(trial)
            for names in set(own) - set(candidates(oracle, own, trial, got)):
                other = oracle.answers(names, trial) or ()
                left_out += 1
                assert not same_outcomes(trial, got, other)
                assert likeness(trial, got, other, right) is Likeness.NONE
    assert left_out > 1000


def test_no_known_mistake_is_run_for_what_takes_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """They run here without a limit, on the longest arguments that there are, and none of them would end so."""
    oracle = Oracle(load_assignment(ROOT, "a10_fast_attention"), 3)
    trial = next(t for t in oracle.trials if t.case.name == "long_sequences_fit_going_back")
    monkeypatch.setattr(oracle, "answers", lambda names, _: pytest.fail(f"{names} was run"))
    judged = Judged(trial, (Outcome(Ending.MEMORY, None),), Status.MEMORY)
    assert trial.is_large
    assert diagnosis_of(oracle, "tiled_backward", [judged]) is None


def test_no_pair_of_mistakes_is_looked_for_on_long_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where shorter ones fail as well."""
    oracle = Oracle(load_assignment(ROOT, "a10_fast_attention"), 3)
    asked, answers = list[Trial](), oracle.answers

    def noted(names: tuple[str, ...], trial: Trial) -> tuple[Outcome, ...] | None:
        asked.append(trial)
        return answers(names, trial)

    monkeypatch.setattr(oracle, "answers", noted)
    trials = [t for t in oracle.trials_of("tiled_backward") if t.is_large or not t.case.weight > 1]
    wrong = {t: tuple(Outcome(Ending.RETURNED, 7.5) for _ in t.requests) for t in trials}
    own = [(m.name,) for m in oracle.misconceptions_of("tiled_backward")]
    mistake_pairs.pairs_to_try(oracle, own, wrong, tuple(trials))
    assert asked
    assert not any(trial.is_large for trial in asked)
