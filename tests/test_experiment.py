"""Predict, then run: nothing runs before its outcome was predicted, and a prediction stays once it has run."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.handout.handout import handout_files, write_files
from autograder.handout.kit.experiment import KEPT
from autograder.handout.public_data import public_oracle
from autograder.oracle.oracle import Oracle

ROOT = Path(__file__).parents[1]
SLUG, FILE = "a2_bptt", "bptt.py"


def experiment_of(slug: str) -> Any:
    """Return an assignment's experiment as a module."""
    return file_of(slug, "experiment")


def file_of(slug: str, name: str) -> Any:
    """Return a file of an assignment as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "assignments" / slug / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reference_of(slug: str) -> ModuleType:
    """Return an assignment's reference as a module."""
    return Oracle(load_assignment(ROOT, slug), 0).own_reference().module


@pytest.fixture(scope="module")
def handout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a handout that a student has unzipped."""
    folder = tmp_path_factory.mktemp("handout")
    write_files(handout_files(ROOT, public_oracle(load_assignment(ROOT, SLUG))), folder)
    return folder


def run(folder: Path, *words: str) -> tuple[int, str]:
    """Run the experiment of a handout as a student does, and return its exit code and all that it says."""
    command = [sys.executable, "-B", "experiment.py", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


def test_a_run_comes_after_a_prediction_that_then_stays(handout: Path) -> None:
    """Asked, refused, predicted, run on the student's own code, and shown side by side."""
    code, said = run(handout)
    assert code == 0
    assert "python experiment.py predict NUMBER_1 NUMBER_2 NUMBER_3 NUMBER_4" in said
    code, said = run(handout, "run")
    assert (code, said.splitlines()[0]) == (2, "Predict first; the run shows your prediction beside what happened.")
    for numbers in (("1", "2", "3"), ("1", "2", "3", "much"), ("1", "2", "3", "inf")):
        code, said = run(handout, "predict", *numbers)
        assert (code, "Predict 4 numbers" in said) == (2, True)
    assert not (handout / KEPT).exists()
    assert run(handout, "predict", "1", "1", "1", "1")[0] == 0
    assert run(handout, "predict", ".005", "100", "-1", "7000")[0] == 0  # as often as one likes, before the run
    code, said = run(handout, "run")
    assert code == 1
    assert "Does python check.py pass?" in said
    assert "gradient_norms is not written yet" in said
    (handout / FILE).write_text(load_assignment(ROOT, SLUG).reference, encoding="utf-8")
    code, said = run(handout, "run")
    assert code == 0
    rows = {line.split("  ")[1]: line.split() for line in said.splitlines() if line.startswith("  gain")}
    assert [row[4] for row in rows.values()] == ["0.005", "100", "-1", "7e+03"]
    assert [" ".join(row[6:]) for row in rows.values()] == ["near", "2 powers of ten too large", "", "near"]
    assert " ".join(experiment_of(SLUG).WHY.split()) in " ".join(said.split())
    code, said = run(handout, "predict", "1", "1", "1", "1")
    assert (code, "your prediction stays" in said) == (2, True)
    assert run(handout, "run")[0] == 0


def test_a_prediction_that_is_spoiled_is_none(handout: Path) -> None:
    """A file that something else wrote is asked for again, not believed."""
    for text in ("", "[]", '{"predicted": [1.0]}', '{"predicted": ["a", 1.0, 1.0, 1.0]}', '{"ran": true}'):
        (handout / KEPT).write_text(text, encoding="utf-8")
        assert run(handout, "run")[0] == 2


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_every_assignment_ends_with_an_experiment(slug: str) -> None:
    """It says what is asked and why to look, and its README how to run it; a handout holds it."""
    experiment = experiment_of(slug)
    assert 3 <= len(experiment.SETTINGS) == len(set(experiment.SETTINGS)) <= 4
    assert all(len(text.split()) > 30 for text in (experiment.ASKS, experiment.WHY))
    readme = (ROOT / "assignments" / slug / "README.md").read_text(encoding="utf-8")
    ones = " ".join(["1"] * len(experiment.SETTINGS))
    assert all(f"python experiment.py predict {ones}   " in text for text in (readme, experiment.__doc__))


@pytest.mark.parametrize(
    ("slug", "bounds"),
    [
        ("a1_rnn", [(0, 1e-12), (1e-7, 1e-3), (0.5, 4)]),
        ("a2_bptt", [(0.004, 0.007), (0.98, 1.01), (1e-7, 1e-4), (1e3, 1e5)]),
        ("a3_gates", [(0, 1e-13), (1e-8, 1e-6), (0.05, 0.2)]),
        ("a4_seq2seq", [(0.2, 0.5), (0.5, 0.7), (0.7, 0.9), (0.95, 1)]),
        ("a5_attention", [(0.3, 0.6), (0.7, 0.9), (0.95, 1), (0.1, 0.35)]),
    ],
)
def test_what_happens_is_what_the_paragraph_speaks_of(slug: str, bounds: list[tuple[float, float]]) -> None:
    """With the reference; the trainings of the other three take too long for this."""
    happened = list(experiment_of(slug).measure(reference_of(slug)))
    assert len(happened) == len(bounds)
    assert [low <= value <= high for value, (low, high) in zip(happened, bounds, strict=True)] == [True] * len(bounds)
    assert all(map(math.isfinite, happened))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "better", "worse", "factor"),
    [("a6_multihead", 1, 0, 4), ("a7_transformer", 3, 2, 1.2)],
)
def test_the_trainings_of_experiments_differ(slug: str, better: int, worse: int, factor: float) -> None:
    """Positions make the first token known; post-norm learns less at 16 blocks."""
    happened = list(experiment_of(slug).measure(reference_of(slug)))
    assert happened[better] > factor * happened[worse]


def test_a_plain_relu_network_from_the_identity_learns_to_add(capsys: pytest.CaptureFixture[str]) -> None:
    """The experiment of a3's section 8: it prints the losses of the table, and ends far below 1/6, which is to learn nothing."""
    shown: list[float] = []
    file_of("a3_gates", "training").experiment(lambda _, loss: shown.append(loss))
    said = capsys.readouterr().out
    assert sum(shown[30:50]) / 20 == pytest.approx(0.220, abs=0.001)
    assert float(said.split()[-1]) < 0.02
