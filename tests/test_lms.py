"""Every platform's export, graded by the command: whose it is, when it came, what counts; and its sheets back."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lms_exports import EXPORTS, ROSTER, filled, zipped

from autograder.classroom.roster import read_roster
from autograder.classroom.submissions import SubmissionsError, read_class
from autograder.cli import main
from autograder.course.spec import Assignment
from autograder.submission.written_exercises import Stub


@dataclass(frozen=True)
class Done:
    """What the command left of an export, and what it said."""

    out: Path
    said: str

    @property
    def entries(self) -> dict[str, dict[str, Any]]:
        """The results by student."""
        return {
            path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (self.out / "results").glob("*.json")
        }


Grade = Callable[[str], Done]


def graded(course: Path, folder: Path, data: bytes, *, code: int = 0, roster: bool = True) -> Done:
    """Grade an archive through the command, mostly with the class's roster."""
    (folder / "export.zip").write_bytes(data)
    (folder / "roster.csv").write_text(ROSTER, encoding="utf-8")
    command = ["grade", "t1_means", folder / "export.zip", "-o", folder / "out"]
    command += ["--roster", folder / "roster.csv"] if roster else []
    command += ["--seed", 3, "--accept-unsandboxed", "--course", course]
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(said):
        patch.setattr("sys.argv", ["autograder", *map(str, command)])
        patch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == code, said.getvalue()
    return Done(folder / "out", said.getvalue())


@pytest.fixture(scope="module")
def grade(course: Path, assignment: Assignment, tmp_path_factory: pytest.TempPathFactory) -> Grade:
    """Return a function that grades one of the exports, each once for all tests."""

    @cache
    def of(name: str) -> Done:
        files = filled(EXPORTS[name].files, assignment.reference, assignment.stub)
        return graded(course, tmp_path_factory.mktemp("export"), zipped(files), roster=EXPORTS[name].named)

    return of


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_as_it_comes(grade: Grade, name: str) -> None:
    """Students go by the roster, the latest work counts, texts are no code, and what the export says is kept."""
    export, found = EXPORTS[name], grade(name).entries
    if not export.named:
        assert [entry["person"] for entry in found.values()] == [None] * 3
        assert sorted(entry["score"] for entry in found.values()) == [0.0, 7.0, 7.0]
        assert any("the address of a web page" in entry["problem"] for entry in found.values())
        return
    assert sorted(found) == ["alovelace", *["lilei"] * export.typed, "zoneil"]
    assert {found[who]["score"] for who in ("alovelace", "zoneil")} == {7.0}, found
    assert {who for who, entry in found.items() if entry["late"]} == export.late
    assert {bool(entry["submitted"]) for entry in found.values()} == {export.dated}
    told = " ".join(found["alovelace"]["notes"])
    assert ("handed in 2 times; the latest" in told) == export.attempts
    if export.typed:
        assert "typed into a text box" in found["lilei"]["problem"]


def imported(sheet: Path, platform: str) -> dict[str, str]:
    """Read a sheet as the platform does, by its own columns: the points of each student it would know."""
    lines = list(csv.reader(sheet.read_text(encoding="utf-8").splitlines()))
    lines = lines[{"sakai": 2}.get(platform, 0) :]
    columns = {name: place for place, name in enumerate(lines[0])}
    if platform == "moodle":  # importgradeslib.php gives up without the third
        assert {"Identifier", "Grade", "Last modified (grade)", "Feedback comments"} <= columns.keys()
        found = {row[columns["Identifier"]].removeprefix("Participant "): row[columns["Grade"]] for row in lines[1:]}
    elif platform == "canvas":
        found = {row[columns["ID"]]: row[-1] for row in lines[2:]}
    elif platform == "brightspace":
        assert lines[0][1].endswith(" Points Grade <Numeric MaxPoints:7>")
        assert {row[columns["End-of-Line Indicator"]] for row in lines[1:]} == {"#"}
        found = {row[columns["OrgDefinedId"]].removeprefix("#"): row[1] for row in lines[1:]}
    else:
        known, grade = {"blackboard": ("Username", 1), "sakai": ("ID", 4)}[platform]
        found = {row[columns[known]]: row[grade] for row in lines[1:]}
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("moodle", {"31": "7.0", "32": "7.0", "33": "0.0"}),
        ("canvas", {"101": "7.0", "102": "7.0", "103": "0.0"}),
        ("brightspace", {"alovelace": "7.0", "zoneil": "7.0", "lilei": "0.0"}),
        ("blackboard", {"alovelace": "7.0", "zoneil": "7.0", "lilei": "0.0"}),
        ("sakai", {"alovelace": "7.0", "zoneil": "7.0", "lilei": "0.0"}),
    ],
)
def test_grades_go_back(grade: Grade, name: str, expected: dict[str, str]) -> None:
    """In the sheet that the platform imports, under its own columns, to the students as it knows them."""
    assert imported(grade(name).out / "exports" / f"{name}.csv", name) == expected


