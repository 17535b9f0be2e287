"""What runs on students' machines in a German course speaks German: `check.py`, notebooks, trainings, plays, experiments."""

from __future__ import annotations

import ast
import contextlib
import contextvars
import json
import re
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import COURSE
from test_language import english_in

from autograder.course.catalog import load_assignment
from autograder.course.language import speaking, spoken
from autograder.course.spec import Status, Visibility
from autograder.handout.handout import TEMPLATES, handout_files, write_files
from autograder.handout.home_trainings import home_trainings
from autograder.handout.kit import grader as notebook
from autograder.handout.kit.check_command import main
from autograder.handout.kit.experiment import predict_then_run
from autograder.handout.kit.html_page import NAME
from autograder.handout.kit.play import kept_or_learned, student_module
from autograder.handout.kit.play_page import curve, page
from autograder.handout.kit.train_at_home import tell_place, training_as_text
from autograder.handout.kit.verdicts import Examples
from autograder.handout.public_data import public_oracle
from autograder.handout.repository import write_repository
from autograder.handout.solutions import solution_files
from autograder.judge.result import CaseResult, ExerciseResult
from autograder.judge.training_outcome import Parting
from autograder.oracle.oracle import Oracle

WRONG = (
    "import numpy as np\n\n\ndef row_means(x):\n    return x.sum(-1)\n\n\ndef center(x):\n    return x - row_means(x)\n"
)
EXPERIMENT = types.SimpleNamespace(
    ASKS="What is the mean?", MEASURED="the mean", SETTINGS=("one", "two"), WHY="Look.",
    measure=lambda student: [float(student.row_means(row)) for row in ((1.0, 3.0), (2.0, 200.0))],
)  # fmt: skip


def engine_english_in(text: str, *authored: str) -> list[str]:
    """Return the English sentences in a text that is not an assignment's own; the sum of points is the terminal's."""
    text = re.sub(r".* points on the public cases\. .*", "", text)
    for part in authored:
        text = text.replace(part, "")
    return english_in(text)


def german(slug: str = "t1_means") -> Oracle:
    """The oracle of public cases of an assignment in a German course."""
    return public_oracle(replace(load_assignment(COURSE, slug), language="de"))


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """The files of a German handout."""
    return handout_files(COURSE, german())


