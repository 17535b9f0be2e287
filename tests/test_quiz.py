"""Quizzes: letters that mean the same in every copy, options that nothing gives away, and reasons when they may be read."""

from __future__ import annotations

import io
import re
import shutil
import zipfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.letters import letters_of, option_of, shuffled
from autograder.course.places import CourseError, slugs
from autograder.course.questions import Option, Question, cases_in, read_questions
from autograder.course.spec import Answer, Assignment, Status
from autograder.feedback.check_page import page_of_check
from autograder.handout.handout import handout_files
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.handout.quiz_text import with_questions
from autograder.judge.grade import grade
from autograder.judge.screen import Screen
from autograder.judge.terminal_text import result_as_text
from autograder.oracle.oracle import Oracle
from autograder.proof.known_mistakes import bank_is_sound
from autograder.proof.quizzes import MOST_TELLING, false_predictions, telling_options
from autograder.sandbox.job import Source
from autograder.sandbox.process import ProcessSandbox

ROOT = Path(__file__).parents[1]
OPTIONS = ("a", "b", "c", "d")
TERMS = ("2026S", "2026W", "ada", "grace")


@pytest.fixture(scope="module")
def attention() -> Assignment:
    """Return the assignment on attention, whose quiz takes numpy alone."""
    return load_assignment(ROOT, "a5_attention")


def answered_by(assignment: Assignment, letters: dict[str, str]) -> Source:
    """Return the reference with other letters in its quiz."""
    text = assignment.reference
    for q in assignment.questions:
        text = text.replace(f'answers["{q.name}"] = "{q.right}"', f'answers["{q.name}"] = "{letters[q.name]}"')
    return Source.of(assignment.file, text)


def question(right: str, *texts: str, computed: str = "") -> Question:
    """Return a question with these options."""
    options = tuple(Option(letter, text, "Because.") for letter, text in zip(OPTIONS, texts, strict=False))
    return Question("quiz", f"q_{right}", "What?", right, options, computed)


def test_a_letter_means_one_option_in_every_copy() -> None:
    """Each letter belongs to one option of a question for good, and no two copies disagree."""
    for name in ("why_scale", "order_lost"):
        owned = [letter for option in OPTIONS for letter in letters_of(name, option, OPTIONS)]
        assert len(owned) == len(set(owned)) == 23  # the alphabet without i, l and o
        for term in ("", *TERMS):
            copy = shuffled(name, OPTIONS, term)
            assert sorted(copy.values()) == list(OPTIONS)
            assert list(copy) == sorted(copy)
            assert all(option_of(name, letter, OPTIONS) == option for letter, option in copy.items())


def test_terms_have_orders_of_their_own() -> None:
    """Without a term options stand as they are written; with one, where chance puts them."""
    names = [f"question_{number}" for number in range(40)]
    orders = {term: [tuple(shuffled(name, OPTIONS, term).values()) for name in names] for term in TERMS}
    assert all(tuple(shuffled(name, OPTIONS, "")) == OPTIONS for name in names)
    assert len({tuple(order) for order in orders.values()}) == len(TERMS)
    first = [order[0] for order in orders["2026S"]]
    assert all(4 <= first.count(option) <= 20 for option in OPTIONS)


def test_answers_from_any_copy_are_graded_alike(attention: Assignment) -> None:
    """Whether they come from an unshuffled copy, this term's or another one's."""
    oracle, sandbox = Oracle(attention, 3), ProcessSandbox()
    for term in ("", *TERMS[:2]):
        copies = {q.name: {o: a for a, o in shuffled(q.name, q.letters, term).items()} for q in attention.questions}
        right = {q.name: copies[q.name][q.right] for q in attention.questions}
        result = grade(answered_by(attention, right), oracle, sandbox)
        assert [e.score for e in result.exercises if e.name == "quiz"] == [4.0]


