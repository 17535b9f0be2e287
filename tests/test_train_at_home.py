"""Training at home: the verdict of grading on the first steps, where losses part, and what a handout knows of it."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_device import edit, elsewhere
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Status
from autograder.handout.home_trainings import home_file, home_trainings
from autograder.handout.kit import device_at_home
from autograder.handout.kit.bundle import BundleError
from autograder.handout.kit.loss_chart import chart, losses_picture
from autograder.handout.kit.self_check import check
from autograder.handout.kit.train_at_home import WHOLE_RUN, Progress, suspects, tell_suspects, train_at_home
from autograder.handout.kit.trainings import TRAININGS, HomeTraining, read_trainings, trainings_file
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.result import ExerciseResult
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.child.device import device_of_words
from autograder.sandbox.job import Source
from autograder.sandbox.process import ProcessSandbox

assert elsewhere  # a fixture

UPHILL = ("(predict(w, x) - y)", "(y - predict(w, x))")
TOO_LARGE = ("return x.T @", "return 1.5 * x.T @")


@pytest.fixture(scope="module")
def line(course: Path) -> Assignment:
    """Return the assignment whose line learns."""
    return load_assignment(course, "t3_learning")


@pytest.fixture(scope="module")
def home(line: Assignment) -> HomeTraining:
    """Return its training."""
    (found,) = home_trainings(public_oracle(line))
    return found


def trained(line: Assignment, home: HomeTraining, text: str, *, long: bool = False) -> ExerciseResult:
    """Return what a text comes to at home."""
    source, bundle = Source.of(line.file, text), public_bundle(public_oracle(line))
    (exercise,) = train_at_home(source, bundle.assignment, check(source, bundle), (home,), "cpu", long=long)
    return exercise


@pytest.mark.parametrize("change", [None, UPHILL, TOO_LARGE, ("return x @ w\n", "return x @ w / 0\n")])
def test_the_first_steps_have_the_verdict_of_grading(
    line: Assignment, home: HomeTraining, change: tuple[str, str] | None
) -> None:
    """On the same seed the status is the same, and what is told first where all exercises pass; else that says which does not."""
    text = line.reference.replace(*change) if change else line.reference
    own = trained(line, home, text).cases[0]
    with ProcessSandbox() as sandbox:
        graded = Trainer(Oracle(line, 0)).train(line.trainings[0], Source.of(line.file, text), sandbox).cases[0]
    assert own.status is graded.status
    if change is not None:
        exercise = "predict" if "x @ w" in change[0] else "gradient"
        assert own.message.startswith(f"`{exercise}` ")
        assert "used here and not right yet; mend " in own.lead


def test_what_is_right_gets_the_points_of_its_first_steps_and_a_whole_run(line: Assignment, home: HomeTraining) -> None:
    """The whole run gives none, since what grading measures of it is not public."""
    first, whole = trained(line, home, line.reference, long=True).cases
    assert (first.status, whole.status, whole.name) == (Status.PASSED, Status.PASSED, WHOLE_RUN)
    assert whole.picture is not None
    assert (home.points, home.all_points) == (1.5, 3)


def test_a_run_that_stops_learning_is_told_where(line: Assignment, home: HomeTraining) -> None:
    """Its first steps are right, and the reference goes on where it does not."""
    body = "global calls\n    calls += 1\n    return x @ w + (calls > 100)\n"
    text = line.reference.replace("return x @ w\n", body) + "\n\ncalls = 0\n"
    first, whole = trained(line, home, text, long=True).cases
    assert (first.status, whole.status) == (Status.PASSED, Status.FAILED)
    step = int(whole.message.rpartition("at about step ")[2].rstrip("."))
    assert 40 < step < 60  # predict is called twice a step, so at the 50th


def test_what_comes_after_the_last_step_costs_no_first_steps(line: Assignment, home: HomeTraining) -> None:
    """As in grading: the steps are right, and what ends the run afterwards is told beside them."""
    text = line.reference.replace("return x @ w\n", "return x @ w if len(x) != 8 else 1 / 0\n")
    (first,) = trained(line, home, text).cases
    assert first.status is Status.PASSED
    assert first.message.startswith("A run of 20 steps did them all; what comes after the last one")
    assert "ZeroDivisionError" in first.message


def test_a_run_whose_loss_ends_as_no_number_is_told_where(line: Assignment, home: HomeTraining) -> None:
    """NaN is near nothing, so the step is that of the first one."""
    body = "global calls\n    calls += 1\n    return x @ w + (np.nan if calls > 100 else 0.0)\n"
    text = line.reference.replace("return x @ w\n", body) + "\n\ncalls = 0\n"
    _, whole = trained(line, home, text, long=True).cases
    assert whole.status is Status.FAILED
    assert "At step 51 the loss is no number any more, but NaN or infinite." in whole.message


def test_the_step_that_differs_names_what_it_depends_on(home: HomeTraining) -> None:
    """The first loss depends on the forward pass alone; later ones on the gradient, and of it the wrong part comes first."""
    assert home.shows() == ((), ("gradient",))  # the line begins at zero, where no mistake in predict shows
    home = replace(home, shows=lambda: (("predict",), ("gradient",)))
    assert suspects(0, home).open == ("predict",)
    later = suspects(3, home)
    assert (later.forward_is_right, later.open) == (("predict",), ("gradient",))
    assert tell_suspects(later) == (
        "The first loss depends on `predict` and is right, so look at the way back. "
        "The step that differs depends on `gradient`: look there first."
    )


def test_a_wrong_exercise_comes_before_any_loss(line: Assignment, home: HomeTraining) -> None:
    """Grading judges the losses on top of a known mistake, which home cannot know; so it judges none, but says where they part."""
    first = trained(line, home, line.reference.replace(*UPHILL)).cases[0]
    assert first.lead == "`gradient` is used here and not right yet; mend it first."
    assert "once, in the exercise where it is made" in first.message
    assert "The losses part at step 2, " in first.message
    assert "The step that differs depends on `gradient`: look there first." in first.message
    assert first.picture is not None


def test_losses_that_differ_where_all_exercises_pass_are_told_as_in_grading(
    line: Assignment, home: HomeTraining
) -> None:
    """The cases see nothing of what is wrong after the second call, and the losses do."""
    body = "global calls\n    calls += 1\n    return x @ w + (calls > 20)\n"
    text = line.reference.replace("return x @ w\n", body) + "\n\ncalls = 0\n"
    own = trained(line, home, text).cases[0]
    with ProcessSandbox() as sandbox:
        graded = Trainer(Oracle(line, 0)).train(line.trainings[0], Source.of(line.file, text), sandbox).cases[0]
    assert own.message.splitlines()[0] == graded.message.splitlines()[0]
    assert own.message.startswith("At step 11 the loss is ")


def test_a_handout_holds_the_same(line: Assignment, home: HomeTraining, tmp_path: Path) -> None:
    """Its file has data alone: arguments, losses, names; and another version is refused."""
    (tmp_path / TRAININGS).write_bytes(home_file(public_oracle(line)))
    (read,) = read_trainings(tmp_path)
    assert np.array_equal(read.first, home.first)
    assert np.array_equal(read.curve(), home.curve())
    assert (read.shows(), read.uses, read.measured) == (home.shows(), home.uses, home.measured)
    assert trained(line, read, line.reference).status is Status.PASSED
    (tmp_path / TRAININGS).write_bytes(b"broken")
    with pytest.raises(BundleError, match="Unzip the handout again"):
        read_trainings(tmp_path)


def test_what_is_held_out_stays_out_of_a_handout() -> None:
    """The play that a8 measures on is no argument of the run at home."""
    root = Path(__file__).parents[1]
    assignment = load_assignment(root, "a8_language_model")
    training = next(t for t in assignment.trainings if t.at_home)
    held_out = (root / "solutions" / assignment.slug / "data" / "held_out.txt").read_text(encoding="utf-8")
    learned = (root / "assignments" / assignment.slug / "data" / "shakespeare.txt").read_text(encoding="utf-8")
    letters = sorted(set(learned))
    args = replace(training, draw=training.at_home or training.draw).args(0)
    pieces = ["".join(letters[i] for i in row) for row in args[4].tolist()]
    assert pieces
    assert all(piece in learned for piece in pieces)
    assert not [piece for piece in pieces if piece in held_out]


def test_a_chart_shows_where_two_curves_part() -> None:
    """Both marks stand in one cell while they agree, and apart after that; what is not finite is left out."""
    reference = np.exp(-np.arange(20) / 5)
    yours = np.where(np.arange(20) < 10, reference, 1.0)
    yours[19] = np.nan
    picture = losses_picture(yours, reference)
    assert [step for step, _ in picture.curves[0][1]] == list(range(1, 21))
    text = chart(picture, 80)
    assert text[-2].split() == ["loss", "1", "step", "20"]
    assert sum(row.count("◉") for row in text[:-3]) == 10
    assert sum(row.count("●") for row in text[:-3]) == 9
    assert chart(losses_picture(np.full(3, np.nan), np.full(3, np.nan)), 80) == []


def test_check_trains_and_its_json_holds_the_verdict(course_copy: Path, tmp_path: Path) -> None:
    """The command exits with 1 where the losses part; an assignment without a training says so."""
    mine = tmp_path / "attempt_two.py"
    shutil.copy(course_copy / "solutions" / "t3_learning" / "line.py", mine)
    told = ["--course", str(course_copy)]
    right = CliRunner().invoke(app, ["check", "t3_learning", str(mine), "--train", *told])
    assert right.exit_code == 0, right.output
    assert "train_line: the first 20 of 200 steps" in right.output
    assert "the first steps give 1.5 of 3 points" in right.output
    edit(mine, *UPHILL)
    wrong = CliRunner().invoke(app, ["check", "t3_learning", str(mine), "--train", "--json", *told])
    assert wrong.exit_code == 1
    exercise = json.loads(wrong.stdout)["exercises"][-1]
    assert (exercise["name"], exercise["cases"][0]["status"]) == ("train_line", "FAILED")
    assert exercise["cases"][0]["picture"]["kind"] == "lines"
    none = CliRunner().invoke(app, ["check", "t1_means", str(mine), "--train", *told])
    assert none.exit_code == 2
    assert "Nothing is trained here" in none.stderr


def checked(course: Path, device: str) -> tuple[Any, Any]:
    """Check the reference with its training on a device; return what the command said, and the training's result."""
    mine = course / "solutions" / "t3_learning" / "line.py"
    told = ["check", "t3_learning", str(mine), "--train", "--json", "--course", str(course)]
    done = CliRunner().invoke(app, [*told, *(["--device", device] if device else [])])
    return done, json.loads(done.stdout)["exercises"][-1] if done.stdout else None


