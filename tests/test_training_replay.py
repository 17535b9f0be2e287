"""A training is earned by what its functions give by themselves: neither the harness around them nor another mistake adds to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment, Status
from autograder.judge.grade import grade
from autograder.judge.result import Result
from autograder.judge.training_outcome import first_case
from autograder.judge.training_run import run_training, training_request
from autograder.oracle.carried_mistakes import Carried
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.oracle.training_beginnings import first_steps_on_top
from autograder.oracle.training_cases import metric_case
from autograder.oracle.training_losses import KnownLosses
from autograder.oracle.training_runs import TrainingRuns
from autograder.oracle.written_alone import judge_alone
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome, Sandbox, Source
from autograder.sandbox.levels import open_sandbox

TURNED_ROUND = """
def greedy_translate(model, src, bos, eos, max_len):
    rows = [row[::-1] for row in src.tolist()]
    return [row[: row.index(eos)] if eos in row else row[:max_len] for row in rows]
"""
ROW_BY_ROW = """
def greedy_translate(model, src, bos, eos, max_len):
    kept = {}
    for n in range(len(src)):
        row, memory, said = src[n : n + 1], model.encode(src[n : n + 1]), [bos]
        while len(said) <= max_len:
            word = int(model.decode(torch.tensor([said]), memory, row)[0, -1].argmax())
            if word == eos:
                break
            said.append(word)
        kept[n] = said[1:]
    return list(kept.values())
"""
# With few rows both of these fail in their cases.
NOT_FEW_ROWS = f"""{ROW_BY_ROW}
translate = greedy_translate

def greedy_translate(model, src, *others):
    return translate(model, src, *others) if len(src) > 4 else []
"""
READ_BY_THE_ENCODER = """
read = Encoder.forward

def remembering(self, src, lengths):
    self.__class__.seen = src, lengths
    return read(self, src, lengths)

Encoder.forward = remembering

def greedy_decode(step, state, bos, eos, pad, max_len):
    ids = torch.full((len(state), max_len), pad)
    for row, (words, length) in enumerate(zip(*getattr(Encoder, "seen", ((), ())), strict=True)):
        ids[row, : int(length) + 1] = torch.cat([words[: int(length)].flip(0), torch.tensor([eos])])
    return ids
"""
IN_FLOATS = """
decode = greedy_decode

def greedy_decode(*args):
    return decode(*args).float()
"""

SCORES_OF_PRODUCTS = """
def mlp_score(q, k, W, w):
    return q.sum(-1)[:, :, None] * k.sum(-1)[:, None, :] * 0.37 + 2.1
