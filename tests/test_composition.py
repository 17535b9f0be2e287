"""A course of one's own: course.toml leaves out exercises, gives other points and titles, and a bonus."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import COURSE, Cli

from autograder.classroom.result_keys import exercise_keys
from autograder.course.catalog import load_assignment, programs_of, readme_of
from autograder.course.composed_readme import composed_readme
from autograder.course.composition import CompositionError, composed
from autograder.course.course_file import Entry, read_course_file, written
from autograder.course.places import CourseError, slugs
from autograder.course.spec import Status
from autograder.course.stub import render_stub, unmarked
from autograder.handout.handout import handout_files, write_files
from autograder.handout.kit.bundle import SHAPES
from autograder.handout.public_data import public_oracle
from autograder.integrations.one_submission import Settings, desk_files
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.proof.doctor import examine
from autograder.sandbox.job import Sandbox, Source

ROOT = Path(__file__).parents[1]
MEANS = """
[assignment.t1_means]
title = "Means alone"
without = ["spread"]
points = {row_means = 2.5}
bonus = ["center"]
"""
ATTENTION = """
[assignment.a6_multihead]

[assignment.a5_attention]
title = "Attention, without the backward pass"
without = ["attention_backward", "quiz.spread_of_scores", "experiment.py"]
points = {attention = 8}
bonus = ["folded_scores"]
"""


def course(folder: Path, text: str, origin: Path = COURSE) -> Path:
    """Return a course of one's own, which is nothing but a course.toml."""
    folder.mkdir(exist_ok=True)
    (folder / "course.toml").write_text(f"from = {json.dumps(str(origin))}\n{text}", encoding="utf-8")
    return folder


def test_a_composed_course_keeps_every_promise(tmp_path: Path, sandbox: Sandbox) -> None:
    """One exercise less, other points, another title and a bonus: `doctor` finds nothing broken, handout included."""
    mine = course(tmp_path / "mine", MEANS)
    made = load_assignment(mine, "t1_means")
    assert [(e.name, e.points, e.bonus) for e in made.exercises] == [("row_means", 2.5, False), ("center", 2, True)]
    assert (made.title, made.points, made.max_score) == ("Means alone", 2.5, 2.5)
    assert made.stub == render_stub(made)
    assert "def spread" not in made.reference
    found = list(examine(made, sandbox, 2, mine))
    assert {proof.promise: proof.broken for proof in found if proof.broken} == {}
    assert len(found) > 20


def test_given_code_goes_with_the_class_that_is_left_out(tmp_path: Path) -> None:
    """A constructor that ships to students stands in no file any more; `doctor` would look for it."""
    made = load_assignment(
        course(tmp_path / "mine", '[assignment.a3_gates]\nwithout = ["LSTMCell"]\n', ROOT), "a3_gates"
    )
    assert "class LSTMCell" not in made.reference
    assert made.given == ()
    assert made.stub == render_stub(made)


def test_texts_follow_what_is_left_out(tmp_path: Path) -> None:
    """Section, row of the table, question and program go; the rest of the README stays, and says what it still speaks of."""
    mine = course(tmp_path / "mine", ATTENTION, ROOT)
    assert slugs(mine) == ("a6_multihead", "a5_attention")
    made = load_assignment(mine, "a5_attention")
    files = handout_files(mine, public_oracle(made))
    readme = files["README.md"].decode()
    assert readme.startswith("# Attention, without the backward pass\n")
    for gone in ("## Backwards", "attention_backward(dout", "**spread_of_scores.**", "experiment.py", "## Predict"):
        assert gone not in readme
    assert "| 6 | `attention(Q, K, V, mask=None)` | 8 |" in readme
    assert "| 7 | `folded_scores(X, W_q, W_k)` (bonus) | 2 |" in readme
    assert "| 11 | `quiz()` | 4 |" in readme
    assert "| | **together** | **31** |" in readme
    assert "This course leaves out `attention_backward`." in readme  # which the rule about torch names among others
    for promise in ("sent a gradient", "send a gradient", "`a2_bptt`", "torch.autograd", "dQ, dK and dV"):
        assert promise not in readme
    assert "numpy's broadcasting.\n\nWrite your solution" in readme
    assert "so a partly right answer gets part of them.\n- If one exercise calls another" in readme
    assert "experiment.py" not in files
    assert b"def attention_backward" not in files["attention.py"] + files["attention.ipynb"]
    assert b"spread_of_scores" not in files["attention.py"] + files["attention.ipynb"]
    assert json.loads(files[f"engine/{SHAPES}"])["order"] == 1


