"""Whether what students read is true: names that exist, points as declared, exercises in their places."""

from __future__ import annotations

import ast
import builtins
import difflib
import importlib
import keyword
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType

from autograder.course.catalog import as_written, readme_of
from autograder.course.places import elsewhere, entry_of, public_folder, read_text, slugs
from autograder.course.sections import section_of
from autograder.course.spec import Assignment
from autograder.course.variants import files_of
from autograder.handout.handout import links
from autograder.handout.write_notebook import misplaced
from autograder.oracle.oracle import Oracle
from autograder.proof.numbers import false_examples, false_numbers, owners_of, passages
from autograder.proof.soundness import StillToWrite, concerns
from autograder.sandbox.child.parse import parse

_LITERAL = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_IDENTIFIER = re.compile(r"(?<![\w\"'/])[A-Za-z_]\w{2,}(?![\w\"'/])")  # neither a part of a text nor of a path
_SAYS_NO_NAME = re.compile(
    r"[\w/-]+\.(?:py|ipynb|txt|md|csv|toml|json|svg|png)|(?:autograder|python|pip|pytest)\b.*"
)  # a file, a command
_SHAPE = re.compile(r"\([\w\s,.+*/-]*\)")
_BLOCK = re.compile(
    r"```.*?```|^(?: {4}|\t)[^\n]*$|\$\$.+?\$\$|\$(?:[^$\n]|\n(?!\n))+\$", re.DOTALL | re.MULTILINE
)  # code, and formulas
_NUMBERED = re.compile(
    r"^#.*|\b(exercises?\s+\d+\b(?!\.\d)(?:(?:,|\s+(?:to|and|or))\s+\d+\b)*)", re.IGNORECASE | re.MULTILINE
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_ROW = re.compile(r"^\|\s*\d+\s*\|\s*`(\w+)[^`]*`[^|]*\|\s*([\d.]+)\s*\|(?:\s*(★+)\s*\|)?", re.MULTILINE)
_ITEM = re.compile(r"^- `(\w+)[^`]*`, ([\d.]+) points?\b()", re.MULTILINE)
_LIBRARIES = (
    "numpy",
    "numpy.random",
    "numpy.linalg",
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.utils",
    "torch.nn.utils.rnn",
    "torch.optim",
    "math",
)


def text_proofs(
    course: Path, assignment: Assignment, oracle: Oracle, only: Collection[str] = ()
) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield promises about the texts of an assignment, each with the ways in which it is broken.

    Where some exercises are named, `only` their own texts are looked at, and the sections of the README that teach them.
    """
    home = public_folder(course, assignment.slug)
    readme = readme_of(course, assignment.slug)
    named = [exercise.name for exercise in assignment.exercises if concerns(only, exercise.name)]
    unsaid = [StillToWrite(f"README.md does not say `{name}`") for name in named if f"`{name}" not in readme]
    yield f"its README names {'them' if only else 'every exercise'}", unsaid
    code = [files_of(course, assignment.slug).text(path) for path in (home / "cases.py",) if path.exists()]
    pictures = sorted(path.name for path in (home / "figures").glob("[!.]*"))
    others = [*slugs(course), *elsewhere(course, assignment.slug)]
    if entry_of(
        course, assignment.slug
    ).changes:  # what the whole assignment shows and explains is no slip of the course
        whole = read_text(home / "README.md")
        pictures = [name for name in pictures if f"figures/{name}" not in links(whole)]
        others += _WORD.findall(" ".join(_BLOCK.findall(whole)))
        code.append(as_written(course, assignment.slug).reference)
    yield "what stands in backticks exists", unknown_names(assignment, readme, code, others, only)
    yield "exercises are told by their names", numbered_exercises(assignment, readme, only)
    yield "its README gives points and stars as declared", wrong_points(assignment, readme, only)
    if only:
        yield "they have a place in the notebook", without_a_place(assignment, readme, only)
    else:
        places = [*without_a_place(assignment, readme), *idle_figures(readme, pictures)]
        yield "every exercise has a place in the notebook, and every picture in the README", places
    texts = tuple(passages(course, assignment, only))
    yield "its worked examples come to what is written", false_examples(oracle, texts)
    yield "numbers in public claims and docstrings are those of the reference", false_numbers(oracle, texts)


def wrong_points(assignment: Assignment, readme: str, only: Collection[str] = ()) -> Iterator[str]:
    """Yield exercises whose points or stars in the README are not those of assignment.toml."""
    declared = {exercise.name: exercise for exercise in assignment.exercises if concerns(only, exercise.name)}
    told = [*_ROW.findall(readme), *_ITEM.findall(readme)]
    for name in (name for name in declared if name not in {named for named, *_ in told}):
        row = f"| 1 | `{name}` | {declared[name].points:g} |"
        yield StillToWrite(f"README.md does not say how many points `{name}` gives; write {row}")
    for name, points, stars in told:
        exercise = declared.get(name)
        if exercise and float(points) != exercise.points:
            yield f"README.md gives `{name}` {points} points, assignment.toml {exercise.points:g}"
        if exercise and stars and len(stars) != exercise.difficulty:
            yield f"README.md gives `{name}` {len(stars)} stars, assignment.toml difficulty {exercise.difficulty}"


def speaks_of_torch(course: Path, assignment: Assignment) -> bool:
    """Whether the README or another correct solution of an assignment names torch, as that of one in numpy may."""
    readme = public_folder(course, assignment.slug) / "README.md"
    texts = (read_text(readme) if readme.exists() else "", *(other.source for other in assignment.correct))
    return any("torch" in text.lower() for text in texts)


def unknown_names(
    assignment: Assignment, readme: str, code: Iterable[str], others: Iterable[str], only: Collection[str] = ()
) -> Iterator[str]:
    """Yield names in backticks that are in no code: neither in the assignment's, nor in Python, numpy or torch.

    `code` is what students have besides the reference, and `others` are the course's assignments. Names of one or two letters
    are the field's symbols, and what stands in a shape may also be a word of the text, as in `(batch, heads)`, or of another
    shape.
    """
    torch = assignment.torch or "torch" in readme.lower()
    known = {*_library_names(torch=torch), *others, *_WORD.findall(" ".join(_BLOCK.findall(readme)))}
    for source in (assignment.reference, assignment.harness, *code):
        known |= set(_names_in(source))
    known |= {exercise.name for exercise in assignment.exercises} | set(_WORD.findall(" ".join(assignment.left_out)))
    texts = tuple(_texts(assignment, readme))
    axes = Counter(name for _, text, _ in texts for shape in _LITERAL.findall(text) for name in _axes(shape))
    words = known | {word for _, text, _ in texts for word in _WORD.findall(_LITERAL.sub("", text))}
    words |= {name for name, count in axes.items() if count > 1}
    looked_at = [(where, text) for where, text, exercise in texts if concerns(only, exercise)]
    for where, text in (*looked_at, *_sections(assignment, readme, only)):
        for literal in (literal for literal in _LITERAL.findall(text) if not _SAYS_NO_NAME.fullmatch(literal)):
            for name in _IDENTIFIER.findall(literal):
                if name not in (words if _SHAPE.fullmatch(literal) else known):
                    near = difflib.get_close_matches(name, sorted(known), 1, 0.8)
                    meant = f" Did you mean {near[0]}?" if near else ""
                    yield f"{where}: there is no {name}, of which `{literal}` speaks.{meant}"


def numbered_exercises(assignment: Assignment, readme: str, only: Collection[str] = ()) -> Iterator[str]:
    """Yield where a text tells an exercise by its number, which is another one in a course that leaves out some."""
    looked_at = [(where, text) for where, text, exercise in _texts(assignment, readme) if concerns(only, exercise)]
    for where, text in (*looked_at, *_sections(assignment, readme, only)):
        for told in filter(None, _NUMBERED.findall(text)):  # a heading may have a number of its own
            number = " ".join(told.split())
            yield f'{where} says "{number}", and a course that leaves out exercises counts otherwise. Write names.'


def _axes(literal: str) -> set[str]:
    """Return the names in a literal that is a shape."""
    return set(_IDENTIFIER.findall(literal)) if _SHAPE.fullmatch(literal) else set()


def idle_figures(readme: str, names: Iterable[str]) -> Iterator[str]:
    """Yield pictures that lie in figures/ and that the README does not show; they would not be handed out."""
    shown = set(links(readme))
    yield from (f"figures/{name} is shown nowhere in README.md" for name in names if f"figures/{name}" not in shown)


def without_a_place(assignment: Assignment, readme: str, only: Collection[str] = ()) -> Iterator[str]:
    """Yield exercises that the notebook has at its end because assignment.toml names no section of the README for them."""
    for name, section in (found for found in misplaced(readme, assignment.exercises) if concerns(only, found[0])):
        if section:
            told = (
                f'assignment.toml teaches `{name}` in "{section}", which is not the heading of one section of README.md'
            )
            yield told if f" {section}\n" in readme else StillToWrite(told)
        else:
            told = f"assignment.toml says of other exercises in which section they are taught, and not of `{name}`"
            yield StillToWrite(told)


def _sections(assignment: Assignment, readme: str, only: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the sections of a README that teach the exercises that are named, and where each stands."""
    for heading in dict.fromkeys(e.section for e in assignment.exercises if e.name in only):
        if section := section_of(readme, heading):
            yield f'README.md, "{heading}"', _BLOCK.sub("", section.text)


def _texts(assignment: Assignment, readme: str) -> Iterator[tuple[str, str, str]]:
    """Yield everything that students read: where it stands, the text, and the exercise that it is about, if it is one."""
    yield "README.md", _BLOCK.sub("", readme), ""
    for case in assignment.cases:
        yield f"the claim of {case.exercise}.{case.name}", case.claim, case.exercise
    for exercise in assignment.exercises:
        for number, hint in enumerate(exercise.hints, start=1):
            yield f"hint {number} of {exercise.name}", hint, exercise.name
        yield f"what {exercise.name} says was learned", exercise.learned, exercise.name
    for misconception in assignment.misconceptions:
        yield f"what {misconception.name} says", misconception.says, misconception.exercise
    owners = owners_of(assignment)
    tree = parse(assignment.reference)
    for top in (tree, *tree.body):
        owner = owners.get(getattr(top, "name", ""), "")
        for node in ast.walk(top) if top is not tree else (tree,):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
                yield f"the docstring of {getattr(node, 'name', assignment.file)}", ast.get_docstring(node) or "", owner


def _names_in(source: str) -> Iterator[str]:
    """Yield the names that some code defines or uses, keys among them, and what its docstrings show as code."""
    for node in ast.walk(parse(source)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
                yield from _WORD.findall(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.Constant(value=str(text)):
                shown = text if len(text.split()) == 1 else " ".join(_BLOCK.findall(text))
                yield from _WORD.findall(shown)


@cache
def _library_names(*, torch: bool) -> frozenset[str]:
    """Return every name of Python and the libraries: modules, functions, their parameters, and attributes of what they make."""
    found = {*keyword.kwlist, *dir(builtins)}
    for kind in (str, list, dict, set, int, float):
        found |= set(dir(kind))
    for name in (name for name in _LIBRARIES if torch or not name.startswith("torch")):
        module = importlib.import_module(name)
        found |= {*name.split("."), *dir(module)}
        for value in ("ndarray", "Generator", "Tensor", "Module"):
            found |= set(dir(getattr(module, value, None)))
        for value in vars(module).values():
            methods = vars(value).values() if isinstance(value, type) else (value,)
            for method in (method for method in methods if isinstance(method, FunctionType)):
                found |= {*method.__code__.co_varnames, *method.__code__.co_names}
    return frozenset(found)
