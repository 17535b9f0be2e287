"""Feedback goes back to where the class came from, once, and again where it changed."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from canvas_server import TOKEN, CanvasServer, canvas
from lms_exports import EXPORTS, SAKAI_SPANISH, filled, zipped

from autograder.cli import main
from autograder.pages import returns

Command = Callable[..., str]
MOODLE = {
    "Ada Lovelace_11_assignsubmission_file/means.py": "RIGHT",
    "Bob Ross_12_assignsubmission_file/means.py": "def row_means(x):\n    return 0\n",
    "Eve_13_assignsubmission_file/means.py": "import nothing_of_that_name\n",
}
CANVAS = {
    "lovelaceada_11_901_means.py": "RIGHT",
    "rossbob_12_902_means.py": "def row_means(x):\n    return 0\n",
    "eve_13_903_means.py": "import nothing_of_that_name\n",
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs a command and returns what it prints, or what it says as it fails."""

    def of(*words: object, code: int = 0) -> str:
        monkeypatch.setattr("sys.argv", ["autograder", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr()
        assert (left.value.code or 0) == code, said
        return said.out + said.err

    return of


def graded(works: dict[str, str], run: Command, assignment: object, folder: Path, course: Path) -> Path:
    """Grade a class with right and wrong submissions, and return its folder."""
    for name, text in works.items():
        path = folder / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(assignment.reference if text == "RIGHT" else text, encoding="utf-8")
    words = ("grade", "t1_means", folder / "class", "-o", folder / "out", "--seed", 5, "--course", course)
    run(*words, "--accept-unsandboxed")
    return folder / "out"


def give_roster(text: str, run: Command, folder: Path, course: Path) -> None:
    """Grade the class of `graded` once more, with a roster."""
    (folder / "roster.csv").write_text(text)
    words = ("grade", "t1_means", folder / "class", "-o", folder / "out", "--course", course, "--accept-unsandboxed")
    run(*words, "--roster", folder / "roster.csv")


def test_what_changed_goes_back_to_moodle(run: Command, assignment: object, course: Path, tmp_path: Path) -> None:
    """First everyone; then none; after a decision about one, that one."""
    out = graded(MOODLE, run, assignment, tmp_path, course)
    assert "3 of 3 to be given to moodle: new, or changed" in run("return", out, "--to", "moodle", "--dry-run")
    assert not (out / "returned").exists()
    said = run("return", out, "--to", "moodle")
    assert "Upload multiple feedback files" in said
    assert "Points go over as they are, so the assignment's maximum there has to be 7." in said
    with zipfile.ZipFile(out / "returned/moodle-1/moodle-feedback.zip") as file:
        assert sorted({name.partition("/")[0] for name in file.namelist()}) == sorted({n.split("/")[0] for n in MOODLE})
        page = next(name for name in file.namelist() if name.startswith("Bob"))
        assert file.read(page) == next((out / "feedback").glob("Bob*")).read_bytes()
    assert "0 of 3 to be given" in run("return", out, "--to", "moodle")
    bob = next((out / "feedback").glob("Bob*")).stem
    run("override", bob, "center", 1, "--because", "Half of it is right.", "--out", out)
    assert "1 of 3 to be given" in run("return", out, "--to", "moodle")
    with (out / "returned/moodle-2/moodle.csv").open(newline="", encoding="utf-8") as file:
        assert [row["Identifier"] for row in csv.DictReader(file)] == ["Participant 12"]
    assert "3 of 3 to be given" in run("return", out, "--to", "moodle", "--all")


@pytest.mark.parametrize(("maximum", "told"), [("100,00", True), ("7.00", False), ("", False)])
def test_moodles_other_maximum_is_told(
    maximum: str, told: bool, run: Command, assignment: object, course: Path, tmp_path: Path
) -> None:
    """Nothing is scaled in silence; the worksheet of another assignment says nothing of this one."""
    out = graded(MOODLE, run, assignment, tmp_path, course)
    roster = tmp_path / "worksheet.csv"
    words = ("grade", "t1_means", tmp_path / "class", "-o", out, "--course", course, "--roster", roster)
    for first, here in ((90, False), (11, told)):
        names = enumerate(("Ada Lovelace", "Bob Ross", "Eve"), first)
        lines = [f"Participant {n};{name};{name[0]}@x.edu;{maximum}\n" for n, name in names]
        roster.write_text("".join(["Identifier;Full name;Email address;Maximum grade\n", *lines]))
        assert (
            "maximum grade is 100 there, and the assignment has 7 points" in run(*words, "--accept-unsandboxed")
        ) is here
    assert ("set the maximum grade to 7" in run("return", out, "--to", "moodle")) is told


def test_mail_goes_to_whom_the_roster_gives_an_address(
    run: Command, assignment: object, course: Path, tmp_path: Path
) -> None:
    """A message that a mail program opens, with the page in it; who has no address is named and not noted as given."""
    out = graded({"ada.py": "RIGHT", "bob.py": "x = 1\n"}, run, assignment, tmp_path, course)
    give_roster("id,name,email\nada,Ada Lovelace,ada@example.edu\nbob,Bob,\n", run, tmp_path, course)
    assert "--from" in run("return", out, "--to", "mail", code=2)
    said = run("return", out, "--to", "mail", "--from", "ta@example.edu")
    assert "for each of 1;" in said
    assert "bob" in said
    mail = message_from_bytes((out / "returned/mail-1/ada.eml").read_bytes(), policy=default)
    assert (mail["To"], mail["From"]) == ("ada@example.edu", "ta@example.edu")
    (page,) = mail.iter_attachments()
    assert page.get_content().splitlines() == (out / "feedback/ada.html").read_text(encoding="utf-8").splitlines()
    assert "1 of 2 to be given" in run("return", out, "--to", "mail", "--from", "ta@example.edu", "--dry-run")


def test_a_senders_name_is_written_as_every_mail_program_reads_it(
    run: Command, assignment: object, course: Path, tmp_path: Path
) -> None:
    """Only an address with other letters takes mail servers that know them."""
    out = graded({"ada.py": "RIGHT"}, run, assignment, tmp_path, course)
    give_roster("id,name,email\nada,Ada Lovelace,ada@example.edu\n", run, tmp_path, course)
    run("return", out, "--to", "mail", "--from", "Jörg Müller <jm@example.edu>")
    written = (out / "returned/mail-1/ada.eml").read_bytes()
    assert written.partition(b"\r\n\r\n")[0].isascii()
    assert message_from_bytes(written, policy=default)["From"] == "Jörg Müller <jm@example.edu>"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[CanvasServer]:
    """Return a stand-in for Canvas, whose token is in the environment."""
    monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
    with canvas() as opened:
        yield opened


def test_canvas_is_given_each_student_once(
    run: Command,
    assignment: object,
    course: Path,
    tmp_path: Path,
    server: CanvasServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It fails for one of three: the next run gives what is left, also where a run was killed before it could note it."""
    out = graded(CANVAS, run, assignment, tmp_path, course)
    give = ("return", out, "--to", "canvas-api", "--url", f"{server.url}/courses/7/assignments/42")
    assert "13): Means" in run(*give, "--dry-run")
    assert server.comments == {}
    server.fails_for = {"12"}
    assert "Canvas answered 500" in run(*give, code=2)
    assert len(server.comments) < 3
    server.fails_for = set()
    with monkeypatch.context() as patch:
        patch.setattr(returns, "note_given", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(BaseException):  # noqa: B017, PT011 (a run that is killed)
            run(*give)
    run(*give)
    assert {user: len(comments) for user, comments in server.comments.items()} == {"11": 1, "12": 1, "13": 1}
    assert server.scores["11"] == assignment.max_score
    assert all(page.startswith(b"<!DOCTYPE html>") for _, page in server.pages.values())
    assert "0 of 3 to be given" in run(*give)


@pytest.mark.parametrize(
    ("token", "place", "said"),
    [
        ("wrong", "/courses/7/assignments/42", "New Access Token"),
        (TOKEN, "/courses/7/assignments/43", "404"),
        (TOKEN, "/courses/7", "as the browser shows it"),
        (TOKEN, "/courses/8/assignments/42", "is not Canvas. Look at --url."),
        ("", "/courses/7/assignments/42", "Set CANVAS_TOKEN"),
    ],
)
def test_what_canvas_refuses_is_told_with_what_to_do(
    token: str,
    place: str,
    said: str,
    run: Command,
    grade_files: Callable[..., tuple[Path, object]],
    server: CanvasServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A wrong token, number or address; nothing is given."""
    monkeypatch.setenv("CANVAS_TOKEN", token)
    out, _ = grade_files({"lovelaceada_11_901_means.py": b"x = 1\n"})
    assert said in run("return", out, "--to", "canvas-api", "--url", server.url + place, code=2)
    assert server.comments == {}


def test_a_reader_who_has_gone_is_no_trouble(
    run: Command, grade_files: Callable[..., tuple[Path, object]], course: Path, tmp_path: Path
) -> None:
    """As in `autograder return graded --to mail --dry-run | head -1`: nothing is said of files that are whole."""
    out, _ = grade_files({"ada.py": b"x = 1"})
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "ada.py").write_text("x = 2")
    (tmp_path / "roster.csv").write_text("id,email\nada,ada@x.edu\n")
    words = ("grade", "t1_means", tmp_path / "again", "-o", out, "--roster", tmp_path / "roster.csv")
    run(*words, "--course", course, "--accept-unsandboxed")
    (tmp_path / "again" / "ada.py").write_text("x = 3")
    gone, pipe = os.pipe()
    os.close(gone)
    for words in (
        ("return", out, "--to", "mail", "--from", "ta@example.edu", "--dry-run"),
        ("report", out),
        ("grade", "t1_means", tmp_path / "again", "-o", out, "--course", course, "--accept-unsandboxed"),
    ):
        for unbuffered in ("1", ""):  # the pipe breaks at once, or at the end
            done = subprocess.run(
                [sys.executable, "-m", "autograder", *map(str, words)],
                stdout=pipe,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
                check=False,
            )
            assert (words[0], done.stderr) == (words[0], "")
    os.close(pipe)


def test_an_unknown_place_is_refused(run: Command, grade_files: Callable[..., tuple[Path, object]]) -> None:
    """With those that are known."""
    out, _ = grade_files({"ada.py": b"x = 1\n"})
    assert "brightspace, canvas, ilias, moodle" in run("return", out, "--to", "modle", code=2)


def test_a_platform_that_knows_nobody_gets_nothing(
    run: Command, assignment: object, tmp_path: Path, course: Path
) -> None:
    """Its sheet would have no line that it can match; what to do instead is said, and nothing counts as given."""
    out = graded({"ada.py": "RIGHT", "bob.py": "x = 1"}, run, assignment, tmp_path, course)
    said = run("return", out, "--to", "moodle", code=2)
    assert "None of these submissions came from moodle, and no roster says who the students are there." in said
    assert "--roster FILE.csv" in said
    assert "--to mail" in said
    assert "None of the 2 students has an email." in run("return", out, "--to", "mail", "--from", "ta@x.edu", code=2)
    assert not (out / "returned").exists()


def test_of_files_without_a_platform_a_roster_says_what_can_go_where(
    run: Command, assignment: object, tmp_path: Path, course: Path
) -> None:
    """Moodle's worksheet goes by its export's numbers, which no roster of ids has; pages go by mail or by hand."""
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,email\nada,Ada,ada@x.edu\n")
    out = graded({"ada.py": "RIGHT"}, run, assignment, tmp_path, course)
    words = ("grade", "t1_means", tmp_path / "class", "-o", out, "--roster", roster)
    run(*words, "--course", course, "--accept-unsandboxed")
    said = run("return", out, "--to", "moodle", code=2)
    assert "no roster" not in said
    assert f"import {out / 'exports' / 'moodle.csv'}" in said
    assert "import" not in run("return", out, "--to", "ilias", code=2)
    said = run("return", out, "--to", "canvas")
    assert f"--to mail sends these pages, or hand them out from {out / 'feedback'}." in said


def test_points_of_who_handed_in_nothing_are_told(
    run: Command, assignment: object, tmp_path: Path, course: Path
) -> None:
    """A person may give some; there is no page that could be given."""
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,email\nada,Ada,ada@x.edu\ngus,Gus,gus@x.edu\n")
    out = graded({"ada.py": "RIGHT"}, run, assignment, tmp_path, course)
    run(
        "grade",
        "t1_means",
        tmp_path / "class",
        "-o",
        out,
        "--roster",
        roster,
        "--course",
        course,
        "--accept-unsandboxed",
    )
    said = run("override", "gus", "row_means", "1", "--because", "was ill", "-o", out, "--course", course)
    assert "gus handed in nothing, so there is no page for them" in said
    assert "In Canvas: Grades, Import the sheet." in run("return", out, "--to", "canvas")  # by the roster's ids
    assert "0 of 1 to be given" in run("return", out, "--to", "canvas")
    said = run("return", out, "--to", "mail", "--from", "ta@x.edu")
    assert "1 handed in nothing and has points, but no page; see grades.csv: gus." in said


def worksheet(folder: Path, text: str) -> Path:
    """Write a worksheet as Moodle gives it out, with the mark at its beginning that Excel wants."""
    path = folder / "Bewertungen.csv"
    path.write_text(text, encoding="utf-8-sig")
    return path


GERMAN = (
    "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Bewertung kann geändert werden,"
    "Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar\n"
    'Teilnehmer/in11,Ada Lovelace,ada@x.edu,Zur Bewertung abgegeben,,"7,00",Ja,"Sonntag, 1. März 2026, 16:00",-,\n'
    'Teilnehmer/in12,Bob Ross,bob@x.edu,Zur Bewertung abgegeben,,"7,00",Ja,"Sonntag, 1. März 2026, 17:00",-,\n'
    'Teilnehmer/in14,Gil Strang,gil@x.edu,Keine Abgabe,"1,50","7,00",Ja,-,-,-1\n'
)


def test_moodles_own_worksheet_is_filled_in_its_language(
    run: Command, assignment: object, course: Path, tmp_path: Path
) -> None:
    """Moodle looks for the headings of its user's language, and cuts the word for a participant off by its length."""
    out = graded(MOODLE, run, assignment, tmp_path, course)
    said = run("return", out, "--to", "moodle", "--worksheet", worksheet(tmp_path, GERMAN))
    assert "1 have no line in the worksheet, so nothing is given to them this time: Eve_13" in said
    assert "2 of 3 to be given" in said
    assert "English" not in said
    with (out / "returned/moodle-1/moodle.csv").open(newline="", encoding="utf-8") as file:
        head, ada, bob, gil = csv.reader(file)
    with worksheet(tmp_path, GERMAN).open(newline="", encoding="utf-8-sig") as file:
        before = list(csv.reader(file))
    assert head == before[0]
    assert gil == before[3]
    assert [ada[4], bob[4]] == ["7.0", "0.0"]
    assert [*ada[:4], *ada[5:9]] == [*before[1][:4], *before[1][5:9]]
    assert "row_means" in bob[9]
    again = run("return", out, "--to", "moodle", "--worksheet", worksheet(tmp_path, GERMAN))
    assert "0 of 3 to be given" in again
    assert "1 have no line" in again
    assert not (out / "returned/moodle-2").exists()
    alike = GERMAN.replace(",-,\n", ",-,1\n").replace(",-1\n", ",1\n")
    assert alike.count(",1\n") == 3  # the same number in all comments, which is no maximum
    (tmp_path / "equal").mkdir()
    out_again = graded(MOODLE, run, assignment, tmp_path / "equal", course)
    run("return", out_again, "--to", "moodle", "--worksheet", worksheet(tmp_path, alike))
    with (out_again / "returned/moodle-1/moodle.csv").open(newline="", encoding="utf-8") as file:
        assert [row[4] for row in csv.reader(file)][1:3] == ["7.0", "0.0"]
    whole = (
        GERMAN
        + 'Teilnehmer/in13,Eve X,eve@x.edu,Zur Bewertung abgegeben,,"7,00",Ja,"Sonntag, 1. März 2026, 17:00",-,\n'
    )
    assert "1 of 3 to be given" in run("return", out, "--to", "moodle", "--worksheet", worksheet(tmp_path, whole))


def test_a_worksheet_without_comments_keeps_its_dates(
    run: Command, assignment: object, course: Path, tmp_path: Path
) -> None:
    """Its last column says when each was graded, in Mexico without a bracket."""
    lines = 'Participante11,Ada,,"7,00",-,-\nParticipante12,Bob,"2,00","7,00",-,"domingo, 1 de marzo de 2026, 16:00"\n'
    text = f"Identificador,Nombre completo,Calificación,Calificación máxima,Fecha de entrega,Fecha de Calificación\n{lines}"
    out = graded(MOODLE, run, assignment, tmp_path, course)
    assert "no column for them" in run("return", out, "--to", "moodle", "--worksheet", worksheet(tmp_path, text))
    with (out / "returned/moodle-1/moodle.csv").open(newline="", encoding="utf-8") as file:
        _, ada, bob = csv.reader(file)
    assert (ada[2], ada[5], bob[2], bob[5]) == ("7.0", "-", "0.0", "domingo, 1 de marzo de 2026, 16:00")


def test_a_worksheet_knows_students_by_their_address_too(
    run: Command, assignment: object, course: Path, tmp_path: Path
) -> None:
    """A class that came another way, with a roster."""
    out = graded({"ada.py": "RIGHT", "bob.py": "x = 1\n"}, run, assignment, tmp_path, course)
    give_roster("id,email\nada,Ada@x.edu\nbob,bob@elsewhere.edu\n", run, tmp_path, course)
    said = run("return", out, "--to", "moodle", "--worksheet", worksheet(tmp_path, GERMAN))
    assert "have no line in the worksheet, so nothing is given to them this time: bob" in said
    assert "Teilnehmer/in11,Ada Lovelace,ada@x.edu,Zur Bewertung abgegeben,7.0," in (
        out / "returned/moodle-1/moodle.csv"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id,name\n11,Ada\n", "not Moodle's grading worksheet"),
        ("", "not Moodle's grading worksheet"),
        ("Identifier,Full name,Grade,Scale\nParticipant 11,Ada,,Good\n", "has no maximum grade"),
        (GERMAN.replace("in11", "in91").replace("in12", "in92"), "another number in each assignment"),
    ],
)
def test_what_is_no_worksheet_of_the_assignment_is_refused(
    text: str, told: str, run: Command, assignment: object, course: Path, tmp_path: Path
) -> None:
    """Before anything is written or noted."""
    out = graded(MOODLE, run, assignment, tmp_path, course)
    assert told in run("return", out, "--to", "moodle", "--worksheet", worksheet(tmp_path, text), code=2)
    assert "3 of 3 to be given" in run("return", out, "--to", "moodle", "--dry-run")
    assert "--worksheet is Moodle's" in run(
        "return", out, "--to", "canvas", "--worksheet", worksheet(tmp_path, GERMAN), code=2
    )


def test_a_worksheet_that_knows_someone_by_another_number_is_another_assignments(
    run: Command, assignment: object, course: Path, tmp_path: Path
) -> None:
    """An address leads to a line whose participant is not the one whose folder the export has."""
    out = graded(MOODLE, run, assignment, tmp_path, course)
    give_roster("id,name,email\n1,Bob Ross,bob@x.edu\n", run, tmp_path, course)
    other = GERMAN.replace("in12", "in92")
    said = run("return", out, "--to", "moodle", "--worksheet", worksheet(tmp_path, other), code=2)
    assert "it is another assignment's: 1 is Teilnehmer/in92 in it, and 12 in this class." in said


def test_sakais_own_list_is_filled_with_its_signs(
    run: Command, assignment: object, course: Path, tmp_path: Path
) -> None:
    """Where its user's numbers have a comma, Sakai takes semicolons, and refuses a point."""
    files = filled(EXPORTS["sakai in Spanish"].files, assignment.reference, assignment.stub)
    (tmp_path / "export.zip").write_bytes(zipped(files))
    words = ("grade", "t1_means", tmp_path / "export.zip", "-o", tmp_path / "out", "--seed", 5, "--course", course)
    run(*words, "--accept-unsandboxed")
    (tmp_path / "grades.csv").write_text(SAKAI_SPANISH, encoding="utf-8")
    assert "Where numbers have a comma in your Sakai" in run("return", tmp_path / "out", "--to", "sakai")
    said = run("return", tmp_path / "out", "--to", "sakai", "--all", "--worksheet", tmp_path / "grades.csv")
    assert "English" not in said
    assert "2 have no line in the worksheet, so nothing is given to them this time" in said
    with (tmp_path / "out/returned/sakai-2/sakai.csv").open(newline="", encoding="utf-8") as file:
        _, _, _, ada, gil = csv.reader(file, delimiter=";")
    assert (ada[1], ada[4], gil[1], gil[4]) == ("alovelace", "7", "gstrang", "1,5")
