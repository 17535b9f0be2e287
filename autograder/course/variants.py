"""Variants: the same assignment in another convention, so that the answers of one term are wrong in the next.

A variant stands in solutions/SLUG/variants.toml. A term chooses it by `variants = ["NAME"]` in course.toml. Then the files of
the assignment read as its edits leave them, and the reference as it was becomes a known mistake of the exercise.

[eps_for_the_others]
exercise = "label_smoothed_nll"
old = "..."                  # the smallest edit of the reference's code: this text occurs once
new = "..."
caught_by = "losses"         # a case of the exercise that fails on the other convention
says = "..."                 # what a student reads who follows the other convention
drops = ["mistake"]          # known mistakes that are none any more, or that the edit leaves no place for

[[eps_for_the_others.text]]  # what students read, worked numbers included, and what cases, quizzes and known mistakes say
file = "assignments/README.md"
old = "..."
new = "..."
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.course.assignment import Assignment, Misconception, Replacement
from autograder.course.composition import smallest_edit
from autograder.course.course_file import refuse_unknown
from autograder.course.cut_definitions import without_definitions
from autograder.course.definitions import definitions_in
from autograder.course.places import CourseError, entry_of, public_folder, read_text, read_toml, secret_folder
from autograder.course.stub import StubError, render_stub

FILE = "variants.toml"
SAID_FIRST = "This is the convention of another term."
_KEYS = ("exercise", "old", "new", "caught_by", "says", "drops", "text")
_TEXTS = ("exercise", "old", "new", "caught_by", "says")
_EDIT = ("file", "old", "new")


@dataclass(frozen=True)
class TextEdit:
    """One change of one file, named from the course's folder without the assignment's own: `solutions/cases.py`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Variant:
    """Another convention of one exercise: the edit of its code, those of texts, and the known mistakes that it drops."""

    name: str
    exercise: str
    code: TextEdit
    caught_by: str
    says: str
    drops: tuple[str, ...] = ()
    texts: tuple[TextEdit, ...] = ()

    @property
    def mistake(self) -> str:
        """The name of the known mistake of following the convention that the reference has without the variant."""
        return f"last_year_not_{self.name}"


@dataclass(frozen=True)
class Files:
    """The files of an assignment as a course reads them: with the edits of some variants."""

    public: Path
    secret: Path
    variants: tuple[Variant, ...] = ()

    def text(self, path: Path, but: Variant | None = None) -> str:
        """Return a file's text with all edits, `but` that of one variant's code. Raises CourseError."""
        text = read_text(path)
        for variant in self.variants:
            for edit in (*variant.texts, *(() if variant is but else (variant.code,))):
                if path == self._path(edit.file):
                    text = self._edited(text, variant, edit)
        return text

    def _path(self, file: str) -> Path:
        side, _, inside = file.partition("/")
        return (self.public if side == "assignments" else self.secret) / inside

    def _edited(self, text: str, variant: Variant, edit: TextEdit) -> str:
        if (found := text.count(edit.old)) != 1:
            where = f"{self.secret / FILE}, {variant.name}: `old` occurs {found} times in {edit.file}, not once"
            raise CourseError(f"{where}: {edit.old!r}.")
        return text.replace(edit.old, edit.new)


def files_of(course: Path, slug: str, names: Sequence[str] | None = None) -> Files:
    """Return the files of an assignment with the named variants, by default with those that the course chooses."""
    public, secret = public_folder(course, slug), secret_folder(course, slug)
    wanted = entry_of(course, slug).variants if names is None else names
    known = variants_in(course, slug) if wanted else {}
    for name in wanted:
        if name not in known:
            told = f"It has {', '.join(known)}." if known else f"There is none in {secret / FILE}."
            raise CourseError(f"course.toml: variants of {slug} names {name}, and there is no such variant. {told}")
    return Files(public, secret, tuple(known[name] for name in wanted))


