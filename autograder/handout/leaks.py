"""Prove that files for students hold no line of a solution, no hidden case, and no key of a quiz.

Every file is taken apart into all that can be read out of it: its text, the strings in that, and arrays; finding too much is
better than too little. Public text is no secret, and neither is a line so short that anyone would write it.
"""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.course.spec import Assignment, Visibility
from autograder.course.stub import solution_lines
from autograder.handout.public_data import describe_right_values
from autograder.handout.secret_numbers import Row, SecretNumbers
from autograder.judge.checks import choice
from autograder.judge.outcomes_alike import answers_of
from autograder.judge.trials import Trial, as_data
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.parse import parse
from autograder.sandbox.child.tree import array_of, leaves
from autograder.sandbox.child.wire_format import WireError, decode

SHORTEST_LINE = 12  # characters of a secret line of code, without blanks
SHORTEST_CLAIM = 24
IN_A_ROW, SHORTEST_ROW = 3, 40  # lines of a solution that are no formula any more, and their characters, without blanks
SEEDS = (0, 1)
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
_LONG = 16  # characters from which a string may hold something of its own


@dataclass(frozen=True)
class Secrets:
    """What must not ship: texts without blanks, each with its description, quiz keys, and numbers."""

    texts: Mapping[str, str]
    keys: tuple[Mapping[str, str], ...]
    numbers: SecretNumbers = field(default_factory=SecretNumbers)


def leaks(files: Mapping[str, bytes], secrets: Secrets, known: Mapping[str, bytes]) -> Iterator[str]:
    """Yield which file gives which secret away; files equal to those in `known` are public and skipped."""
    for name, data in files.items():
        if known.get(name) != data:
            found = {(what, read.how): None for read in contents_of(data) for what in _found(read, secrets)}
            yield from (f"{name} gives away {what} ({how})" for what, how in found)


def _found(read: Content, secrets: Secrets) -> Iterator[str]:
    squeezed = _squeeze(read.text)
    yield from (what for text, what in secrets.texts.items() if text in squeezed)
    for key in secrets.keys:
        yield from _answered(read.text, key)
    yield from secrets.numbers.in_row(read.numbers)


def _answered(text: str, key: Mapping[str, str]) -> Iterator[str]:
    """Yield the questions whose letter follows their name, and report a row of letters that is the whole key."""
    for question, letter in key.items():
        if question in text and re.search(
            rf"\b{re.escape(question)}\W{{1,8}}{re.escape(letter)}(?=\W{{0,3}}(?:$|[\"'\]\)}},\n]))", text
        ):
            yield f"the answer to {question}"
    first, *others = (re.escape(letter.lower()) for letter in key.values())
    row = r"\W{0,6}".join((rf"{first}(?<!\w{first})", *others))  # what a pattern begins with is looked for fast
    if len(key) > 4 and re.search(rf"{row}(?!\w)", text.lower()):
        yield "the key of a quiz"


def secrets_of(oracle: Oracle, readme: str, at_hand: Sequence[Oracle] = ()) -> Secrets:
    """Return an assignment's secrets; the oracle is of its public cases, and those `at_hand` are of all."""
    assignment = oracle.assignment
    drawn = {each.seed: each for each in at_hand}
    oracles = [drawn.get(seed) or Oracle(assignment, seed) for seed in SEEDS]
    public, hidden = _sequences(oracles, Visibility.PUBLIC), _sequences(oracles, Visibility.HIDDEN)
    shown = itertools.chain((row for _, row in public), _fingerprints(oracle), _on_the_way(oracle))
    return Secrets(_texts(assignment, readme), _keys(oracles[0]), SecretNumbers.of(hidden, shown))


def _texts(assignment: Assignment, readme: str) -> dict[str, str]:
    """Return texts that must not ship, without blanks, each with its description."""
    public = _cases(assignment, Visibility.PUBLIC)
    quizzes = {question.exercise for question in assignment.questions}
    named = [f"{m.name} {m.says}" for m in assignment.misconceptions if m.exercise not in quizzes]
    told = " ".join(named + [f"{c.name} {c.claim}" for c in public])
    innocent = _squeeze(assignment.stub + assignment.harness + readme + told)
    lines = dict.fromkeys(solution_lines(assignment.reference), "a line of the solution")
    for other in assignment.correct:
        lines |= dict.fromkeys(_code_lines(other.source), f"a line of correct/{other.name}.py")
    texts = {_squeeze(line): f"{what}, {line[:60]!r}" for line, what in lines.items()}
    texts = {text: what for text, what in texts.items() if len(text) >= SHORTEST_LINE}
    for question in assignment.questions:
        texts |= {_squeeze(o.reason): f"a reason of the question {question.name}" for o in question.options}
    for case in _cases(assignment, Visibility.HIDDEN):
        texts[case.name] = f"the hidden case {case.name}"
        if len(case.claim) >= SHORTEST_CLAIM:
            texts[_squeeze(case.claim)] = f"what the hidden case {case.name} is about"
    return {text: what for text, what in texts.items() if text not in innocent}