def test_blind_grades_go_back(course: Path, tmp_path: Path, assignment: Assignment) -> None:
    """Moodle's participants keep their numbers. With a roster, everyone on it would seem to have handed in nothing."""
    code = assignment.reference.encode()
    files = {f"Participant_{number}_assignsubmission_file/means.py": code for number in (31, 32)}
    refused = graded(course, tmp_path, zipped(files), code=1)
    assert "The export is anonymous, so none of the 2 submissions can be found on the roster." in refused.said
    assert not refused.out.exists()
    done = graded(course, tmp_path, zipped(files), roster=False)
    assert sorted(done.entries) == ["Participant_31", "Participant_32"]
    sheet = imported(done.out / "exports" / "moodle.csv", "moodle")
    assert {number: points for number, points in sheet.items() if number} == {"31": "7.0", "32": "7.0"}


MOODLE = filled(EXPORTS["moodle"].files, "x = 1", "")
CANVAS = filled(EXPORTS["canvas"].files, "x = 1", "")
RIGHT_ROWS = b"def row_means(x):\n    return x.mean(axis=-1)\n"


@pytest.mark.parametrize(
    "packed",
    [
        {"submissions.zip": zipped(MOODLE)},
        {"COMP1/Week 5/submissions.zip": zipped(MOODLE)},
        {"submissions.zip": zipped({f"COMP1-Means-77/{name}": data for name, data in MOODLE.items()})},
        {f"a/b/{name}": data for name, data in MOODLE.items()},
        {"Group A.zip": zipped(dict(list(MOODLE.items())[:1])), "Group B.zip": zipped(dict(list(MOODLE.items())[1:]))},
        {"again.zip": zipped({"submissions.zip": zipped(MOODLE)}), "class list.csv": b"id,name"},
        {f"{'early' if n < 2 else 'late'}/{name}": data for n, (name, data) in enumerate(MOODLE.items())},
        {"late.zip": zipped(dict(list(MOODLE.items())[:1]))}
        | {f"early/{name}": data for name, data in list(MOODLE.items())[1:]},
    ],
    ids=[
        "in a zip",
        "in folders and a zip",
        "a folder in a zip",
        "in folders",
        "two zips",
        "in two zips",
        "two folders",
        "a folder and a zip",
    ],
)
def test_an_export_packed_once_more(tmp_path: Path, packed: dict[str, bytes]) -> None:
    """In folders, in an archive or in several, with a list of the class beside it: it is the same class."""
    (tmp_path / "class.zip").write_bytes(zipped(packed))
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    found = read_class(tmp_path / "class.zip", Stub("means.py"), read_roster(tmp_path / "roster.csv"))
    assert [work.student for work in found.submissions] == ["alovelace", "lilei", "zoneil"]
    assert (found.platforms, found.remarks) == (("Moodle",), ())


