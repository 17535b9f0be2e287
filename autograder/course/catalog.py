"""Find and read assignments by scanning two mirrored folders; no registry."""

from __future__ import annotations

import ast
import itertools
import sys
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.course.assignment import AFTER_DEADLINE, AT_ONCE, PLOT, TEXT
from autograder.course.composed_readme import composed_readme
from autograder.course.composition import CompositionError, composed
from autograder.course.course_file import FILE
from autograder.course.declared_files import file_names, given_names, reference_in, stub_in
from autograder.course.definitions import uses_as_written
from autograder.course.language import speaking
from autograder.course.mistakes import mistakes_in
from autograder.course.places import (
    CourseError,
    elsewhere,
    entry_of,
    public_folder,
    refuse_unlisted,
    secret_folder,
    slugs,
)
from autograder.course.questions import Question, cases_in, read_questions
from autograder.course.rubrics import read_rubric, refuse_mixed
from autograder.course.spec import (
    Assignment,
    Case,
    Exercise,
    Limits,
    Misconception,
    Replacement,
    Shortcut,
    Training,
    Visibility,
)
from autograder.course.toml_values import flag, listed, number, one_of, refuse_unknown
from autograder.course.torch_needed import why_packages_are_missing, why_torch_is_missing
from autograder.course.variants import Files, files_of
from autograder.course.varied import varied
from autograder.sandbox.child.parse import parse

_KEYS = frozenset(
    {
        "title",
        "order",
        "points",
        "file",
        "files",
        "given",
        "limits",
        "exercise",
        "torch",
        "requires",
        "shortcut",
        "reasons",
    }
)
PROGRAMS = ("experiment.py", "play.py")  # that an author may put beside the stub

# Folders in solutions/SLUG/: `doctor` grades what is CORRECT, `fairness` what is UNUSUAL or MISTAKEN as well.
CORRECT, UNUSUAL, MISTAKEN = "correct", "correct/unusual", "mistaken"
FORMER_FOLDERS = {CORRECT: "alternatives", UNUSUAL: "strange", MISTAKEN: "disguised"}  # in courses for 0.1.0


def load_assignment(course: Path, slug: str) -> Assignment:
    """Read one assignment as its course gives it.

    Raises CourseError on an unknown name, a broken file, a missing torch, or a course.toml that asks for what cannot be.
    """
    known = slugs(course)
    refuse_unlisted(course, slug, known)
    entry = entry_of(course, slug)
    try:
        with speaking(entry.language):  # what the engine itself claims of a quiz
            made = composed(as_written(course, slug, files_of(course, slug)), entry, programs_of(course, slug))
    except CompositionError as error:
        raise CourseError(f"{course / FILE}, {slug}: {error}") from None
    return replace(made, order=float(known.index(slug)), language=entry.language)


def as_written(course: Path, slug: str, files: Files | None = None) -> Assignment:
    """Read one assignment from its two folders, whatever its course leaves out of it, with the variants of `files`."""
    files = files or Files(public_folder(course, slug), secret_folder(course, slug))
    return varied(as_edited(slug, files), files)


def as_edited(slug: str, files: Files) -> Assignment:
    """Read one assignment with the edits of variants, and its known mistakes as they stand in their file."""
    public, secret = files.public, files.secret
    config = _toml(public / "assignment.toml", files)
    declared = _declared(slug, config, public / "assignment.toml")
    missing = (declared.torch and why_torch_is_missing(slug)) or why_packages_are_missing(slug, declared.requires)
    if missing:
        raise CourseError(missing)
    exercises = declared.exercises
    _refuse_unknown_uses(exercises, public / "assignment.toml")
    quizzes = [_questions(secret / f"{exercise.name}.toml", files) for exercise in exercises]
    questions = tuple(itertools.chain.from_iterable(quizzes))
    written = (
        *_cases(public / "cases.py", Visibility.PUBLIC, files),
        *_cases(secret / "cases.py", Visibility.HIDDEN, files),
    )
    cases = (*written, *itertools.chain.from_iterable(map(cases_in, quizzes)))
    _refuse_strangers(cases, declared)
    fitting = _fitting_arguments(secret / "cases.py", tuple(exercise.name for exercise in exercises), files)
    reference = reference_in(declared, files)
    harness = files.text(public / "training.py") if (public / "training.py").exists() else ""
    if not any("uses" in entry for entry in config["exercise"]):
        uses = uses_as_written(reference, harness, exercises)
        exercises = tuple(replace(e, uses=uses.get(e.name, ())) for e in exercises)
    return replace(
        declared,
        exercises=exercises,
        given=given_names(declared, reference),
        reference=reference,
        stub=stub_in(declared, files),
        cases=tuple(replace(case, anew=fitting.get(case.exercise)) for case in cases),
        misconceptions=(*_misconceptions(secret / "misconceptions.py", files), *mistakes_in(questions)),
        correct=_replacements(files, CORRECT),
        trainings=_trainings(secret / "training.py", files),
        harness=harness,
        questions=questions,
    )


