"""How many lines a check prints in a terminal of 80 columns, for every known mistake, and which do not fit on a screen of 24.

A student's file holds the reference with one mistake; what comes after it is right ("rest right"), not written ("rest open"),
or two more exercises are wrong, too ("three wrong"). The screen shows the whole output with the prompt below it.

    python benchmarks/screens.py a5_attention a1_rnn
    python benchmarks/screens.py a3_gates --every 5     # each fifth mistake only: a check of torch takes a while
    python benchmarks/screens.py a5_attention --show 2  # and the two longest
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from collections.abc import Iterator
from pathlib import Path

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment, Misconception
from autograder.handout.kit.reset import with_stub
from autograder.handout.kit.self_check import check_in, only
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.screen import Screen
from autograder.judge.terminal_text import result_as_text
from autograder.sandbox.bare import BareSandbox
from autograder.sandbox.job import Chunk, Source

ROOT = Path(__file__).parents[1]
SCREEN = Screen(width=80, rows=24)


def main() -> None:
    """Print a row for each assignment and state of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slugs", nargs="*", default=["a1_rnn", "a5_attention"])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="measure each N-th mistake only")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print the N longest of each")
    chosen = parser.parse_args()
    print("| assignment | file | shown | checks | lines: median | longest | over one screen |")
    print("|---|---|---|---|---|---|---|")
    for slug in chosen.slugs:
        _measure(load_assignment(ROOT, slug), chosen.every, chosen.show)


def _measure(assignment: Assignment, every: int, show: int) -> None:
    bundle = public_bundle(public_oracle(assignment))
    texts: dict[tuple[str, str], list[str]] = {}
    with BareSandbox(torch=assignment.torch) as sandbox:
        for state, exercise, text in _files(assignment, every):
            result = check_in(sandbox, Source(assignment.slug, (Chunk(assignment.file, text),)), bundle)
            if result.all_passed:
                continue  # a mistake that only hidden cases notice
            title = f"{assignment.slug}: {assignment.file}"
            for shown, part in (("all", result), ("one", only(result, exercise))):
                if not part.all_passed:
                    texts.setdefault((state, shown), []).append(result_as_text(title, part, SCREEN, options=True))
    for (state, shown), found in texts.items():
        lines = [len(text.splitlines()) for text in found]
        over = sum(not SCREEN.holds(each) for each in lines)
        print(
            f"| `{assignment.slug}` | {state} | {shown} | {len(lines)} | {statistics.median(lines):g} | {max(lines)} | {over} |",
            flush=True,
        )
        for text in sorted(found, key=lambda each: -len(each.splitlines()))[:show]:
            print(f"\n{text}\n")


def _files(assignment: Assignment, every: int) -> Iterator[tuple[str, str, str]]:
    """Yield the state of a file, the exercise with the first mistake in it, and the file."""
    names = [exercise.name for exercise in assignment.exercises]
    bank = sorted(assignment.misconceptions, key=lambda m: names.index(m.exercise))
    for mistake in itertools.islice(bank, 0, None, every):
        text = apply_edits(assignment.reference, (mistake,))
        if text is None:
            continue
        yield "rest right", mistake.exercise, text
        yield "rest open", mistake.exercise, _open_after(assignment, mistake.exercise, text)
        others = _others(mistake, bank)
        more = apply_edits(assignment.reference, (mistake, *others))
        if more is not None:
            yield "three wrong", mistake.exercise, more


def _open_after(assignment: Assignment, name: str, text: str) -> str:
    """Return a file with the exercises after one as the stub has them."""
    names = [exercise.name for exercise in assignment.exercises]
    for exercise in assignment.exercises[names.index(name) + 1 :]:
        text = with_stub(text, assignment.stub, exercise)
    return text


def _others(mistake: Misconception, bank: list[Misconception]) -> tuple[Misconception, ...]:
    """Return a mistake each of the two exercises that come next in the bank."""
    later = [m for m in bank[bank.index(mistake) :] if m.exercise != mistake.exercise]
    first = {m.exercise: m for m in reversed(later)}
    return tuple(first[name] for name in list(dict.fromkeys(m.exercise for m in later))[:2])


if __name__ == "__main__":
    main()
