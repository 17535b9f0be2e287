"""What a function remembers of earlier calls is told as such, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Status
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.reason_sentences import REMEMBERS
from autograder.judge.result import CaseResult, Result
from autograder.oracle.oracle import Oracle
from autograder.proof.gradings import grade_all
from autograder.sandbox.job import Chunk, Sandbox, Source

ROOT = Path(__file__).parents[1]
Cases = Callable[[Result, str], dict[str, CaseResult]]
DEFAULT = "def row_means(x, sums={}):\n    sums['all'] = sums.get('all', 0) + x.sum(-1)\n    return sums['all'] / x.shape[-1]\n"
GLOBAL = "SEEN = []\ndef row_means(x):\n    SEEN.append(x.mean(-1))\n    return SEEN[0]\n"
BUFFER = "KEPT = np.zeros(99)\ndef row_means(x):\n    kept = KEPT[: x[..., 0].size].reshape(x.shape[:-1])\n    kept += x.mean(-1)\n    return kept\n"
REUSED = BUFFER.replace("+=", "[...] =")
WRONG_FROM_THE_START = "SEEN = []\ndef row_means(x):\n    SEEN.append(x.mean(-1))\n    return 7.25 * SEEN[0] ** 2\n"
WRONG_FOR_SOME = (
    "def row_means(x):\n    return x.mean(-1) if x.ndim < 3 and len(x) < 3 else 7.25 * x.mean(-1) ** 2 + 1\n"
)


def told(found: dict[str, CaseResult]) -> set[str]:
    """Return what failing cases say."""
    return {case.says for case in found.values() if case.status is not Status.PASSED}


@pytest.mark.parametrize("replaced", [DEFAULT, GLOBAL, BUFFER])
def test_what_a_function_remembers_is_told(
    replaced: str, graded: Callable[[str], Result], assignment: Assignment, cases: Cases
) -> None:
    """Later calls add up, or crash where the sizes have changed, or add to what an earlier one left. Alone each is right."""
    found = graded(assignment.reference + "\n\n" + replaced)
    assert told(cases(found, "row_means")) == {REMEMBERS}
    assert REMEMBERS not in told(cases(found, "center"))  # it is to mend `row_means` first


def test_a_buffer_that_is_used_again_spoils_no_answer(graded: Callable[[str], Result], assignment: Assignment) -> None:
    """Each call is judged by what it returned when it returned, whatever a later call writes there."""
    result = graded(assignment.reference + "\n\n" + REUSED)
    assert result.all_passed, [(case.name, case.says) for e in result.exercises for case in e.cases if case.says]


@pytest.mark.parametrize("replaced", [WRONG_FROM_THE_START, WRONG_FOR_SOME])
def test_what_is_wrong_alone_is_not_told_so(
    replaced: str, graded: Callable[[str], Result], assignment: Assignment, cases: Cases
) -> None:
    """Even if the function remembers something as well."""
    found = told(cases(graded(assignment.reference + "\n\n" + replaced), "row_means"))
    assert found
    assert REMEMBERS not in found


def test_it_is_told_at_home(course_copy: Path) -> None:
    """The public cases of a handout find it as well, without the oracle."""
    cases = course_copy / "assignments" / "t1_means" / "cases.py"
    more = '@case("center", check=close())\ndef {0}(rng):\n    """Other rows."""\n    yield call(ROWS[{1}] ** 2)\n'
    with cases.open("a", encoding="utf-8") as file:
        file.write("\n\n" + more.format("squares", ":") + "\n\n" + more.format("one_row", ":1"))
    oracle = public_oracle(load_assignment(course_copy, "t1_means"))
    remembers = "def center(x, kept={}):\n    return x - kept.setdefault('means', x.mean(-1, keepdims=True))\n"
    text = oracle.assignment.reference + "\n\n" + remembers
    result = check(Source("means", (Chunk(oracle.assignment.file, text),)), public_bundle(oracle))
    found = {case.name: case.says for e in result.exercises if e.name == "center" for case in e.cases}
    assert found == {"two_rows_centered": "", "squares": REMEMBERS, "one_row": REMEMBERS}


@pytest.mark.slow
def test_a_generator_goes_on_as_it_should(torch_sandbox: Sandbox) -> None:
    """A function that is given a generator draws other numbers in each call; that is no memory of its own."""
    assignment = load_assignment(ROOT, "a8_language_model").without_training()
    body = (
        "def get_batch(data, batch, time, generator):\n"
        "    torch.rand(3, generator=generator)\n"
        "    starts = torch.randint(len(data) - time, (batch,), generator=generator)\n"
        "    index = starts[:, None] + torch.arange(time)\n"
        "    return data[index], data[index + 1]\n"
    )
    source = Source.of(assignment.file, assignment.stub + "\n\n" + body)
    (result,) = grade_all([(source, Oracle(assignment, 3), torch_sandbox)], 1)
    found = {case.name: case for e in result.exercises if e.name == "get_batch" for case in e.cases}
    assert told(found)
    assert REMEMBERS not in told(found)