def test_an_empty_answer_costs_what_a_wrong_one_costs(attention: Assignment) -> None:
    """Each loses the points of its own question alone."""
    first, *others = attention.questions
    wrong = next(o.letter for o in first.options if o.letter != first.right)
    scores = {}
    for letter in ("", wrong):
        given = {q.name: q.right for q in others} | {first.name: letter}
        result = grade(answered_by(attention, given), Oracle(attention, 3), ProcessSandbox())
        (scores[letter],) = [e.score for e in result.exercises if e.name == "quiz"]
    whole = next(e.points for e in attention.exercises if e.name == "quiz")
    assert scores[""] == scores[wrong] == pytest.approx(whole * len(others) / len(attention.questions), abs=1e-4)


def test_every_wrong_answer_is_told_why(attention: Assignment) -> None:
    """Also when all of them are wrong; and no sentence is about another question."""
    wrong = {q.name: next(o.letter for o in q.options if o.letter != q.right) for q in attention.questions}
    result = grade(answered_by(attention, wrong), Oracle(attention, 3), ProcessSandbox())
    (quiz,) = [e for e in result.exercises if e.name == "quiz"]
    told = {case.name: case.says for case in quiz.failing}
    reasons = {q.name: next(o.reason for o in q.options if o.letter == wrong[q.name]) for q in attention.questions}
    assert told == {name: f"`{name}`: {reason}" for name, reason in reasons.items()}


@pytest.mark.parametrize("term", ["", "2026S"])
def test_a_letter_of_no_copy_with_the_others_is_no_answer(attention: Assignment, term: str) -> None:
    """A later letter among first ones, or a first one among later ones: no points, no reason of an option, and it is named."""
    first, *others = attention.questions
    copies = {q.name: {o: a for a, o in shuffled(q.name, q.letters, term).items()} for q in attention.questions}
    right = {q.name: copies[q.name][q.right] for q in others}
    slip = first.right if term else letters_of(first.name, first.right, first.letters)[1]
    result = grade(answered_by(attention, {**right, first.name: slip}), Oracle(attention, 3), ProcessSandbox())
    (quiz,) = [e for e in result.exercises if e.name == "quiz"]
    told = {case.name: (case.message, case.says) for case in quiz.failing}
    assert told == {
        "every_question_has_a_letter": (f"{first.name}: '{slip}' is not the letter of an option.", ""),
        first.name: (f"{first.name}: This answer is not the best one.", ""),
    }


def test_where_options_are_of_other_numbers_every_letter_counts() -> None:
    """There d is a first letter of one question, and may be a later one of another."""
    asked = [replace(question("a", *OPTIONS[:n]), name=f"q_{i}") for i, n in enumerate((4, 3, 3))]
    check, first, *_ = (case.check for case in cases_in(asked))
    later = {q.name: letters_of(q.name, "a", q.letters)[1] for q in asked}
    right = (Answer({q.name: "a" for q in asked}),)
    assert check.judge((), (Answer({**later, "q_0": "d"}),), right) is None
    assert first.judge((), (Answer({**later, "q_0": "a"}),), right) is None


def test_at_home_a_quiz_is_answered_and_gives_no_points(attention: Assignment) -> None:
    """Whether its letters are right is known when it is graded."""
    bundle = public_bundle(public_oracle(attention))
    for letters, said in ((dict.fromkeys((q.name for q in attention.questions), "a"), "answered"), ({}, "open")):
        text = {q.name: "" for q in attention.questions} | letters
        result = grade(answered_by(attention, text), bundle, ProcessSandbox())
        shown = result_as_text("", result)
        assert re.search(rf"[✓·] quiz +{said}", shown)
        assert "32 of 32 points on the public cases. Grading adds hidden cases and your quiz." in shown


def test_an_open_quiz_is_not_told_as_wrong(attention: Assignment) -> None:
    """Not by the terminal, where it stands below what fails, and not by the page, which says how many points it is of."""
    bundle, first = public_bundle(public_oracle(attention)), attention.questions[0]
    letters = {q.name: "a" for q in attention.questions}
    source = answered_by(attention, {**letters, first.name: ""})
    open_result = grade(source, bundle, ProcessSandbox())
    assert re.search(r"^· quiz +open$", result_as_text("", open_result), re.MULTILINE)
    page = page_of_check("Attention", "attention.py", open_result, datetime.now().astimezone())
    assert "exercises are right and 1 is open." in page
    assert "4 points in grading" in page
    assert not re.search(r"not right yet\b(?!</dd>)", page.partition("What the words mean")[0])
    assert "Mend <code>quiz</code>" not in page
    wrong = tuple(
        replace(e, cases=tuple(replace(c, status=Status.FAILED) for c in e.cases)) if e.judged else e
        for e in open_result.exercises
    )
    last = replace(open_result, exercises=wrong[::-1])
    assert last.to_mend[-1].name == "quiz"
    assert "wrong, too: quiz" not in result_as_text("", last, Screen(80, 24))
    answered = grade(answered_by(attention, letters), bundle, ProcessSandbox())
    page = page_of_check("Attention", "attention.py", answered, datetime.now().astimezone())
    assert "exercises are right and 1 is answered." in page


