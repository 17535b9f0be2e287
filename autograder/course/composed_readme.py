"""An assignment's README as a course gives it: sections, lists and the table of exercises follow what is left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from autograder.course.assignment import Assignment, Exercise
from autograder.course.language import marked, say
from autograder.course.sections import paragraphs, sections

_ROW = re.compile(r"\|\s*\d+\s*\|\s*`(?P<name>\w+)[^`]*`[^|]*\|(?P<points>\s*[\d.]+\s*)\|")
_TOTAL = re.compile(r"(\|[^|]*\|\s*\*\*together\*\*\s*\|)[^|]*\|")
_ITEM = re.compile(r"- `(?P<name>\w+)[^`]*`, (?P<points>[\d.]+) points?\b")
_TELLS_POINTS = re.compile(r"^(?:\|\s*\d+\s*\|\s*`|- `[^`]+`, [\d.]+ points?\b)", re.MULTILINE)
_LIST = re.compile(r"Exercises?: ((?:`[^`]+`(?:, )?)+)")
_LITERAL = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"`(\w+)(?:\([^`]*|\.(?!py`)[^`]*)?`")  # of an exercise, and not of a file
_NO_PROSE = re.compile(
    r"^(?:#| {4}|```|~~~|\||\$\$)|!\[|<!--", re.MULTILINE
)  # headings, code, tables, formulas, pictures, quizzes
_ITEMS = re.compile(r"^(?= *(?:[-*]|\d+\.) )", re.MULTILINE)
_MARK = re.compile(r" *(?:[-*]|\d+\.) |")
_BETWEEN = re.compile(r"(?:(?<=[^\s.]{2}[.!?])|(?<=[.!?][)*\"])|(?<=[.!?]\*\*))(\s+)(?=[A-Z`*\"$])")  # two sentences


def composed_readme(readme: str, whole: Assignment, made: Assignment, others: Sequence[str] = ()) -> str:
    """Return the README of a composed assignment, made of that of the whole one.

    `others` are the assignments that it speaks of, and that the course does not give.
    """
    kept = {e.name: e for e in made.exercises}
    gone = [e for e in whole.exercises if e.name not in kept]
    taught = {e.section for e in made.exercises}
    blocks = paragraphs(_without_questions(readme, whole, made))
    blocks = _without_sections(blocks, {e.section for e in gone}, taught)
    for program in (name for name in made.left_out if name.endswith(".py")):
        blocks = _without_program(blocks, program, taught)
    names = {name for e in gone for name in (e.name, *e.blanks)}
    blocks = _without_sentences(blocks, names, kept, taught)
    blocks = [told for block in blocks if (told := _block(block, names, kept, made))]
    text = "\n\n".join(_explained(blocks, gone, made, others)) + "\n"
    if whole.title != made.title:
        text = re.sub(r"\A# .*", lambda _: f"# {made.title}", text, count=1)
    return text


def _explained(blocks: list[str], gone: Collection[Exercise], made: Assignment, others: Sequence[str]) -> list[str]:
    """Say below the exercises what texts still speak of, and the course leaves out."""
    texts = "\n".join([*blocks, made.stub])
    named = [name for name in (*others, *(e.name for e in gone)) if re.search(rf"`{name}\b", texts)]
    last = max((n for n, block in enumerate(blocks) if _TELLS_POINTS.search(block)), default=len(blocks) - 1)
    names = ", ".join(f"`{name}`" for name in named)
    told = marked("This course leaves out {names}. Where a text speaks of that, there is nothing for you to do.")
    said = say(told, names=names)
    return [*blocks[: last + 1], said, *blocks[last + 1 :]] if named else blocks


def _without_questions(readme: str, whole: Assignment, made: Assignment) -> str:
    """Drop the questions that are left out, each with its picture, between the comments in which a quiz stands."""
    asked = {(q.exercise, q.name) for q in made.questions}
    for exercise in {q.exercise for q in whole.questions}:
        names = [q.name for q in whole.questions if q.exercise == exercise]
        left = [name for name in names if (exercise, name) not in asked]
        before, start, rest = readme.partition(f"<!-- {exercise} -->\n")
        body, end, after = rest.partition(f"<!-- /{exercise} -->")
        if not end or not left:
            continue
        if left == names:
            readme = before + after
            continue
        parts = re.split(rf"^(?=\*\*(?:{'|'.join(map(re.escape, names))})\.\*\*)", body, flags=re.MULTILINE)
        stay = (part for part in parts if not part.startswith(tuple(f"**{name}.**" for name in left)))
        readme = f"{before}{start}{''.join(stay)}{end}{after}"
    return readme


def _without_sections(blocks: list[str], gone: Collection[str], kept: Collection[str]) -> list[str]:
    """Drop the sections that teach exercises which are left out, and no other."""
    found = list(sections(blocks))
    dropped = set[int]()
    for title, first, last in found:
        if title in gone and not any(first <= start <= last and other in kept for other, start, _ in found):
            dropped |= set(range(first, last + 1))
    return [block for number, block in enumerate(blocks) if number not in dropped]


def _without_program(blocks: list[str], program: str, kept: Collection[str]) -> list[str]:
    """Drop the section that is about a program; where exercises are taught in it, the paragraphs that name the program."""
    found = list(sections(blocks))
    told = [number for number, block in enumerate(blocks) if program in block]
    dropped = set(told)
    for number in told:
        around = [(last - first, title, first, last) for title, first, last in found if first <= number <= last]
        if around and (inner := min(around))[1] not in kept and f"python {program}" in blocks[number]:
            dropped |= set(range(inner[2], inner[3] + 1))
    return [block for number, block in enumerate(blocks) if number not in dropped]


def _without_sentences(
    blocks: list[str], gone: Collection[str], kept: Collection[str], taught: Collection[str]
) -> list[str]:
    """Drop the sentences that name what is left out and no exercise that stays, but none where exercises are taught."""
    found = list(sections(blocks))
    teaching, quiz = set[int](), False
    for _, first, last in found:
        if any(first <= start <= last and title in taught for title, start, _ in found):
            teaching |= set(range(first, last + 1))
    told = []
    for number, block in enumerate(blocks):
        if not (number in teaching or quiz or _NO_PROSE.search(block)):
            told.append("".join(_sentences(item, gone, kept) for item in _ITEMS.split(block)).rstrip())
        else:
            told.append(block)
        _, comment, rest = block.rpartition("<!-- ")
        quiz = not rest.startswith("/") if comment else quiz
    return [block for block in told if block]


def _sentences(text: str, gone: Collection[str], kept: Collection[str]) -> str:
    """Return a paragraph or an item of a list without the sentences that name what is left out, and nothing that stays."""
    mark = _MARK.match(text)
    head = mark[0] if mark else ""
    parts = _BETWEEN.split(text[len(head) :])
    named = [set(_NAME.findall(sentence)) for sentence in parts[::2]]
    stay = [n for n, names in enumerate(named) if not names & {*gone} or names & {*kept}]
    if len(stay) == len(named):
        return text
    rest = "".join(parts[2 * n - 1] * (n > 0) + parts[2 * n] for n in stay).strip()
    return f"{head}{rest}\n" if rest else ""


def _block(block: str, gone: Collection[str], kept: dict[str, Exercise], made: Assignment) -> str:
    """Return a paragraph with its lists and rows of exercises as they are; an empty text where nothing is left."""
    lines, number, dropping, table = list[str](), 0, False, False
    for line in block.split("\n"):
        row, item = _ROW.match(line), _ITEM.match(line)
        if row and row["name"] in {*kept, *gone}:
            table = True
            if row["name"] in kept:
                number += 1
                lines.append(_row(line, row, number, kept[row["name"]]))
        elif table and (total := _TOTAL.match(line)):
            lines.append(f"{total[1]} **{made.points:g}** |{line[total.end() :]}")
        elif item and item["name"] in {*kept, *gone}:
            dropping = item["name"] not in kept
            if not dropping:
                lines.append(_item(line, item, kept[item["name"]]))
        elif not (dropping and line.startswith(" ")):
            dropping = False
            lines.append(line)
    return _listed("\n".join(lines), gone)


def _row(line: str, row: re.Match[str], number: int, exercise: Exercise) -> str:
    """Return a row of the table of exercises with its new number and the points of the exercise."""
    begin, end = row.span("points")
    bonus = "(bonus) " if exercise.bonus else ""
    head = re.sub(r"\A\|\s*\d+\s*\|", f"| {number} |", line[: begin - 1])
    return f"{head}{bonus}| {exercise.points:g} {line[end:]}"


def _item(line: str, item: re.Match[str], exercise: Exercise) -> str:
    begin, end = item.span("points")
    what = "point" if exercise.points == 1 else "points"
    bonus = " (bonus)" if exercise.bonus else ""
    return f"{line[:begin]}{exercise.points:g} {what}{bonus}{re.sub(r' points?', '', line[end:], count=1)}"


def _listed(block: str, gone: Collection[str]) -> str:
    """Return a paragraph that begins with the exercises of its section, without those that are left out."""
    found = _LIST.match(block)
    if not found:
        return block
    told = _LITERAL.findall(found[1])
    stay = [name for name in told if name.partition("(")[0] not in gone]
    if stay == told:
        return block
    if not stay:
        return ""
    return f"Exercise{'s' * (len(stay) > 1)}: {', '.join(f'`{name}`' for name in stay)}{block[found.end() :]}"
