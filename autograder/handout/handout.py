"""Make what students get: a zip that needs numpy, and torch if the assignment does.

The contents are an allow-list. Text comes from assignments/. Only the rendered stub and the results of public cases come from
solutions/. The engine's files are copied unchanged, so that a handout judges with the same code that grades.
"""

from __future__ import annotations

import base64
import html
import mimetypes
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

import jinja2

from autograder.course import torch_needed
from autograder.course.catalog import PROGRAMS, programs_of, readme_of
from autograder.course.language import say, speaking, spoken
from autograder.course.places import CourseError, entry_of, public_folder
from autograder.course.spec import Assignment
from autograder.course.stub import render_stub
from autograder.handout.home_trainings import home_file
from autograder.handout.kit.bundle import Bundle
from autograder.handout.kit.trainings import TRAININGS
from autograder.handout.public_data import public_bundle, public_files
from autograder.handout.quiz_text import with_questions
from autograder.handout.tests_as_text import pytest_file
from autograder.handout.write_notebook import make_notebook
from autograder.handout.zips import zip_bytes
from autograder.oracle.oracle import Oracle

# What ships to students: whole packages, which import only each other.
SHIPPED = ("course", "sandbox", "judge", "submission", "feedback", "handout/kit")
LICENCE = "LICENSE-CONTENT"  # of a course's texts and pictures, beside its assignments/
PICTURES = frozenset({".svg", ".png", ".jpg", ".jpeg", ".gif"})
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|\b(?:src|href)=[\"']([^\"']+)[\"']")
_SCHEME = re.compile(r"[a-zA-Z][\w+.-]+:")  # https:, mailto:, data:, but no drive letter
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_PACKAGE = Path(__file__).resolve().parents[1]
TEMPLATES = Path(__file__).resolve().parent / "templates"


def handout_files(course: Path, oracle: Oracle, term: str = "") -> dict[str, bytes]:
    """Return the files of a handout by path, in the course's language. Raises CourseError where something it needs is missing.

    The options of quizzes stand in an order drawn from the `term`, without one as they are written.
    """
    with speaking(oracle.assignment.language):
        return _files(course, oracle, term)


def _files(course: Path, oracle: Oracle, term: str) -> dict[str, bytes]:
    assignment = oracle.assignment
    home = public_folder(course, assignment.slug)
    readme = at_home(with_questions(readme_of(course, assignment.slug), assignment.questions, term), assignment)
    pictures = dict(_pictures(home, readme))
    data = {f"data/{path.name}": path.read_bytes() for path in sorted((home / "data").glob("[!.]*"))}
    programs = {n: text for n, text in programs_of(course, assignment.slug).items() if n not in assignment.left_out}
    if assignment.harness:
        programs["training.py"] = assignment.harness
    words = _words(assignment, programs, data, pictures)
    texts = _texts(assignment, readme, pictures, words, public_bundle(oracle, term)) | programs
    found = {name: text.encode() for name, text in texts.items()}
    found |= {f"engine/{name}": content for name, content in public_files(oracle, term).items()}
    if assignment.trainings:
        found[f"engine/{TRAININGS}"] = home_file(oracle)
    licence = entry_of(course, assignment.slug).home / LICENCE
    if licence.is_file():
        found[LICENCE] = licence.read_bytes()
    return found | engine_files() | data | pictures


def _words(
    assignment: Assignment, programs: Collection[str], data: Collection[str], pictures: Collection[str]
) -> dict[str, str | bool]:
    """Return what the templates say of an assignment."""
    stem = Path(assignment.file).stem
    own = [name for name in assignment.files or (assignment.file,) if name not in assignment.given_files]
    return {
        "slug": assignment.slug,
        "file": assignment.file,
        "own_files": "`, `".join(own),
        "given_files": "`, `".join(assignment.given_files),
        "notebook": "" if assignment.files else f"{stem}.ipynb",
        "tests": f"test_{stem}.py",
        "seconds": f"{assignment.limits.at_home().case_seconds:g}",
        "torch": assignment.torch,
        "on_devices": " device" in assignment.harness,
        "training": bool(assignment.harness),
        "runs_alone": "__main__" in assignment.harness,
        **{name.removesuffix(".py"): name in programs for name in PROGRAMS},
        "data": " ".join(data),
        "pictures": ", ".join(sorted({f"`{name.partition('/')[0]}/`" for name in pictures if "/" in name})),
    }


def _texts(
    assignment: Assignment,
    readme: str,
    pictures: Mapping[str, bytes],
    words: Mapping[str, str | bool],
    bundle: Bundle,
) -> dict[str, str]:
    """Return the files that are made for students, by name."""
    stubs = {name: at_home(text, assignment) for name, text in assignment.as_files(render_stub(assignment)).items()}
    prose = notebook_prose(readme, assignment, pictures)
    start, setup = template("start.md", words) + template("notebook_help.md", {}), template("setup.py.txt", words)
    with_table = f"{with_set_up(readme).rstrip()}\n{template('folder.md', words)}"
    made = {
        str(words["notebook"]): make_notebook(
            assignment.title, prose, stub, assignment.exercises, start, setup, play=bool(words["play"])
        )
        for stub in stubs.values()
        if words["notebook"]  # of several files there is none
    }
    return {
        "README.md": with_table,
        **stubs,
        **made,
        "check.py": template("check.py.txt", words),
        "conftest.py": template("conftest.py.txt", {}),
        str(words["tests"]): pytest_file(bundle),
        "requirements.txt": _requirements(assignment),
    }


