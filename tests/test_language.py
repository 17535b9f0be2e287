"""The engine's sentences in another language: the catalogue is complete for the modules named here, and grades speak it."""

from __future__ import annotations

import ast
import functools
import re
import string
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import jinja2
import pytest
from conftest import COURSE
from jinja2 import meta, nodes

from autograder.classroom.result_keys import exercise_keys
from autograder.course.catalog import load_assignment
from autograder.course.course_file import Entry, written
from autograder.course.language import FOLDER, languages, marked, read_po, say, say_many, speaking, spoken
from autograder.course.places import CourseError
from autograder.course.spec import Shortcut
from autograder.handout.handout import TEMPLATES, engine_files
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.grade import grade
from autograder.judge.relation_sentences import relation_named
from autograder.judge.result import Result
from autograder.judge.result_json import case_of, stored_case
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Chunk, Sandbox, Source

ENGINE = Path(__file__).parents[1] / "autograder"
# The modules whose sentences are in the catalogue. docs/instructor.md says what stays English.
COVERED = {
    f"judge/{name}.py"
    for name in (
        "calls_as_text",
        "checks",
        "compare",
        "crash_details",
        "crash_kinds",
        "crash_names",
        "crash_shapes",
        "forbidden",
        "grade",
        "loading_messages",
        "messages",
        "names_elsewhere",
        "property_checks",
        "reason_sentences",
        "relation_sentences",
        "rules_of_functions",
        "shapes_that_meet",
        "slip_sentences",
        "stray_tensors",
    )
}
COVERED |= {
    *(f"classroom/{name}.py" for name in ("attempts", "cluster", "submissions")),
    *(f"course/{name}.py" for name in ("composed_readme", "questions", "quiz_checks")),
    "integrations/one_submission.py",
    *(f"judge/{name}.py" for name in ("blame", "manual_answers", "points", "terminal_text", "training_outcome")),
    *(
        f"oracle/{name}.py"
        for name in (
            "carried_mistakes",
            "gpus",
            "larger_run",
            "training",
            "training_cases",
            "training_replay",
            "written_alone",
        )
    ),
    "sandbox/endings.py",
    *(
        f"submission/{name}.py"
        for name in ("archives", "inner_archives", "several_files", "source", "which_file", "written_exercises")
    ),
}
COVERED |= {
    f"handout/kit/{name}.py"
    for name in (
        "asked",
        "bundle",
        "check_command",
        "debug",
        "experiment",
        "grader",
        "hints",
        "html_page",
        "loss_chart",
        "next_step",
        "notebook_case",
        "notebook_cells_run",
        "notebook_play",
        "play",
        "play_page",
        "repro",
        "reset",
        "saves",
        "self_check",
        "step_text",
        "steps",
        "device_at_home",
        "train_at_home",
        "verdicts",
    )
}
COVERED |= {
    "classroom/exports.py",
    "classroom/requests.py",
    "feedback/check_page.py",
    "feedback/page_format.py",
    "feedback/svg_charts.py",
    "feedback/templates/_exercise.html",
    "feedback/templates/_page.html",
    "feedback/templates/_words.html",
    "feedback/templates/cell.html",
    "feedback/templates/feedback.html",
    "handout/solutions.py",
    "handout/templates/check.py.txt",
    "handout/templates/check.yml",
    "handout/templates/conftest.py.txt",
    "handout/templates/setup.py.txt",
    "handout/tests_as_text.py",
    "handout/write_notebook.py",
    "integrations/gradescope.py",
    "integrations/otter.py",
    "pages/course_pages.py",
    "pages/feedback.py",
    "pages/page.py",
    "pages/returns.py",
    "pages/templates/_reasons.html",
    "pages/templates/course_student.html",
    "pages/templates/graded.html",
}
MARKS = {"say", "say_many", "say_html", "marked"}
TRANSLATIONS = [code for code in languages() if code != "en"]
LONG = 12  # characters of a sentence that stand in no other text by chance


def texts(node: ast.expr) -> Iterator[str]:
    """Yield the sentences of a marked expression: a text, the values of a dict, or nothing for a name."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from texts(value)


def marked_in(path: Path) -> Iterator[str]:
    """Yield the sentences that a module marks; those of a plural joined as a catalogue's are."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            if node.func.id == "say_many":
                yield "\0".join(text for argument in node.args[:2] for text in texts(argument))
            else:
                yield from texts(node.args[0])


