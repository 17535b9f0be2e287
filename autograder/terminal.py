"""What the command line prints: a check, a class, a doctor's round. Only rich and the results are known here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.course.spec import Status
from autograder.doctor import Proof
from autograder.judge.result import ExerciseResult, Result
from autograder.sandbox.job import Isolation

MAX_LINES = 20  # of one broken promise
_MARKS = {Status.PASSED: "[green]✓[/]", Status.MISSING: "[dim]·[/]", Status.SKIPPED: "[dim]·[/]"}


def plain(text: str) -> str:
    """Return text for a terminal: markup escaped, control characters made visible."""
    return escape("".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text))


def show_check(console: Console, title: str, result: Result) -> None:
    """Print what a student needs next: each exercise, and of each the first case that does not pass."""
    console.print(f"[bold]{escape(title)}[/]")
    if result.problem:
        console.print(f"[red]{plain(result.problem)}[/]")
        return
    for exercise in result.exercises:
        _show_exercise(console, exercise)
    for note in result.notes:
        console.print(f"[yellow]A cell of the notebook was left out:[/] {plain(note)}")
    if result.printed:
        console.print("[dim]Your file printed while it was imported:[/]", plain(result.printed[:500]), sep="\n")
    console.print(
        f"[bold]{result.score:g} of {result.max_score:g} points[/] on the public cases. Hidden cases decide the grade."
    )


def _show_exercise(console: Console, exercise: ExerciseResult) -> None:
    mark = _MARKS.get(exercise.status, "[red]✗[/]")
    points = f"{exercise.score:g} / {exercise.max_score:g}"
    status = "" if exercise.status is Status.PASSED else str(exercise.status)
    console.print(f"{mark} {exercise.name:<24}{points:>10}   {status}")
    if exercise.status in (Status.PASSED, Status.MISSING):
        return
    failing = [case for case in exercise.cases if case.status is not Status.PASSED]
    first, others = failing[0], failing[1:]
    console.print(_indented(f"[bold]{first.name}[/]: {plain(first.claim)}"))
    for line in first.message.splitlines():
        console.print(f"      {plain(line)}", highlight=False, soft_wrap=True)
    if first.says:
        console.print(_indented(f"[yellow]→ {plain(first.says)}[/]"))
    if others:
        names = ", ".join(case.name for case in others)
        console.print(
            _indented(
                f"[dim]{len(others)} more of its cases {'does' if len(others) == 1 else 'do'} not pass: {names}[/]"
            )
        )


def _indented(markup: str) -> Padding:
    return Padding(Text.from_markup(markup), (0, 0, 0, 4))


def show_class(console: Console, title: str, records: Sequence[Mapping[str, Any]], width: int = 100) -> None:
    """Print a row a student: score, status and the mistakes that were named."""
    table = Table(title=title, title_justify="left", header_style="bold")
    table.add_column("student", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column("cases", justify="right")
    table.add_column("what the grader saw", max_width=width)
    for entry in records:
        cases = [case for exercise in entry["exercises"] for case in exercise["cases"]]
        passed = sum(case["status"] == Status.PASSED for case in cases)
        table.add_row(plain(entry["student"]), f"{entry['score']:g}", f"{passed}/{len(cases)}", _summary(entry, cases))
    console.print(table)


def _summary(entry: Mapping[str, Any], cases: Iterable[Mapping[str, Any]]) -> str:
    if entry["problem"]:
        return f"[yellow]{entry['status']}[/] {plain(entry['problem'].splitlines()[0])}"
    if all(case["status"] == Status.PASSED for case in cases):
        return "[green]all right[/]"
    named = list(dict.fromkeys(case["diagnosis"] for case in cases if case["diagnosis"]))
    statuses = Counter(case["status"] for case in cases if case["status"] != Status.PASSED)
    counts = ", ".join(f"{count} {status}" for status, count in statuses.most_common())
    return f"{counts}  [cyan]{', '.join(named)}[/]" if named else counts


def show_proofs(console: Console, slug: str, proofs: Iterable[Proof]) -> bool:
    """Print each promise as it is proved or broken; return whether all hold."""
    console.print(f"[bold]{slug}[/]")
    sound = True
    for proof in proofs:
        sound = sound and proof.holds
        console.print(f"  {'[green]✓[/]' if proof.holds else '[red]✗[/]'} {escape(proof.promise)}", highlight=False)
        for line in proof.broken[:MAX_LINES]:
            console.print(f"      {plain(line)}", highlight=False, soft_wrap=True)
        if len(proof.broken) > MAX_LINES:
            console.print(f"      ... and {len(proof.broken) - MAX_LINES} more; --json prints them all")
    return sound


def show_isolation(console: Console, isolation: Isolation) -> None:
    """Print the isolation level, what it rests on, what it leaves open, and why it is not a higher one."""
    console.print(f"isolation level {isolation.level}: {', '.join(isolation.mechanisms)}", highlight=False)
    for line in isolation.residual_risks:
        console.print(f"  residual risk: {plain(line)}", highlight=False)
    for line in isolation.missing:
        console.print(f"  missing: {plain(line)}", highlight=False)


def progress(console: Console) -> Progress:
    """Return the bar for a class being graded: done, how many, time left."""
    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    return Progress(*columns, console=console, transient=True)
