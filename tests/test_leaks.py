"""The prover finds what was planted, in whatever form, and finds nothing in what we make."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Visibility, call
from autograder.course.stub import solution_lines
from autograder.handout.handout import engine_files, handout_files
from autograder.handout.leaks import IN_A_ROW, Secrets, leaks, pasted, secrets_of
from autograder.handout.public_data import public_oracle
from autograder.handout.secret_numbers import SecretNumbers
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.wire_format import encode

ROOT = Path(__file__).parents[1]
LINE = "deviations = center(as_columns(x)) * np.ones(1)"
KEY = {"why_scale": "c", "what_mask": "b", "order_lost": "d", "two_roles": "a", "cost_in_time": "c"}


def notebook(text: str) -> bytes:
    """Return a notebook with a text in its metadata."""
    return json.dumps({"cells": [], "metadata": {"kept": {"more": [text]}}, "nbformat": 4}).encode()


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: b"# a comment\n   " + data,
    "escaped in JSON": lambda data: notebook("\u00b7\n" + data.decode()),
    "lines of a notebook": lambda data: json.dumps({"cells": [{"source": ["a\n", data.decode()]}]}).encode(),
    "a string of a program": lambda data: f"text = {data!r}".encode(),
}


@pytest.fixture(scope="module")
def secrets() -> Secrets:
    """Return one line and the key of a quiz."""
    return Secrets({"".join(LINE.split()): "a line"}, (KEY,))


@pytest.mark.parametrize("form", FORMS)
def test_a_planted_line_is_found(form: str, secrets: Secrets) -> None:
    """Plain, and in the notebooks and programs that a handout is made of."""
    found = list(leaks({"file": FORMS[form](LINE.encode())}, secrets, {}))
    assert found
    assert all(line.startswith("file gives away a line (") for line in found)


@pytest.mark.parametrize("form", FORMS)
def test_a_planted_key_is_found(form: str, secrets: Secrets) -> None:
    """Also in all of these."""
    found = list(leaks({"file": FORMS[form](json.dumps(KEY).encode())}, secrets, {}))
    assert any("the answer to why_scale" in line for line in found)


@pytest.mark.parametrize("key", ["cbdac", "c, b, d, a, c", '["c", "b", "d", "a", "c"]', "1c 2b 3d 4a 5c", "CBDAC"])
def test_a_key_without_its_questions_is_found(key: str, secrets: Secrets) -> None:
    """A row of letters is a key as well."""
    found = list(leaks({"file": f"the letters: {key}.".encode()}, secrets, {}))
    assert bool(found) == ("1c" not in key)


def test_questions_and_options_are_no_key(secrets: Secrets) -> None:
    """The text of a quiz is public."""
    text = 'cost_in_time: a sequence\n  a: later\n  c: it is four times\nanswers = {"why_scale": "", "what_mask": ""}'
    assert list(leaks({"file": text.encode()}, secrets, {})) == []


@pytest.fixture(scope="module")
def own(assignment: Assignment, course: Path) -> Secrets:
    """Return the tiny course's secrets."""
    return secrets_of(public_oracle(assignment), (course / "assignments/t1_means/README.md").read_text())


def test_our_own_handout_gives_nothing_away(assignment: Assignment, course: Path, own: Secrets) -> None:
    """The files as they are made."""
    assert list(leaks(handout_files(course, public_oracle(assignment)), own, engine_files())) == []


def test_hidden_numbers_are_found(assignment: Assignment, own: Secrets) -> None:
    """Inputs and expected values of hidden cases, as text or in arrays, of either precision."""
    oracle = Oracle(assignment, 0)
    trial = next(t for t in oracle.trials if t.case.visibility is Visibility.HIDDEN and np.size(t.calls[0].args[0]) > 5)
    sent, wanted = np.asarray(trial.calls[0].args[0], float), np.asarray(oracle.expected(trial)[0].value, float)
    assert list(leaks({"x": encode({"f4": sent.astype(np.float32).reshape(-1)})}, own, {}))
    assert list(leaks({"x": json.dumps(sent.round(5).tolist()).encode()}, own, {}))
    assert list(leaks({"x": encode({"f8": np.concatenate([np.arange(9.0), wanted.reshape(-1)])})}, own, {}))


