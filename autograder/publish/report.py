"""The pages people read: one student's feedback, and the report on a class.

Pure functions from plain data, the dicts of `results/STUDENT.json`, to HTML that needs nothing but itself: no script,
no font, no request. Whatever a student wrote is escaped, and characters that do not print are shown as what they are.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.course.spec import Status

Json = Mapping[str, Any]

HARDEST = 15  # cases shown as the hardest
BINS = 10  # bars of the distribution


# Why a submission needs a look: most urgent first. The first three are the submission's, the others its cases'.
REASONS = {
    "grader_error": "The grader failed",
    "unreadable": "Could not be read",
    "not_importable": "Could not be imported",
    Status.GRADER_ERROR: "The grader failed on some cases",
    Status.TIMEOUT: "Timed out",
    Status.MEMORY: "Ran out of memory",
    Status.OUTPUT: "Returned something unusable",
    Status.CRASHED: "Crashed",
    "note": "Notes, such as a second submission",
}


@dataclass(frozen=True)
class Rate:
    """How a class did on an exercise or a case: how many of those judged passed, and the mean points."""

    exercise: str
    passed: int
    judged: int
    case: str = ""
    claim: str = ""
    visibility: str = ""
    missing: int = 0
    points: float = 0.0
    max_score: float = 0.0

    @property
    def share(self) -> float:
        """The share that passed."""
        return self.passed / self.judged if self.judged else 0.0


@dataclass(frozen=True)
class Mistake:
    """A misconception as it turned up in a class: its sentence, where, and the students behind it."""

    name: str
    says: str
    exercises: tuple[str, ...]
    students: tuple[str, ...]


@dataclass(frozen=True)
class Headline:
    """The numbers at the top. Mean and median are over what could be graded, or None if nothing could."""

    submissions: int
    graded: int
    look: int
    max_score: float
    mean: float | None
    median: float | None


def feedback_html(result: Json) -> str:
    """Return the page one student may read."""
    return _render("feedback.html", result=result, line=feedback_line(result))


def report_html(results: Sequence[Json], summary: Json) -> str:
    """Return the page on the whole class."""
    results = sorted(results, key=lambda result: str(result["student"]).casefold())
    return _render(
        "report.html",
        results=results,
        summary=summary,
        headline=headline(results),
        bars=distribution(results),
        exercises=exercise_rates(results),
        cases=hardest_cases(results),
        mistakes=mistakes(results),
        looks=looks(results),
        most=HARDEST,
    )


def feedback_line(result: Json) -> str:
    """Sum up a student's result in one kind sentence."""
    match result["status"]:
        case "grader_error":
            return "Something went wrong on our side. It costs you nothing; your work will be graded again."
        case "unreadable":
            return "We could not read what you handed in, so nothing in it is graded yet."
        case "not_importable":
            return "Your file could not be imported, so nothing in it is graded yet. Often it is one small thing."
    exercises = result["exercises"]
    total = len(exercises)
    right = sum(e["status"] == Status.PASSED for e in exercises)
    partly = sum(e["status"] != Status.PASSED and e["score"] > 0 for e in exercises)
    missing = sum(e["status"] == Status.MISSING and not e["score"] for e in exercises)
    if right == total:
        return f"All {total} exercises are right. Well done!" if total > 1 else "Everything is right. Well done!"
    if missing == total:
        return "Nothing is written yet. Start with the first exercise; every one counts by itself."
    parts = [f"{right} of {total} exercises {_is(right)} right"]
    parts += [f"{partly} {_is(partly)} partly right"] * bool(partly)
    wrong = total - right - partly - missing
    parts += [f"{wrong} {_is(wrong)} not right yet"] * bool(wrong)
    parts += [f"{missing} {_is(missing)} not written yet"] * bool(missing)
    return ", ".join(parts[:-1]) + " and " * (len(parts) > 1) + parts[-1] + "."


def headline(results: Sequence[Json]) -> Headline:
    """Count a class, and average what could be graded."""
    scores = [float(r["score"]) for r in _graded(results)]
    look = {student for rows in looks(results).values() for student, _ in rows}
    return Headline(
        submissions=len(results),
        graded=len(scores),
        look=len(look),
        max_score=max((float(r["max_score"]) for r in results), default=0.0),
        mean=statistics.fmean(scores) if scores else None,
        median=statistics.median(scores) if scores else None,
    )


def distribution(results: Sequence[Json]) -> tuple[int, ...]:
    """Count graded submissions by tenths of the points; full points stand in the last."""
    shares = (r["score"] / r["max_score"] if r["max_score"] else 0.0 for r in _graded(results))
    # Rounding first: 7.000000000001 of 10 points is 0.7, and 0.7 * 10 is 7.
    counts = Counter(min(max(int(round(share * BINS, 6)), 0), BINS - 1) for share in shares)
    return tuple(counts[i] for i in range(BINS))


