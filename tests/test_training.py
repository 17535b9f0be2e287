"""Training runs: what is asked of the first steps and of the whole run, and what a cut or cheating run keeps."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Drawn, Status, Visibility
from autograder.judge.grade import grade
from autograder.judge.picture import LEVELS, TOLD, Curve, Lines, _rough
from autograder.judge.reason_sentences import TOO_GOOD
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.judge.training_outcome import HOPELESS, Opening
from autograder.oracle.carried_mistakes import Carried, carried_by
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.oracle.training_losses import KnownLosses
from autograder.sandbox.child import tensors_made
from autograder.sandbox.job import Chunk, Isolation, Job, JobResult, Sandbox, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.process import ProcessSandbox

PREDICT = "return x @ w\n"


class Counting:
    """A sandbox that counts the jobs it passes on."""

    def __init__(self, inner: Sandbox) -> None:
        self.inner, self.jobs = inner, 0

    @property
    def isolation(self) -> Isolation:
        """The inner one's."""
        return self.inner.isolation

    def run(self, job: Job) -> JobResult:
        """Count and pass on."""
        self.jobs += 1
        return self.inner.run(job)

    def close(self) -> None:
        """Close the inner one."""
        self.inner.close()


@pytest.fixture(scope="module")
def line(course: Path) -> Assignment:
    """Return the assignment whose line learns."""
    return load_assignment(course, "t3_learning")


