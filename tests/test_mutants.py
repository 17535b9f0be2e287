"""Mutants of a reference: what they are, who notices them, and what a survivor needs."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from autograder.cli import main
from autograder.course.catalog import load_assignment
from autograder.course.places import CourseError, read_toml, slugs
from autograder.course.spec import Assignment
from autograder.oracle.code_changes import variants
from autograder.proof.equivalent import why_equivalent
from autograder.proof.mutant_report import Reasons, read_reasons, report
from autograder.proof.mutant_runs import BrokenTrialError, Fate, fates
from autograder.proof.mutants import compiled, mutants_of

ROOT = Path(__file__).parents[1]
MEANS = "solutions/t1_means/means.py"
SHIFT = "row_means: return total / x.shape[-1]  =>  return total / x.shape[1]"


def changes(source: str) -> set[str]:
    """Return what may stand in the place of any part of an expression or statement, each as text."""
    (statement,) = ast.parse(source).body
    parents = {child: node for node in ast.walk(statement) for child in ast.iter_child_nodes(node)}
    nodes = [*parents, *([] if isinstance(statement, ast.Expr) else [statement])]
    return {ast.unparse(ast.fix_missing_locations(v)) for n in nodes for v in variants(n, parents.get(n, statement))}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a + b", {"a - b", "a", "b"}),
        ("a - b", {"a + b", "a", "b", "b - a"}),
        ("a @ b.T", {"a", "b.T", "b.T @ a", "b"}),
        ("x.sum(axis=-1)", {"x", "x.sum()", "x.mean(axis=-1)", "1", "-2", "0"}),
        ("-x", {"x"}),
        ("a < b", {"a <= b", "a > b"}),
        ("a and b", {"a or b", "a", "b"}),
        ("f(a, b)", {"f(b, a)", "a"}),
        ("np.swapaxes(x, i, j)", {"np.swapaxes(i, x, j)", "x"}),
        ("x[t]", {"x[t + 1]", "x[t - 1]"}),
        ("x[1:]", {"x[:]", "x[1:-1]", "2", "0", "-1", ":", "1:-1"} - {"x[:]", "x[1:-1]"}),
        ("x[:n]", {":", ":n + 1", ":n - 1", "1:n"}),
        ("x if c else y", {"x", "y"}),
        ("True", {"False"}),
        ("0.5", {"1.0", "-0.5"}),
        ("0.0", {"1.0", "-1.0"}),
        ("(a, b)", {"(b, a)"}),
        ("a += b", {"pass", "a = b", "a -= b"}),
        ("a[i] = b", {"pass", "a[i + 1]", "a[i - 1]"}),
        ("raise ValueError('no')", {"pass", "'no'"}),
        ("'text'", set()),
        ("[a for a in b if c]", {" for a in b"}),
    ],
    ids=count(),
)
def test_each_kind_of_change(source: str, expected: set[str]) -> None:
    """Operators, terms, arguments, transposes, indices, slices, constants and statements."""
    assert changes(source) == expected


def test_a_mutant_changes_one_statement_of_a_solution_region(assignment: Assignment) -> None:
    """Its name says which and how, and compiled it does so."""
    mutants = mutants_of(assignment)
    assert {m.exercise for m in mutants} == {"row_means", "center", "spread"}
    assert len({m.name for m in mutants}) == len(mutants)
    (sign,) = [m for m in mutants if m.name == "center: return x - means  =>  return x + means"]
    names: dict[str, object] = {}
    exec(compiled(assignment, sign), names)
    center = names["center"]
    assert isinstance(center, Callable)  # type: ignore[arg-type] # it is one
    assert center(pytest.importorskip("numpy").array([[1.0, 3.0]])).tolist() == [[3.0, 5.0]]


def cuts_a_gradient(name: str) -> bool:
    """Whether a mutant, by its name, is a gradient cut."""
    before, _, after = name.partition("  =>  ")
    return after.count(".detach()") > before.count(".detach()")


def test_gradients_are_cut_where_there_are_any(course: Path) -> None:
    """At every tensor on the way from a parameter or an input to an output, and nowhere among arrays."""
    names = [m.name for m in mutants_of(load_assignment(course, "t2_tensors")) if cuts_a_gradient(m.name)]
    line = "Affine.forward: return x @ self.weight.T + self.bias  =>  return "
    assert {name.removeprefix(line) for name in names if name.startswith(line)} == {
        "x.detach() @ self.weight.T + self.bias",
        "x @ self.weight.detach().T + self.bias",
        "x @ self.weight.T + self.bias.detach()",
    }
    assert not [m for m in mutants_of(load_assignment(course, "t1_means")) if cuts_a_gradient(m.name)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "slug", [s for s in slugs(ROOT) if read_toml(ROOT / "assignments" / s / "assignment.toml").get("torch")]
)
def test_no_cut_gradient_gets_full_marks(slug: str) -> None:
    """Wherever a student may write `.detach()` between inputs and outputs, a case fails, or a reason is written."""
    cuts = [m.name for m in mutants_of(load_assignment(ROOT, slug)) if cuts_a_gradient(m.name)]
    open_to_all = set(cuts) - read_reasons(ROOT, slug).equivalent.keys()
    assert len(cuts) > 10
    found = fates(ROOT, slug, 2, chosen=open_to_all.__contains__)
    assert len(found) == len(open_to_all)
    assert [fate.name for fate in found if not fate.noticed] == []


def test_what_is_given_and_old_text_have_no_mutants(assignment: Assignment) -> None:
    """Only solution regions count, not what ships as it is."""
    assert not [m for m in mutants_of(assignment) if m.name.startswith("as_columns")]


def test_all_mutants_of_the_tiny_course_are_noticed(course: Path) -> None:
    """Its cases were written for known mistakes, and catch these, too."""
    found = report(fates(course, "t1_means", 2), Reasons({}, {}))
    assert found.broken == ()
    assert (found.total.bank, found.total.bank_noticed) == (8, 8)
    assert found.total.mutants == found.total.public + found.total.hidden > 20
    assert [row.exercise for row in found.rows] == ["row_means", "center", "spread"]


@pytest.fixture
def careless(course_copy: Path) -> Path:
    """Return a course with a line that does nothing, one that public cases miss, and one that loops when changed."""
    path = course_copy / MEANS
    text = path.read_text(encoding="utf-8")
    text = text.replace("    squares = center(x) ** 2\n", "    squares = center(x) ** 2\n    squares = squares * 1\n")
    text = text.replace(
        "    total = x.sum(axis=-1)\n",
        "    left = 3\n    while left > 0:\n        left -= 1\n    total = x.sum(axis=-1)\n",
    )
    path.write_text(text, encoding="utf-8")
    return course_copy


def test_loops_end_and_survivors_are_named(careless: Path) -> None:
    """A mutant that never ends is noticed; one that changes nothing is open until a reason is written."""
    found = {fate.name: fate for fate in fates(careless, "t1_means", 1, seconds=2)}
    assert found["row_means: left -= 1  =>  left += 1"].noticed
    idle = "spread: squares = squares * 1  =>  squares = squares / 1"
    assert (found[idle].noticed, found[idle].evidence) == ("", "same")
    broken = report(found.values(), Reasons({}, {})).broken
    listed = "if that is as it should be, list it with the reason in mutants.toml"
    assert f"survives: {idle} (nothing it gives differs at further seeds); {listed}" in broken
    listed = {name: "no use" for name, fate in found.items() if not fate.noticed}
    assert report(found.values(), Reasons(listed, {})).broken == ()


def test_what_cannot_be_tried_is_not_called_noticed(course_copy: Path) -> None:
    """Where the reference itself fails, a crash says nothing about mutants."""
    path = course_copy / MEANS
    path.write_text(path.read_text(encoding="utf-8").replace("np.sqrt(", "np.sqrd("), encoding="utf-8")
    with pytest.raises(BrokenTrialError, match="did not begin"):
        fates(course_copy, "t1_means", 1)


def test_a_process_that_dies_takes_one_mutant_with_it(course_copy: Path) -> None:
    """The next process goes on behind it."""
    path = course_copy / MEANS
    text = path.read_text(encoding="utf-8").replace("import numpy as np\n", "import os\n\nimport numpy as np\n")
    old = "    return np.sqrt(mean_square)\n"
    text = text.replace(old, "    if x.ndim > 5:\n        os.abort()\n" + old)
    path.write_text(text, encoding="utf-8")
    found = {fate.name: fate for fate in fates(course_copy, "t1_means", 1)}
    assert found["spread: if x.ndim > 5:  =>  if True:"].noticed
    assert found["spread: return np.sqrt(mean_square)  =>  return mean_square"].noticed
    assert found["spread: os.abort()  =>  pass"].evidence == "same"


def test_a_process_that_dies_once_notices_nothing(course_copy: Path) -> None:
    """What the machine ended is tried again, and what changes nothing is still told as a survivor."""
    path, flag = course_copy / MEANS, course_copy / "died"
    text = path.read_text(encoding="utf-8").replace("import numpy as np\n", "import os\n\nimport numpy as np\n")
    old = "    squares = center(x) ** 2\n"
    dies = f"    died = os.path.exists({str(flag)!r})\n    idle = 1\n    if idle > 1 and not died:\n"
    text = text.replace(old, f"{dies}        open({str(flag)!r}, 'w').close()\n        os.abort()\n{old}")
    path.write_text(text, encoding="utf-8")
    name = "spread: idle = 1  =>  idle = 2"
    (fate,) = fates(course_copy, "t1_means", 1, chosen=lambda mutant: mutant == name)
    assert flag.exists()
    assert (fate.noticed, fate.evidence) == ("", "same")


SURVIVOR = Fate("spread", "a => b", bank=False, noticed="", evidence="different")
KILLED = [Fate("spread", f"killed {number}", bank=False, noticed="public") for number in range(100)]


@pytest.mark.parametrize(
    ("found", "reasons", "line"),
    [
        (
            [SURVIVOR],
            Reasons({}, {}),
            "survives: a => b (what it gives differs, and every case lets it pass); if that is as it should be, list it with the reason in mutants.toml",
        ),
        ([SURVIVOR], Reasons({"a => b": "so it is"}, {}), "not equivalent, as mutants.toml has it: a => b"),
        ([], Reasons({"killed 1": "old"}, {}), "gives a reason for nothing: killed 1 (it is noticed)"),
        ([], Reasons({}, {"gone": "old"}), "gives a reason for nothing: gone (there is no such mutant)"),
        ([replace(SURVIVOR, evidence="seeds")], Reasons({}, {}), "(a case notices it at another seed only)"),
        ([replace(SURVIVOR, bank=True)], Reasons({"a => b": "so it is"}, {}), "survives: a => b"),
        (
            [replace(SURVIVOR, name=str(n)) for n in range(2)],
            Reasons({}, {"0": "known", "1": "known"}),
            "98.0% of the mutants are noticed, fewer than 99%",
        ),
        (
            [replace(SURVIVOR, name=str(n), noticed="hidden") for n in range(20)],
            Reasons({}, {}),
            "83.3% of the mutants are noticed by public cases, fewer than 85%",
        ),
    ],
    ids=count(),
)
def test_a_broken_promise_is_one_line(found: list[Fate], reasons: Reasons, line: str) -> None:
    """Survivors without a reason, reasons without a survivor, and shares that are too small."""
    assert any(line in said for said in report([*KILLED, *found], reasons).broken)


def test_an_accepted_survivor_counts_as_not_noticed() -> None:
    """It has a reason and is still a hole."""
    found = report([*KILLED, SURVIVOR], Reasons({}, {"a => b": "it cannot be told from noise"}))
    assert found.broken == ()
    assert found.total.accepted == 1
    assert found.total.noticed == pytest.approx(100 / 101)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[[equal]]\n", "unknown equal"),
        ('[[equivalent]]\nmutants = ["a"]\n', "a `reason`"),
        ('[[accepted]]\nmutants = ["a"]\nreason = " "\n', "a `reason`"),
        ("[[equivalent]\n", "mutants.toml"),
    ],
    ids=count(),
)
def test_reasons_that_cannot_be_read_are_refused(course_copy: Path, text: str, line: str) -> None:
    """A reason has a text, and says what it is for."""
    (course_copy / "solutions/t1_means/mutants.toml").write_text(text, encoding="utf-8")
    with pytest.raises(CourseError, match=line):
        read_reasons(course_copy, "t1_means")


def test_the_command_prints_a_table_or_json(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row an exercise and one for all; 0 where every promise holds."""
    for option in ((), ("--json",)):
        monkeypatch.setattr(
            "sys.argv", ["autograder", "mutants", "t1_means", "--jobs", "1", "--course", str(course), *option]
        )
        monkeypatch.setenv("COLUMNS", "120")
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
        said = capsys.readouterr().out
        if option:
            assert json.loads(said)["t1_means"]["total"]["open"] == 0
        else:
            assert {"row_means", "center", "spread", "all"} <= set(said.split())


