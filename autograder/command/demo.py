"""An invented class, shaped as Canvas exports one: right and wrong, half-finished and hostile work of one assignment.

It shows what the grader does, and it tests it: what every student was meant to be is known beforehand.
"""

from __future__ import annotations

import ast
import io
import itertools
import random
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from autograder.classroom.whole_files import draft_of
from autograder.course.edits import apply_edits
from autograder.course.places import CourseError
from autograder.course.spec import Assignment
from autograder.course.stub import blanked, render_stub, unmarked
from autograder.sandbox.child.parse import parse

LEAST = 64  # submissions
_DATE = (2025, 10, 17, 23, 58, 0)
_LATE = 0.1  # of all
_CROSSING, _WITHIN = 8, 4  # pairs of misconceptions, in two exercises and in one
_PEOPLE = (
    ("Adeyemi Boateng Diallo Mensah Okafor Traore", "Amara Chidi Fatou Kwame Ngozi Sekou"),
    ("Banerjee Chaudhry Iyer Nair Perera Siddiqui", "Ananya Bilal Dinesh Farah Meera Rohan"),
    ("Hoang Lin Park Tanaka Watanabe Zhang", "Boqin Haruno Hyejin Linh Yiran Yuto"),
    ("Almeida Barros Fuentes Ibarra Quispe Restrepo", "Joaquin Lucia Mateo Thiago Valeria Ximena"),
    ("Brennan Dimitrov Haas Kowalczyk Lindqvist Moretti", "Elin Jonas Luca Niamh Stoyan Zofia"),
    ("Benali Haddad Mansour Rahimi Shapira Yilmaz", "Defne Leila Noam Omar Parisa Yasmin"),
    ("Beaumont Faleolo Fletcher Kealoha Sinclair Whitehorse", "Camille Dakota Hazel Kai Malia Owen"),
    ("Achieng Bekele Hassan Mwangi Tesfaye Wanjiru", "Asha Dawit Hana Kamau Njeri Otieno"),
)

_ENDLESS = """

def {name}(*args, **kwargs):
    answer = None
    while answer is None:
        pass
    return answer
"""
_ENDLESS_IMPORT = """

ready = False
while not ready:
    pass
"""
_EXIT = """

import os


def {name}(*args, **kwargs):
    os._exit(0)
"""
_MEMORY = """

import numpy as np


def {name}(*args, **kwargs):
    table = np.ones((3 << 30) // 8)
    return table[: len(args)]
"""
_FLOOD = """

_right = {name}


def {name}(*args, **kwargs):
    for step in range(400):
        print("step", step, "x" * 10_000)
    return _right(*args, **kwargs)
"""
_UNCLOSED = """

print({name}(
"""
_PDF = b"%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"


@dataclass(frozen=True)
class Planned:
    """Who a student is to the grader, and what the work was meant to be: "reference", "misconception:no_scale"."""

    student: str
    kind: str


@dataclass(frozen=True)
class _Work:
    """What one student hands in: each file under the student's own name for it, the oldest first."""

    kind: str
    files: tuple[tuple[str, bytes], ...]


def write_class(assignment: Assignment, folder: Path, seed: int = 0) -> Path:
    """Write class.zip into a folder and return its path. The same seed gives the same bytes.

    Raises CourseError where another class.zip lies there: an export may be called so.
    """
    path = folder / "class.zip"
    data = _zipped(sorted((name, data) for _, name, data in plan_class(assignment, seed)))
    if path.exists() and not (path.is_file() and path.read_bytes() == data):
        raise CourseError(f"{path} is there already, and another class. Name another folder with -o.")
    with draft_of(path) as draft:
        draft.write_bytes(data)
    return path