def _declared(slug: str, config: dict[str, Any], path: Path) -> Assignment:
    """Return what an assignment.toml says of an assignment, and nothing of its other files. Raises CourseError."""
    try:
        refuse_unknown(config, _KEYS, "the file")
        names = file_names(config)
        rules = listed(config, "shortcut", "[[shortcut]] above each") if "shortcut" in config else ()
        return Assignment(
            slug=slug,
            exercises=tuple(_exercise(entry) for entry in listed(config, "exercise", "[[exercise]] above each")),
            file=names[-1],
            files=names if "files" in config else (),
            title=str(config["title"]),
            points=number(config, "points"),
            limits=_limits(config.get("limits", {})),
            shortcuts=tuple(map(_shortcut, rules)),
            given=listed(config, "given") if "given" in config else (),
            torch=flag(config, "torch"),
            requires=tuple(map(str, listed(config, "requires"))) if "requires" in config else (),
            reasons=one_of(config, "reasons", (AFTER_DEADLINE, AT_ONCE)),
        )
    except KeyError as error:
        raise CourseError(f"{path}: the key {error} is missing.") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise CourseError(f"{path}: {error}.") from None


def _refuse_strangers(cases: Sequence[Case], assignment: Assignment) -> None:
    names = {exercise.name for exercise in assignment.exercises}
    strangers = [case for case in cases if case.exercise not in names]
    if strangers:
        told = ", ".join(f"{case.name} ({case.visibility}, for {case.exercise})" for case in strangers)
        raise CourseError(f"{assignment.slug}: these cases are for no exercise of assignment.toml: {told}.")


def _refuse_unknown_uses(exercises: Sequence[Exercise], file: Path) -> None:
    names = {exercise.name for exercise in exercises}
    for exercise in exercises:
        for used in exercise.uses:
            if used not in names - {exercise.name}:
                raise CourseError(f"{file}: {exercise.name} uses {used}, which is no other exercise of this file.")


def readme_of(course: Path, slug: str) -> str:
    """Return an assignment's text for students as its course gives it. Raises CourseError where there is none to read."""
    files = files_of(course, slug)
    readme = files.text(files.public / "README.md")
    others = [other for other in elsewhere(course, slug) if f"`{other}`" in readme]
    if not others and not entry_of(course, slug).changes:
        return readme
    made = load_assignment(course, slug)
    with speaking(made.language):
        return composed_readme(readme, as_written(course, slug, files), made, others)


def programs_of(course: Path, slug: str) -> dict[str, str]:
    """Return the programs that an author put beside the stub, by name, of which the course may leave out some."""
    files = files_of(course, slug)
    found = {name: files.public / name for name in PROGRAMS}
    return {name: files.text(path) for name, path in found.items() if path.is_file()}


def replacements_in(course: Path, slug: str, folder: str) -> tuple[Replacement, ...]:
    """Return the files of definitions that replace the reference's: CORRECT, UNUSUAL or MISTAKEN ones of an assignment."""
    return _replacements(files_of(course, slug), folder)


def _replacements(files: Files, folder: str) -> tuple[Replacement, ...]:
    paths = (path for name in (folder, FORMER_FOLDERS[folder]) for path in (files.secret / name).glob("[!_]*.py"))
    return tuple(Replacement(path.stem, _python(path, files)) for path in sorted(paths, key=lambda path: path.name))


def _exercise(entry: dict[str, Any]) -> Exercise:
    named = f"[[exercise]] {entry.get('name', '')}".strip()
    refuse_unknown(entry, {f.name for f in fields(Exercise)}, named)
    for key in (key for key in ("name", "points") if key not in entry):
        raise ValueError(f"the key {key!r} is missing in {named}")
    training, manual = flag(entry, "training"), flag(entry, "manual")
    refuse_mixed(entry, manual=manual)
    blanks = listed(entry, "blanks") if "blanks" in entry else () if training or manual else (entry["name"],)
    uses = listed(entry, "uses") if "uses" in entry else ()
    hints = tuple(" ".join(str(hint).split()) for hint in listed(entry, "hints")) if "hints" in entry else ()
    learned = " ".join(str(entry.get("learned", "")).split())
    difficulty = int(entry.get("difficulty", 1))
    section, bonus = str(entry.get("section", "")), flag(entry, "bonus")
    answer = one_of(entry, "answer", (TEXT, PLOT))
    about = (difficulty, training, uses, hints, learned, section, manual, read_rubric(entry), answer, bonus)
    return Exercise(entry["name"], number(entry, "points"), blanks, *about)