def test_a_damaged_export_among_others_is_no_student(tmp_path: Path) -> None:
    """Half of a class would be missing from the grades; nothing is graded, and the archive is named."""
    (tmp_path / "class.zip").write_bytes(zipped({"Group A.zip": zipped(MOODLE), "Group B.zip": zipped(MOODLE)[:-40]}))
    with pytest.raises(SubmissionsError, match=r"Group B\.zip cannot be opened: it is damaged"):
        read_class(tmp_path / "class.zip", Stub("means.py"))


def test_plain_classes_packed_once_more(tmp_path: Path) -> None:
    """Folders that hold the file each are students; a student's own archive, and what is no class, stays one student's."""
    students = {f"{name}/means.py": b"x = 1" for name in ("ada", "bob")}
    for files, expected in (
        ({"class.zip": zipped(students)}, ["ada", "bob"]),
        ({"ada.zip": zipped({"src/means.py": b"x = 1", "tests/test_means.py": b""})}, ["ada"]),
        ({"ada.zip": zipped({"means.py": b"x = 1", "data/x.txt": b""})}, ["ada"]),
        ({"ada.zip": zipped(students), "eve.py": b"x = 1"}, ["ada", "eve"]),
        ({"ada.zip": zipped({"means.py": b"x"}), "eve.zip": zipped(CANVAS)}, ["ada", "eve"]),
        ({"ada.zip": b"no zip"}, ["ada"]),
        ({"ada.zip": zipped({"lab_1_2_means.py": b"x"})}, ["ada"]),
        ({"ada/lab_1_2_means.py": b"x"}, ["ada"]),
        ({"ada/means.py": b"x"} | {f"eve/{name}": data for name, data in CANVAS.items()}, ["ada", "eve"]),
        ({"ada/lab_1_2_means.py": b"x", "eve/lab_2_3_means.py": b"x"}, ["ada", "eve"]),
    ):
        (tmp_path / "class.zip").write_bytes(zipped(files))
        found = read_class(tmp_path / "class.zip", Stub("means.py")).submissions
        assert [work.student for work in found] == expected, files


def test_exports_of_two_platforms(tmp_path: Path) -> None:
    """Each in its own archive is read as its own platform's; in one folder their names are plain, which is told."""
    (tmp_path / "class.zip").write_bytes(zipped({"a.zip": zipped(MOODLE), "b.zip": zipped(CANVAS)}))
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    both = read_class(tmp_path / "class.zip", Stub("means.py"), read_roster(tmp_path / "roster.csv"))
    assert both.platforms == ("Moodle", "Canvas")
    assert [work.student for work in both.submissions] == ["alovelace", "lilei", "zoneil"]
    (tmp_path / "class.zip").write_bytes(zipped(MOODLE | dict(list(CANVAS.items())[:4])))
    mixed = read_class(tmp_path / "class.zip", Stub("means.py"))
    assert mixed.platforms == ()
    assert mixed.remarks[0].startswith("4 of 8 names look like ")


def test_the_command_says_what_it_took_an_export_for(course: Path, tmp_path: Path) -> None:
    """And which names are not of that platform's form."""
    done = graded(course, tmp_path, zipped(CANVAS | {"bob's work.py": RIGHT_ROWS}))
    assert "read as an export of Canvas\n" in done.said
    told = "1 of 6 names are not as Canvas writes them, and are read as plain names: bob's work.py.\n"
    assert told in done.said
    assert "bob_s_work" in done.entries


def test_several_files_of_the_latest_attempt(tmp_path: Path) -> None:
    """The file of the right name counts of the latest attempt alone, and what is left is told apart from earlier attempts."""
    stamp = "Means_ada_attempt_2026-03-0{}-10-22-00_{}"
    names = [stamp.format(*which) for which in ((1, "means.py"), (2, "mine.py"), (2, "helper.py"), (2, "notes.pdf"))]
    (tmp_path / "class.zip").write_bytes(zipped(dict.fromkeys(names, b"x = 1")))
    (work,) = read_class(tmp_path / "class.zip", Stub("means.py")).submissions
    assert work.origin == "class.zip: Means_ada_attempt_2026-03-02-10-22-00_mine.py"
    counts, helper, notes = names[1:]
    assert work.notes == (
        f"handed in 2 times; the latest ({counts}) counts",
        f"handed in 2 files; {counts} counts; not read: {helper}",
        f"also handed in, and not read: {notes}",
        "the file is named mine.py, not means.py",
    )


