"""Debugging labs: a picture for every run, and a key that cannot differ from what was trained."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment, readme_of
from autograder.course.places import slugs
from autograder.course.questions import Option, Question
from autograder.course.spec import Assignment
from autograder.handout.quiz_text import with_questions
from autograder.oracle.oracle import Oracle
from autograder.proof.labs import lab_proofs

ROOT = Path(__file__).parents[1]
SLUG = "a2_bptt"  # whose training takes less than a second


@pytest.fixture(scope="module")
def bptt() -> Assignment:
    """Return an assignment with a lab."""
    return load_assignment(ROOT, SLUG)


def broken(course: Path, assignment: Assignment) -> list[str]:
    """Return how an assignment breaks the promises about its lab."""
    return [line for _, told in lab_proofs(course, assignment, Oracle(assignment, 3)) for line in told]


def with_key(assignment: Assignment, name: str, **changes: object) -> Assignment:
    """Return an assignment with a question changed."""
    questions = tuple(replace(q, **changes) if q.name == name else q for q in assignment.questions)  # type: ignore[arg-type]
    return replace(assignment, questions=questions)


def test_every_lab_has_five_runs_and_the_readme_shows_each() -> None:
    """With its picture between the question and the options, on a line of its own."""
    for slug in slugs(ROOT):
        assignment = load_assignment(ROOT, slug)
        runs = [q for q in assignment.questions if q.shows]
        assert [q.name for q in runs] == [f"run_{n}" for n in range(1, 6)] * bool(runs)
        assert all(q.answer.mistake and q.picture == f"figures/{q.name}.svg" for q in runs)
        assert len({q.answer.mistake for q in runs}) == len(runs)
        readme = readme_of(ROOT, slug)
        assert all(f"**{q.name}.** {q.asks}\n\n![{q.shows}]({q.picture})\n\n- a. " in readme for q in runs)


def test_a_question_without_a_picture_is_written_as_ever() -> None:
    """Only a question that shows something has one."""
    options = (Option("a", "one", "Because."), Option("b", "two", "Because."))
    asked = Question("quiz", "q", "What?", "a", options)
    text = "<!-- quiz -->\n<!-- /quiz -->\n"
    assert "![" not in with_questions(text, [asked])
    assert "What?\n\n![A line.](figures/q.svg)\n\n- a. one" in with_questions(text, [replace(asked, shows="A line.")])


def test_the_runs_of_a_lab_are_those_of_its_key(bptt: Assignment) -> None:
    """They hold as they are; with another letter as the key a run is another mistake's."""
    assert broken(ROOT, bptt) == []
    (told,) = broken(ROOT, with_key(bptt, "run_5", right="a"))
    assert told == "run_5: debugging_lab.json has no run with entries_clamped; measure it"


def test_a_run_that_another_option_gives_is_told(bptt: Assignment, tmp_path: Path) -> None:
    """No option but the right one may give the same first losses, and the right one has to."""
    (run,) = [q for q in bptt.questions if q.name == "run_5"]
    same = tuple(replace(o, mistake=run.answer.mistake) if o.letter == "a" else o for o in run.options)
    (told,) = broken(ROOT, with_key(bptt, "run_5", options=same))
    assert told == "run_5: always_rescaled, option a, also gives the first losses of its run"
    shutil.copytree(ROOT / "assignments" / SLUG, tmp_path / "assignments" / SLUG)
    measured = (ROOT / "solutions" / SLUG / "debugging_lab.json").read_text(encoding="utf-8")
    swapped = measured.replace('"always_rescaled"', '"reference"', 1).replace('"reference"', '"always_rescaled"', 1)
    (tmp_path / "solutions" / SLUG).mkdir(parents=True)
    (tmp_path / "solutions" / SLUG / "debugging_lab.json").write_text(swapped, encoding="utf-8")
    (told,) = broken(tmp_path, bptt)
    assert told.startswith("run_5: always_rescaled, option b, does not give (")


def test_what_gives_the_answer_away_or_names_nothing_is_told(bptt: Assignment, tmp_path: Path) -> None:
    """A picture that names a mistake, one that is missing, and options that name no known mistake."""
    shutil.copytree(ROOT / "assignments" / SLUG, tmp_path / "assignments" / SLUG)
    pictures = tmp_path / "assignments" / SLUG / "figures"
    (pictures / "run_1.svg").write_text("<svg><!-- too_long_is_dropped --></svg>", encoding="utf-8")
    (pictures / "run_2.svg").unlink()
    (run,) = [q for q in bptt.questions if q.name == "run_3"]
    assignment = with_key(bptt, "run_3", options=tuple(replace(o, mistake=f"no_{o.letter}") for o in run.options[:1]))
    assignment = with_key(assignment, "run_3", options=(*assignment.questions[2].options, *run.options[1:]))
    assert broken(tmp_path, assignment) == [
        "figures/run_1.svg names too_long_is_dropped",
        "run_2: figures/run_2.svg is missing; draw it",
        "run_3: no training catches no_a, the mistake of option a",
    ]
    unnamed = tuple(replace(o, mistake="") for o in run.options)
    assert "run_3: its right option names no known mistake; write it as the third entry" in broken(
        ROOT, with_key(bptt, "run_3", options=unnamed)
    )