REFERENCE = '''
def matrices(x, axis=-1):
    """Take x: (rows, columns)."""

def softmax(x, axis=-1):
    """Take x: (..., n)."""

class Cell:
    """A cell."""

    def forward(self, x):
        """Take x: (batch, n)."""
'''


@pytest.mark.parametrize(
    ("name", "equivalent"),
    [
        ("matrices: return x.sum(axis=-1)  =>  return x.sum(axis=1)", True),
        ("matrices: n = x.shape[1]  =>  n = x.shape[-1] (2)", True),
        ("Cell.forward: a, b = x.chunk(2, dim=-1)  =>  a, b = x.chunk(2, dim=1)", True),
        ("matrices: y = x.swapaxes(-2, -1)  =>  y = x.swapaxes(2, -1)", True),
        ("softmax: return x.sum(axis=-1)  =>  return x.sum(axis=1)", False),  # axes may stand in front
        ("helper: return x.sum(axis=-1)  =>  return x.sum(axis=1)", False),  # nothing says a shape
        ("matrices: return x.sum(axis=-1)  =>  return x.sum(axis=0)", False),
        ("matrices: return x[1]  =>  return x[-1]", False),  # an entry, no axis
        ("matrices: order = np.argsort(x, kind='stable')  =>  order = np.argsort(x)", True),
        ("matrices: y = softmax(x, axis=-1)  =>  y = softmax(x)", True),
        ("matrices: y = softmax(x, axis=0)  =>  y = softmax(x)", False),
        ("matrices: y = x.sum(axis=-1)  =>  y = x.sum()", False),
        ("matrices: y = np.sort(x, axis=-1)  =>  y = np.sort(x)", True),
        ("matrices: for i in range(min(a, b)):  =>  for i in range(min(b, a)):", True),
        ("matrices: y = divide(a, b)  =>  y = divide(b, a)", False),
        ("matrices: return float(x.mean())  =>  return x.mean()", True),
        ("matrices: return f(x.mean())  =>  return x.mean()", False),
    ],
)
def test_equivalent_changes_are_recognised(name: str, *, equivalent: bool) -> None:
    """The number of an axis from either end, defaults, orders that do not matter; nothing that an axis more would change."""
    assert bool(why_equivalent(name, REFERENCE)) is equivalent


def test_only_what_gives_the_same_is_believed() -> None:
    """A change that is recognised and gives something else is a survivor like all others."""
    name = "matrices: return x.sum(axis=-1)  =>  return x.sum(axis=1)"
    fate = replace(SURVIVOR, name=name, evidence="same")
    reasons = Reasons({}, {}, REFERENCE)
    assert report([*KILLED, fate], reasons).broken == ()
    assert report([*KILLED, fate], reasons).total.equivalent == 1
    (line,) = report([*KILLED, replace(fate, evidence="different")], reasons).broken[:1]
    assert line.startswith("survives: ")


def test_no_reason_is_written_for_what_is_recognised() -> None:
    """The lists of the course hold what takes an author's word, and nothing that is accepted is called equivalent."""
    for slug in slugs(ROOT):
        reference = load_assignment(ROOT, slug).reference
        reasons = read_reasons(ROOT, slug)
        assert [n for n in (*reasons.equivalent, *reasons.accepted) if why_equivalent(n, reference)] == []