def test_students_by_number_and_user_name(tmp_path: Path) -> None:
    """Where the roster's id is a student number, user names find it too."""
    (tmp_path / "class.zip").write_bytes(zipped(filled(EXPORTS["github"].files, "x = 1", "")))
    (tmp_path / "roster.csv").write_text("identifier,github_username\n007,ALovelace\n008,zoneil\n", encoding="utf-8")
    found = read_class(tmp_path / "class.zip", Stub("means.py"), read_roster(tmp_path / "roster.csv"))
    assert [work.student for work in found.submissions] == ["007", "008"]


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_unpacked_or_packed_otherwise(tmp_path: Path, name: str) -> None:
    """A folder, as it is on a Mac, and a tar hold the same class as the zip."""
    files = filled(EXPORTS[name].files, "x = 1", "")
    (tmp_path / "export.zip").write_bytes(zipped(files))
    for path, data in {**files, ".DS_Store": b"", "__MACOSX/._x.py": b"x"}.items():
        (tmp_path / "export" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "export" / path).write_bytes(data)
    with tarfile.open(tmp_path / "export.tar.gz", "w:gz") as tape:
        tape.add(tmp_path / "export", ".")
    found = [read_class(tmp_path / f"export{end}", Stub("means.py")) for end in (".zip", "", ".tar.gz")]
    assert {one.platforms for one in found} == {found[0].platforms}
    assert len({tuple((work.student, work.source, work.late) for work in one.submissions) for one in found}) == 1


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_list_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """Gradescope's list is there twice, so no student has a name; the folders are read and the grader is told why."""
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for name, data in [*EXPORTS["gradescope"].files.items(), *EXPORTS["gradescope"].files.items()][:4]:
            archive.writestr(name, data)
    found = read_class(tmp_path / "class.zip", Stub("means.py"))
    assert [work.student for work in found.submissions] == ["submission_101", "submission_102"]
    assert found.remarks == (
        "assignment_5_export/submission_metadata.yml is in its archive 2 times, and no one can tell which counts. Pack it again.",
    )


def test_groups(tmp_path: Path) -> None:
    """What a group hands in together is everyone's of it."""
    group = "Means/Group A (17)"
    files = {f"{group}/timestamp.txt": b"20260301102200123", f"{group}/Submission attachment(s)/means.py": b"x = 1"}
    files[f"{group}/members.txt"] = b"Lovelace, Ada(alovelace); Lei, Li(lilei)"
    (tmp_path / "class.zip").write_bytes(zipped(files))
    ada, li = read_class(tmp_path / "class.zip", Stub("means.py")).submissions
    assert (ada.student, li.student, ada.source) == ("alovelace", "lilei", li.source)
    assert ada.submitted == datetime.fromisoformat("2026-03-01 10:22").astimezone()


def test_one_teams_archive_of_several_assignments(tmp_path: Path) -> None:
    """Those count that hold the file to hand in."""
    files = {"Ada/Means/Version 1/means.py": b"x = 1", "Ada/Essay/Version 9/essay.docx": b""}
    (tmp_path / "class.zip").write_bytes(zipped(files))
    (ada,) = read_class(tmp_path / "class.zip", Stub("means.py")).submissions
    assert ada.origin == "class.zip: Ada/Means/Version 1: means.py"


def test_same_names_stay_two_students(tmp_path: Path) -> None:
    """The platform's number keeps students of one name apart."""
    files = {f"Ada Lovelace_{number}_assignsubmission_file/means.py": b"x = 1" for number in (31, 32)}
    files["Bob_33_assignsubmission_file/means.py"] = b"x = 1"
    (tmp_path / "class.zip").write_bytes(zipped(files))
    found = read_class(tmp_path / "class.zip", Stub("means.py")).submissions
    assert [work.student for work in found] == ["Ada_Lovelace_31", "Ada_Lovelace_32", "Bob_33"]
    assert {work.owner.name for work in found} == {"Ada Lovelace", "Bob"}