@pytest.fixture(scope="module", params=["jailed", "plain"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Counting]:
    """Return both kinds of sandbox."""
    opened = Counting(open_sandbox(1) if request.param == "jailed" else ProcessSandbox())
    yield opened
    opened.close()


@pytest.fixture
def trainer(line: Assignment) -> Trainer:
    """Return a trainer that has seen nobody."""
    return Trainer(Oracle(line, 5))


def run(trainer: Trainer, sandbox: Sandbox, text: str) -> Result:
    """Grade a text, training included."""
    source = Source("line", (Chunk("line.py", text),))
    result = grade(source, Oracle(trainer.assignment, 5), sandbox)
    return trainer.add_to(result, source, sandbox)


def trained(trainer: Trainer, sandbox: Sandbox, text: str) -> ExerciseResult:
    """Return the training exercise of a graded text."""
    return run(trainer, sandbox, text).exercises[-1]


def written(line: Assignment, body: str) -> str:
    """Return the reference with another body of predict."""
    return line.reference.replace(PREDICT, body.replace("\n", "\n    ") + "\n")


def test_what_learns_gets_all_points_and_a_curve(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """The exercise stands where the assignment has it; the curves are the run's and the reference's."""
    result = run(trainer, sandbox, line.reference)
    assert [(e.name, e.score) for e in result.exercises] == [("predict", 1), ("gradient", 1), ("train_line", 3)]
    picture = result.exercises[-1].cases[0].picture
    assert isinstance(picture, Lines)
    (_, mine), (_, reference) = picture.curves
    assert len(reference) == 200
    assert (mine[0][0], mine[-1][0]) == (1, 200)
    assert mine[-1][1] < mine[0][1] / 50
    for step, loss in mine:
        assert math.isclose(math.log(loss), math.log(reference[int(step) - 1][1]), abs_tol=0.6)


def test_a_statement_that_never_ends_is_left_out_of_a_training_too(line: Assignment, sandbox: Counting) -> None:
    """Such as a loop at the bottom of the file, as it is of the cases."""
    hurried = Trainer(Oracle(replace(line, limits=replace(line.limits, import_seconds=1.0)), 5))
    result = run(hurried, sandbox, f"{line.reference}\n\nwhile True:\n    pass\n")
    assert [(e.name, e.score) for e in result.exercises] == [("predict", 1), ("gradient", 1), ("train_line", 3)]
    assert "was stopped" in result.notes[0]


def test_the_same_code_is_trained_once(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """A second copy costs the ordinary cases only."""
    first = run(trainer, sandbox, line.reference)
    before = sandbox.jobs
    assert run(trainer, sandbox, line.reference).exercises[-1] == first.exercises[-1]
    assert sandbox.jobs == before + 1


def test_twins_at_the_same_time_are_trained_once(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """The second waits for the first."""
    source = Source("line", (Chunk("line.py", line.reference),))
    result = grade(source, trainer.oracle, sandbox)
    before = sandbox.jobs
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda _: trainer.add_to(result, source, sandbox), range(2))
    assert one == other
    assert sandbox.jobs == before + 2


def test_a_twin_reads_the_name_of_nobody_else_s_file(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """The same code under two names is trained once, and told of under the name that was handed out.

    The second job is the reference's: had that broken off as well, the machine would be to blame.
    """
    text, jobs = written(line, "return 1 / 0"), []
    for label in ("ada.py", "bob.py"):
        source = Source(label.removesuffix(".py"), (Chunk(label, text),))
        graded = grade(source, trainer.oracle, sandbox)
        before = sandbox.jobs
        result = trainer.add_to(graded, source, sandbox)
        assert "line.py, line 9" in result.exercises[-1].cases[0].message
        jobs.append(sandbox.jobs - before)
    assert jobs == [2, 0]


def test_a_twin_of_what_was_cut_gets_a_run_of_its_own(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """That a run was too slow may be the machine's doing."""
    short = replace(line, trainings=(replace(line.trainings[0], seconds=0.2),))
    text = written(line, "while True:\n    pass")
    slow, source = Trainer(Oracle(short, 5)), Source("line", (Chunk("line.py", text),))
    result = grade(Source("line", (Chunk("line.py", line.reference),)), slow.oracle, sandbox)
    slow.reference_curve(short.trainings[0], sandbox)
    for _ in range(2):
        before = sandbox.jobs
        assert slow.add_to(result, source, sandbox).exercises[-1].cases[0].status is Status.TIMEOUT
        assert sandbox.jobs == before + 2


def test_wrong_first_steps_say_where_and_spare_the_run(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """The gradient points uphill: the first loss is right and the second is not."""
    (training,) = line.trainings
    trainer.reference_curve(training, sandbox)
    before = sandbox.jobs
    source = Source.of("line.py", line.reference.replace("(predict(w, x) - y)", "(y - predict(w, x))"))
    exercise = trainer.train(training, source, sandbox, Carried(("gradient",)))  # not named by its cases
    first, metric = exercise.cases
    assert first.status is Status.FAILED
    assert first.message.startswith("At step 2 the loss is ")
    assert first.message.endswith("how they are used.\n`gradient` is used here and not right yet; mend it first.")
    assert (first.diagnosis, first.says) == ("uphill", line.misconceptions[1].says)
    assert (metric.status, metric.message) == (Status.SKIPPED, "Not measured: the first steps already differ.")
    assert sandbox.jobs == before + 1
    assert exercise.score == 0


def test_what_is_right_is_run_once(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """A short run before the long one would be for nothing."""
    trainer.reference_curve(line.trainings[0], sandbox)
    before = sandbox.jobs
    exercise = trained(trainer, sandbox, f"{line.reference}# mine\n")
    assert all(case.status is Status.PASSED for case in exercise.cases)
    assert sandbox.jobs == before + 2  # the cases, and the long run


@pytest.mark.parametrize(("factor", "seconds", "stops"), [(1.0, 5.0, False), (1.1, 5.0, True), (1.0, 1e-9, True)])
def test_a_long_run_is_stopped_after_its_first_steps(
    line: Assignment, trainer: Trainer, factor: float, seconds: float, stops: bool
) -> None:
    """Where they differ, and where the rest would take far too long."""
    training = replace(line.trainings[0], seconds=seconds)
    expected = trainer.losses.first(training)
    opening = Opening(training, expected)
    asked = [opening(factor * loss) for loss in expected]
    assert asked == [False] * (training.first_steps - 1) + [stops]


def test_what_comes_before_the_first_step_is_no_slow_step(line: Assignment, trainer: Trainer) -> None:
    """On a busy machine a process may take longer to begin than all steps that are allowed."""
    training = replace(line.trainings[0], seconds=0.25)
    expected = trainer.losses.first(training)
    opening = Opening(training, expected)
    time.sleep(HOPELESS * training.seconds * training.first_steps / training.steps + 0.01)
    assert [opening(loss) for loss in expected] == [False] * training.first_steps


@pytest.mark.parametrize(("factor", "says"), [("(1 + 2 * (len(y) == 32)) *", TOO_GOOD), ("3 *", ""), ("0.5 *", "")])
def test_unknown_first_losses_have_no_name(
    line: Assignment, trainer: Trainer, sandbox: Counting, factor: str, says: str
) -> None:
    """But a loss that falls faster than it should is said to be too good, unless a wrong exercise may be why."""
    exercise = trained(trainer, sandbox, line.reference.replace("return x.T @", f"return {factor} x.T @"))
    assert exercise.cases[0].status is Status.FAILED
    assert (exercise.cases[0].diagnosis, exercise.cases[0].says) == ("", says)


@pytest.mark.parametrize("number", ["nan", "inf"])
def test_a_loss_that_is_no_number_is_told_as_one(
    line: Assignment, trainer: Trainer, sandbox: Counting, number: str
) -> None:
    """A run that diverges is no crash: students read at which step it did, also where only the whole run does."""
    for calls, statuses in {6: [Status.FAILED, Status.SKIPPED], 100: [Status.PASSED, Status.FAILED]}.items():
        body = f"calls.append(1)\nreturn x @ w + (np.{number} if len(calls) > {calls} else 0)"
        first, metric = trained(trainer, sandbox, written(line, body) + "\n\ncalls = []\n").cases
        assert [first.status, metric.status] == statuses
        if calls == 6:
            assert first.message.startswith("At step 4 the loss is no number any more, but NaN or infinite.")
        else:  # without the step, which is the student's own word
            assert metric.message.startswith("In the course of the run your loss becomes NaN or infinite.")


def test_what_breaks_after_the_first_steps_is_measured(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """A run that stops learning keeps the points of its first steps, and reads what the symptom means."""
    body = "global calls\ncalls += 1\nreturn x @ w + (calls > 100)"
    exercise = trained(trainer, sandbox, written(line, body) + "\n\ncalls = 0\n")
    assert [case.status for case in exercise.cases] == [Status.PASSED, Status.FAILED]
    assert exercise.cases[1].message.startswith("Held out error: ")
    assert "at most" not in exercise.cases[1].message
    assert exercise.cases[1].message.endswith("It has not learned: follow the loss from step to step.")
    assert exercise.score == 1.5


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return x @ w + (len(x) == 8)", "The losses are right; what is left is what reads the places."),
        ("calls.append(1)\nreturn x @ w + (len(calls) > 100)", "follow the loss from step to step."),
    ],
    ids=["learns", "stops learning"],
)
def test_what_passed_says_what_is_left(line: Assignment, sandbox: Counting, body: str, says: str) -> None:
    """Where the losses fell as the reference's did, no advice on learning is given."""
    (training,) = line.trainings
    left = "The losses are right; what is left is what reads the places."
    metrics = tuple(replace(metric, left=left) for metric in training.metrics)
    telling = Trainer(Oracle(replace(line, trainings=(replace(training, metrics=metrics),)), 5))
    metric = trained(telling, sandbox, written(line, body) + "\n\ncalls = []\n").cases[1]
    assert metric.status is Status.FAILED
    assert metric.message.endswith(says)


def test_what_is_too_good_fails_as_a_leak(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """Whoever knows the true line is told that nobody can."""
    body = "return x @ (np.array([1.0, -2.0, 0.5]) if len(x) == 8 else w)"
    message = trained(trainer, sandbox, written(line, body)).cases[1].message
    assert message.endswith("That is too good: the noise alone costs more, so it has seen the answers.")


def test_a_run_that_is_cut_keeps_its_first_steps(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """It is stopped at its own limit, and the curve up to there is kept."""
    body = "global calls\ncalls += 1\nwhile calls > 100:\n    pass\nreturn x @ w"
    exercise = trained(trainer, sandbox, written(line, body) + "\n\ncalls = 0\n")
    first, metric = exercise.cases
    assert first.status is Status.PASSED
    assert metric.status is Status.TIMEOUT
    assert metric.message == "It was not done within 5 s and was stopped. It had done 50 of 200 steps."
    assert isinstance(first.picture, Lines)
    assert [step for step, _ in first.picture.curves[0][1]] == [1, 21, 41]


@pytest.mark.parametrize("wrong_elsewhere", [False, True])
@pytest.mark.parametrize(("end", "status"), [("while True: pass", Status.TIMEOUT), ("return 1 / 0", Status.CRASHED)])
def test_what_comes_after_the_last_step_costs_no_first_steps(
    line: Assignment, trainer: Trainer, sandbox: Counting, end: str, status: Status, *, wrong_elsewhere: bool
) -> None:
    """A short run has such an end as well, so the losses that it told are what its first steps came to; no long one is made for it."""
    text = written(line, f"if len(x) == 8:\n    {end}\nreturn x @ w")
    source = Source("line", (Chunk("line.py", text),))
    carried = Carried(("gradient",), frozenset({"gradient"}), frozenset({"gradient"})) if wrong_elsewhere else Carried()
    training = line.trainings[0]
    trainer.reference_curve(training, sandbox)
    before = sandbox.jobs
    first, metric = trainer.train(training, source, sandbox, carried).cases
    assert (first.status, metric.status) == (Status.PASSED, status)
    steps = 20 if wrong_elsewhere else 200
    assert metric.message.startswith(f"A run of {steps} steps did them all; what comes after the last one")
    assert sandbox.jobs <= before + 1 + 2 * wrong_elsewhere  # where the functions are asked one by one


def test_a_slow_machine_has_more_time(line: Assignment, sandbox: Counting) -> None:
    """A run may take many times what the reference took here, if that is more than its limit."""
    slow = replace(line, trainings=(replace(line.trainings[0], seconds=1.0),))
    training = slow.trainings[0]
    body = "import time\nend = time.process_time() + 0.02\nwhile time.process_time() < end: pass\nreturn x @ w"
    source = Source("line", (Chunk("line.py", written(line, body)),))
    quick, patient = Trainer(Oracle(slow, 5)), Trainer(Oracle(slow, 5))
    reference = patient._runs.of_reference(training, sandbox)
    patient._runs._references[(training.exercise,)] = replace(reference, seconds=1.0)
    statuses = [
        [case.status for case in trainer.train(training, source, sandbox).cases] for trainer in (quick, patient)
    ]
    assert statuses == [[Status.PASSED, Status.TIMEOUT], [Status.PASSED, Status.PASSED]]


def test_a_hopeless_run_is_spared(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """Right but slow code keeps its first steps, and hears what the whole run would take."""
    body = "import time\nend = time.process_time() + 0.06\nwhile time.process_time() < end: pass\nreturn x @ w"
    exercise = trained(trainer, sandbox, written(line, body))
    first, metric = exercise.cases
    assert (first.status, metric.status) == (Status.PASSED, Status.TIMEOUT)
    assert "All 200 would take" in metric.message
    assert "5 s are allowed, so the run was not made" in metric.message


def test_mixed_devices_are_explained_from_what_a_child_read(
    line: Assignment, trainer: Trainer, sandbox: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever raises torch's words for it cannot have the grader parse a source that is made to bring parsers down."""
    monkeypatch.setattr(tensors_made, "read", None)
    body = (
        'torch = np\nmade = lambda: torch.zeros(3)\nraise RuntimeError("Expected all tensors to be on the same device")'
    )
    first, _ = trained(trainer, sandbox, written(line, body)).cases
    assert (
        "`torch.zeros(3)` is made on the CPU, and its inputs may be on a GPU; say device=w.device."
        in first.told.headline
    )
    assert "RuntimeError" in first.told.details


LIARS = {
    "no dict": "raise SystemExit",
    "a loss that is an array": "return np.zeros(3)",
    "an exception": "return 1 / 0",
    "a tensor of another size": "return np.cos(x) + 3",
}


@pytest.mark.parametrize("body", LIARS.values(), ids=LIARS)
def test_runs_that_come_to_nothing_say_why(line: Assignment, trainer: Trainer, sandbox: Counting, body: str) -> None:
    """Whatever the code does, the first steps have a status and a message."""
    first, metric = trained(trainer, sandbox, written(line, body)).cases
    assert first.status in (Status.CRASHED, Status.FAILED)
    assert first.message
    assert metric.status is Status.SKIPPED
    broke_off = first.status is Status.CRASHED
    why = "it broke off in its first steps" if broke_off else "the first steps already differ"
    assert metric.message == f"Not measured: {why}."


def test_only_what_is_used_is_to_be_mended_first(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """Three at the most, and nothing that the training does not run."""
    assert line.uses("train_line") == ("predict", "gradient")
    (training,) = line.trainings
    source = Source("line", (Chunk("line.py", line.reference.replace("return x.T @", "return 0.5 * x.T @")),))
    names = ("unused", "predict", "quiz", "gradient")
    failing = [ExerciseResult(n, 0, 1, (CaseResult("one", "", Visibility.PUBLIC, Status.FAILED),)) for n in names]
    carried = carried_by(trainer.oracle, training, Result(line.slug, tuple(failing)))
    assert carried == Carried(("predict", "gradient"), *[frozenset({"predict", "gradient"})] * 2)
    first = trainer.train(training, source, sandbox, carried).cases[0]
    assert first.message.endswith("\n`predict` and `gradient` are used here and not right yet; mend them first.")


def test_no_text_of_an_exception_reaches_students(trainer: Trainer, sandbox: Counting, line: Assignment) -> None:
    """It could hold the places that are held out."""
    body = "if len(x) == 8:\n    raise ValueError(f'{x.flat[0]:.6f}')\nreturn x @ w"
    message = trained(trainer, sandbox, written(line, body)).cases[1].message
    assert "\nValueError\n  line.py, line " in message
    assert message.endswith("\nRun training.py to read all of it.")
    assert f"{training_inputs(trainer).flat[0]:.6f}" not in message


def test_a_crash_is_told_by_its_reason(trainer: Trainer, sandbox: Counting, line: Assignment) -> None:
    """Before its type and line, in a sentence that holds no shape of hidden data; also where only the long run crashes."""
    shapes = "Two shapes do not fit here."
    first = trained(trainer, sandbox, written(line, "return x @ w + np.zeros(5)")).cases[0]
    assert first.told.headline.startswith(shapes)
    assert first.told.details.startswith("ValueError\n  line.py, line 9, in predict\n")
    assert "(32" not in first.message
    late = "calls.append(1)\nreturn x @ w + np.zeros(5 if len(calls) > 100 else len(x))"
    metric = trained(trainer, sandbox, written(line, late) + "\n\ncalls = []\n").cases[1]
    assert metric.status is Status.CRASHED
    assert metric.told.headline.startswith(shapes)


def training_inputs(trainer: Trainer) -> np.ndarray:
    """Return the places that are held out."""
    (training,) = trainer.assignment.trainings
    held_out: np.ndarray = training.args(5)[-1]
    return held_out


def test_a_curve_tells_nothing_of_hidden_inputs(trainer: Trainer, sandbox: Counting, line: Assignment) -> None:
    """Whatever a submission reports, a few levels at the reference's steps are drawn."""
    body = (
        "import sys\nreport = sys._getframe(1).f_locals.get('report', print)\n"
        "if len(x) == 8:\n    for step in range(200):\n        report(step, float(abs(x).flat[step % x.size]) + 10)\n"
        "    report(123456789, 1.0)\nreturn x @ w"
    )
    picture = trained(trainer, sandbox, written(line, body)).cases[0].picture
    assert isinstance(picture, Lines)
    (_, mine), (_, reference) = picture.curves
    assert len(mine) <= TOLD + 1
    assert {step for step, _ in mine} <= {step for step, _ in reference}
    assert all(any(math.isclose(loss, level, rel_tol=1e-2) for level in levels(reference)) for _, loss in mine)


def levels(reference: Curve) -> set[float]:
    """Return every loss that a submission's curve may show."""
    found = {rough for k in range(-500, 500) for _, rough in _rough(((1, math.exp(k / 20)),), reference)}
    assert len(found) == LEVELS
    return found


def test_what_cannot_be_imported_is_not_trained(trainer: Trainer, sandbox: Counting) -> None:
    """Every case has that one reason."""
    exercise = trained(trainer, sandbox, "def predict(:\n")
    assert {(c.status, c.message) for c in exercise.cases} == {(Status.CRASHED, "The file could not be imported.")}


def test_progress_is_heard_while_it_runs(line: Assignment, sandbox: Counting) -> None:
    """Whoever waits sees the steps."""
    heard: list[tuple[str, int, int]] = []
    watched = Trainer(Oracle(line, 5), lambda exercise, step, steps, *_: heard.append((exercise, step, steps)))
    trained(watched, sandbox, line.reference)
    assert heard[-200:] == [("train_line", step, 200) for step in range(200)]


def test_forged_progress_counts_for_nothing(line: Assignment, trainer: Trainer, sandbox: Counting) -> None:
    """What a submission makes of the reports changes its own curve at most."""
    body = "import sys\nreport = sys._getframe(1).f_locals.get('report', print)\nfor _ in range(3):\n    report(7, 0.0)\nreturn x @ w"
    exercise = trained(trainer, sandbox, written(line, body))
    assert exercise.score == 3
    picture = exercise.cases[0].picture
    assert isinstance(picture, Lines)
    assert len(picture.curves[0][1]) <= TOLD + 1


def test_what_a_run_says_of_itself_counts_for_nothing() -> None:
    """A network that has not learned spells nothing, whatever losses and letters its run claims."""
    (training,) = load_assignment(Path(__file__).parents[1], "a2_bptt").trainings
    args = training.args(0)
    claimed = {"losses": [0.0], "said": [0, 2, 2, 3], "params": args[0]}
    assert [metric.low <= metric.measure(args, claimed) <= metric.high for metric in training.metrics] == [False, False]


def test_a_secret_reaches_metrics_and_nothing_else(line: Assignment, sandbox: Sandbox) -> None:
    """What is drawn as `Drawn(args, secret)` stands behind the arguments of a metric, and in no call of the harness."""
    (training,) = line.trainings
    seen: list[Any] = []

    def draw(rng: np.random.Generator) -> Drawn:
        return Drawn(cast("tuple[Any, ...]", training.draw(rng)), "the held-out targets")

    def spying(args: tuple[Any, ...], value: Any) -> float:
        seen.append(args[-1])
        return metric.measure(args[:-1], value)

    metric = training.metrics[0]
    drawn = replace(training, draw=draw, metrics=(replace(metric, measure=spying),))
    oracle = Oracle(replace(line, trainings=(drawn,)), 5)
    result = Trainer(oracle).train(drawn, Source.of("line.py", line.reference), sandbox)
    assert [case.status for case in result.cases] == [Status.PASSED, Status.PASSED]
    assert set(seen) == {"the held-out targets"}
    assert drawn.args(5)[1].tolist() == training.args(5)[1].tolist()
    assert not any(isinstance(argument, str) for argument in KnownLosses(oracle).request(drawn, 2).args)
