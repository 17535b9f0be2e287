"""Write the next step as text for a terminal, or as data."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from autograder.course.language import marked, say
from autograder.course.sections import Section, paragraphs
from autograder.course.spec import Status
from autograder.handout.kit.formula_text import formula_text
from autograder.handout.kit.handouts import Handout
from autograder.handout.kit.self_check import only
from autograder.handout.kit.steps import Count, Step
from autograder.judge.result_json import told_result
from autograder.judge.screen import Screen
from autograder.judge.terminal_text import result_as_text

KEYS = marked({"h": "hint", "f": "full", "l": "list", "t": "text", "r": "reset", "d": "debug", "q": "quit"})
BAR = 12  # cells
TEXT_WIDTH = 100  # characters of a line of prose that can still be read
_MATH = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_CODE = re.compile(r"    |```|~~~")


def learned_text(step: Step, width: int) -> str:
    """Return what was learned since the last check; nothing where nothing was."""
    told = (f"✓ {exercise.name}: {exercise.learned or say('it passes.')}" for exercise in step.fresh)
    return "\n".join(textwrap.fill(line, width, subsequent_indent="  ") for line in told)


def verdict_text(step: Step, screen: Screen, *, full: bool = False) -> str:
    """Return where the stub of a step is, what fails, and how far the course has come."""
    if not step.exercise:
        return bars(step)
    shown = result_as_text(
        f"{step.exercise.name}, {step.place}", only(step.result, step.exercise.name), screen, full=full
    )
    return f"{shown}\n\n{bars(step)}"


def bars(step: Step) -> str:
    """Return how many exercises of the assignment and of the course pass."""
    own = f"{step.handout.slug.partition('_')[0]} {bar(step.own)}"
    return own if step.own == step.course else say("{own}, course {course}", own=own, course=bar(step.course))


def bar(count: Count) -> str:
    """Return a count with its picture in front."""
    filled = BAR * count.done // count.of if count.of else 0
    return f"{'■' * filled}{'□' * (BAR - filled)} {say('{done} of {of}', done=count.done, of=count.of)}"


def keys_text() -> str:
    """Say what can be done now."""
    keys = "  ".join(f"{key} {say(meaning)}" for key, meaning in KEYS.items())
    return say("Save to check, or press {keys}", keys=keys)


def list_text(step: Step, course: Sequence[Handout]) -> str:
    """Return the assignments of the course, and the exercises of the one at hand."""
    return "\n".join(_listed(step, course))


def _listed(step: Step, course: Sequence[Handout]) -> Iterator[str]:
    marks = {each.name: Status.MISSING if each.is_open else each.status for each in step.result.exercises}
    for handout in course:
        own = handout is step.handout
        count = step.own if own else Count(len(handout.passed()), len(handout.exercises))
        yield f"{'▸' if own else ' '} {handout.slug:<20} {bar(count)}"
        for name in handout.exercises if own else ():
            mark = {Status.PASSED: "✓", Status.MANUAL: "✓", Status.MISSING: "·", Status.SKIPPED: "·"}.get(
                marks[name], "✗"
            )
            here = say("   ← you are here") if step.exercise and name == step.exercise.name else ""
            yield f"    {mark} {name}{here}"


def section_text(section: Section, width: int, *, color: bool) -> str:
    """Return a section laid out for a terminal; as Markdown where that shows no colors or rich is not installed.

    Its formulas are plain text.
    """
    blocks = paragraphs(section.text)
    as_it_is = "\n\n".join(_with_formulas(block, "") for block in blocks)
    try:
        from rich.console import Console
        from rich.markdown import Markdown
    except ImportError:
        return as_it_is
    if not color:
        return as_it_is
    page = io.StringIO()
    console = Console(file=page, force_terminal=True, color_system="standard", width=min(width, TEXT_WIDTH))
    # A picture is told by its description and its file, and a link by its address: many terminals can follow neither.
    text = "\n\n".join(_with_pictures(_with_formulas(block, "`")) for block in blocks)
    console.print(Markdown(text, hyperlinks=False))
    return page.getvalue().rstrip()


def _with_formulas(block: str, mark: str) -> str:
    """Return a paragraph with its formulas as plain text between marks, which keep Markdown from taking signs for its own."""
    if _CODE.match(block):
        return block
    return _MATH.sub(lambda found: f"{mark}{formula_text(found[1] or found[2])}{mark}", block)


def _with_pictures(block: str) -> str:
    """Return a paragraph in which the description of a picture, which is all that rich shows of it, names its file."""
    return block if _CODE.match(block) else _PICTURE.sub(r"![\1 (\2)](\2)", block)


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