def plan_class(assignment: Assignment, seed: int = 0) -> tuple[tuple[Planned, str, bytes], ...]:
    """Return every file of the class: whose it is and what it was meant to be, its name in the export, its bytes."""
    if assignment.files:
        raise CourseError(
            f"{assignment.slug} has several files, and demo writes one for each student. Name another one."
        )
    rng = random.Random(seed)  # noqa: S311 (an invented class keeps no secret)
    works = [*_known(assignment, rng), *_hostile(assignment), *_awkward(assignment)]
    works += itertools.islice(_more(assignment, rng), max(8, LEAST - len(works)))
    people = [
        f"{last}{first}".lower() for lasts, firsts in _PEOPLE for last in lasts.split() for first in firsts.split()
    ]
    rng.shuffle(people)
    numbers = rng.sample(range(10_000, 100_000), len(works))
    planned: list[tuple[Planned, str, bytes]] = []
    for work, person, number in zip(works, itertools.cycle(people), numbers, strict=False):
        late = "_late" if rng.random() < _LATE else ""
        for title, data in work.files:
            name = f"{person}{late}_{number}_{200_000 + 7 * len(planned)}_{title}"
            planned.append((Planned(f"{person}_{number}", work.kind), name, data))
    return tuple(planned)


def half_finished(assignment: Assignment, written: int) -> str:
    """Return the reference with only the first few exercises written and the rest as in the stub."""
    return blanked(assignment.reference, {blank for e in assignment.exercises[written:] for blank in e.blanks})


