"""What platforms write into names and lists, and what students may write there to pass for someone else."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lms_exports import GRADESCOPE_ADA

from autograder.lms import brightspace, canvas, ilias, moodle, sakai
from autograder.lms.blackboard import PLATFORM as BLACKBOARD
from autograder.lms.dates import iso_moment, worded_moment
from autograder.lms.gradescope import read_metadata
from autograder.lms.platform import Item, Kind, Listing, Named, Owner, Row, Understood
from autograder.lms.recognition import Reading, platforms, recognise


def item(name: str, *paths: str, folder: bool = False) -> Item:
    """Return a file or, where it holds something, a folder of an export."""
    below = tuple(tuple(path.split("/")) for path in paths)
    return Item(name, folder or bool(paths), below, lambda _: "")


def reading(*items: Item | str, around: str = "") -> Reading:
    """Recognise an export of some names."""
    listed = tuple(item(entry) if isinstance(entry, str) else entry for entry in items)
    return recognise(Listing(listed, around, "attention.py"))


def only(found: Understood) -> Named:
    """Return the only thing that was handed in."""
    (named,) = [named for each in found.values() for named in each]
    return named


@pytest.mark.parametrize(
    ("name", "key", "number", "title", "system"),
    [
        ("lovelaceada_12345_67890_attention-1.py", "lovelaceada_12345", "12345", "attention.py", "canvas"),
        ("lovelaceada_late_12345_67890_my_work.py", "lovelaceada_12345", "12345", "my_work.py", "canvas"),
        ("o_brienada_LATE_12345_67890_a.py", "o_brienada_12345", "12345", "a.py", "canvas"),
        ("李雷_12345_67890_a.py", "李雷_12345", "12345", "a.py", "canvas"),
        ("LATE_anon_aB3xY_67890_attention-1.py", "anon_aB3xY", "", "attention.py", "canvas"),
        ("Ada Lovelace_31_assignsubmission_file_attention.py", "Ada Lovelace_31", "31", "attention.py", "moodle"),
        ("Participant_31_assignsubmission_file_1_2_x.py", "Participant_31", "31", "1_2_x.py", "moodle"),
        ("أدا لوفلايس_31_assignsubmission_file_a.py", "أدا لوفلايس_31", "31", "a.py", "moodle"),
        ("Default group_assignsubmission_file_a.py", "Default group", "", "a.py", "moodle"),
        ("39786-640693 - Ada Lovelace - Oct 10, 2025 1022 AM - a.py", "Ada Lovelace_39786", "39786", "a.py", "brightspace"),
        ("1-2 - A - B - October 1, 2025 122 PM - a - b.py", "A - B_1", "1", "a - b.py", "brightspace"),
        ("1-2 - N0123456 - Ada Lovelace - 1 October, 2025 1322 - a.py", "Ada Lovelace_1", "1", "a.py", "brightspace"),
        ("HW_1_al_attempt_2026-03-01-10-22-00_a_b.py", "al", "al", "a_b.py", "blackboard"),
        ("HW_1_al_Tentative_2019-03-11-00-00-47_a_b.py", "al", "al", "a_b.py", "blackboard"),
        ("Actividad 1_al@x.cl_intento_2026-03-01-10-22-00_a.py", "al@x.cl", "al@x.cl", "a.py", "blackboard"),
        ("Inleveren Plan (1e kans)_a.l@x.nl_poging_2026-03-01-10-22-00_a.py", "a.l@x.nl", "a.l@x.nl", "a.py", "blackboard"),
        # a student chooses what stands behind the platform's own mark
        ("eve_1_2_Ada Lovelace_31_assignsubmission_file_x.py", "eve_1", "1", "Ada Lovelace_31_assignsubmission_file_x.py", "canvas"),
        ("eve_1_assignsubmission_file_ada_31_99_x.py", "eve_1", "1", "ada_31_99_x.py", "moodle"),
        ("HW_eve_attempt_2026-03-01-10-22-00_HW_ada_attempt_2027-03-01-10-22-00_a.py", "eve", "eve", "HW_ada_attempt_2027-03-01-10-22-00_a.py", "blackboard"),
    ],
)  # fmt: skip
def test_names_of_files(name: str, key: str, number: str, title: str, system: str) -> None:
    """Whose it is stands before what the student chose."""
    found = only(reading(name).understood)
    assert (found.owner.key, found.owner.number, found.title, found.owner.system) == (key, number, title, system)


@pytest.mark.parametrize(
    "name", ["attention.py", "a_1.py", "1_2.py", "2-3 - Ada - yesterday - x.py", "x", "ada_attempt_3.py", "2-3 - Oct 1, 2025 900.py"]
)  # fmt: skip
def test_names_of_no_platform(name: str) -> None:
    """Plain names are the student's own."""
    assert only(reading(name).understood).owner.system == ""


