"""What a student of a German course reads around the messages: trainings, quizzes, the terminal, and what was handed in."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import COURSE
from test_carried_mistakes import STALLS, UNKNOWN, UPHILL
from test_language import english_in, sentences, told

from autograder.classroom.run import grade_one
from autograder.classroom.submissions import Submission, read_submissions
from autograder.course.catalog import load_assignment, readme_of
from autograder.course.language import speaking
from autograder.course.quiz_checks import answered, choice
from autograder.course.spec import Answer, Assignment, Exercise, call
from autograder.judge import manual_answers
from autograder.judge.checks import close
from autograder.judge.grade import grade
from autograder.judge.messages import explain_ending
from autograder.judge.reason_sentences import explain_reason
from autograder.judge.reasons import Relation
from autograder.judge.related import CONSTANTS
from autograder.judge.relation_sentences import relation_named
from autograder.judge.result import Result
from autograder.judge.terminal_text import result_as_text
from autograder.judge.training_outcome import explain_pace, explain_run
from autograder.oracle.larger_run import tell_larger
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox import endings
from autograder.sandbox.child.wire_format import WireError, encode
from autograder.sandbox.endings import why_ended
from autograder.sandbox.job import Ending, Outcome, Sandbox, Source, Trouble
from autograder.submission.written_exercises import Stub

STUB = Stub("attention.py", exercises=frozenset({"attention", "scores"}), language="de")
CODE = b"import numpy as np\n\n\ndef attention(Q, K, V):\n    return Q\n"


@pytest.fixture(scope="module")
def line() -> Assignment:
    """The assignment whose line learns, in a German course."""
    return replace(load_assignment(COURSE, "t3_learning"), language="de")


def trained(line: Assignment, sandbox: Sandbox, *edits: tuple[str, str]) -> Result:
    """Grade the reference with some of its text replaced, its training included."""
    text = line.reference
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    trainer, source = Trainer(Oracle(line, 5)), Source.of("line.py", text)
    return trainer.add_to(grade(source, trainer.oracle, sandbox), source, sandbox)


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        ((UNKNOWN,), ("Bei Schritt 2 ist der Loss ", "`gradient` wird hier benutzt und ist noch nicht richtig; bring zuerst das in Ordnung.", "Nicht gemessen: Schon die ersten Schritte sind anders.", "Vom selben Start aus")),
        ((UPHILL,), ("`gradient` kostet in der eigenen Aufgabe Punkte und hier nicht noch einmal: Mit diesem Fehler hat die Referenz dieselben ersten Losses.",)),
        ((("return x @ w", STALLS), ("import numpy as np", "import numpy as np\ncalls = []")), ("; verlangt ist: 1e-07 bis 0,1.",)),
        ((("def gradient", "def gradiant"),), ("Führe training.py aus, dann siehst du alles.", "Nicht gemessen: Der Lauf brach in den ersten Schritten ab.")),
        ((("import numpy as np", "import os\nos._exit(0)"),), ("Die Datei konnte nicht importiert werden.",)),
    ],
)  # fmt: skip
def test_a_training_is_told_in_german(
    line: Assignment, sandbox: Sandbox, edits: tuple[tuple[str, str], ...], says: tuple[str, ...]
) -> None:
    """Its first losses, its metrics, and what is charged elsewhere."""
    result = trained(line, sandbox, *edits)
    text = told(result) + "\n".join(case.claim for case in result.exercises[-1].cases)
    assert [part for part in says if part not in text] == []
    assert english_in(text) == []


def test_why_a_training_came_to_no_end_is_told_in_german(line: Assignment) -> None:
    """Time, memory of either kind, and a pace that leads nowhere."""
    (training,) = line.trainings
    source, late = Source.of("line.py", ""), Outcome(Ending.TIMEOUT, curve=((0, 1.0), (6, 0.5)))
    larger = replace(training, device="cuda:0", device_mb=900)
    with speaking("de"):
        text = explain_run(late, source, training, 9.0).text
        assert text == "Der Lauf war nach 9 s nicht fertig und wurde abgebrochen. Er hatte 7 von 200 Schritten gemacht."
        full = Outcome(Ending.MEMORY)
        assert "MB, die ein Training benutzen darf" in explain_run(full, source, training, 9.0).text
        assert "900 MB von cuda:0" in explain_run(full, source, larger, 9.0).text
        assert explain_run(Outcome(Ending.DIED), source, training, 9.0).text == "Der Lauf endete ohne Ergebnis."
        assert "kommen aber langsam" in explain_pace(60.0, training)
        nothing = Outcome(Ending.RETURNED, {"losses": None})
        told_larger = tell_larger(larger, (), source, nothing, nothing)
    assert "Auf cuda:0 wurde auch ein größeres Modell trainiert" in told_larger
    assert "Es gibt keine zu vergleichen" in told_larger
    assert english_in(told_larger + text) == []


def answers(value: Any) -> tuple[Answer, ...]:
    """Return what one call gave."""
    return (Answer(value),)


def test_a_quiz_is_told_in_german() -> None:
    """What is no dict, what is open, and what is no letter."""
    right = answers({"one": "a", "two": "b"})
    few, any_letter = answered(("a", "b")), answered(("a", "b"), (("one", ("a", "b", "c")),))
    with speaking("de"):
        found = [
            few.judge((), answers([]), right),
            few.judge((), answers({"one": "", "two": 7}), right),
            any_letter.judge((), answers({"one": None, "two": [1]}), right),
            any_letter.judge((), answers({"one": "z", "two": "b"}), right),
            choice("one").judge((), answers({}), right),
            choice("one").judge((), answers({"one": "b"}), right),
        ]
    texts = [finding.headline for finding in found if finding]
    assert texts == [
        "Du hast kein Dict mit einem Buchstaben für jede Frage zurückgegeben.",
        "Noch keine Antwort auf one. Schreib für jede Frage einen der Buchstaben a, b. two: 7 ist keiner der Buchstaben a, b.",
        (
            "Noch keine Antwort auf one. Schreib für jede Frage den Buchstaben einer Antwort. "
            "two: was du geschrieben hast ist keiner der Buchstaben a, b."
        ),
        "one: 'z' ist nicht der Buchstabe einer Antwort.",
        "Diese Frage hat noch keine Antwort.",
        "Diese Antwort ist nicht die beste.",
    ]


def test_the_terminal_is_in_german(edited: Callable[..., str], sandbox: Sandbox) -> None:
    """Beside the words for how a case ended, which are names."""
    oracle = Oracle(replace(load_assignment(COURSE, "t1_means"), language="de"), 3)
    text = "print('hi')\n" + edited(row_means="return x.sum(-1)", center="raise NotImplementedError")
    result = grade(Source.of("means.py", text), oracle, sandbox)
    first, *others = result.exercises
    person = replace(first, name="essay", score=0.0, max_score=1.0, cases=(), answer="so", bonus=True)
    quiz = replace(first, name="quiz", score=0.0, max_score=0.0, cases=())
    waiting = replace(first, name="later", cases=tuple(replace(case, waits_for="center") for case in first.failing))
    after = replace(first, name="after", cases=(replace(first.cases[0], follows=("center",)),))
    result = replace(
        result, exercises=(first, *others, person, quiz, waiting, after), notes=("NameError: x\n  means.py, line 1",)
    )
    with speaking("de"):
        shown = result_as_text("means", result)
    flat = " ".join(shown.split())
    for part in (
        "1 weiterer Test dieser Aufgabe scheitert: means_of_any_shape",
        "ausgefüllt von einem Menschen bewertet, 1 Punkt, Bonus",
        "later",
        ", wartet auf center",
        "ausgehend von deinem center",
        "Beim Importieren deiner Datei ausgelassen: NameError: x",
        "Deine Datei hat beim Importieren ausgegeben: hi",
        "Punkten bei den öffentlichen Tests. Bei der Bewertung kommen verborgene Tests dazu; beurteilt wird dann auch: quiz.",
    ):
        assert part in flat
    assert english_in(shown) == []


def test_counts_take_their_singular() -> None:
    """In English, too."""
    found = close().judge((), answers(np.array([1.0, 2.0])), answers(np.array([1.0, 3.0])))
    assert found
    assert found.headline == "1 of 2 values differs, the first at [1]: 2 instead of 3."
    found = close().judge((), answers(np.array([1.0, np.nan])), answers(np.array([1.0, 3.0])))
    assert found
    assert found.headline == "1 of 2 values is NaN or infinite, the first at [1]."


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("import os\nos._exit(3)", "Dein Code hat den Python-Prozess beendet (Exit-Code 3), also"),
        ("import ctypes\nctypes.string_at(0)", "(Signal SIGSEGV)"),
        (
            "out = []\nfor _ in range(99):\n    out = [out]\nreturn out",
            "(mehr als 32 Ebenen tief verschachtelt); meistens",
        ),
        ("return [0.5] * 20_000", "(mehr als 10000 Werte); meistens"),
        ("return np.array([None])", "Zurückgegeben: Array von object; erwartet: numpy-Array mit Shape (2,)."),
        ("return 10**30", "Zurückgegeben: sehr große ganze Zahl; erwartet: "),
    ],
)
def test_why_a_call_ended_is_told_in_german(edited: Callable[..., str], sandbox: Sandbox, body: str, says: str) -> None:
    """Also where the child's own words say it."""
    oracle = Oracle(replace(load_assignment(COURSE, "t1_means"), language="de"), 3)
    result = grade(Source.of("means.py", edited(row_means=body)), oracle, sandbox)
    text = told(replace(result, exercises=result.exercises[:1]))  # what builds on it crashes, which is another matter
    assert says in text
    assert english_in(text) == []


