"""Training on a device: what is chosen, where it stands, what is refused, and that models and harnesses mix none."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from pretended_device import Pretended
from typer.testing import CliRunner

from autograder.classroom.result_keys import exercise_keys
from autograder.cli import app
from autograder.course.catalog import load_assignment
from autograder.oracle.device_choice import on_device, takes_device, wanted_device
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.device import DeviceError, bound_memory, parse_device

pytestmark = pytest.mark.usefixtures("forked_preloaders")
ROOT = Path(__file__).parents[1]
PRETENDED = Path(__file__).with_name("pretended_device.py").read_text(encoding="utf-8")
# The harness of the tiny course, with a pretended device where a sandbox is open for one. What it returns is on the device.
HARNESS = """

import os

if os.environ.get("CUBLAS_WORKSPACE_CONFIG"):
    Pretended().__enter__()


def fit(student, report, steps, w, x, y, held_out, device="cpu"):
    import torch

    losses = []
    for step in range(steps):
        error = student.predict(w, x) - y
        losses.append(torch.tensor((error**2).mean() / 2, device=device))
        report(step, losses[-1].item())
        w = w - 0.1 * student.gradient(w, x, y)
    return {"losses": torch.stack(losses), "values": torch.from_numpy(student.predict(w, held_out)).to(device)}
"""


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that a file has once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def elsewhere(course_copy: Path, tmp_path: Path) -> Path:
    """Return a course whose line learns on a device, with a class of two."""
    harness = course_copy / "assignments" / "t3_learning" / "training.py"
    harness.write_text(PRETENDED + HARNESS, encoding="utf-8")
    edit(harness.with_name("assignment.toml"), 'file = "line.py"', 'file = "line.py"\ntorch = true')
    edit(course_copy / "solutions" / "t3_learning" / "training.py", "seconds=5", "seconds=60")  # it imports torch
    (tmp_path / "class").mkdir()
    text = (course_copy / "solutions" / "t3_learning" / "line.py").read_text(encoding="utf-8")
    (tmp_path / "class" / "ada.py").write_text(text, encoding="utf-8")
    (tmp_path / "class" / "bob.py").write_text(text + "\n# bob\n", encoding="utf-8")
    return course_copy


def graded(course: Path, *words: str) -> Any:
    """Grade the class of two on a device."""
    told = ["grade", "t3_learning", str(course.parent / "class"), "-o", str(course.parent / "out")]
    return CliRunner().invoke(app, [*told, "--course", str(course), "--accept-unsandboxed", *words])


def result_of(course: Path, student: str) -> Any:
    """Return a student's result."""
    return json.loads((course.parent / "out" / "results" / f"{student}.json").read_text(encoding="utf-8"))


def devices(course: Path) -> list[str]:
    """Return what is said in the results of the exercise that is trained, each of which has all points."""
    found = [result_of(course, student)["exercises"][-1] for student in ("ada", "bob")]
    assert [entry["score"] for entry in found] == [3, 3], found
    return [entry["device"] for entry in found]


def test_a_class_is_trained_on_one_device(elsewhere: Path) -> None:
    """It stands in every result, is kept for later runs, gives the points that the CPU gives, and is changed for all."""
    assert graded(elsewhere, "--device", "cuda").exit_code == 0
    assert devices(elsewhere) == ["cuda", "cuda"]
    risks = result_of(elsewhere, "ada")["isolation"]["residual_risks"]
    assert any("driver" in risk for risk in risks)
    again = graded(elsewhere)
    assert "2 unchanged" in again.output, again.output
    one = graded(elsewhere, "--only", "ada", "--device", "cpu")
    assert one.exit_code == 2
    assert "trained on cuda" in one.output
    assert graded(elsewhere, "--device", "cpu").exit_code == 0
    assert devices(elsewhere) == ["cpu", "cpu"]
    assert "device" not in result_of(elsewhere, "ada")["exercises"][0]


LARGER = """larger=Training(
        "train_line.larger",
        "fit",
        _draw,
        steps=40,
        seconds=60,
        metrics=(Metric("held_out_error", "The error where it has not seen.", _error),),
    ),
    catches=("uphill",),"""


def test_what_no_band_is_known_for_gives_and_takes_no_points(elsewhere: Path) -> None:
    """On a device a larger model is trained too; its figures stand beside the reference's own from the same run."""
    edit(elsewhere / "solutions" / "t3_learning" / "training.py", 'catches=("uphill",),', LARGER)
    slow = "    import sys\n    if sys._getframe(1).f_locals.get('steps') == 40:\n        raise ValueError\n    return x @ w\n"
    edit(elsewhere.parent / "class" / "bob.py", "    return x @ w\n", slow)
    assert graded(elsewhere, "--device", "cuda").exit_code == 0
    assert devices(elsewhere) == ["cuda", "cuda"]
    first, second = (result_of(elsewhere, student)["exercises"][-1]["cases"][0] for student in ("ada", "bob"))
    assert "no points" in first["message"]
    found = re.search(r"held out error: (\S+) \(the reference, in the same class: (\S+)\)", first["message"])
    assert found, first["message"]
    assert found[1] == found[2], "the class's own seed draws the error, so its size may be any"
    assert "first losses: the reference's" in first["message"]
    assert "no points" in second["message"]
    assert "ValueError" in second["message"]
    graded(elsewhere, "--device", "cpu")
    assert "larger" not in result_of(elsewhere, "ada")["exercises"][-1]["cases"][0]["message"]