def parsed(template: Path) -> nodes.Template:
    """Return what Jinja reads in a template."""
    return jinja2.Environment(autoescape=True).parse(template.read_text(encoding="utf-8"))


def marked_in_template(path: Path) -> Iterator[str]:
    """Yield the sentences that a template marks."""
    for call in parsed(path).find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name in MARKS:
            said = call.args[: 2 if call.node.name == "say_many" else 1]
            found = [text.value for text in said if isinstance(text, nodes.Const)]
            yield from ["\0".join(found)] if found else []


@functools.cache
def sentences() -> dict[str, set[str]]:
    """Return every marked sentence of the engine with the modules that say it."""
    found: dict[str, set[str]] = {}
    modules = ((path, marked_in(path)) for path in ENGINE.rglob("*.py"))
    for path, said in (*modules, *((path, marked_in_template(path)) for path in templates())):
        for sentence in said:
            found.setdefault(sentence, set()).add(path.relative_to(ENGINE).as_posix())
    return found


def templates() -> Iterator[Path]:
    """Yield the templates of pages and of a handout."""
    for folder in ("feedback", "pages", "desk", "handout"):
        yield from (path for path in (ENGINE / folder / "templates").glob("*") if path.is_file())


@functools.cache
def translations(code: str) -> dict[str, str]:
    """Return a catalogue without its head."""
    return {key: told for key, told in read_po((FOLDER / f"{code}.po").read_text("utf-8")).items() if key}


def places(sentence: str) -> set[tuple[str, str]]:
    """Return what is filled into a sentence, and how it is written; nothing where its braces are the student's own."""
    return {(name, form or "") for _, name, form, _ in string.Formatter().parse(sentence) if name is not None}


@pytest.fixture(scope="module")
def german() -> Oracle:
    """The oracle of t1_means in a German course."""
    return Oracle(replace(load_assignment(COURSE, "t1_means"), language="de"), 3)


@pytest.fixture
def in_german(german: Oracle, sandbox: Sandbox, edited: Callable[..., str]) -> Callable[..., Result]:
    """Grade the reference with some functions rewritten, in German."""

    def graded(text: str = "", **bodies: str) -> Result:
        return grade(Source("means", (Chunk("means.py", text or edited(**bodies)),)), german, sandbox)

    return graded


def told(result: Result) -> str:
    """Return all that a student reads of a result but the assignment's own texts."""
    cases = [case for exercise in result.exercises for case in exercise.cases]
    return "\n".join([result.problem, *result.notes, *(f"{case.message}\n{case.says}" for case in cases)])


def english_in(text: str) -> list[str]:
    """Return the sentences of the engine that stand in a text in English.

    They are told by their longest part without a value, if that is not the same in German.
    """
    found = []
    in_german = translations("de")
    for key in sentences():
        for sentence in key.split("\0"):
            part = max((part for part, *_ in string.Formatter().parse(sentence)), key=len)
            if len(part) >= LONG and part in text and part not in in_german.get(key, ""):
                found.append(sentence)
    return found


def test_numbers_in_a_sentence_have_a_comma_in_german() -> None:
    """Where the sentence writes them as numbers; what else is filled in stays, whatever the place is called."""
    with speaking("de"):
        assert say("{told} {told:g} {told:.1f} {told:.0%} {told:d}", told=3) == "3 3 3,0 300% 3"
        assert say("{:.2f} of {}", 1.5, "a.b") == "1,50 of a.b"
        assert say("{name:>4}", name="x.y") == " x.y"
    assert say("{told:.2f}", told=1.5) == "1.50"