def test_a_copy_takes_its_own_letters_alone(attention: Assignment) -> None:
    """A habit such as "a" for the first option is told at home, before it costs anything."""
    letters = {q.name: next(iter(shuffled(q.name, q.letters, "2026S"))) for q in attention.questions}
    bundle = public_bundle(public_oracle(attention), "2026S")
    for given, status in ((letters, Status.PASSED), ({**letters, "order_lost": "a"}, Status.FAILED)):
        result = grade(answered_by(attention, given), bundle, ProcessSandbox())
        (quiz,) = [e for e in result.exercises if e.name == "quiz"]
        assert quiz.status is status
    assert "order_lost: 'a' is not one of " in quiz.cases[0].message


def test_a_handout_for_a_term_shows_all_options_and_no_reason(attention: Assignment) -> None:
    """In README and notebook; the file and everything else are those of any other handout."""
    plain, term = (handout_files(ROOT, public_oracle(attention), of) for of in ("", "2026S"))
    changed = {name for name in plain if plain[name] != term[name]}
    assert {"README.md", "attention.ipynb"} <= changed
    assert "attention.py" not in changed
    for files in (plain, term):
        text = " ".join(b"\n".join(files.values()).decode("utf-8", "ignore").split())
        readme = " ".join(files["README.md"].decode().split())
        options = [option for q in attention.questions for option in q.options]
        assert all(f". {option.text}" in readme for option in options)
        assert not [option.reason for option in options if option.reason in text]


def test_half_of_all_questions_predict_a_number_or_a_shape() -> None:
    """In every assignment; doctor computes them."""
    for slug in slugs(ROOT):
        questions = [q for q in load_assignment(ROOT, slug).questions if q.exercise == "quiz"]
        assert len(questions) == 8
        assert sum(bool(q.computed) for q in questions) >= 4, slug


