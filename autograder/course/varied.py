"""An assignment as variants leave it: its known mistakes and other correct solutions follow the edits of the reference.

A known mistake stays where its edit still has its one place. It becomes an edit of the edited reference where it and the variants
change different text, or where it replaces all that they change. A mistake that is the variant itself goes. So do all others;
`doctor` asks that they are named under `drops`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from autograder.course.assignment import Assignment, Misconception, Replacement
from autograder.course.composition import smallest_edit
from autograder.course.cut_definitions import without_definitions
from autograder.course.definitions import defined_in
from autograder.course.edits import apply_edits, changed_span
from autograder.course.places import CourseError, read_text
from autograder.course.stub import StubError, render_stub
from autograder.course.variants import FILE, Files, TextEdit, Turned, Variant

SAID_FIRST = "This is the convention of another term."


def varied(edited: Assignment, files: Files) -> Assignment:
    """Return an assignment that was read with the edits of variants, with the other conventions as known mistakes.

    Its stub is rendered from the edited reference. Other correct solutions lose their own version of an exercise, unless the
    variant edits it, and one that has nothing else goes. Raises CourseError.
    """
    if not files.variants:
        return edited
    bank = tuple(_bank(edited, files))
    gone = {m.name for m in edited.misconceptions} - {m.name for m in bank}
    former = (_former(one, edited, files) for variant in files.variants for one in variant.turned if one.caught_by)
    made = replace(
        edited,
        misconceptions=(*former, *(replace(m, twins=_left(m.twins, gone)) for m in bank)),
        correct=tuple(chain.from_iterable(_in_convention(one, edited, files) for one in edited.correct)),
        trainings=tuple(replace(t, catches=_left(t.catches, gone)) for t in edited.trainings),
    )
    try:
        return replace(made, stub=render_stub(made))
    except StubError as error:
        raise CourseError(f"{files.secret / FILE}: {error}") from None


def _left(names: Sequence[str], gone: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in gone)


def homeless(edited: Assignment, files: Files) -> tuple[str, ...]:
    """Return the known mistakes that the edits of variants leave no place, and that none of them drops."""
    dropped, merge = _dropped(files), _Merge.of(edited, files)
    left = (m for m in edited.misconceptions if m.name not in dropped and not merge.is_the_variant(m))
    return tuple(m.name for m in left if merge.rebased(m) is None)


def _dropped(files: Files) -> frozenset[str]:
    return frozenset(chain.from_iterable(variant.drops for variant in files.variants))


def _bank(edited: Assignment, files: Files) -> Iterator[Misconception]:
    """Yield the known mistakes that are still some, as edits of the edited reference. Raises CourseError."""
    _refuse_strangers(edited, files)
    dropped, merge = _dropped(files), _Merge.of(edited, files)
    for m in edited.misconceptions:
        if m.name not in dropped and not merge.is_the_variant(m) and (rebased := merge.rebased(m)) is not None:
            yield rebased


def _refuse_strangers(edited: Assignment, files: Files) -> None:
    known = {m.name for m in edited.misconceptions}
    exercises = {e.name for e in edited.exercises}
    for variant in files.variants:
        where = f"{files.secret / FILE}: {variant.name}"
        if strangers := [name for name in variant.exercises if name not in exercises]:
            raise CourseError(f"{where} is about {', '.join(strangers)}, which is no exercise.")
        if strangers := [name for name in variant.drops if name not in known]:
            raise CourseError(f"{where} drops {', '.join(strangers)}, which is no known mistake.")


@dataclass(frozen=True)
class _Merge:
    """The edits of variants and those of known mistakes, both made to the reference as it was."""

    former: str
    edited: str
    edits: tuple[Misconception, ...]  # of variants, in the form of a mistake

    @classmethod
    def of(cls, edited: Assignment, files: Files) -> _Merge:
        """Return the merge of an assignment's reference."""
        path = files.secret / edited.file
        every = (_as_mistake(edit) for _, edit in files.edits_of(path))
        return cls(read_text(path), edited.reference, tuple(every))

    def rebased(self, mistake: Misconception) -> Misconception | None:
        """Return a mistake as an edit of the edited reference; None where it has no place there."""
        if self.edited.count(mistake.old) == 1:
            return mistake
        if any(self.former.count(edit.old) != 1 for edit in (mistake, *self.edits)):
            return None
        merged = apply_edits(self.former, (mistake, *self.edits)) or self._overwritten(mistake)
        if merged is None or merged == self.edited:
            return None
        old, new = smallest_edit(self.edited, merged)
        return replace(mistake, old=old, new=new)

    def _overwritten(self, mistake: Misconception) -> str | None:
        """Return the edited reference with a mistake that replaces all that the variants edit there; else None."""
        start, end, new = changed_span(self.former, mistake)
        moved = grown = 0
        for first, last, text in (changed_span(self.former, edit) for edit in self.edits):
            if first >= start and last <= end:
                grown += len(text) - (last - first)
            elif last <= start:
                moved += len(text) - (last - first)
            elif first < end:
                return None
        return self.edited[: start + moved] + new + self.edited[end + moved + grown :]

    def is_the_variant(self, mistake: Misconception) -> bool:
        """Whether a mistake makes the very edits that a variant makes to the code."""
        if self.former.count(mistake.old) != 1:
            return False
        made = self.former.replace(mistake.old, mistake.new)
        codes = (edit for edit in self.edits if self.former.count(edit.old) == 1)
        return any(made == self.former.replace(edit.old, edit.new) for edit in codes)


def _as_mistake(edit: TextEdit) -> Misconception:
    return Misconception("", "", edit.old, edit.new, "", "")


def _former(one: Turned, edited: Assignment, files: Files) -> Misconception:
    """Return the known mistake of following the convention that a variant replaces: its edits the other way round."""
    other = files.text(files.secret / edited.file, one.code)
    old, new = smallest_edit(edited.reference, other)
    return Misconception(one.mistake, one.exercise, old, new, one.caught_by, f"{SAID_FIRST} {one.says}")


def _in_convention(one: Replacement, edited: Assignment, files: Files) -> Iterator[Replacement]:
    """Yield another correct solution without its versions of exercises in the convention that a variant replaces."""
    gone = set(_turned_unless_edited(files.variants, f"solutions/correct/{one.name}.py"))
    blanks = {blank for e in edited.exercises for blank in (e.name, *e.blanks)}
    source = without_definitions(one.source, gone, blanks - gone)
    if source == one.source or defined_in(source) & defined_in(edited.reference):
        yield replace(one, source=source)


def _turned_unless_edited(variants: Sequence[Variant], file: str) -> Iterator[str]:
    """Yield the exercises that variants turn round, but for those of a variant that edits the file."""
    for variant in variants:
        if file not in {edit.file for edit in variant.texts}:
            yield from variant.exercises