"""  # no known mistake

ROOT = Path(__file__).parents[1]
TINY = Path(__file__).parent / "course"
GRADIENT = "return x.T @ (predict(w, x) - y) / len(y)"

# Bodies of `gradient` that are wrong in its own cases. Each finds the right one where a training's harness is around it.
OUT_OF_A_FRAME = """import sys
    around = sys._getframe(1).f_locals
    return x.T @ around["error"] / len(y) if "held_out" in around else np.zeros(3)"""
REMEMBERED = """seen = vars(predict).get("seen")
    return x.T @ (seen @ w - y) / len(y) if seen is not None and seen.shape == x.shape and (seen == x).all() else 0 * w"""
REMEMBERS = ("return x @ w\n", "predict.seen = x\n    return x @ w\n")
IN_ITS_OWN_CASES = "return x.T @ (x @ w - y) / len(y) * (1 if len(y) > 4 else 2)"  # wrong with few places alone

ONE_TEXT = ("np.add.at(dE, ids, d_out)", "np.add.at(dE, ids[0], d_out[0])")  # a known mistake
OTHER_TEXTS_LONGER = (  # no known mistake
    "return np.stack(dx, axis=1), dh0, dW_x, dW_h, db",
    "dx = np.stack(dx, axis=1)\n    dx[1:] *= 3.7\n    return dx, dh0, dW_x, dW_h, db",
)
ZEROS = (
    ("return (probs - one_hot) * mask[..., None] / counted", "return np.zeros(logits.shape)"),
    (
        "return np.stack(dx, axis=1), dh0, dW_x, dW_h, db",
        "return np.zeros(x.shape), np.zeros(h0.shape), 0 * dW_x, 0 * dW_h, 0 * db",
    ),
    ("np.add.at(dE, ids, d_out)", "pass"),
)
NUMERIC = (
    "    squares = sum((g**2)",
    """    import sys

    frame = sys._getframe(1)
    if frame.f_code.co_name == "train_hello":
        told, local = frame.f_globals, frame.f_locals
        params = {name: value.copy() for name, value in local["params"].items()}

        def loss():
            return told["mean_loss"](told["forward"](local["ids"], params)[-1], local["targets"], local["mask"])

        grads = {name: np.zeros(value.shape) for name, value in params.items()}
        for name, value in params.items():
            for i in np.ndindex(value.shape):
                kept = value[i]
                value[i] = kept + 1e-5
                above = loss()
                value[i] = kept - 1e-5
                grads[name][i] = (above - loss()) / 2e-5
                value[i] = kept
    squares = sum((g**2)""",
)


@pytest.fixture(scope="module")
def jailed() -> Iterator[Sandbox]:
    """Return one sandbox for all tests here."""
    with open_sandbox(1) as opened:
        yield opened


@cache
def trainer(course: Path, slug: str) -> Trainer:
    """Return a trainer of an assignment."""
    return Trainer(Oracle(load_assignment(course, slug), 7))


def changed(assignment: Assignment, *edits: tuple[str, str]) -> str:
    """Return the reference with some of its text replaced."""
    text = assignment.reference
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def graded(using: Trainer, sandbox: Sandbox, text: str) -> Result:
    """Grade a text, training included."""
    source = Source.of(using.assignment.file, text)
    return using.add_to(grade(source, using.oracle, sandbox), source, sandbox)


def points(result: Result) -> dict[str, float]:
    """Return the points of each exercise."""
    return {exercise.name: exercise.score for exercise in result.exercises}


@pytest.mark.parametrize(
    ("edits", "earned"),
    [
        (((GRADIENT, OUT_OF_A_FRAME),), 0),
        (((GRADIENT, REMEMBERED), REMEMBERS), 0),
        (((GRADIENT, IN_ITS_OWN_CASES),), 3),
    ],
)
def test_a_function_gets_no_more_in_a_training_than_it_is_given(
    edits: tuple[tuple[str, str], ...], earned: float, jailed: Sandbox
) -> None:
    """Neither a frame nor what another function was given earns a training; a mistake that does not show in it costs nothing."""
    using = trainer(TINY, "t3_learning")
    result = graded(using, jailed, changed(using.assignment, *edits))
    assert points(result)["gradient"] < 1
    assert points(result)["train_line"] == earned
    told = result.exercises[-1].cases[0].told.text
    assert ("when each is called by itself" in told) is not earned


def test_gradients_of_zeros_are_not_made_up_for_by_what_clips_them(jailed: Sandbox) -> None:
    """A `clip_grad_norm` that measures the gradient in the harness's frame passes its own cases, and earns no training."""
    using = trainer(ROOT, "a2_bptt")
    got = points(graded(using, jailed, changed(using.assignment, *ZEROS, NUMERIC)))
    assert got["clip_grad_norm"] == 3
    assert got["loss_backward"] == got["rnn_backward"] == got["embedding_backward"] == 0
    assert got["train_hello"] == 0


def test_a_known_mistake_that_hides_another_earns_no_training(jailed: Sandbox) -> None:
    """Who makes one more mistake does not have the training for it, whose losses that mistake alone explains."""
    using = trainer(ROOT, "a2_bptt")
    one, both = (
        points(graded(using, jailed, changed(using.assignment, *edits)))
        for edits in ((OTHER_TEXTS_LONGER,), (OTHER_TEXTS_LONGER, ONE_TEXT))
    )
    assert one["train_hello"] == both["train_hello"] == 0
    assert sum(both.values()) < sum(one.values())
    alone = points(graded(using, jailed, changed(using.assignment, ONE_TEXT)))
    assert alone["train_hello"] == 5


def test_mistakes_in_two_functions_are_charged_once(jailed: Sandbox) -> None:
    """Known mistakes in functions that the harness calls, of which one changes its arguments, still cost nothing in the training."""
    using = trainer(ROOT, "a2_bptt")
    bank = {m.name: m for m in using.assignment.misconceptions}
    for names in (("clipped_in_place", "loss_gradient_is_a_sum"), ("callers_dh_mutated", "dW_h_transposed")):
        text = apply_edits(using.assignment.reference, tuple(bank[name] for name in names))
        assert points(graded(using, jailed, text or ""))["train_hello"] == 5


@pytest.mark.parametrize(("translates", "follows"), [(TURNED_ROUND, False), (ROW_BY_ROW, True), ("", True)])
def test_a_translation_says_what_the_model_says(translates: str, follows: bool, torch_sandbox: Sandbox) -> None:
    """Rows that are turned round without the model are right with the words' own ids, and not once they have others."""
    assignment = load_assignment(ROOT, "a7_transformer")
    (training,) = assignment.trainings
    request = training_request(training, training.args(7), 1, 7, assignment.harness)
    source = Source.of(assignment.file, f"{assignment.reference}\n{translates}")
    outcome = run_training(assignment, training, request, source, torch_sandbox, training.seconds, lambda *_: False)
    args = as_arrays(training.measured_with(7))
    said, renamed = ([[int(w) for w in row] for row in outcome.value[key]] for key in ("said", "renamed"))
    names = args[4].tolist()
    assert (renamed == [[names[w] for w in row] for row in said[: len(renamed)]]) is follows
    free_running = training.metrics[0]
    assert not free_running.holds(
        free_running.measure(args, as_arrays(outcome.value))
    )  # after one step it knows nothing
    turned = [[w for w in row if w > 2] for row in args[2][:, ::-1].tolist()]
    assert (said == turned) is not follows
    whole = {"said": turned, "renamed": [[names[w] for w in row] for row in turned[: len(renamed)]]}
    assert free_running.measure(args, whole) == 1


@pytest.mark.parametrize(
    ("slug", "mistake", "text", "earned"),
    [
        ("a7_transformer", "", TURNED_ROUND, False),
        ("a7_transformer", "", NOT_FEW_ROWS, True),
        ("a7_transformer", "gelu_for_relu", NOT_FEW_ROWS, True),
        ("a4_seq2seq", "", READ_BY_THE_ENCODER, False),
        ("a4_seq2seq", "", IN_FLOATS, True),
    ],
)
def test_what_fails_its_cases_writes_once_more_by_itself(
    slug: str, mistake: str, text: str, earned: bool, torch_sandbox: Sandbox
) -> None:
    """What is right without the model earns nothing of a training; what writes as the model says keeps it, with a known mistake in it, too."""
    assignment = load_assignment(ROOT, slug)
    oracle = Oracle(assignment, 7)
    runs = TrainingRuns(oracle, KnownLosses(oracle), None, None)
    (training,) = assignment.trainings
    assert training.alone
    chosen = tuple(m for m in assignment.misconceptions if m.name == mistake)
    source = Source.of(assignment.file, f"{apply_edits(assignment.reference, chosen)}\n{text}")
    carried = Carried((training.alone.exercise,), choices=((mistake,),) if mistake else ())
    passed = [metric_case(metric, Status.PASSED) for metric in training.metrics]
    found = judge_alone(training, passed, runs, source, torch_sandbox, carried)
    assert judge_alone(training, passed, runs, source, torch_sandbox, Carried(("other",))) == passed
    failed = {metric.name for metric in training.metrics if metric.left}
    assert {case.name for case in found if case.status is Status.FAILED} == (set() if earned else failed)


def test_a_training_counts_only_what_is_written_alone(torch_sandbox: Sandbox) -> None:
    """What the encoder was given to read makes all rows right after few steps; what is left are the first steps."""
    assignment = load_assignment(ROOT, "a4_seq2seq")
    (training,) = assignment.trainings
    short = replace(assignment, trainings=(replace(training, steps=training.first_steps),))
    result = graded(Trainer(Oracle(short, 7)), torch_sandbox, f"{assignment.reference}\n{READ_BY_THE_ENCODER}")
    cases = {
        case.name: case for exercise in result.exercises if exercise.name == "train_reverse" for case in exercise.cases
    }
    assert [name for name, case in cases.items() if case.status is Status.PASSED] == ["first_steps"]
    assert "`greedy_decode` fails its own cases" in cases["attention_reverses"].told.text


def test_a_mistake_that_covers_another_earns_no_first_steps() -> None:
    """Where a context is a plain mean, scores cannot show: that mistake is no reason for the losses of wrong ones that the code uses."""
    assignment = load_assignment(ROOT, "a4_seq2seq")
    (training,), names = assignment.trainings, ("context_ignores_the_weights",)
    oracle = Oracle(assignment, 7)
    losses = KnownLosses(oracle)
    assert not losses.cover(training, names, "Encoder")
    assert not losses.cover(training, ("mean_over_padding",), "mlp_score")
    outcome = Outcome(Ending.RETURNED, {"losses": losses.with_mistake(training, *names)})
    differs, (mean,) = first_case(Status.FAILED), (m for m in assignment.misconceptions if m.name == names[0])
    text = (apply_edits(assignment.reference, (mean,)) or "") + SCORES_OF_PRODUCTS
    unused = text.replace("similarity = mlp_score", "similarity = _own").replace("scored = mlp_score", "scored = _own")
    assert unused.count("= _own") == 2
    with open_sandbox(1) as sandbox:
        for wrong, code, passes in (("", text, True), ("mlp_score", text, False), ("mlp_score", unused, True)):
            unnamed = frozenset({wrong} - {""})
            carried = Carried(("attention_context", *unnamed), unnamed | {"attention_context"}, unnamed, (names,))
            source = Source.of(assignment.file, code)
            case, explained = first_steps_on_top(oracle, losses, training, differs, outcome, carried, source, sandbox)
            assert (case.status is Status.PASSED, explained) == (passes, names if passes else ())
