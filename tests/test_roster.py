"""Who is on the roster, whose a submission is, and how late it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from autograder.classroom.lateness import DateError, due_with, lateness, parse_time
from autograder.classroom.record import head
from autograder.classroom.roster import Person, Roster, RosterError, read_roster
from autograder.classroom.submissions import Submission
from autograder.lms.platform import Owner

PEOPLE = (
    Person("007", "Ada King Lovelace", "ada@example.org", "B2"),
    Person("12345", "Bob Noether", "bnoether@example.org"),
    Person("13", "Zoë Ñandú", "zoe@example.org"),
    Person("14", "Li Wei", "li1@example.org"),
    Person("15", "Li Wei", "li2@example.org"),
    Person("16", "", "sam@example.org"),
    Person("17", "Kim Chi", "kim@example.org", login="kc9"),
)


def roster(tmp_path: Path, text: str | bytes) -> Roster:
    """Read a roster of some text."""
    path = tmp_path / "roster.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_roster(path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_rosters_as_spreadsheets_save_them(tmp_path: Path, encoding: str) -> None:
    """As CSV in UTF-8, as Unicode text with tabs, and as plain CSV on Windows."""
    lines = "id\tname\temail\r\n13\tZoë Ñandú\tzoe@example.org\r\n"
    (person,) = roster(tmp_path, lines.encode(encoding)).people
    assert person == Person("13", "Zoë Ñandú", "zoe@example.org")


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        (Owner("x", sid="007"), "007"),
        (Owner("x", email="ADA@example.org"), "007"),
        (Owner("007"), "007"),
        (Owner("bnoether"), "12345"),
        (Owner("k", "lovelaceadaking", "99"), "007"),
        (Owner("k", "Ada King Lovelace", "99"), "007"),
        (Owner("k", "noetherbob", "12345"), "12345"),
        (Owner("zoenandu"), "13"),
        (Owner("k", "Zoe Nandu"), "13"),
        (Owner("k", "liwei", "14"), "14"),
        (Owner("k", "Somebody", "16"), "16"),  # the roster names nobody there, so the number may count
        (Owner("k", "liwei", "99"), None),  # two of that name
        (Owner("k", "lovelaceadaking", "12345"), "007"),  # a system's own number is not Bob's id
        (Owner("k", "mallory", "12345"), None),
        (Owner("mallory"), None),
        (Owner("KC9", sid="KC9"), "17"),
        (Owner("kc9"), "17"),
        (Owner(""), None),
    ],
)
def test_whose_it_is(owner: Owner, expected: str | None) -> None:
    """By student number, email, name in any order; where two fit, nobody."""
    person = Roster(PEOPLE).find(owner)
    assert (person.id if person else None) == expected


@pytest.mark.parametrize(
    "text",
    [
        "id,name,email,section,extension\n007,Ada Lovelace,ada@x.org,B2,48h\n",
        "\ufeffid,name,email,section,extension\r\n007,Ada Lovelace,ada@x.org,B2,48h\r\n\r\n",
        "sep=;\nid;name;email;section;extension\n007;Ada Lovelace;ada@x.org;B2;48h\n",
        "Email Address;SID;First Name;Last Name;Sections;Extension\nada@x.org;007;Ada;Lovelace;B2;48h\n",
        "Student\tID\tSection\tEmail\tDue-date extension\n    Points Possible\t\t\t\t\nAda  Lovelace\t007\tB2\tada@x.org\t48h",
    ],
)
def test_rosters_as_they_come(tmp_path: Path, text: str) -> None:
    """With a byte order mark, Excel's own first line, semicolons, tabs, Canvas's second line, split names."""
    assert roster(tmp_path, text).people == (Person("007", "Ada Lovelace", "ada@x.org", "B2", "48h"),)


@pytest.mark.parametrize(
    ("header", "person"),
    [
        ("id,username", Person("7", login="al")),
        ("username,email", Person("7", email="al", login="7")),
        ("identifier,github_username,github_id,name", Person("7", name="Ada", login="al")),
        ("Student,ID,SIS User ID,SIS Login ID", Person("al", name="7", login="Ada")),
    ],
)
def test_user_names_on_a_roster(tmp_path: Path, header: str, person: Person) -> None:
    """Beside a student number, or as the id itself; of GitHub Classroom's own roster the names on GitHub."""
    row = "7,al,5,Ada" if "Student" not in header else "7,al,,Ada"
    assert roster(tmp_path, f"{header}\n{','.join(row.split(',')[: header.count(',') + 1])}\n").people == (person,)


