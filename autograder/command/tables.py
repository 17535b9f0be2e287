"""The tables of `calibrate`, `mutants` and `fairness`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from autograder.command.terminal import empty_table, plain
from autograder.proof.calibration import Reading
from autograder.proof.fairness import Fairness, broken
from autograder.proof.mutant_report import Report, Row


def show_readings(console: Console, slug: str, readings: Sequence[Reading]) -> None:
    """Print a row a case: noise, tolerance, the nearest known mistake, and how far it is above the tolerance."""
    rows = empty_table(f"{slug}: noise x 10 <= tolerance <= nearest mistake / 10")
    for name in ("case", "noise", "tolerance", "nearest", "mistake", "margins"):
        rows.add_column(name, justify="left" if name in ("case", "mistake") else "right", overflow="fold")
    for r in readings:
        name = f"{r.exercise}.{r.case}"
        tolerance = "exact" if r.tolerance is None else f"{r.tolerance:g}"
        rows.add_row(
            f"[red]{name}[/]" if r.broken else name,
            f"{r.noise:.1e}",
            tolerance,
            _far(r.nearest),
            r.mistake,
            _margins(r),
        )
    console.print(rows)
    for r in readings:
        if r.because:
            console.print(f"  {r.exercise}.{r.case}: {plain(r.because)}", highlight=False, soft_wrap=True)
    for r in readings:
        if r.broken:
            console.print(f"  [red]✗[/] {plain(r.broken)}", highlight=False, soft_wrap=True)


def _far(nearest: float) -> str:
    return "any" if math.isinf(nearest) else f"{nearest:.1e}"


def _margins(r: Reading) -> str:
    """Return tolerance over noise and nearest over tolerance, in decades."""
    if r.tolerance is None:
        return ""
    below = f"{math.log10(r.tolerance / r.noise):.1f}" if r.noise else "all"
    above = f"{math.log10(r.nearest / r.tolerance):.1f}" if r.nearest else "none"
    return f"{below} / {'all' if math.isinf(r.nearest) else above}"


def show_mutants(console: Console, slug: str, found: Report) -> None:
    """Print a row an exercise: its mutants, which cases notice them, and what is known of the others.

    "public" notice and only "hidden" ones do; "equal" are no mistakes, "kept" are accepted, "open" lack a reason; "shown"
    is the share that public cases notice.
    """
    rows = empty_table(slug)
    rows.add_column("exercise", no_wrap=True)
    for name in ("mutants", "public", "hidden", "equal", "kept", "open", "noticed", "shown", "bank"):
        rows.add_column(name, justify="right", no_wrap=True)
    for row in found.rows:
        _add(rows, row)
    rows.add_section()
    _add(rows, found.total)
    console.print(rows)
    for line in found.broken:
        console.print(f"  [red]✗[/] {plain(line)}", highlight=False, soft_wrap=True)


def _add(rows: Table, r: Row) -> None:
    counts = (r.mutants, r.public, r.hidden, r.equivalent, r.accepted, r.open)
    rows.add_row(r.exercise, *map(str, counts), f"{r.noticed:.1%}", f"{r.shown:.1%}", f"{r.bank_noticed}/{r.bank}")


def show_fairness(console: Console, measured: Mapping[str, Fairness]) -> None:
    """Print a row an assignment: correct files and their gradings, and how rewritten mistakes were named."""
    rows = empty_table("unusual correct code, and known mistakes rewritten")
    rows.add_column("assignment", no_wrap=True)
    for name in ("correct", "graded", "lost", "known", "named", "wrong", "pairs", "both"):
        rows.add_column(name, justify="right", no_wrap=True)
    for slug, found in measured.items():
        counts = (found.unusual, sum(found.gradings.values()), len(found.unfair))
        names = (found.mistaken, found.named, len(found.wrong), found.pairs, found.pairs - len(found.half))
        rows.add_row(slug, *map(str, counts + names))
    console.print(rows)
    levels = {level: None for found in measured.values() for level in found.gradings}
    console.print(f"  graded at isolation levels {', '.join(levels)}", highlight=False)
    for slug, found in measured.items():
        kinds = {"not both": found.half, "no name": found.unnamed, "wrong name": found.wrong}
        for line in (f"{kind}: {line}" for kind, lines in kinds.items() for line in lines):
            console.print(f"  {slug}: {plain(line)}", highlight=False, soft_wrap=True)
    added = [found.added for found in measured.values()]
    tried, hidden = sum(a.tried for a in added), sum(a.hidden for a in added)
    rising = sum(len(a.rising) for a in added)
    console.print(
        f"  of {tried} pairs of known mistakes {rising} score more than one of the two; in {hidden} one hides the other",
        highlight=False,
    )
    for line in (line for each in added for line in each.by_property):
        console.print(f"  wrong answers have a property: {plain(line)}", highlight=False, soft_wrap=True)
    for line in broken(measured):
        console.print(f"  [red]✗[/] {plain(line)}", highlight=False, soft_wrap=True)
