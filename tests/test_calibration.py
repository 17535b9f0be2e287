"""Tolerances stand between float noise and known mistakes, no seed decides, and where that fails the case is named."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.cli import main
from autograder.course.catalog import load_assignment
from autograder.course.spec import Answer, Assignment, call
from autograder.judge.checks import close, same_prefix
from autograder.judge.trials import Trial
from autograder.proof.calibration import Reading, calibrated, other_precision

HIDDEN = "solutions/t1_means/cases.py"
SOUND = Reading("e", "c", 1e-4, 1e-6, "loops", 1e-2, "no_root")


@pytest.fixture(scope="module")
def readings(assignment: Assignment) -> dict[str, Reading]:
    """Return the tiny course's readings by case."""
    return {reading.case: reading for reading in calibrated(assignment)}


def tampered(course: Path, old: str, new: str) -> dict[str, Reading]:
    """Return the readings of the tiny course with its hidden cases changed."""
    path = course / HIDDEN
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    return {reading.case: reading for reading in calibrated(load_assignment(course, "t1_means"))}


def test_every_tolerance_of_the_tiny_course_holds(readings: dict[str, Reading]) -> None:
    """Noise is that of single precision, and mistakes are far away."""
    assert [reading.broken for reading in readings.values() if reading.broken] == []
    shapes = readings["means_of_any_shape"]
    assert 1e-8 < shapes.noise < 1e-6
    assert shapes.noisiest == "the other precision"
    assert 0.1 < shapes.nearest < 1
    assert shapes.mistake == "skips_the_first"


def test_a_case_no_mistake_changes_has_none_near(readings: dict[str, Reading]) -> None:
    """A property that every known mistake keeps."""
    assert math.isinf(readings["moving_rows_keeps_their_spread"].nearest)


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        (SOUND, ""),
        (replace(SOUND, noise=2e-5), "e.c: loops deviates by 2.0e-05, less than a decade below 0.0001"),
        (replace(SOUND, nearest=5e-4), "e.c: no_root deviates by 5.0e-04, less than a decade above 0.0001"),
        (replace(SOUND, noise=2.0), "e.c: loops deviates by 2.0e+00, more than 0.0001, so right code may fail"),
        (replace(SOUND, tolerance=None, noise=0.0), ""),
        (replace(SOUND, tolerance=None, noise=math.inf), "e.c: loops changes an answer that has to be exact"),
        (
            replace(SOUND, wavering={"no_mean": 12}, seeds=20),
            "e.c: no_mean is noticed at 12 of 20 seeds only; draw inputs that show it always, or never",
        ),
        (
            replace(SOUND, wavering={"no_mean": 12}, seeds=20, noise=2.0),
            (
                "e.c: loops deviates by 2.0e+00, more than 0.0001, so right code may fail; and "
                "no_mean is noticed at 12 of 20 seeds only; draw inputs that show it always, or never"
            ),
        ),
    ],
)
def test_what_is_not_a_decade_apart_is_said(reading: Reading, said: str) -> None:
    """With the case's name and what came too near."""
    assert reading.broken == said


def test_noise_that_comes_too_near_is_found(course_copy: Path) -> None:
    """Far from zero, single precision keeps few digits of a difference."""
    found = tampered(
        course_copy, "yield call(rng.normal(size=(3, 5)) + 2.0)", "yield call(rng.normal(size=(3, 5)) + 1e4)"
    )
    assert found["centers_any_shape"].broken.startswith("center.centers_any_shape: the other precision deviates by ")


def test_a_mistake_that_hardly_shows_in_its_own_case_is_found(course_copy: Path) -> None:
    """Also where it does not show at all at some seed."""
    old = "yield call(rng.normal(size=(3, 5)))\n    yield call(rng.normal(size=(2, 3, 5)))"
    found = tampered(course_copy, old, "yield call(rng.normal(size=(5, 5)))")
    reading = found["means_of_any_shape"]
    assert (reading.nearest, reading.mistake) == (0.0, "divides_by_rows")
    assert reading.broken


def test_a_mistake_that_shows_at_some_seeds_only_is_found(course_copy: Path) -> None:
    """Its name and how often it is noticed are said; mistakes that always show and cases that never change are fine."""
    old = "yield call(rng.normal(size=(3, 5)))\n    yield call(rng.normal(size=(2, 3, 5)))"
    found = tampered(course_copy, old, "yield call(rng.normal(size=(int(rng.integers(4, 6)), 5)))")
    reading = found.pop("means_of_any_shape")
    assert list(reading.wavering) == ["divides_by_rows"]
    noticed = reading.wavering["divides_by_rows"]
    assert 0 < noticed < reading.seeds == 20
    assert reading.broken == (
        f"row_means.means_of_any_shape: divides_by_rows is noticed at {noticed} of 20 seeds only; "
        "draw inputs that show it always, or never"
    )
    assert not any(other.wavering for other in found.values())
    assert found["two_rows"].seeds == 1


def test_another_tolerance_needs_a_reason() -> None:
    """A number by hand without a written reason is refused, and a reason for the usual one, too."""
    assert close(tolerance=1e-6, because="it is exact").tolerance == 1e-6
    for wrong in ({"tolerance": 1e-6}, {"tolerance": 1e-6, "because": " "}, {"because": "why not"}):
        with pytest.raises(ValueError, match="because="):
            close(**wrong)


@pytest.mark.parametrize("check", [close, same_prefix])
def test_a_checks_own_tolerance_judges(check: type) -> None:
    """What passes at the usual tolerance fails at a sharper one, and the other way around."""
    x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    y = np.array([[1.0, 2.0], [3.0, 5.0], [7.0, 6.0]])
    right, nearly = (Answer(x), Answer(y)), (Answer(x * (1 + 1e-5)), Answer(y))
    calls = (call(), call())
    assert check().judge(calls, nearly, right) is None
    sharp = check(tolerance=1e-7, because="it is a test")
    assert sharp.judge(calls, nearly, right) is not None
    assert sharp.judge(calls, right, right) is None


def test_the_other_precision_of_a_trial(oracle: object) -> None:
    """Floats are cast, in every container; whole numbers and the rest stay."""
    trial: Trial = oracle.trials[0]  # type: ignore[attr-defined] # an Oracle
    calls = (call(np.ones(2), [np.ones(2, np.float32), {"ids": np.arange(2)}], flag=True),)
    (other,) = other_precision(replace(trial, calls=calls), 0).calls
    first, (second, rest) = other.args
    assert (first.dtype, second.dtype, rest["ids"].dtype) == (np.float32, np.float64, np.arange(2).dtype)
    assert other.kwargs == {"flag": True}


def test_the_command_prints_a_table_or_json(
    course_copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row a case, the reasons for other tolerances, and 1 where a tolerance is no good."""
    path = course_copy / HIDDEN
    text = path.read_text(encoding="utf-8")
    text = text.replace('"center", check=close()', '"center", check=close(tolerance=1.0, because="it is coarse")')
    path.write_text(text, encoding="utf-8")
    for option in ((), ("--json",)):
        monkeypatch.setattr("sys.argv", ["autograder", "calibrate", "t1_means", "--course", str(course_copy), *option])
        monkeypatch.setenv("COLUMNS", "160")
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 1
        said = capsys.readouterr().out
        if option:
            assert sum(bool(reading["broken"]) for reading in json.loads(said)["t1_means"]) == 1
        else:
            assert "it is coarse" in said
            assert "center.centers_any_shape: adds_the_mean deviates by" in said