def test_names_of_folders() -> None:
    """Moodle and Brightspace also pack folders; Canvas does not."""
    for end in ("", "_"):
        names = [f"Ada Lovelace_31_assignsubmission_{kind}{end}" for kind in ("file", "onlinetext")]
        (file,), (typed,) = reading(*(item(name, "x") for name in names)).understood.values()
        assert file.owner == typed.owner == Owner("Ada Lovelace_31", "Ada Lovelace", "31", system="moodle")
        assert (file.kind, typed.kind) == (Kind.FILE, Kind.TEXT)
    dated = reading(item("39786-640693 - Ada Lovelace - Oct 10, 2025 1022 AM", "x"))
    assert dated.platform is brightspace.PLATFORM
    assert reading(item("lovelaceada_12345_67890_work", "x")).platform.name == ""


def test_blind_marking_names_nobody() -> None:
    """All are called alike, in any language; the number keeps them apart, and no roster is asked for that name."""
    found = reading(*(item(f"Deelnemer_{n}_assignsubmission_file", "a.py") for n in (31, 32))).understood
    owners = [named.owner for (named,) in found.values()]
    assert [(owner.key, owner.name) for owner in owners] == [("Deelnemer_31", ""), ("Deelnemer_32", "")]
    for word in ("Participant", "Teilnehmerin"):  # in English and German also where there is only one
        alone = reading(item(f"{word}_31_assignsubmission_file", "a.py")).understood
        assert [named.owner.name for (named,) in alone.values()] == [""]
    same = reading(*(item(f"Ada Lovelace_31_assignsubmission_{kind}", "a") for kind in ("file", "onlinetext")))
    assert {named.owner.name for (named,) in same.understood.values()} == {"Ada Lovelace"}


def test_blackboard_users_with_underscores() -> None:
    """What all names begin with is the assignment, so that user names may hold underscores as well."""
    stamp = "attempt_2026-03-01-10-22-00"
    found = reading(f"HW_1_ada_l_{stamp}_a.py", f"HW_1_bob_n_{stamp}_a.py").understood
    assert [named.owner.key for (named,) in found.values()] == ["ada_l", "bob_n"]


def test_blackboard_in_a_language_without_evidence() -> None:
    """Its word is the same for all, and receipts say whose each attempt is; plain names with a moment are no Blackboard's."""
    stamp = "2026-03-01-10-22-00"

    def export(word: str, receipt: str) -> Reading:
        files = [f"HW_1_{user}_{word}_{stamp}_a.py" for user in ("ada_l", "bob_n")]
        texts = [receipt.format(user=user) for user in ("ada_l", "bob_n")]
        receipts = [
            Item(f"HW_1_{user}_{word}_{stamp}.txt", False, (), lambda _, text=text: text)
            for user, text in zip(("ada_l", "bob_n"), texts, strict=True)
        ]
        return reading(*files, *receipts)

    found = export("Försök", "Namn: Ada ({user})\nUppgift: HW\n")
    assert found.platform is BLACKBOARD
    assert [owner.key for owner in owners(found)] == ["ada_l", "bob_n"]
    assert export("copy", "see {user}\n").platform.name == ""
    without = reading(*(f"HW_1_{user}_Försök_{stamp}_a.py" for user in ("ada_l", "bob_n")))
    assert without.platform is BLACKBOARD
    assert [owner.key for owner in owners(without)] == ["ada_l", "bob_n"]
    assert reading(f"hw_ada_{stamp}_a.py", f"hw_bob_{stamp}_a.py").platform.name == ""


