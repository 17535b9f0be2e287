"""Variants: the same assignment in another convention, so that the answers of one term are wrong in the next.

A variant stands in solutions/SLUG/variants.toml. A term chooses it by `variants = ["NAME"]` in course.toml. Then the files of
the assignment read as its edits leave them, and the reference as it was becomes a known mistake of each exercise that is edited.

[eps_for_the_others]
exercise = "label_smoothed_nll"
old = "..."                  # the smallest edit of the reference's code: this text occurs once
new = "..."
caught_by = "losses"         # a case of the exercise that fails on the other convention
says = "..."                 # what a student reads who follows the other convention
drops = ["mistake"]          # known mistakes that are none any more, or that the edit leaves no place for

[[eps_for_the_others.also]]  # where the convention runs through more of the reference: another exercise, or another place in one
exercise = "..."
old = "..."
new = "..."
caught_by = "..."            # without it, this exercise only follows: its answers are the same in both conventions
says = "..."                 # without it, what the variant says

[[eps_for_the_others.text]]  # what students read, worked numbers included, and what cases, quizzes and known mistakes say
file = "assignments/README.md"
old = "..."
new = "..."
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.course.course_file import refuse_unknown
from autograder.course.places import CourseError, entry_of, public_folder, read_text, read_toml, secret_folder

FILE = "variants.toml"
_TEXTS = ("exercise", "old", "new", "caught_by", "says")
_KEYS = (*_TEXTS, "drops", "also", "text")
_EDIT = ("file", "old", "new")


@dataclass(frozen=True)
class TextEdit:
    """One change of one file, named from the course's folder without the assignment's own: `solutions/cases.py`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Turned:
    """One exercise in another convention: the edits of its code, and how the former convention is caught and told.

    One that is not caught only follows: it calls what is turned round, and its answers are the same in both conventions.
    """

    exercise: str
    code: tuple[TextEdit, ...]
    caught_by: str
    says: str
    mistake: str  # the name of the known mistake of following the convention that the reference has without the variant


@dataclass(frozen=True)
class Variant:
    """Another convention: the exercises it turns round, the edits of texts, and the known mistakes that it drops."""

    name: str
    turned: tuple[Turned, ...]
    drops: tuple[str, ...] = ()
    texts: tuple[TextEdit, ...] = ()

    @property
    def exercises(self) -> tuple[str, ...]:
        """The exercises that it turns round."""
        return tuple(one.exercise for one in self.turned)


@dataclass(frozen=True)
class Files:
    """The files of an assignment as a course reads them: with the edits of some variants."""

    public: Path
    secret: Path
    variants: tuple[Variant, ...] = ()

    def text(self, path: Path, but: Collection[TextEdit] = ()) -> str:
        """Return a file's text with all edits `but` some. Raises CourseError."""
        text = read_text(path)
        for variant, edit in self.edits_of(path):
            if not any(edit is left for left in but):
                text = self._edited(text, variant, edit)
        return text

    def edits_of(self, path: Path) -> tuple[tuple[Variant, TextEdit], ...]:
        """Return the edits of a file, each with its variant."""
        every = ((v, e) for v in self.variants for e in (*v.texts, *(c for one in v.turned for c in one.code)))
        return tuple((variant, edit) for variant, edit in every if path == self._path(edit.file))

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
    declared = read_toml(public_folder(course, slug) / "assignment.toml")
    if "files" in declared:
        raise CourseError(
            f"{path}: a variant edits one file, and {slug} has several. Write it with one `file`, or give up the variants."
        )
    file = f"solutions/{declared.get('file')}"
    try:
        return {name: _variant(name, entry, file) for name, entry in read_toml(path).items()}
    except (TypeError, ValueError) as error:
        raise CourseError(f"{path}: {error}") from None


def _variant(name: str, entry: Mapping[str, Any], file: str) -> Variant:
    refuse_unknown(entry, _KEYS, f"under [{name}]")
    _refuse_missing(entry, _TEXTS, f"[{name}]")
    also, told = entry.get("also", []), entry.get("text", [])
    if not isinstance(also, list) or not isinstance(told, list):
        raise TypeError(
            f"{name} has a single table where there may be several; write [[{name}.also]] and [[{name}.text]]."
        )
    for more in also:
        refuse_unknown(more, _TEXTS, f"under [[{name}.also]]")
    for text in told:
        refuse_unknown(text, _EDIT, f"under [[{name}.text]]")
        _refuse_missing(text, _EDIT, f"[[{name}.text]]")
    texts = tuple(TextEdit(text["file"], text["old"], text["new"]) for text in told)
    drops = entry.get("drops", [])
    if not isinstance(drops, list):
        raise TypeError(f'drops of {name} is {drops!r}. Write drops = ["..."].')
    return Variant(name, _turned(name, (entry, *also), file), tuple(drops), texts)


def _turned(name: str, entries: Sequence[Mapping[str, Any]], file: str) -> tuple[Turned, ...]:
    """Return the exercises that a variant turns round, in order; several edits may be of one of them."""
    found: dict[str, Turned] = {}
    for entry in entries:
        _refuse_missing(entry, ("exercise", "old", "new"), f"[[{name}.also]]")
        exercise, edit = entry["exercise"], TextEdit(file, entry["old"], entry["new"])
        if (known := found.get(exercise)) is not None:
            found[exercise] = replace(known, code=(*known.code, edit))
            continue
        mistake = f"last_year_not_{name}" + (f"_in_{exercise.replace('.', '_')}" if found else "")
        says = " ".join(entry.get("says", entries[0]["says"]).split())
        found[exercise] = Turned(exercise, (edit,), entry.get("caught_by", ""), says, mistake)
    return tuple(found.values())


def _refuse_missing(entry: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    for key in keys:
        if not isinstance(entry.get(key), str):
            raise TypeError(f"{where} has no text {key}; it needs {', '.join(keys)}.")
