"""A class from submissions to files: what changed is graded again, what was killed is resumed, and nothing is lost."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import jsonschema
import pytest

from autograder.classroom import run as run_module
from autograder.classroom.gradebook import Facts, GradebookError
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.gradebook_versions import FILE
from autograder.classroom.gradebook_view import find_student
from autograder.classroom.roster import Person
from autograder.classroom.run import carry_out, write_down
from autograder.classroom.still_to_grade import Choices, make_plan
from autograder.classroom.stored_result import finished
from autograder.classroom.submissions import Submission
from autograder.classroom.summary import Summary, told_summary
from autograder.classroom.watch import Mark
from autograder.course.spec import Assignment, call
from autograder.judge.reasons import Hint
from autograder.lms.platform import Owner
from autograder.pages.class_files import CLASS_FILES, publish
from autograder.pages.student_files import STUDENT_FILES
from autograder.sandbox.job import Chunk, Job, JobResult, Sandbox, Source

SCHEMA = json.loads((Path(__file__).parents[1] / "autograder/classroom/result.schema.json").read_text(encoding="utf-8"))
Grade = Callable[..., "Graded"]


class Quiet:
    """Watches and says nothing."""

    def __init__(self) -> None:
        self.marks: list[Mark] = []

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""

    def start(self, todo: int, kept: int) -> None:
        """Note nothing."""

    def training(self, *_: object) -> None:
        """Say nothing."""

    def graded(self, one: Mark) -> None:
        """Note a mark."""
        self.marks.append(one)


class Graded:
    """What one run did."""

    def __init__(self, out: Path, marks: list[Mark], kept: int, summary: Summary) -> None:
        self.out, self.kept = out, kept
        self.summary: dict[str, Any] = json.loads(json.dumps(told_summary(summary)))
        self.names = sorted(mark.student for mark in marks)

    def entry(self, student: str) -> dict[str, Any]:
        """Return a student's results file."""
        found: dict[str, Any] = json.loads((self.out / "results" / f"{student}.json").read_text(encoding="utf-8"))
        return found

    def scores(self, student: str) -> list[float]:
        """Return a student's points by exercise."""
        return [exercise["score"] for exercise in self.entry(student)["exercises"]]

    def grades(self) -> list[dict[str, str]]:
        """Return the rows of grades.csv."""
        with (self.out / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
            return list(csv.DictReader(file))


def handed_in(student: str, text: str, **more: Any) -> Submission:
    """Return a submission of one file."""
    return replace(Submission(student, f"{student}.py", Source("means", (Chunk("means.py", text),))), **more)


@pytest.fixture
def works(assignment: Assignment) -> list[Submission]:
    """Return a class of four: right, wrong, unwritten, unreadable."""
    wrong = assignment.reference.replace("return x - means", "return x + means")
    texts = {"ann": assignment.reference, "bob": wrong, "eve": assignment.stub}
    return [*(handed_in(*pair) for pair in texts.items()), Submission("tom", "tom.pdf", None, "A PDF.")]


@pytest.fixture
def grade(assignment: Assignment, sandbox: Sandbox, tmp_path: Path) -> Grade:
    """Return a function that grades a class into one folder."""

    def one(
        works: list[Submission], changed: Assignment = assignment, box: Sandbox = sandbox, **choices: Any
    ) -> Graded:
        watch = Quiet()
        with open_gradebook(tmp_path / "out", changed) as book:
            plan = make_plan(book, changed, works, Choices(**choices))
            if plan.tasks:
                carry_out(book, plan, box, 2, watch)
            return Graded(book.folder, watch.marks, plan.kept, publish(book).summary)

    return one


def files(out: Path) -> dict[str, tuple[int, bytes]]:
    """Return every file made from the book, with the time it was written."""
    paths = (path for path in out.rglob("*") if path.is_file() and path.name != FILE)
    return {str(path.relative_to(out)): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


# What is left


def test_a_class_gets_its_files(grade: Grade, works: list[Submission]) -> None:
    """One of each for the class and for every student; each result is as the schema says."""
    done = grade(works, seed=3)
    names = {*CLASS_FILES, *(f"{folder}/{w.student}{suffix}" for folder, suffix in STUDENT_FILES for w in works)}
    assert files(done.out).keys() == names
    for student in ("ann", "bob", "eve", "tom"):
        jsonschema.validate(done.entry(student), SCHEMA, jsonschema.Draft202012Validator)
    assert [(row["student"], row["score"], row["status"]) for row in done.grades()] == [
        ("ann", "7.0", "graded"), ("bob", "5.0", "graded"), ("eve", "0.0", "graded"), ("tom", "0.0", "unreadable"),
    ]  # fmt: skip
    assert (done.summary["seed"], done.summary["submissions"], done.summary["problems"]) == (3, 4, [])


def test_the_schema_knows_every_hint() -> None:
    """A result with a new one would be none."""
    assert {*SCHEMA["$defs"]["advice"]["properties"]["hint"]["enum"]} == {*Hint}


def test_results_in_every_form_are_as_the_schema_says(
    grade: Grade, assignment: Assignment, works: list[Submission]
) -> None:
    """Late, decided otherwise, from an export, on a roster, broken: the schema knows it all, and nothing besides."""
    person = Person("007", "Ada", "ada@example.org", "B", "48h")
    odd = [
        handed_in(
            "007",
            "def f(:",
            owner=Owner("ada_1", "ada", "1", system="canvas"),
            person=person,
            late=True,
            notes=("Late.",),
        ),
        handed_in("loop", assignment.reference.replace("squares = center(x) ** 2", "raise ValueError('\ud800')")),
    ]
    done = grade([*works, *odd], facts=Facts(roster=(person,), due="2026-03-01T23:59:00+00:00"))
    with open_gradebook(done.out) as book:
        book.override("007", "center", 1.5, "Because.")
        publish(book)
    for student in ("007", "loop"):
        entry = done.entry(student)
        jsonschema.validate(entry, SCHEMA, jsonschema.Draft202012Validator)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(entry | {"surprise": 1}, SCHEMA, jsonschema.Draft202012Validator)
    assert done.entry("007")["exercises"][1]["override"]["points"] == 1.5


class Steps:
    """Counts the steps that SQLite takes, in hundreds."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.count = 0
        db.set_progress_handler(self.one_more, 100)

    def one_more(self) -> int:
        """Count, and let SQLite go on."""
        self.count += 1
        return 0


def test_what_writing_down_a_result_takes_does_not_grow_with_the_class(
    assignment: Assignment, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Neither with those who wait nor with what persons decided: SQLite takes as many steps in a class of thousands."""
    counts = {}
    for size in (20, 2000):
        works = [handed_in(f"s{number:04}", assignment.stub) for number in range(size)]
        with open_gradebook(tmp_path / str(size), assignment) as book:
            plan = make_plan(book, assignment, works, Choices(seed=1))
            for work in works:
                book.override(work.student, "center", 1.0, "So.")
            coming = [
                (finished(one),) for one in run_module.grade_class(plan.oracle, plan.tasks[:5], sandbox, 1, plan.stale)
            ]
            steps = Steps(book.db)
            write_down(book, plan, coming, Quiet())
            counts[size] = steps.count
    assert counts[2000] < 2 * counts[20]


# What is graded again


def test_a_second_run_does_nothing(grade: Grade, works: list[Submission]) -> None:
    """No submission is graded, no file is written, and the seed is the first run's."""
    first = grade(works)
    before = files(first.out)
    second = grade(works)
    assert (second.names, second.kept, second.summary) == ([], 4, first.summary)
    assert files(first.out) == before


@pytest.mark.parametrize("text", ["", "{}", '{"title": "edited by hand"}'])
def test_no_file_is_read_back(grade: Grade, works: list[Submission], text: str) -> None:
    """What holds of the class comes from the gradebook, whatever became of the files that were made from it."""
    first = grade([replace(works[0], late=True), *works[1:]])
    (first.out / "summary.json").write_text(text, encoding="utf-8")
    assert grade([replace(works[0], late=True), *works[1:]]).summary == first.summary


def test_only_who_handed_in_anew_is_graded(grade: Grade, assignment: Assignment, works: list[Submission]) -> None:
    """The others' files stay as they are, but for the page for graders of who stood beside in the queue."""
    first = grade(works)
    before = files(first.out)
    works[2] = handed_in("eve", assignment.reference)
    second = grade(works)
    assert (second.names, second.scores("eve")) == (["eve"], [2.0, 2.0, 3.0])
    changed = {name for name, content in files(first.out).items() if content != before[name]}
    own = {f"{folder}/eve{suffix}" for folder, suffix in STUDENT_FILES}
    assert changed == {*CLASS_FILES, *own, "staff/tom.html"}


def test_a_changed_case_regrades_what_it_touches(grade: Grade, assignment: Assignment, works: list[Submission]) -> None:
    """Its exercise and what builds on it; results of the others are the very same, to the seconds they took."""
    before = grade(works).entry("bob")

    def other(rng: Any) -> Any:
        yield call(rng.normal(size=(6, 2)) + 1.0)

    cases = tuple(replace(c, generate=other) if c.name == "spreads_of_any_shape" else c for c in assignment.cases)
    changed = replace(assignment, cases=cases)
    done = grade(works, changed)
    after = done.entry("bob")
    assert done.names == ["ann", "bob", "eve", "tom"]
    assert after["exercises"][:2] == before["exercises"][:2]
    with closing(sqlite3.connect(done.out / FILE)) as book:
        runs = dict(book.execute("SELECT name, run FROM exercise WHERE student = 'bob'"))
    assert runs == {"row_means": 1, "center": 1, "spread": 2}
    assert grade(works, changed).names == []


def test_regrading_gives_what_grading_afresh_gives(
    grade: Grade, assignment: Assignment, works: list[Submission], tmp_path: Path
) -> None:
    """However a class came to its present state, its grades are the same."""
    grade(works, seed=5)
    cases = tuple(replace(c, weight=3.0) if c.name == "two_rows_centered" else c for c in assignment.cases)
    changed = replace(assignment, cases=cases)
    done = grade(works, changed)
    mended = (done.out / "grades.csv").read_bytes()
    shutil.rmtree(done.out)
    assert (grade(works, changed, seed=5).out / "grades.csv").read_bytes() == mended


def test_some_may_be_asked_for(grade: Grade, works: list[Submission]) -> None:
    """One student, one exercise and what builds on it; the others stay in the grades."""
    grade(works)
    again = grade(works, only=("BOB",), regrade=("center",))
    assert again.names == ["bob"]
    assert len(again.grades()) == 4
    with closing(sqlite3.connect(again.out / FILE)) as book:
        assert dict(book.execute("SELECT name, run FROM exercise WHERE student = 'bob'")) == {
            "row_means": 1, "center": 2, "spread": 2,
        }  # fmt: skip
    assert grade(works, only=("bob",)).names == []
    with pytest.raises(GradebookError, match="There is no student zoe in this class"):
        grade(works, only=("bob", "zoe"))
    alike = [replace(one, person=Person(one.student, "Li Wei")) for one in works[:2]]
    with pytest.raises(GradebookError, match="li wei may be any of ann, bob"):
        grade(alike, only=("li wei",))
    with pytest.raises(GradebookError, match="Did you mean center"):
        grade(works, regrade=("centr",))


def test_another_seed_grades_everything(grade: Grade, works: list[Submission]) -> None:
    """And is remembered from then on."""
    grade(works, seed=1)
    assert grade(works, seed=2).names == ["ann", "bob", "eve", "tom"]
    with pytest.raises(GradebookError, match="has the seed 2"):
        grade(works, seed=3, only=("bob",))
    assert grade(works).summary["seed"] == 2


def test_an_override_survives_regrading(grade: Grade, works: list[Submission]) -> None:
    """Points and reason stand in the grades, the results and the summary."""
    done = grade(works)
    with open_gradebook(done.out) as book:
        book.override("bob", "center", 1.5, "Right idea.")
        publish(book)
    again = grade(works, regrade=("row_means",))
    assert again.scores("bob") == [2.0, 1.5, 3.0]
    assert again.grades()[1]["overridden"] == "center"
    assert again.summary["overrides"] == 1


def test_files_that_were_lost_are_made_again(grade: Grade, works: list[Submission]) -> None:
    """Without grading anything; and files of somebody who is no more in the class go."""
    done = grade(works)
    before = {name: content for name, (_, content) in files(done.out).items()}
    for name in ("results/bob.json", "feedback/eve.html", "exports/moodle.csv"):
        (done.out / name).unlink()
    (done.out / "feedback" / "stranger.html").write_text("?")
    again = grade(works)
    assert again.names == []
    assert {name: content for name, (_, content) in files(done.out).items()} == before
    fewer = grade(works[:3])
    assert not [name for name in files(done.out) if "tom" in name]
    assert [row["student"] for row in fewer.grades()] == ["ann", "bob", "eve"]
    assert grade(works).names == []


class Cursed:
    """A sandbox that does not work."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.isolation = sandbox.isolation

    def run(self, _: Job) -> JobResult:
        """Fail."""
        raise OSError("no descriptors left")

    def close(self) -> None:
        """Nothing to close."""


def test_what_failed_on_our_side_is_graded_by_the_next_run(
    grade: Grade, works: list[Submission], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is loud in the summary, and gone when it works again."""
    monkeypatch.setattr(run_module, "RETRY_SECONDS", 0.0)
    first = grade(works, box=Cursed(sandbox))
    assert len(first.summary["problems"]) == 3
    second = grade(works)
    assert second.names == ["ann", "bob", "eve"]
    assert second.summary["problems"] == []


def test_a_roster_shows_who_is_missing(grade: Grade, works: list[Submission]) -> None:
    """They have a row, and stand in the summary; who is on no roster is named too."""
    people = [Person("007", "Ada"), Person("ann", "Ann")]
    works[0] = replace(works[0], person=people[1])
    done = grade(works, facts=Facts(roster=tuple(people)))
    assert [entry["student"] for entry in done.summary["not_submitted"]] == ["007"]
    assert done.summary["not_on_roster"] == ["bob", "eve", "tom"]
    assert next((row["student"], row["status"]) for row in done.grades()) == ("007", "not_submitted")
    assert not (done.out / "results" / "007.json").exists()


# What is not finished


class Stopped(Quiet):
    """Watches, and stops the run after so many."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def graded(self, one: Mark) -> None:
        """Note a mark, and stop."""
        super().graded(one)
        if len(self.marks) == self.after:
            raise KeyboardInterrupt


@pytest.fixture
def stop(assignment: Assignment, sandbox: Sandbox, tmp_path: Path) -> Callable[..., None]:
    """Return a function that begins to grade a class into the same folder, and is stopped after one."""

    def one(works: list[Submission], **choices: Any) -> None:
        class Open:
            isolation, run = sandbox.isolation, sandbox.run

            def close(self) -> None:
                """Leave the other one open, since the next grading uses it too."""

        with open_gradebook(tmp_path / "out", assignment) as book:
            plan = make_plan(book, assignment, works, Choices(**choices))
            with pytest.raises(KeyboardInterrupt):
                carry_out(book, plan, Open(), 1, Stopped(1))

    return one


def rebuilt(out: Path) -> Graded:
    """Do what `report` does."""
    with open_gradebook(out) as book:
        return Graded(out, [], 0, publish(book, rewrite=True).summary)


def sheets(out: Path) -> list[list[str]]:
    """Return the points of each student in both sheets for an LMS."""
    found = []
    for name, column, first in (("canvas", -1, 2), ("moodle", 4, 1)):
        with (out / f"exports/{name}.csv").open(newline="", encoding="utf-8") as file:
            found.append([row[column] for row in csv.reader(file)][first:])
    return found


def test_who_waits_is_not_said_to_have_handed_in_nothing(
    grade: Grade, stop: Callable[..., None], works: list[Submission], tmp_path: Path
) -> None:
    """After a run that was stopped they have a row without points; who really handed in nothing has none of them."""
    people = [Person(name, name.title()) for name in ("ann", "bob", "zoe")]
    works = [replace(work, person=person) for work, person in zip(works, people[:2], strict=False)] + works[2:]
    facts = Facts(roster=tuple(people))
    stop(works, seed=3, facts=facts)
    found = rebuilt(tmp_path / "out")
    assert [(row["student"], row["score"], row["center"], row["status"]) for row in found.grades()] == [
        ("ann", "7.0", "2.0", "graded"), ("bob", "", "", "not_graded"), ("eve", "", "", "not_graded"),
        ("tom", "", "", "not_graded"), ("zoe", "0.0", "0.0", "not_submitted"),
    ]  # fmt: skip
    assert sheets(found.out) == [["7.0", "", "", "", "0.0"]] * 2
    assert (found.summary["not_graded"], found.summary["outdated"]) == (["bob", "eve", "tom"], [])
    assert [entry["student"] for entry in found.summary["not_submitted"]] == ["zoe"]
    text = (found.out / "report.html").read_text(encoding="utf-8")
    assert "Not finished" in text
    assert "Not graded yet: 3" in text
    done = grade(works)
    assert {row["student"]: row["status"] for row in done.grades()} == {
        "ann": "graded", "bob": "graded", "eve": "graded", "tom": "unreadable", "zoe": "not_submitted",
    }  # fmt: skip
    assert (done.summary["not_graded"], rebuilt(done.out).summary) == ([], done.summary)
    assert "Not finished" not in (done.out / "report.html").read_text(encoding="utf-8")


def test_who_was_not_asked_for_waits(grade: Grade, works: list[Submission]) -> None:
    """In a new folder that is everybody else; what a person decides of them is shown and kept."""
    done = grade(works, only=("bob",))
    assert {row["student"]: row["status"] for row in done.grades()} == {
        "ann": "not_graded", "bob": "graded", "eve": "not_graded", "tom": "not_graded",
    }  # fmt: skip
    with open_gradebook(done.out) as book:
        assert find_student(book, "ann") == "ann"
        book.override("ann", "center", 1.5, "So.")
        publish(book)
    assert [done.grades()[0][name] for name in ("score", "center", "spread")] == ["", "1.5", ""]
    assert grade(works[:1], only=("ann",)).summary["not_graded"] == ["eve", "tom"]
    assert grade(works).scores("ann") == [2.0, 1.5, 3.0]


def test_who_waits_under_another_name_is_there_once(grade: Grade, works: list[Submission]) -> None:
    """A roster that comes while somebody waits gives another name; what was decided goes along."""
    works = [replace(work, owner=Owner(f"{work.student}_7")) for work in works]
    done = grade(works, only=("bob",))
    with open_gradebook(done.out) as book:
        book.override("ann", "center", 1.5, "So.")
    works[0] = replace(works[0], student="1001", person=Person("1001", "Ann"))
    done = grade(works, only=("bob",))
    assert [row["student"] for row in done.grades()] == ["1001", "bob", "eve", "tom"]
    assert done.grades()[0]["center"] == "1.5"


def test_results_of_another_seed_say_so(
    grade: Grade, stop: Callable[..., None], works: list[Submission], tmp_path: Path
) -> None:
    """A run with another seed that is stopped leaves the others' results as they were, seed and all, and tells."""
    grade(works, seed=1)
    for _ in range(2):
        stop(works, seed=2)
    found = rebuilt(tmp_path / "out")
    assert [found.entry(work.student)["seed"] for work in works] == [2, 2, 1, 1]
    assert (found.summary["not_graded"], found.summary["outdated"]) == ([], ["eve", "tom"])
    assert "To be graded again" in (found.out / "report.html").read_text(encoding="utf-8")
    done = grade(works)
    assert ([done.entry(work.student)["seed"] for work in works], done.summary["outdated"]) == ([2] * 4, [])


# What is killed


def strike(command: list[str], seconds: float, temporary: Path) -> bool:
    """Start a grading and kill it, and all it started, after some seconds; return whether it was still at work.

    What is killed leaves its `temporary` files.
    """
    process = subprocess.Popen(
        command,
        env=os.environ | {"TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    assert process.returncode == 0
    return False


def in_the_book(out: Path) -> int:
    """Return how many are graded, after making sure that the book is whole."""
    if not (out / FILE).exists():
        return 0
    with closing(sqlite3.connect(out / FILE)) as book:
        assert book.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not book.execute("SELECT 1 FROM sqlite_master WHERE name = 'grading'").fetchone():
            return 0
        whole = "SELECT count(*) FROM grading g WHERE 3 = (SELECT count(*) FROM exercise e WHERE e.student = g.student)"
        (count,) = book.execute("SELECT count(*) FROM grading").fetchone()
        assert book.execute(whole).fetchone() == (count,)
        return int(count)


def same_grades(calm: Path, rough: Path) -> None:
    """Check that two folders hold the same, byte by byte where nothing is told of the seconds it took."""
    for name in ("grades.csv", "exports/canvas.csv", "exports/moodle.csv"):
        assert (rough / name).read_bytes() == (calm / name).read_bytes(), name
    entries = [
        {path.name: without_times(json.loads(path.read_text(encoding="utf-8"))) for path in (out / "results").iterdir()}
        for out in (calm, rough)
    ]
    assert entries[0] == entries[1]


@pytest.mark.slow
def test_twenty_kills_change_no_grade(course: Path, assignment: Assignment, tmp_path: Path) -> None:
    """SIGKILL at twenty random moments; whenever a run comes to its end, its grades are those of a calm one."""
    folder = tmp_path / "class"
    folder.mkdir()
    for i in range(30):
        mistake = assignment.misconceptions[i % len(assignment.misconceptions)]
        text = assignment.reference.replace(mistake.old, mistake.new) if i % 3 else assignment.reference
        slow = f"import time\ntime.sleep({0.05 * (i % 3)})\n"
        (folder / f"s{i:02}.py").write_text(slow + text, encoding="utf-8")

    def command(out: Path) -> list[str]:
        options = ["--course", str(course), "--seed", "4", "--jobs", "2", "--accept-unsandboxed"]
        return [sys.executable, "-m", "autograder.cli", "grade", "t1_means", str(folder), "-o", str(out), *options]

    calm, began, moments = tmp_path / "calm", time.monotonic(), random.Random(8)
    assert not strike(command(calm), 120, tmp_path)
    length = time.monotonic() - began
    outs, struck, counts = [tmp_path / "rough0"], 0, []
    while struck < 20:
        if strike(command(outs[-1]), moments.uniform(0.1, 0.95) * length, tmp_path):
            struck += 1
            counts.append(in_the_book(outs[-1]))
        else:
            outs.append(tmp_path / f"rough{len(outs)}")
    assert not strike(command(outs[-1]), 120, tmp_path)
    assert any(0 < count < 30 for count in counts), "every kill fell before the first or after the last submission"
    for rough in outs:
        assert in_the_book(rough) == 30
        same_grades(calm, rough)


def test_a_batch_system_that_ends_a_job_leaves_nothing_behind(
    course: Path, assignment: Assignment, tmp_path: Path
) -> None:
    """SIGTERM ends it like Ctrl-C: no folder of a sandbox stays, and what was graded is in the book."""
    works, temporary = tmp_path / "class", tmp_path / "temporary"
    for folder in (works, temporary):
        folder.mkdir()
    (works / "loop.py").write_text(f"{assignment.reference}\nwhile True: pass\n")
    command = [sys.executable, "-m", "autograder.cli", "grade", "t1_means", str(works), "-o", str(tmp_path / "out")]
    command += ["--course", str(course), "--accept-unsandboxed", "--jobs", "1"]
    process = subprocess.Popen(command, env=os.environ | {"TMPDIR": str(temporary)}, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not any(temporary.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    process.terminate()
    assert process.wait(60) == 143
    assert list(temporary.iterdir()) == []


def without_times(entry: Any) -> Any:
    """Return a result without what differs between any two runs."""
    if isinstance(entry, dict):
        return {key: without_times(value) for key, value in entry.items() if key != "seconds"}
    return [without_times(value) for value in entry] if isinstance(entry, list) else entry


def test_a_second_run_of_a_large_class_is_quick(grade: Grade, assignment: Assignment, works: list[Submission]) -> None:
    """Comparing 500 submissions with the book takes a moment, however long grading them took."""
    unread = [Submission(f"s{i:03}", f"s{i:03}.pdf", None, "A PDF.") for i in range(500)]
    grade(unread)
    began = time.monotonic()
    assert grade(unread).names == []
    assert time.monotonic() - began < 2.0