def test_every_sentence_on_why_a_run_ended_is_understood() -> None:
    """With its values; in English it stays as it is, and what is none of these does too."""
    said = [key for key, modules in sentences().items() if "sandbox/endings.py" in modules]
    assert len(said) > 20
    for sentence in said:
        text = re.sub(r"\{\d\}", "17", sentence)
        assert why_ended(text) == text
        with speaking("de"):
            assert why_ended(text) != text
    with speaking("de"):
        assert why_ended(endings.NOT_STARTED.format(endings.SILENT.format("60"))) == (
            "sein Prozess ist nicht gestartet: in 60 s kam nichts von ihm"
        )
        assert why_ended("Segmentation fault {0}") == "Segmentation fault {0}"


def test_the_child_s_words_for_an_answer_that_cannot_be_sent_are_known() -> None:
    """It imports nothing of ours, so the words stand in two places."""
    deep: list[Any] = []
    for _ in range(99):
        deep = [deep]
    for tree in (deep, [0] * 20_000, ["x" * 2_000_000]):
        with pytest.raises(WireError) as error:
            encode(tree)
        with speaking("de"):
            assert why_ended(str(error.value)) != str(error.value)


def test_what_happened_before_is_told_in_german(line: Assignment) -> None:
    """The reason stands in brackets."""
    waited = Outcome(Ending.NOT_RUN, trouble=Trouble("", endings.WAITING))
    case = line.cases[0]
    with speaking("de"):
        message = explain_ending(waited, case.visibility, Source.of("line.py", ""), line.limits, call(), "f", {})
    assert message.text == "Nicht ausgeführt, weil vorher etwas schiefging (er wartete auf etwas, das nicht kam)."