def test_github_names() -> None:
    """The folder around clones is called after the assignment; without it, what all names share."""
    clones = [item(f"a-5-{user}", ".git/HEAD", "attention.py") for user in ("ada-l", "ada-n")]
    named = [owner.key for owner in owners(reading(*clones, around="a-5-submissions"))]
    assert named == ["ada-l", "ada-n"]
    assert [owner.key for owner in owners(reading(*clones))] == ["l", "n"]
    assert reading(item("a-5-ada", "attention.py"), item("a-5-bob", "attention.py")).platform.name == ""


def owners(read: Reading) -> list[Owner]:
    """Return the owners of all that was handed in."""
    return [named.owner for each in read.understood.values() for named in each]


def test_an_export_is_recognised_as_a_whole() -> None:
    """A plain file that is called as another platform calls its own stays plain; names that do not fit are told."""
    plain = reading("ada.py", "lab_1_2_final.py", "bob.py")
    assert [owner.key for owner in owners(plain)] == ["ada", "lab_1_2_final", "bob"]
    assert (plain.likely, plain.strange) == (canvas.PLATFORM, ("lab_1_2_final.py",))
    mostly = reading("ada_1_2_a.py", "bob_2_3_a.py", "cyd.py", "roster.csv")
    assert [owner.key for owner in owners(mostly)] == ["ada_1", "bob_2", "cyd"]
    assert (mostly.platform, mostly.strange) == (canvas.PLATFORM, ("cyd.py",))
    years = reading(*(item(f"hw_{name}_x_2026", "attention.py") for name in ("ada", "bob")))
    assert years.platform is not ilias.PLATFORM


def test_two_exports_in_one_folder_are_told() -> None:
    """Half of one platform's and half of another's are plain names, and nothing that was handed in is lost."""
    found = reading("ada_1_2_a.py", "Bob_31_assignsubmission_file_a.py")
    assert found.platform.name == ""
    assert found.likely is moodle.PLATFORM
    assert len(found.understood) == 2


def test_every_module_is_found() -> None:
    """By scanning; names are those of the modules, since records and sheets go by them."""
    assert [platform.name for platform in platforms()] == [
        "blackboard", "brightspace", "canvas", "github", "gradescope", "ilias", "moodle", "nbgrader", "openedx", "sakai", "schoology", "teams", "vpl",
    ]  # fmt: skip


# ----------------------------------------------------------------- what platforms write, modules read

NAMES = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(str.strip)
TITLES = st.from_regex(r"[\w \-.]{1,12}\.py", fullmatch=True)
NUMBERS = st.integers(1, 10**9)
WORD = re.compile(r"[^\w]", re.UNICODE)


def as_canvas(name: str, user: int, upload: int, title: str, late: bool) -> str:
    """Name a file as content_zipper.rb does."""
    name = re.sub(r"_(\d+)_", r"\1", name).lower()
    head = WORD.sub("", "_".join([name, *["LATE"] * late, str(user)]))
    return f"{head}_{upload}_{re.sub(r'[/:*?<>|]+', '_', title)}"


def as_moodle(name: str, user: int, title: str) -> str:
    """Name a file as downloader.php does."""
    cleaned = re.sub(r"[\x00-\x1f\x7f&<>\"`|':\\/]", "", f"{name.replace('_', ' ')}_{user}")
    return f"{cleaned}_assignsubmission_file_{title}"


