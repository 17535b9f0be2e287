"""The graders' side: failures without a name are grouped and named, cases speak of the class, code stands beside its verdict."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from class_records import DATA, alike, large_class, make_result, report_html, small_class, summary, with_case
from typer.testing import CliRunner

from autograder.classroom.code_lines import code_of, spans_of
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.gradebook_view import records
from autograder.classroom.unnamed_failures import groups
from autograder.cli import app
from autograder.course.catalog import load_assignment
from autograder.course.mistakes import TO_BE_SAID
from autograder.course.spec import Assignment, Finding, Status
from autograder.judge.failure_fingerprint import fingerprint_of
from autograder.judge.result_json import told_case
from autograder.judge.trials import Judged
from autograder.oracle.oracle import Oracle
from autograder.pages.items import items
from autograder.pages.review_queue import Place, moved, places, queue_in, queue_of, stored_queue
from autograder.pages.staff import command_on, staff_html
from autograder.proof.doctor import examine
from autograder.sandbox.job import Chunk, Ending, Outcome, Sandbox, Source, Trouble

Run = Callable[..., tuple[int, str, str]]
RIGHT = "return x - means"
# One mistake that the bank does not know, by two hands, and another; a crash by two hands, worded alike.
UNKNOWN = {
    "ada": "return x - 2 * means",
    "bob": "both = means + means\n    return x - both",
    "cai": "return x - 3 * means",
    "dee": "return x - means.T.sum(axis=4)",
    "eve": "rows = means.T\n    return x - rows.sum(axis=4)",
}


# Fingerprints


def failed(oracle: Oracle, *values: object) -> str:
    """Return the fingerprint of a case of `row_means` that got these values, one from each call."""
    trial = oracle.trials_of("row_means")[-1]
    return fingerprint_of(
        Judged(trial, tuple(Outcome(Ending.RETURNED, value) for value in values), Status.FAILED, Finding("values", ""))
    )


def test_the_same_wrong_numbers_have_the_same_fingerprint(oracle: Oracle) -> None:
    """Float noise changes nothing; another number, factor, shape, place of NaN or kind of value does."""
    x = np.random.default_rng(1).normal(size=(7, 13))
    whole = failed(oracle, x)
    assert failed(oracle, x * (1 + 1e-13)) == failed(oracle, np.cumsum(np.diff(x, prepend=0), axis=-1)) == whole
    small = x.astype(np.float32)
    assert failed(oracle, small) == failed(oracle, np.nextafter(small, np.float32(9)))
    nan, other = x.copy(), x.copy()
    nan[0, 0], other[0, 0] = np.nan, other[0, 0] + 0.01
    unlike = [x, nan, other, 2 * x, -x, x.T, x[:, ::-1], x[None], [x], (x,), {"a": x}, {"b": x}, small, x > 0, x > 1]
    unlike += [None, 0, 1, 0.0, True, 10**5000, "a", "b", np.inf * x, np.zeros((7, 13)), np.zeros(0)]
    assert (
        failed(oracle, {"a": x, "b": other})
        == failed(oracle, {"b": other, "a": x})
        != failed(oracle, {"a": other, "b": x})
    )
    found = [failed(oracle, value) for value in unlike]
    assert len(set(found)) == len(unlike)
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in found)


def test_the_same_exception_has_the_same_fingerprint(oracle: Oracle) -> None:
    """By type and words, without addresses; a call that ran out of memory has none."""

    def raised(ending: Ending, *trouble: str) -> str:
        outcome = Outcome(ending, trouble=Trouble(*trouble))
        return fingerprint_of(Judged(oracle.trials[0], (outcome,), Status.CRASHED))

    first = raised(Ending.RAISED, "TypeError", "no <function f at 0x7f01>")
    assert raised(Ending.RAISED, "TypeError", "no <function f at 0x7fEe>") == first
    assert len({first, raised(Ending.RAISED, "ValueError", "no"), raised(Ending.RAISED, "TypeError", "no")}) == 3
    assert raised(Ending.MEMORY, "MemoryError", "") == ""


# Groups and cases


def test_students_are_grouped_by_how_they_fail() -> None:
    """The largest group first, its example the one with the most points; what has a name or follows from others is in none."""
    named = with_case(small_class()[1], 1, 0, fingerprint="abc")
    worse = replace(alike("z", 1)[0], score=1.0)
    (group,) = groups([*alike("a", 3), worse, named, make_result("right")])
    assert (group.exercise, group.cases, group.students) == (
        "attention",
        ("i_like_pizza", "matches_reference"),
        ("a0", "a1", "a2", "z0"),
    )
    assert group.example == "a0"
    assert groups([replace(alike()[0], status="unreadable")]) == ()
    assert "kept nothing to group" in report_html(small_class(), summary())
    assert "kept nothing" not in report_html(alike(), summary())
    assert len(groups([replace(one, seed=number) for number, one in enumerate(alike())])) == 2


def test_cases_say_whom_they_fail_and_what_they_tell() -> None:
    """Discrimination is the correlation with the share of other cases passed, as numpy computes it, of what is written."""
    results = [result for result in large_class(200) if result.status == "graded"]
    found = items(results)
    table = np.array([[case.status for e in r.exercises for case in e.cases] for r in results])
    passed = table == Status.PASSED
    tried = ~np.isin(table, [Status.MISSING, Status.SKIPPED, Status.GRADER_ERROR])
    for column, item in enumerate(found.values()):
        here = tried[:, column] & (tried.sum(axis=1) > 1)
        rest = (passed.sum(axis=1) - passed[:, column])[here] / (tried.sum(axis=1) - 1)[here]
        if item.discrimination is not None:
            assert item.discrimination == pytest.approx(np.corrcoef(passed[here, column], rest)[0, 1])
        who = sorted(place for _, group in item.failing for place in group)
        assert who == np.flatnonzero(~passed[:, column] & (table[:, column] != Status.GRADER_ERROR)).tolist()
    assert sum(item.discrimination is not None for item in found.values()) > 5
    assert found["attention", "i_like_pizza"].same_as == (("attention", "matches_reference"),)
    assert found["attention", "matches_reference"].same_as == (("attention", "i_like_pizza"),)


def test_a_case_that_the_strong_fail_is_flagged() -> None:
    """Six who pass everything else fail it, and six who fail much pass it."""
    strong = [make_result(f"s{i}", causal_mask=({"four_by_four": Status.FAILED},)) for i in range(6)]
    weak = [make_result(f"w{i}", attention=(Status.FAILED,), attention_backward=(Status.FAILED,)) for i in range(6)]
    found = items([*strong, *weak])
    assert [key for key, item in found.items() if item.is_negative] == [("causal_mask", "four_by_four")]
    assert found["causal_mask", "four_by_four"].discrimination == pytest.approx(-1)
    assert found["average_context", "three_numbers"].discrimination is None


# The queue


def test_the_queue_links_who_is_to_be_looked_at() -> None:
    """Who needs a look first, then groups; only pages whose neighbours changed are written again."""
    queue = queue_of([*small_class(), *alike("a")], groups(alike("a")))
    assert queue == ("s005", "s006", "a0", "a1")
    assert places(("a", "b", "c"), {}) == {"a": Place("", "b"), "b": Place("a", "c"), "c": Place("b", "")}
    assert places(("a", "b"), {"a": "Ann"})["b"] == Place("a", "", "Ann", "")
    assert moved(tuple("abcdef"), tuple("abdef")) == set("bcd")
    assert moved((), ("a",)) == {"a"}
    assert queue_in(stored_queue(("\ud800", "b"))) == ("\ud800", "b")
    assert queue_in("{") == queue_in("1") == ()


# A student's page


def test_code_is_found_by_its_text_alone() -> None:
    """Definitions at the top level, decorated or not, up to the next statement; the last one counts."""
    text = "import numpy as np\n@cache\ndef f(\n    x,\n):\n    return x\n\n# f\ndef g(): pass\nf(1)\nasync  def f():\n  1\n"
    source = Source("a", (Chunk("a.py", text.replace("\n", "\r\n")), Chunk("cell 2", "class f2: pass\x0c\ndef (\x00")))
    assert [(span.chunk, span.first, span.last) for span in spans_of(source, "f")] == [(0, 2, 6), (0, 11, 12)]
    assert code_of(source, "f") == "async  def f():\n  1"
    assert code_of(source, "g") == "def g(): pass"
    assert code_of(source, "h") == ""
    assert spans_of(source, "f2")[0].chunk == 1
    for nothing in ("", "# f\n", "\n 1\n"):
        assert spans_of(Source("a", (Chunk("a.py", nothing),)), "f") == ()


def test_code_stands_beside_its_verdict() -> None:
    """Lines of failing exercises and where a call stopped are marked; neighbours are linked; commands work in any folder."""
    folder = Path.cwd() / "out put"
    code = "\n\ndef attention(Q):\n    a = Q\n    return a.b\n\ndef causal_mask(n):\n    return n"
    source = Source("attention", (Chunk("attention.py", code),))
    result = with_case(alike("ada ")[0], 1, 1, raised_at=("attention.py", 5))
    html = staff_html(result, source, Path("out put"), Place("before", "after", "", "Ann"))
    assert "<bdi>after</bdi></a> <span" in html
    assert (
        '<span class="here" id="code-attention"></span><mark class="failing">def attention(Q):\n    a = Q\n</mark>'
        in html
    )
    assert '<mark class="stopped">    return a.b\n</mark>' in html
    assert "causal_mask(n):\n    return n\n</pre>" in html
    assert '<pre dir="ltr">\n\n<mark class="stopped">\n</mark>' in html  # a browser drops the first line end
    for command in (
        f"autograder explain 'ada 0' attention -o '{folder}'",
        f"autograder override 'ada 0' attention POINTS --because '' -o '{folder}'",
        f"autograder name 'ada 0' attention -o '{folder}'",
    ):
        assert command.replace("'", "&#39;") in html
    assert 'href="before.html"' in html
    assert 'href="after.html"' in html
    assert 'href="../feedback/ada%200.html"' in html
    assert DATA.splitlines()[3] in html
    assert "could not be read" in staff_html(make_result("x", "unreadable"), None, Path("o"), None)


def test_a_name_is_never_an_option() -> None:
    """What a student is called stands after all options where it looks like one."""
    assert command_on("-o x", "explain", ("-o x", "f"), ("-o", "out")) == "autograder explain -o out -- '-o x' f"
    assert shlex.split(command_on("a'b;c", "explain", ("a'b;c", "f"), ()))[2] == "a'b;c"


# The whole way


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory, assignment: Assignment) -> Path:
    """Return a class whose mistakes the bank does not know."""
    folder = tmp_path_factory.mktemp("class")
    for name, line in UNKNOWN.items():
        (folder / f"{name}.py").write_text(assignment.reference.replace(RIGHT, line), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def out(course: Path, works: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of that class, graded."""
    folder = tmp_path_factory.mktemp("graded") / "out"
    told = ["-o", str(folder), "--seed", "3", "--accept-unsandboxed", "--course", str(course)]
    done = CliRunner().invoke(app, ["grade", "t1_means", str(works), *told])
    assert done.exit_code == 0, done.output
    return folder