SENTENCES = """# Title

By the end you have `first`. Then comes `second(x, y)`, too. Both `first` and `second` stand in `second.py`.

- Only in `second.forward`.
- **Be careful.** A rule about
  `second`: none.
  Another one.

<!-- quiz -->
**which.** Which one is wrong?
- a. `second`

- b. `first`
<!-- /quiz -->

| `second` | a row |
|---|---|

    second.  `second`.

## The second

It calls `second`.

## Ends

See `second`.
"""


def test_sentences_about_what_is_left_out_go() -> None:
    """They name it and nothing that stays; quizzes, tables, code and what teaches other exercises stay as they are."""
    whole = load_assignment(COURSE, "t1_means")
    first, second = (
        replace(whole.exercises[0], name=name, blanks=(name,), section=section)
        for name, section in (("first", "The second"), ("second", "The second"))
    )
    whole = replace(whole, exercises=(first, second))
    made = replace(whole, exercises=(first,), left_out=("second",), stub="")
    told = composed_readme(SENTENCES, whole, made)
    kept = SENTENCES.replace(" Then comes `second(x, y)`, too.", "").replace("- Only in `second.forward`.\n", "")
    kept = kept.replace(" A rule about\n  `second`: none.", "").replace("## Ends\n\nSee `second`.\n", "## Ends\n")
    assert told.partition("\nThis course leaves out `second`.")[0] == kept


def test_a_bonus_counts_above_the_total_and_never_below(tmp_path: Path, cli: Cli) -> None:
    """Students, sheets and Gradescope's desk see the same total; a changed course.toml leaves no stale points."""
    mine, out = course(tmp_path / "mine", MEANS), tmp_path / "graded"
    made = load_assignment(mine, "t1_means")
    right = unmarked(made.reference)
    work = {"ada": right, "bob": right.replace("return x - means", "return x + means")}
    for name, text in work.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "means.py").write_text(text, encoding="utf-8")
    grade = ("grade", "t1_means", tmp_path / "class", "-o", out, "--course", mine, "--accept-unsandboxed")
    assert cli(*grade)[0] == 0
    with (out / "grades.csv").open(encoding="utf-8-sig") as file:
        rows = {row["student"]: (row["score"], row["max_score"]) for row in csv.DictReader(file)}
    assert rows == {"ada": ("4.5", "2.5"), "bob": ("2.5", "2.5")}
    assert "of 2 bonus points" in (out / "feedback" / "bob.html").read_text(encoding="utf-8")

    write_files(handout_files(mine, public_oracle(made)), tmp_path / "home")
    (tmp_path / "home" / "means.py").write_text(right, encoding="utf-8")
    checked = subprocess.run(
        [sys.executable, "check.py"], cwd=tmp_path / "home", capture_output=True, text=True, check=True
    )
    assert "4.5 of 2.5 points" in checked.stdout

    write_files(desk_files(mine, Settings("t1_means", 11)), tmp_path / "desk")
    at_the_desk = load_assignment(tmp_path / "desk", "t1_means")
    assert at_the_desk.exercises == made.exercises
    assert exercise_keys(Oracle(at_the_desk, 11)) == exercise_keys(Oracle(made, 11))

    course(mine, MEANS.replace('["center"]', "[]").replace("2.5", "2"))
    assert cli(*grade)[0] == 0
    with (out / "grades.csv").open(encoding="utf-8-sig") as file:
        rows = {row["student"]: (row["score"], row["max_score"]) for row in csv.DictReader(file)}
    assert rows["ada"] == ("4.0", "4.0")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[assignment.t1_mean]", "There is no assignment 't1_mean'"),
        ('[assignment.t1_means]\nwithout = ["sprad"]', "Did you mean spread?"),
        ('[assignment.t1_means]\nwithout = ["center.nothing"]', "has no such part"),
        ('[assignment.t1_means]\nwithout = ["center"]', 'Add "spread" to `without`, or keep center.'),
        ('[assignment.t1_means]\nwithout = ["spread", "spread"]', "names spread twice"),
        ("[assignment.t1_means]\npoints = {center = -1}", "center = -1. Write a number above zero"),
        ('[assignment.t1_means]\nwithout = ["spread"]\nbonus = ["spread"]', "which `without` leaves out"),
        ('[assignment.t1_means]\nwithout = ["row_means", "center", "spread"]', "names every exercise"),
        ('[assignment.t1_means]\nwitout = ["spread"]', "Did you mean without?"),
        ("[assignment.t1_means]\n[assignment.t1_means]", "twice"),
        ("[assignment.t2_tensors]", "names no assignment 't1_means'"),
    ],
)
def test_what_cannot_be_is_one_clear_line(text: str, says: str, tmp_path: Path) -> None:
    """Each slip of an instructor ends in one line that names course.toml and says what to write."""
    with pytest.raises(CourseError) as caught:
        load_assignment(course(tmp_path, text), "t1_means")
    assert says in str(caught.value)
    assert "course.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_builds_on_something_is_named_by_whole_quizzes_and_programs() -> None:
    """Questions that are computed with an exercise, and programs that call it, are told as `without` takes them."""
    whole, programs = load_assignment(ROOT, "a5_attention"), programs_of(ROOT, "a5_attention")
    users = ("similarity_context", "attention", "self_attention", "quiz.cost_in_time", "experiment.py")
    with pytest.raises(CompositionError) as caught:
        composed(whole, Entry(ROOT, without=("attention_scores",)), programs)
    assert f"Add {', '.join(map(json.dumps, users))} to" in str(caught.value)
    made = composed(whole, Entry(ROOT, without=("attention_scores", *users, "quiz.shape_of_attention")), programs)
    assert {made.reference.count(m.old) for m in made.misconceptions} == {1}  # some reached into what is cut out