def zipped(**files: bytes) -> bytes:
    """Pack files; a double underscore stands for a dot."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return buffer.getvalue()


def cells(*texts: str) -> bytes:
    """Return a notebook with these cells of code."""
    made = [{"cell_type": "code", "source": text, "outputs": [], "metadata": {}} for text in texts]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made}).encode()


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("ada.py", b"PK\x03\x04", "ist ein Zip-Archiv, auch wenn der Name anderes sagt. Gib die Python-Datei selbst ab."),
        ("ada.py", b"x = 1\n\0", "enthält in Zeile 2 ein NUL-Byte und ist also keine Textdatei. Speichere sie als UTF-8"),
        ("ada.py", b"# coding: rot13\n", "als Kodierung rot13 an. Speichere sie als UTF-8"),
        ("ada.py", b"# coding: nothing\n", "lässt sich nicht lesen: Die Kodierung ist unklar"),
        ("ada.py", bytes(range(128, 256)) + bytes(range(1, 32)) * 9, "ist keine Textdatei. Gib die Python-Datei selbst ab."),
        ("ada.py", b"#" * (300 << 10), "ist zu groß: 300 KB oder mehr, erlaubt sind 256 KB. Gib nur den Code ab"),
        ("ada.ipynb", b'{"cells": [', "ist kein lesbares Notebook: Es bricht ab oder ist beschädigt. Öffne es"),
        ("ada.ipynb", b"{}", "ist kein Notebook: Es hat keine Zellen. Speichere es noch einmal aus Jupyter heraus."),
        ("ada.ipynb", cells("x = '\0'"), "Zelle 1 von ada.ipynb enthält ein NUL-Zeichen."),
        ("ada.ipynb", cells("#" * (300 << 10)), "enthält mehr als 256 KB Code. Nimm heraus"),
        ("ada.zip", zipped(), "ada.zip ist leer. Gib attention.py ab."),
        ("ada.zip", zipped(notes__txt=b"hi"), "enthält keine Python-Datei und kein Notebook, nur notes.txt. Gib attention.py, ein Notebook"),
        ("ada.zip", zipped(notes__7z=b"hi"), "notes.7z ist ein 7-Zip-Archiv, und das wird hier nicht geöffnet. Entpacke es"),
        ("ada.zip", zipped(check__py=b"1"), "enthält nur Hilfsdateien, und keine heißt attention.py: check.py. Benenne deine"),
        ("ada.zip", zipped(a__py=b"1", b__py=b"2"), "enthält mehrere Python-Dateien, und keine heißt attention.py: a.py, b.py."),
        ("ada.zip", b"no archive", "lässt sich nicht öffnen: Es ist beschädigt oder kein Zip-Archiv."),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_in_german(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    """In English where the course has no language; the class is read in both."""
    (tmp_path / "bob.py").write_bytes(CODE)
    (tmp_path / name).write_bytes(data)
    ada, bob = read_submissions(tmp_path, STUB)
    assert bob.source
    assert says in ada.problem
    assert english_in(ada.problem) == []
    english, _ = read_submissions(tmp_path, replace(STUB, language="en"))
    assert english_in(english.problem)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"attention__py": CODE, "attention__ipynb": cells(CODE.decode(), "def scores(): pass")}, "attention.ipynb (2 Aufgaben geschrieben) und attention.py (1) sind beide anders als die Vorlage. Bewertet wird attention.ipynb"),
        ({"attention__py": CODE, "attention__ipynb": b"{}"}, "Bewertet wird attention.py, denn die andere Datei lässt sich nicht lesen: attention.ipynb ist kein Notebook"),
        ({"one__py": CODE, "two__py": CODE + b"\ndef scores(): pass\n"}, "one.py (1), two.py (2) sind anders als die Vorlage, und keine Datei heißt attention.py."),
        ({"mine__py": CODE}, "die Datei heißt mine.py, nicht attention.py"),
        ({"attention__py": b"# caf\xe9\n" + CODE}, "ist nicht UTF-8 (Zeile 1) und wurde als Windows-1252 gelesen"),
        ({"attention__py": CODE, "attention (1)__py": CODE}, "attention.py zählt; nicht gelesen: attention (1).py"),
        ({"attention__py": CODE, "new__zip": zipped(attention__py=CODE + b"\ndef scores(): pass\n")}, "Bewertet wird attention.py (1 Aufgabe geschrieben) wegen Name und Ort; nicht bewertet: new.zip: attention.py (2)"),
        ({"attention__py": CODE, "new__zip": b"no archive"}, "Bewertet wird attention.py, denn eine andere Datei lässt sich nicht lesen: new.zip lässt sich nicht öffnen"),
    ],
)  # fmt: skip
def test_which_file_counts_is_told_in_german(tmp_path: Path, files: dict[str, bytes], says: str) -> None:
    """As notes beside the grade."""
    (tmp_path / "ada.zip").write_bytes(zipped(**files))
    (ada,) = read_submissions(tmp_path, STUB)
    notes = "\n".join(ada.notes)
    assert says in notes
    assert english_in(notes) == []


def test_what_the_grader_itself_failed_at_is_told_in_german(
    line: Assignment, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    """With Python's own words in brackets; and an unreadable file's trainings, too."""
    monkeypatch.setattr("autograder.classroom.run.RETRY_SECONDS", 0)

    def fails(*_: object) -> Result:
        raise OSError("too many open files")

    monkeypatch.setattr("autograder.classroom.run.grade", fails)
    trainer = Trainer(Oracle(line, 5))
    failed = grade_one(trainer, Submission("ada", "ada.py", Source.of("line.py", "")), sandbox).result
    assert failed.problem.startswith(
        "Hier ist der Grader selbst gescheitert. Das liegt nicht an dir. (OSError: too many"
    )
    unread = grade_one(trainer, Submission("ada", "ada.py", None, "kaputt"), sandbox).result
    claims = "\n".join(case.claim for case in unread.exercises[-1].cases)
    assert "Vom selben Start aus" in claims
    assert english_in(told(failed) + claims) == []


def test_answers_for_a_person_are_told_in_german(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one is too long."""
    monkeypatch.setattr(manual_answers, "MOST", 10)
    assignment = replace(load_assignment(COURSE, "t1_means"), language="de")
    essay = Exercise("why", 1.0, (), manual=True)
    asked = replace(assignment, exercises=(*assignment.exercises, essay))
    source = Source.of("means.py", f"{assignment.reference}\nwhy = 'abcdefghijklm'\n")
    answer = grade(source, Oracle(asked, 3), sandbox).exercises[-1].answer
    assert answer == "abcdefghij\n(Die Antwort ist länger. Gelesen werden die ersten 10 Zeichen.)"