def exercise_rates(results: Sequence[Json]) -> tuple[Rate, ...]:
    """Return each exercise's figures, in the order of the assignment."""
    groups: dict[str, list[Json]] = {}
    for result in _graded(results):
        for exercise in result["exercises"]:
            groups.setdefault(exercise["name"], []).append(exercise)
    return tuple(
        Rate(
            exercise=name,
            passed=sum(e["status"] == Status.PASSED for e in group),
            judged=len(group),
            missing=sum(e["status"] == Status.MISSING for e in group),
            points=statistics.fmean(float(e["score"]) for e in group),
            max_score=max(float(e["max_score"]) for e in group),
        )
        for name, group in groups.items()
    )


def hardest_cases(results: Sequence[Json]) -> tuple[Rate, ...]:
    """Return the cases that fewest pass, hardest first. Where the grader failed, nothing was judged."""
    groups: dict[tuple[str, str], list[Json]] = {}
    for exercise, case in _cases(_graded(results)):
        if case["status"] != Status.GRADER_ERROR:
            groups.setdefault((exercise, case["name"]), []).append(case)
    rates = (
        Rate(
            exercise=exercise,
            passed=sum(c["status"] == Status.PASSED for c in group),
            judged=len(group),
            case=name,
            claim=group[0]["claim"],
            visibility=group[0]["visibility"],
        )
        for (exercise, name), group in groups.items()
    )
    return tuple(sorted((r for r in rates if r.share < 1), key=lambda rate: rate.share)[:HARDEST])


def mistakes(results: Sequence[Json]) -> tuple[Mistake, ...]:
    """Return the misconceptions that were diagnosed, the most common first; a student counts once for each."""
    students: dict[tuple[str, str], dict[str, None]] = {}
    places: dict[tuple[str, str], dict[str, None]] = {}
    for result in _graded(results):
        for exercise, case in _cases([result]):
            for key in _named(case["diagnosis"], case["says"]):
                students.setdefault(key, {})[result["student"]] = None
                places.setdefault(key, {})[exercise] = None
    found = (Mistake(*key, tuple(places[key]), tuple(who)) for key, who in students.items())
    return tuple(sorted(found, key=lambda mistake: (-len(mistake.students), mistake.name)))


def looks(results: Sequence[Json]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return by heading who needs a look, as (student, reason), most urgent heading first."""
    groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in REASONS.values()}
    for result in results:
        student = result["student"]
        if result["status"] != "graded":
            groups[REASONS[result["status"]]].append((student, result["problem"] or "No reason was given."))
        else:
            where: dict[str, dict[str, None]] = {}
            for exercise, case in _cases([result]):
                where.setdefault(case["status"], {})[f"`{exercise}`"] = None
            for status, heading in REASONS.items():
                if status in where:
                    groups[heading].append((student, ", ".join(where[status])))
        groups[REASONS["note"]] += [(student, note) for note in result["notes"]]
    return {heading: tuple(rows) for heading, rows in groups.items() if rows}


def visible(value: object) -> object:
    """Show characters that do not print (controls, text direction, lone surrogates) as what they are."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    text = value.replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c in "\n\t\u00a0" else f"[U+{ord(c):04X}]" for c in text)


def _named(diagnosis: str, says: str) -> Iterator[tuple[str, str]]:
    """Split a diagnosis of several mistakes into (name, sentence) of each, where the sentences can be told apart."""
    names, sentences = diagnosis.split("+"), says.split(" Also: ")
    if not diagnosis:
        return
    if says.startswith("One of these: ") or len(names) != len(sentences):
        yield diagnosis, says
    else:
        yield from zip(names, sentences, strict=True)


def _graded(results: Iterable[Json]) -> Iterator[Json]:
    return (result for result in results if result["status"] == "graded")


def _cases(results: Iterable[Json]) -> Iterator[tuple[str, Json]]:
    return ((exercise["name"], case) for r in results for exercise in r["exercises"] for case in exercise["cases"])


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _number(value: float) -> str:
    """Write points without needless decimals: 7.5, 10."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def _percent(part: float, whole: float) -> int:
    """Return a whole percentage that is 0 or 100 only when it is exactly that."""
    share = max(0.0, min(part / whole, 1.0)) if whole else 0.0
    return int(share) * 100 if share in (0.0, 1.0) else min(max(round(share * 100), 1), 99)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if not hours and not minutes:
        return f"{seconds:.1f} s"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _code(text: str) -> Markup:
    """Escape a sentence and set what stands between backticks as code."""
    parts = re.split(r"`([^`\n]+)`", str(visible(text)))
    return Markup("").join(Markup("<code>{}</code>").format(p) if i % 2 else escape(p) for i, p in enumerate(parts))


def _link(student: str) -> str:
    """Return the path from the report to a student's page, whatever the name holds."""
    return f"feedback/{quote(student, safe='', errors='replace')}.html"


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=visible,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= {"code": _code, "duration": _duration, "link": _link, "number": _number, "percent": _percent}


def _render(template: str, **values: object) -> str:
    return _ENVIRONMENT.get_template(template).render(values)
