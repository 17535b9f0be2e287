"""Where right is told to turn into wrong in the programs from outside, beside where their authors put the mistake.

`python benchmarks/turns.py a1_rnn ...` treats every mistake in tests/outside as one without a name. It prints how many wrong
exercises returned something wrong in a public case, of how many a turn is told, and of how many of these a line that the
mistake changed, or the place of one that it took out, is among the lines told; `--show` writes those of which it is not.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.course.catalog import load_assignment
from autograder.judge.blame import judge_all
from autograder.judge.reason_sentences import explain_turn
from autograder.judge.reasons import Turn
from autograder.judge.turning_points import turning_point
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Job, Sandbox, Source
from autograder.sandbox.levels import open_sandbox

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = ROOT / "tests" / "outside"
SEED = 3


@dataclass(frozen=True)
class Program:
    """A wrong program, the correct one that it was made of, its wrong exercises, and what is wrong."""

    text: str
    right: str
    exercises: tuple[str, ...]
    fault: str


def programs(slug: str) -> Iterator[Program]:
    """Yield an assignment's programs that return something wrong."""
    for entry in tomllib.loads((OUTSIDE / slug / "wrong.toml").read_text(encoding="utf-8"))["program"]:
        right = text = (OUTSIDE / slug / entry["base"]).read_text(encoding="utf-8")
        for edit in entry["edit"]:
            text = text.replace(edit["old"], edit["new"])
        if entry["kind"] != "crash":
            yield Program(text, right, tuple(entry["exercises"]), entry["fault"])


def turns(oracle: Oracle, sandbox: Sandbox, program: Program) -> Iterator[tuple[str, Turn | None]]:
    """Yield the turn of each wrong exercise that does not build on another one which is wrong."""
    assignment = oracle.assignment
    source = Source.of(assignment.file, program.text)
    requests = tuple(request for trial in oracle.trials for request in trial.requests)
    ran = sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch))
    judged = judge_all(oracle, ran)
    for name in program.exercises:
        mine = [j for j in judged if j.trial.case.exercise == name and j.finding]
        if mine and not set(program.exercises) & set(assignment.uses(name)):
            yield name, turning_point(oracle, source, sandbox, name, mine)


def is_there(program: Program, turn: Turn) -> bool:
    """Whether the statements told hold a changed line, or stand beside the place of one that was taken out."""
    ends: dict[int, int] = {}
    for node in ast.walk(ast.parse(program.text)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            ends[node.lineno] = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    told = {line for first in turn.lines for line in range(first, ends[first] + 1)}
    changes = difflib.SequenceMatcher(None, program.right.splitlines(), program.text.splitlines(), autojunk=False)
    for kind, _, _, start, stop in changes.get_opcodes():
        changed = range(start + 1, stop + 1) if kind != "delete" else (start, start + 1)
        if kind != "equal" and (told.intersection(changed) or (kind == "delete" and start == turn.line)):
            return True
    return False


def main() -> None:
    """Measure assignments and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slugs", nargs="+")
    parser.add_argument("--show", action="store_true", help="write the turns that are not where the mistake is")
    options = parser.parse_args()
    print("| assignment | wrong exercises | a turn is told | the mistake is there | lines told, on average |")
    print("|---|---|---|---|---|")
    for slug in options.slugs:
        oracle, found = Oracle(load_assignment(ROOT, slug).without_training(), SEED, public_only=True), Counter[str]()
        with open_sandbox(1, torch=oracle.assignment.torch) as sandbox:
            for program in programs(slug):
                for name, turn in turns(oracle, sandbox, program):
                    there = bool(turn and is_there(program, turn))
                    found.update(all=1, told=bool(turn), there=there, lines=len(turn.lines) if turn else 0)
                    if turn and not there and options.show:
                        print(f"{name}: {program.fault}\n    {explain_turn(turn)}")
        average = found["lines"] / max(1, found["told"])
        print(f"| `{slug}` | {found['all']} | {found['told']} | {found['there']} | {average:.1f} |", flush=True)


if __name__ == "__main__":
    main()