@pytest.fixture
def home(tmp_path: Path, files: dict[str, bytes]) -> Path:
    """A student's folder with it."""
    write_files({name: data for name, data in files.items() if "/autograder/" not in name}, tmp_path / "t1_means")
    (tmp_path / "t1_means" / "means.py").write_text(WRONG, encoding="utf-8")
    return tmp_path / "t1_means"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Der einzige Wert ist anders: 3 statt 1.5."),
        (["--hint"], "row_means, Hinweis 1 von 3"),
        (["--hint", "center"], "`center` wartet darauf."),
        (["--repro", "row_means"], 'print("erwartet", expected'),
        (["--debug", "row_means"], "Der Test läuft in diesem Prozess"),
        (["next"], "t1 □□□□□□□□□□□□ 0 von 3"),
        (["--html"], "Bilder dazu: file:"),
        (["--help"], "bei jedem Speichern der Datei wieder prüfen"),
        (["row_moans"], "Es gibt keine Aufgabe row_moans und auch keine solche Datei. Meintest du row_means?"),
        (["--repro", "many"], "Es gibt keinen öffentlichen Test many und keine solche Aufgabe."),
        (["--train"], "Hier wird nichts trainiert: t1_means hat kein Training."),
        (["lost.py"], "Es gibt keine Datei lost.py."),
        (["next", "--hint"], "next wählt die Aufgabe selbst"),
    ],
)
def test_check_py_speaks_german(home: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On both of its streams, and it leaves the language as it was."""
    with contextlib.suppress(SystemExit):  # as --help ends
        main(home, words)
    text = "".join(capsys.readouterr())
    assert says in text
    assert engine_english_in(text) == []
    assert spoken() == "en"


def test_the_page_of_a_check_is_german(home: Path) -> None:
    """Its words, the words for how a case ended, its picture, and the language that it says of itself."""
    (home / "means.py").write_text(WRONG.replace("x.sum(-1)", "x.mean(-1)[..., None] + 1"), encoding="utf-8")
    main(home, ["--html"])
    html = (home / NAME).read_text(encoding="utf-8")
    assert '<html lang="de">' in html
    assert "0 von 3 Aufgaben sind richtig, 2 sind noch nicht richtig und 1 ist noch nicht geschrieben." in html
    assert "Bring zuerst <code>row_means</code> in Ordnung." in html
    assert "<h1>Prüfung von <bdi>means.py</bdi></h1>" in html
    assert "Deins neben dem Erwarteten: " in html
    assert engine_english_in(html) == []


def test_broken_data_is_told_in_german(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As long as the language can be read."""
    (home / "engine" / "public.arrays").write_bytes(b"nothing")
    assert main(home, []) == 2
    assert "Entpacke das Handout noch einmal." in capsys.readouterr().err


@pytest.fixture
def cells(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., notebook.Grader]:
    """Return a function that makes the grader of a notebook in which cells were run."""

    def run(*texts: str) -> notebook.Grader:
        monkeypatch.setattr(notebook, "_cells", lambda: {"In": ["", *texts]})
        return notebook.Grader(Examples(home))

    return run


def test_a_notebook_speaks_german(cells: Callable[..., notebook.Grader]) -> None:
    """It shows results only after the call of the grader is over."""
    grader = cells("import numpy as np", "def row_means(x):\n    return x.sum(-1)", "def center(x):\n    return x\n")
    shown = [grader.check("row_means"), grader.check_all(), grader.next(), grader.progress(), grader.hint()]
    shown += [grader.repro("row_means"), grader.check("row_moans"), grader.hint("row_moans")]
    text = "\n".join(map(repr, shown))
    assert "Der einzige Wert ist anders: 3 statt 1.5." in text
    assert "Als Nächstes: row_means" in text
    assert "Führe zuerst die Zelle aus, die `spread` definiert" in text
    assert "   ← hier bist du" in text
    assert "Führe das in einer Zelle deines Notebooks aus" in text
    assert "Es gibt keine Aufgabe row_moans. Meintest du row_means?" in text
    html = "".join(filter(None, (each._repr_html_() for each in (grader.check_all(), grader.next()))))
    assert "0 von 7 Punkten in den öffentlichen Tests." in html
    assert engine_english_in(text + html) == []
    assert spoken() == "en"


def test_what_a_notebook_prints_is_german(
    cells: Callable[..., notebook.Grader], capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where there is nothing to do."""
    grader = cells("def row_means(x):\n    return x.sum(-1)")
    grader.debug("row_means")
    assert grader.train() is grader.play() is None
    grader.examples.hidden_in_notebook({}, "row_means.hidden_rows")
    text = capsys.readouterr().out
    for says in (
        "Der Test läuft in diesem Prozess",
        "Hier wird nichts trainiert",
        "Hier gibt es keine play.py.",
        "row_means.hidden_rows ist verborgen",
    ):
        assert says in text
    assert engine_english_in(text) == []


def test_tests_for_pytest_speak_german(home: Path) -> None:
    """Their verdicts, and what they say of changed numbers."""
    examples = Examples(home)
    assert examples.verdict("row_means.two_rows", [], [])[1].startswith("Die Zahlen in diesem Test sind nicht mehr")
    trial = examples.bundle.trials[0]
    (outcome,) = examples.bundle.expected(trial)
    status, text = examples.verdict("row_means.two_rows", trial.calls, [outcome.value])
    assert status == "FAILED"
    assert "Der kleinste Aufruf, der scheitert, ist row_means(x) mit" in text


def test_an_experiment_speaks_german(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From what it asks to how far a prediction was off."""
    (home / "means.py").write_text("def row_means(x):\n    return sum(x) / len(x)\n", encoding="utf-8")
    assert predict_then_run(home, EXPERIMENT, []) == 0
    assert predict_then_run(home, EXPERIMENT, ["run"]) == predict_then_run(home, EXPERIMENT, ["predict", "1"]) == 2
    assert predict_then_run(home, EXPERIMENT, ["predict", "2", "1"]) == 0
    assert predict_then_run(home, EXPERIMENT, ["run"]) == 0
    assert predict_then_run(home, EXPERIMENT, ["predict", "2", "3"]) == 2
    text = "".join(capsys.readouterr())
    for says in (
        "python experiment.py predict ZAHL_1 ZAHL_2",
        "Sag zuerst voraus",
        "Sag 2 Zahlen voraus, je eine für: one, two.",
        "Notiert.",
        "Einstellung  Vorhersage    Ergebnis",
        "nahe dran",
        "2 Zehnerpotenzen zu klein",
        "also bleibt deine Vorhersage",
    ):
        assert says in text
    assert engine_english_in(text) == []


def test_a_play_speaks_german(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The program speaks it from where it loads the student's code on; its page says so."""
    contextvars.copy_context().run(student_module, home, "means.py")
    assert capsys.readouterr().out == "Dein Code: means.py\n"
    with speaking("de"):
        kept = home / "play.npz"
        kept_or_learned(kept, lambda: 7, lambda _: 0, lambda _, path: path.write_bytes(b""), fresh=False)
        kept_or_learned(kept, lambda: 7, lambda _: 0, lambda _, path: path.write_bytes(b""), fresh=False)
        html = page("Spiel", {"Loss": curve([3.0, 1.0]), "nichts": curve([])})
    assert capsys.readouterr().out == "Aufgehoben in play.npz.\nplay.npz geladen; --fresh trainiert neu.\n"
    assert '<html lang="de">' in html
    assert 'aria-label="Loss über den Schritten, von 3,00 bis 1,00"' in html
    assert "Es gibt keine Losses zu zeichnen." in html


def test_a_training_at_home_speaks_german() -> None:
    """What it says of its place, of the steps, and of what grading adds."""
    (home,) = home_trainings(german("t3_learning"))
    case = CaseResult("first_steps", "Die Losses stimmen.", Visibility.PUBLIC, Status.PASSED)
    with speaking("de"):
        text = training_as_text(ExerciseResult("train_line", 1.0, 3.0, (case,)), home, 100)
        text += tell_place(Parting(0, 2.0, 1.0), home) + tell_place(Parting(3, 2.0, 1.0), home)
    for says in (
        "vom selben Start wie bei allen",
        "So bewertet geben die ersten Schritte",
        "--long macht hier den ganzen Lauf.",
        "das kommt vom ersten Vorwärtsschritt.",
        "die Schritte davor stimmen überein.",
        "Sieh zuerst dort nach.",
    ):
        assert says in " ".join(text.split())
    assert engine_english_in(" ".join(text.split())) == []


def test_a_handout_is_german(files: dict[str, bytes], tmp_path: Path) -> None:
    """Its prose and the comments of its programs, in a repository too; the assignment's own text stays."""
    readme = files["README.md"].decode()
    assert readme.startswith("# Means, and what is left without them")
    assert "## Was in diesem Ordner liegt" in readme
    cells = json.loads(files["means.ipynb"])["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells)
    assert "**So funktioniert dieses Notebook.**" in text
    assert "**Alles auf einmal.**" in text
    write_repository(files, tmp_path / "repository")
    pushed = [
        (tmp_path / "repository" / name).read_text("utf-8") for name in ("README.md", ".github/workflows/check.yml")
    ]
    assert "## Die Prüfung auf GitHub" in pushed[0]
    assert 'told="Dieser Lauf ist rot' in pushed[1]
    programs = [files[name].decode() for name in ("check.py", "conftest.py", "test_means.py")]
    assert engine_english_in("\n".join([readme, text, *pushed, *programs]), " is not written yet") == []
    for program in programs:
        ast.parse(program)


def test_comments_of_programs_are_said() -> None:
    """None in a template of a program or of the notebook's code stays English in every language."""
    for path in sorted(TEMPLATES.glob("*.txt")):
        assert re.findall(r"(?<!\S)#(?! *\{\{ say\()(.+)", path.read_text("utf-8")) == [], path.name


def test_solutions_are_german() -> None:
    """The sheet, the first line of the file, and the notebook."""
    found = {
        name: data.decode()
        for name, data in solution_files(COURSE, german()).items()
        if name != "LICENSE" and "/" not in name
    }
    assert found["means.py"].startswith("# Lösungen, für Studierende erst nach der Abgabefrist.\n")
    sheet = found["SOLUTIONS.md"]
    assert "**Für Studierende, erst nach der Abgabefrist.**" in sheet
    assert "    row_means(x) mit\n" in sheet
    assert "    gibt np.array([3.0, 6.0])\n" in sheet
    assert "<b>Was schiefgeht</b>: 2 bekannte Fehler bei row_means" in found["means.ipynb"]
    assert engine_english_in("\n".join(found.values()), " instead of ") == []