def test_the_modules_that_mark_their_sentences_are_those_named_here() -> None:
    """So that a module that loses its sentences, or gets its first ones, is noticed."""
    assert {module for modules in sentences().values() for module in modules} == COVERED


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_a_catalogue_has_every_sentence_and_no_other(code: str) -> None:
    """A sentence that changes in the code needs a new translation."""
    assert translations(code).keys() == sentences().keys()


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_no_sentence_stands_in_a_catalogue_twice(code: str) -> None:
    """Editors of catalogues refuse that, and the second one would count here."""
    keys = re.findall(r"^msgid .*(?:\n\".*)*", (FOLDER / f"{code}.po").read_text("utf-8"), re.MULTILINE)
    assert [key for key, times in Counter(keys).items() if times > 1] == []


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_a_translation_takes_the_same_values(code: str) -> None:
    """Every name and number of the English sentence stands in each form of the translation, written in the same way."""
    for sentence, translation in translations(code).items():
        wanted = set.union(*map(places, sentence.split("\0")))
        assert all(places(form) == wanted for form in translation.split("\0")), sentence


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_a_translation_begins_and_ends_as_the_sentence_does(code: str) -> None:
    """Where sentences are joined, spaces stand at their ends."""
    for sentence, translation in translations(code).items():
        for form in translation.split("\0"):
            one, other = sentence.partition("\0")[0], form
            assert [one[:1].isspace(), one[-1:].isspace()] == [other[:1].isspace(), other[-1:].isspace()], sentence


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_a_handout_has_its_prose_in_each_language(code: str) -> None:
    """Every text takes the same words of the assignment as the English one."""
    english = {path.name: path for path in TEMPLATES.glob("*.md")}
    theirs = {path.name: path for path in (TEMPLATES / code).glob("*")}
    assert theirs.keys() == english.keys()
    for name, path in theirs.items():
        one, other = map(meta.find_undeclared_variables, map(parsed, (english[name], path)))
        assert one == other, name


@pytest.mark.parametrize(
    ("bodies", "says"),
    [
        ({"row_means": "return x.mean(-1) + np.sin(7 * x.sum(-1))"}, "Werten sind anders, der erste bei"),
        ({"row_means": "return x.mean(-1, keepdims=True)"}, "Die Shape ist"),
        ({"row_means": "return list(x)"}, "Zurückgegeben: list der Länge 2; erwartet: numpy-Array mit Shape (2,)."),
        ({"row_means": "return None"}, "None (fehlt ein `return`?); erwartet: numpy-Array mit Shape (2,)."),
        ({"row_means": "return x.mean(-1) * np.nan"}, "Die Ausgabe enthält NaN oder unendliche Werte."),
        ({"row_means": "return x.sum(-1)"}, "nämlich die Länge von Achse -1 von `x`: Fehlt eine Division?"),
        ({"row_means": "return -x.mean(-1)"}, "Jeder Wert hat das falsche Vorzeichen."),
        ({"row_means": "return np.exp(x.mean(-1))"}, "Auf die richtige Antwort ist noch die Exponentialfunktion angewandt."),
        ({"row_means": "return x.mean(-1)[..., ::-1]"}, "entlang Achse -1 in umgekehrter Reihenfolge"),
        ({"row_means": "raise NotImplementedError"}, "Noch nicht geschrieben"),
        ({"row_means": "raise SystemExit"}, "Dein Code hat exit() aufgerufen"),
        ({"row_means": "class Mine(Exception): pass\nraise Mine"}, "Eine Exception, die du selbst definiert hast"),
        ({"row_means": "while True: pass"}, "Nach 1,5 s Rechenzeit gab es keine Antwort, und der Aufruf wurde abgebrochen."),
        ({"center": "x -= x.mean(-1, keepdims=True)\nreturn x"}, "Was der Code bekommen hat, ein Argument oder ein Modell, ist danach nicht so"),
    ],
)  # fmt: skip
def test_a_wrong_submission_is_told_in_german(
    in_german: Callable[..., Result], bodies: dict[str, str], says: str
) -> None:
    """No sentence of the catalogue is left in English."""
    text = told(in_german(**bodies))
    assert says in text
    assert english_in(text) == []


def test_a_file_is_refused_in_german(in_german: Callable[..., Result]) -> None:
    """Where it cannot be imported, or lacks a function."""
    broken, lacking = told(in_german("def row_means(x) return x")), told(in_german("def row_meens(x): return x"))
    assert "Deine Datei lässt sich nicht importieren" in broken
    assert "In deiner Datei gibt es kein `row_means`. Es gibt ein `row_meens`." in lacking
    assert english_in(broken) == english_in(lacking) == []


def test_forbidden_code_is_told_in_german(german: Oracle, edited: Callable[..., str], sandbox: Sandbox) -> None:
    """With its line; what may be used instead is the assignment's own text."""
    rule = Shortcut(("numpy.mean",), ("row_means",), "Add up and divide.")
    oracle = Oracle(replace(german.assignment, shortcuts=(rule,)), 3)
    source = Source("means", (Chunk("means.py", edited(row_means="return np.mean(x, axis=-1)")),))
    text = told(grade(source, oracle, sandbox))
    assert (
        "Du benutzt `numpy.mean` (means.py, Zeile 13). Genau das sollst du in dieser Aufgabe selbst schreiben." in text
    )
    assert english_in(text) == []