def variants_in(course: Path, slug: str) -> Mapping[str, Variant]:
    """Return the variants of an assignment by name. Raises CourseError."""
    path = secret_folder(course, slug) / FILE
    if not path.exists():
        return {}
    file = f"solutions/{read_toml(public_folder(course, slug) / 'assignment.toml').get('file')}"
    try:
        return {name: _variant(name, entry, file) for name, entry in read_toml(path).items()}
    except (TypeError, ValueError) as error:
        raise CourseError(f"{path}: {error}") from None


def _variant(name: str, entry: Mapping[str, Any], file: str) -> Variant:
    refuse_unknown(entry, _KEYS, f"under [{name}]")
    exercise, old, new, caught_by, says = (_text(entry, key, name) for key in _TEXTS)
    for told in entry.get("text", ()):
        refuse_unknown(told, _EDIT, f"under [[{name}.text]]")
    texts = tuple(TextEdit(*(_text(told, key, name) for key in _EDIT)) for told in entry.get("text", ()))
    drops = entry.get("drops", [])
    if not isinstance(drops, list):
        raise TypeError(f'drops of {name} is {drops!r}. Write drops = ["..."].')
    return Variant(name, exercise, TextEdit(file, old, new), caught_by, " ".join(says.split()), tuple(drops), texts)


def _text(entry: Mapping[str, Any], key: str, name: str) -> str:
    if not isinstance(entry.get(key), str):
        raise TypeError(
            f"{name} has no text {key}; each edit has {', '.join(_EDIT)}, each variant {', '.join(_TEXTS)}."
        )
    return str(entry[key])


def varied(edited: Assignment, files: Files) -> Assignment:
    """Return an assignment that was read with the edits of variants, with the other conventions as known mistakes.

    Its stub is rendered from the edited reference. Other correct solutions lose their own version of an exercise, unless the
    variant edits it. Raises CourseError.
    """
    if not files.variants:
        return edited
    where, bank = files.secret / FILE, {m.name: m for m in edited.misconceptions}
    for variant in files.variants:
        if variant.exercise not in (e.name for e in edited.exercises):
            raise CourseError(f"{where}: {variant.name} is about {variant.exercise}, which is no exercise.")
        for name in variant.drops:
            if bank.pop(name, None) is None:
                raise CourseError(f"{where}: {variant.name} drops {name}, which is no known mistake.")
    for m in bank.values():
        if edited.reference.count(m.old) != 1:
            told = f"leave the known mistake {m.name} no single place in the reference. Name it under `drops`, or edit"
            raise CourseError(f"{where}: the edits of {', '.join(v.name for v in files.variants)} {told} it.")
    former = (_former(v, edited.reference, files.text(files.secret / edited.file, v)) for v in files.variants)
    made = replace(
        edited,
        misconceptions=(*former, *bank.values()),
        correct=tuple(_without_versions(one, edited, files) for one in edited.correct),
    )
    try:
        return replace(made, stub=render_stub(made))
    except StubError as error:
        raise CourseError(f"{where}: {error}") from None


def _former(variant: Variant, reference: str, other: str) -> Misconception:
    """Return the known mistake of following the convention that a variant replaces: its edit the other way round."""
    old, new = smallest_edit(reference, other)
    says = f"{SAID_FIRST} {variant.says}"
    return Misconception(variant.mistake, variant.exercise, old, new, variant.caught_by, says)


def _without_versions(one: Replacement, edited: Assignment, files: Files) -> Replacement:
    """Return another correct solution without its versions of exercises in the convention that a variant replaces."""
    adapted = {v.exercise for v in files.variants if f"solutions/correct/{one.name}.py" in {e.file for e in v.texts}}
    gone = {v.exercise for v in files.variants} - adapted
    blanks = {blank for e in edited.exercises for blank in (e.name, *e.blanks)}
    if not gone.intersection(definitions_in(one.source)[0]):
        return one
    return replace(one, source=without_definitions(one.source, gone, blanks - gone))