@pytest.mark.parametrize("is_there", [True, False])
def test_a_check_trains_on_a_device(elsewhere: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool) -> None:
    """On the one that is named, or that the training asks for; without that on the CPU, which one line says."""
    monkeypatch.setattr(device_at_home, "why_not", lambda _: "" if is_there else "no GPU answers")
    done, named = checked(elsewhere, "cuda")
    edit(elsewhere / "solutions" / "t3_learning" / "training.py", "steps=200", 'prefers="cuda", steps=200')
    asked, auto = checked(elsewhere, "")
    assert (asked.exit_code, auto["cases"][0]["status"]) == (0, "PASSED"), asked.output
    if is_there:
        assert (done.exit_code, named["device"], auto["device"], asked.stderr) == (0, "cuda", "cuda", done.stderr)
    else:
        assert (done.exit_code, auto["device"]) == (2, "cpu")
        assert "There is no device cuda on this computer: no GPU answers" in done.stderr
        assert asked.stderr.count("t3_learning asks for cuda, and there is none on this computer (no GPU answers)") == 1


def test_what_trains_with_numpy_is_checked_on_the_cpu(course_copy: Path) -> None:
    """Its harness knows no device, and torch need not be installed; a line says so."""
    done, result = checked(course_copy, "cuda")
    assert (done.exit_code, result["device"], result["cases"][0]["status"]) == (0, "cpu", "PASSED"), done.output
    assert "t3_learning trains nothing that could run on cuda" in done.stderr