def _known(assignment: Assignment, rng: random.Random) -> Iterator[_Work]:
    """Work whose verdict is known: the reference, other ways, every misconception, pairs, unfinished work."""
    reference, stub = assignment.reference, _stub(assignment)
    for form in (_python, _notebook, _packed):
        yield _Work("reference", (form(assignment, reference),))
    for way in assignment.correct:
        yield _Work(f"correct:{way.name}", (_python(assignment, f"{reference}\n\n{way.source}"),))
    for one in assignment.misconceptions:
        yield _drawn(f"misconception:{one.name}", apply_edits(reference, (one,)), assignment, rng)
    for kind, text in _pairs(assignment, rng):
        yield _drawn(kind, text, assignment, rng)
    yield _Work("stub", (_python(assignment, stub),))
    count = len(assignment.exercises)
    for written in sorted({1, count // 3, count // 2, 2 * count // 3, count - 1} & set(range(1, count))):
        yield _drawn(f"half_finished:{written}", half_finished(assignment, written), assignment, rng)


def _pairs(assignment: Assignment, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Pick pairs of misconceptions that fit together, most in two different exercises, a few within one."""
    pairs = list(itertools.combinations(assignment.misconceptions, 2))
    rng.shuffle(pairs)
    left = {True: _CROSSING, False: _WITHIN}
    for pair in pairs:
        crossing = pair[0].exercise != pair[1].exercise
        text = apply_edits(assignment.reference, pair) if left[crossing] else None
        if text is not None:
            left[crossing] -= 1
            yield f"combination:{pair[0].name}+{pair[1].name}", text


def _more(assignment: Assignment, rng: random.Random) -> Iterator[_Work]:
    """Repeat without end what real classes are full of: right answers and everyone's favourite mistakes."""
    favourites = rng.sample(assignment.misconceptions, min(4, len(assignment.misconceptions)))
    while True:
        yield _drawn("reference", assignment.reference, assignment, rng)
        for one in favourites:
            yield _drawn(f"misconception:{one.name}", apply_edits(assignment.reference, (one,)), assignment, rng)


def _hostile(assignment: Assignment) -> Iterator[_Work]:
    """Code that does not end, or ends everything, or asks for too much; only the first exercise is touched."""
    name = assignment.exercises[0].name
    added = {
        "syntax_error": _UNCLOSED,
        "endless_loop": _ENDLESS,
        "endless_import": _ENDLESS_IMPORT,
        "exit": _EXIT,
        "memory": _MEMORY,
        "flood": _FLOOD,
    }
    for kind, code in added.items():
        yield _Work(kind, (_python(assignment, assignment.reference + code.format(name=name)),))


def _awkward(assignment: Assignment) -> Iterator[_Work]:
    """Files that something happened to on the way."""
    file, stem = assignment.file, Path(assignment.file).stem
    code = _python(assignment, assignment.reference)[1]
    wrong = apply_edits(assignment.reference, assignment.misconceptions[:1]) or _stub(assignment)
    archive = _zipped([(file, code)])
    yield _Work("empty", ((file, b""),))
    yield _Work("renamed", (("my_final_version(2).py", code),))
    yield _Work("utf16", ((file, b"\xff\xfe" + code.decode().encode("utf-16-le")),))
    yield _Work("resubmitted", ((f"{stem}-1.py", _python(assignment, wrong)[1]), (f"{stem}-2.py", code)))
    yield _Work("corrupt_zip", ((f"{stem}.zip", archive[: len(archive) // 2]),))
    yield _Work("outside_zip", ((f"{stem}.zip", _zipped([(f"../../{file}", code)])),))
    yield _Work(
        "ships_modules", ((f"{stem}.zip", _zipped([(file, code), ("numpy.py", b""), ("conftest.py", b"1 / 0")])),)
    )
    yield _Work("pdf", ((f"{stem}.pdf", _PDF),))


def _drawn(kind: str, text: str | None, assignment: Assignment, rng: random.Random) -> _Work:
    """Hand work in as one of the usual kinds of file."""
    forms: tuple[Callable[[Assignment, str], tuple[str, bytes]], ...] = (_python, _notebook, _packed)
    form = rng.choices(forms, (6, 3, 1))[0]
    return _Work(kind, (form(assignment, text or ""),))


def _python(assignment: Assignment, text: str) -> tuple[str, bytes]:
    return assignment.file, unmarked(text).encode()


def _packed(assignment: Assignment, text: str) -> tuple[str, bytes]:
    """Return a zip of the handout's folder, as a Mac makes it."""
    folder = assignment.slug
    files = [
        (f"{folder}/README.md", f"# {assignment.title}\n".encode()),
        (f"{folder}/.DS_Store", b"\0\0\0\1Bud1"),
        (f"{folder}/{assignment.file}", _python(assignment, text)[1]),
        (f"__MACOSX/{folder}/._{assignment.file}", b"\0\5\x16\7"),
    ]
    return "homework.zip", _zipped(files)


def _notebook(assignment: Assignment, text: str) -> tuple[str, bytes]:
    """Return a notebook as it is after an evening's work: a cell for each definition, checks, an experiment."""
    stem, exercises = Path(assignment.file).stem, {exercise.name for exercise in assignment.exercises}
    library: Any = nbformat
    new = library.v4
    cells = [
        new.new_markdown_cell(f"# {assignment.title}\n\nMy solutions."),
        new.new_code_cell(f'# Initialize Otter\nimport otter\ngrader = otter.Notebook("{stem}.ipynb")'),
        new.new_code_cell("%matplotlib inline\nimport numpy as np"),
    ]
    for name, part in _parts(unmarked(text)):
        cells.append(new.new_code_cell(part))
        if name in exercises:
            cells.append(new.new_code_cell(f'grader.check("{name}")'))
    shown = new.new_output("stream", text="[[0. 1.]\n [1. 2.]]\n")
    experiment = f"out = {assignment.exercises[0].name}(np.arange(6.0).reshape(3, 2))\nprint(out)"
    cells.append(new.new_code_cell(experiment, outputs=[shown], execution_count=7))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # they are random otherwise, and the class would differ from run to run
    return f"{stem}.ipynb", library.writes(new.new_notebook(cells=cells)).encode()


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Cut source into top-level definitions, each with its name, and what stands between them, with none."""
    lines, body = text.splitlines(), parse(text).body
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    end, between = 0, []
    for node in body:
        part = "\n".join(lines[end : node.end_lineno]).strip("\n")
        end = node.end_lineno or end
        if not isinstance(node, definitions):
            between.append(part)
            continue
        if between:
            yield "", "\n".join(between)
        between = []
        yield node.name, part
    if between:
        yield "", "\n".join(between)


def _stub(assignment: Assignment) -> str:
    return assignment.stub or render_stub(assignment)


def _zipped(files: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