def engine_files() -> dict[str, bytes]:
    """Return the engine's files that a handout holds, by path."""
    inner = [
        path for folder in SHIPPED for end in ("py", "po", "html") for path in (_PACKAGE / folder).rglob(f"*.{end}")
    ]
    roots = [_PACKAGE / "__init__.py", _PACKAGE / "handout" / "__init__.py"]
    files = sorted(path.relative_to(_PACKAGE).as_posix() for path in [*roots, *inner])
    licence = {"engine/LICENSE": (TEMPLATES / "LICENSE").read_bytes()}  # it asks to be in every copy
    return licence | {f"engine/autograder/{name}": (_PACKAGE / name).read_bytes() for name in files}


def handout_zip(files: Mapping[str, bytes], slug: str) -> bytes:
    """Return a handout's zip, with all files in one folder; equal files give equal bytes."""
    return zip_bytes({f"{slug}/{name}": data for name, data in files.items()})


def write_new(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files by their path in a folder that holds nothing yet. Raises CourseError where it does."""
    if folder.exists() and any(folder.iterdir()):
        raise CourseError(f"{folder} is not empty. Name another folder, or remove it first.")
    write_files(files, folder)


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files by their path in a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def at_home(text: str, assignment: Assignment) -> str:
    """Replace the course's command by the handout's."""
    for name in assignment.files or (assignment.file,):
        text = text.replace(f"autograder check {assignment.slug} {name}", "python check.py")
    return text


def with_set_up(readme: str) -> str:
    """Say how to install what the handout needs, right where it is run for the first time."""
    run = "\n    python check.py\n"
    return readme.replace(run, run + template("set_up.md", {}), 1)


def for_notebook(readme: str, assignment: Assignment) -> str:
    """Replace the README's words about the file by words about the notebook."""
    text = readme.replace(
        f"Write your solution in `{assignment.file}`", "Write your solution in the code cells of this notebook"
    )
    return text.replace("Then run\n\n    python check.py\n", "Then run the check under each of them.\n", 1)


def notebook_prose(readme: str, assignment: Assignment, pictures: Mapping[str, bytes]) -> str:
    """Return a README as the text of a notebook, with its pictures inside."""
    prose = embedded(for_notebook(readme, assignment), pictures)
    in_terminal = "    python training.py\n"
    return prose.replace(in_terminal, template("training_cell.md", {"file": assignment.file}))


def embedded(readme: str, pictures: Mapping[str, bytes]) -> str:
    """Put the pictures of a README into its text, so that a notebook shows them wherever it is opened."""

    def picture(match: re.Match[str]) -> str:
        alt, target = match.groups()
        if target not in pictures:
            return match[0]
        kind = mimetypes.types_map[PurePosixPath(target).suffix.lower()]
        data = base64.b64encode(pictures[target]).decode()
        return f'<img alt="{html.escape(" ".join(alt.split()))}" src="data:{kind};base64,{data}">'

    return PICTURE.sub(picture, readme)


def _requirements(assignment: Assignment) -> str:
    torch = f"{torch_needed.INDEX}\n{torch_needed.TORCH}\n" if assignment.torch else ""
    # Students keep the numpy they have; grading itself takes 2.0. `check.py` runs without the other three: Jinja writes pages,
    # rich lays `next` out for a terminal, and pytest runs the tests.
    required = "".join(f"{named}\n" for named in assignment.requires)
    return f"numpy>=1.26\njinja2>=3.1\npytest>=8.3\nrich>=13.7\n{torch}{required}"


def template(name: str, words: Mapping[str, str | bool]) -> str:
    """Return the text of a template for students in the language spoken, with the words that it takes.

    Prose is a template in each language; in programs, single sentences are said.
    """
    own = TEMPLATES / spoken() / name
    text = (own if own.is_file() else TEMPLATES / name).read_text(encoding="utf-8")
    made = jinja2.Environment(keep_trailing_newline=True, undefined=jinja2.StrictUndefined).from_string(text)  # noqa: S701 (it is no HTML)
    return made.render(words, say=say)


def _pictures(home: Path, readme: str) -> Iterator[tuple[str, bytes]]:
    """Yield the pictures that the README shows."""
    for target in links(readme):
        path = PurePosixPath(target)
        if path.suffix.lower() in PICTURES and not path.is_absolute() and ".." not in path.parts:
            try:
                yield target, (home / path).read_bytes()
            except OSError as error:
                raise CourseError(f"{home / 'README.md'} shows {target}, which cannot be read: {error}") from None


def links(text: str) -> list[str]:
    """Return the files in its own folder that a text links to or shows, without anchors."""
    targets = (match[1] or match[2] for match in LINK.finditer(text))
    inside = (target.partition("#")[0] for target in targets if not _SCHEME.match(target))
    return list(dict.fromkeys(target for target in inside if target))