def test_failures_without_a_name_are_grouped_by_what_they_share(out: Path) -> None:
    """Two hands that make one mistake stand together, in the report and in the queue; students' results tell nothing of it."""
    with open_gradebook(out) as book:
        found = [(group.exercise, group.students, group.raises) for group in groups(records(book))]
        (ada,) = records(book, ["ada"])
    assert found == [
        ("center", ("ada", "bob"), False),
        ("center", ("dee", "eve"), True),
        ("center", ("cai",), False),
    ]
    assert all("fingerprint" not in told_case(case, 0.5) for e in ada.exercises for case in e.cases)
    assert "fingerprint" not in (out / "results" / "ada.json").read_text(encoding="utf-8")
    report = (out / "report.html").read_text(encoding="utf-8")
    assert f"autograder name ada center -o {out}" in report
    assert re.search('<a href="staff/ada.html">Look at 5 students', report)
    assert 'href="eve.html"' in (out / "staff" / "dee.html").read_text(encoding="utf-8")
    assert "return x - 2 * means" in report
    assert 'class="stopped"' in (out / "staff" / "dee.html").read_text(encoding="utf-8")


def test_a_mistake_is_named_from_an_example(
    out: Path, works: Path, course_copy: Path, cli: Run, sandbox: Sandbox, tmp_path: Path
) -> None:
    """The skeleton is the smallest change, fails as the student does, and doctor accepts it with a sentence; then both have its name."""
    out = shutil.copytree(out, tmp_path / "again")
    local = ("-o", out, "--accept-unsandboxed", "--course", course_copy)
    code, said, told = cli("name", "bob", "center", "doubles_the_mean", *local)
    assert code == 0
    assert "fails 3 of 3 cases as bob's center does" in told
    assert TO_BE_SAID in said
    said = said.replace(TO_BE_SAID, "You take off twice the mean.")
    bank = course_copy / "solutions" / "t1_means" / "misconceptions.py"
    text = bank.read_text(encoding="utf-8").replace(
        "from autograder.course.spec", "from autograder.course.mistakes import *\nfrom autograder.course.spec"
    )
    bank.write_text(f"{text.rstrip().removesuffix(')')}{said})\n", encoding="utf-8")
    new = load_assignment(course_copy, "t1_means").misconceptions[-1]
    assert (new.name, new.old) == ("doubles_the_mean", f"    {RIGHT}")
    assert new.new == "    both = means + means\n    return x - both"
    proofs = examine(load_assignment(course_copy, "t1_means"), sandbox, 2)
    assert [proof.broken for proof in proofs if not proof.holds] == []
    assert cli("grade", "t1_means", works, *local)[0] == 0
    with open_gradebook(out) as book:
        names = {r.student: {case.diagnosis for e in r.exercises for case in e.cases} - {""} for r in records(book)}
    assert names["ada"] == names["bob"] == {"doubles_the_mean"}
    assert names["cai"] == set()


def test_what_rests_on_more_of_the_file_is_told(course: Path, cli: Run, tmp_path: Path, assignment: Assignment) -> None:
    """The code calls a helper that the reference lacks, so that the change alone fails in another way."""
    text = assignment.reference.replace(RIGHT, "return x - doubled(means)")
    (tmp_path / "gus.py").write_text(f"{text}\ndef doubled(x):\n    return 2 * x\n", encoding="utf-8")
    local = ("-o", tmp_path / "out", "--accept-unsandboxed", "--course", course)
    assert cli("grade", "t1_means", tmp_path / "gus.py", *local)[0] == 0
    code, said, told = cli("name", "gus", "center", *local)
    assert code == 1
    assert "return x - doubled(means)" in said
    assert "fails 0 of 3 cases as gus's center does" in told


def test_what_is_no_mistake_cannot_be_named(out: Path, course: Path, cli: Run) -> None:
    """The code is the reference's own, or the name is taken or none."""
    local = ("-o", out, "--accept-unsandboxed", "--course", course)
    assert "line by line the reference's" in cli("name", "ada", "spread", *local)[2]
    for name in ("no_root", "two words"):
        code, _, told = cli("name", "ada", "center", name, *local)
        assert code == 2
        assert "has to be a Python name" in told