@given(NAMES, NUMBERS, NUMBERS, TITLES, st.booleans())
def test_what_canvas_writes_is_read(name: str, user: int, upload: int, title: str, late: bool) -> None:
    """Whatever a student is called: user, upload, late mark and file come back."""
    written = as_canvas(name, user, upload, title, late)
    who = written.partition(f"_{user}_")[0] if not late else written.partition(f"_LATE_{user}_")[0]
    assume(
        who and not re.search(r"(?:^|_)\d+$|^(?:late_)?anon$|_late$|^_|_\d+_", who, re.IGNORECASE)
    )  # Canvas could not
    found = only(reading(written).understood)
    assert found.owner.system == "canvas"
    assert (found.owner.number, found.upload, found.late) == (str(user), upload, late)
    assert found.owner.name == who


@given(NAMES, NUMBERS, TITLES)
def test_what_moodle_writes_is_read(name: str, user: int, title: str) -> None:
    """Names with underscores, hyphens, apostrophes, in any script."""
    written = as_moodle(name, user, title)
    assume(not written.startswith("_"))  # nothing is left of the name
    found = only(reading(written).understood)
    assert (found.owner.system, found.owner.number, found.title) == ("moodle", str(user), title)


USERS = st.from_regex(r"[A-Za-z0-9][\w.@-]{0,11}", fullmatch=True)
STAMP = "2026-03-01-10-22-00"


@given(st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=12), st.sets(USERS, min_size=1, max_size=4), TITLES)  # fmt: skip
def test_what_blackboard_writes_is_read(assignment: str, users: set[str], title: str) -> None:
    """Whatever the assignment is called, since each receipt has its student's user name."""
    assume("_attempt_" not in assignment)
    heads = {user: f"{assignment}_{user}_attempt_{STAMP}" for user in users}
    receipts = [
        Item(f"{head}.txt", False, (), lambda _, who=user: f"Name: X (Y) ({who})\n") for user, head in heads.items()
    ]
    files = [item(f"{head}_{title}") for head in heads.values()]
    found = reading(*files, *receipts)
    assert found.platform is BLACKBOARD
    read = {(found.understood[file][0].owner.key, found.understood[file][0].title) for file in files}
    assert read == {(user, title) for user in users}


@given(NAMES, USERS)
def test_what_sakai_writes_is_read(name: str, user: str) -> None:
    """Names with brackets too; several students of one submission stand side by side."""
    assume("; " not in name)
    stamped = "timestamp.txt", "Submission attachment(s)/attention.py"
    found = owners(reading(item(f"{name},(ab); {name}, X (Y)({user})", *stamped)))
    assert [(owner.key, owner.system) for owner in found] == [("ab", "sakai"), (user, "sakai")]


# By stuviewsubm.submissatt, without accents where Sakai takes them off, and download.feedback.attachment.
@pytest.mark.parametrize(
    ("attachments", "graders"),
    [
        ("Submission attachment(s)", "Feedback Attachment(s)"),
        ("Einreichungsanhange", "Feedback-Anh\u00e4nge"),
        ("Einreichungsanh\u00e4nge", "Feedback-Anh\u00e4nge"),
        ("Adjuntos de la entrega", "Adjuntos al comentario"),
        ("Piece(s) jointe(s) de la remise", "Pi\u00e8ce(s) jointe(s) du commentaire"),
        ("Allegati", "Allegati con feedback"),
        ("Bijlage(n) bij uitwerking", "Feedback bijlage(n)"),
        ("Anexo(s) para submissao", "Anexo(s) do Feedback"),
    ],
)
def test_sakais_folders_in_its_languages(attachments: str, graders: str) -> None:
    """The grader's own files are no student's, in whatever order they lie, and pages go where Sakai looks in its language."""
    paths = "timestamp.txt", f"{graders}/attention.py", f"{attachments}/attention.py"
    for several in (paths, paths[::-1]):
        named = only(reading(item("Lovelace, Ada(ada)", *several)).understood)
        assert (named.owner.key, named.below) == ("ada", (attachments,))
    row = Row("ada", "", "", "", "", "", "sakai", "ada", "", f"Lovelace, Ada(ada)/{attachments}", "", 1, 1, str)
    assert sakai.feedback_path(row, "x.html") == f"feedback/Lovelace, Ada(ada)/{graders}/x.html"


