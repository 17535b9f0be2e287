"""Write the next step as text for a terminal, or as data."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from autograder.course.sections import Section, paragraphs
from autograder.course.spec import Status
from autograder.handout.kit.handouts import Handout
from autograder.handout.kit.self_check import only
from autograder.handout.kit.steps import Count, Step
from autograder.judge.result_json import told_result
from autograder.judge.terminal_text import result_as_text

KEYS = {"h": "hint", "l": "list", "t": "text", "r": "reset", "d": "debug", "q": "quit"}
BAR = 12  # cells
TEXT_WIDTH = 100  # characters of a line of prose that can still be read
_MATH = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
_CODE = re.compile(r"    |```|~~~")


def learned_text(step: Step, width: int) -> str:
    """Return what was learned since the last check; nothing where nothing was."""
    told = (f"✓ {exercise.name}: {exercise.learned or 'it passes.'}" for exercise in step.fresh)
    return "\n".join(textwrap.fill(line, width, subsequent_indent="  ") for line in told)


def verdict_text(step: Step, width: int, *, color: bool) -> str:
    """Return where the stub of a step is, what fails, and how far the course has come."""
    if not step.exercise:
        return bars(step)
    shown = result_as_text(
        f"{step.exercise.name}, {step.place}", only(step.result, step.exercise.name), width=width, color=color
    )
    return f"{shown}\n\n{bars(step)}"


def bars(step: Step) -> str:
    """Return how many exercises of the assignment and of the course pass."""
    own = f"{step.handout.slug.partition('_')[0]} {bar(step.own)}"
    return own if step.own == step.course else f"{own}, course {bar(step.course)}"


def bar(count: Count) -> str:
    """Return a count with its picture in front."""
    filled = BAR * count.done // count.of if count.of else 0
    return f"{'■' * filled}{'□' * (BAR - filled)} {count.done} of {count.of}"


def keys_text(step: Step) -> str:
    """Say what can be done now."""
    keys = "  ".join(f"{key} {meaning}" for key, meaning in KEYS.items())
    return f"Save {step.path.name} to check again, or press a key: {keys}"


def list_text(step: Step, course: Sequence[Handout]) -> str:
    """Return the assignments of the course, and the exercises of the one at hand."""
    return "\n".join(_listed(step, course))


def _listed(step: Step, course: Sequence[Handout]) -> Iterator[str]:
    marks = {each.name: each.status for each in step.result.exercises}
    for handout in course:
        own = handout is step.handout
        count = step.own if own else Count(len(handout.passed()), len(handout.exercises))
        yield f"{'▸' if own else ' '} {handout.slug:<20} {bar(count)}"
        for name in handout.exercises if own else ():
            mark = {Status.PASSED: "✓", Status.MANUAL: "✓", Status.MISSING: "·", Status.SKIPPED: "·"}.get(
                marks[name], "✗"
            )
            yield f"    {mark} {name}{'   ← you are here' if step.exercise and name == step.exercise.name else ''}"


def section_text(section: Section, width: int, *, color: bool) -> str:
    """Return a section laid out for a terminal; as Markdown where that shows no colors or rich is not installed."""
    try:
        from rich.console import Console
        from rich.markdown import Markdown
    except ImportError:
        return section.text
    if not color:
        return section.text
    page = io.StringIO()
    console = Console(file=page, force_terminal=True, color_system="standard", width=min(width, TEXT_WIDTH))
    console.print(Markdown("\n\n".join(map(_with_formulas_as_code, paragraphs(section.text)))))
    return page.getvalue().rstrip()


def _with_formulas_as_code(block: str) -> str:
    """Keep Markdown from taking the underscores and backslashes of formulas for its own."""
    if _CODE.match(block):
        return block
    return _MATH.sub(lambda found: f"`{' '.join((found[1] or found[2]).split())}`", block)


def step_data(step: Step) -> dict[str, Any]:
    """Return a step as JSON data."""
    name = step.exercise.name if step.exercise else ""
    return {
        "assignment": step.handout.slug,
        "exercise": name,
        "section": step.section.heading if step.section else "",
        "file": str(step.path),
        "cell": step.cell,
        "line": step.line,
        "learned": {exercise.name: exercise.learned for exercise in step.fresh},
        "assignment_count": {"done": step.own.done, "of": step.own.of},
        "course_count": {"done": step.course.done, "of": step.course.of},
        "result": told_result(only(step.result, name)) if name else None,
    }
