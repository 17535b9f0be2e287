"""play.py: a student's own model at work, kept and shown on one page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.course.spec import Exercise
from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.notebook_play import play_cells
from autograder.handout.kit.play import Told, kept_or_learned
from autograder.handout.kit.play_page import bars, beside, curve, heat_map, note, page, written
from autograder.handout.write_notebook import make_notebook
from autograder.sandbox.job import Chunk, Source

ROOT = Path(__file__).parents[1]
FROM_OUTSIDE = re.compile(r"""(?:src|href)=|url\(|@import|<script|https?://""")


@pytest.fixture
def a8(tmp_path: Path) -> Path:
    """Return a folder with a8 as a student has solved it, and a short text."""
    folder = tmp_path / "a8"
    shutil.copytree(ROOT / "assignments" / "a8_language_model", folder)
    shutil.copy(ROOT / "solutions" / "a8_language_model" / "language_model.py", folder)
    (folder / "short.txt").write_text("to be or not to be, that is the question:\n" * 20, encoding="utf-8")
    return folder


def play(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run play.py as a student does."""
    return subprocess.run([sys.executable, "play.py", *words], cwd=folder, capture_output=True, text=True, check=False)


def test_a_model_is_trained_once_and_its_page_needs_nothing_else(a8: Path) -> None:
    """The second call loads what the first has kept; the page shows samples, tokens, speeds and a map for each head."""
    short = ["--text", "short.txt", "--steps", "3", "--length", "5", "--temperature", "0"]
    first = play(a8, "to", *short)
    assert first.returncode == 0, first.stderr
    assert "step 3 of 3" in first.stdout
    shown = (a8 / "play.html").read_text(encoding="utf-8")
    assert not FROM_OUTSIDE.search(shown)
    for part in ("after 0 steps", "after 3 steps", "without a cache", "with your cache", "layer 2, head 4"):
        assert part in shown
    again = play(a8, "to", *short)
    assert "Loaded play.pt" in again.stdout
    assert "step 3 of 3" not in again.stdout
    assert again.stdout.split("\nto")[1].split("\n")[0] == first.stdout.split("\nto")[1].split("\n")[0]
    unknown = play(a8, "Zürich", *short)
    assert unknown.returncode == 2
    assert "The model has never seen 'Z'" in unknown.stderr


def test_what_is_not_written_yet_is_said_without_a_traceback(tmp_path: Path) -> None:
    """A stub plays nothing, nor does a name that was never defined; an exception of a student's own keeps its traceback."""
    folder = tmp_path / "a3"
    shutil.copytree(ROOT / "assignments" / "a3_gates", folder)
    stub = (folder / "gates.py").read_text(encoding="utf-8")
    left = "`python check.py` says what is left to write.\n"

    def ends(text: str) -> str:
        (folder / "gates.py").write_text(text, encoding="utf-8")
        done = play(folder, "3", "30", "--steps", "2")
        assert done.returncode == 1
        return done.stderr

    assert ends(stub) == f"play.py: lstm_forward is not written yet. {left}"
    assert ends("import numpy as np\n") == f"play.py: Your code has no lstm_forward. {left}"
    assert "Traceback" in ends(stub.replace("raise NotImplementedError(", "raise KeyError("))


@pytest.mark.parametrize(("slug", "file"), [("a4_seq2seq", "seq2seq.py"), ("a7_transformer", "transformer.py")])
def test_a_typed_row_gets_its_alignment(tmp_path: Path, slug: str, file: str) -> None:
    """What is no row of digits is refused; an untrained model answers something, and is shown all the same."""
    folder = tmp_path / slug
    shutil.copytree(ROOT / "assignments" / slug, folder)
    shutil.copy(ROOT / "solutions" / slug / file, folder)
    done = play(folder, "314159", "--steps", "1")
    assert done.returncode == 0, done.stderr
    assert "314159 -> " in done.stdout
    shown = (folder / "play.html").read_text(encoding="utf-8")
    assert not FROM_OUTSIDE.search(shown)
    assert "<title>row " in shown
    assert "Loaded play.pt" in play(folder, "314159").stdout
    assert play(folder, "letters").returncode == 2


def test_gates_are_shown_over_time(tmp_path: Path) -> None:
    """The two marks that are typed stand in the page; what was learned is kept without a training."""
    folder = tmp_path / "a3"
    shutil.copytree(ROOT / "assignments" / "a3_gates", folder)
    shutil.copy(ROOT / "solutions" / "a3_gates" / "gates.py", folder)
    done = play(folder, "3", "30", "--steps", "2")
    assert done.returncode == 0, done.stderr
    shown = (folder / "play.html").read_text(encoding="utf-8")
    assert not FROM_OUTSIDE.search(shown)
    assert "forget gate" in shown
    assert "Loaded play.npz" in play(folder, "3", "30").stdout
    assert play(folder, "30", "3").returncode == 2


def test_letters_that_are_typed_get_the_next_ones(tmp_path: Path) -> None:
    """With the probabilities behind each beginning, and the norms of the gradients; other letters are refused."""
    folder = tmp_path / "a2"
    shutil.copytree(ROOT / "assignments" / "a2_bptt", folder)
    shutil.copy(ROOT / "solutions" / "a2_bptt" / "bptt.py", folder)
    done = play(folder, "hel", "--write", "2")
    assert done.returncode == 0, done.stderr
    assert "hel -> hello" in done.stdout
    shown = (folder / "play.html").read_text(encoding="utf-8")
    assert not FROM_OUTSIDE.search(shown)
    assert [f"<figcaption>after {text}</figcaption>" in shown for text in ("h", "he", "hel")] == [True] * 3
    assert "gradient norm over steps" in shown
    assert "Loaded play.npz" in play(folder, "he").stdout
    assert play(folder, "hallo").returncode == 2


def test_a_row_is_counted_on_with_and_without_a_cache(tmp_path: Path) -> None:
    """A map for each head; a model whose cache is wrong is told to say other numbers; too few numbers are refused."""
    folder = tmp_path / "a9"
    shutil.copytree(ROOT / "assignments" / "a9_modern_lm", folder)
    reference = (ROOT / "solutions" / "a9_modern_lm" / "modern_lm.py").read_text(encoding="utf-8")
    (folder / "modern_lm.py").write_text(reference, encoding="utf-8")
    done = play(folder, "1", "2", "3", "--steps", "2", "--write", "4")
    assert done.returncode == 0, done.stderr
    assert "1 2 3 -> " in done.stdout
    shown = (folder / "play.html").read_text(encoding="utf-8")
    assert not FROM_OUTSIDE.search(shown)
    assert "layer 2, head 4" in shown
    assert "Without the cache it says the same numbers." in shown
    assert "with your cache" in shown
    again = play(folder, "4", "5", "6")
    assert "Loaded play.pt" in again.stdout
    assert play(folder, "1", "2").returncode == 2
    assert play(folder, "1", "2", "32").returncode == 2


def test_a_notebook_plays_with_its_own_cells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not with the file beside play.py; the page stands in a frame, and what is not written is a line."""
    folder = tmp_path / "a3"
    shutil.copytree(ROOT / "assignments" / "a3_gates", folder)
    solved = (ROOT / "solutions" / "a3_gates" / "gates.py").read_text(encoding="utf-8")
    cells = Source("gates", (Chunk("cell [1]", solved),), notebook=True)
    shown = play_cells(cells, folder, ("3", "30", "--steps", "2"))
    told = capsys.readouterr().out
    assert shown is not None
    assert "Your code: the cells of this notebook" in told
    assert "step 2 of 2" in told
    assert "play.html" not in told
    frame = shown._repr_html_()
    assert frame.startswith("<iframe ")
    assert "forget gate" in frame
    assert frame.count("<") == 2
    stub = Source("gates", (Chunk("cell [1]", (folder / "gates.py").read_text(encoding="utf-8")),), notebook=True)
    assert play_cells(stub, folder, ("--fresh",)) is None
    told = capsys.readouterr().out
    assert "is not written yet" in told
    assert "Traceback" not in told
    with pytest.raises(CheckError, match=r"There is no play\.py here\."):
        play_cells(stub, tmp_path, ())


def test_a_notebook_ends_with_a_cell_that_plays() -> None:
    """Where the assignment has a play.py."""
    stub = "def f():\n    raise NotImplementedError\n"
    for plays in (True, False):
        text = make_notebook("t", "# T\n", stub, (Exercise("f", 1, ("f",)),), "Start.", "setup()", play=plays)
        last = json.loads(text)["cells"][-1]
        assert "".join(last["source"]) == ("grader.play()" if plays else "grader.check_all()")


def test_what_cannot_be_kept_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As on Kaggle, where a handout lies among inputs that are only read."""

    def refused(made: int, path: Path) -> None:
        raise OSError(30, "Read-only file system")

    assert kept_or_learned(tmp_path / "play.npz", lambda: 7, lambda _: 0, refused, fresh=False) == 7
    assert (
        "play.npz cannot be written ([Errno 30] Read-only file system), so this is not kept." in capsys.readouterr().out
    )


def test_an_estimate_leaves_the_first_step_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A first step of nine seconds before nineteen of one says nothing of the time that is left."""
    times = iter([9.0, *(9.0 + step for step in range(1, 20))])
    told = Told(20)
    monkeypatch.setattr("autograder.handout.kit.play.time.monotonic", lambda: next(times))
    for step in range(20):
        told(step, 1.0)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "  step 1 of 20   loss 1.000",
        "  step 2 of 20   loss 1.000",
        "  step 4 of 20   loss 1.000   16 s left",
    ]
    assert lines[-1] == "  step 20 of 20   loss 1.000   0 s left"


def test_what_is_not_written_is_said_in_a_line(a8: Path) -> None:
    """Without a traceback, and with what to do."""
    shutil.copy(ROOT / "assignments" / "a8_language_model" / "language_model.py", a8)
    done = play(a8, "--steps", "3")
    assert done.returncode == 1
    assert done.stderr.startswith("play.py: ")
    assert "is not written yet" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_page_escapes_what_a_model_writes() -> None:
    """A model may write markup; it is shown as text."""
    evil = "<script>alert('&')</script>"
    parts = {
        evil: written(evil, evil) + note(evil) + bars({evil: 1.0}),
        "maps": beside({evil: heat_map([[1.0]], [evil], [evil], evil)}, "maps") + curve([2.0, 1.0], [1]),
    }
    shown = page(evil, parts)
    assert "<script" not in shown
    assert shown.count("&lt;script&gt;") >= 8


def test_a_heat_map_draws_what_is_looked_at() -> None:
    """A cell for each weight that can be seen, with its number to read."""
    shown = heat_map([[1.0, 0.0], [0.25, 0.75]], "ab", "ab", "head")
    assert shown.count('class="on"') == 3
    assert "row b, column a: 0.25" in shown