def test_the_same_mistakes_are_told_in_english_without_a_language(edited: Callable[..., str], sandbox: Sandbox) -> None:
    """What finds English sentences in the test above does find them."""
    oracle = Oracle(load_assignment(COURSE, "t1_means"), 3)
    result = grade(Source("means", (Chunk("means.py", edited(row_means="return x.sum(-1)")),)), oracle, sandbox)
    assert RELATION in english_in(told(result))


RELATION = "Every value is too large by the same factor, {0}: is a division missing?"


def test_stored_results_keep_their_language(in_german: Callable[..., Result]) -> None:
    """A page that is written later says relations in the language of the grading, whatever is spoken then."""
    cases = in_german(row_means="return x.sum(-1)").exercises[0].cases
    assert spoken() == "en"
    assert all("Fehlt eine Division?" in case_of(stored_case(case)).says for case in cases)


def test_a_handout_speaks_german(german: Oracle, edited: Callable[..., str]) -> None:
    """Its data names the language, and its engine has the catalogue."""
    bundle = public_bundle(public_oracle(german.assignment))
    result = check(Source("means", (Chunk("means.py", edited(row_means="return x.sum(-1)")),)), bundle)
    assert "Der einzige Wert ist anders: 3 statt 1.5." in told(result)
    assert english_in(told(result)) == []
    assert engine_files()["engine/autograder/course/languages/de.po"] == (FOLDER / "de.po").read_bytes()


def course_in(folder: Path, language: str) -> Path:
    """Write a course of one's own in some language."""
    text = f'language = "{language}"\nfrom = "{COURSE.as_posix()}"\n[assignment.t1_means]\n'
    (folder / "course.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_course_names_its_language(tmp_path: Path) -> None:
    """And a copy for another machine names it too; English needs no word."""
    assert load_assignment(course_in(tmp_path, "de"), "t1_means").language == "de"
    assert load_assignment(COURSE, "t1_means").language == "en"
    assert written("t1_means", Entry(COURSE, language="de")).startswith('language = "de"\n')
    assert Entry(COURSE, language="de").is_told
    assert not Entry(COURSE).is_told


def test_an_unknown_language_is_refused(tmp_path: Path) -> None:
    """The message names those that there are."""
    with pytest.raises(CourseError, match="language = 'xx' is none of de, en"):
        load_assignment(course_in(tmp_path, "xx"), "t1_means")


def test_another_language_is_graded_again(german: Oracle) -> None:
    """A grade's key depends on it."""
    english = exercise_keys(Oracle(replace(german.assignment, language="en"), 3))
    assert all(key != english[name] for name, key in exercise_keys(german).items())


def test_each_thread_speaks_its_own() -> None:
    """A grading in one does not change what another says."""
    heard: list[str] = []
    with speaking("de"):
        thread = Thread(target=lambda: heard.append(say(marked("Not written yet."))))
        thread.start()
        thread.join()
        assert say(marked("Not written yet.")) == "Noch nicht geschrieben."
    assert heard == ["Not written yet."]
    assert spoken() == "en"


def test_plurals_and_what_a_catalogue_lacks() -> None:
    """A number takes its form; a sentence without a translation stays English."""
    with speaking("de"):
        one, many = (say_many("a {kind} of {n} value", "a {kind} of {n} values", n, kind="list") for n in (1, 2))
        assert (one, many) == ("list mit 1 Wert", "list mit 2 Werten")
        assert say("Nothing like {name}.", name="it") == "Nothing like it."
    half = 'msgid "one"\nmsgstr ""\n\nmsgid "a"\n"b\\n"\nmsgstr "c"\n'
    assert read_po(half) == {"ab\n": "c"}


def test_what_a_relation_names_is_said_by_its_parts() -> None:
    """Names of the student's own stay as they are."""
    with speaking("de"):
        assert relation_named("the length of the axis before the last of `x`") == "die Länge von Achse -2 von `x`"
        assert relation_named("axis 0 of `mask`") == "Achse 0 von `mask`"
        assert relation_named("the last word") == "the last word"