def test_nothing_gives_the_right_options_of_the_course_away() -> None:
    """Over all assignments: neither the longest nor the shortest option, nor a letter."""
    assignments = [load_assignment(ROOT, slug) for slug in slugs(ROOT)]
    questions = [q for assignment in assignments for q in assignment.questions]
    every, labs = ([q for q in questions if (q.exercise == "quiz") == quiz] for quiz in (True, False))
    for asked in (*([q for q in a.questions if q in every] for a in assignments), labs):
        assert not list(telling_options(asked))
    for best in (max, min):
        by_length = [best(q.options, key=lambda o: len(o.text)).letter == q.right for q in every]
        assert sum(by_length) / len(every) <= MOST_TELLING
    even = len(every) / len(OPTIONS)
    assert all(0.75 * even <= [q.right for q in every].count(letter) <= 1.25 * even for letter in OPTIONS)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (("long enough", "no", "ah", "so"), "the right option is the longest in 6 of 6 questions"),
        (("no", "long enough", "quite long", "not short"), "the right option is the shortest in 6 of 6 questions"),
        (("same", "size", "here", "also"), "a is the right letter in 6 of 6 questions"),
    ],
)
def test_options_that_can_be_guessed_are_told(texts: tuple[str, ...], told: str) -> None:
    """By their length, or by their letter; of a few questions nothing is said."""
    assert any(line.startswith(told) for line in telling_options([question("a", *texts)] * 6))
    assert list(telling_options([question("a", *texts)] * 5)) == []


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (question("b", "3", "8", computed="np.sqrt(64)"), ""),
        (
            question(
                "a", "(3, 5)", "(5, 3)", computed="attention(np.ones((3, 2)), np.ones((4, 2)), np.ones((4, 5))).shape"
            ),
            "",
        ),
        (question("a", "3", "8", computed="np.sqrt(64)"), "is 8.0, which b says, and not a alone"),
        (question("b", "8.0", "8", computed="np.sqrt(64)"), "which a and b say, and not b alone"),
        (question("a", ".72", ".74", computed="1 / (1 + np.exp(-1))"), "which no option says"),
        (question("a", "1", "2", computed="nothing_of_this_name"), "raises NameError"),
        (question("a", "8", "9", computed="np.array([[8.0]])"), ""),
        (question("a", "[8, 9]", "[9, 8]", computed="np.array([8.0, 9.0])"), ""),
        (question("a", "8", "9", computed="'eight'"), "is eight, which is no number and no shape"),
    ],
)
def test_predictions_are_computed(attention: Assignment, asked: Question, told: str) -> None:
    """By the reference; exactly one option may say what comes out, to the digits that it has."""
    found = list(false_predictions([asked], Oracle(attention, 0)))
    assert [told in line for line in found] == [True] * bool(told)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"right": "c", "a": ["x", "y"], "b": ["x", "y"]}, "its options are a, b, c"),
        ({"right": "a", "a": ["x", "y"], "c": ["x", "y"]}, "its options are a, b, c"),
        ({"right": "a", "a": ["x", "y"], "reason": "z"}, "unknown key reason; known are asks, computed"),
        ({"right": "a", "a": ["x", "y"], "b": ["x"]}, r'option b is not \["text", "reason"\]'),
        ({"right": "a", "a": ["x", "y"], "b": "x"}, r'option b is not \["text", "reason"\]'),
    ],
)
def test_a_question_that_is_not_written_well_is_refused(entry: dict[str, object], told: str) -> None:
    """A right option that is none, a letter left out, a key of another name, an option without its reason."""
    with pytest.raises(ValueError, match=f"question q: {told}"):
        read_questions("quiz", {"question": [{"name": "q", "asks": "What?", **entry}]})


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('answers["why_scale"] = "c"', 'answers.update(why_scale="c")', "# END SOLUTION"),
        (
            '"why_scale": "",',
            '"why_scale": "",  # answers["why_scale"] = "c"',
            "# END SOLUTION (now in lines 295, 305)",
        ),
    ],
)
def test_a_reference_that_writes_an_answer_in_another_form_is_told_the_form(
    attention: Assignment, old: str, new: str, told: str
) -> None:
    """In one line for the question, however many wrong options it has."""
    (line,) = bank_is_sound(replace(attention, reference=attention.reference.replace(old, new))).broken
    form = 'why_scale: quiz.toml says that c is right; write answers["why_scale"] = "c" in quiz of attention.py, once'
    assert line.startswith(form)
    assert line.endswith(told)


def test_the_questions_of_a_readme_are_replaced_in_their_place() -> None:
    """What stands around them stays, and without a place nothing changes."""
    asked = (question("a", "one", "two"),)
    text = with_questions("before\n<!-- quiz -->\nold\n<!-- /quiz -->\nafter\n", asked)
    assert text == "before\n<!-- quiz -->\n**q_a.** What?\n- a. one\n- b. two\n\n<!-- /quiz -->\nafter\n"
    assert with_questions(text, asked) == text
    assert with_questions("no place", asked) == "no place"


