"""`make gpu`: it runs to its end, rehearsed at a small size, says where there is no GPU, and only a GPU's figures reach the pages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
STEPS = {"where", "agreement", "larger", "promises", "packing", "hostile"}


def said(*words: str) -> subprocess.CompletedProcess[str]:
    """Return what a program in benchmarks/ comes to."""
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, cwd=ROOT / "benchmarks"
    )


def larger_row(kind: str, name: str, loss: float) -> dict[str, Any]:
    """Return what a whole run of the model for a GPU came to."""
    metrics = {"validation_loss": loss}
    return {"kind": kind, "solution": name, "agrees": True, "seconds": 50.0, "metrics": metrics}


def test_without_a_gpu_there_are_no_figures() -> None:
    """One sentence says what was looked for and what to do."""
    done = said("gpu.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("There is no device cuda here: ")
    assert "--device cpu" in done.stderr


@pytest.mark.slow
def test_every_step_is_rehearsed(tmp_path: Path) -> None:
    """On a device that every machine has; all steps hold, and nothing is written but where it is asked for.

    `--device pretended` does the same with a8's larger run, in twelve minutes: too long for here.
    """
    pages = [ROOT / "docs" / "gpu.md", ROOT / "README.md"]
    before = [page.read_text(encoding="utf-8") for page in pages]
    done = said("gpu.py", "--device", "cpu", "-o", str(tmp_path / "gpu.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads((tmp_path / "gpu.json").read_text(encoding="utf-8"))
    assert set(found) == STEPS | {"rehearsal"}
    assert found["rehearsal"] is True
    assert all(each["first_losses"] < 1e-2 for each in found["agreement"])
    assert [row["at_once"] for row in found["packing"]] == [1, 2]
    endings = {row["attack"]: row["status"] for row in found["hostile"]}
    assert endings["never ends"] == "TIMEOUT"
    assert all(row["answers_afterwards"] for row in found["hostile"])
    assert not [broken for proof in found["promises"] for broken in proof["broken"]]
    told = said("gpu_table.py", str(tmp_path / "gpu.json"))
    assert told.returncode == 1
    assert "rehearsal" in told.stderr
    assert [page.read_text(encoding="utf-8") for page in pages] == before
    del found["packing"]
    found["agreement"] = ["of an earlier run"]
    (tmp_path / "gpu.json").write_text(json.dumps(found), encoding="utf-8")
    done = said("gpu.py", "--device", "cpu", "--only", "hostile", "-o", str(tmp_path / "gpu.json"))
    assert "Still to do: --only packing" in done.stdout
    again: dict[str, Any] = json.loads((tmp_path / "gpu.json").read_text(encoding="utf-8"))
    assert again["agreement"] == ["of an earlier run"]


def test_the_pages_have_a_place_for_figures() -> None:
    """Once each, so that what is measured comes in place of what says that nothing was."""
    for page in (ROOT / "README.md", ROOT / "docs" / "gpu.md"):
        text = page.read_text(encoding="utf-8")
        assert (text.count("<!-- gpu -->"), text.count("<!-- /gpu -->")) == (1, 1)


def test_a_gpu_s_figures_become_a_table(tmp_path: Path) -> None:
    """It stands between two marks of a page, and replaces what stood there."""
    figures = {
        "rehearsal": False,
        "where": {"gpu": "A GPU", "torch": "2.13", "level": "AG"},
        "agreement": [
            {
                "training": "train_sort",
                "solution": "reference",
                "seed": 0,
                "first_losses": 1e-5,
                "metrics": {"sorted": [0.99, 1.0]},
            },
            {"training": "train_sort", "solution": "loops", "seed": 0, "first_losses": 3e-4, "metrics": {}},
        ],
        "larger": [
            larger_row("reference", "reference", 1.5),
            larger_row("reference", "reference", 1.52),
            larger_row("correct", "loops", 1.51),
            larger_row("mistake", "no_mask", 0.3),
            larger_row("mistake", "one_batch", 2.5),
            {"kind": "mistake", "solution": "uphill", "agrees": False, "seconds": 3.0, "metrics": {}},
        ],
        "promises": [{"promise": "it learns", "broken": []}, {"promise": "they do not", "broken": ["one does"]}],
        "packing": [
            {"at_once": 1, "submissions": 4, "seconds": 40.0},
            {"at_once": 4, "submissions": 4, "seconds": 10.0},
        ],
        "hostile": [{"attack": "never ends", "status": "TIMEOUT", "answers_afterwards": True}],
    }
    (tmp_path / "gpu.json").write_text(json.dumps(figures), encoding="utf-8")
    page = tmp_path / "gpu.md"
    page.write_text("before\n<!-- gpu -->\nnothing yet\n<!-- /gpu -->\nafter\n", encoding="utf-8")
    readme = tmp_path / "README.md"
    readme.write_text("They run on GPUs: <!-- gpu -->none has run them<!-- /gpu -->.\n", encoding="utf-8")
    for _ in range(2):
        done = said("gpu_table.py", str(tmp_path / "gpu.json"), str(page), str(readme))
        assert done.returncode == 0, done.stderr
        text = page.read_text(encoding="utf-8")
        assert text.startswith("before\n<!-- gpu -->\n")
        assert text.endswith("<!-- /gpu -->\nafter\n")
        assert "nothing yet" not in text
        assert "| `train_sort` | 2 | 0.0003 | sorted: 0.99, 1 |" in text
        assert "| 4 | 24 | 4.0 |" in text
        assert "1 of 2 promises hold" in text
        measured = (
            "[measured](docs/gpu.md#what-was-measured-on-a-gpu) on A GPU: 24 submissions a minute, 1 of 2 promises hold"
        )
        assert readme.read_text(encoding="utf-8") == f"They run on GPUs: <!-- gpu -->{measured}<!-- /gpu -->.\n"
        assert "| validation_loss | 1.5 to 1.52 | 0.02 | 2.5 (one_batch) |" in text
        assert "The reference alone took 50 s; 120 s are the goal. First losses tell 1 mistakes." in text