def _shortcut(entry: dict[str, Any]) -> Shortcut:
    refuse_unknown(entry, {f.name for f in fields(Shortcut)}, "[[shortcut]]")
    return Shortcut(listed(entry, "names"), listed(entry, "exercises"), str(entry["instead"]))


def _limits(entry: dict[str, Any]) -> Limits:
    refuse_unknown(entry, {f.name for f in fields(Limits)}, "[limits]")
    for name, value in entry.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise ValueError(f"{name} = {value!r} in [limits] is not a positive number")
    return Limits(**entry)


def _cases(path: Path, visibility: Visibility, files: Files) -> tuple[Case, ...]:
    if not path.exists():
        return ()
    cases = {name: value for name, value in vars(_module(path, files)).items() if isinstance(value, Case)}
    for name, value in cases.items():
        if value.name != name:
            raise CourseError(f"{path}: the case {value.name} stands under another name, {name}.")
    functions = Counter(node.name for node in parse(files.text(path)).body if isinstance(node, ast.FunctionDef))
    for name in cases:
        if functions[name] > 1:
            raise CourseError(f"{path}: {name} is defined {functions[name]} times, and only the last one counts.")
    return tuple(replace(value, visibility=visibility) for value in cases.values())


def _questions(path: Path, files: Files) -> tuple[Question, ...]:
    """Return the questions of an exercise, where it asks any."""
    if not path.exists():
        return ()
    try:
        return read_questions(path.stem, _toml(path, files))
    except (KeyError, TypeError, ValueError) as error:
        raise CourseError(f"{path}: {error}.") from None


def _fitting_arguments(
    path: Path, exercises: tuple[str, ...], files: Files
) -> Mapping[str, Callable[..., tuple[Any, ...]]]:
    """Return what makes the arguments of an exercise's calls fit each other again, by exercise: `ANEW` in cases.py."""
    made = getattr(_module(path, files), "ANEW", {}) if path.exists() else {}
    if unknown := ", ".join(sorted(made.keys() - set(exercises))):
        raise CourseError(f"{path}: ANEW names no exercise of assignment.toml: {unknown}.")
    return made


def _trainings(path: Path, files: Files) -> tuple[Training, ...]:
    if not path.exists():
        return ()
    return tuple(value for value in vars(_module(path, files)).values() if isinstance(value, Training))


def _misconceptions(path: Path, files: Files) -> tuple[Misconception, ...]:
    if not path.exists():
        return ()
    bank = getattr(_module(path, files), "MISCONCEPTIONS", None)
    if not isinstance(bank, tuple | list):
        raise CourseError(f"{path}: MISCONCEPTIONS = (*mistakes_of(...), ...) is missing.")
    for entry in (entry for entry in bank if not isinstance(entry, Misconception)):
        star = "; write a * before mistakes_of(...)" if isinstance(entry, tuple) else ""
        raise CourseError(f"{path}: MISCONCEPTIONS holds a {type(entry).__name__}, not known mistakes alone{star}.")
    return tuple(bank)


def _module(path: Path, files: Files) -> ModuleType:
    """Run a course file as a module of its own. Course files are trusted code."""
    module = ModuleType(f"_course_{path.parent.parent.name}_{path.parent.name}_{path.stem}")
    sys.modules[module.__name__] = module  # dataclasses look their module up there while they are made
    try:
        exec(compile(files.text(path), str(path), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 (never a stale .pyc)
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        where = f", line {lines[-1]}" if lines else ""
        raise CourseError(f"{path} fails on import{where}: {type(error).__name__}: {error}") from error
    finally:
        del sys.modules[module.__name__]
    return module


def _toml(path: Path, files: Files) -> dict[str, Any]:
    try:
        return tomllib.loads(files.text(path))
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path}: {error}") from None


def _python(path: Path, files: Files) -> str:
    """Return a file's text, which others will read as Python."""
    text = files.text(path)
    try:
        parse(text)
    except SyntaxError as error:
        raise CourseError(f"{path} is not Python: line {error.lineno}: {error.msg}.") from None
    return text
