"""What the command line prints: a class, an appeal, and the rounds of `calibrate`, `mutants` and `fairness`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.classroom.appeal import Case as Appeal
from autograder.classroom.appeal import differences
from autograder.classroom.code_lines import Excerpt
from autograder.classroom.history import Change
from autograder.classroom.record import Record
from autograder.classroom.requests import Request
from autograder.course.spec import Status
from autograder.judge.points import points_text
from autograder.judge.result import CaseResult, ExerciseResult
from autograder.pages.class_changes import why
from autograder.sandbox.job import Isolation

if TYPE_CHECKING:
    from autograder.proof.calibration import Reading
    from autograder.proof.fairness import Fairness
    from autograder.proof.mutant_report import Report, Row

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
    for all_rows in zip(*(record.exercises for record in graded), strict=True):
        rows = [row for row in all_rows if not row.waits]
        if not rows:
            table.add_row(all_rows[0].name, "not graded yet", f"0 of {len(all_rows)}", "")
            continue
        mean = sum(row.points for row in rows) / len(rows)
        right = sum(row.score == row.max_score for row in rows)
        named = Counter(name for row in rows for name in {case.diagnosis for case in row.cases} if name)
        common = ", ".join(f"{name} {count}" for name, count in named.most_common(1))
        if waiting := len(all_rows) - len(rows):  # a person grades it, and there is no mistake to name
            common = f"{waiting} not graded yet"
        table.add_row(
            rows[0].name, f"{points_text(mean)} / {points_text(rows[0].max_score)}", f"{right} of {len(rows)}", common
        )
    return table


def _students(records: Sequence[Record]) -> Table:
    table = empty_table("")
    for name, justify in (("student", "left"), ("score", "right"), ("cases", "right"), ("what went wrong", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for record in records:
        cases = [case for exercise in record.exercises for case in exercise.cases]
        passed = sum(case.status is Status.PASSED for case in cases)
        table.add_row(
            plain(record.student), points_text(record.points), f"{passed} of {len(cases)}", _summary(record, cases)
        )
    return table


def changes_table(changes: Sequence[Change]) -> Table:
    """Return a table of scores that change, those that fall most first."""
    table = empty_table("")
    for name, justify in (
        ("student", "left"),
        ("exercise", "left"),
        ("was", "right"),
        ("would be", "right"),
        ("why", "left"),
    ):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for change in sorted(changes, key=lambda one: one.by)[:MAX_LINES]:
        scores = ["" if points is None else points_text(points) for points in (change.old, change.new)]
        table.add_row(plain(change.student), change.exercise, *scores, why(change))
    if len(changes) > MAX_LINES:
        table.add_row(f"... and {len(changes) - MAX_LINES} more")
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


def show_appeal(
    console: Console, case: Appeal, exercise: ExerciseResult, problem: str, code: Sequence[Excerpt] = ()
) -> None:
    """Print what a grader needs to answer a student: the points in the book, the code, each failing case with its data."""
    record, result = case.record, case.result
    console.print(f"[bold]{plain(record.student)}, {exercise.name}[/]  {plain(record.origin)}", soft_wrap=True)
    points = "not graded yet, worth" if result.waits else f"{points_text(result.points)} of"
    console.print(f"in the gradebook: {points} {points_text(result.max_score)}, {result.status}", highlight=False)
    if decided := result.override:
        console.print(f"[yellow]decided by a person[/] on {decided.made}, instead of {points_text(decided.computed)}:")
        for item in decided.rubric:
            console.print(
                _indented(f"{'✓' if item.ticked else '✗'} {plain(item.item)} ({points_text(item.points)})"),
                highlight=False,
            )
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
    for excerpt in code:
        _show_code(console, excerpt)
    wrong = [c for c in exercise.cases if c.status is not Status.PASSED]
    for one in wrong:
        console.print(f"\n[bold]{one.name}[/]  {one.status}\n  {plain(one.claim)}", highlight=False, soft_wrap=True)
        if one.says:
            by_name = f" ({one.diagnosis})" if one.diagnosis else ""
            console.print(_indented(f"[yellow]→ {plain(one.says)}[/]{by_name}"))
        for line in one.message.splitlines():
            console.print(f"    {plain(line)}", highlight=False, soft_wrap=True)
        if said := [line for line in one.grader_note.splitlines() if line not in one.message]:
            console.print("    its own calls printed, or raised:", highlight=False)
            for line in said:
                console.print(f"      {plain(line)}", highlight=False, soft_wrap=True)
    excused = [c for c in exercise.cases if c.status is Status.PASSED and c.message]
    for told in dict.fromkeys(c.message for c in excused):
        names = ", ".join(c.name for c in excused if c.message == told)
        console.print(f"\n[yellow]excused:[/] {names}", highlight=False, soft_wrap=True)
        console.print(_indented(plain(told)), highlight=False)
    if exercise.by_person:
        console.print(plain(exercise.answer or "There is no answer."), highlight=False)
    elif not wrong:
        console.print("[green]Every case passes.[/]" if not excused else "Every other case passes.", highlight=False)


def _show_code(console: Console, excerpt: Excerpt) -> None:
    console.print(f"\n{plain(excerpt.label)}:", highlight=False)
    for number, line in enumerate(excerpt.lines, excerpt.first):
        console.print(f"[dim]{number:5}[/]  {plain(line)}", highlight=False, soft_wrap=True)


def show_requests(console: Console, requests: Iterable[Request]) -> None:
    """Print what students ask, and what was found."""
    for one in requests:
        console.print(f"[bold]{one.number}. {plain(one.student)}, {one.exercise}[/]", highlight=False, soft_wrap=True)
        console.print(_indented(plain(one.asks)), highlight=False)
        console.print(_indented(f"[yellow]→[/] {plain(one.found)}"), highlight=False)


def show_isolation(console: Console, isolation: Isolation) -> None:
    """Print the isolation level, what it rests on, what it leaves open, and why it is not a higher one."""
    console.print(f"isolation level {isolation.level}: {', '.join(isolation.mechanisms)}", highlight=False)
    for line in isolation.residual_risks:
        console.print(f"  residual risk: {plain(line)}", highlight=False)
    for line in isolation.missing:
        console.print(f"  missing: {plain(line)}", highlight=False)


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
    shares = (f"{r.noticed:.1%}", f"{r.shown:.1%}") if r.mutants else ("", "")
    rows.add_row(r.exercise, *map(str, counts), *shares, f"{r.bank_noticed}/{r.bank}")


def show_fairness(console: Console, measured: Mapping[str, Fairness], broken: Iterable[str]) -> None:
    """Print a row an assignment: correct files and their gradings, how rewritten mistakes were named, and what is `broken`."""
    rows = empty_table("unusual correct code, and known mistakes rewritten")
    rows.add_column("assignment", no_wrap=True)
    for name in ("correct", "graded", "lost", "known", "public", "named", "wrong", "pairs", "both"):
        rows.add_column(name, justify="right", no_wrap=True)
    for slug, found in measured.items():
        counts = (found.unusual, sum(found.gradings.values()), len(found.unfair))
        names = (
            found.mistaken,
            found.public,
            found.named,
            len(found.wrong),
            found.pairs,
            found.pairs - len(found.half),
        )
        rows.add_row(slug, *map(str, counts + names))
    console.print(rows)
    console.print(
        "  correct: unusual correct files, how often they were graded, and how many verdicts were unfair. known: mistakes rewritten; those that a "
        "public case catches, that have their own name, and that have another's. pairs: files with two mistakes, and those of which both are named",
        highlight=False,
    )
    levels = {level: None for found in measured.values() for level in found.gradings}
    console.print(f"  graded at isolation levels {', '.join(levels)}", highlight=False)
    for slug, found in measured.items():
        kinds = {
            "not both": found.half,
            "no name": found.unnamed,
            "wrong name": found.wrong,
            "hidden cases alone": found.unseen,
        }
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
    for line in broken:
        console.print(f"  [red]✗[/] {plain(line)}", highlight=False, soft_wrap=True)