def test_a_handout_knows_what_a_training_asks_for(line: Assignment, home: HomeTraining, tmp_path: Path) -> None:
    """So that `auto` means the same there."""
    wants = replace(home, training=replace(home.training, prefers="cuda"))
    (tmp_path / TRAININGS).write_bytes(trainings_file((wants,)))
    assert [one.training.prefers for one in read_trainings(tmp_path)] == ["cuda"]


def test_a_training_s_own_command_takes_a_device(capsys: pytest.CaptureFixture[str]) -> None:
    """Its other words are left to it; a device that is not there ends it with one sentence."""
    assert device_of_words(["my_text.txt", "--device", "cpu"]) == ("cpu", ["my_text.txt"])
    assert device_of_words([]) == ("cpu", [])
    for word, said in (("cuda", "There is no device cuda on this computer: "), ("tpu", "'tpu' is no device. Say auto")):
        with pytest.raises(SystemExit):
            device_of_words(["--device", word])
        assert said in capsys.readouterr().err


def test_what_a_handout_trained_is_kept_until_something_changes(
    line: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second handout trains nothing, one of another reference does, and a folder that cannot be written is no obstacle."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = home_file(public_oracle(line))
    other = replace(line, reference=line.reference.replace("# BEGIN", "#  BEGIN"))
    with monkeypatch.context() as patch:
        patch.setattr("autograder.handout.home_trainings.trainings_file", lambda _: b"trained again")
        assert home_file(public_oracle(line)) == made
        assert home_file(public_oracle(other)) == b"trained again"
        assert len(list((tmp_path / "sequence-autograder").iterdir())) == 1
        (tmp_path / "a file").write_text("")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
        assert home_file(public_oracle(line)) == b"trained again"


def test_what_is_left_is_measured_from_the_first_step(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first one waits for the import: of ten steps at a second each, eight are left after two, however long that took."""
    times = iter([60.0, 61.0, 62.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = Progress("train_line", 10)
    for step in range(3):
        progress(step, 0.5)
    first, second, third = capsys.readouterr().err.split("\r\x1b[2K")[1:]
    assert first.endswith("step 1 of 10   loss 0.500")
    assert second.endswith("step 2 of 10   loss 0.500   8 s left")
    assert third.endswith("step 3 of 10   loss 0.500   7 s left")