@pytest.mark.parametrize(("high", "scores"), [("1e9", (3, 1.5)), ("-1.0", (3, 1.5)), ("0.5", (1.5, 1.5))])
def test_a_larger_run_gives_points_where_it_has_a_band(elsewhere: Path, high: str, scores: tuple[float, float]) -> None:
    """Each such metric has a case of its own, by its weight; one that the reference misses here as well passes."""
    measure = "lambda args, value: float('anew' in value)" if high == "0.5" else "_error"
    banded = LARGER.replace("_error),)", f"{measure}, high={high}, weight=2.0),)")
    edit(elsewhere / "solutions" / "t3_learning" / "training.py", 'catches=("uphill",),', banded)
    if high == "0.5":  # what only the two of the class have
        edit(
            elsewhere / "assignments" / "t3_learning" / "training.py",
            'return {"losses"',
            'return {**getattr(student, "more", {}), "losses"',
        )
        ada = elsewhere.parent / "class" / "ada.py"
        ada.write_text(ada.read_text(encoding="utf-8") + "\nmore = {'anew': 1}\n", encoding="utf-8")
    slow = "    import sys\n    if sys._getframe(1).f_locals.get('steps') == 40:\n        raise ValueError\n    return x @ w\n"
    edit(elsewhere.parent / "class" / "bob.py", "    return x @ w\n", slow)
    assert graded(elsewhere, "--device", "cuda").exit_code == 0
    entries = [result_of(elsewhere, student)["exercises"][-1] for student in ("ada", "bob")]
    assert tuple(entry["score"] for entry in entries) == scores
    assert {entry["max_score"] for entry in entries} == {3}
    assert [entry["cases"][-1]["name"] for entry in entries] == ["larger_held_out_error"] * 2
    assert entries[1]["cases"][-1]["status"] == "CRASHED"


@pytest.mark.parametrize("name", ["cuda", "cuda:1"])
def test_torch_takes_the_bound_of_a_gpu_s_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With torch's own check of what it is handed; only what needs a driver is replaced."""
    bounds: list[tuple[float, int]] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(total_memory=8 << 30))
    monkeypatch.setattr(torch.cuda.memory, "_lazy_init", lambda: None)
    monkeypatch.setattr(torch._C, "_cuda_setMemoryFraction", lambda *bound: bounds.append(bound), raising=False)
    bound_memory(name, 2048)
    assert bounds == [(0.25, int(name == "cuda:1"))]


def test_where_the_reference_breaks_off_too_nobody_pays(elsewhere: Path) -> None:
    """A harness that fails on the device is ours to mend: no verdict, the rest of the points, and exit code 1."""
    broken = "    if device != 'cpu':\n        raise ValueError('no such kernel')\n    import torch\n"
    edit(
        elsewhere / "assignments" / "t3_learning" / "training.py",
        "    import torch\n\n    losses = []",
        f"{broken}\n    losses = []",
    )
    done = graded(elsewhere, "--device", "cuda")
    for student in ("ada", "bob"):
        entry = result_of(elsewhere, student)["exercises"][-1]
        assert {case["status"] for case in entry["cases"]} == {"GRADER_ERROR"}
        assert "The reference does not come to its end on cuda either: ValueError." in entry["cases"][0]["message"]
        assert "no such kernel" not in entry["cases"][0]["message"]
    assert done.exit_code == 1