def test_sakais_folders_in_another_language() -> None:
    """Where the folder beside the time stamp has no known name, it is the students' all the same; another class's is not."""
    assert only(reading(item("Lovelace, Ada(ada)", "timestamp.txt", "Bilagor/a.py")).understood).below == ("Bilagor",)
    assert reading(item("Gruppo1 rossi", "Allegati/a.py"), item("Gruppo2 verdi", "Allegati/a.py")).platform.name == ""


@given(st.text(string.ascii_letters + " -", min_size=1).filter(str.strip), st.from_regex(r"[a-z0-9.]{1,8}", fullmatch=True), NUMBERS)  # fmt: skip
def test_what_ilias_writes_is_read(name: str, user: str, number: int) -> None:
    """As ASCII, with spaces and hyphens in a name."""
    (owner,) = owners(reading(item(f"{name}_{name}_{user}_{number}", "attention.py")))
    assert (owner.key, owner.name, owner.system) == (user, f"{name} {name}", "ilias")


LOCAL = st.datetimes(*(datetime.fromisoformat(f"{year}-01-01") for year in (2000, 2037)))
PEOPLE = st.text(string.ascii_letters + "'-. éßøłŽ李أ", min_size=1).filter(str.strip)


@given(PEOPLE, NUMBERS, LOCAL)
def test_what_brightspace_writes_is_read(name: str, user: int, when: datetime) -> None:
    """With and without the sign of the half day, in several orders."""
    name = " ".join(name.replace(" - ", " ").strip(" -").split()) or "x"
    clock = f"{when.hour % 12 or 12}{when:%M %p}"
    forms = [f"{when:%b} {when.day}, {when.year} {clock}", f"{when.day} {when:%B}, {when.year} {clock}"]
    forms += [
        f"{when.day} {when:%B} {when.year} {when.hour}{when:%M}",
        f"{when:%Y-%m-%d %H%M}",
        f"{when:%d %b %Y %H %M}",
    ]
    for form in forms:
        found = only(reading(f"{user}-7 - {name} - {form} - attention.py").understood)
        assert (found.owner.system, found.owner.name, found.owner.number) == ("brightspace", name, str(user)), form
        assert found.submitted == when.replace(second=0, microsecond=0).astimezone(), form


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Oct 10, 2025 122 PM", (10, 10, 13, 22)),
        ("10 oktober 2025 1205 AM", (10, 10, 0, 5)),
        ("10 août 2025 22 05", (8, 10, 22, 5)),
        ("2025-10-09 2205", (10, 9, 22, 5)),
        ("10 mars 2025 2205", (3, 10, 22, 5)),
        ("2 dic. 2025 1005 p.m.", (12, 2, 22, 5)),
        ("9/10/2025 1022 AM", None),  # September or October
        ("Foo 99, 2025 9999 AM", None),
        ("Oct 10, 2025 1022 Uhr", (10, 10, 10, 22)),
        ("Oct 10, 2025 1322 PM", None),
        ("2025", None),
        ("", None),
    ],
)
def test_moments_in_words(text: str, expected: tuple[int, int, int, int] | None) -> None:
    """In the site's own language and order, and nothing where two readings are possible."""
    month, day, hour, minute = expected or (1, 1, 0, 0)
    assert worded_moment(text) == (datetime(2025, month, day, hour, minute).astimezone() if expected else None)


MONTHS = (
    "January February March April May June July August September October November December",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januar februar marts april maj juni juli august september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar mars april mai juni juli august september oktober november desember",
)


