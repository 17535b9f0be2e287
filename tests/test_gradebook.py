"""The gradebook keeps what still stands, takes in a submission whole or not at all, and forgets nobody."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from autograder.classroom.gradebook import Facts, Gradebook, GradebookError
from autograder.classroom.gradebook_lock import known_roster, open_gradebook
from autograder.classroom.gradebook_versions import FILE
from autograder.classroom.gradebook_view import absentees, find_exercise, find_student, records, source_of, waiting
from autograder.classroom.one_file import as_theirs, note_replaced, with_files_kept
from autograder.classroom.record import Graded, Override
from autograder.classroom.record_json import told_record
from autograder.classroom.roster import Person
from autograder.classroom.still_to_grade import Choices, adopt, is_current, keep, see_class, stale_results
from autograder.classroom.stored_result import finished
from autograder.classroom.submissions import Submission
from autograder.classroom.summary import summarize
from autograder.course.spec import Assignment, Status, Visibility
from autograder.judge.reasons import Message
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.lms.platform import Owner
from autograder.sandbox.job import Chunk, Isolation, Source

ISOLATION = Isolation("A", ("namespaces",), ())
NAMES = ("row_means", "center", "spread")
KEYS = {name: f"key of {name}" for name in NAMES}
ALL = frozenset(NAMES)


@pytest.fixture
def book(tmp_path: Path, assignment: Assignment) -> Iterator[Gradebook]:
    """Return an empty gradebook."""
    with open_gradebook(tmp_path / "out", assignment) as opened:
        opened.describe(assignment, 7)
        yield opened


def handed_in(student: str, text: str = "x = 1", **more: object) -> Submission:
    """Return a submission of one file."""
    return replace(Submission(student, f"{student}.py", Source("means", (Chunk("means.py", text),))), **more)


def graded(submission: Submission, score: float = 1.0, status: Status = Status.PASSED, problem: str = "") -> Graded:
    """Return what grading came to: the same score in every exercise."""
    exercises = tuple(
        ExerciseResult(
            name, score, 3.0, (CaseResult("c", "Claim.", Visibility.PUBLIC, status, Message("\ud800 said")),)
        )
        for name in NAMES
    )
    return Graded(submission, Result("t1_means", exercises, problem, notes=("a cell",)), ISOLATION, 0.5)


def save(book: Gradebook, one: Graded, names: frozenset[str] = ALL) -> None:
    """Write one down."""
    book.save(finished(one), KEYS, names, book.begin(ISOLATION))


def scores(book: Gradebook, student: str) -> list[float]:
    """Return a student's points by exercise."""
    (entry,) = records(book, [student])
    return [exercise.points for exercise in entry.exercises]


# What stands


def test_what_was_graded_stands(book: Gradebook) -> None:
    """Nothing is stale until code or key change, and then only that."""
    ada, bob = handed_in("ada"), handed_in("bob", "y = 2")
    assert stale_results(book, [ada, bob], KEYS) == {"ada": ALL, "bob": ALL}
    save(book, graded(ada))
    assert stale_results(book, [ada, bob], KEYS) == {"bob": ALL}
    save(book, graded(bob))
    assert stale_results(book, [ada, bob], KEYS) == {}
    assert stale_results(book, [handed_in("ada", "x = 3"), bob], KEYS) == {"ada": ALL}
    assert stale_results(book, [ada, bob], KEYS | {"center": "other"}) == {"ada": {"center"}, "bob": {"center"}}
    assert is_current(book, "ada", "center", KEYS["center"])
    assert not is_current(book, "ada", "center", "other")
    assert not is_current(book, "eve", "center", KEYS["center"])


def test_only_what_is_stale_is_replaced(book: Gradebook) -> None:
    """Results of other exercises stay as they were; where the code is new, all are."""
    ada = handed_in("ada")
    save(book, graded(ada, 1.0))
    save(book, graded(ada, 2.0), frozenset({"center"}))
    assert scores(book, "ada") == [1.0, 2.0, 1.0]
    save(book, graded(handed_in("ada", "new = 1"), 3.0), frozenset({"center"}))
    assert scores(book, "ada") == [3.0, 3.0, 3.0]