def pasted(readme: str, assignment: Assignment) -> Iterator[str]:
    """Yield where a README holds lines of the solution, several in a row: one alone may be a formula that it teaches."""
    lines, text = list(solution_lines(assignment.reference)), _squeeze(readme)
    rows = ((line, _squeeze("".join(lines[at : at + IN_A_ROW]))) for at, line in enumerate(lines[: 1 - IN_A_ROW]))
    found = next((line for line, row in rows if len(row) >= SHORTEST_ROW and row in text), None)
    if found:
        yield f"README.md holds {IN_A_ROW} lines of the solution in a row, from {found[:60]!r}"


def _code_lines(source: str) -> Iterator[str]:
    """Yield the lines of a source's function bodies; signatures are in the stub."""
    lines = source.splitlines()
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield from (line.strip() for line in lines[node.body[0].lineno - 1 : node.end_lineno])


def _cases(assignment: Assignment, visibility: Visibility) -> list[Any]:
    return [case for case in assignment.cases if case.visibility is visibility]


def _keys(oracle: Oracle) -> tuple[Mapping[str, str], ...]:
    """Return the keys of quizzes: the answers of `choice` checks and those that a check withholds."""
    found = []
    for trial in oracle.trials:
        answers = answers_of(oracle.expected(trial))
        if isinstance(trial.case.check, choice) or trial.case.check.public(answers) is not answers:
            value = answers[0].value
            key = {q: str(a) for q, a in value.items()} if isinstance(value, dict) else {}
            if key and key not in found:
                found.append(key)
    return tuple(found)


def _sequences(oracles: Sequence[Oracle], visibility: Visibility) -> list[tuple[str, Row]]:
    """Return the numbers of all inputs and expected values of public or hidden cases, each with its description."""
    rows = []
    for oracle in oracles:
        for trial in oracle.trials:
            if trial.case.visibility is visibility:
                rows += [(f"an input of the case {trial.case.name}", row) for row in _inputs(trial)]
                what = f"an expected value of the case {trial.case.name}"
                rows += [(what, row) for o in oracle.expected(trial) for row in _rows([o.value, list(o.args)])]
    return rows


def _inputs(trial: Trial) -> Iterator[Row]:
    for c in trial.calls:
        yield from _rows([list(c.args), dict(c.kwargs), c.module and as_data(c.module)])


def _fingerprints(oracle: Oracle) -> Iterator[Row]:
    """Yield the numbers that known mistakes give on public cases; they ship on purpose."""
    for m in oracle.assignment.misconceptions:
        for trial in oracle.trials:
            if oracle.matters(m.name, trial):
                for outcome in oracle.answers((m.name,), trial) or ():
                    yield from _rows(outcome.value)


def _on_the_way(oracle: Oracle) -> Iterator[Row]:
    """Yield the numbers that correct solutions have on the way to public answers; they ship on purpose, too."""
    arrays: dict[str, np.ndarray] = {}
    for trial in oracle.trials:
        describe_right_values(oracle, trial, arrays)
    yield from (np.asarray(array, np.float64).reshape(-1) for array in arrays.values())


def _rows(tree: Any) -> Iterator[Row]:
    """Yield the numbers of every array in a tree as one row each, and the single numbers of every container as one."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, list | tuple):
        single = [float(item) for item in tree if isinstance(item, int | float) and not isinstance(item, bool)]
        yield from [np.array(single)] * bool(single)
        for item in tree:
            yield from _rows(item)
        return
    array = array_of(tree)
    if array is not None and array.dtype.kind in "fiu":
        yield np.asarray(array, np.float64).reshape(-1)
    elif isinstance(tree, float):
        yield np.array([tree])


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


@dataclass(frozen=True)
class Content:
    """One reading of a file: how it was come by, and what it says."""

    how: str
    text: str
    numbers: Row


def contents_of(data: bytes) -> Iterator[Content]:
    """Yield every reading of a file."""
    text = data.decode("utf-8", "ignore")
    readings = {"plain": [text], **_strings(text)}
    for how, found in readings.items():
        for part in dict.fromkeys(found):
            yield Content(how, part, np.array(_NUMBER.findall(part), np.float64))
    try:
        arrays = [array for leaf in leaves(decode(data)) if (array := array_of(leaf)) is not None]
    except WireError:
        return
    yield from (Content("numbers", "", np.asarray(a, np.float64).reshape(-1)) for a in arrays if a.dtype.kind in "fiub")


def _strings(text: str) -> dict[str, list[str]]:
    """Return the strings that JSON or Python source holds, without their escapes; those of JSON as one text, a line each."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return {"a string": list(_python_strings(text))}
    return {"JSON": ["\n".join(_json_strings(tree))] if isinstance(tree, dict | list) else []}


def _python_strings(text: str) -> Iterator[str]:
    try:
        source = parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and len(node.value) >= _LONG:
            yield node.value if isinstance(node.value, str) else node.value.decode("utf-8", "ignore")


def _json_strings(tree: Any) -> Iterator[str]:
    """Yield every string of some JSON; lists of nothing but strings, as notebooks keep text, also as one."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield key
            yield from _json_strings(value)
    elif isinstance(tree, list):
        if tree and all(isinstance(item, str) for item in tree):
            yield "".join(tree)
        for item in tree:
            yield from _json_strings(item)