@pytest.mark.parametrize("names", MONTHS)
def test_months_in_ten_languages(names: str) -> None:
    """Written out and, where that leaves something, abbreviated to four letters and a dot."""
    for number, name in enumerate(names.split(), 1):
        for form in {name, f"{name[:4]}." if len(name) > 4 else name}:
            found = worded_moment(f"7 {form} 2026 2205")
            assert found
            assert (found.month, found.day) == (number, 7), form


@pytest.mark.parametrize("read", [worded_moment, iso_moment])
@given(text=st.text())
def test_any_text_may_stand_where_a_moment_should(read: Callable[[str], datetime | None], text: str) -> None:
    """What is no moment is none."""
    found = read(text)
    assert found is None or any(letter.isdigit() for letter in text)


@given(st.lists(st.text(st.sampled_from("aé_-., ()0123 26:AMPattemptassignsubmissionfile/\n")), max_size=5))
def test_no_name_brings_a_module_down(names: list[str]) -> None:
    """Whatever names there are, files or folders."""
    everything = [item(name) for name in names] + [
        item(name, "timestamp.txt", ".git/x", name, f"a/{name}") for name in names
    ]
    for platform in platforms():
        found = platform.read(Listing(tuple(everything)))
        assert found is None or set(found) <= set(everything)
    reading(*everything)


def test_a_receipt_that_is_none() -> None:
    """A text of another form beside the files gives no name, and is no submission."""
    stamp = "attempt_2026-03-01-10-22-00"
    receipt = Item(f"HW_ada_{stamp}.txt", False, (), lambda _: "Name: Eve (eve\nSubmission Field:\nno end")
    found = BLACKBOARD.read(Listing((item(f"HW_ada_{stamp}_a.py"), receipt)))
    assert [[named.owner.key for named in each] for each in found.values()] == [["ada"], []]


METADATA = (
    f"---\n{GRADESCOPE_ADA}"
    """\
  :score: 3.0
  :results:
    output: |
      submission_666:
        :submitters:
        - :name: Somebody Else
    :submitters:
    - :name: Nobody
  :history:
  - :id: 5
    :created_at: 2020-01-01 00:00:00 Z
submission_102:
  :submitters:
  - :name: 'O''Neil "Z" Bob'
    :sid: &1 '12'
    :email: "bob\\x40example.org"
  - :name: ~
    :sid: *1
    :email: cyd@example.org
  :created_at: 2026-03-01 05:11:18 -08:00
submission_103:
  :submitters: []
  :created_at: never
"""
)


def test_gradescope_list() -> None:
    """Owners, a group's all of them, and the time; what is nested deeper, where students' prints are, claims nothing."""
    found = read_metadata(METADATA)
    assert list(found) == ["submission_101", "submission_102", "submission_103"]
    (ada,) = found["submission_101"].owners
    assert (ada.name, ada.sid, ada.email, ada.key) == ("Ada Lovelace", "007", "ada@example.org", "Ada Lovelace_007")
    assert found["submission_101"].submitted == datetime(2026, 3, 1, 5, 11, 18, tzinfo=UTC)
    bob, cyd = found["submission_102"].owners
    assert (bob.name, bob.sid, bob.email) == ('O\'Neil "Z" Bob', "12", "bob@example.org")
    assert (cyd.name, cyd.sid, cyd.email, cyd.key) == ("", "12", "cyd@example.org", "cyd@example.org_12")
    assert found["submission_102"].submitted == datetime(2026, 3, 1, 13, 11, 18, tzinfo=UTC)
    assert found["submission_103"].owners == ()
    assert found["submission_103"].submitted is None


@pytest.mark.parametrize(
    "text", ["", "- a\n- b", "x" * 10_000, ":::", "a: 1\n\tb: 2", "\0", "a:\n  :submitters:\n  - :sid: 'x"]
)
def test_any_text_is_read_as_a_list(text: str) -> None:
    """What is no such list names nobody, or what it can."""
    assert all(isinstance(name, str) and name in text for name in read_metadata(text))