@pytest.mark.parametrize(
    ("header", "person"),
    [
        ("Vorname;Nachname;Anmeldename;E-Mail-Adresse;Gruppen", Person("al", section="B2", login="al")),
        ("Vorname;Nachname;Benutzername;E-Mail-Adresse;Gruppen", Person("al", section="B2", login="al")),
        ("Vorname;Nachname;Matrikel-Nr.;E-Mail-Adresse;Gruppe", Person("al", section="B2")),
        ("Vorname;Nachname;ID-Nummer;E-Mail-Adresse;Gruppen", Person("al", section="B2")),
    ],
)
def test_german_headings(tmp_path: Path, header: str, person: Person) -> None:
    """As Moodle's list of participants and its export of grades have them."""
    (read,) = roster(tmp_path, f"{header}\nAda;Lovelace;al;ada@x.org;B2\n").people
    assert read == replace(person, name="Ada Lovelace", email="ada@x.org")


WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade\n"
    "Participant 101,Li Wei,li1@example.org,-,\nParticipant 102,Li Wei,li2@example.org,-,\nParticipant 103,Bob Noether,,-,\n"
)


def moodle(name: str, number: str) -> Owner:
    """Return whose a folder of Moodle's is."""
    return Owner(f"{name}_{number}", name, number, system="moodle")


def test_moodles_worksheet_tells_two_of_one_name_apart(tmp_path: Path) -> None:
    """By the participants' numbers, which are no ids: those of the next assignment are others. A team stands in front of a name."""
    here = roster(tmp_path, WORKSHEET)

    def found(*owners: Owner) -> list[str]:
        return [person.id if person else "" for person in here.match(owners).values()]

    assert found(moodle("Li Wei", "101"), moodle("Li Wei", "102")) == ["li1@example.org", "li2@example.org"]
    assert found(moodle("Team 2-Li Wei", "102"), moodle("Team-3-Bob Noether", "103")) == [
        "li2@example.org",
        "Participant 103",
    ]
    assert found(moodle("Li Wei", "103"), Owner("Li Wei_101", "Li Wei", "101", system="canvas")) == ["", ""]
    assert found(moodle("Participant", "103"), Owner("Participant_103", "", "103", system="moodle")) == ["", ""]
    german = "ID,Vollständiger Name,E-Mail-Adresse,Status\nTeilnehmer/in101,Li Wei,li@example.org,-\n"
    assert roster(tmp_path, german).people[0] == Person("li@example.org", "Li Wei", "li@example.org", participant="101")


def test_moodles_worksheet_says_when_things_came(tmp_path: Path) -> None:
    """Which no name in its export does; only for whom it is the worksheet of."""
    lines = 'Identifier,Full name,Last modified (submission)\nParticipant 9,Ada,"Sunday, 1 March 2026, 4:00 PM"\nParticipant 8,Bob,-\n'
    ada, bob = roster(tmp_path, lines).people
    four = datetime(2026, 3, 1, 16).astimezone()
    assert (ada.submitted, bob.submitted) == (four.isoformat(), "")
    work = Submission("ada", "a.zip", None, owner=moodle("Ada", "9"), person=ada)
    found = head(work, four - timedelta(hours=2))
    assert (found.submitted, found.late_hours) == (four.isoformat(), 2.0)
    assert head(replace(work, owner=moodle("Ada", "7")), four).submitted is None
    earlier = four - timedelta(hours=1)
    assert head(replace(work, submitted=earlier), four).submitted == earlier.isoformat()


def test_numbers_of_another_assignment_are_not_used(tmp_path: Path) -> None:
    """Where one name that the class has once says so; else one student's work would be another one's."""
    here = roster(tmp_path, WORKSHEET)
    owners = [moodle("Li Wei", "102"), moodle("Li Wei", "103"), moodle("Bob Noether", "104")]
    assert [person and person.name for person in here.match(owners).values()] == [None, None, "Bob Noether"]