def test_reasons_are_told_after_the_deadline_or_at_once(tmp_path: Path, cli: object, attention: Assignment) -> None:
    """And not before, extensions included; what was told once stays, without a word in the class's sheets."""
    course = tmp_path / "course"
    for side in ("assignments", "solutions"):
        shutil.copytree(ROOT / side / "a5_attention", course / side / "a5_attention")
    settings, given = course / "assignments/a5_attention/assignment.toml", tmp_path / "ada.py"
    given.write_text(attention.reference, encoding="utf-8")
    (tmp_path / "class.csv").write_text("id,extension\nada,\ngrace,80000d\n", encoding="utf-8")
    reason = attention.questions[0].answer.reason
    grade_it = ("grade", "a5_attention", given, "--course", course, "--seed", 3, "--jobs", 1, "-o")

    def told(out: str, *options: object) -> bool:
        assert cli(*grade_it, tmp_path / out, *options)[0] == 0  # type: ignore[operator]
        files = [path for path in (tmp_path / out).rglob("*") if path.suffix in (".csv", ".json")]
        assert files
        assert not [path for path in files if reason in path.read_text(encoding="utf-8")]
        return reason in (tmp_path / out / "feedback/ada.html").read_text(encoding="utf-8")

    assert not told("one")
    assert not told("one", "--due", "2099-01-01")
    assert not told("two", "--due", "2020-01-01", "--roster", tmp_path / "class.csv")
    assert told("one", "--due", "2020-01-01")
    settings.write_text('reasons = "at once"\n' + settings.read_text(encoding="utf-8"), encoding="utf-8")
    assert told("two")
    settings.write_text(settings.read_text(encoding="utf-8").replace("at once", "never"), encoding="utf-8")
    with pytest.raises(CourseError, match="reasons = 'never' is none of"):
        load_assignment(course, "a5_attention")


def test_the_command_takes_a_term(tmp_path: Path, cli: object, attention: Assignment) -> None:
    """The zip of `handout --term` holds the shuffled README."""
    assert cli("handout", "a5_attention", "-o", tmp_path, "--term", "2026S", "--course", ROOT)[0] == 0  # type: ignore[operator]
    with zipfile.ZipFile(io.BytesIO((tmp_path / "a5_attention.zip").read_bytes())) as archive:
        readme = archive.read("a5_attention/README.md").decode()
    q = replace(attention.questions[0])
    assert [f"- {letter}. " in readme for letter in shuffled(q.name, q.letters, "2026S")] == [True] * 4


PEOPLE = "id,name\nada,Ada\ngrace,Grace\nalan/t,Alan\n"


def test_every_student_of_a_roster_gets_an_order_of_their_own(
    tmp_path: Path, cli: object, attention: Assignment
) -> None:
    """And the right answers of each copy, by the letters that stand in its README, get all points; a wrong one costs the same."""
    (tmp_path / "class.csv").write_text(PEOPLE, encoding="utf-8")
    words = ("handout", "a5_attention", "-o", tmp_path, "--roster", tmp_path / "class.csv", "--course", ROOT)
    assert cli(*words)[0] == 0  # type: ignore[operator]
    made = sorted((tmp_path / "a5_attention").iterdir())
    assert len(made) == 3
    assert made[0].name == "a5_attention-ada.zip"
    oracle, sandbox, orders = Oracle(attention, 3), ProcessSandbox(), set()
    for path in made:
        with zipfile.ZipFile(path) as archive:
            readme = " ".join(archive.read("a5_attention/README.md").decode().split())
        copy = {(q.name, o.letter): _letter_in(readme, q, o) for q in attention.questions for o in q.options}
        orders.add(tuple(copy.values()))
        right = {q.name: copy[q.name, q.right] for q in attention.questions}
        first = attention.questions[0]
        wrong = right | {first.name: copy[first.name, next(o.letter for o in first.options if o.letter != first.right)]}
        scores = [
            e.score
            for answers in (right, wrong)
            for e in grade(answered_by(attention, answers), oracle, sandbox).exercises
            if e.name == "quiz"
        ]
        assert scores == [4.0, 3.5]  # of eight questions one is wrong
    assert len(orders) == 3


def _letter_in(readme: str, question: Question, option: Option) -> str:
    """Return the letter that a copy's README gives an option."""
    own = readme.partition(f"**{question.name}.**")[2].partition("**")[0]
    place = own.index(f". {option.text}")
    return own[place - 1]


def test_a_template_is_not_made_for_each_student(tmp_path: Path, cli: object) -> None:
    """A repository is one for all; a roster that cannot be read is told in a line."""
    words = ("handout", "a5_attention", "-o", tmp_path, "--roster", tmp_path / "none.csv", "--course", ROOT)
    for more, told in (((), "cannot be read"), (("--repository",), "say --repository or --roster")):
        code, _, shown = cli(*words, *more)  # type: ignore[operator]
        assert code == 2
        assert told in " ".join(shown.split())