def known_to(platform: str, path: str) -> str:
    """Tell whose a feedback file is as the platform does, by its path in the archive."""
    first, *rest = path.split("/")
    if platform == "moodle":  # importziplib.php
        _, participant, plugin, kind, *_ = first.split("_", 4)
        assert (plugin, kind) == ("assignsubmission", "file")
        return participant
    if platform == "canvas":  # infer_comment_context_from_filename
        return "/".join(re.findall(r"_(\d+)_(\d+)_", first)[0])
    if platform == "sakai":  # uploadAll_parseZipFile
        assert rest[1] in ("Feedback Attachment(s)", "Adjuntos al comentario")
        return rest[0][rest[0].rindex("(") + 1 : rest[0].rindex(")")]
    if platform == "ilias":  # uploadMultiFeedbackFile
        assert first.startswith("multi_feedback")
        return rest[0].rpartition("_")[2]
    return first


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("moodle", ["31", "32", "33"]),
        ("moodle without folders", ["31", "32", "33"]),
        ("canvas", ["101/20001", "102/20002"]),
        ("brightspace", ["39786-2 - Ada Lovelace - Mar 1, 2026 1022 AM", "39787-3 - Zoë O'Neil-Ñandú - Mar 1, 2026 105 PM - feedback-zoneil.html"]),
        ("sakai", ["alovelace", "lilei", "zoneil"]),
        ("sakai in Spanish", ["alovelace", "lilei", "zoneil"]),
        ("ilias", ["271", "272"]),
    ],
)  # fmt: skip
def test_feedback_goes_back(grade: Grade, name: str, expected: list[str]) -> None:
    """Each student's page lies where the platform looks for it, and there is no archive for another platform."""
    platform, out = name.partition(" ")[0], grade(name).out
    (path,) = (out / "exports").glob("*-feedback.zip")
    assert path.name == f"{platform}-feedback.zip"
    with zipfile.ZipFile(path) as archive:
        pages = {member: archive.read(member).decode() for member in archive.namelist()}
    assert sorted(known_to(platform, member) for member in pages) == expected
    for member, page in pages.items():
        student = member.rpartition("feedback-")[2]
        assert page == (out / "feedback" / student).read_text(encoding="utf-8")


TOY = """
from autograder.lms.platform import Named, Owner, Platform

def read(listing):
    return {
        item: [Named(Owner(user, user, user, system="toy"), title)]
        for item in listing.items
        for user, mark, title in [item.name.partition("~")] if mark
    }

def sheet(rows):
    return [("who", "points"), *((row.number, row.score) for row in rows)]

PLATFORM = Platform("toy", "Toy", read, sheet, lambda row, name: f"{row.place}/{name}")
"""


def test_another_platform_is_one_module(course: Path, tmp_path: Path, assignment: Assignment) -> None:
    """Put among the others, it is read, named and written to, and nothing else has to know of it."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "toy.py").write_text(TOY, encoding="utf-8")
    files = {f"{user}~means.py": assignment.reference.encode() for user in ("ada", "bob")}
    (tmp_path / "export.zip").write_bytes(zipped(files))
    start = f"import autograder.lms; autograder.lms.__path__.append({str(tmp_path / 'modules')!r})"
    code = f"{start}; from autograder.cli import main; main()"
    command = ["grade", "t1_means", tmp_path / "export.zip", "-o", tmp_path / "out", "--course", course]
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, command), "--accept-unsandboxed"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "read as an export of Toy" in done.stdout
    assert (tmp_path / "out" / "exports" / "toy.csv").read_bytes() == b"who,points\r\nada,7.0\r\nbob,7.0\r\n"
    with zipfile.ZipFile(tmp_path / "out" / "exports" / "toy-feedback.zip") as archive:
        assert archive.namelist() == ["ada~means.py/feedback-ada.html", "bob~means.py/feedback-bob.html"]
