"""What the command line prints: a check, a class, a doctor's round. Only rich and the results are known here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.classroom.appeal import Case as Appeal
from autograder.classroom.appeal import differences
from autograder.classroom.record import Record
from autograder.course.spec import Status
from autograder.judge.result import CaseResult, ExerciseResult
from autograder.proof.soundness import Proof
from autograder.sandbox.job import Isolation

MAX_LINES = 20  # of one list
SMALL_CLASS = 30  # larger ones are read in the report


def plain(text: str) -> str:
    """Return text for a terminal: markup escaped, control characters made visible."""
    return escape("".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text))


def _indented(markup: str) -> Padding:
    return Padding(Text.from_markup(markup), (0, 0, 0, 4), expand=False)


def show_class(console: Console, title: str, records: Sequence[Record]) -> None:
    """Print what a class came to: a row an exercise, who needs a look and, of a small class, a row a student."""
    graded = [record for record in records if record.status == "graded"]
    if len(records) <= SMALL_CLASS:
        console.print(_students(records))
    if graded:
        console.print(_exercises(title, graded))
    others = [record for record in records if record.status != "graded"]
    if others:
        console.print(f"[bold]{len(others)} of {len(records)} could not be graded as they are:[/]")
    for record in others[:MAX_LINES]:
        reason = record.problem.partition("\n")[0]
        console.print(_indented(f"{plain(record.student)}: {plain(reason)}"), highlight=False)
    if len(others) > MAX_LINES:
        console.print(f"    ... and {len(others) - MAX_LINES} more; grades.csv has them all")


def _exercises(title: str, graded: Sequence[Record]) -> Table:
    table = empty_table(title)
    for name, justify in (
        ("exercise", "left"),
        ("mean", "right"),
        ("all right", "right"),
        ("most common mistake", "left"),
    ):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for rows in zip(*(record.exercises for record in graded), strict=True):
        mean = sum(row.points for row in rows) / len(rows)
        right = sum(row.score == row.max_score for row in rows)
        named = Counter(name for row in rows for name in {case.diagnosis for case in row.cases} if name)
        common = ", ".join(f"{name} {count}" for name, count in named.most_common(1))
        table.add_row(rows[0].name, f"{mean:.2f} / {rows[0].max_score:g}", f"{right} of {len(rows)}", common)
    return table


def _students(records: Sequence[Record]) -> Table:
    table = empty_table("")
    for name, justify in (("student", "left"), ("score", "right"), ("cases", "right"), ("what went wrong", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for record in records:
        cases = [case for exercise in record.exercises for case in exercise.cases]
        passed = sum(case.status is Status.PASSED for case in cases)
        table.add_row(plain(record.student), f"{record.points:g}", f"{passed} of {len(cases)}", _summary(record, cases))
    return table


def empty_table(title: str) -> Table:
    """Return an empty table in our style."""
    return Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=SIMPLE_HEAD)


def _summary(record: Record, cases: Iterable[CaseResult]) -> str:
    if record.status != "graded":
        return f"[yellow]{record.status}[/]"
    named = list(dict.fromkeys(case.diagnosis for case in cases if case.diagnosis))
    statuses = Counter(case.status for case in cases if case.status is not Status.PASSED)
    counts = ", ".join(f"{count} {status}" for status, count in statuses.most_common())
    return " ".join(filter(None, [counts, f"[cyan]{', '.join(named)}[/]" if named else ""])) or "[green]nothing[/]"


def show_appeal(console: Console, case: Appeal, exercise: ExerciseResult, problem: str) -> None:
    """Print what a grader needs to answer a student: the points in the book, and each failing case with its data."""
    record, result = case.record, case.result
    console.print(f"[bold]{plain(record.student)}, {exercise.name}[/]  {plain(record.origin)}", soft_wrap=True)
    console.print(f"in the gradebook: {result.points:g} of {result.max_score:g}, {result.status}", highlight=False)
    if decided := result.override:
        console.print(f"[yellow]decided by a person[/] on {decided.made}, instead of {decided.computed:g}:")
        console.print(_indented(plain(decided.because)), highlight=False)
    if not case.current:
        console.print(
            "[yellow]The assignment or the autograder changed since then;[/] grading the class again tells more."
        )
    if not case.present:
        console.print("[yellow]not in the class any more:[/] the latest submissions hold nothing of theirs")
    for line in differences(case, exercise):
        console.print(f"[yellow]not as before:[/] {plain(line)}", highlight=False)
    if problem:
        console.print(f"[red]{plain(problem)}[/]")
    wrong = [c for c in exercise.cases if c.status is not Status.PASSED]
    for one in wrong:
        console.print(f"\n[bold]{one.name}[/]  {one.status}\n  {plain(one.claim)}", highlight=False, soft_wrap=True)
        for line in one.message.splitlines():
            console.print(f"    {plain(line)}", highlight=False, soft_wrap=True)
        if one.says:
            console.print(_indented(f"[yellow]→ {plain(one.says)}[/] ({one.diagnosis or 'not certain'})"))
        if one.grader_note:
            console.print("    it printed or said:", plain(one.grader_note), sep="\n", highlight=False, soft_wrap=True)
    if not wrong:
        console.print("[green]Every case passes.[/]")


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