def test_a_worksheet_without_names_is_for_an_export_without(tmp_path: Path) -> None:
    """Blind marking leaves out the names on both sides, so the numbers decide."""
    hidden, owner = (
        roster(tmp_path, "Identifier,Status,Grade\nParticipant 103,-,\n"),
        Owner("Participant_103", "", "103", system="moodle"),
    )
    assert hidden.match([owner])[owner] == Person("Participant 103", participant="103")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no column id or email"),
        ("name\nAda", "names no column id or email"),
        ("id,name\n", "names no student below its first line"),
        ("id,name\n,Ada\n", "line 2 has neither an id nor an email (Ada)"),
        ("id,name,login\n7,Ada,ada\n,Bob,\n,,eve\n,,\n", "lines 3, 4 have neither an id nor an email (Bob, eve)"),
        ("id,name,section\n7,Ada,A\n,,B\n", "line 3 has neither an id nor an email (B)"),
        ("id\n7\n8\n7\n", "line 4 has the id 7 again, which line 2 has"),
        ("id,extension\n7,soon\n", "line 2: 'soon' is no extension"),
        ("SEP=;\nid;extension\n7;soon\n", "line 3: 'soon' is no extension"),
        (b"PK\x03\x04\x14\0\x06\0\x08\0", "is not a text file. Save it as CSV"),
        (
            b'id,name\nada,"Ada\nbob,Bob\neve,"Eve"\n',
            "line 2 has a cell that goes on in the next line: 'Ada'. Is a quote",
        ),
        ('id,name\n7,"a' + "x" * 200_000, "is not a CSV file"),
    ],
)
def test_a_roster_that_cannot_be_used(tmp_path: Path, text: str | bytes, words: str) -> None:
    """A line says what is wrong and where."""
    with pytest.raises(RosterError, match="roster") as caught:
        roster(tmp_path, text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_lines_without_an_id_go_by_their_email_which_is_told(tmp_path: Path) -> None:
    """Else a student whose id is missing would have another name than expected; where all have none, there is no id."""
    mixed = roster(tmp_path, "id,email\n7,ada@x\n,bob@x\n,eve@x\n")
    assert [person.id for person in mixed.people] == ["7", "bob@x", "eve@x"]
    assert mixed.remark.endswith(": lines 3, 4 have no id and go by the email.")
    assert roster(tmp_path, "id,email\n,ada@x\n,bob@x\n").remark == ""
    assert roster(tmp_path, "id,email\n7,ada@x\n8,\n").remark == ""


def test_a_roster_that_is_not_there(tmp_path: Path) -> None:
    """Nor is that a traceback."""
    with pytest.raises(RosterError, match="cannot be read: No such file"):
        read_roster(tmp_path / "none.csv")


DUE = datetime(2026, 3, 1, 22, 0, tzinfo=UTC)


def test_times() -> None:
    """A day ends when it ends; an offset counts; what is neither is refused."""
    assert parse_time("2026-03-01T23:00+01:00") == DUE
    assert parse_time("2026-03-01") == datetime(2026, 3, 1, 23, 59, 59).astimezone()
    for text in ("tomorrow", "", "2026-13-01", "9999-99"):
        with pytest.raises(DateError, match="is no date"):
            parse_time(text)


def test_extensions() -> None:
    """Hours, days, or a date of one's own."""
    assert due_with(DUE, "") == DUE
    assert due_with(DUE, "48") == due_with(DUE, "48 h") == due_with(DUE, "2 days") == DUE + timedelta(days=2)
    assert due_with(DUE, "1.5h") == DUE + timedelta(minutes=90)
    assert due_with(DUE, "2026-03-05T00:00+00:00") == datetime(2026, 3, 5, tzinfo=UTC)
    assert due_with(None, "48h") is None
    with pytest.raises(DateError, match="longer than a calendar"):
        due_with(DUE, "9999999999d")


def test_how_late() -> None:
    """Hours where the time is known, and otherwise what the export says."""
    came = DUE + timedelta(hours=3)
    assert (lateness(came, DUE, "", marked=False).late, lateness(came, DUE, "", marked=False).hours) == (True, 3.0)
    assert (lateness(came, DUE, "4h", marked=True).late, lateness(came, DUE, "4h", marked=True).hours) == (False, 0.0)
    assert (lateness(None, DUE, "", marked=True).late, lateness(None, DUE, "", marked=True).hours) == (True, None)
    assert (lateness(came, None, "", marked=False).late, lateness(came, None, "", marked=False).hours) == (False, None)