def test_a_training_that_asks_for_a_device_gets_it_where_it_is(elsewhere: Path) -> None:
    """`auto` is what it asks for; where that is not there it is the CPU, and one line says so."""
    edit(elsewhere / "solutions" / "t3_learning" / "training.py", "steps=200", 'prefers="cuda", steps=200')
    done = graded(elsewhere)
    assert (done.exit_code, devices(elsewhere)) == (0, ["cuda", "cuda"])
    shutil.rmtree(elsewhere.parent / "out")
    edit(elsewhere / "assignments" / "t3_learning" / "training.py", "    Pretended().__enter__()", "    pass")
    done = graded(elsewhere)
    assert (done.exit_code, devices(elsewhere)) == (0, ["cpu", "cpu"])
    assert done.output.count("t3_learning asks for cuda, and there is none where student code runs") == 1


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("tpu", "is no device. Say auto, cpu, cuda, mps"),
        ("meta", "is no device"),
        ("cuda", "Torch not compiled with CUDA"),
    ],
)
def test_a_device_that_is_not_there_is_refused(course_copy: Path, word: str, said: str) -> None:
    """The message says what, where and what to do; nothing is graded, and the gradebook knows nothing of it."""
    folder = course_copy.parent / "class"
    folder.mkdir()
    shutil.copy(course_copy / "solutions" / "t3_learning" / "line.py", folder / "ada.py")
    harness = course_copy / "assignments" / "t3_learning" / "training.py"
    harness.write_text(HARNESS.replace("Pretended().__enter__()", "pass"), encoding="utf-8")
    done = graded(course_copy, "--device", word)
    assert done.exit_code == 2
    assert said in done.output
    assert graded(course_copy).exit_code == 0
    assert result_of(course_copy, "ada")["exercises"][-1]["device"] == "cpu"


def test_numbers_and_names_mean_devices() -> None:
    """A number is a GPU's; anything else is a name that torch has for a device with values."""
    assert [parse_device(word) for word in ("auto", "CPU", "cuda", "1", "cuda:2", "mps")] == [
        *("auto", "cpu", "cuda", "cuda:1", "cuda:2", "mps")
    ]
    for word in ("", "gpu", "-1", "cuda:", "meta", "cpu:0", "99999"):
        with pytest.raises(DeviceError):
            parse_device(word)


def test_what_trains_with_numpy_stays_on_the_cpu() -> None:
    """A device is not for it; that is said, and its results are the same as without."""
    hello = load_assignment(ROOT, "a2_bptt")
    assert not takes_device(hello, hello.trainings[0])
    name, told = wanted_device(hello, "cuda")
    assert name == "cpu"
    assert "a2_bptt trains nothing that could run on cuda" in told
    assert on_device(hello, "cuda") == hello


def test_the_device_is_in_the_keys_of_what_is_trained() -> None:
    """And in no other exercise's."""
    sort = load_assignment(ROOT, "a8_language_model")
    one, other = (exercise_keys(Oracle(on_device(sort, name), 0)) for name in ("cpu", "cuda"))
    assert {name for name in one if one[name] != other[name]} == {"train_sort", "train_shakespeare"}


def test_the_pretended_device_refuses_what_a_gpu_refuses() -> None:
    """In torch's words; what a GPU allows passes, and numbers are the CPU's."""
    with Pretended():
        x, ids = torch.arange(6.0, device="cuda").reshape(2, 3), torch.tensor([[0, 1]], device="cuda")
        layer = torch.nn.Embedding(5, 3)
        refused = {
            "two devices": [lambda: x + torch.ones(3), lambda: layer(ids), lambda: torch.cat([x, torch.ones(1, 3)])],
            "indices should be": [lambda: torch.ones(4)[ids[0]]],
            "for generator": [lambda: torch.rand(3, device="cuda", generator=torch.Generator())],
            "numpy": [x.numpy],
            "1D CPU int64": [
                lambda: torch.nn.utils.rnn.pack_padded_sequence(x[None], ids[0, 1:], batch_first=True),
            ],
        }
        for words, attempts in refused.items():
            for attempt in attempts:
                with pytest.raises((RuntimeError, TypeError), match=words):
                    attempt()
        assert layer.to("cuda")(ids).device == x.device
        assert (x + torch.tensor(2.0))[torch.tensor([1])].device.type == "cuda"
        assert (x * 2).cpu().tolist() == [[0, 2, 4], [6, 8, 10]]
        assert torch.arange(3).device.type == "cpu"
        layer.weight.sum().backward()
        assert layer.weight.grad is not None
        assert layer.weight.grad.device.type == "cuda"


def test_an_appeal_trains_on_the_device_of_the_class(elsewhere: Path) -> None:
    """What is run again is what was graded; where the device is not there, the CPU is, and a line says so."""
    edit(elsewhere.parent / "class" / "bob.py", "    return x @ w\n", "    return x @ w + 1\n")
    assert graded(elsewhere, "--device", "cuda").exit_code == 0
    words = ["explain", "bob", "train_line", "-o", str(elsewhere.parent / "out"), "--course", str(elsewhere)]
    done = CliRunner().invoke(app, [*words, "--json", "--accept-unsandboxed"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["exercise"]["device"] == "cuda"
    assert "has changed" not in CliRunner().invoke(app, [*words, "--accept-unsandboxed"]).output
    edit(elsewhere / "assignments" / "t3_learning" / "training.py", "    Pretended().__enter__()", "    pass")
    gone = CliRunner().invoke(app, [*words, "--accept-unsandboxed"])
    assert gone.exit_code == 0, gone.output
    assert "bob was trained on cuda, which is not there" in gone.stderr
    assert "It is trained on the CPU now." in gone.stderr