def test_what_is_saved_is_what_will_be_read(book: Gradebook) -> None:
    """`save` returns the record without its cases, for which nothing is read that is large; kept results are in it too."""
    ada = handed_in("ada", person=Person("007", "Ada"), notes=("handed in twice",))
    runs = [
        (graded(ada), ALL),
        (graded(ada, 2.0), frozenset({"center"})),
        (graded(handed_in("ada", "new = 1"), 3.0), frozenset({"center"})),
        (graded(handed_in("ada", "new = 1"), 0.0, Status.CRASHED, "It cannot be imported."), ALL),
        (graded(Submission("ada", "ada.pdf", None, "This is a PDF."), 0.0, Status.MISSING), ALL),
    ]
    for number, (one, names) in enumerate(runs):
        if number == 1:
            book.override("ada", "spread", 2.5, "By hand.")
        saved = book.save(finished(one), KEYS, names, book.begin(ISOLATION))
        (read,) = records(book, ["ada"])
        outline = tuple(replace(exercise, cases=()) for exercise in read.exercises)
        assert saved == replace(read, exercises=outline, times={})
        assert saved.exercises[2].override == (
            Override(2.5, "By hand.", mock.ANY, mock.ANY, worth=3.0, earlier=number > 1) if number else None
        )


def test_what_equal_exercises_say_is_stored_once(book: Gradebook) -> None:
    """The times of each student's cases are stored apart. A grading that ends removes what no result says any more."""

    def entries() -> list[str]:
        return [text for (text,) in book.db.execute("SELECT text FROM entry")]

    run = book.begin(ISOLATION)
    for student, seconds in (("ada", 0.25), ("bob", 0.5)):
        one = graded(handed_in(student))
        exercises = tuple(
            replace(e, cases=tuple(replace(c, seconds=seconds) for c in e.cases)) for e in one.result.exercises
        )
        book.save(finished(replace(one, result=replace(one.result, exercises=exercises))), KEYS, ALL, run)
    assert len(entries()) == len(set(entries())) == 3
    assert [[*read.times.values()] for read in records(book)] == [[(0.25,)] * 3, [(0.5,)] * 3]
    told = told_record(next(records(book, ["bob"])))
    assert [case["seconds"] for e in told["exercises"] for case in e["cases"]] == [0.5] * 3  # type: ignore[attr-defined]
    for student in ("ada", "bob"):
        book.save(finished(graded(handed_in(student, "new = 1"), 2.0)), KEYS, ALL, run)
    assert len(entries()) == 6
    book.end(run, 2.0)
    assert len(entries()) == 3
    assert [[e.points for e in read.exercises] for read in records(book)] == [[2.0, 2.0, 2.0]] * 2


def test_a_file_that_cannot_be_imported_any_more_has_no_old_points(book: Gradebook) -> None:
    """Where the submission as a whole ends otherwise than before, every exercise is new."""
    ada = handed_in("ada")
    save(book, graded(ada, 1.0))
    save(book, graded(ada, 0.0, Status.CRASHED, "It cannot be imported."), frozenset({"center"}))
    assert scores(book, "ada") == [0.0, 0.0, 0.0]


def test_our_own_failures_are_tried_again(book: Gradebook) -> None:
    """A grader error is no result."""
    ada = handed_in("ada")
    save(book, graded(ada, 0.0, Status.GRADER_ERROR))
    assert stale_results(book, [ada], KEYS) == {"ada": ALL}
    (entry,) = records(book)
    assert entry.status == "grader_error"