def test_numbers_of_single_precision_that_agree_by_chance_are_no_leak(assignment: Assignment) -> None:
    """Where hidden cases and a file have many draws each, some are the same; a run of them is still found."""
    case = next(case for case in assignment.cases if case.visibility is Visibility.HIDDEN)
    drawn = replace(case, generate=lambda rng: iter([call(rng.normal(size=(100, 400)).astype(np.float32))]))
    large = replace(assignment, cases=(*(c for c in assignment.cases if c is not case), drawn))
    secrets = secrets_of(public_oracle(large), "")
    others = np.random.default_rng(7).normal(size=40_000).astype(np.float32)
    hidden = drawn.calls(0)[0].args[0].reshape(-1)
    assert len(set(others.tolist()) & set(hidden.tolist())) > 1
    assert list(leaks({"x": encode({"drawn": others})}, secrets, {})) == []
    assert list(leaks({"x": encode({"drawn": np.concatenate([others, hidden[9:13]])})}, secrets, {}))


def test_runs_of_whole_numbers_are_told_apart() -> None:
    """Small ones differ in few of their bits; ten in a row are found, with either zero, and others are not taken for them."""
    rng = np.random.default_rng(3)
    hidden, others = rng.integers(-40, 40, (2, 20_000)).astype(float)
    hidden[32] = 0.0
    secret = SecretNumbers.of([("an input", hidden)], [])
    assert list(secret.in_row(others)) == []
    assert list(secret.in_row(np.concatenate([others, np.where(hidden[30:40] == 0, -0.0, hidden[30:40])]))) == [
        "an input"
    ]
    assert list(SecretNumbers.of([("an input", hidden)], [hidden[25:45]]).in_row(hidden[30:40])) == []


def test_hidden_names_and_claims_are_found(assignment: Assignment, own: Secrets) -> None:
    """What a hidden case is called and says is a hint by itself."""
    hidden = [case for case in assignment.cases if case.visibility is Visibility.HIDDEN]
    assert any(list(leaks({"x": case.name.encode()}, own, {})) for case in hidden)
    assert any(list(leaks({"x": case.claim.encode()}, own, {})) for case in hidden)


def test_a_solution_in_the_text_is_found(assignment: Assignment) -> None:
    """Several of its lines in a row; one may be the formula that the text is about."""
    lines = solution_lines(assignment.reference)[: IN_A_ROW + 1]
    assert list(pasted(f"So it goes:\n\n    {lines[0]}\n", assignment)) == []
    (told,) = pasted("".join(f"    {line}\n" for line in lines), assignment)
    assert told.startswith(f"README.md holds {IN_A_ROW} lines of the solution in a row, from ")


def test_the_reference_is_found(assignment: Assignment, own: Secrets) -> None:
    """The solution itself, as a whole, in a known file's place."""
    data = {"engine/autograder/__init__.py": assignment.reference.encode()}
    assert any("a line of the solution" in line for line in leaks(data, own, engine_files()))


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["a1_rnn", "a5_attention"])
def test_the_courses_handouts_give_nothing_away(slug: str) -> None:
    """With quizzes, pictures and hundreds of known mistakes; and the reference itself would be found."""
    assignment = load_assignment(ROOT, slug)
    secrets = secrets_of(
        public_oracle(assignment), (ROOT / "assignments" / slug / "README.md").read_text(encoding="utf-8")
    )
    assert list(leaks(handout_files(ROOT, public_oracle(assignment)), secrets, engine_files())) == []
    found = list(leaks({"x": notebook(assignment.reference)}, secrets, {}))
    assert len(found) > 50
    assert any("the answer to" in line for line in found)
