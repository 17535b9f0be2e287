"""Programs that were written from the handouts alone: correct ones get full marks, wrong ones are caught and named.

`outside/SLUG` holds what authors wrote who saw neither the engine nor the known mistakes, new ones for each set; some correct
programs are changes of others, and every wrong one is a change of a correct one. `PROGRAMS` says how many there are, and
docs/proof.md which sets there were and what came of each when it was first graded.
The whole of it is graded by `python tests/test_outside.py`, which prints the table of docs/proof.md.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.course.spec import Assignment, Status, Visibility
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.proof.gradings import grade_all
from autograder.sandbox.job import Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.machine import cores

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = ROOT / "tests" / "outside"
SLUGS = tuple(slug for slug in slugs(ROOT) if (OUTSIDE / slug).is_dir())
PROGRAMS = {  # how many there are: correct ones, and wrong ones
    "a1_rnn": (49, 135),
    "a2_bptt": (51, 146),
    "a3_gates": (50, 140),
    "a4_seq2seq": (49, 134),
    "a5_attention": (51, 140),
    "a6_multihead": (49, 132),
    "a7_transformer": (51, 139),
    "a8_language_model": (49, 127),
    "a9_modern_lm": (43, 126),
    "a10_fast_attention": (46, 149),
}
YOUNG = ("a9_modern_lm", "a10_fast_attention")  # came after the first three sets
# Cases of whose rule the handouts of then said nothing, by the programs that break it: one loops over single numbers.
UNTOLD = {("a10_fast_attention", "correct_02.py"): "long_sequences_fit_going_back"}
SEED = 3
GUESSED = ("quiz", "debugging_lab")  # answered by guessing, or not at all
SAMPLE = (
    6  # of the wrong programs the suite grades every sixth; of the fourth set every 20th, and every second correct one
)


Grader = Callable[[Sequence[str]], list[Result]]
# Both tests of an assignment run in one worker, one after the other.
each_slug = pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=pytest.mark.xdist_group(f"outside-{slug}")) for slug in SLUGS], scope="module"
)


@dataclass(frozen=True)
class Wrong:
    """A wrong program: its source, the exercises that are wrong, and the names that it got when it was first graded."""

    text: str
    exercises: tuple[str, ...]
    kind: str  # single, crash, double or several: what a student may hand in at the deadline
    fault: str
    named: tuple[str, ...]


def correct_programs(slug: str) -> dict[str, str]:
    """Return the correct programs of an assignment by name."""
    whole = _whole(slug)
    entries = _entries(slug, "correct.toml")
    changed = {f"{entry['base']}, change {number}": _edited(whole, entry) for number, entry in enumerate(entries, 1)}
    return whole | changed


def wrong_programs(slug: str) -> Iterator[Wrong]:
    """Yield the wrong programs of an assignment."""
    whole = _whole(slug)
    for entry in _entries(slug, "wrong.toml"):
        text = _edited(whole, entry)
        yield Wrong(text, tuple(entry["exercises"]), entry["kind"], entry["fault"], tuple(entry["named"]))


def _whole(slug: str) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((OUTSIDE / slug).glob("correct_*.py"))}


def _entries(slug: str, name: str) -> list[dict[str, Any]]:
    return list(tomllib.loads((OUTSIDE / slug / name).read_text(encoding="utf-8"))["program"])


def _edited(whole: dict[str, str], entry: dict[str, Any]) -> str:
    text = whole[entry["base"]]
    for edit in entry["edit"]:
        assert text.count(edit["old"]) == 1
        text = text.replace(edit["old"], edit["new"])
    return text


@contextmanager
def grader(assignment: Assignment) -> Iterator[Grader]:
    """Return what grades programs on all cases, without the trainings."""
    oracle = Oracle(assignment.without_training(), SEED)
    with open_sandbox(cores(), torch=assignment.torch) as sandbox:

        def grades(texts: Sequence[str]) -> list[Result]:
            files = [(Source.of(assignment.file, text), oracle, sandbox) for text in texts]
            return grade_all(files, cores(), own_work=False)

        yield grades


def graded(assignment: Assignment, texts: Sequence[str]) -> list[Result]:
    """Grade programs on all cases, without the trainings."""
    with grader(assignment) as grades:
        return grades(texts)


@pytest.fixture(scope="module")
def grades(slug: str) -> Iterator[Grader]:
    """Return what grades programs of an assignment, all of them with one oracle and in one sandbox."""
    with grader(load_assignment(ROOT, slug)) as found:
        yield found


def lost(result: Result) -> dict[str, list[Any]]:
    """Return the cases that failed by exercise."""
    passed = (Status.PASSED, Status.MISSING)  # a handout of then had fewer exercises
    failing = {e.name: [c for c in e.cases if c.status not in passed] for e in result.exercises}
    return {name: cases for name, cases in failing.items() if cases and name not in GUESSED}


def names(result: Result) -> set[str]:
    """Return the known mistakes that a result names."""
    return {name for cases in lost(result).values() for case in cases for name in case.mistakes}


def suspected(result: Result) -> set[str]:
    """Return the known mistakes that a result names, also with "perhaps" where only equal exceptions support them."""
    return {name for cases in lost(result).values() for case in cases for name in case.suspected}


@pytest.mark.slow
@each_slug
def test_correct_programs_lose_nothing(slug: str, grades: Grader) -> None:
    """However they are written."""
    programs = correct_programs(slug)
    assert len(programs) == PROGRAMS[slug][0]
    programs = dict(list(programs.items())[:: 2 if slug in YOUNG else 1])
    results = grades(list(programs.values()))
    failing = {name: _told(lost(result), slug, name) for name, result in zip(programs, results, strict=True)}
    assert {name: cases for name, cases in failing.items() if cases} == {}


def _told(cases: dict[str, list[Any]], slug: str, name: str) -> dict[str, list[Any]]:
    """Leave out the cases of whose rule the handout of then said nothing."""
    known = UNTOLD.get((slug, name))
    told = {exercise: [case for case in failing if case.name != known] for exercise, failing in cases.items()}
    return {exercise: failing for exercise, failing in told.items() if failing}


@pytest.mark.slow
@each_slug
def test_wrong_programs_are_caught_and_keep_their_names(slug: str, grades: Grader) -> None:
    """Each loses points in every exercise that is wrong, and no name that it once got is lost or becomes another; it may be told with "perhaps"."""
    programs = list(wrong_programs(slug))
    assert len(programs) == PROGRAMS[slug][1]
    sample = programs[:: 20 if slug in YOUNG else SAMPLE]
    for wrong, result in zip(sample, grades([w.text for w in sample]), strict=True):
        assert set(wrong.exercises) <= lost(result).keys(), wrong.fault
        assert suspected(result) == set(wrong.named) or not wrong.named, wrong.fault


def main() -> None:
    """Grade all of them, and print what came of it."""
    print(
        "| assignment | correct, of them full marks | wrong | caught | in public cases | named | charged elsewhere, too |"
    )
    print("|---|---|---|---|---|---|---|")
    total: Counter[str] = Counter()
    for slug in SLUGS:
        assignment, right, wrong = load_assignment(ROOT, slug), correct_programs(slug), list(wrong_programs(slug))
        found: Counter[str] = Counter(right=len(right), wrong=len(wrong))
        with grader(assignment) as found_in:
            results, others = found_in(list(right.values())), found_in([w.text for w in wrong])
        found["full"] = sum(not _told(lost(r), slug, name) for name, r in zip(right, results, strict=True))
        for program, result in zip(wrong, others, strict=True):
            cases = [case for failing in lost(result).values() for case in failing]
            found["caught"] += bool(cases)
            found["public"] += any(case.visibility is Visibility.PUBLIC for case in cases)
            found["named"] += bool(names(result))
            found["elsewhere"] += bool(lost(result).keys() - set(program.exercises))
        total += found
        _row(slug, found)
    _row("all", total)


def _row(name: str, found: Counter[str]) -> None:
    counts = (
        f"{found['right']}, {found['full']}",
        *(found[key] for key in ("wrong", "caught", "public", "named", "elsewhere")),
    )
    print(f"| {name} | {' | '.join(map(str, counts))} |")


if __name__ == "__main__":
    main()