def test_what_cannot_be_read_is_written_down_too(book: Gradebook) -> None:
    """It has no code, and its problem is what it is graded as."""
    eve = Submission("eve", "eve.pdf", None, "This is a PDF.")
    save(book, graded(eve, 0.0, Status.MISSING))
    assert stale_results(book, [eve], KEYS) == {}
    assert stale_results(book, [replace(eve, problem="This is a zip.")], KEYS) == {"eve": ALL}
    assert source_of(book, "eve") is None
    (entry,) = records(book)
    assert (entry.status, entry.problem, entry.notes) == ("unreadable", "This is a PDF.", ("a cell",))


def test_code_comes_back_as_it_was(book: Gradebook) -> None:
    """For whoever appeals: also broken characters, and cells."""
    source = Source("means", (Chunk("cell 1", "x = '\ud800'"), Chunk("cell 2", "y")), notebook=True)
    save(book, graded(Submission("ada", "ada.ipynb", source)))
    assert source_of(book, "ada") == source


def test_a_save_is_whole_or_not_at_all(book: Gradebook, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever breaks in the middle of writing leaves what was there before."""
    ada = handed_in("ada")
    save(book, graded(ada, 1.0))
    run = book.begin(ISOLATION)
    broken = graded(handed_in("ada", "new = 1"), 2.0)
    with pytest.raises(KeyError):
        book.save(finished(broken), {"row_means": "only this one has a key"}, ALL, run)
    assert scores(book, "ada") == [1.0, 1.0, 1.0]
    assert stale_results(book, [ada], KEYS) == {}
    assert source_of(book, "ada") == ada.source


def test_exercises_that_are_left_out_keep_their_results(book: Gradebook, assignment: Assignment) -> None:
    """They are not shown, and stand when they are graded again, as after --no-training; unless the code is new."""
    fewer = replace(assignment, exercises=assignment.exercises[:2])
    for text, after in (("x = 1", [1.0, 1.0, 1.0]), ("x = 2", [1.0, 1.0])):
        ada = handed_in("ada")
        save(book, graded(ada))
        book.describe(fewer, 7)
        assert scores(book, "ada") == [1.0, 1.0]
        result = graded(handed_in("ada", text))
        save(book, replace(result, result=replace(result.result, exercises=result.result.exercises[:2])))
        book.describe(assignment, 7)
        assert scores(book, "ada") == after


# Who is in the class


def test_whoever_leaves_the_class_stays_in_the_book(book: Gradebook) -> None:
    """Not in the grades, but there again when their submission is."""
    ada, bob = handed_in("ada"), handed_in("bob")
    for one in (ada, bob):
        save(book, graded(one))
    see_class(book, [ada])
    assert book.students() == ["ada"]
    see_class(book, [ada, bob])
    assert book.students() == ["ada", "bob"]
    assert stale_results(book, [ada, bob], KEYS) == {}


def test_results_follow_a_student_who_gets_another_name(book: Gradebook) -> None:
    """A roster that comes later renames; results, decisions and code go along."""
    owner = Owner("Ada Lovelace_31", "Ada Lovelace", "31")
    old, new = handed_in("Ada_Lovelace_31", owner=owner), handed_in("007", owner=owner)
    save(book, graded(old))
    book.override("Ada_Lovelace_31", "center", 2.0, "So.")
    adopt(book, [new])
    see_class(book, [new])
    assert stale_results(book, [new], KEYS) == {}
    assert scores(book, "007") == [1.0, 2.0, 1.0]
    assert book.students() == ["007"]


def test_nobodys_results_go_to_somebody_else(book: Gradebook) -> None:
    """Neither where the earlier name is still in the class, nor where the new one is in the book."""
    owner = Owner("shared")
    first, second = handed_in("first", owner=owner), handed_in("second", owner=owner)
    save(book, graded(first))
    adopt(book, [first, second])
    assert stale_results(book, [first, second], KEYS) == {"second": ALL}
    save(book, graded(second, 3.0))
    adopt(book, [second])
    assert scores(book, "second") == [3.0] * 3
    assert scores(book, "first") == [1.0] * 3


def test_an_owner_who_takes_a_name_takes_nothing_with_it(book: Gradebook) -> None:
    """Whose file is called as the plain name gets it; results and decisions stay with whom they are of."""
    ada, other = Owner("Ada Lovelace"), Owner("Ada_Lovelace")
    save(book, graded(handed_in("Ada_Lovelace", owner=ada)))
    book.override("Ada_Lovelace", "center", 0.5, "So.")
    both = [handed_in("Ada_Lovelace", "stub = 1", owner=other), handed_in("Ada_Lovelace-48428cf7", owner=ada)]
    adopt(book, both)
    see_class(book, both)
    assert stale_results(book, both, KEYS) == {"Ada_Lovelace": ALL}
    save(book, graded(both[0], 0.0))
    assert (scores(book, "Ada_Lovelace"), scores(book, "Ada_Lovelace-48428cf7")) == ([0.0] * 3, [1.0, 0.5, 1.0])
    traded = [replace(one, owner=owner) for one, owner in zip(both, (ada, other), strict=True)]
    adopt(book, traded)
    assert (scores(book, "Ada_Lovelace"), scores(book, "Ada_Lovelace-48428cf7")) == ([1.0, 0.5, 1.0], [0.0] * 3)


def test_a_name_that_is_free_again_is_free_of_decisions(book: Gradebook) -> None:
    """Whoever left keeps what is theirs, under a spare name, and finds it on coming back; on a roster the id counts."""
    first, second = handed_in("Bo_B", owner=Owner("Bo B")), handed_in("Bo_B", "y = 2", owner=Owner("Bo_B"))
    save(book, graded(first))
    book.override("Bo_B", "center", 0.5, "So.")
    for one in (second, replace(second, person=Person("7")), replace(second, owner=Owner("b1"), person=Person("7"))):
        adopt(book, [one])
        see_class(book, [one])
        save(book, graded(one, 3.0))
        assert scores(book, "Bo_B") == [3.0] * 3
    back = replace(first, student="Bo_B-1")
    adopt(book, [second, back])
    assert scores(book, "Bo_B-1") == [1.0, 0.5, 1.0]


def test_what_is_known_of_a_submission_is_kept_up_to_date(book: Gradebook) -> None:
    """A note, a person, a due date: the pages change and nothing is graded."""
    ada = handed_in("ada")
    save(book, graded(ada))
    book.begin_writing(["", "ada"])
    book.mark_written(["", "ada"])
    keep(book, [ada])
    assert book.unwritten() == frozenset()
    keep(book, [replace(ada, notes=("handed in twice",), person=Person("007", "Ada"))])
    assert book.unwritten() == {"", "ada"}
    (entry,) = records(book)
    assert entry.person == Person("007", "Ada")
    assert entry.notes == ("handed in twice", "a cell")
    keep(book, [handed_in("ada", "other = 1", notes=("not graded yet",))])
    (entry,) = records(book)
    assert entry.notes[0] == "handed in twice"


def test_who_handed_in_nothing(book: Gradebook) -> None:
    """Those on the roster who have no submission, under names nobody else has."""
    people = [Person("007", "Ada"), Person("008", "Bob", "bob@example.org"), Person("x/y", "Cyd")]
    book.set_facts(Facts(roster=tuple(people)))
    save(book, graded(handed_in("007", person=people[0])))
    assert [entry.student for entry in absentees(book)] == ["008", "x_y"]
    assert {entry.status for entry in absentees(book)} == {"not_submitted"}
    book.override("008", "center", 1.5, "On paper.")
    assert absentees(book)[0].score == 1.5
    assert find_student(book, "bob@example.org") == find_student(book, "Bob") == "008"


def test_who_may_be_behind_a_submission_did_not_hand_in_nothing(book: Gradebook) -> None:
    """Two students of one name share it with a submission that cannot be told to be either's: no points, and a status of their own."""
    book.set_facts(Facts(roster=(Person("7", "Anna Schmidt"), Person("8", "Anna Schmidt"), Person("9", "Bob"))))
    anna = replace(handed_in("Anna_Schmidt_12541"), owner=Owner("Anna Schmidt_12541", "Anna Schmidt", system="moodle"))
    save(book, graded(anna))
    assert [entry.student for entry in absentees(book)] == ["9"]
    assert [(entry.student, entry.status, entry.score, entry.origin) for entry in waiting(book)] == [
        (name, "unclear", None, "perhaps Anna_Schmidt_12541") for name in ("7", "8")
    ]
    found = summarize(book, [*records(book)], absentees(book), waiting(book))
    assert (found.unclear, found.not_graded, [who for who, _ in found.not_submitted]) == (("7", "8"), (), ["9"])


def test_a_name_that_begins_with_the_last_one_may_be_behind_a_submission_too(book: Gradebook) -> None:
    """As Canvas writes it, without a blank."""
    book.set_facts(Facts(roster=(Person("7", "Wei Chen"), Person("8", "Wei Chen"), Person("9", "Bob"))))
    for number in ("4107", "4108"):
        owner = Owner(f"chenwei_{number}", "chenwei", number, system="canvas")
        save(book, graded(replace(handed_in(f"chenwei_{number}"), owner=owner)))
    assert [entry.student for entry in absentees(book)] == ["9"]
    assert {(entry.student, entry.status) for entry in waiting(book)} == {("7", "unclear"), ("8", "unclear")}


def test_a_single_file_is_of_the_student_who_is_named(book: Gradebook, tmp_path: Path) -> None:
    """Whatever it is called, as one that came by mail: of who handed in before, and of who is on the roster alone."""
    ada, bob = Person("7", "Ada Lovelace"), Person("8", "Bob")
    book.set_facts(Facts(roster=(ada, bob)))
    owner = Owner("lovelace_41", "Ada Lovelace", "41", system="moodle")
    save(book, graded(replace(handed_in("7"), owner=owner, person=ada, place="Ada Lovelace_41_assign/")))
    mail = tmp_path / "bptt.py"
    mail.write_text("x = 2")
    came = [handed_in("bptt", "x = 2")]
    for wanted, student, person in (("ada lovelace", "7", ada), ("8", "8", bob)):
        (theirs,), choices = as_theirs(book, came, mail, Choices(only=(wanted,)))
        assert (theirs.student, theirs.person, choices.only, theirs.key) == (student, person, (student,), came[0].key)
    (theirs,), _ = as_theirs(book, came, mail, Choices(only=("7",)))
    assert (theirs.owner.key, theirs.owner.number, theirs.place) == ("lovelace_41", "41", "Ada Lovelace_41_assign/")
    with pytest.raises(GradebookError, match="There is no student Eve"):
        as_theirs(book, came, mail, Choices(only=("Eve",)))


def test_a_file_that_came_alone_counts_until_other_code_comes(book: Gradebook) -> None:
    """The class's export holds what it replaced, under whatever name, and is often graded again."""
    class_of_two = [replace(handed_in(name, "x = 1"), owner=Owner(name)) for name in ("ada", "bob")]
    for one in class_of_two:
        save(book, graded(one))
    note_replaced(book, [handed_in("ada", "x = 2")], Choices(only=("ada",)))
    assert with_files_kept(book, class_of_two) == (class_of_two, ()), "nothing of it is graded yet"
    save(book, graded(replace(handed_in("ada", "x = 2"), owner=Owner("ada"))))
    mapped = [replace(class_of_two[0], student="7"), class_of_two[1]]
    for again, student in ((class_of_two, "ada"), (mapped, "7")):
        now, kept = with_files_kept(book, again)
        assert kept == (student,)
        assert [one.key for one in now] == [handed_in("ada", "x = 2").key, again[1].key]
        assert [one.student for one in now] == [one.student for one in again]
    later = [handed_in("ada", "x = 3"), class_of_two[1]]
    assert with_files_kept(book, later) == (later, ())
    note_replaced(book, [handed_in("ada", "x = 1")], Choices(only=("ada",)))
    save(book, graded(handed_in("ada", "x = 1")))
    assert with_files_kept(book, class_of_two) == (class_of_two, ()), "the first file came again, alone"


@pytest.mark.parametrize("only", [(), ("bptt",), ("7", "8")])
def test_what_is_called_after_its_student_stays_so(only: tuple[str, ...], book: Gradebook, tmp_path: Path) -> None:
    """Nor is one of several told whose the file is."""
    came, choices = [handed_in("bptt")], Choices(only=only)
    assert as_theirs(book, came, tmp_path / "bptt.py", choices) == (came, choices)
    assert as_theirs(book, came, tmp_path, Choices(only=("Ada",))) == (came, Choices(only=("Ada",)))


def test_a_file_called_after_nobody_on_the_roster_is_nobodys(book: Gradebook, tmp_path: Path) -> None:
    """Its name alone makes no student."""
    book.set_facts(Facts(roster=(Person("7", "Ada Lovelace"),)))
    with pytest.raises(GradebookError, match="There is no student eve"):
        as_theirs(book, [handed_in("eve")], tmp_path / "eve.py", Choices(only=("eve",)))


# Decisions of persons


def test_decisions_survive_and_can_be_withdrawn(book: Gradebook) -> None:
    """The latest counts, regrading leaves it, and what was computed stands beside it."""
    ada = handed_in("ada")
    save(book, graded(ada, 1.0))
    book.override("ada", "center", 2.5, "First \ud800.")
    book.override("ada", "center", 3.0, "Second.")
    save(book, graded(ada, 0.5))
    (entry,) = records(book)
    center = entry.exercises[1]
    assert center.override
    assert (center.score, center.override.computed, center.override.because) == (3.0, 0.5, "Second.")
    assert entry.score == 4.0
    book.override("ada", "center", None, "")
    assert book.overrides() == {"ada": {}}
    assert scores(book, "ada") == [0.5] * 3


def test_who_is_meant(book: Gradebook) -> None:
    """By the name in the grades, by id, email or name; never a guess between two."""
    for name, person in (
        ("a1", Person("7", "Ada", "ada@x.org")),
        ("a2", Person("8", "Li", "")),
        ("a3", Person("9", "Li", "")),
    ):
        save(book, graded(handed_in(name, person=person)))
    for wanted in ("a1", "A1", "7", "ada", "ADA@x.org"):
        assert find_student(book, wanted) == "a1"
    owner = Owner("Bjørn O'Neil_1", "Bjørn O'Neil", "1", system="moodle")
    save(book, graded(handed_in("Bjrn_O_Neil_1", owner=owner)))
    assert find_student(book, "bjørn o'neil") == "Bjrn_O_Neil_1"
    with pytest.raises(GradebookError, match="may be any of a2, a3"):
        find_student(book, "Li")
    with pytest.raises(GradebookError, match="There is no student b1"):
        find_student(book, "b1")
    with pytest.raises(
        GradebookError, match=r"There is no student Bjørn in this gradebook. Did you mean Bjrn_O_Neil_1\?"
    ):
        find_student(book, "Bjørn")
    assert find_exercise(NAMES, "center") == "center"
    with pytest.raises(GradebookError, match="Did you mean center"):
        find_exercise(NAMES, "centre")


# The file


def test_one_at_a_time(book: Gradebook, assignment: Assignment) -> None:
    """A second grading of the same folder is refused, and so is a look at its roster meanwhile."""
    with pytest.raises(GradebookError, match="Another autograder is at work"), open_gradebook(book.folder, assignment):
        pass
    with pytest.raises(GradebookError, match="Another autograder"):
        known_roster(book.folder)


def test_a_roster_is_remembered(tmp_path: Path, assignment: Assignment) -> None:
    """So that a second run need not name it."""
    assert known_roster(tmp_path) is None
    with open_gradebook(tmp_path / "out", assignment) as book:
        book.set_facts(Facts(roster=(Person("007", "Ada"),)))
    found = known_roster(tmp_path / "out")
    assert found is not None
    assert found.people == (Person("007", "Ada"),)


@pytest.mark.parametrize("what", ["file", "foreign", "damaged", "other version", "other assignment", "empty", "none"])
def test_a_folder_that_cannot_be_used(tmp_path: Path, assignment: Assignment, what: str) -> None:
    """A line says why, and nothing that is there is touched."""
    out = tmp_path / "out"
    if what == "file":
        out.write_text("text")
    elif what != "none":
        out.mkdir()
    if what == "foreign":
        (out / "thesis.tex").write_text("words")
    elif what == "damaged":
        (out / FILE).write_bytes(b"no database, but long enough to look at" * 100)
    elif what == "other version":
        with closing(sqlite3.connect(out / FILE)) as book:
            book.execute("PRAGMA user_version = 99")
    elif what == "other assignment":
        with open_gradebook(out, replace(assignment, slug="t9_other")) as book:
            book.describe(replace(assignment, slug="t9_other"), 1)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    reading = what in ("empty", "none")
    with pytest.raises(GradebookError) as caught, open_gradebook(out, None if reading else assignment):
        pass
    assert "\n" not in str(caught.value)
    assert "out" in str(caught.value)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def fill_the_disk_of(book: Gradebook) -> None:
    """Save more than there is room for."""
    book.db.execute("PRAGMA max_page_count = 1")
    save(book, graded(handed_in("bob", "".join(map(chr, range(1000, 9000))))))


def test_a_full_disk_keeps_what_was_graded(tmp_path: Path, assignment: Assignment) -> None:
    """The advice is to make room and go on, and no new folder, which would have other hidden inputs."""
    with open_gradebook(tmp_path / "out", assignment) as book:
        book.describe(assignment, 1)
        save(book, graded(handed_in("ada")))
    with pytest.raises(GradebookError) as caught, open_gradebook(tmp_path / "out") as book:
        fill_the_disk_of(book)
    assert "is full. What was graded is in its gradebook; make room, and the same command goes on" in str(caught.value)
    assert "new folder" not in str(caught.value)
    with open_gradebook(tmp_path / "out") as book:
        assert book.students() == ["ada"]


def test_a_folder_that_is_read_only_is_said_to_be(
    tmp_path: Path, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself only says that it cannot open the file."""
    with open_gradebook(tmp_path / "out", assignment) as book:
        book.describe(assignment, 1)
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(GradebookError, match="cannot be written to"), open_gradebook(tmp_path / "out"):
        raise sqlite3.OperationalError("unable to open database file")


def test_nothing_is_left_beside_the_file(tmp_path: Path, assignment: Assignment) -> None:
    """A closed gradebook is one file, which can be copied."""
    with open_gradebook(tmp_path / "out", assignment) as book:
        book.describe(assignment, 1)
        save(book, graded(handed_in("ada")))
    assert [path.name for path in (tmp_path / "out").iterdir()] == [FILE]


def test_a_decision_knows_that_it_was_about_an_earlier_submission(book: Gradebook) -> None:
    """It does once other code is graded, and no more when a person decides again."""
    save(book, graded(handed_in("ada")))
    book.override("ada", "center", 2.0, "Close.")
    save(book, graded(handed_in("ada")))
    assert not book.overrides("ada")["ada"]["center"].earlier
    save(book, graded(handed_in("ada", "x = 2")))
    (record,) = records(book)
    assert [bool(e.override and e.override.earlier) for e in record.exercises] == [False, True, False]
    book.override("ada", "center", 2.0, "Seen again.")
    assert not book.overrides()["ada"]["center"].earlier
