"""From submissions to everything a class gets: grades, results, feedback and the report."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from autograder import __version__
from autograder.batch.gradebook import read_records, write_grades, write_whole
from autograder.batch.run import grade_class
from autograder.batch.submissions import Submission
from autograder.judge.oracle import Oracle
from autograder.publish.report import feedback_html, report_html
from autograder.sandbox.job import Sandbox
from autograder.terminal import progress


class OutputError(Exception):
    """The folder for the results cannot be used; the message says why and what to do."""


def grade_into(
    out: Path, oracle: Oracle, submissions: Sequence[Submission], sandbox: Sandbox, jobs: int, console: Console
) -> dict[str, Any]:
    """Grade a class into a folder, with a progress bar, and return the run's summary."""
    started = time.monotonic()
    for trial in oracle.trials:
        oracle.expected(trial)  # a broken reference is to be known before anyone's code runs
    summary = {
        "assignment": oracle.assignment.slug,
        "title": oracle.assignment.title,
        "seed": oracle.seed,
        "engine": __version__,
        "isolation": asdict(sandbox.isolation),
    }
    _claim(out, summary)
    _forget_other_students(out, submissions)
    with progress(console) as bar:
        task = bar.add_task("", total=len(submissions))
        try:
            for entry in grade_class(oracle, submissions, sandbox, out, jobs):
                bar.update(task, advance=1, description=entry["student"])
        except KeyboardInterrupt:
            done = int(bar.tasks[task].completed)
            console.print(
                f"Stopped. {done} of {len(submissions)} were graded; their results stand in {out / 'results'}."
            )
            raise
    failed = [f"{e['student']}: {e['problem']}" for e in read_records(out) if e["status"] == "grader_error"]
    summary |= {"seconds": round(time.monotonic() - started, 2), "problems": failed}
    write_whole(out / "summary.json", json.dumps(summary, indent=1, ensure_ascii=False))
    write_reports(out)
    return summary


def write_reports(out: Path) -> None:
    """Rebuild grades.csv, every feedback page and the class report from a run's results."""
    records = read_records(out)
    summary = _summary(out)
    write_grades(out, records)
    for entry in records:
        write_whole(out / "feedback" / f"{entry['student']}.html", feedback_html(entry))
    write_whole(out / "report.html", report_html(records, summary))


def _summary(out: Path) -> dict[str, Any]:
    path = out / "summary.json"
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OutputError(f"{path} cannot be read ({error}). Grade into a new folder.") from None
    if not isinstance(summary, dict):
        raise OutputError(f"{path} is not the summary of a grading. Grade into a new folder.")
    return summary


def _claim(out: Path, summary: dict[str, Any]) -> None:
    """Mark a folder as this run's. Raises OutputError where it holds something else, which must not be overwritten."""
    mark = out / "summary.json"
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is a file. Name a folder for the results.")
    if mark.is_file():
        earlier = _summary(out).get("assignment")
        if earlier != summary["assignment"]:
            raise OutputError(f"{out} holds the results of {earlier}. Name another folder.")
    elif out.exists() and any(out.iterdir()):
        raise OutputError(f"{out} holds files that are no results of a grading. Name an empty or a new folder.")
    write_whole(mark, json.dumps({**summary, "seconds": 0.0, "problems": []}, indent=1, ensure_ascii=False))


def _forget_other_students(out: Path, submissions: Sequence[Submission]) -> None:
    """Remove results of an earlier run for students who are not in this one, so that the report is of this class."""
    names = {submission.student for submission in submissions}
    for folder, suffix in (("results", ".json"), ("feedback", ".html")):
        for path in (out / folder).glob(f"*{suffix}"):
            if path.stem not in names:
                path.unlink()