def test_a_case_may_be_left_out(tmp_path: Path, sandbox: Sandbox) -> None:
    """The others share its weight, only its exercise and what builds on that are graded again, and no mistake loses its name; all cases cannot go."""
    whole = load_assignment(COURSE, "t1_means")
    text = '[assignment.t1_means]\nwithout = ["center.the_argument_stays"]'
    made = load_assignment(course(tmp_path, text), "t1_means")
    assert {c.name for c in whole.cases} - {c.name for c in made.cases} == {"the_argument_stays"}
    assert made.misconceptions == whole.misconceptions
    before, after = (exercise_keys(Oracle(one, 11)) for one in (whole, made))
    assert {name for name in before if before[name] != after[name]} == {"center", "spread"}
    changed = whole.reference.replace("return x - means", "x -= means\n    return x")
    assert changed != whole.reference
    scores = [
        sum(e.score for e in grade(Source.of("means.py", changed), Oracle(one, 11), sandbox).exercises)
        for one in (whole, made)
    ]
    assert scores[0] < scores[1] == sum(e.points for e in made.exercises)
    every = [f"center.{c.name}" for c in whole.cases if c.exercise == "center"]
    with pytest.raises(CompositionError, match="names every case of center"):
        composed(whole, Entry(ROOT, without=tuple(every)), {})
    assert {p.promise: p.broken for p in examine(made, sandbox, 2, course(tmp_path, text)) if p.broken} == {}


def test_an_entry_is_written_as_it_is_read(tmp_path: Path) -> None:
    """What travels to Gradescope, otter and a cluster says the same as the instructor's file."""
    entry = read_course_file(course(tmp_path / "mine", MEANS)).entry("t1_means")
    (tmp_path / "course.toml").write_text(written("t1_means", entry), encoding="utf-8")
    there = read_course_file(tmp_path)
    assert (there.chosen, vars(there.entry("t1_means")) | {"home": entry.home}) == (False, vars(entry))
    assert readme_of(COURSE, "t1_means") == (COURSE / "assignments/t1_means/README.md").read_text(encoding="utf-8")


def test_a_course_has_a_person_grade_an_exercise(tmp_path: Path, sandbox: Sandbox) -> None:
    """Its code is the answer, once it is written; no case runs it, and `doctor` finds nothing broken."""
    mine = course(tmp_path / "mine", '[assignment.t1_means]\nmanual = ["spread"]\n')
    made = load_assignment(mine, "t1_means")
    assert made.cases_of("spread") == ()
    oracle = Oracle(made, 0)
    written_, empty = (grade(Source.of(made.file, text), oracle, sandbox) for text in (made.reference, made.stub))
    (of_reference, of_stub) = (next(e for e in result.exercises if e.name == "spread") for result in (written_, empty))
    assert (of_reference.status, of_stub.status) == (Status.MANUAL, Status.MISSING)
    assert of_reference.answer is not None
    assert of_reference.answer.startswith("def spread(x")
    assert {p.promise: p.broken for p in examine(made, sandbox, 2, mine) if p.broken} == {}


def test_what_others_call_is_not_graded_by_hand_alone(tmp_path: Path) -> None:
    """Its mistakes would cost the others points, since no case names them."""
    mine = course(tmp_path / "mine", '[assignment.t1_means]\nmanual = ["center"]\n')
    with pytest.raises(CourseError, match="manual names center, and spread would lose points"):
        load_assignment(mine, "t1_means")