def test_everything_that_a_relation_names_is_said_in_german() -> None:
    """Lengths, counts, several at once, and parts of an answer."""
    with speaking("de"):
        assert relation_named("the length of axis 0 of `x` or the number of True in `mask`") == (
            "die Länge von Achse 0 von `x` oder die Anzahl der True in `mask`"
        )
        assert relation_named("float16 or bfloat16") == "float16 oder bfloat16"
        assert relation_named("all axes") == "alle Achsen"
        assert [relation_named(name) for name in CONSTANTS] == list(CONSTANTS)
        said = explain_reason(Relation("f", ("zero",), "gradient of W_q.weight"))
        assert said == "`Gradient von W_q.weight`: Deine Antwort ist überall null."
        said = explain_reason(Relation("f", ("zero",), "gradient of argument 2"))
        assert said == "`Gradient von Argument 2`: Deine Antwort ist überall null."


def test_a_composed_text_says_in_german_what_is_left_out(tmp_path: Path) -> None:
    """And what the engine itself claims of a quiz."""
    ours = COURSE.parents[1].as_posix()
    text = f'language = "de"\nfrom = "{ours}"\n[assignment.a1_rnn]\nwithout = ["generate"]\n'
    (tmp_path / "course.toml").write_text(text, encoding="utf-8")
    assert "Dieser Kurs lässt `a4_seq2seq`, `generate` weg." in readme_of(tmp_path, "a1_rnn")
    claims = [case.claim for case in load_assignment(tmp_path, "a1_rnn").cases if case.exercise == "quiz"]
    assert "Jede Frage hat den Buchstaben einer ihrer Antworten; ob es der richtige ist, zeigt die Bewertung." in claims
