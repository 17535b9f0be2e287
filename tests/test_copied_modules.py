"""Answers with copied torch modules are those with modules that are made for the call; where they may not be, none are copied."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Misconception
from autograder.judge.trials import Trial
from autograder.oracle.calls_here import run_requests
from autograder.oracle.copied_modules import CopiedModules
from autograder.oracle.functions_run import FunctionsRun
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.wire_format import encode
from autograder.sandbox.job import Outcome

ROOT = Path(__file__).parents[1]
# How many of a bank's mistakes are in what a module does: every one of them is tried, in the first of its cases.
BANKS = {"a6_multihead": 20, "a7_transformer": 100, "a8_language_model": 50, "a9_modern_lm": 50}


@dataclass(frozen=True)
class Bench:
    """An assignment's mistakes and trials, and what answers them with copies."""

    assignment: Assignment
    oracle: Oracle
    copied: CopiedModules

    def tried(self, exercise: str = "") -> Iterator[tuple[Misconception, Trial, Program]]:
        """Yield the mistakes in one exercise, or in all, with its trials in which they matter, and the reference with each."""
        for m in (m for m in self.assignment.misconceptions if exercise in ("", m.exercise)):
            for trial in (t for t in self.oracle.trials_of(m.exercise) if self.oracle.matters(m.name, t)):
                if program := self.oracle.variant(m.name):
                    yield m, trial, program


@functools.cache
def bench(slug: str) -> Bench:
    """Return the bench of one of the course's assignments."""
    return bench_of(load_assignment(ROOT, slug).without_training())


def bench_of(assignment: Assignment) -> Bench:
    """Return an assignment's bench."""
    oracle = Oracle(assignment, 3)
    run = FunctionsRun(assignment, lambda trial: run_requests(oracle.reference(), trial.requests))
    return Bench(assignment, oracle, CopiedModules(oracle.reference, run, assignment.file))


def told(outcomes: tuple[Outcome, ...]) -> list[Any]:
    """Return outcomes down to the last bit."""
    return [(o.ending, encode(o.value), encode(list(o.args)), o.trouble) for o in outcomes]


@pytest.mark.parametrize("slug", BANKS)
def test_copies_answer_as_modules_that_are_made(slug: str) -> None:
    """Each known mistake answers the same, down to the last bit, whether its modules are copied or made."""
    tried: set[str] = set()
    for m, trial, program in bench(slug).tried():
        if m.name not in tried and (answers := bench(slug).copied.answers(program, [m], trial)):
            tried.add(m.name)
            assert told(answers) == told(run_requests(program, trial.requests)), (m.name, trial.case.name)
    assert len(tried) >= BANKS[slug]


def test_a_mistake_in_how_a_module_is_made_copies_none() -> None:
    """What is copied was made by the reference, without the mistake."""
    modern = bench("a9_modern_lm")
    told_of = [(m.name, modern.copied.answers(program, [m], trial)) for m, trial, program in modern.tried("ModernLM")]
    in_constructors = {"output_map_of_its_own", "base_not_kept", "tied_by_a_second_name", "one_block_many_times"}
    assert in_constructors <= {name for name, _ in told_of}
    assert in_constructors.isdisjoint(name for name, answers in told_of if answers)


HELD = {
    "nothing more": "",
    "a tensor": "self.table = torch.arange(3.0)",
    "a parameter under two names": "object.__setattr__(self, 'again', self.weight)",
    "a list": "self.listed = [self.bias, (1, {'a': self.weight})]",
    "a function of torch's": "self.act = torch.relu",
}
NOT_COPIED = {
    "a function of its own": "self.act = lambda x: x",
    "a part of a parameter": "self.register_buffer('row', self.weight.detach()[0], persistent=False)",
    "a hook": "self.register_forward_hook(lambda *_: None)",
    "an object": "self.other = object()",
}
BIAS = "self.bias = nn.Parameter(torch.zeros(outputs))"


def toy(course: Path, old: str, new: str) -> Bench:
    """Return the bench of a small assignment after a change of its reference."""
    assignment = load_assignment(course, "t2_tensors")
    assert assignment.reference.count(old) == 1
    return bench_of(replace(assignment, reference=assignment.reference.replace(old, new)))


@pytest.mark.parametrize("held", HELD)
def test_what_a_module_holds_is_copied(course: Path, held: str) -> None:
    """Whatever plain data, tensors and functions of torch's a module holds, its copies answer as it does."""
    changed = toy(course, BIAS, f"{BIAS}; {HELD[held]}")
    found = [(changed.copied.answers(p, [m], t), run_requests(p, t.requests)) for m, t, p in changed.tried("Affine")]
    assert found
    assert all(answers and told(answers) == told(expected) for answers, expected in found)


@pytest.mark.parametrize("held", NOT_COPIED)
def test_what_cannot_be_copied_is_made_for_the_call(course: Path, held: str) -> None:
    """Code may be of the reference and not of the mistake, and memory may be that of another tensor."""
    changed = toy(course, BIAS, f"{BIAS}; {NOT_COPIED[held]}")
    found = [changed.copied.answers(p, [m], t) for m, t, p in changed.tried("Affine")]
    assert found
    assert not any(found)


def test_where_random_numbers_are_drawn_modules_are_made(course: Path) -> None:
    """To make a module draws random numbers as well, so the next ones would be others."""
    changed = toy(course, "return self.second(", "torch.rand(1)\n        return self.second(")
    found = [changed.copied.answers(p, [m], t) for m, t, p in changed.tried("Chain")]
    assert found
    assert not any(found)


def test_no_call_changes_what_the_next_one_gets(course: Path) -> None:
    """A mistake that changes a parameter in place changes that of its own copy."""
    right = "return x @ self.weight.T + self.bias"
    spoiled = toy(course, right, "self.weight.data.add_(1)\n        " + right)
    tried = list(spoiled.tried("Affine"))
    first, again = ([told(spoiled.copied.answers(p, [m], t) or ()) for m, t, p in tried] for _ in range(2))
    assert all(first)
    assert first == again
